//! See the function of the same name.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| memstrata_server_fuzz::decide(data));

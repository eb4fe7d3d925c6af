//! Fuzz target `wire`; its body is in the library.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| team_sync_fuzz::wire(data));

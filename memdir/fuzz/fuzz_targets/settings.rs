//! Fuzz target `settings`; its body is in the library.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| memdir_fuzz::settings(data));

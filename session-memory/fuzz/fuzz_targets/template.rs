//! Fuzz target `template`; its body is in the library.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| session_memory_fuzz::template(data));

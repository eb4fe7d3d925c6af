//! Thin entry of the fuzz target `keys`; its body is in `src/lib.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pathguard_fuzz::keys(data));

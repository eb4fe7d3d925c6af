//! Thin entry of the fuzz target `operations`; its body is in `src/lib.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pathguard_fuzz::operations(data));

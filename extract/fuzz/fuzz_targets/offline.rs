//! What a person said.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| memdir_extract_fuzz::offline(data));

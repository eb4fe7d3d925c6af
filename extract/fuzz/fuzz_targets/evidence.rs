//! Messages of a conversation.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| memdir_extract_fuzz::evidence(data));

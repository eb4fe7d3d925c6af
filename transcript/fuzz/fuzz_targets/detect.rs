//! A file of unknown format.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_transcript_fuzz::detect(data));

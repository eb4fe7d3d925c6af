//! Bytes as the answer of every back end.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_model_fuzz::replies(data));

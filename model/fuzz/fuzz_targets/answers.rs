//! A schema and a text that may hold an answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_model_fuzz::answers(data));

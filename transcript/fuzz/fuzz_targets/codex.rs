//! A Codex rollout.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_transcript_fuzz::codex(data));

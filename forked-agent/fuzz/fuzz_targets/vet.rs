#![no_main]
//! Fuzzes the vetter of shell commands.

libfuzzer_sys::fuzz_target!(|data: &[u8]| forked_agent_fuzz::vet(data));

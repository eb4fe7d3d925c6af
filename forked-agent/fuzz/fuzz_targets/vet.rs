#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forked_agent_fuzz::vet(data));

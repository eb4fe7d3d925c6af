//! See the function of the same name.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| memdir_recall_fuzz::model_answer(data));

//! Headers, read from the first lines of a file.

use memdir::limits::HEADER_MAX_LINES;
use memdir::{Header, Memory, ProblemCode};
use proptest::prelude::*;

use crate::text::{bytes, front_matter_bytes};

#[test]
fn only_the_first_lines_are_read() {
    let filler = "other: x\n".repeat(HEADER_MAX_LINES);
    let late = format!("---\nname: N\n{filler}description: too late\n---\n");
    let header = Header::parse(late.as_bytes());
    assert_eq!(
        (header.name.as_str(), header.description.as_str()),
        ("N", "")
    );
}

#[test]
fn a_sound_header_has_no_problems() {
    let header = Header::parse(b"---\nname: N\ndescription: D\ntype: reference\n---\n");
    assert!(header.problems.is_empty());
    assert_eq!(header.problems.capacity(), 0);
}

proptest! {
    #[test]
    fn a_header_says_what_the_whole_memory_says(file in prop_oneof![bytes(), front_matter_bytes()]) {
        let header = Header::parse(&file);
        let memory = Memory::parse(&file);
        prop_assert_eq!(&header.name, memory.name());
        prop_assert_eq!(&header.description, memory.description());
        prop_assert_eq!(&header.type_text, memory.type_text());
        prop_assert_eq!(header.modified, memory.modified());
        let of_body = |code| matches!(code, ProblemCode::Empty | ProblemCode::NotUtf8);
        let whole: Vec<_> = memory.problems().iter().filter(|problem| !of_body(problem.code)).collect();
        let first: Vec<_> = header.problems.iter().filter(|problem| !of_body(problem.code)).collect();
        prop_assert_eq!(first, whole);
    }
}

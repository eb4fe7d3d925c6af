//! Which names are those of conflict copies, and what follows for index, lint and rebuild.

use memdir::lint::{Code, Input, SourceFile, check};
use memdir::{ConflictName, Index, IndexItem, ListOptions, Scope};
use proptest::prelude::*;

use crate::support::{Scratch, person};

const COPY: &str = "feedback_tests.conflict-ana-1a2b3c4d.md";
const SOUND: &str =
    "---\nname: Tests\ndescription: run all\ntype: feedback\n---\n\nRun all tests.\n";

#[test]
fn only_names_of_the_whole_form_are_copies() {
    for (name, expected) in [
        (COPY, Some(("feedback_tests", "ana", "1a2b3c4d"))),
        (
            "team/sub/a.b.conflict-ana-s-mac-00000000.md",
            Some(("a.b", "ana-s-mac", "00000000")),
        ),
        (
            "记忆.conflict-client-deadbeef.md",
            Some(("记忆", "client", "deadbeef")),
        ),
        ("git.conflict-resolution.md", None),
        ("a.conflict-ana-1a2b3c4.md", None),
        ("a.conflict-ana-1A2B3C4D.md", None),
        ("a.conflict-1a2b3c4d.md", None),
        ("a.conflict--1a2b3c4d.md", None),
        ("a.conflict-an a-1a2b3c4d.md", None),
        (".conflict-ana-1a2b3c4d.md", None),
        ("a.conflict-ana-1a2b3c4d.txt", None),
        ("a.conflict-ana-1a2b3c4d.md/b.md", None),
        ("a.md", None),
        ("", None),
    ] {
        let found = ConflictName::parse(name);
        let parts = found.map(|copy| (copy.stem(), copy.client(), copy.hash()));
        assert_eq!(parts, expected, "{name}");
    }
}

#[test]
fn a_copy_gets_no_line_whoever_rebuilds() {
    let items = [
        IndexItem::new("feedback_tests.md", "Tests", "run all", None),
        IndexItem::new(COPY, "Tests", "run all", None),
    ];
    let mut index = Index::parse(format!("- [Tests]({COPY}) — run all\n").as_bytes());
    index.rebuild(&items);
    let text = String::from_utf8_lossy(index.as_bytes()).into_owned();
    assert!(text.contains("(feedback_tests.md)"), "{text}");
    assert!(!text.contains("conflict"), "{text}");
}

#[test]
fn lint_finds_nothing_about_a_copy_but_what_is_wrong_with_any_text() {
    let index = "- [Tests](feedback_tests.md) — run all\n";
    let today = "2026-03-02".parse().unwrap();
    // A duplicate of its original, not in the index, and without the parts a memory has.
    for text in [SOUND, "no front matter, next Tuesday\n"] {
        let files = [
            ("feedback_tests.md", SOUND),
            (COPY, text),
            ("MEMORY.md", index),
        ];
        let files =
            files.map(|(path, text)| SourceFile::new(path, text.as_bytes()).with_date(today));
        let report = check(&Input::new(files.to_vec(), today));
        let about: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.path == COPY)
            .collect();
        assert!(about.is_empty(), "{about:#?}");
    }
    // Text that attacks its reader is found in a copy, too.
    let files = [(COPY, "hidden \u{202e}text\n"), ("MEMORY.md", "")]
        .map(|(path, text)| SourceFile::new(path, text.as_bytes()).with_date(today));
    let report = check(&Input::new(files.to_vec(), today));
    let codes: Vec<Code> = report
        .findings
        .iter()
        .filter(|finding| finding.path == COPY)
        .map(|finding| finding.code)
        .collect();
    assert!(!codes.is_empty(), "{:#?}", report.findings);
}

#[test]
fn a_store_lists_a_copy_as_one_and_keeps_it_out_of_the_index() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let team = scratch.memory_dir().join("team");
    std::fs::create_dir_all(&team).unwrap();
    std::fs::write(team.join("feedback_tests.md"), SOUND).unwrap();
    std::fs::write(team.join(COPY), SOUND).unwrap();
    store.rebuild_index(Scope::Team, &person()).unwrap();
    let index = std::fs::read_to_string(team.join("MEMORY.md")).unwrap();
    assert!(index.contains("(feedback_tests.md)"), "{index}");
    assert!(!index.contains("conflict"), "{index}");
    let list = store.list(&ListOptions::default()).unwrap();
    let copies: Vec<_> = list
        .memories
        .iter()
        .filter(|one| one.is_conflict_copy)
        .collect();
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0].path.as_ref().file_name(), COPY);
}

proptest! {
    #[test]
    fn what_is_composed_reads_back(
        stem in "[a-z0-9_记é.-]{1,300}", client in "\\PC{0,60}", hash in "[0-9a-f]{8}",
    ) {
        let name = ConflictName::compose(&format!("{stem}.md"), &client, &hash, 255);
        prop_assert!(name.len() <= 255);
        if let Some(copy) = ConflictName::parse(&name) {
            prop_assert_eq!(copy.hash(), hash.as_str());
            prop_assert_eq!(copy.to_string(), name.clone());
            prop_assert!(copy.client().len() <= 32);
            prop_assert_eq!(ConflictName::compose(&name, &client, &hash, 255), name);
        } else {
            // Nothing but full stops is no stem.
            prop_assert!(stem.trim_matches('.').is_empty(), "{}", name);
        }
    }
}

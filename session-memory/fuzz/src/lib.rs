//! Bodies of the fuzz targets of session-memory.
#![allow(
    clippy::missing_panics_doc,
    unreachable_pub,
    reason = "a panic is what a target reports; the stable replay includes this file as a module"
)]

use session_memory::{
    Condition, Notes, NotesLimits, Structure, ViolationKind, fill_template, read_pair,
};

/// Cuts at the first NUL: two files in one input.
fn two(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == 0) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[]),
    }
}

/// What is mended is intact afterwards, keeps every line of content, and a template of anybody's gives a
/// structure that its own empty file has. Input: a template, NUL, a session file; without NUL our template.
pub fn notes(data: &[u8]) {
    let limits = NotesLimits::default();
    let (template, file) = two(data);
    let own = Structure::from_template(&String::from_utf8_lossy(template));
    let (structure, file) = match (data.contains(&0), own) {
        (true, Ok(structure)) => (structure, file),
        (true, Err(_)) => return,
        (false, _) => (Structure::default(), data),
    };
    let empty = Notes::empty(&structure);
    let printed = empty.print();
    assert_eq!(
        Notes::parse(printed.as_bytes(), &structure, &limits),
        Ok(empty)
    );
    assert_eq!(Structure::from_template(&printed), Ok(structure.clone()));

    let Ok(repair) = Notes::repair(file, &structure, &limits) else {
        return;
    };
    let printed = repair.notes.print();
    assert_eq!(
        Notes::parse(printed.as_bytes(), &structure, &limits).as_ref(),
        Ok(&repair.notes)
    );
    let text = std::str::from_utf8(file).expect("UTF-8 because it was read");
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let hints: Vec<&str> = printed.lines().collect();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let content = line.strip_prefix("## ").unwrap_or(line).trim();
        let content = content.trim_end_matches('#').trim();
        let is_kept = printed.contains(content) || hints.contains(&line.trim_end());
        assert!(is_kept, "{line:?} is gone from {printed:?}");
    }
    assert!(
        repair
            .mended
            .iter()
            .all(|violation| violation.kind.is_repairable())
    );
}

/// Whatever the two files hold, a reader sees intact notes or none. Input: a side-car, NUL, a Markdown.
pub fn pair(data: &[u8]) {
    let structure = Structure::default();
    let limits = NotesLimits::default();
    let (side_car, markdown) = two(data);
    for side_car in [None, Some(side_car)] {
        for markdown in [None, Some(markdown)] {
            let (condition, committed) = read_pair(side_car, markdown, &structure, &limits);
            let Some(committed) = committed else {
                assert!(!matches!(condition, Condition::Whole | Condition::Edited));
                continue;
            };
            let printed = committed.notes.print();
            assert_eq!(
                Notes::parse(printed.as_bytes(), &structure, &limits).as_ref(),
                Ok(&committed.notes)
            );
            if let Condition::Damaged(violations) = condition {
                assert!(!violations.is_empty());
                assert!(
                    violations
                        .iter()
                        .all(|one| one.kind != ViolationKind::ForeignHeading)
                );
            }
        }
    }
}

/// A value arrives whole and is not looked at again; a template without values stays. Input: a template,
/// NUL, a value.
pub fn template(data: &[u8]) {
    let (template, value) = two(data);
    let (template, value) = (
        String::from_utf8_lossy(template),
        String::from_utf8_lossy(value),
    );
    assert_eq!(fill_template(&template, &[]), template);
    // A mark that stands nowhere in the template shows where the places are.
    let mark = "\u{f8ff}";
    if template.contains(mark) {
        return;
    }
    for name in ["currentNotes", "notesPath", "today"] {
        let marked = fill_template(&template, &[(name, mark)]);
        let filled = fill_template(&template, &[(name, &value)]);
        assert_eq!(filled, marked.replace(mark, &value));
    }
}

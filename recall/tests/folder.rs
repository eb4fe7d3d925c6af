//! Folders as they really are, and as somebody hostile makes them.

use std::fs;

use memdir_recall::{FileProblemKind, Query};

use crate::support::{memory, now, open, write};

#[test]
fn broken_files_are_ranked_by_what_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let big = format!(
        "---\nname: Big zebra\n---\n{}final okapi\n",
        "filler text here\n".repeat(5 * 1024 * 1024 / 17)
    );
    for (path, text) in [
        ("no_front.md", b"zebra facts without front matter".to_vec()),
        ("unclosed.md", b"---\nname: zebra unclosed\nno end".to_vec()),
        (
            "bom.md",
            "\u{FEFF}---\nname: zebra with a mark\n---\n".into(),
        ),
        (
            "crlf.md",
            b"---\r\nname: zebra lines\r\ntype: user\r\n---\r\nbody\r\n".to_vec(),
        ),
        (
            "no_description.md",
            b"---\nname: zebra alone\n---\n".to_vec(),
        ),
        (
            "colons.md",
            b"---\nname: zebra: a: b\ndescription: `tick # hash\n---\n".to_vec(),
        ),
        (
            "not_utf8.md",
            b"---\nname: zebra \xff\xfe\n---\n\xc3\x28 body".to_vec(),
        ),
        ("empty.md", Vec::new()),
        ("big.md", big.into_bytes()),
        ("UPPER.MD", b"zebra in capitals".to_vec()),
        ("sub/deep/nested.md", b"zebra below".to_vec()),
        ("MEMORY.md", b"- [zebra](zebra.md)".to_vec()),
        ("logs/2026/03/2026-03-31.md", b"zebra log".to_vec()),
        (".hidden.md", b"zebra hidden".to_vec()),
        ("zebra.txt", b"zebra text".to_vec()),
        (
            "team/a.conflict-laptop-1a2b3c4d.md",
            b"zebra conflict".to_vec(),
        ),
    ] {
        write(folder, path, text);
    }
    let before = fs::metadata(folder.join("crlf.md"))
        .unwrap()
        .modified()
        .unwrap();
    let mut recall = open(folder, None);
    let refresh = recall.refresh().unwrap();
    let kinds: Vec<FileProblemKind> = refresh.problems.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FileProblemKind::ConflictCopy]);
    let answer = recall.rank(&Query::new("zebra", now()).prefilter(50));
    let mut found: Vec<&str> = answer.memories.iter().map(|m| m.path.as_str()).collect();
    found.sort_unstable();
    let expected = [
        "UPPER.MD",
        "big.md",
        "bom.md",
        "colons.md",
        "crlf.md",
        "no_description.md",
        "no_front.md",
        "not_utf8.md",
        "sub/deep/nested.md",
        "unclosed.md",
    ];
    assert_eq!(found, expected);
    let end = recall.rank(&Query::new("okapi", now()).prefilter(5));
    assert_eq!(
        end.memories[0].path.as_str(),
        "big.md",
        "a large file is read to its end"
    );
    assert_eq!(
        fs::metadata(folder.join("crlf.md"))
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
}

#[test]
fn long_titles_are_ranked_whole_and_kept_short() {
    let scratch = tempfile::tempdir().unwrap();
    let name = format!("{}okapi", "zebra ".repeat(500));
    let text = memory("project", &name, &"字".repeat(2_000), "");
    write(scratch.path(), "long.md", text);
    let mut recall = open(scratch.path(), None);
    let answer = recall
        .query(&Query::new("okapi", now()).prefilter(5))
        .unwrap();
    assert_eq!(answer.memories[0].name.chars().count(), 201);
    assert_eq!(answer.memories[0].description.chars().count(), 1_001);
}

#[test]
fn problems_are_told_in_the_order_of_their_paths() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["con.md", "b/nul.md", "aux.md"] {
        write(scratch.path(), name, "zebra");
    }
    let refresh = open(scratch.path(), None).refresh().unwrap();
    let paths: Vec<&str> = refresh.problems.iter().map(|p| p.path.as_str()).collect();
    assert_eq!(paths, ["aux.md", "b/nul.md", "con.md"]);
}

#[test]
fn a_conflict_copy_is_never_recalled_and_said_to_be_left_out() {
    let scratch = tempfile::tempdir().unwrap();
    let copy = "team/feedback_okapi.conflict-ana-1a2b3c4d.md";
    write(scratch.path(), copy, "okapi okapi okapi");
    write(scratch.path(), "team/okapi.conflict-handling.md", "okapi");
    let mut recall = open(scratch.path(), None);
    let answer = recall
        .query(&Query::new("okapi", now()).prefilter(50))
        .unwrap();
    let paths: Vec<&str> = answer
        .memories
        .iter()
        .map(|one| one.path.as_str())
        .collect();
    assert_eq!(paths, ["team/okapi.conflict-handling.md"]);
    let problems = recall.refresh().unwrap().problems;
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, copy);
    assert_eq!(problems[0].kind, FileProblemKind::ConflictCopy);
}

/// Links, FIFOs and second names are no way to anything outside.
#[cfg(unix)]
#[test]
fn nothing_outside_is_read() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    let scratch = tempfile::tempdir().unwrap();
    let (folder, outside) = (
        scratch.path().join("memory"),
        scratch.path().join("outside"),
    );
    write(&outside, "okapi.md", "okapi outside");
    write(&folder, "inside.md", "zebra inside");
    symlink(outside.join("okapi.md"), folder.join("file_link.md")).unwrap();
    symlink(&outside, folder.join("folder_link")).unwrap();
    symlink("loop.md", folder.join("loop.md")).unwrap();
    fs::hard_link(outside.join("okapi.md"), folder.join("second_name.md")).unwrap();
    let made = Command::new("mkfifo").arg(folder.join("pipe.md")).status();
    let has_fifo = made.is_ok_and(|status| status.success());
    let mut recall = open(&folder, None);
    let refresh = recall.refresh().unwrap();
    assert_eq!(refresh.files, 1);
    let kinds: Vec<FileProblemKind> = refresh
        .problems
        .iter()
        .map(|problem| problem.kind)
        .collect();
    assert!(kinds.contains(&FileProblemKind::Link));
    assert!(kinds.contains(&FileProblemKind::HardLink));
    assert_eq!(kinds.contains(&FileProblemKind::Special), has_fifo);
    assert!(
        recall
            .rank(&Query::new("okapi", now()).prefilter(50))
            .memories
            .is_empty()
    );
}

#[test]
fn a_missing_folder_is_an_error_with_a_cause() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("memory");
    fs::create_dir(&folder).unwrap();
    let mut recall = open(&folder, None);
    fs::remove_dir(&folder).unwrap();
    let error = recall.query(&Query::new("anything", now())).unwrap_err();
    assert_eq!(error.kind(), memdir_recall::ErrorKind::Folder);
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn real_folders_load_whole() {
    let Some(samples) = test_support::samples(env!("CARGO_MANIFEST_DIR"), "memory-folders") else {
        return;
    };
    let folders = fs::read_dir(samples).unwrap();
    for folder in folders {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let mut recall = open(&folder, None);
        let refresh = recall.refresh().unwrap();
        assert!(refresh.files > 0, "{}", folder.display());
        // Each memory that has a title is found by it.
        let menu = recall.rank(&Query::new("the a of", now()).prefilter(200));
        assert!(menu.memories.is_empty());
    }
}

#[test]
fn an_empty_folder_answers_with_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let answer = open(scratch.path(), None)
        .query(&Query::new("anything at all", now()))
        .unwrap();
    assert!(answer.memories.is_empty());
    write(
        scratch.path(),
        "a.md",
        memory("user", "Zebra", "okapi", "giraffe"),
    );
    let answer = open(scratch.path(), None)
        .query(&Query::new("zebra okapi", now()))
        .unwrap();
    assert_eq!(answer.memories.len(), 1, "one file is a folder too");
}

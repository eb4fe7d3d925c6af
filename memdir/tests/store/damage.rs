//! What a store makes of a history that was cut, changed, lost or written by somebody else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memdir::{ErrorKind, Expect, JournalLimits, ListOptions, PurgeOptions, Store};

use crate::support::{Scratch, person, request};

/// A folder whose journal has several segments.
fn used() -> Scratch {
    let scratch = Scratch::default();
    let mut limits = JournalLimits::default();
    limits.segment_bytes = 4_000;
    let options = scratch.options().with_journal_limits(limits);
    let store = Store::open(&scratch.memory_dir(), options).unwrap();
    for number in 0..8 {
        let name = format!("memory {number}");
        store.save(&request(&name), &person()).unwrap();
        let again = request(&name).with_field("again", "yes");
        let again = again.replacing(&name, Expect::Anything);
        store.save(&again, &person()).unwrap();
    }
    store.rename("memory 1", "renamed", &person()).unwrap();
    store.remove("memory 2", &person()).unwrap();
    scratch
}

fn segments(scratch: &Scratch) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(scratch.state_dir().join("journal")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Whatever the history has become: every memory is as it was, can be read, and can be changed.
fn check(scratch: &Scratch, before: &BTreeMap<String, Vec<u8>>, what: &str) {
    let store = scratch.open();
    assert_eq!(scratch.bytes(), *before, "opening with {what}");
    let listed = store.list(&ListOptions::default()).unwrap();
    assert_eq!(listed.memories.len(), before.len() - 1, "{what}");
    for memory in &listed.memories {
        let path = memory.path.as_str();
        assert_eq!(store.read(path).unwrap().memory.as_bytes(), before[path]);
        // History may be gone; asking for it must not fail in any other way.
        if let Err(error) = store.history(path) {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{what}");
        }
    }
    store.history_of_all().unwrap();
    store.repair().unwrap();
    assert_eq!(scratch.bytes(), *before, "repairing with {what}");

    store.save(&request("new"), &person()).unwrap();
    store.undo(&person()).unwrap();
    assert_eq!(
        scratch.bytes(),
        *before,
        "saving and taking back with {what}"
    );
    // Further back it goes as far as the history is whole, and stops with a reason.
    let stopped = (0..40).find_map(|_| store.undo(&person()).err());
    let kind = stopped.map(|error| error.kind());
    assert!(
        matches!(
            kind,
            Some(ErrorKind::NotFound | ErrorKind::StaleHash | ErrorKind::Refused)
        ),
        "{what}: {kind:?}"
    );
    store
        .purge("memory 4", &PurgeOptions::default(), &person())
        .unwrap();
    let again = request("memory 0").replacing("memory 0", Expect::Anything);
    if store.read("memory 0").is_ok() {
        store.save(&again, &person()).unwrap();
    }
}

/// Damages the journal of a fresh copy in some way and checks what comes of it.
fn damage(what: &str, how: impl FnOnce(&[PathBuf])) {
    let scratch = used();
    let before = scratch.bytes();
    how(&segments(&scratch));
    check(&scratch, &before, what);
}

#[test]
fn a_history_that_was_cut_anywhere_costs_no_memory() {
    for part in 0..6 {
        damage(&format!("a cut at {part} sixths"), |segments| {
            let newest = segments.last().unwrap();
            let bytes = std::fs::read(newest).unwrap();
            std::fs::write(newest, &bytes[..bytes.len() * part / 6]).unwrap();
        });
    }
}

#[test]
fn a_history_with_changed_bytes_costs_no_memory() {
    for step in [97_usize, 331, 1_009] {
        damage(&format!("every {step}th byte changed"), |segments| {
            for segment in segments {
                let mut bytes = std::fs::read(segment).unwrap();
                for at in (step / 2..bytes.len()).step_by(step) {
                    bytes[at] ^= 1 << (at % 8);
                }
                std::fs::write(segment, bytes).unwrap();
            }
        });
    }
    for from_end in [1_usize, 2, 30, 60, 200, 900] {
        damage(
            &format!("a byte changed {from_end} from the end"),
            |segments| {
                let newest = segments.last().unwrap();
                let mut bytes = std::fs::read(newest).unwrap();
                let at = bytes.len().saturating_sub(from_end);
                bytes[at] ^= 0x20;
                std::fs::write(newest, bytes).unwrap();
            },
        );
    }
}

#[test]
fn a_history_of_which_segments_were_lost_or_exchanged_costs_no_memory() {
    damage("no segment", |segments| {
        for segment in segments {
            std::fs::remove_file(segment).unwrap();
        }
    });
    damage("no newest segment", |segments| {
        std::fs::remove_file(segments.last().unwrap()).unwrap();
    });
    damage("no oldest segment", |segments| {
        std::fs::remove_file(&segments[0]).unwrap();
    });
    damage("an empty newest segment", |segments| {
        std::fs::write(segments.last().unwrap(), "").unwrap();
    });
    damage("first and last exchanged", |segments| {
        let (first, last) = (&segments[0], segments.last().unwrap());
        let bytes = std::fs::read(first).unwrap();
        std::fs::copy(last, first).unwrap();
        std::fs::write(last, bytes).unwrap();
    });
    damage("the first one twice", |segments| {
        let bytes = std::fs::read(&segments[0]).unwrap();
        std::fs::write(segments.last().unwrap(), bytes).unwrap();
    });
    damage("noise", |segments| {
        let noise: Vec<u8> = (0..50_000_u32).map(|at| ((at * at) >> 3) as u8).collect();
        std::fs::write(segments.last().unwrap(), noise).unwrap();
    });
    damage("other files beside it", |segments| {
        let folder = segments[0].parent().unwrap();
        for name in [
            "x.jsonl",
            "9999999999-2026-03-05.txt",
            "0000000001-2026-13-05.jsonl",
        ] {
            std::fs::write(folder.join(name), "{}").unwrap();
        }
        std::fs::create_dir(folder.join("9999999999-2026-03-05.jsonl")).unwrap();
    });
}

/// A line of the journal as whoever knows the format can write it.
fn line(json: &str) -> String {
    use std::fmt::Write as _;
    let sum = sha256(json.as_bytes());
    let mut line = String::new();
    for byte in &sum[..8] {
        let _ = write!(line, "{byte:02x}");
    }
    format!("{line} {json}\n")
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    let hash = memdir::ContentHash::of(bytes).to_string();
    let digit = |at: usize| u8::from_str_radix(&hash[at..at + 2], 16).unwrap();
    (0..hash.len()).step_by(2).map(digit).collect()
}

fn append(segments: &[PathBuf], json: &str) {
    let newest = segments.last().unwrap();
    let mut bytes = std::fs::read(newest).unwrap();
    bytes.extend_from_slice(line(json).as_bytes());
    std::fs::write(newest, bytes).unwrap();
}

#[test]
fn records_that_no_store_would_write_do_no_harm() {
    let operation = |sequence: u64, path: &str, after: &str| {
        format!(
            r#"{{"record":"operation","version":1,"sequence":{sequence},"time":"2026-03-05T14:02:11Z","operation":"save","actor":"x","changes":[{{"path":"{path}","before":null,"after":{after}}}]}}"#
        )
    };
    let hash = format!("\"{}\"", "ab".repeat(32));
    for (what, json) in [
        ("a number beyond all", operation(u64::MAX, "a.md", "null")),
        (
            "a path out of the folder",
            operation(90, "../../x.md", &hash),
        ),
        (
            "a path that is absolute",
            operation(90, "/etc/passwd", &hash),
        ),
        ("a content that is nowhere", operation(90, "n.md", &hash)),
        (
            "no content for the index",
            operation(90, "MEMORY.md", &hash),
        ),
        (
            "a note about nothing",
            r#"{"record":"done","sequence":12345}"#.to_owned(),
        ),
        (
            "a note of another kind",
            r#"{"record":"other","sequence":1}"#.to_owned(),
        ),
        ("another kind of value", "[1, 2]".to_owned()),
    ] {
        damage(what, |segments| append(segments, &json));
    }
}

#[test]
fn a_history_of_a_newer_version_is_read_past_and_not_written() {
    let scratch = used();
    let before = scratch.bytes();
    let newer = r#"{"record":"operation","version":2,"sequence":90,"what":"unknown"}"#;
    append(&segments(&scratch), newer);
    let history = std::fs::read(segments(&scratch).last().unwrap()).unwrap();
    let store = scratch.open();
    let reason = store.open_report().unfinished.clone().unwrap();
    assert!(reason.contains("newer version"), "{reason}");
    assert_eq!(
        store.list(&ListOptions::default()).unwrap().memories.len(),
        before.len() - 1
    );
    let refused = store.save(&request("new"), &person()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Corrupt);
    assert_eq!(scratch.bytes(), before);
    assert_eq!(
        std::fs::read(segments(&scratch).last().unwrap()).unwrap(),
        history
    );
}

/// Puts something in the place of a file.
type Obstacle = fn(&Path);

#[test]
fn an_operation_that_cannot_be_finished_keeps_nobody_from_reading() {
    let pending = |path: &str| {
        format!(
            r#"{{"record":"operation","version":1,"sequence":90,"time":"2026-03-05T14:02:11Z","operation":"save","actor":"x","changes":[{{"path":"{path}","before":null,"after":null}},{{"path":"gone.md","before":"{}","after":null}}]}}"#,
            "ab".repeat(32)
        )
    };
    // What stands in the place of a file that a dead process was about to write.
    let obstacles: [(&str, Obstacle); 3] = [
        ("a folder", |path| std::fs::create_dir(path).unwrap()),
        ("a file over every limit", |path| {
            let file = std::fs::File::create(path).unwrap();
            file.set_len(100 << 20).unwrap();
        }),
        #[cfg(unix)]
        ("a link", |path| {
            std::os::unix::fs::symlink("/etc/hostname", path).unwrap();
        }),
        #[cfg(not(unix))]
        ("nothing", |_| {}),
    ];
    for (what, make) in obstacles {
        let scratch = used();
        append(&segments(&scratch), &pending("in_the_way.md"));
        make(&scratch.memory_dir().join("in_the_way.md"));
        let store = scratch.open();
        assert_eq!(store.open_report().finished_operation, Some(90), "{what}");
        assert_eq!(store.open_report().unfinished, None, "{what}");
        store.save(&request("new"), &person()).unwrap();
        store.undo(&person()).unwrap();
        assert_eq!(store.read("memory 3").unwrap().memory.name(), "memory 3");
    }
}

#[test]
fn a_clock_that_goes_backwards_changes_the_order_of_nothing_but_dates() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("first"), &person()).unwrap();
    let one = scratch.bytes();
    scratch.clock.advance_days(-800);
    store.save(&request("second"), &person()).unwrap();
    let two = scratch.bytes();
    store.log("an entry of long ago", &person()).unwrap();
    scratch.clock.advance_days(400);
    let again = request("first").replacing("first", Expect::Anything);
    store
        .save(&again.with_field("again", "yes"), &person())
        .unwrap();

    let numbers: Vec<u64> = store
        .history_of_all()
        .unwrap()
        .revisions
        .iter()
        .map(|revision| revision.sequence)
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a >= b), "{numbers:?}");
    let without_logs = |mut files: BTreeMap<String, Vec<u8>>| {
        files.retain(|path, _| !path.starts_with("logs/"));
        files
    };
    store.undo(&person()).unwrap();
    assert_eq!(without_logs(scratch.bytes()), two);
    scratch.clock.advance_days(-100);
    store.undo(&person()).unwrap();
    assert_eq!(without_logs(scratch.bytes()), one);
    assert_eq!(scratch.open().open_report().unfinished, None);
}

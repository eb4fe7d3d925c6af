//! Purging: nothing of the memory is left anywhere.

use memdir::{
    ErrorKind, Expect, MemoryType, Origin, PurgeOptions, SaveRequest, Store, Watch, Writer,
};
use pathguard::PathKey;

use crate::support::{Scratch, folder_bytes, person, request};

const MARK: &str = "xyzzy-plugh";

/// A memory that carries the mark in title, description and body.
fn marked(title: &str) -> SaveRequest {
    let name = format!("{title} {MARK}");
    let text = format!("holds {MARK}");
    SaveRequest::new(MemoryType::Reference, &name, &text, &text)
}

/// The files below the scratch folder that hold the mark in their name or bytes.
fn holding(scratch: &Scratch) -> Vec<String> {
    folder_bytes(scratch.folder.path())
        .into_iter()
        .filter(|(path, bytes)| {
            let text = String::from_utf8_lossy(bytes);
            let slug = MARK.replace('-', "_");
            [MARK, &slug]
                .iter()
                .any(|mark| path.contains(*mark) || text.contains(*mark))
        })
        .map(|(path, _)| path)
        .collect()
}

/// A store with the marked memory in every place that could keep it.
fn spread(scratch: &Scratch) -> Store {
    let store = scratch.open();
    let me = person();
    store.save(&request("before"), &me).unwrap();
    let saved = store.save(&marked("first"), &me).unwrap();
    store.save(&request("between"), &me).unwrap();
    let hash = Expect::Hash(saved.hash);
    let changed = SaveRequest::new(MemoryType::Reference, MARK, "other", "other words");
    store
        .save(&changed.replacing(saved.path.as_str(), hash), &me)
        .unwrap();
    store.snapshot("with it").unwrap();
    store.watch("edit", &Watch::Everything).unwrap();
    let renamed = store.rename(saved.path.as_str(), "harmless", &me).unwrap();
    let candidate = SaveRequest::new(MemoryType::Reference, "harmless", MARK, MARK)
        .replacing(renamed.to.as_str(), Expect::Anything);
    store.propose(&candidate, &me).unwrap();
    store.save(&request("after"), &me).unwrap();
    store
}

#[test]
fn a_purge_leaves_nothing_of_the_memory_in_any_file() {
    let scratch = Scratch::default();
    let store = spread(&scratch);
    assert!(holding(&scratch).len() >= 3, "{:?}", holding(&scratch));

    let report = store
        .purge("harmless", &PurgeOptions::default(), &person())
        .unwrap();
    assert_eq!(holding(&scratch), Vec::<String>::new());
    let slug = MARK.replace('-', "_");
    assert_eq!(
        report.paths,
        [
            format!("reference_first_{slug}.md"),
            "reference_harmless.md".to_owned()
        ]
    );
    assert!(report.operations >= 3);
    assert!(report.bytes_freed > 0);
    let index = scratch.read("MEMORY.md");
    assert!(!index.contains("harmless"), "{index}");
    assert_eq!(index.lines().count(), 3);
}

#[test]
fn the_other_memories_keep_their_history() {
    let scratch = Scratch::default();
    let store = spread(&scratch);
    store
        .purge("harmless", &PurgeOptions::default(), &person())
        .unwrap();
    drop(store);

    let store = scratch.open();
    assert_eq!(store.open_report().finished_operation, None);
    for name in ["before", "between", "after"] {
        assert_eq!(store.history(name).unwrap().revisions.len(), 1, "{name}");
    }
    assert_eq!(
        store.history("harmless").unwrap_err().kind(),
        ErrorKind::NotFound
    );
    // The purge itself cannot be taken back, and what comes after it can.
    assert_eq!(
        store.undo(&person()).unwrap_err().kind(),
        ErrorKind::Refused
    );
    let before = scratch.bytes();
    store.remove("between", &person()).unwrap();
    store.undo(&person()).unwrap();
    assert_eq!(scratch.bytes(), before);
    let snapshot = store.snapshots().unwrap().remove(0);
    store.rollback(&snapshot.id, &person()).unwrap();
    assert_eq!(holding(&scratch), Vec::<String>::new());
}

#[test]
fn a_removed_memory_can_still_be_purged() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let saved = store.save(&marked("only"), &person()).unwrap();
    store.remove(saved.path.as_str(), &person()).unwrap();
    assert!(!holding(&scratch).is_empty());
    store
        .purge(saved.path.as_str(), &PurgeOptions::default(), &person())
        .unwrap();
    assert_eq!(holding(&scratch), Vec::<String>::new());
}

#[test]
fn the_file_may_stay_when_only_its_history_is_to_go() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store
        .save(
            &SaveRequest::new(MemoryType::Reference, "a", "a", MARK),
            &person(),
        )
        .unwrap();
    let clean =
        SaveRequest::new(MemoryType::Reference, "a", "a", "clean").replacing("a", Expect::Anything);
    store.save(&clean, &person()).unwrap();
    let before = scratch.bytes();
    let options = PurgeOptions::default().keeping_file();
    store.purge("a", &options, &person()).unwrap();
    assert_eq!(scratch.bytes(), before);
    assert_eq!(holding(&scratch), Vec::<String>::new());
}

#[test]
fn a_background_agent_may_not_purge() {
    let scratch = Scratch::default();
    let store = scratch.open();
    store.save(&request("a"), &person()).unwrap();
    let origin = Origin::new(Writer::Background, "extract");
    let error = store
        .purge("a", &PurgeOptions::default(), &origin)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(
        store
            .read_path(&PathKey::parse("feedback_a.md").unwrap())
            .is_ok()
    );
}

#[test]
fn a_purge_reaches_segments_that_were_closed_long_ago() {
    let scratch = Scratch::default();
    let mut limits = memdir::JournalLimits::default();
    limits.segment_bytes = 2_000;
    let options = scratch.options().with_journal_limits(limits);
    let store = Store::open(&scratch.memory_dir(), options).unwrap();
    store.save(&marked("old"), &person()).unwrap();
    for number in 0..20 {
        store
            .save(&request(&format!("m{number}")), &person())
            .unwrap();
    }
    let segments = std::fs::read_dir(scratch.state_dir().join("journal")).unwrap();
    assert!(segments.count() > 3);
    let slug = format!("reference_old_{}.md", MARK.replace('-', "_"));
    store
        .purge(&slug, &PurgeOptions::default(), &person())
        .unwrap();
    assert_eq!(holding(&scratch), Vec::<String>::new());
    assert_eq!(store.history("m0").unwrap().revisions.len(), 1);
}

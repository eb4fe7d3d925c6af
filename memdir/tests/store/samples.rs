//! Real memory folders: saving into a copy leaves every other byte as it was.

use std::path::{Path, PathBuf};

use memdir::{ListOptions, Store};

use crate::support::{Scratch, folder_bytes, person, request};

fn sample_folders() -> Vec<PathBuf> {
    let Some(samples) = test_support::samples(env!("CARGO_MANIFEST_DIR"), "memory-folders") else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(samples).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    assert!(!folders.is_empty());
    folders.sort();
    folders
}

/// A store on a copy of the folder.
fn copy(folder: &Path) -> (Scratch, Store) {
    let scratch = Scratch::default();
    for (path, bytes) in folder_bytes(folder) {
        scratch.write(&path, bytes);
    }
    let store = scratch.open();
    (scratch, store)
}

#[test]
fn a_save_leaves_every_other_byte_of_a_real_folder_as_it_was() {
    for folder in sample_folders() {
        let (scratch, store) = copy(&folder);
        let before = scratch.bytes();
        let saved = store.save(&request("A new memory"), &person()).unwrap();
        let mut after = scratch.bytes();

        assert!(after.remove(saved.path.as_str()).is_some());
        // The index has one more line, and without it is what it was.
        let index = after.remove("MEMORY.md").unwrap();
        let text = String::from_utf8(index).unwrap();
        let link = format!("]({})", saved.path.as_str());
        let without: String = text
            .split_inclusive('\n')
            .filter(|line| !line.contains(&link))
            .collect();
        assert_eq!(
            text.lines().count(),
            without.lines().count() + 1,
            "{folder:?}"
        );
        let mut expected = before.clone();
        let old = String::from_utf8(expected.remove("MEMORY.md").unwrap()).unwrap();
        assert_eq!(without.trim_end(), old.trim_end(), "{folder:?}");
        assert_eq!(after, expected, "{folder:?}");

        store.undo(&person()).unwrap();
        assert_eq!(scratch.bytes(), before, "{folder:?}");
    }
}

#[test]
fn every_file_of_a_real_folder_is_listed_and_read() {
    for folder in sample_folders() {
        let (scratch, store) = copy(&folder);
        let list = store.list(&ListOptions::default()).unwrap();
        assert!(!list.cut);
        assert_eq!(list.problems, Vec::<String>::new(), "{folder:?}");
        let expected = scratch
            .bytes()
            .into_keys()
            .filter(|path| {
                path.strip_suffix(".md")
                    .is_some_and(|stem| !stem.ends_with("MEMORY"))
            })
            .filter(|path| !path.starts_with('.'))
            .count();
        assert_eq!(list.memories.len(), expected, "{folder:?}");
        for memory in &list.memories {
            let read = store.read_path(&memory.path).unwrap();
            assert_eq!(read.memory.name(), memory.header.name);
            assert_eq!(read.memory.print(), scratch.bytes()[memory.path.as_str()]);
        }
    }
}

#[test]
fn removing_and_bringing_back_any_memory_of_a_real_folder_restores_every_byte() {
    for folder in sample_folders() {
        let (scratch, store) = copy(&folder);
        let before = scratch.bytes();
        for memory in store.list(&ListOptions::default()).unwrap().memories {
            store.remove_path(&memory.path, None, &person()).unwrap();
            assert!(!scratch.bytes().contains_key(memory.path.as_str()));
            store.undo(&person()).unwrap();
            assert_eq!(scratch.bytes(), before, "{:?}", memory.path);
        }
    }
}

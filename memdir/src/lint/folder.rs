//! Findings about the folder as a whole: names, sizes, and the files that are no memories.

use std::collections::BTreeMap;

use pathguard::fold_key;

use super::{Code, Findings, Snapshot, is_markdown, is_memory, prose};
use crate::index::INDEX_FILE;

pub(super) fn check(snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let input = snapshot.input;
    for file in input.files.iter().filter(|file| !is_memory(file.path)) {
        prose::text(file, input, findings);
    }
    let limit = input.max_memory_bytes;
    for file in input
        .files
        .iter()
        .filter(|file| file.size > limit && is_markdown(file.path))
    {
        let message = format!("the file has {} bytes, more than {limit}", file.size);
        findings.add(Code::TooLarge, file.path, 1, message);
    }
    collisions(snapshot, findings);
}

fn collisions(snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let index = snapshot.input.index.iter();
    for file in snapshot.input.files.iter().chain(index) {
        names
            .entry(fold_key(file.path))
            .or_default()
            .push(file.path);
    }
    for (_, mut paths) in names {
        paths.sort_unstable();
        let Some((first, others)) = paths.split_first() else {
            continue;
        };
        for path in others {
            let message = format!("on some file systems this is the same name as {first}");
            findings.add(Code::NameCollision, path, 1, message);
        }
    }
    for file in &snapshot.input.files {
        if file.path.eq_ignore_ascii_case(INDEX_FILE) && snapshot.index.is_none() {
            findings.add(
                Code::IndexName,
                file.path,
                1,
                format!("the index has to be called {INDEX_FILE}"),
            );
        }
    }
}

//! Makes an index true to the files of its folder, and keeps what people wrote into it.

use std::collections::HashSet;

use super::edit::{Change, Changes, type_of};
use super::{EntryForm, Index};
use pathguard::fold_key;

use crate::conflict_name::ConflictName;
use crate::memory_type::MemoryType;

/// What a rebuild knows of one memory file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexItem {
    /// Its path relative to the folder of the index.
    pub file: String,
    /// The title for a new line; the file name without `.md` when empty.
    pub title: String,
    /// What a new line says about it.
    pub hook: String,
    /// Its type, which decides the order of new lines; when unknown, the file name decides.
    pub memory_type: Option<MemoryType>,
}

impl IndexItem {
    /// All four facts.
    pub fn new(file: &str, title: &str, hook: &str, memory_type: Option<MemoryType>) -> Self {
        Self {
            file: file.to_owned(),
            title: title.to_owned(),
            hook: hook.to_owned(),
            memory_type,
        }
    }
}

impl Index {
    /// Makes the index true to these files, which must be all of the folder.
    ///
    /// Lines of files that are gone are removed, as are further lines of the same file; files
    /// without a line get one, and a conflict copy ([`ConflictName`]) counts as gone. Everything else stays: order, headings, hand-written titles and
    /// hooks, prose, links that lead elsewhere. New lines come in the order of
    /// [`MemoryType::ALL`], other types last, then by file name, so that the same files and the
    /// same old index always give the same new one, and rebuilding twice changes nothing.
    pub fn rebuild(&mut self, items: &[IndexItem]) {
        let names: HashSet<String> = items
            .iter()
            .filter(|item| !item.is_conflict_copy())
            .map(|item| fold_key(&item.file))
            .collect();
        self.remove_where(|entry| {
            // A name in backticks may mean a file of the project, a wiki link a title.
            let is_link = matches!(entry.form, EntryForm::Link | EntryForm::TableRow);
            is_link && entry.file.is_some() && !names.contains(&entry.folded)
        });
        self.drop_duplicates();
        self.add_missing(items);
    }

    /// Adds lines for the files that have none, in the order that [`rebuild`](Self::rebuild)
    /// promises.
    pub(crate) fn add_missing(&mut self, items: &[IndexItem]) {
        let listed = self.targets();
        let mut items: Vec<&IndexItem> = items
            .iter()
            .filter(|item| !item.is_conflict_copy() && !listed.contains(&item.file))
            .collect();
        items.sort_by_cached_key(|item| order(item));
        items.dedup_by(|left, right| fold_key(&left.file) == fold_key(&right.file));
        for group in items.chunk_by(|left, right| type_of(&left.file) == type_of(&right.file)) {
            let lines: Vec<_> = group
                .iter()
                .map(|item| (item.file.as_str(), item.title(), item.hook.as_str()))
                .collect();
            self.add_group(&lines);
        }
    }

    fn drop_duplicates(&mut self) {
        let mut seen = HashSet::new();
        let mut changes = Changes::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let droppable =
                self.is_alone(at) && entry.form == EntryForm::Link && entry.file.is_some();
            if entry.form != EntryForm::Mention
                && !entry.has_anchor
                && !seen.insert(entry.folded.as_str())
                && droppable
            {
                changes.insert(entry.line, Change::Remove);
            }
        }
        self.apply(&changes);
    }
}

impl IndexItem {
    /// A disputed text is not taken for knowledge.
    fn is_conflict_copy(&self) -> bool {
        ConflictName::parse(&self.file).is_some()
    }

    fn title(&self) -> &str {
        let stem = self.file.strip_suffix(".md").unwrap_or(&self.file);
        if self.title.trim().is_empty() {
            stem
        } else {
            &self.title
        }
    }
}

fn order(item: &IndexItem) -> (usize, String, String) {
    let kind = item.memory_type.or_else(|| type_of(&item.file));
    let place = kind.and_then(|kind| MemoryType::ALL.iter().position(|other| *other == kind));
    (
        place.unwrap_or(MemoryType::ALL.len()),
        fold_key(&item.file),
        item.file.clone(),
    )
}

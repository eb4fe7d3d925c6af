//! What was written by whom, what was acknowledged, and what may be gone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

/// What is known about one line. Every line that is written is written once.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// It was written, not only thought of.
    written: bool,
    /// A run of a client that began with it in the folder has said that all is in step.
    acknowledged: bool,
    /// An editor has deleted or replaced it, knowing it.
    removed: bool,
}

/// The lines of all editors.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    lines: Mutex<BTreeMap<String, Line>>,
}

/// How the lines ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    pub(crate) written: usize,
    pub(crate) acknowledged: usize,
    pub(crate) removed: usize,
    /// Acknowledged, not removed by an editor, and in no file.
    pub(crate) lost: Vec<String>,
    /// The same without the acknowledgement: the moment between a client's look and its rename.
    pub(crate) lost_before_sync: usize,
    /// Lines that stand twice in one file.
    pub(crate) doubled: usize,
}

impl Ledger {
    fn update(&self, line: &str, change: impl FnOnce(&mut Line)) {
        let mut lines = self.lines.lock().expect("no panic inside");
        change(lines.entry(line.to_owned()).or_default());
    }

    /// A line that will be written; from now on it is not a foreign one.
    pub(crate) fn announce(&self, line: &str) {
        self.update(line, |_| {});
    }

    pub(crate) fn written(&self, line: &str) {
        self.update(line, |known| known.written = true);
    }

    pub(crate) fn removed(&self, text: &str) {
        self.mark(text.lines(), |line| line.removed = true);
    }

    pub(crate) fn acknowledged<'a>(&self, lines: impl Iterator<Item = &'a str>) {
        self.mark(lines, |line| line.acknowledged = true);
    }

    fn mark<'a>(&self, texts: impl Iterator<Item = &'a str>, mark: impl Fn(&mut Line)) {
        let mut lines = self.lines.lock().expect("no panic inside");
        for text in texts {
            if let Some(line) = lines.get_mut(text) {
                mark(line);
            }
        }
    }

    /// A line of no editor: a piece of one, or two run together.
    pub(crate) fn is_foreign(&self, line: &str) -> bool {
        !self
            .lines
            .lock()
            .expect("no panic inside")
            .contains_key(line)
    }

    /// Weighs the lines against the files at the end.
    pub(crate) fn balance(&self, files: &BTreeMap<String, String>) -> Balance {
        let mut balance = Balance::default();
        let mut there = BTreeSet::new();
        for text in files.values() {
            let mut here = BTreeSet::new();
            for line in text.lines() {
                there.insert(line);
                balance.doubled += usize::from(is_unique(line) && !here.insert(line));
            }
        }
        let lines = self.lines.lock().expect("no panic inside");
        for (text, line) in lines.iter().filter(|(text, _)| is_unique(text)) {
            balance.written += usize::from(line.written);
            balance.acknowledged += usize::from(line.acknowledged);
            balance.removed += usize::from(line.removed);
            let gone = !line.removed && !there.contains(text.as_str());
            if gone && line.acknowledged {
                balance.lost.push(text.clone());
            }
            balance.lost_before_sync += usize::from(gone && line.written && !line.acknowledged);
        }
        balance
    }
}

/// Whether a line carries the number of an edit.
fn is_unique(line: &str) -> bool {
    line.contains("edit-")
}

/// The memories of a folder by key; hidden files are none.
pub(crate) fn memories(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    collect(folder, "", &mut |key, path| {
        if is_markdown(&key) && !key.split('/').any(|part| part.starts_with('.')) {
            // Gone in between is gone.
            if let Ok(bytes) = std::fs::read(path) {
                files.insert(key, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    });
    files
}

/// Keys end so, in these letters.
pub(crate) fn is_markdown(key: &str) -> bool {
    Path::new(key)
        .extension()
        .is_some_and(|ending| ending == "md")
}

/// The keys of all files of a folder, whatever they are.
pub(crate) fn all_files(folder: &Path) -> Vec<String> {
    let mut keys = Vec::new();
    collect(folder, "", &mut |key, _| keys.push(key));
    keys
}

fn collect(folder: &Path, above: &str, take: &mut dyn FnMut(String, &Path)) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let key = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), &format!("{key}/"), take);
        } else {
            take(key, &entry.path());
        }
    }
}

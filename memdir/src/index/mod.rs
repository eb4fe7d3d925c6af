//! The index of a memory folder, MEMORY.md: one line per memory, always in the prompt.

mod budget;
mod edit;
mod entry;
mod load;
mod rebuild;
mod targets;

pub use budget::{Budget, BudgetState, CompactionPlan, CompactionStep, StepAction, Usage};
pub use entry::{Entry, EntryForm};
pub use load::{IndexLimits, LoadedIndex};
pub use rebuild::IndexItem;

pub(crate) use edit::type_of;
pub(crate) use entry::{Target, resolve_path};
pub(crate) use targets::Targets;

use pathguard::fold_key;

use crate::markdown::{self, LineKind, MarkdownLine};

/// The name of the index file in a memory folder.
pub const INDEX_FILE: &str = "MEMORY.md";

/// An index file.
///
/// Like a [`Memory`](crate::Memory), an index *is* the bytes of its file: reading never fails,
/// printing an index that was not edited gives the same bytes back, and an edit rewrites the line
/// it is about. Lines that are no entries (headings, prose, tables, comments) stay exactly where
/// they are.
///
/// ```
/// use memdir::Index;
///
/// let mut index = Index::parse("# Memory\n\n* [Tests](feedback_tests.md): run them all\n".as_bytes());
/// let entry = &index.entries()[0];
/// assert_eq!((entry.title(), entry.file(), entry.hook()), ("Tests", Some("feedback_tests.md"), "run them all"));
///
/// index.add("user_role.md", "Role", "backend developer");
/// assert_eq!(
///     index.print(),
///     "# Memory\n\n* [Tests](feedback_tests.md): run them all\n* [Role](user_role.md) — backend developer\n".as_bytes(),
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    bytes: Vec<u8>,
    lines: Vec<MarkdownLine>,
    entries: Vec<Entry>,
}

impl Index {
    /// Reads an index. Never fails and takes linear time.
    ///
    /// Understood are the bullets `-`, `*`, `+` and numbers, bold links, table rows, wiki links,
    /// file names in backticks, targets in angle brackets or with percent escapes, and the
    /// separators em dash, en dash, hyphen, double hyphen and colon (also full width) between
    /// title and hook.
    pub fn parse(bytes: &[u8]) -> Self {
        let lines = markdown::lines(bytes);
        let entries = lines
            .iter()
            .filter(|line| line.kind == LineKind::Text)
            .flat_map(|line| {
                let text = String::from_utf8_lossy(&bytes[line.visible.clone()]);
                entry::read(&text, line.number)
            })
            .collect();
        Self {
            bytes: bytes.to_vec(),
            lines,
            entries,
        }
    }

    /// The bytes of the file.
    pub fn print(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// The bytes of the file, without a copy.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Everything in it that points to a file, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The first entry that points to `file`, a path relative to the folder of the index.
    ///
    /// Names are compared without regard to case and Unicode normal form. A wiki link points to
    /// the file of that stem; `-`, `_` and blanks in it are the same.
    pub fn find(&self, file: &str) -> Option<&Entry> {
        self.find_all(file).next()
    }

    /// All entries that point to `file`; the same rules as [`find`](Self::find).
    pub fn find_all<'a>(&'a self, file: &str) -> impl Iterator<Item = &'a Entry> + use<'a> {
        let wanted = fold_key(file);
        self.entries
            .iter()
            .filter(move |entry| entry.points_to(&wanted))
    }

    /// Whether an entry is on this line.
    fn has_entry_on(&self, line: usize) -> bool {
        let found = self.entries.binary_search_by_key(&line, |entry| entry.line);
        found.is_ok()
    }

    /// Whether the line is visible text (and not front matter, comment or code).
    fn is_text(&self, line: usize) -> bool {
        self.lines
            .get(line - 1)
            .is_some_and(|line| line.kind == LineKind::Text)
    }

    /// The visible text of a line, counted from 1.
    pub(crate) fn text_of(&self, line: usize) -> String {
        match self.lines.get(line - 1) {
            Some(line) => String::from_utf8_lossy(&self.bytes[line.visible.clone()]).into_owned(),
            None => String::new(),
        }
    }
}

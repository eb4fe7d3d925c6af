//! Checks a snapshot of a memory folder and says what a person would want to know about it.
//!
//! [`check`] and [`fix`] are pure: they get the files of a folder as bytes and give back findings,
//! or new bytes. Reading and writing the folder, under its lock and with a journal entry, is the
//! store's business.
//!
//! ```
//! use memdir::Date;
//! use memdir::lint::{Code, Input, SourceFile, check, fix};
//!
//! let today = Date::new(2026, 3, 2).expect("because the day exists");
//! let file = b"---\nname: Freeze\ndescription: when: now\ntype: user\n---\n\nThe freeze begins Thursday.\n";
//! let input = Input::new(vec![SourceFile::new("user_freeze.md", file).with_date(today)], today);
//!
//! let report = check(&input);
//! let codes: Vec<Code> = report.findings.iter().map(|finding| finding.code).collect();
//! assert_eq!(codes, [Code::IndexMissing, Code::UnquotedValue, Code::RelativeDate]);
//!
//! let fixed = fix(&input, &report.findings);
//! let memory = fixed.files.iter().find(|file| file.path == "user_freeze.md").expect("a fix");
//! assert_eq!(
//!     String::from_utf8_lossy(&memory.bytes),
//!     "---\nname: Freeze\ndescription: \"when: now\"\ntype: user\n---\n\nThe freeze begins 2026-03-05.\n",
//! );
//! ```

mod code;
mod derivable;
mod duplicate;
mod fix;
mod folder;
mod header;
mod index;
mod injection;
mod instruction;
mod link;
mod prose;
mod unicode;

use std::collections::{HashMap, HashSet};
use std::fmt;

use pathguard::fold_key;
use secret_scan::Scanner;

pub use code::{Code, Severity};
pub use duplicate::{NearDuplicate, near_duplicates};
pub use fix::{FixedFile, Fixes, fix};

use crate::conflict_name::ConflictName;
use crate::index::{INDEX_FILE, Index, IndexLimits};
use crate::limits::{FINDINGS_MAX, MEMORY_MAX_BYTES, TEAM_MEMORY_MAX_BYTES};
use crate::memory::Memory;
use crate::timestamp::Date;

/// A snapshot of a memory folder.
#[derive(Clone)]
#[non_exhaustive]
pub struct Input<'a> {
    /// Its files. Those that are no Markdown count as targets of links and are searched for
    /// secrets; they may be given without bytes.
    pub files: Vec<SourceFile<'a>>,
    /// The index, `MEMORY.md`; `None` when there is none.
    pub index: Option<SourceFile<'a>>,
    /// The instruction files of the project, such as `CLAUDE.md` and `AGENTS.md`: what they say
    /// need not be remembered.
    pub instructions: Vec<SourceFile<'a>>,
    /// The current date.
    pub today: Date,
    /// Whether the folder is shared with a team: then secrets are errors, and text that gives
    /// orders to a model is looked for.
    pub is_shared: bool,
    /// The limits of the index.
    pub limits: IndexLimits,
    /// A memory over this size, in bytes, is reported. Of larger files only a first part need be
    /// given.
    pub max_memory_bytes: u64,
    /// Finds secrets.
    pub scanner: Scanner,
}

impl<'a> Input<'a> {
    /// A private folder with these files, and an index when one of them is `MEMORY.md`.
    pub fn new(files: Vec<SourceFile<'a>>, today: Date) -> Self {
        let (mut index, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| file.path == INDEX_FILE);
        Self {
            files,
            index: index.pop(),
            instructions: Vec::new(),
            today,
            is_shared: false,
            limits: IndexLimits::default(),
            max_memory_bytes: MEMORY_MAX_BYTES,
            scanner: Scanner::standard().clone(),
        }
    }

    /// The same folder as one that is shared with a team.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self.max_memory_bytes = TEAM_MEMORY_MAX_BYTES;
        self
    }

    /// Adds the instruction files of the project.
    #[must_use]
    pub fn with_instructions(mut self, instructions: Vec<SourceFile<'a>>) -> Self {
        self.instructions = instructions;
        self
    }
}

impl fmt::Debug for Input<'_> {
    /// Names and sizes; no contents.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Input")
            .field("files", &self.files)
            .field("index", &self.index)
            .field("instructions", &self.instructions)
            .field("today", &self.today)
            .field("is_shared", &self.is_shared)
            .field("limits", &self.limits)
            .field("max_memory_bytes", &self.max_memory_bytes)
            .finish_non_exhaustive()
    }
}

/// One file of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceFile<'a> {
    /// Its path relative to the folder, with `/`.
    pub path: &'a str,
    /// Its bytes, or the first part of them.
    pub bytes: &'a [u8],
    /// Its whole size in bytes.
    pub size: u64,
    /// When it was last changed; what the file says itself goes first.
    pub date: Option<Date>,
}

impl<'a> SourceFile<'a> {
    /// A whole file.
    pub fn new(path: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            path,
            bytes,
            size: bytes.len() as u64,
            date: None,
        }
    }

    /// With the date of its last change.
    #[must_use]
    pub fn with_date(mut self, date: Date) -> Self {
        self.date = Some(date);
        self
    }

    /// With its whole size, when the bytes are only the first part.
    #[must_use]
    pub fn with_size(mut self, size: u64) -> Self {
        self.size = size;
        self
    }

    fn is_whole(&self) -> bool {
        self.size <= self.bytes.len() as u64
    }
}

impl fmt::Debug for SourceFile<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({} bytes)", self.path, self.size)
    }
}

/// Something about a folder that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// The file it is in, relative to the folder.
    pub path: String,
    /// The line it is on, counted from 1.
    pub line: usize,
    /// One sentence for a person, lower case, without full stop. It names keys, files and rules,
    /// and holds no secret.
    pub message: String,
    /// Whether [`fix`] can mend it.
    pub is_fixable: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            severity,
            path,
            line,
            message,
            ..
        } = self;
        write!(out, "{path}:{line}: {severity}: {message} [{code}]")
    }
}

/// What [`check`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// By path, line and code; at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// Whether there were more.
    pub is_cut: bool,
}

/// Checks a folder. Takes time about linear in its size.
///
/// Memories are the `.md` files that are not hidden, not the index, no README, no conflict copy and not
/// below `team/` or `logs/`, which are folders of their own. A file in a sub-folder without front matter
/// is taken for a note of another kind and only mentioned.
pub fn check(input: &Input<'_>) -> Report {
    let snapshot = Snapshot::new(input);
    let mut findings = Findings::default();
    for file in &snapshot.memories {
        header::check(file, &mut findings);
        prose::check(file, input, &mut findings);
        derivable::check(file, &mut findings);
        link::check(file, &snapshot, &mut findings);
    }
    folder::check(&snapshot, &mut findings);
    index::check(&snapshot, &mut findings);
    duplicate::check(&snapshot.memories, &mut findings);
    instruction::check(&snapshot, &mut findings);
    let mut list = findings.list;
    list.sort_by(|left, right| key(left).cmp(&key(right)));
    list.dedup();
    let is_cut = list.len() > FINDINGS_MAX;
    list.truncate(FINDINGS_MAX);
    Report {
        findings: list,
        is_cut,
    }
}

fn key(finding: &Finding) -> (&str, usize, Code, &str) {
    (&finding.path, finding.line, finding.code, &finding.message)
}

/// The folder with its memories and index parsed.
struct Snapshot<'a> {
    input: &'a Input<'a>,
    memories: Vec<MemoryFile<'a>>,
    index: Option<Index>,
    /// The paths of all files, folded.
    folded: HashSet<String>,
    /// The paths of all folders that hold one of them, folded.
    folders: HashSet<String>,
    /// Which memory has that folded path.
    by_path: HashMap<String, usize>,
    /// Every name a memory or file may be linked by.
    names: HashSet<String>,
    /// Which memory a name means; file names go before titles.
    by_name: HashMap<String, usize>,
}

struct MemoryFile<'a> {
    file: SourceFile<'a>,
    memory: Memory,
}

impl<'a> Snapshot<'a> {
    fn new(input: &'a Input<'a>) -> Self {
        let mut memories: Vec<MemoryFile<'_>> = input
            .files
            .iter()
            .filter(|file| is_memory(file.path))
            .map(|file| MemoryFile {
                file: *file,
                memory: Memory::parse_prefix(file.bytes, file.size),
            })
            .collect();
        // The order of the input must not decide which of two duplicates is reported.
        memories.sort_by_key(|file| file.file.path);
        let numbered = || memories.iter().enumerate();
        let titles = numbered().map(|(at, file)| (link::even(file.memory.name()), at));
        let stems = numbered().map(|(at, file)| (link::even(file.stem()), at));
        let folded: HashSet<String> = input
            .files
            .iter()
            .chain(&input.index)
            .map(|file| fold_key(file.path))
            .collect();
        let folders = folded
            .iter()
            .flat_map(|path| path.match_indices('/').map(|(at, _)| path[..at].to_owned()))
            .collect();
        Self {
            input,
            index: input.index.map(|file| Index::parse(file.bytes)),
            folded,
            folders,
            by_path: numbered()
                .map(|(at, file)| (fold_key(file.file.path), at))
                .collect(),
            names: link::names(&memories, input.files.iter().map(|file| file.path)),
            by_name: titles.chain(stems).collect(),
            memories,
        }
    }
}

impl MemoryFile<'_> {
    fn is_nested(&self) -> bool {
        self.file.path.contains('/')
    }

    /// A file in a sub-folder that does not even try to be a memory.
    fn is_note(&self) -> bool {
        self.is_nested() && !self.memory.has_front_matter()
    }

    /// The day relative dates in it are counted from.
    fn date(&self) -> Option<Date> {
        self.memory
            .modified()
            .map(|time| time.date(0))
            .or(self.file.date)
    }

    /// Whether its bytes may be replaced: all of them are there, and all are text.
    fn is_editable(&self) -> bool {
        self.file.is_whole() && std::str::from_utf8(self.file.bytes).is_ok()
    }

    /// The file name without folder and `.md`.
    fn stem(&self) -> &str {
        stem(self.file.path)
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.get(..name.len().saturating_sub(3))
        .filter(|_| is_markdown(name))
        .unwrap_or(name)
}

fn is_markdown(path: &str) -> bool {
    path.len() > 3 && path.as_bytes()[path.len() - 3..].eq_ignore_ascii_case(b".md")
}

/// Whether a path names a memory of this folder.
fn is_memory(path: &str) -> bool {
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let stem = stem(path);
    let other = path.starts_with("team/") || path.starts_with("logs/");
    is_markdown(path)
        && !hidden
        && !other
        && !stem.eq_ignore_ascii_case("readme")
        && !path.eq_ignore_ascii_case(INDEX_FILE)
        && ConflictName::parse(path).is_none()
}

/// Collects findings.
#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    fn add(
        &mut self,
        code: Code,
        path: &str,
        line: usize,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.list.push(Finding {
            code,
            severity: code.severity(),
            path: path.to_owned(),
            line,
            message: message.into(),
            is_fixable: false,
        });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }
}

impl Finding {
    fn fixable(&mut self, is_fixable: bool) -> &mut Self {
        self.is_fixable = is_fixable;
        self
    }

    fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }
}

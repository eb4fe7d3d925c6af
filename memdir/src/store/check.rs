//! Lints the whole folder, and mends what can be mended as one operation.

use pathguard::{EntryKind, ListLimits, PathKey};

use super::{Origin, Scope, Store, is_markdown};
use crate::error::Error;
use crate::files;
use crate::hash::ContentHash;
use crate::journal::OperationKind;
use crate::limits::{LIST_MAX_DEPTH, LIST_MAX_ENTRIES, MEMORY_MAX_BYTES};
use crate::lint::{self, Finding, Fixes, Input, Severity, SourceFile};
use crate::timestamp::{Date, Timestamp};

/// What a check is told besides the folder.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// Instruction files of the project (`CLAUDE.md`, `AGENTS.md`), by name and contents: what they say
    /// need not be remembered.
    pub instructions: Vec<(String, Vec<u8>)>,
    /// Mend what can be mended.
    pub fix: bool,
}

impl CheckOptions {
    /// Adds the instruction files of the project.
    #[must_use]
    pub fn with_instructions(mut self, instructions: Vec<(String, Vec<u8>)>) -> Self {
        self.instructions = instructions;
        self
    }

    /// Mends what can be mended.
    #[must_use]
    pub fn fixing(mut self) -> Self {
        self.fix = true;
        self
    }
}

/// What a check found, and what it mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// What is wrong now, after mending, by path and line. Paths are relative to the memory folder.
    pub findings: Vec<Finding>,
    /// Whether there are more.
    pub is_cut: bool,
    /// How many findings were mended.
    pub mended: usize,
    /// The number of the operation that mended them; `undo` takes it back.
    pub sequence: Option<u64>,
    /// Files and folders that could not be read, with the reason.
    pub problems: Vec<String>,
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckCounts {
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that are only said.
    pub infos: usize,
    /// Findings of any severity that can be mended.
    pub fixable: usize,
}

impl CheckReport {
    /// Counts the findings.
    pub fn counts(&self) -> CheckCounts {
        CheckCounts::of(&self.findings)
    }
}

impl CheckCounts {
    /// Counts some of the findings of a report.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = CheckCounts::default();
        for finding in findings {
            match finding.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Info => counts.infos += 1,
            }
            counts.fixable += usize::from(finding.is_fixable);
        }
        counts
    }
}

/// The files of one scope as they are on disk.
#[derive(Default)]
struct Folder {
    files: Vec<Loaded>,
}

struct Loaded {
    key: PathKey,
    /// The path as the scope's own index knows it.
    path: String,
    bytes: Vec<u8>,
    size: u64,
    date: Date,
}

impl Store {
    /// Checks the folder, the team's part by the rules for shared text, and mends what can be mended when
    /// the options ask for it.
    ///
    /// Mending is one operation that one `undo` takes back. A file that changes between reading and
    /// writing is left as it is.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed, and with [`CheckOptions::fix`] as [`Store::save`].
    pub fn check(&self, options: &CheckOptions, origin: &Origin) -> Result<CheckReport, Error> {
        let _span = tracing::info_span!("memdir.check", fix = options.fix).entered();
        let mut report = CheckReport::default();
        let folders = self.load(&mut report.problems)?;
        let mut fixes = Vec::new();
        for (scope, folder) in &folders {
            let input = self.input(*scope, folder, options);
            let found = lint::check(&input);
            if options.fix {
                fixes.push((*scope, lint::fix(&input, &found.findings)));
            }
            report.is_cut |= found.is_cut;
            report.findings.extend(
                found
                    .findings
                    .into_iter()
                    .map(|finding| placed(*scope, finding)),
            );
        }
        if fixes.iter().all(|(_, fixes)| fixes.files.is_empty()) {
            return Ok(report);
        }
        report.sequence = self.mend(&folders, &fixes, origin)?;
        report.mended = fixes
            .iter()
            .flat_map(|(_, fixes)| &fixes.files)
            .map(|file| file.mended)
            .sum();
        let rest = self.check(
            &CheckOptions {
                fix: false,
                ..options.clone()
            },
            origin,
        )?;
        report.findings = rest.findings;
        report.is_cut = rest.is_cut;
        Ok(report)
    }

    fn input<'a>(&self, scope: Scope, folder: &'a Folder, options: &'a CheckOptions) -> Input<'a> {
        let clock = self.options.clock();
        let files = folder.files.iter().map(|file| {
            SourceFile::new(&file.path, &file.bytes)
                .with_size(file.size)
                .with_date(file.date)
        });
        let instructions = options.instructions.iter();
        let input = Input::new(files.collect(), clock.now().date(clock.offset_seconds()))
            .with_instructions(
                instructions
                    .map(|(name, bytes)| SourceFile::new(name, bytes))
                    .collect(),
            );
        let mut input = if scope == Scope::Team {
            input.shared()
        } else {
            input
        };
        input.limits = self.options.index_limits;
        input
    }

    /// Reads every file of the folder; of one that is no Markdown only that it is there.
    fn load(&self, problems: &mut Vec<String>) -> Result<Vec<(Scope, Folder)>, Error> {
        let limits = ListLimits::new()
            .with_max_entries(LIST_MAX_ENTRIES)
            .with_max_depth(LIST_MAX_DEPTH)
            .with_metadata(true);
        let listing = self
            .memory
            .list(&limits)
            .map_err(|error| files::error(error, &self.dir().display().to_string()))?;
        problems.extend(super::list::problems(&listing));
        let offset = self.options.clock().offset_seconds();
        let mut private = Folder::default();
        let mut team = Folder::default();
        for entry in listing.entries {
            let Some(metadata) = entry.metadata.filter(|_| entry.kind == EntryKind::File) else {
                continue;
            };
            let scope = Scope::of(entry.key.as_ref());
            let mut bytes = Vec::new();
            if is_markdown(entry.key.as_ref()) {
                match self
                    .memory
                    .read_prefix(entry.key.as_ref(), MEMORY_MAX_BYTES)
                {
                    Ok(read) => bytes = read.bytes,
                    Err(error) if error.kind() == pathguard::ErrorKind::NotFound => continue,
                    Err(error) => {
                        problems.push(files::error(error, entry.key.as_str()).to_string());
                        continue;
                    }
                }
            }
            let folder = if scope == Scope::Team {
                &mut team
            } else {
                &mut private
            };
            folder.files.push(Loaded {
                path: scope.in_index(entry.key.as_ref()).to_owned(),
                key: entry.key,
                bytes,
                size: metadata.len,
                date: Timestamp::from_nanoseconds(metadata.modified_ns).date(offset),
            });
        }
        let mut folders = vec![(Scope::Private, private)];
        if !team.files.is_empty() {
            folders.push((Scope::Team, team));
        }
        Ok(folders)
    }

    fn mend(
        &self,
        folders: &[(Scope, Folder)],
        fixes: &[(Scope, Fixes)],
        origin: &Origin,
    ) -> Result<Option<u64>, Error> {
        let mut edits = Vec::new();
        for ((scope, folder), (_, fixes)) in folders.iter().zip(fixes) {
            for fixed in &fixes.files {
                self.permit(*scope, origin)?;
                let loaded = folder.files.iter().find(|file| file.path == fixed.path);
                let key = match loaded {
                    Some(loaded) => loaded.key.clone(),
                    None => scope.index_key(),
                };
                // Bytes of which only the beginning was read must not replace the whole.
                if loaded.is_some_and(|loaded| loaded.size > loaded.bytes.len() as u64) {
                    continue;
                }
                let before = loaded.map(|loaded| ContentHash::of(&loaded.bytes));
                edits.push((key, before, fixed.bytes.clone()));
            }
        }
        let (sequence, ()) = self.transact(OperationKind::Fix, origin, |transaction| {
            for (key, before, bytes) in &edits {
                let now = transaction.read(key)?.map(ContentHash::of);
                if now == *before {
                    transaction.write(key, bytes.clone())?;
                }
            }
            Ok(())
        })?;
        Ok(sequence)
    }
}

/// A finding with its path relative to the memory folder instead of the scope's own.
fn placed(scope: Scope, mut finding: Finding) -> Finding {
    if scope == Scope::Team {
        finding.path = format!("team/{}", finding.path);
    }
    finding
}

//! One file of an agent: read, planned, written.

use std::io;
use std::path::{Path, PathBuf};

use memstrata::pathguard::{
    self, FileRead, MemoryRoot, PathKey, RootOptions, WriteMode, WriteOptions,
};

use super::agents::{self, MCP_ARGUMENTS, NAME, Part, Target};
use super::edit::{Edited, take_out};
use super::json::{self, Entry, Put};
use super::record::FileRecord;
use super::{block, toml};
use crate::cli::setup::SetupAgent;
use crate::exit::{Exit, Failure};

/// A configuration that is larger is none.
const MAX_BYTES: u64 = 16 << 20;

/// What an empty JSON file is taken for.
const EMPTY_JSON: &str = "{}\n";

/// A file as it is and as it shall be.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) path: PathBuf,
    folder: PathBuf,
    key: PathKey,
    /// `None` when there is no file.
    pub(super) before: Option<String>,
    /// `None` when there shall be none.
    pub(super) after: Option<String>,
    mode: Option<u32>,
    /// For the record; `None` when nothing of ours will be in it.
    pub(super) record: Option<FileRecord>,
    /// Folders that go when they are empty, innermost first.
    pub(super) folders_to_remove: Vec<PathBuf>,
    /// What the person should know.
    pub(super) notes: Vec<String>,
}

impl Plan {
    /// Plans to put our part in; what an earlier version put there is replaced.
    ///
    /// # Errors
    /// When the file cannot be read, understood or changed so that the change can be taken back.
    pub(super) fn install(
        agent: SetupAgent,
        program: &str,
        target: &Target,
        known: Option<&FileRecord>,
    ) -> Result<Self, Failure> {
        let mut plan = Plan::read(target)?;
        let clean = plan.cleaned(agent, target, known)?;
        let existed = match known {
            Some(known) => known.existed,
            None => plan.before.is_some(),
        };
        let base = match (&target.part, existed) {
            (Part::Json(_), false) => EMPTY_JSON,
            _ if !existed => "",
            _ => clean.as_deref().unwrap_or_default(),
        };
        let base = clean
            .as_deref()
            .filter(|text| !text.trim().is_empty())
            .unwrap_or(base);
        let mut edited = Edited::new(base);
        plan.put(&mut edited, agent, program, target)?;
        if take_out(&edited.text, &edited.insertions).as_deref() != Some(base) {
            return Err(Failure::new(
                Exit::Bug,
                "the change could not be taken back",
            ));
        }
        plan.after = Some(edited.text);
        plan.record = Some(FileRecord {
            folder: target.folder.to_string_lossy().into_owned(),
            file: target.file.to_owned(),
            existed,
            made_folders: match known {
                Some(known) => known.made_folders.clone(),
                None => missing_folders(&plan.path),
            },
            insertions: edited.insertions,
        });
        if plan
            .record
            .as_ref()
            .is_some_and(|record| record.insertions.is_empty())
        {
            plan.record = None;
            plan.after.clone_from(&plan.before);
        }
        Ok(plan)
    }

    /// Plans to take our part out.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub(super) fn remove(
        agent: SetupAgent,
        target: &Target,
        known: Option<&FileRecord>,
    ) -> Result<Self, Failure> {
        let mut plan = Plan::read(target)?;
        let clean = plan.cleaned(agent, target, known)?;
        plan.after = clean;
        if let (Some(known), Some(after)) = (known, &plan.after) {
            let rest = after.trim();
            if !known.existed && (rest.is_empty() || rest == EMPTY_JSON.trim()) {
                plan.after = None;
                let folders = known.made_folders.iter().rev();
                plan.folders_to_remove = folders.map(PathBuf::from).collect();
            }
        }
        Ok(plan)
    }

    fn read(target: &Target) -> Result<Self, Failure> {
        let key = PathKey::parse(target.file)?;
        let path = target.folder.join(target.file);
        let found = match MemoryRoot::open(&target.folder, &RootOptions::default()) {
            Ok(root) => match root.read(key.as_ref(), MAX_BYTES) {
                Ok(read) => Some(read),
                Err(error) if error.is_not_found() => None,
                Err(error) => return Err(refused(&path, error)),
            },
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(refused(&path, error)),
        };
        let mode = found.as_ref().map(|read| read.metadata.mode & 0o7777);
        let before = match found {
            None => None,
            Some(FileRead { bytes, .. }) => {
                Some(String::from_utf8(bytes).map_err(|_| unreadable(&path, "it is not UTF-8"))?)
            }
        };
        Ok(Plan {
            path,
            folder: target.folder.clone(),
            key,
            before,
            after: None,
            mode,
            record: None,
            folders_to_remove: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// The file without anything of ours.
    fn cleaned(
        &self,
        agent: SetupAgent,
        target: &Target,
        known: Option<&FileRecord>,
    ) -> Result<Option<String>, Failure> {
        let Some(before) = &self.before else {
            return Ok(None);
        };
        let insertions = known
            .map(|known| known.insertions.as_slice())
            .unwrap_or_default();
        if !insertions.is_empty()
            && let Some(clean) = take_out(before, insertions)
        {
            return Ok(Some(clean));
        }
        // Somebody has written the file anew, or the record is gone: by what it says.
        let swept = match &target.part {
            Part::Json(_) => {
                json::sweep(before, &|path, value| agents::is_ours(agent, path, value)).and_then(
                    |swept| {
                        if swept == *before {
                            return Ok(swept);
                        }
                        json::sweep(&swept, &agents::is_our_container)
                    },
                )
            }
            Part::Toml => toml::sweep(before, NAME, &MCP_ARGUMENTS),
            Part::Block(_) => Ok(block::sweep(before)),
            Part::Whole(text) if before == text => Ok(String::new()),
            Part::Whole(_) => Ok(before.clone()),
        };
        let swept = swept.map_err(|why| unreadable(&self.path, &why))?;
        Ok(Some(swept))
    }

    fn put(
        &mut self,
        edited: &mut Edited,
        agent: SetupAgent,
        program: &str,
        target: &Target,
    ) -> Result<(), Failure> {
        let mut is_taken = false;
        match &target.part {
            Part::Json(entries) => {
                // Each goes to the beginning, so the last one first.
                for entry in entries.iter().rev() {
                    let put =
                        json::put(edited, entry).map_err(|why| unreadable(&self.path, &why))?;
                    is_taken |= put == Put::Taken && matches!(entry, Entry::Property { .. });
                }
            }
            Part::Toml => {
                let put = toml::put(edited, NAME, program, &MCP_ARGUMENTS);
                is_taken = put.map_err(|why| unreadable(&self.path, &why))? == Put::Taken;
            }
            Part::Block(text) => is_taken = block::put(edited, text) == Put::Taken,
            Part::Whole(text) if edited.text.is_empty() => edited.insert(0, text.clone()),
            Part::Whole(_) => is_taken = true,
        }
        if is_taken {
            self.notes.push(format!(
                "{}: something named {NAME} is there already and not ours; it was left alone, for {}",
                self.path.display(),
                agent.as_str(),
            ));
        }
        Ok(())
    }

    /// Whether there is anything to do.
    pub(super) fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// Does it: atomically, with the permissions of the file.
    ///
    /// # Errors
    /// When the file was changed meanwhile or cannot be written; then it is as it was.
    pub(super) fn carry_out(&self) -> Result<(), Failure> {
        if !self.is_change() {
            return Ok(());
        }
        let root = MemoryRoot::open_or_create(&self.folder, &RootOptions::default())
            .map_err(|error| refused(&self.path, error))?;
        let now = match root.read(self.key.as_ref(), MAX_BYTES) {
            Ok(read) => Some(read.bytes),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(refused(&self.path, error)),
        };
        if now.as_deref() != self.before.as_deref().map(str::as_bytes) {
            let message = format!("{} was changed meanwhile; try again", self.path.display());
            return Err(Failure::new(Exit::Conflict, message));
        }
        let Some(after) = &self.after else {
            return root
                .remove(self.key.as_ref())
                .map_err(|error| refused(&self.path, error));
        };
        let mode = if now.is_none() {
            WriteMode::CreateNew
        } else {
            WriteMode::CreateOrReplace
        };
        let mut options = WriteOptions::new()
            .with_mode(mode)
            .with_create_parents(true);
        if let Some(bits) = self.mode {
            options = options.with_unix_mode(bits);
        }
        root.write(self.key.as_ref(), after.as_bytes(), &options)
            .map_err(|error| refused(&self.path, error))?;
        Ok(())
    }
}

/// The folders above a file that are not there yet, outermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<String> {
    let mut missing: Vec<String> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| {
            matches!(folder.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
        })
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    missing.reverse();
    missing
}

fn refused(path: &Path, error: pathguard::Error) -> Failure {
    let failure = Failure::from(error);
    Failure {
        exit: failure.exit,
        error: failure
            .error
            .context(format!("{} is left alone", path.display())),
    }
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::new(
        Exit::Refused,
        format!("{} is left alone: {why}", path.display()),
    )
}

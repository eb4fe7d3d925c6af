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
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) path: PathBuf,
    /// How the record names it: the agent's folder, and the file in it.
    pub(super) place: (String, String),
    /// Where it really is.
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
        let base = match clean.as_deref() {
            // What we have made is made anew.
            Some(text) if existed || !text.trim().is_empty() => text,
            _ if matches!(target.part, Part::Json(_)) => EMPTY_JSON,
            _ => "",
        };
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
            folder: plan.place.0.clone(),
            file: plan.place.1.clone(),
            existed,
            made_folders: match known {
                Some(known) => known.made_folders.clone(),
                None => missing_folders(&plan.path),
            },
            earlier: match known {
                Some(known) if known.insertions != edited.insertions => known.insertions.clone(),
                _ => Vec::new(),
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
        if known.is_none() && matches!(target.part, Part::Whole(_)) {
            // The record is gone; nobody else makes a file of this name with this text.
            plan.after = plan.after.filter(|after| !after.is_empty());
        }
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
        let path = target.folder.join(target.file);
        let (folder, key, notes) = match linked(target, &path)? {
            None => (
                target.folder.clone(),
                PathKey::parse(target.file)?,
                Vec::new(),
            ),
            Some((folder, key)) => {
                let real = folder.join(key.as_str());
                let note = format!(
                    "{} is a link; the file is {}",
                    path.display(),
                    real.display()
                );
                (folder, key, vec![note])
            }
        };
        let found = match MemoryRoot::open(&folder, &RootOptions::default()) {
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
            place: (
                target.folder.to_string_lossy().into_owned(),
                target.file.to_owned(),
            ),
            path,
            folder,
            key,
            before,
            after: None,
            mode,
            record: None,
            folders_to_remove: Vec::new(),
            notes,
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
        let recorded = known.map(|known| [&known.insertions, &known.earlier]);
        for insertions in recorded.into_iter().flatten().filter(|it| !it.is_empty()) {
            if let Some(clean) = take_out(before, insertions)
                && is_whole(&target.part, agent, before, &clean)
            {
                return Ok(Some(clean));
            }
        }
        // Somebody has written the file anew, or the record is gone: by what it says.
        let swept = match &target.part {
            Part::Json(entries) => sweep(entries, agent, before),
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
                let style = json::Style::of(&edited.text);
                if json::is_blank(&edited.text) {
                    edited.insert(edited.text.len(), EMPTY_JSON.to_owned());
                }
                // Each goes to the beginning, so the last one first.
                for entry in entries.iter().rev() {
                    let put = json::put(edited, entry, &style)
                        .map_err(|why| unreadable(&self.path, &why))?;
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
        let is_read_only = std::fs::metadata(self.folder.join(self.key.as_str()))
            .is_ok_and(|metadata| metadata.permissions().readonly());
        if is_read_only {
            return Err(unreadable(
                &self.path,
                "it is read-only; make it writable first",
            ));
        }
        let now = match root.read(self.key.as_ref(), MAX_BYTES) {
            Ok(read) => Some(read.bytes),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(refused(&self.path, error)),
        };
        if now.as_deref() != self.before.as_deref().map(str::as_bytes) {
            let message = format!("{} was changed meanwhile; try again", self.path.display());
            return Err(Failure::new(Exit::Conflict, message));
        }
        self.write(&root)
    }

    /// Undoes what [`Plan::carry_out`] did, as far as that is possible: something else went wrong.
    pub(super) fn take_back(&self) {
        if self.is_change()
            && let Ok(root) = MemoryRoot::open(&self.folder, &RootOptions::default())
        {
            let back = Plan {
                after: self.before.clone(),
                before: self.after.clone(),
                ..self.clone()
            };
            let _ = back.write(&root);
            // Only those that are empty go.
            let made = self
                .record
                .iter()
                .flat_map(|record| record.made_folders.iter().rev());
            for folder in made.filter(|_| self.before.is_none()) {
                let _ = std::fs::remove_dir(folder);
            }
        }
    }

    fn write(&self, root: &MemoryRoot) -> Result<(), Failure> {
        let Some(after) = &self.after else {
            return root
                .remove(self.key.as_ref())
                .map_err(|error| refused(&self.path, error));
        };
        let mode = if self.before.is_none() {
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

/// The file that a link leads to, as its folder and its name.
fn linked(target: &Target, path: &Path) -> Result<Option<(PathBuf, PathKey)>, Failure> {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.file_type().is_symlink());
    if !is_link || !target.is_personal {
        return Ok(None);
    }
    let real = path.canonicalize().map_err(|error| {
        unreadable(
            path,
            &format!("it is a link that leads nowhere ({})", error.kind()),
        )
    })?;
    let parts = (
        real.parent(),
        real.file_name().and_then(|name| name.to_str()),
    );
    let (Some(folder), Some(name)) = parts else {
        return Err(unreadable(
            path,
            "it is a link to something of another kind",
        ));
    };
    Ok(Some((folder.to_owned(), PathKey::parse(name)?)))
}

/// Whether a file from which insertions were taken still says everything else, and says it as well as before:
/// somebody may have added a line that leans on ours.
fn is_whole(part: &Part, agent: SetupAgent, before: &str, clean: &str) -> bool {
    match part {
        Part::Json(_) if json::is_blank(clean) => true,
        Part::Json(entries) => {
            let rest = |text: &str| {
                let swept = sweep(entries, agent, text)?;
                json::value(&without_empty(entries, &swept)?)
            };
            rest(before).is_ok_and(|before| rest(clean) == Ok(before))
                && (json::has_no_spare_comma(clean) || !json::has_no_spare_comma(before))
        }
        Part::Toml => toml::differ_only_in(before, clean, NAME),
        Part::Block(_) | Part::Whole(_) => true,
    }
}

/// A file without anything that some version of this program has put into these places.
fn sweep(entries: &[Entry], agent: SetupAgent, text: &str) -> Result<String, String> {
    if json::is_blank(text) {
        return Ok(text.to_owned());
    }
    let swept = json::sweep(text, &|path, value| {
        is_place(entries, path) && agents::is_ours(agent, path, value)
    })?;
    if swept == text {
        return Ok(swept);
    }
    without_empty(entries, &swept)
}

/// A file without the lists and objects that may have been made for our entries.
fn without_empty(entries: &[Entry], text: &str) -> Result<String, String> {
    // An event that we have no hook for is somebody else's.
    let is_ours = |path: &[String]| match path {
        [root, name] => entries
            .iter()
            .any(|entry| entry.place() == root && entry.name() == name),
        _ => is_place(entries, path),
    };
    json::sweep(text, &|path, value| {
        is_ours(path) && agents::is_our_container(path, value)
    })
}

fn is_place(entries: &[Entry], path: &[String]) -> bool {
    let root = path.first().map(String::as_str);
    entries.iter().any(|entry| Some(entry.place()) == root)
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

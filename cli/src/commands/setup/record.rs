//! What `setup` has put where: with it everything is taken out exactly.

use std::path::{Path, PathBuf};

use memstrata::pathguard::{MemoryRoot, PathKey, RootOptions, WriteOptions};
use serde::{Deserialize, Serialize};

use super::edit::Insertion;
use crate::exit::Failure;

/// The folder below the home folder.
const FOLDER: &str = "memstrata/setup";

/// A larger file is none of ours.
const MAX_BYTES: u64 = 4 << 20;

/// What was done for one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) version: u32,
    /// Folders that were made for the record itself, outermost first.
    #[serde(default)]
    pub(super) made_folders: Vec<String>,
    pub(super) files: Vec<FileRecord>,
}

/// What was done to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    pub(super) folder: String,
    pub(super) file: String,
    /// Whether the file was there before.
    pub(super) existed: bool,
    /// Folders that were made for it, outermost first.
    pub(super) made_folders: Vec<String>,
    pub(super) insertions: Vec<Insertion>,
    /// What an earlier version has put there, until it is replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) earlier: Vec<Insertion>,
}

impl Record {
    /// Returns what is recorded about a file.
    pub(super) fn find(&self, folder: &Path, file: &str) -> Option<&FileRecord> {
        let folder = folder.to_string_lossy();
        let mut files = self.files.iter();
        files.find(|one| one.folder == folder && one.file == file)
    }
}

/// Where the record of an agent lies.
pub(super) fn path(home: &Path, agent: &str) -> PathBuf {
    home.join(FOLDER).join(key(agent).as_str())
}

/// Reads the record of an agent; an empty one when there is none or it cannot be understood.
pub(super) fn read(home: &Path, agent: &str) -> Record {
    let read = || {
        let root = MemoryRoot::open(&home.join(FOLDER), &RootOptions::default()).ok()?;
        let read = root.read(key(agent).as_ref(), MAX_BYTES).ok()?;
        serde_json::from_slice(&read.bytes).ok()
    };
    read().unwrap_or_default()
}

/// The folders that were made for the records of all agents, outermost first.
pub(super) fn made_by_others(home: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(home.join(FOLDER)) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut agents: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
        .collect();
    agents.sort();
    let mut made: Vec<String> = Vec::new();
    for agent in agents
        .iter()
        .filter(|agent| PathKey::parse(&format!("{agent}.json")).is_ok())
    {
        for folder in read(home, agent).made_folders {
            if !made.contains(&folder) {
                made.push(folder);
            }
        }
    }
    made
}

/// Writes the record of an agent; an empty one is removed.
///
/// # Errors
/// When it cannot be written: then nothing should be changed that could not be taken out.
pub(super) fn write(home: &Path, agent: &str, record: &Record) -> Result<(), Failure> {
    if record.files.is_empty() {
        let Ok(root) = MemoryRoot::open(&home.join(FOLDER), &RootOptions::default()) else {
            return Ok(());
        };
        match root.remove(key(agent).as_ref()) {
            Err(error) if !error.is_not_found() => return Err(error.into()),
            _ => {}
        }
        return Ok(());
    }
    let root = MemoryRoot::open_or_create(&home.join(FOLDER), &RootOptions::default())?;
    let bytes = serde_json::to_vec_pretty(record).unwrap_or_default();
    root.write(key(agent).as_ref(), &bytes, &WriteOptions::new())?;
    Ok(())
}

fn key(agent: &str) -> PathKey {
    PathKey::parse(&format!("{agent}.json")).expect(
        "a plain name because agents are named by constants, and other names were parsed before",
    )
}

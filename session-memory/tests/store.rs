//! The session file on disk: what readers see, whatever state the two files were left in.

use std::path::{Path, PathBuf};

use agent_model::Message;
use session_memory::{
    Author, Cursor, Draft, Entry, NOTES_FILE, Notes, SIDE_CAR_FILE, SessionFile, Structure,
};

mod conditions;
mod full;
mod processes;
mod writing;

/// A session's folder that is removed in the end.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("projects/-p/session")
    }

    pub(crate) fn file(&self) -> SessionFile {
        SessionFile::create(&self.path(), Structure::default()).expect("a session folder")
    }

    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path().join(name)).ok()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), bytes).expect("a written file");
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path().join(name)).expect("a removed file");
    }

    pub(crate) fn aside(&self) -> Vec<String> {
        let mut texts: Vec<String> = std::fs::read_dir(self.path())
            .expect("a folder")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.to_string_lossy().contains(".aside-"))
            .map(|path| String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned())
            .collect();
        texts.sort();
        texts
    }
}

/// Notes that say the number in three places, so that a mixture of two shows.
pub(crate) fn notes(number: u64) -> Notes {
    let long = format!("- step {number}, and what was done there\n").repeat(300);
    Notes::empty(&Structure::default())
        .with_body("Session Title", &format!("number {number}"))
        .with_body(
            "Current State",
            &format!("at {number}\n\n```\n## not a heading\n```"),
        )
        .with_body("Worklog", &long)
}

pub(crate) fn cursor(number: u64) -> Option<Cursor> {
    let message = Message::user(format!("message {number}")).with_id(format!("m{number}"));
    Cursor::at_end(&[Entry::Instruction(message)], number)
}

pub(crate) fn draft(number: u64) -> Draft {
    Draft::new(notes(number), cursor(number), Author::Ledger)
}

pub(crate) fn commit(file: &SessionFile, number: u64) {
    let mut locked = file.lock().expect("a free lock");
    locked.commit(&draft(number)).expect("a commit");
}

/// The number that committed notes say, after checking that notes and cursor say the same.
#[track_caller]
pub(crate) fn number(file: &SessionFile) -> Option<u64> {
    let committed = file.read().expect("readable files")?;
    let title = committed.notes.body("Session Title").expect("a section");
    let number = title.strip_prefix("number ").expect("a number").parse();
    let number: u64 = number.expect("a number");
    assert_eq!(committed.notes, notes(number));
    assert_eq!(committed.cursor, cursor(number));
    Some(number)
}

/// The side-car as it is between the first and the last step of the commit that made it.
pub(crate) fn unfinished(side_car: &[u8], before: Option<(&[u8], u64)>) -> Vec<u8> {
    let mut json: serde_json::Value = serde_json::from_slice(side_car).expect("JSON");
    json["pending"] = match before {
        None => serde_json::json!({}),
        Some((markdown, number)) => {
            let cursor = cursor(number).expect("a cursor");
            serde_json::json!({
                "previous": memdir::ContentHash::of(markdown).to_string(),
                "cursor": {
                    "message": cursor.message_id(),
                    "digest": cursor.digest().to_string(),
                    "tokens": cursor.context_tokens(),
                },
            })
        }
    };
    serde_json::to_vec(&json).expect("JSON")
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub(crate) const FILES: [&str; 2] = [NOTES_FILE, SIDE_CAR_FILE];

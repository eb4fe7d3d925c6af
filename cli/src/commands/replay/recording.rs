//! Recorded sessions, read: in the order of their first message, with the agent's memory folder where ours is.

use std::path::{Path, PathBuf};

use memstrata::memdir::Timestamp;
use memstrata::model::{Block, ToolUse};
use memstrata::transcript::{
    self, Boundary, Entry, FileRole, Options, Origin, Pictures, Transcript,
};
use serde_json::Value;

/// Where the input of a call names the file that it writes.
const PATH_KEYS: [&str; 4] = ["file_path", "path", "notebook_path", "absolute_path"];

/// The tools by which agents write whole files or parts of them, in lower case.
const WRITERS: [&str; 8] = [
    "write",
    "edit",
    "multiedit",
    "filewrite",
    "fileedit",
    "write_file",
    "replace",
    "str_replace_based_edit_tool",
];

/// One transcript.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) path: PathBuf,
    pub(super) transcript: Transcript,
    /// The entries with our memory folder in place of the recorded one; empty when that changes nothing.
    translated: Vec<Entry>,
}

impl Recording {
    /// Reads a file.
    pub(super) fn open(path: &Path) -> Result<Self, transcript::Error> {
        let options = Options::default().with_pictures(Pictures::Omit);
        Ok(Self {
            path: path.to_owned(),
            transcript: Transcript::open(path, &options)?,
            translated: Vec::new(),
        })
    }

    /// The first message's time; a file without times comes first.
    pub(super) fn started(&self) -> Option<Timestamp> {
        self.transcript.session().started.map(time)
    }

    /// Whether a person speaks in it: a sub-agent's transcript is part of its session, and replayed with none.
    pub(super) fn is_session(&self) -> bool {
        self.transcript.session().role == FileRole::Session
    }

    /// The session's id, or the name of its file.
    pub(super) fn id(&self) -> String {
        let stem = || {
            let stem = self.path.file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let id = self.transcript.session().id.clone();
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(stem);
        // Whatever it is, it becomes the name of a folder.
        let is_plain = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.');
        let plain: String = id
            .chars()
            .map(|sign| if is_plain(sign) { sign } else { '-' })
            .take(128)
            .collect();
        let plain = plain.trim_matches(['.', ' ']);
        if plain.is_empty() {
            "session".to_owned()
        } else {
            plain.to_owned()
        }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        if self.translated.is_empty() {
            self.transcript.entries()
        } else {
            &self.translated
        }
    }

    pub(super) fn boundaries(&self) -> &[Boundary] {
        self.transcript.boundaries()
    }

    /// How many messages a person typed.
    pub(super) fn turns(&self) -> usize {
        let entries = self.entries().iter();
        entries.filter(|entry| is_said(entry)).count()
    }

    /// Puts our memory folder in the place of the one that the agent wrote to, so that its own writes are
    /// checked, kept and known as such.
    pub(super) fn translate(&mut self, memory_dir: &Path) {
        let entries = self.transcript.entries();
        let concerns = |entry: &Entry| {
            entry
                .message
                .tool_uses()
                .any(|call| memory_path(call).is_some())
        };
        if !entries.iter().any(concerns) {
            return;
        }
        self.translated = entries.to_vec();
        for entry in self.translated.iter_mut().filter(|entry| concerns(entry)) {
            for block in &mut entry.message.content {
                if let Block::ToolUse(call) = block {
                    translate(call, memory_dir);
                }
            }
        }
    }
}

/// Whether a person typed it.
pub(super) fn is_said(entry: &Entry) -> bool {
    entry.origin == Origin::Person && !entry.person_text().trim().is_empty()
}

/// A transcript's time as everything else here tells it.
pub(super) fn time(time: transcript::Timestamp) -> Timestamp {
    Timestamp::from_nanoseconds(i128::from(time.as_millis()) * 1_000_000)
}

/// A write of the agent's own, as far as its text can be told from the call.
#[derive(Debug)]
pub(super) enum OwnWrite<'a> {
    /// The whole text.
    Whole(&'a str),
    /// Replacements in what is there, in order.
    Edits(Vec<(&'a str, &'a str)>),
}

/// Returns the file that a call writes, and how.
pub(super) fn own_write(call: &ToolUse) -> Option<(&str, OwnWrite<'_>)> {
    let (_, path) = named_file(call)?;
    let input = &call.input;
    if let Some(whole) = text(input, "content").or_else(|| text(input, "file_text")) {
        return Some((path, OwnWrite::Whole(whole)));
    }
    let edits = match input.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().filter_map(edit).collect(),
        None => vec![edit(input)?],
    };
    Some((path, OwnWrite::Edits(edits)))
}

fn edit(input: &Value) -> Option<(&str, &str)> {
    let old = text(input, "old_string").or_else(|| text(input, "old_str"))?;
    let new = text(input, "new_string").or_else(|| text(input, "new_str"))?;
    Some((old, new))
}

fn text<'a>(input: &'a Value, key: &str) -> Option<&'a str> {
    input.get(key)?.as_str()
}

/// The key and the path in a call that writes a file.
fn named_file(call: &ToolUse) -> Option<(&'static str, &str)> {
    WRITERS
        .contains(&call.name.to_ascii_lowercase().as_str())
        .then_some(())?;
    PATH_KEYS
        .iter()
        .find_map(|key| Some((*key, call.input.get(*key)?.as_str()?)))
}

/// The key of the input, and the path below the recorded memory folder: `…/projects/<key>/memory/<path>`.
fn memory_path(call: &ToolUse) -> Option<(&'static str, String)> {
    let (key, path) = named_file(call)?;
    let path = path.replace('\\', "/");
    let (_, below) = path.split_once("/projects/")?;
    let (_, inside) = below.split_once('/')?;
    let inside = inside.strip_prefix("memory/")?;
    Some((key, inside.to_owned()))
}

fn translate(call: &mut ToolUse, memory_dir: &Path) {
    if let Some((key, inside)) = memory_path(call) {
        let path = memory_dir.join(inside).to_string_lossy().into_owned();
        call.input[key] = Value::String(path);
    }
}

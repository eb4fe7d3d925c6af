//! The journal's lines: what they hold, how they are written, and how damage is noticed.
//!
//! A line is 16 hexadecimal digits of the SHA-256 of the rest, a space, one JSON object and a line
//! feed. A line that was torn by a crash fails its checksum and is skipped; nothing after it is
//! lost, because every append begins on a line of its own. `docs/FORMAT.md` describes the objects;
//! a test freezes them.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::hash::{ContentHash, hex, unhex};

/// The version of the records that we write.
const VERSION: u32 = 1;
/// Digits of the checksum that begin a line.
const CHECKSUM_DIGITS: usize = 16;

/// The largest number of an operation: what the name of a segment has digits for.
pub(crate) const SEQUENCE_MAX: u64 = 9_999_999_999;

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// An operation that is about to be done. Holds all that is needed to finish or to undo it.
    Operation(Operation),
    /// The operation with this number was carried out.
    Done(u64),
    /// The operation with this number failed and was taken back at once.
    Abandoned(u64),
}

/// One change of the memory folder, as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) sequence: u64,
    pub(crate) time: Timestamp,
    pub(crate) kind: OperationKind,
    pub(crate) actor: String,
    pub(crate) session: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) changes: Vec<Change>,
    /// Old and new path of memories that kept their identity.
    pub(crate) renames: Vec<(String, String)>,
    /// The operation that this one takes back.
    pub(crate) undoes: Option<u64>,
    /// Part of it was purged, so that it can no longer be undone.
    pub(crate) purged: bool,
    /// It failed and was taken back at once. Known from a later line, never written in this one.
    pub(crate) abandoned: bool,
    pub(crate) contents: Vec<Content>,
}

/// One file before and after; `None` means that there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) before: Option<ContentHash>,
    pub(crate) after: Option<ContentHash>,
}

/// A content and how it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) hash: ContentHash,
    pub(crate) base: Option<Base>,
    /// The whole content, or what stands between the kept start and the kept end of the base.
    pub(crate) bytes: Vec<u8>,
}

/// What a content has in common with an earlier one of the same segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) hash: ContentHash,
    pub(crate) keep_start: u64,
    pub(crate) keep_end: u64,
    /// Contents between this one and one that is stored whole.
    pub(crate) depth: u32,
}

/// What an operation was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OperationKind {
    /// A memory was made or replaced.
    Save,
    /// A memory was taken away.
    Remove,
    /// A memory got another title or file name.
    Rename,
    /// An earlier content of a memory was brought back.
    Restore,
    /// An earlier operation was taken back.
    Undo,
    /// The folder was set back to a snapshot.
    Rollback,
    /// Several files were changed together, for example by consolidation.
    Apply,
    /// Changes of teammates were brought in. Passed over by `undo`.
    Pull,
    /// `check` mended what it could.
    Fix,
    /// The index was made anew from the files.
    RebuildIndex,
    /// Another program edited files; noticed afterwards.
    HostEdit,
    /// The memories of an orphaned store were taken over.
    Adopt,
    /// A memory was removed with all its history. Holds no contents and cannot be undone.
    Purge,
}

const KIND_NAMES: [(OperationKind, &str); 13] = [
    (OperationKind::Save, "save"),
    (OperationKind::Remove, "remove"),
    (OperationKind::Rename, "rename"),
    (OperationKind::Restore, "restore"),
    (OperationKind::Undo, "undo"),
    (OperationKind::Rollback, "rollback"),
    (OperationKind::Apply, "apply"),
    (OperationKind::Pull, "pull"),
    (OperationKind::Fix, "fix"),
    (OperationKind::RebuildIndex, "rebuild-index"),
    (OperationKind::HostEdit, "host-edit"),
    (OperationKind::Adopt, "adopt"),
    (OperationKind::Purge, "purge"),
];

impl OperationKind {
    /// The word used in the journal and in listings.
    pub fn as_str(self) -> &'static str {
        KIND_NAMES
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("unknown", |(_, name)| name)
    }

    fn parse(word: &str) -> Option<Self> {
        KIND_NAMES
            .iter()
            .find(|(_, name)| *name == word)
            .map(|(kind, _)| *kind)
    }
}

impl std::fmt::Display for OperationKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Wire {
    Operation(Box<WireOperation>),
    Done { sequence: u64 },
    Abandoned { sequence: u64 },
}

#[derive(Serialize, Deserialize)]
struct WireOperation {
    version: u32,
    sequence: u64,
    time: String,
    operation: String,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    purged: bool,
    changes: Vec<WireChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    renames: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contents: Vec<WireContent>,
}

#[derive(Serialize, Deserialize)]
struct WireChange {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WireContent {
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<WireBase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// For bytes that are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WireBase {
    hash: String,
    keep_start: u64,
    keep_end: u64,
    depth: u32,
}

impl Record {
    /// The whole line, line feed included.
    pub(crate) fn line(&self) -> Vec<u8> {
        let wire = match self {
            Self::Operation(operation) => Wire::Operation(Box::new(operation.to_wire())),
            Self::Done(sequence) => Wire::Done {
                sequence: *sequence,
            },
            Self::Abandoned(sequence) => Wire::Abandoned {
                sequence: *sequence,
            },
        };
        checked_line(&wire)
    }

    /// Parses a line without its line feed. `None` for a torn, damaged or unknown one.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        match serde_json::from_slice(checked_json(line)?).ok()? {
            Wire::Operation(wire) => Operation::from_wire(*wire).map(Self::Operation),
            Wire::Done { sequence } => Some(Self::Done(sequence)),
            Wire::Abandoned { sequence } => Some(Self::Abandoned(sequence)),
        }
    }
}

/// Whether a line says itself that a newer version has written it. A torn or damaged line says nothing.
pub(crate) fn is_newer(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let version = checked_json(line).map(serde_json::from_slice::<Version>);
    matches!(version, Some(Ok(Version { version })) if version > VERSION)
}

impl Operation {
    fn to_wire(&self) -> WireOperation {
        let hash_text = |hash: &Option<ContentHash>| hash.map(|hash| hash.to_string());
        WireOperation {
            version: VERSION,
            sequence: self.sequence,
            time: self.time.to_string(),
            operation: self.kind.as_str().to_owned(),
            actor: self.actor.clone(),
            session: self.session.clone(),
            note: self.note.clone(),
            undoes: self.undoes,
            purged: self.purged,
            changes: self
                .changes
                .iter()
                .map(|change| WireChange {
                    path: change.path.clone(),
                    before: hash_text(&change.before),
                    after: hash_text(&change.after),
                })
                .collect(),
            renames: self.renames.clone(),
            contents: self.contents.iter().map(Content::to_wire).collect(),
        }
    }

    fn from_wire(wire: WireOperation) -> Option<Self> {
        let hash = |text: Option<String>| match text {
            None => Some(None),
            Some(text) => text.parse().ok().map(Some),
        };
        let changes = wire
            .changes
            .into_iter()
            .map(|change| {
                Some(Change {
                    path: change.path,
                    before: hash(change.before)?,
                    after: hash(change.after)?,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        if wire.version > VERSION || wire.sequence > SEQUENCE_MAX {
            return None;
        }
        Some(Self {
            sequence: wire.sequence,
            time: Timestamp::parse_lenient(&wire.time)?,
            kind: OperationKind::parse(&wire.operation)?,
            actor: wire.actor,
            session: wire.session,
            note: wire.note,
            changes,
            renames: wire.renames,
            undoes: wire.undoes,
            purged: wire.purged,
            abandoned: false,
            contents: wire
                .contents
                .into_iter()
                .map(Content::from_wire)
                .collect::<Option<Vec<_>>>()?,
        })
    }
}

impl Content {
    fn to_wire(&self) -> WireContent {
        let (text, hexadecimal) = text_or_hex(&self.bytes);
        WireContent {
            hash: self.hash.to_string(),
            base: self.base.map(|base| WireBase {
                hash: base.hash.to_string(),
                keep_start: base.keep_start,
                keep_end: base.keep_end,
                depth: base.depth,
            }),
            text,
            hex: hexadecimal,
        }
    }

    fn from_wire(wire: WireContent) -> Option<Self> {
        let base = match wire.base {
            None => None,
            Some(base) => Some(Base {
                hash: base.hash.parse().ok()?,
                keep_start: base.keep_start,
                keep_end: base.keep_end,
                depth: base.depth,
            }),
        };
        Some(Self {
            hash: wire.hash.parse().ok()?,
            base,
            bytes: bytes_of(wire.text, wire.hex)?,
        })
    }
}

/// Bytes as text where they are text, else as hexadecimal digits.
pub(crate) fn text_or_hex(bytes: &[u8]) -> (Option<String>, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Some(text.to_owned()), None),
        Err(_) => (None, Some(hex(bytes))),
    }
}

/// The inverse of [`text_or_hex`].
pub(crate) fn bytes_of(text: Option<String>, hexadecimal: Option<String>) -> Option<Vec<u8>> {
    match (text, hexadecimal) {
        (Some(text), _) => Some(text.into_bytes()),
        (None, Some(digits)) => unhex(&digits),
        (None, None) => None,
    }
}

/// A value as one line with its checksum.
pub(crate) fn checked_line(value: &impl Serialize) -> Vec<u8> {
    let json = serde_json::to_vec(value)
        .expect("our records are JSON because they hold texts, numbers and lists only");
    let mut line = Vec::with_capacity(json.len() + CHECKSUM_DIGITS + 2);
    line.extend_from_slice(checksum(&json).as_bytes());
    line.push(b' ');
    line.extend_from_slice(&json);
    line.push(b'\n');
    line
}

/// The JSON of a line whose checksum holds.
pub(crate) fn checked_json(line: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let json = rest.strip_prefix(b" ")?;
    (checksum(json).as_bytes() == digits).then_some(json)
}

fn checksum(json: &[u8]) -> String {
    hex(&ContentHash::of(json).as_bytes()[..CHECKSUM_DIGITS / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation() -> Operation {
        let text = ContentHash::of(b"text");
        Operation {
            sequence: 17,
            time: "2026-03-05T14:02:11Z".parse().unwrap(),
            kind: OperationKind::Save,
            actor: "cli".to_owned(),
            session: None,
            note: None,
            changes: vec![Change {
                path: "user_role.md".to_owned(),
                before: None,
                after: Some(text),
            }],
            renames: Vec::new(),
            undoes: None,
            purged: false,
            abandoned: false,
            contents: vec![Content {
                hash: text,
                base: None,
                bytes: b"text".to_vec(),
            }],
        }
    }

    #[test]
    fn the_form_of_a_record_on_disk_is_frozen() {
        let line = String::from_utf8(Record::Operation(operation()).line()).unwrap();
        let hash = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1";
        let json = format!(
            "{{\"record\":\"operation\",\"version\":1,\"sequence\":17,\
             \"time\":\"2026-03-05T14:02:11Z\",\"operation\":\"save\",\"actor\":\"cli\",\
             \"changes\":[{{\"path\":\"user_role.md\",\"before\":null,\"after\":\"{hash}\"}}],\
             \"contents\":[{{\"hash\":\"{hash}\",\"text\":\"text\"}}]}}\n"
        );
        assert_eq!(line.split_once(' ').unwrap().1, json);
        assert_eq!(
            Record::Done(17).line().split_off(CHECKSUM_DIGITS + 1),
            b"{\"record\":\"done\",\"sequence\":17}\n"
        );
    }

    #[test]
    fn every_record_is_read_back_as_it_was_written() {
        let mut full = operation();
        full.session = Some("s".to_owned());
        full.note = Some("n".to_owned());
        full.undoes = Some(3);
        full.purged = true;
        full.renames = vec![("a.md".to_owned(), "b.md".to_owned())];
        full.contents.push(Content {
            hash: ContentHash::of(b"\xFF"),
            base: Some(Base {
                hash: ContentHash::of(b"text"),
                keep_start: 1,
                keep_end: 2,
                depth: 1,
            }),
            bytes: vec![0xFF, 0],
        });
        let mut records: Vec<Record> = KIND_NAMES
            .iter()
            .map(|(kind, _)| {
                let mut operation = operation();
                operation.kind = *kind;
                Record::Operation(operation)
            })
            .collect();
        records.extend([
            Record::Operation(full),
            Record::Done(1),
            Record::Abandoned(2),
        ]);
        for record in records {
            let line = record.line();
            let body = line.strip_suffix(b"\n").unwrap();
            assert!(!body.contains(&b'\n'));
            assert_eq!(Record::parse(body), Some(record));
        }
    }

    #[test]
    fn a_line_with_any_byte_changed_or_cut_is_no_record() {
        let line = Record::Operation(operation()).line();
        let body = line.strip_suffix(b"\n").unwrap();
        for end in 0..body.len() {
            assert_eq!(Record::parse(&body[..end]), None, "cut at {end}");
        }
        for at in 0..body.len() {
            let mut damaged = body.to_vec();
            damaged[at] ^= 1;
            assert_eq!(Record::parse(&damaged), None, "changed at {at}");
        }
    }
}

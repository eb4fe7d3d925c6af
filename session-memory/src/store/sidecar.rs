//! The side-car: what belongs to the Markdown and must not stand in it.

use std::collections::BTreeMap;

use memdir::ContentHash;
use serde::{Deserialize, Serialize};

use super::cursor::Cursor;
use crate::ledger::LedgerText;

/// The only version there is.
const VERSION: u32 = 1;

/// Who wrote the committed notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Author {
    /// The action ledger, without a model.
    Ledger,
    /// A side agent.
    Model,
    /// A person, with an editor.
    Person,
}

impl Author {
    /// Returns the name in the side-car and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Author::Ledger => "ledger",
            Author::Model => "model",
            Author::Person => "person",
        }
    }
}

/// The side-car's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideCar {
    /// Counts commits, so that a reader never takes two states for one.
    pub(crate) revision: u64,
    pub(crate) cursor: Option<Cursor>,
    /// The committed text. Always the one whose digest stands beside it in the file.
    pub(crate) text: String,
    pub(crate) author: Author,
    pub(crate) ledger: LedgerText,
    /// There until the Markdown is known to hold `text`.
    pub(crate) pending: Option<Pending>,
}

/// What the pair was before a commit that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// The digest of the Markdown that is being replaced; `None` when there was none.
    pub(crate) previous: Option<ContentHash>,
    /// The cursor that belonged to it.
    pub(crate) cursor: Option<Cursor>,
}

/// Why a side-car says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// No JSON of this form, or text and digest differ.
    Damaged,
    /// A later version than this crate knows.
    TooNew,
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cursor: Option<CursorForm>,
    digest: String,
    text: String,
    author: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    ledger: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<PendingForm>,
}

#[derive(Serialize, Deserialize)]
struct CursorForm {
    message: String,
    digest: String,
    tokens: u64,
}

#[derive(Serialize, Deserialize)]
struct PendingForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cursor: Option<CursorForm>,
}

#[derive(Deserialize)]
struct VersionOnly {
    v: u32,
}

impl SideCar {
    /// Reads a side-car.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        // A later version may have other keys, so its number is looked at alone.
        let version: VersionOnly =
            serde_json::from_slice(bytes).map_err(|_| Unreadable::Damaged)?;
        if version.v > VERSION {
            return Err(Unreadable::TooNew);
        }
        let form: Form = serde_json::from_slice(bytes).map_err(|_| Unreadable::Damaged)?;
        Self::from_form(form).ok_or(Unreadable::Damaged)
    }

    fn from_form(form: Form) -> Option<Self> {
        if form.v != VERSION || hash(&form.digest)? != ContentHash::of(form.text.as_bytes()) {
            return None;
        }
        Some(SideCar {
            revision: form.revision,
            cursor: cursor(form.cursor)?,
            text: form.text,
            author: match form.author.as_str() {
                "ledger" => Author::Ledger,
                "model" => Author::Model,
                "person" => Author::Person,
                _ => return None,
            },
            ledger: LedgerText::new(form.ledger),
            pending: match form.pending {
                None => None,
                Some(pending) => Some(Pending {
                    previous: match pending.previous {
                        None => None,
                        Some(digest) => Some(hash(&digest)?),
                    },
                    cursor: cursor(pending.cursor)?,
                }),
            },
        })
    }

    /// Returns the digest of the committed text.
    pub(crate) fn digest(&self) -> ContentHash {
        ContentHash::of(self.text.as_bytes())
    }

    /// Returns the file's bytes.
    pub(crate) fn print(&self) -> Vec<u8> {
        let cursor = |cursor: &Option<Cursor>| {
            cursor.as_ref().map(|cursor| CursorForm {
                message: cursor.message_id().to_owned(),
                digest: cursor.digest().to_string(),
                tokens: cursor.context_tokens(),
            })
        };
        let owned = |(heading, text): (&str, &str)| (heading.to_owned(), text.to_owned());
        let form = Form {
            v: VERSION,
            revision: self.revision,
            cursor: cursor(&self.cursor),
            digest: self.digest().to_string(),
            text: self.text.clone(),
            author: self.author.as_str().to_owned(),
            ledger: self.ledger.sections().map(owned).collect(),
            pending: self.pending.as_ref().map(|pending| PendingForm {
                previous: pending.previous.map(|digest| digest.to_string()),
                cursor: cursor(&pending.cursor),
            }),
        };
        let mut bytes = serde_json::to_vec_pretty(&form)
            .expect("a form of texts and numbers because its maps have text keys");
        bytes.push(b'\n');
        bytes
    }
}

fn hash(digits: &str) -> Option<ContentHash> {
    digits.parse().ok()
}

/// `None` for a cursor that cannot be read; `Some(None)` for none.
#[expect(
    clippy::option_option,
    reason = "the outer one is the failure, and `?` wants an option"
)]
fn cursor(form: Option<CursorForm>) -> Option<Option<Cursor>> {
    let Some(form) = form else {
        return Some(None);
    };
    let digest = hash(&form.digest)?;
    Some(Some(Cursor::from_parts(form.message, digest, form.tokens)))
}

//! The bodies that travel.
//!
//! Fields that are not known are ignored in both directions. What is not part of the base form stands
//! behind `Option` or may be empty, and is then left out, so that a body of the base form looks as it
//! always did. Keys and checksums are plain text here: a bad one costs its entry, not the answer.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, ErrorKind};
use crate::limits::{MAX_ANSWER_BYTES, MAX_ANSWER_DEPTH, MAX_ANSWER_KEYS};

/// The path of the one resource, below the server's address.
pub const PATH: &str = "/api/claude_code/team_memory";

/// What a peer can do beyond the base form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Capabilities {
    /// The names of the extensions, such as `bases`, `deletes`, `op_id`, `since`, `keys`, `wait`.
    pub features: Vec<String>,
    /// The scopes the token has; `None` counts as all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
}

impl Capabilities {
    /// Whether an extension is announced.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }
}

/// A deletion, kept so that it can be told from a gap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Tombstone {
    /// The version that deleted the entry.
    #[serde(deserialize_with = "version_text")]
    pub version: String,
    /// The checksum of what was deleted.
    pub checksum: String,
    /// When; shown to people, never compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Who; shown to people, never trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Tombstone {
    /// The deletion of an entry with `checksum` by `version`.
    pub fn new(version: impl Into<String>, checksum: impl Into<String>) -> Self {
        Self {
            version: version.into(),
            checksum: checksum.into(),
            at: None,
            by: None,
        }
    }
}

/// The answer to `GET`: everything, or without `entries` the hashes view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Snapshot {
    /// The repository, such as `owner/name`.
    pub repo: String,
    /// The version; decimal digits.
    #[serde(deserialize_with = "version_text")]
    pub version: String,
    /// When it last changed; shown to people, never compared.
    pub updated_at: String,
    /// The texts by key; `None` in the hashes view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<BTreeMap<String, String>>,
    /// The checksums by key.
    pub checksums: BTreeMap<String, String>,
    /// Deleted entries; extension `deletes`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tombstones: BTreeMap<String, Tombstone>,
    /// What the server can do beyond the base form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// With `since`: only what changed after this version is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// The body of `PUT`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Put {
    /// The texts to store, by key. Other entries stay.
    pub entries: BTreeMap<String, String>,
    /// Per key the checksum the change is based on, `null` for "not there"; extension `bases`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bases: Option<BTreeMap<String, Option<String>>>,
    /// Keys to delete; extension `deletes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deletes: Vec<String>,
    /// Names the operation, so that a repeated request is answered as the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op_id: Option<String>,
    /// The same as `If-Match`, for the way through proxies that remove the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<String>,
    /// Who; shown in the history, never trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Which program; shown in the history, never trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// The answer to a `PUT` that was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct PutDone {
    /// The version after the change; decimal digits.
    #[serde(deserialize_with = "version_text")]
    pub version: String,
    /// The checksums of the keys that were stored.
    pub checksums: BTreeMap<String, String>,
    /// Whether this repeats the answer to an earlier request with the same `op_id`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// A credential in an entry, named by its rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SecretFound {
    /// The entry.
    pub key: String,
    /// The id of the rule.
    pub rule: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl SecretFound {
    /// A credential of the kind `rule` in the entry `key`.
    pub fn new(key: impl Into<String>, rule: impl Into<String>, line: Option<u64>) -> Self {
        Self {
            key: key.into(),
            rule: rule.into(),
            line,
        }
    }
}

/// An error answer: `application/problem+json` (RFC 9457) with our members at the top level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Problem {
    /// A URI that names the kind; `about:blank` where the status says it all.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short sentence about the kind.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened here and what to do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// A stable name, such as `too_many_entries`, `body_too_large`, `entry_too_large`, `secret_found`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// 412: the version now.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "some_version_text"
    )]
    pub version: Option<String>,
    /// 413 `too_many_entries`: the most entries of a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_entries: Option<u64>,
    /// 413 `body_too_large`: the largest body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body_bytes: Option<u64>,
    /// The keys it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// 422 `secret_found`: which rule found something in which entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<SecretFound>,
}

impl Problem {
    /// An error answer with a status, a stable name and what a person can do.
    pub fn new(status: u16, code: &str, title: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank".into(),
            title: title.into(),
            status,
            detail: detail.into(),
            code: code.into(),
            ..Self::default()
        }
    }
}

/// Reads a body within the limits of a peer.
///
/// # Errors
///
/// [`ErrorKind::TooLarge`] over 32 MiB, 10,000 keys or 32 levels; [`ErrorKind::Body`] when it is not of the form
/// asked for. Neither repeats anything of the body.
pub fn read<T: DeserializeOwned + Bounded>(bytes: &[u8]) -> Result<T, Error> {
    let too_large =
        |what: &str| Error::new(ErrorKind::TooLarge, format!("a body has more than {what}"));
    if bytes.len() > MAX_ANSWER_BYTES {
        return Err(too_large("32 MiB"));
    }
    if depth(bytes) > MAX_ANSWER_DEPTH {
        return Err(too_large("32 levels"));
    }
    let not_ours = |place: &str| {
        Error::new(
            ErrorKind::Body,
            format!("a body is not of the wire form: {place}"),
        )
    };
    // serde would read a list as the fields in their order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(not_ours("it is no object"));
    }
    let body: T = serde_json::from_slice(bytes).map_err(|error| {
        // serde's own words can repeat a piece of the body.
        not_ours(&format!("line {} column {}", error.line(), error.column()))
    })?;
    if body.keys() > MAX_ANSWER_KEYS {
        return Err(too_large("10,000 keys"));
    }
    Ok(body)
}

/// A body whose number of keys is bounded.
pub trait Bounded {
    /// The size of its largest map or list.
    fn keys(&self) -> usize;
}

impl Bounded for Snapshot {
    fn keys(&self) -> usize {
        let entries = self.entries.as_ref().map_or(0, BTreeMap::len);
        entries.max(self.checksums.len()).max(self.tombstones.len())
    }
}

impl Bounded for Put {
    fn keys(&self) -> usize {
        let bases = self.bases.as_ref().map_or(0, BTreeMap::len);
        self.entries.len().max(self.deletes.len()).max(bases)
    }
}

impl Bounded for PutDone {
    fn keys(&self) -> usize {
        self.checksums.len()
    }
}

impl Bounded for Problem {
    fn keys(&self) -> usize {
        self.keys.len().max(self.findings.len())
    }
}

/// The deepest nesting of brackets outside of strings.
fn depth(bytes: &[u8]) -> usize {
    let (mut now, mut most, mut quoted, mut escaped) = (0usize, 0, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Versions are text; servers that send a number are understood.
fn version_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(some_version_text(deserializer)?.unwrap_or_default())
}

fn some_version_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Text(String),
        Number(u64),
    }
    Ok(
        Option::<Form>::deserialize(deserializer)?.map(|form| match form {
            Form::Text(text) => text,
            Form::Number(number) => number.to_string(),
        }),
    )
}

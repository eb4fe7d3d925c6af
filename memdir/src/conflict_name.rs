//! Names of conflict copies: the one place that decides how they look.

use std::fmt;

use crate::text::floor_boundary;

/// What stands between the stem and the client.
const SIGN: &str = ".conflict-";

/// The ending of every memory.
const ENDING: &str = ".md";

/// Hexadecimal digits of the hash.
const HASH_DIGITS: usize = 8;

/// The most bytes of a client's name in the name of a copy.
const MAX_CLIENT_BYTES: usize = 32;

/// The name of a conflict copy: `NAME.conflict-CLIENT-HASH8.md`.
///
/// Where two people have rewritten the same lines of a team memory, one text keeps the name and the other
/// lies beside it under such a name. A copy is shared and shown, and it is no memory: it is never listed in an
/// index, never recalled and never mended, so that a disputed text is not taken for knowledge. Every
/// crate asks [`ConflictName::parse`] and no one looks for the sign itself.
///
/// ```
/// use memdir::ConflictName;
///
/// let copy = ConflictName::parse("deploy.conflict-ana-1a2b3c4d.md").expect("a copy");
/// assert_eq!((copy.stem(), copy.client(), copy.hash()), ("deploy", "ana", "1a2b3c4d"));
/// assert_eq!(copy.original(), "deploy.md");
///
/// // Memories about conflicts are memories.
/// assert!(ConflictName::parse("git.conflict-resolution.md").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictName<'a> {
    stem: &'a str,
    client: &'a str,
    hash: &'a str,
}

impl<'a> ConflictName<'a> {
    /// Reads a file name or a path with `/`; `None` when it is not that of a conflict copy.
    ///
    /// A name that only looks like one, without a client or without eight lower-case hexadecimal digits at
    /// its end, is that of a memory.
    pub fn parse(path: &'a str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let body = name.strip_suffix(ENDING)?;
        let (stem, rest) = body.rsplit_once(SIGN)?;
        let (client, hash) = rest.rsplit_once('-')?;
        let is_client = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_copy = !stem.is_empty()
            && !client.is_empty()
            && client.bytes().all(is_client)
            && hash.len() == HASH_DIGITS
            && hash.bytes().all(is_digit);
        is_copy.then_some(Self { stem, client, hash })
    }

    /// Makes the name of a copy of the memory `name`, a file name, in at most `max_bytes`.
    ///
    /// The client's name is put into lower case and loses what a file name could not hold; `hash8` is the
    /// beginning of the hexadecimal hash of the text that is kept. The stem is cut where there is no room for
    /// all of it. A copy of a copy keeps the first one's stem, so that names do not grow.
    ///
    /// ```
    /// use memdir::ConflictName;
    ///
    /// let name = ConflictName::compose("deploy.md", "Ana's Mac", "1a2b3c4d", 255);
    /// assert_eq!(name, "deploy.conflict-ana-s-mac-1a2b3c4d.md");
    /// assert_eq!(ConflictName::compose(&name, "Ana's Mac", "1a2b3c4d", 255), name);
    /// ```
    pub fn compose(name: &str, client: &str, hash8: &str, max_bytes: usize) -> String {
        let stem = match ConflictName::parse(name) {
            Some(copy) => copy.stem,
            // The ending of a team memory may be in upper case.
            None => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
        };
        let ending = format!("{SIGN}{}-{hash8}{ENDING}", plain(client));
        let room = max_bytes.saturating_sub(ending.len());
        let stem = stem[..floor_boundary(stem, room)].trim_end_matches([' ', '.']);
        format!("{stem}{ending}")
    }

    /// The name of the memory it is a copy of, without `.md`; its beginning, when the name was too long.
    pub fn stem(&self) -> &'a str {
        self.stem
    }

    /// The file name of the memory it is a copy of.
    pub fn original(&self) -> String {
        format!("{}{ENDING}", self.stem)
    }

    /// The client that met the conflict.
    pub fn client(&self) -> &'a str {
        self.client
    }

    /// The first eight hexadecimal digits of the hash of the text as it was kept.
    pub fn hash(&self) -> &'a str {
        self.hash
    }
}

impl fmt::Display for ConflictName<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stem, client, hash } = self;
        write!(out, "{stem}{SIGN}{client}-{hash}{ENDING}")
    }
}

/// A client's name with nothing in it that a file name could not hold.
fn plain(client: &str) -> String {
    let name: String = client
        .chars()
        .map(|one| {
            if one.is_ascii_alphanumeric() {
                one.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .take(MAX_CLIENT_BYTES)
        .collect();
    let name = name.trim_matches('-');
    if name.is_empty() {
        "client".into()
    } else {
        name.into()
    }
}

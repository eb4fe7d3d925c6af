//! Entity tags: which state of a repository an answer shows.

use std::fmt;

/// What intermediaries append to a tag when they compress an answer.
const CODINGS: [&str; 4] = ["gzip", "br", "zstd", "deflate"];

/// An entity tag, reduced to what names the state.
///
/// Our servers send `"v<version>-<epoch>"`; other servers' tags are kept as they are. `W/`, the quotes and
/// the suffix of a content coding are removed before tags are compared. RFC 9110 (8.8.3.2) asks for a
/// strong comparison in `If-Match`; a tag that names a version is unique per version, so that a weakened
/// one still names the same state.
///
/// ```
/// use team_sync::Tag;
///
/// let tag = Tag::parse("W/\"v42-9f3a1c-gzip\"").expect("a tag");
/// assert_eq!(tag, Tag::new(42, "9f3a1c"));
/// assert_eq!((tag.version(), tag.epoch()), (Some(42), Some("9f3a1c")));
/// assert_eq!(tag.to_header(), "\"v42-9f3a1c\"");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tag(Box<str>);

impl Tag {
    /// The tag of one version inside an epoch.
    pub fn new(version: u64, epoch: &str) -> Self {
        Self(format!("v{version}-{epoch}").into())
    }

    /// Reads a header value. `None` when there is nothing in it, or something that no header may repeat.
    pub fn parse(header: &str) -> Option<Self> {
        // Again and again: what is stored has to read back as what it was.
        let mut text = header.trim();
        loop {
            let bare = without_marks(text);
            if bare.len() == text.len() {
                break;
            }
            text = bare;
        }
        let fits = |byte: u8| byte == 0x21 || (0x23..=0x7e).contains(&byte);
        (!text.is_empty() && text.len() <= 256 && text.bytes().all(fits)).then(|| Self(text.into()))
    }

    /// The version a tag of ours names. Never goes down inside one epoch.
    pub fn version(&self) -> Option<u64> {
        self.parts().map(|(version, _)| version)
    }

    /// The epoch a tag of ours names. Changes when a server was restored from a backup.
    pub fn epoch(&self) -> Option<&str> {
        self.parts().map(|(_, epoch)| epoch)
    }

    /// The value for `If-Match`, `If-None-Match` and `ETag`.
    pub fn to_header(&self) -> String {
        format!("\"{}\"", self.0)
    }

    /// The tag without quotes, as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parts(&self) -> Option<(u64, &str)> {
        let (version, epoch) = self.0.strip_prefix('v')?.split_once('-')?;
        let digits = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        (digits && !epoch.is_empty()).then_some(())?;
        Some((version.parse().ok()?, epoch))
    }
}

/// A tag without `W/`, quotes and one content coding.
fn without_marks(text: &str) -> &str {
    let text = text
        .strip_prefix("W/")
        .or_else(|| text.strip_prefix("w/"))
        .unwrap_or(text);
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    without_coding(text)
}

/// `v42-9f3a1c-gzip`, `v42-9f3a1c--gzip` and `v42-9f3a1c;gzip` without the coding.
fn without_coding(text: &str) -> &str {
    for coding in CODINGS {
        if let Some(rest) = text.strip_suffix(coding)
            && let Some(rest) = rest.strip_suffix('-').or_else(|| rest.strip_suffix(';'))
        {
            return rest.trim_end_matches('-');
        }
    }
    text
}

impl fmt::Display for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Tag({})", self.0)
    }
}

//! The one error type of this crate.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use crate::guard::SecretFinding;
use crate::hash::ContentHash;

/// Why an operation was not done.
///
/// The text names the file and, after a colon, what to do about it. It never holds file contents
/// or a matched secret, so that it may be logged. Nothing was changed when an operation returns an
/// error, unless the documentation of that operation says otherwise.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    path: Option<String>,
    remedy: Option<Cow<'static, str>>,
    candidates: Vec<String>,
    current: Option<CurrentState>,
    secrets: Vec<SecretFinding>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What went wrong, for callers that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No memory, revision, candidate or snapshot has this name.
    NotFound,
    /// Several memories have this title; [`Error::candidates`] lists their paths.
    Ambiguous,
    /// The file is not what the caller expected; [`Error::current`] says what it is now.
    StaleHash,
    /// Another process holds the folder's lock and did not let go within the wait.
    Busy,
    /// The text contains a credential; [`Error::secrets`] gives rules and lines.
    Secret,
    /// A file or an operation is over its limit.
    TooLarge,
    /// A path, setting, mode or argument does not allow this.
    Refused,
    /// A file of ours cannot be understood.
    Corrupt,
    /// The operating system failed.
    Io,
}

/// The state of a file at the moment an expectation about it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurrentState {
    /// The file, relative to the memory folder.
    pub path: String,
    /// The hash of its bytes, or `None` when there is no such file.
    pub hash: Option<ContentHash>,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Error {
    /// What went wrong, for callers that decide.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file or folder that the error is about, escaped for display.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// What the caller can do about it.
    pub fn remedy(&self) -> Option<&str> {
        self.0.remedy.as_deref()
    }

    /// The memories that a name could stand for. Empty unless the kind is
    /// [`ErrorKind::Ambiguous`].
    pub fn candidates(&self) -> &[String] {
        &self.0.candidates
    }

    /// The state of the file whose hash was not the expected one.
    pub fn current(&self) -> Option<&CurrentState> {
        self.0.current.as_ref()
    }

    /// Rules and lines of the credentials found. Empty unless the kind is [`ErrorKind::Secret`].
    pub fn secrets(&self) -> &[SecretFinding] {
        &self.0.secrets
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            path: None,
            remedy: None,
            candidates: Vec::new(),
            current: None,
            secrets: Vec::new(),
            source: None,
        }))
    }

    pub(crate) fn refused(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    pub(crate) fn corrupt(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    pub(crate) fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub(crate) fn too_large(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::TooLarge, message)
    }

    pub(crate) fn ambiguous(name: &str, mut candidates: Vec<String>) -> Self {
        candidates.sort();
        let list = candidates.join(", ");
        let mut error = Self::new(
            ErrorKind::Ambiguous,
            format!("{} memories are called `{}`", candidates.len(), shown(name)),
        )
        .with_remedy(format!("use one of these paths: {list}"));
        error.0.candidates = candidates;
        error
    }

    pub(crate) fn stale(message: &'static str, current: CurrentState) -> Self {
        let mut error = Self::new(ErrorKind::StaleHash, message).with_path(&current.path);
        let remedy: Cow<'static, str> = match current.hash {
            Some(hash) => {
                format!("read it again and repeat with the hash it has now, {hash}").into()
            }
            None => "read the folder again".into(),
        };
        error.0.current = Some(current);
        error.with_remedy(remedy)
    }

    pub(crate) fn secret(path: &str, secrets: Vec<SecretFinding>) -> Self {
        let list: Vec<String> = secrets
            .iter()
            .map(|secret| format!("{} in line {}", secret.rule, secret.line))
            .collect();
        let mut error = Self::new(
            ErrorKind::Secret,
            format!("a credential would be stored ({})", list.join(", ")),
        )
        .with_path(path)
        .with_remedy("take it out, or refer to where it is kept");
        error.0.secrets = secrets;
        error
    }

    #[must_use]
    pub(crate) fn with_path(mut self, path: impl AsRef<str>) -> Self {
        self.0.path = Some(shown(path.as_ref()));
        self
    }

    #[must_use]
    pub(crate) fn with_remedy(mut self, remedy: impl Into<Cow<'static, str>>) -> Self {
        self.0.remedy = Some(remedy.into());
        self
    }

    #[must_use]
    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        if let Some(path) = &inner.path {
            write!(formatter, "`{path}`: ")?;
        }
        formatter.write_str(&inner.message)?;
        if let Some(remedy) = &inner.remedy {
            write!(formatter, "; {remedy}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        formatter
            .debug_struct("Error")
            .field("kind", &inner.kind)
            .field("message", &self.to_string())
            .field("source", &inner.source)
            .finish_non_exhaustive()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

/// `text` without terminal escapes and no longer than a person wants to read.
pub(crate) fn shown(text: &str) -> String {
    const MAX_CHARACTERS: usize = 200;
    let mut shown = String::with_capacity(text.len().min(MAX_CHARACTERS));
    for (count, character) in text.chars().enumerate() {
        if count == MAX_CHARACTERS {
            shown.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Direction changes and zero-width characters, which can make one name look like another.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}'
    )
}

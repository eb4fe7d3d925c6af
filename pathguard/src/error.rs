//! What can go wrong, told apart as far as a caller can act on it.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::reason::TraversalReason;
use crate::shown::shown;

/// What kind of failure an [`Error`] is.
///
/// Only [`ErrorKind::NotFound`] means "missing". Everything else is a refusal or a failure: a caller
/// that treats, say, [`ErrorKind::Denied`] as "there is no such file" has opened a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The key, the path or the folder would lead, or could lead, to another place.
    /// [`Error::reason`] says which rule refused it.
    Traversal,
    /// The name exists and is neither a regular file nor what the operation asked for: a folder, a
    /// FIFO, a device, a socket.
    NotRegular,
    /// A folder was expected, and the name belongs to something else.
    NotDirectory,
    /// The file has more than one link, so that it may belong to another folder too.
    HardLink,
    /// The file is larger than the caller's bound.
    TooLarge,
    /// Two keys are the same name for some file system, or one needs the other as a folder.
    Collision,
    /// Symbolic links lead in a circle.
    Loop,
    /// A symbolic link leads to a name that does not exist.
    Dangling,
    /// The operating system refused access, or the owner or the mode of a folder is not acceptable.
    Denied,
    /// The name does not exist.
    NotFound,
    /// The name exists and the operation must not replace it.
    Exists,
    /// The folder is not empty.
    NotEmpty,
    /// A lock was not free within the bounded number of attempts.
    Busy,
    /// The root folder was moved, removed or replaced since it was opened, or a file was exchanged
    /// in the middle of an operation.
    Changed,
    /// Any other failure of input or output; see [`std::error::Error::source`].
    Io,
    /// The platform or the file system cannot do this.
    Unsupported,
}

impl ErrorKind {
    /// Returns a short stable name, such as `hard-link`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Traversal => "traversal",
            Self::NotRegular => "not-regular",
            Self::NotDirectory => "not-directory",
            Self::HardLink => "hard-link",
            Self::TooLarge => "too-large",
            Self::Collision => "collision",
            Self::Loop => "loop",
            Self::Dangling => "dangling",
            Self::Denied => "denied",
            Self::NotFound => "not-found",
            Self::Exists => "exists",
            Self::NotEmpty => "not-empty",
            Self::Busy => "busy",
            Self::Changed => "changed",
            Self::Io => "io",
            Self::Unsupported => "unsupported",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Traversal => "it could lead to another place",
            Self::NotRegular => "it is not a regular file",
            Self::NotDirectory => "it is not a folder",
            Self::HardLink => "the file has more than one link",
            Self::TooLarge => "the file is larger than the limit",
            Self::Collision => "another key has the same name on some file system",
            Self::Loop => "symbolic links lead in a circle",
            Self::Dangling => "a symbolic link leads to nothing",
            Self::Denied => "access denied",
            Self::NotFound => "no such file or folder",
            Self::Exists => "it exists already",
            Self::NotEmpty => "the folder is not empty",
            Self::Busy => "the lock is held by somebody else",
            Self::Changed => "it was exchanged or moved meanwhile",
            Self::Io => "input or output failed",
            Self::Unsupported => "not supported here",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of every operation in this crate.
///
/// It is one pointer wide. Its text names the key or the path, escaped and shortened so that it is
/// safe on a terminal, and never the contents of a file.
///
/// ```
/// use pathguard::{ErrorKind, PathKey, TraversalReason};
///
/// let error = PathKey::parse("notes/../../.ssh/id").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Traversal);
/// assert_eq!(error.reason(), Some(TraversalReason::DotComponent));
/// assert_eq!(error.key(), Some("notes/../../.ssh/id"));
/// assert_eq!(
///     error.to_string(),
///     r#"key "notes/../../.ssh/id": a component is "." or "..""#
/// );
/// ```
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    kind: ErrorKind,
    reason: Option<TraversalReason>,
    key: Option<String>,
    conflicting_key: Option<String>,
    path: Option<PathBuf>,
    source: Option<io::Error>,
}

impl Error {
    /// Returns what kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns the rule that refused a key or a path, when one did.
    pub fn reason(&self) -> Option<TraversalReason> {
        self.inner.reason
    }

    /// Returns the key in its shown form: control and direction characters escaped, long keys
    /// shortened in the middle. It is for people; it is not the key.
    pub fn key(&self) -> Option<&str> {
        self.inner.key.as_deref()
    }

    /// Returns, for [`ErrorKind::Collision`], the other key in its shown form.
    pub fn conflicting_key(&self) -> Option<&str> {
        self.inner.conflicting_key.as_deref()
    }

    /// Returns the path of the folder or setting that the failure is about, when it is not about a
    /// key.
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    /// Reports whether the name does not exist: the only failure that means "missing".
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    #[cold]
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self {
            inner: Box::new(Inner {
                kind,
                reason: None,
                key: None,
                conflicting_key: None,
                path: None,
                source: None,
            }),
        }
    }

    /// A refusal of a key or a path by a rule.
    #[cold]
    pub(crate) fn refused(reason: TraversalReason) -> Self {
        let mut error = Self::new(ErrorKind::Traversal);
        error.inner.reason = Some(reason);
        error
    }

    /// A failure that the operating system reported, with the kind that its number means.
    #[cold]
    pub(crate) fn io(source: io::Error) -> Self {
        let mut error = Self::new(kind_of(&source));
        error.inner.source = Some(source);
        error
    }

    pub(crate) fn with_key(mut self, raw: &str) -> Self {
        self.inner.key = Some(shown(raw));
        self
    }

    pub(crate) fn with_conflicting_key(mut self, raw: &str) -> Self {
        self.inner.conflicting_key = Some(shown(raw));
        self
    }

    pub(crate) fn with_path(mut self, path: &Path) -> Self {
        self.inner.path = Some(path.to_owned());
        self
    }

    pub(crate) fn with_source(mut self, source: io::Error) -> Self {
        self.inner.source = Some(source);
        self
    }
}

/// Tells the failures of the operating system apart. Unknown ones stay [`ErrorKind::Io`]: an
/// unknown failure must never look like a missing file.
fn kind_of(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ErrorKind::Denied,
        io::ErrorKind::AlreadyExists => ErrorKind::Exists,
        io::ErrorKind::NotADirectory => ErrorKind::NotDirectory,
        io::ErrorKind::IsADirectory => ErrorKind::NotRegular,
        io::ErrorKind::DirectoryNotEmpty => ErrorKind::NotEmpty,
        io::ErrorKind::Unsupported => ErrorKind::Unsupported,
        _ => ErrorKind::Io,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(key) = self.key() {
            write!(f, "key \"{key}\": ")?;
        } else if let Some(path) = self.path() {
            write!(f, "path \"{}\": ", shown(&path.to_string_lossy()))?;
        }
        match self.reason() {
            Some(reason) => f.write_str(reason.text())?,
            None => f.write_str(self.kind().text())?,
        }
        if let Some(other) = self.conflicting_key() {
            write!(f, " (the other is \"{other}\")")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.inner.kind)
            .field("reason", &self.inner.reason)
            .field("key", &self.inner.key)
            .field("conflicting_key", &self.inner.conflicting_key)
            .field("path", &self.inner.path)
            .field("source", &self.inner.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_ref().map(|source| source as _)
    }
}

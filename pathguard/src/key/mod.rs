//! Checked keys: the proof that a relative name stays below the folder it is used in.

mod check;
mod class;
mod decode;
mod rules;
mod set;

use std::fmt;

pub(crate) use check::{TEMPORARY_PREFIX, is_temporary_name};
pub use rules::{KeyRules, MAX_COMPONENT_BYTES, MAX_KEY_BYTES, MAX_KEY_LEVELS};
pub use set::{KeySet, fold_key};

use crate::error::Error;
use crate::reason::TraversalReason;
use crate::shown::shown;

/// A checked relative key such as `team/feedback_tests.md`, owned.
///
/// [`PathKey::parse`] is the only way in. The text is kept exactly as it was given: nothing is
/// decoded, folded or normalised, so what was checked is what is used. It deliberately does not
/// convert to a [`std::path::Path`] and cannot be joined to one: a key is used through a
/// [`MemoryRoot`](crate::MemoryRoot), which opens it without following anything.
///
/// ```
/// use pathguard::PathKey;
///
/// let key = PathKey::parse("team/feedback_tests.md")?;
/// assert_eq!(key.as_str(), "team/feedback_tests.md");
/// assert_eq!(key.parent().unwrap().as_str(), "team");
/// assert!(PathKey::parse("../feedback_tests.md").is_err());
/// # Ok::<(), pathguard::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathKey(Box<str>);

impl PathKey {
    /// Checks `raw` with the default [`KeyRules`] and takes a copy.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Traversal`](crate::ErrorKind::Traversal) with the
    /// [`TraversalReason`](crate::TraversalReason) that refused it.
    pub fn parse(raw: &str) -> Result<Self, Error> {
        PathKeyRef::parse(raw).map(PathKeyRef::to_owned)
    }

    /// As [`PathKey::parse`], for those who do not want an error with the key in it.
    pub(crate) fn checked(raw: impl AsRef<str> + Into<Box<str>>) -> Result<Self, TraversalReason> {
        PathKeyRef::check(raw.as_ref()).map(|()| Self(raw.into()))
    }

    /// Returns the borrowed form.
    pub fn as_ref(&self) -> PathKeyRef<'_> {
        PathKeyRef(&self.0)
    }

    /// Returns the text, exactly as it was given to [`PathKey::parse`].
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key of `name` inside this one.
    ///
    /// `name` may have several components; the whole result is checked, so that it is a key too.
    ///
    /// # Errors
    ///
    /// As [`PathKey::parse`].
    pub fn child(&self, name: &str) -> Result<PathKey, Error> {
        let raw = format!("{}/{name}", self.0);
        match check::check(&raw, &KeyRules::NONE) {
            Ok(()) => Ok(Self(raw.into_boxed_str())),
            Err(reason) => Err(Error::refused(reason).with_key(&raw)),
        }
    }

    /// Returns the key of the folder this one lies in, or `None` when that is the root.
    pub fn parent(&self) -> Option<PathKey> {
        self.as_ref().parent().map(PathKeyRef::to_owned)
    }
}

/// A checked relative key, borrowed.
///
/// Parsing does not allocate, and takes a single pass over the text.
///
/// ```
/// use pathguard::PathKeyRef;
///
/// let key = PathKeyRef::parse("logs/2026/03/2026-03-31.md")?;
/// assert_eq!(key.file_name(), "2026-03-31.md");
/// assert_eq!(key.extension(), Some("md"));
/// assert_eq!(key.components().count(), 4);
/// # Ok::<(), pathguard::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathKeyRef<'a>(&'a str);

impl<'a> PathKeyRef<'a> {
    /// Checks `raw` with the default [`KeyRules`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Traversal`](crate::ErrorKind::Traversal) with the
    /// [`TraversalReason`](crate::TraversalReason) that refused it.
    pub fn parse(raw: &'a str) -> Result<Self, Error> {
        Self::parse_with(raw, &KeyRules::NONE)
    }

    /// Checks `raw` with `rules`.
    ///
    /// # Errors
    ///
    /// As [`PathKeyRef::parse`]; also when the extension is not one the rules allow.
    ///
    /// ```
    /// use pathguard::{KeyRules, PathKeyRef, TraversalReason};
    ///
    /// let markdown = KeyRules::markdown();
    /// assert!(PathKeyRef::parse_with("team/MEMORY.md", &markdown).is_ok());
    /// let refused = PathKeyRef::parse_with("team/run.sh", &markdown).unwrap_err();
    /// assert_eq!(refused.reason(), Some(TraversalReason::Extension));
    /// ```
    pub fn parse_with(raw: &'a str, rules: &KeyRules) -> Result<Self, Error> {
        match check::check(raw, rules) {
            Ok(()) => Ok(Self(raw)),
            Err(reason) => Err(Error::refused(reason).with_key(raw)),
        }
    }

    /// The rules alone, for those who do not want an error with the key in it.
    pub(crate) fn check(raw: &str) -> Result<(), TraversalReason> {
        check::check(raw, &KeyRules::NONE)
    }

    /// Returns the text, exactly as it was given.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns the components, the outermost folder first. There is at least one.
    pub fn components(self) -> impl Iterator<Item = &'a str> {
        self.0.split('/')
    }

    /// Returns the last component.
    pub fn file_name(self) -> &'a str {
        self.split().1
    }

    /// Returns the key of the folder this one lies in, or `None` when that is the root.
    pub fn parent(self) -> Option<PathKeyRef<'a>> {
        self.split().0.map(PathKeyRef)
    }

    /// Returns what follows the last full stop of the last component, without the full stop.
    ///
    /// A name that only begins with a full stop, such as `.gitignore`, has no extension.
    pub fn extension(self) -> Option<&'a str> {
        match self.file_name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => Some(extension),
            _ => None,
        }
    }

    /// Returns an owned copy.
    pub fn to_owned(self) -> PathKey {
        PathKey(self.0.into())
    }

    /// Reports whether this key lies in the folder at `other`.
    pub(crate) fn is_below(self, other: PathKeyRef<'_>) -> bool {
        self.0
            .strip_prefix(other.0)
            .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Splits off the last component.
    pub(crate) fn split(self) -> (Option<&'a str>, &'a str) {
        match self.0.rsplit_once('/') {
            Some((parent, leaf)) => (Some(parent), leaf),
            None => (None, self.0),
        }
    }
}

impl<'a> From<&'a PathKey> for PathKeyRef<'a> {
    fn from(key: &'a PathKey) -> Self {
        key.as_ref()
    }
}

impl From<PathKeyRef<'_>> for PathKey {
    fn from(key: PathKeyRef<'_>) -> Self {
        key.to_owned()
    }
}

impl fmt::Display for PathKeyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.0))
    }
}

impl fmt::Debug for PathKeyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", shown(self.0))
    }
}

impl fmt::Display for PathKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_ref(), f)
    }
}

impl fmt::Debug for PathKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_ref(), f)
    }
}

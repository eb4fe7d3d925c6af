//! The few ways in which this crate touches files, all through `pathguard` handles.

use pathguard::{FileRead, MemoryRoot, PathKey, PathKeyRef};

use crate::error::{Error, ErrorKind};

/// A key that is spelled out in this crate's source.
pub(crate) fn key(literal: &'static str) -> PathKey {
    PathKey::parse(literal).expect("a literal key is valid because a test opens every one of them")
}

/// The key of a file `<folder>/<id><suffix>` whose id comes from a caller: one plain name.
pub(crate) fn key_of_id(folder: &str, id: &str, suffix: &str) -> Result<PathKey, Error> {
    let parsed =
        PathKey::parse(&format!("{folder}/{id}{suffix}")).map_err(|failure| error(failure, id))?;
    let is_plain = !id.is_empty() && !id.starts_with('.') && !id.contains('/');
    if is_plain {
        Ok(parsed)
    } else {
        Err(Error::refused("an id is one plain name").with_path(id))
    }
}

/// Translates an error of the file layer; `path` is the file as the caller knows it.
pub(crate) fn error(error: pathguard::Error, path: &str) -> Error {
    use pathguard::ErrorKind as Kind;
    let (kind, message, remedy) = match error.kind() {
        Kind::NotFound => (ErrorKind::NotFound, "does not exist", None),
        Kind::Busy => (
            ErrorKind::Busy,
            "another process is writing to this memory folder",
            Some("try again in a moment"),
        ),
        Kind::TooLarge => (
            ErrorKind::TooLarge,
            "larger than the limit",
            Some("shorten or split it"),
        ),
        Kind::Denied => (
            ErrorKind::Io,
            "not permitted by the operating system",
            Some("check owner and permissions"),
        ),
        Kind::Changed => (
            ErrorKind::Refused,
            "the memory folder was replaced while it was open",
            Some("open the store again"),
        ),
        Kind::Exists => (ErrorKind::StaleHash, "already exists", None),
        Kind::Io => (ErrorKind::Io, "cannot be read or written", None),
        _ => (ErrorKind::Refused, "not allowed as a path", None),
    };
    let mapped = Error::new(kind, message).with_path(path);
    let mapped = match remedy {
        Some(remedy) => mapped.with_remedy(remedy),
        // The reason is in the cause, and a person needs it to know which name to change.
        None if kind == ErrorKind::Refused => mapped.with_remedy(error.to_string()),
        None => mapped,
    };
    mapped.with_source(error)
}

/// Reads a file, or `None` when there is none. Only a missing file counts as missing.
pub(crate) fn read_if_exists(
    root: &MemoryRoot,
    key: PathKeyRef<'_>,
    max_bytes: u64,
) -> Result<Option<FileRead>, Error> {
    match root.read(key, max_bytes) {
        Ok(read) => Ok(Some(read)),
        Err(failure) if failure.kind() == pathguard::ErrorKind::NotFound => Ok(None),
        Err(failure) => Err(error(failure, key.as_str())),
    }
}

/// Reads `max_bytes` of a file from `offset` on.
pub(crate) fn read_range(
    root: &MemoryRoot,
    key: PathKeyRef<'_>,
    offset: u64,
    max_bytes: u64,
) -> Result<Vec<u8>, Error> {
    root.read_range(key, offset, max_bytes)
        .map(|read| read.bytes)
        .map_err(|failure| error(failure, key.as_str()))
}

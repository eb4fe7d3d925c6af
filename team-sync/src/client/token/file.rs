//! A token in a file that only its owner can read.

use std::path::{Path, PathBuf};

use pathguard::{MemoryRoot, PathKey, RootOptions};

use super::{MOST_BYTES, TokenProvider, parse};
use crate::client::http::Token;
use crate::error::{Error, ErrorKind};

/// A token in a file. It has to be there, and nobody but its owner may be able to read it.
#[derive(Clone, Debug)]
pub struct FileToken {
    path: PathBuf,
}

impl FileToken {
    /// The file, as an absolute path. A link to it is followed: people keep such files elsewhere.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl TokenProvider for FileToken {
    fn token(&self) -> Result<Option<Token>, Error> {
        let bytes = read_private(&self.path)?.ok_or_else(|| {
            let text = format!("the token file {} is not there", self.path.display());
            Error::new(ErrorKind::Token, text)
        })?;
        let place = self.path.display().to_string();
        parse(&bytes, &place).map(Some)
    }
}

/// The bytes of a file that only its owner can read; `None` when it is not there.
///
/// The permissions are those of the file that was opened, not of one that may have taken its place.
pub(super) fn read_private(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let refused = |why: String| {
        Error::new(
            ErrorKind::Token,
            format!("the token file {} {why}", path.display()),
        )
    };
    let target = match std::fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(format!("cannot be reached: {error}"))),
    };
    let unreadable = |error: pathguard::Error| refused(format!("cannot be read: {error}"));
    let (Some(folder), Some(name)) = (
        target.parent(),
        target.file_name().and_then(|name| name.to_str()),
    ) else {
        return Err(refused("is not a file".into()));
    };
    let root = MemoryRoot::open(folder, &RootOptions::new()).map_err(unreadable)?;
    let key = PathKey::parse(name).map_err(unreadable)?;
    let read = root
        .read(key.as_ref(), MOST_BYTES as u64)
        .map_err(unreadable)?;
    // Windows has no such bits; there the folder's access list protects what lies in a home.
    if cfg!(unix) && read.metadata.mode & 0o077 != 0 {
        let mode = read.metadata.mode & 0o777;
        return Err(refused(format!(
            "can be read by others (mode {mode:03o}); run chmod 600, and replace the token if they may have"
        )));
    }
    Ok(Some(read.bytes))
}

//! Small files in the state folder, one for each session.

use pathguard::{ErrorKind as FileErrorKind, ListLimits, MemoryRoot, PathKey, SyncPolicy};
use pathguard::{PathKeyRef, WriteOptions};

use crate::error::Error;
use crate::files;
use crate::hash::ContentHash;
use crate::limits::{SESSION_FILE_MAX_BYTES, SESSION_FILES_MAX};

/// Longer session ids get a file name made from a hash.
const PLAIN_NAME_MAX_BYTES: usize = 100;

/// Hexadecimal digits of the hash that stands for an id that is no plain name.
const HASH_DIGITS: usize = 40;

/// A folder of the state folder that holds one small file for each session.
///
/// What a session must remember between two processes, or what people may ask about it later, lies in such
/// folders. The number of files and the size of each are bounded; the file of a session is found by its id,
/// which may be any text. All methods take the state folder, [`Store::state_root`](crate::Store::state_root).
///
/// ```
/// use memdir::SessionFiles;
/// use memdir::pathguard::{MemoryRoot, SyncPolicy};
///
/// const NOTES: SessionFiles = SessionFiles::new("notes", "json").with_max_files(50);
///
/// let scratch = tempfile::tempdir()?;
/// let state = MemoryRoot::open(scratch.path(), &Default::default())?;
/// assert_eq!(NOTES.read(&state, "5c0375b4")?, None);
/// NOTES.write(&state, "5c0375b4", b"{}", SyncPolicy::None)?;
/// assert_eq!(NOTES.read(&state, "5c0375b4")?.as_deref(), Some(&b"{}"[..]));
/// assert_eq!(NOTES.key("5c0375b4").as_str(), "notes/5c0375b4.json");
///
/// // An id may be anything; what is no plain name in lower case is hashed.
/// NOTES.write(&state, "../../etc/passwd", b"{}", SyncPolicy::None)?;
/// assert!(NOTES.key("../../etc/passwd").as_str().starts_with("notes/x-"));
/// assert_eq!(NOTES.keys(&state)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionFiles {
    folder: &'static str,
    extension: &'static str,
    max_files: usize,
    max_bytes: u64,
}

impl SessionFiles {
    /// Files `<folder>/<session>.<extension>`, within
    /// [`SESSION_FILES_MAX`] and [`SESSION_FILE_MAX_BYTES`].
    pub const fn new(folder: &'static str, extension: &'static str) -> Self {
        Self {
            folder,
            extension,
            max_files: SESSION_FILES_MAX,
            max_bytes: SESSION_FILE_MAX_BYTES,
        }
    }

    /// Sets how many files [`SessionFiles::prune`] leaves.
    #[must_use]
    pub const fn with_max_files(mut self, max_files: usize) -> Self {
        self.max_files = max_files;
        self
    }

    /// Sets the size of the largest file that is read, in bytes. What is larger counts as missing.
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// The folder, relative to the state folder.
    pub fn folder(&self) -> &'static str {
        self.folder
    }

    /// The size of the largest file that is read, in bytes.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// The file of a session, relative to the state folder.
    ///
    /// An id is taken as it is when it is a plain name in lower case; anything else, `../x` among it, is
    /// hashed: two ids never share a file, on file systems that know no case either.
    ///
    /// # Panics
    ///
    /// When folder or extension are no plain names; they stand in the caller's source.
    pub fn key(&self, session: &str) -> PathKey {
        let name = plain_name(session);
        PathKey::parse(&format!("{}/{name}.{}", self.folder, self.extension))
            .expect("a key because folder, name and extension are plain")
    }

    /// Reads the file of a session; `None` when it is missing or larger than ours ever are.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) or [`ErrorKind::Refused`](crate::ErrorKind::Refused) when it
    /// cannot be read.
    pub fn read(&self, state: &MemoryRoot, session: &str) -> Result<Option<Vec<u8>>, Error> {
        self.read_key(state, self.key(session).as_ref())
    }

    pub(crate) fn read_key(
        &self,
        state: &MemoryRoot,
        key: PathKeyRef<'_>,
    ) -> Result<Option<Vec<u8>>, Error> {
        match state.read(key, self.max_bytes) {
            Ok(read) => Ok(Some(read.bytes)),
            Err(error) => match error.kind() {
                FileErrorKind::NotFound | FileErrorKind::TooLarge => Ok(None),
                _ => Err(files::error(error, key.as_str())),
            },
        }
    }

    /// Writes the file of a session whole: after a crash it holds the old bytes or the new ones. With
    /// [`SyncPolicy::Full`] also after a crash of the machine.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) or [`ErrorKind::Refused`](crate::ErrorKind::Refused) when it
    /// cannot be written.
    pub fn write(
        &self,
        state: &MemoryRoot,
        session: &str,
        bytes: &[u8],
        sync: SyncPolicy,
    ) -> Result<(), Error> {
        write_key(state, self.key(session).as_ref(), bytes, sync)
    }

    /// Removes the file of a session; `false` when there was none.
    ///
    /// # Errors
    ///
    /// As [`SessionFiles::write`].
    pub fn remove(&self, state: &MemoryRoot, session: &str) -> Result<bool, Error> {
        let key = self.key(session);
        match state.remove(key.as_ref()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(false),
            Err(error) => Err(files::error(error, key.as_str())),
        }
    }

    /// The files of all sessions, the longest unchanged first.
    ///
    /// # Errors
    ///
    /// As [`SessionFiles::read`], for the folder.
    pub fn keys(&self, state: &MemoryRoot) -> Result<Vec<PathKey>, Error> {
        let failed = |error| files::error(error, self.folder);
        let folder = PathKey::parse(self.folder).map_err(failed)?;
        let folder = match state.open_sub(folder.as_ref()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let limits = ListLimits::new().with_max_depth(1).with_metadata(true);
        let listing = folder.list(&limits).map_err(failed)?;
        let suffix = format!(".{}", self.extension);
        let mut found: Vec<(i128, PathKey)> = listing
            .entries
            .into_iter()
            .filter(|entry| entry.key.as_str().ends_with(&suffix))
            .filter_map(|entry| {
                let key =
                    PathKey::parse(&format!("{}/{}", self.folder, entry.key.as_str())).ok()?;
                Some((entry.metadata?.modified_ns, key))
            })
            .collect();
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, key)| key).collect())
    }

    /// Removes the files of the sessions that are too many, the longest unchanged first, and says how many
    /// went. Failing is no harm: the next one tries again.
    pub fn prune(&self, state: &MemoryRoot) -> usize {
        let keys = self.keys(state).unwrap_or_default();
        let surplus = keys.len().saturating_sub(self.max_files);
        let surplus = keys.iter().take(surplus);
        // Another process may have been faster.
        surplus
            .filter(|key| state.remove(key.as_ref()).is_ok())
            .count()
    }
}

pub(crate) fn write_key(
    state: &MemoryRoot,
    key: PathKeyRef<'_>,
    bytes: &[u8],
    sync: SyncPolicy,
) -> Result<(), Error> {
    let options = WriteOptions::new()
        .with_create_parents(true)
        .with_sync(sync);
    let written = state.write(key, bytes, &options);
    written
        .map(drop)
        .map_err(|error| files::error(error, key.as_str()))
}

/// A file name for an id that may be any text: the id itself where it is a plain name in lower case, else `x-` and
/// 40 digits of its SHA-256.
///
/// No two ids share a name, on file systems that know no case either.
///
/// ```
/// assert_eq!(memdir::plain_name("5c0375b4-57a5"), "5c0375b4-57a5");
/// for id in ["", "../x", "Upper", "nul", "部署"] {
///     assert!(memdir::plain_name(id).starts_with("x-"));
/// }
/// ```
pub fn plain_name(id: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    let is_short = (1..=PLAIN_NAME_MAX_BYTES).contains(&id.len());
    // A name such as `nul` is none on Windows and refused as a key.
    if is_short && id.bytes().all(is_plain) && PathKeyRef::parse(id).is_ok() {
        return id.to_owned();
    }
    let hash = ContentHash::of(id.as_bytes()).to_string();
    format!("x-{}", &hash[..HASH_DIGITS])
}

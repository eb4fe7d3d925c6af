//! Small files in the state folder, one per session or one for all.

use memdir::ContentHash;
use pathguard::{ErrorKind, ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteOptions};

use crate::error::Error;

/// Longer session ids get a file name made from a hash.
const MAX_PLAIN_NAME: usize = 100;

/// Returns the key of a session's file in a folder.
///
/// An id is taken as it is when it is a plain name in lower case; anything else, `../x` among it, is
/// hashed: two ids never share a file on a file system that knows no case.
pub(crate) fn session_key(folder: &str, session: &str, extension: &str) -> PathKey {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    let plain = (1..=MAX_PLAIN_NAME).contains(&session.len()) && session.bytes().all(is_plain);
    let hashed = || {
        let hash = ContentHash::of(session.as_bytes()).to_string();
        format!(
            "x-{}",
            hash.chars()
                .filter(char::is_ascii_alphanumeric)
                .take(40)
                .collect::<String>()
        )
    };
    if plain && let Ok(key) = PathKey::parse(&format!("{folder}/{session}.{extension}")) {
        // A name such as `nul` is none on Windows and refused by the key.
        return key;
    }
    PathKey::parse(&format!("{folder}/{}.{extension}", hashed()))
        .expect("a key because folder and extension are ours and a hash is plain")
}

/// Returns the key of one of our own files.
pub(crate) fn own_key(name: &str) -> PathKey {
    PathKey::parse(name).expect("a key because the name is ours")
}

/// Reads a file; `None` when it is missing or larger than the limit, which ours never are.
pub(crate) fn read(
    root: &MemoryRoot,
    key: &PathKey,
    max_bytes: u64,
    what: &str,
) -> Result<Option<Vec<u8>>, Error> {
    match root.read(key.as_ref(), max_bytes) {
        Ok(read) => Ok(Some(read.bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::TooLarge) => Ok(None),
        Err(error) => Err(Error::state(what, error)),
    }
}

/// Writes a file atomically.
pub(crate) fn write(
    root: &MemoryRoot,
    key: &PathKey,
    bytes: &[u8],
    sync: SyncPolicy,
    what: &str,
) -> Result<(), Error> {
    let mut options = WriteOptions::new().with_create_parents(true);
    options.sync = sync;
    root.write(key.as_ref(), bytes, &options)
        .map(drop)
        .map_err(|error| Error::state(what, error))
}

/// Keeps the newest files of a folder and removes the others. Failing is no harm: the next one tries
/// again.
pub(crate) fn prune(root: &MemoryRoot, folder: &str, keep: usize) {
    let mut files = files(root, folder);
    if files.len() <= keep {
        return;
    }
    files.sort_unstable();
    let surplus = files.len() - keep;
    for (_, key) in files.drain(..surplus) {
        drop(root.remove(key.as_ref()));
    }
}

/// The files of a folder with the time of their last change.
pub(crate) fn files(root: &MemoryRoot, folder: &str) -> Vec<(i128, PathKey)> {
    let Ok(sub) = root.open_sub(own_key(folder).as_ref()) else {
        return Vec::new();
    };
    let limits = ListLimits::new().with_max_depth(1).with_metadata(true);
    let Ok(listing) = sub.list(&limits) else {
        return Vec::new();
    };
    let found = listing.entries.into_iter().filter_map(|entry| {
        let modified = entry.metadata?.modified_ns;
        let key = PathKey::parse(&format!("{folder}/{}", entry.key.as_str())).ok()?;
        Some((modified, key))
    });
    found.collect()
}

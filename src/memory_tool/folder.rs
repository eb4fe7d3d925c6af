//! Changes in a plain folder, under its lock.

use std::time::Duration;

use pathguard::{
    Entry, EntryKind, ErrorKind, FolderLock, LockWait, MemoryRoot, PathKey, PathKeyRef,
    RenameOptions, WriteMode, WriteOptions,
};

use super::files::refused;
use super::path::LOCK_NAME;

/// How long to wait for another tool on the same folder; a change takes milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Takes the lock that all tools on this folder take.
pub(super) fn lock(root: &MemoryRoot) -> Result<FolderLock, String> {
    let key = PathKeyRef::parse(LOCK_NAME).map_err(|error| refused(LOCK_NAME, &error))?;
    root.lock(key, &LockWait::up_to(LOCK_WAIT))
        .map_err(|error| refused("/memories", &error))
}

/// Makes a file, or replaces it where that is allowed.
pub(super) fn create(
    root: &MemoryRoot,
    key: &PathKey,
    path: &str,
    text: &str,
    overwrites: bool,
) -> Result<bool, String> {
    let _lock = lock(root)?;
    let mode = if overwrites {
        WriteMode::CreateOrReplace
    } else {
        WriteMode::CreateNew
    };
    let options = WriteOptions::new()
        .with_mode(mode)
        .with_create_parents(true);
    match root.write(key.as_ref(), text.as_bytes(), &options) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::Exists => Ok(false),
        Err(error) => Err(refused(path, &error)),
    }
}

/// Replaces a file. The caller holds the lock.
pub(super) fn replace(
    root: &MemoryRoot,
    key: &PathKey,
    path: &str,
    text: &str,
) -> Result<(), String> {
    let options = WriteOptions::new().with_mode(WriteMode::ReplaceExisting);
    root.write(key.as_ref(), text.as_bytes(), &options)
        .map(drop)
        .map_err(|error| refused(path, &error))
}

/// Deletes a file.
pub(super) fn delete_file(root: &MemoryRoot, key: &PathKey, path: &str) -> Result<(), String> {
    let _lock = lock(root)?;
    root.remove(key.as_ref())
        .map_err(|error| refused(path, &error))
}

/// Deletes a folder and what it was seen to hold. What came in meanwhile stays, and the answer says so.
pub(super) fn delete_folder(
    root: &MemoryRoot,
    key: &PathKey,
    path: &str,
    entries: &[Entry],
) -> Result<(), String> {
    let _lock = lock(root)?;
    let mut batch = root.batch();
    for entry in entries {
        if entry.kind != EntryKind::Directory {
            batch.remove(entry.key.as_ref());
        }
    }
    batch
        .commit()
        .and_then(pathguard::BatchReport::into_result)
        .map_err(|error| refused(path, &error))?;
    remove_folders(root, key, entries).map_err(|error| refused(path, &error))
}

/// Removes the folders of a tree whose files are gone, the deepest first.
pub(super) fn remove_folders(
    root: &MemoryRoot,
    key: &PathKey,
    entries: &[Entry],
) -> Result<(), pathguard::Error> {
    let folders = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory)
        .map(|entry| &entry.key);
    // A folder is listed before what it holds.
    for folder in folders.rev() {
        root.remove_dir(folder.as_ref())?;
    }
    root.remove_dir(key.as_ref())
}

/// Renames a file or a folder, and makes the folder it goes to.
pub(super) fn rename(
    root: &MemoryRoot,
    old: &PathKey,
    new: &PathKey,
    paths: (&str, &str),
) -> Result<(), String> {
    let _lock = lock(root)?;
    move_to(root, old, new, paths)
}

/// As [`rename`], for those who hold a lock of their own.
pub(super) fn move_to(
    root: &MemoryRoot,
    old: &PathKey,
    new: &PathKey,
    (old_path, new_path): (&str, &str),
) -> Result<(), String> {
    if let Some(parent) = new.parent() {
        root.create_dirs(parent.as_ref())
            .map_err(|error| refused(new_path, &error))?;
    }
    match root.rename(old.as_ref(), new.as_ref(), &RenameOptions::new()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::Exists => {
            Err(format!("Error: The destination {new_path} already exists"))
        }
        Err(error) => Err(refused(old_path, &error)),
    }
}

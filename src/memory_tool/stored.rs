//! Changes in a memory folder: each is an operation of the store, with its journal and its index.

use memdir::{
    ContentHash, Edit, ErrorKind, Expect, INDEX_FILE, Origin, SaveFile, Scope, Store, WriteDecision,
};
use pathguard::{Entry, EntryKind, PathKey};

use super::files::{Change, refused};
use super::{MAX_FILE_BYTES, folder, text};

/// How often an edit is made anew because somebody else changed the file meanwhile.
const ATTEMPTS: usize = 5;

/// Asks the store whether this writer may store this text here.
pub(super) fn check(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    text: &[u8],
) -> Result<(), String> {
    let place = store.dir().join(key.as_str());
    let check = store.check_write(&place, text, origin.writer());
    match check.decision {
        WriteDecision::Allow | WriteDecision::Warn => Ok(()),
        WriteDecision::Propose => Err(format!("{}; ask the user to save it", check.reason)),
        _ if check.reason.is_empty() => Err("it is not a file of the memory folder".to_owned()),
        _ => Err(check.reason),
    }
}

/// Asks the store whether this writer may change a folder, which it may where it may change a memory in it: a
/// folder without a file is nothing that the store would check.
fn check_folder(store: &Store, origin: &Origin, folder: &PathKey) -> Result<(), String> {
    let file = folder
        .child("memory.md")
        .map_err(|_| "its name is too long".to_owned())?;
    check(store, origin, &file, b"")
}

/// Makes a file, or replaces it where that is allowed.
pub(super) fn create(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    path: &str,
    text: &str,
    overwrites: bool,
) -> Result<bool, String> {
    for _ in 0..ATTEMPTS {
        let now = hash_of(store, key, path)?;
        if now.is_some() && !overwrites {
            return Ok(false);
        }
        match write(store, origin, key, text, now) {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::StaleHash => {}
            Err(error) => return Err(failed(store, path, &error)),
        }
    }
    Err(busy(path))
}

/// Changes the text of a file; made anew when somebody else was faster.
pub(super) fn edit(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    path: &str,
    read: &dyn Fn() -> Result<Vec<u8>, String>,
    change: Change<'_>,
) -> Result<String, String> {
    for _ in 0..ATTEMPTS {
        let bytes = read()?;
        let (text, answer) = change(&bytes)?;
        match write(store, origin, key, &text, Some(ContentHash::of(&bytes))) {
            Ok(()) => return Ok(answer),
            Err(error) if error.kind() == ErrorKind::StaleHash => {}
            Err(error) => return Err(failed(store, path, &error)),
        }
    }
    Err(busy(path))
}

/// Writes a file that has the hash `now`. A memory gets its line in the index in the same operation.
fn write(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    text: &str,
    now: Option<ContentHash>,
) -> Result<(), memdir::Error> {
    if is_memory(key) {
        let expect = now.map_or(Expect::Absent, Expect::Hash);
        let file = SaveFile::new(key.clone(), text).with_expect(expect);
        return store.save_file(&file, origin).map(drop);
    }
    let edit = Edit::Write {
        path: key.clone(),
        expect: now,
        bytes: text.as_bytes().to_vec(),
    };
    store.apply(&[edit], origin).map(drop)
}

/// Deletes a file; a memory leaves the index in the same operation.
pub(super) fn delete_file(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    path: &str,
) -> Result<(), String> {
    check(store, origin, key, b"").map_err(|why| not_changed(path, &why))?;
    if is_memory(key) {
        return store
            .remove_path(key, None, origin)
            .map(drop)
            .map_err(|error| failed(store, path, &error));
    }
    for _ in 0..ATTEMPTS {
        let Some(expect) = hash_of(store, key, path)? else {
            return Err(format!("Error: The path {path} does not exist"));
        };
        let edit = Edit::Remove {
            path: key.clone(),
            expect,
        };
        match store.apply(&[edit], origin) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::StaleHash => {}
            Err(error) => return Err(failed(store, path, &error)),
        }
    }
    Err(busy(path))
}

/// Deletes a folder: its files as one operation, which one undo brings back.
pub(super) fn delete_folder(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    path: &str,
    entries: &[Entry],
) -> Result<(), String> {
    check_folder(store, origin, key).map_err(|why| not_changed(path, &why))?;
    let mut edits = Vec::new();
    for file in files(entries) {
        check(store, origin, file, b"").map_err(|why| not_changed(path, &why))?;
        if let Some(expect) = hash_of(store, file, path)? {
            edits.push(Edit::Remove {
                path: file.clone(),
                expect,
            });
        }
    }
    apply(store, origin, key, path, &edits)?;
    folder::remove_folders(store.root(), key, entries).map_err(|error| refused(path, &error))
}

/// Renames a file.
pub(super) fn rename_file(
    store: &Store,
    origin: &Origin,
    (old, new): (&PathKey, &PathKey),
    (old_path, new_path): (&str, &str),
) -> Result<(), String> {
    let bytes = read(store, old, old_path)?;
    check(store, origin, old, b"").map_err(|why| not_changed(old_path, &why))?;
    check(store, origin, new, &bytes).map_err(|why| not_changed(new_path, &why))?;
    if is_memory(old) && is_memory(new) {
        let renamed = store.rename(old.as_str(), new.as_str(), origin);
        return match renamed {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::StaleHash => {
                Err(format!("Error: The destination {new_path} already exists"))
            }
            Err(error) => Err(failed(store, old_path, &error)),
        };
    }
    let edits = moved(old, new, bytes);
    apply(store, origin, old, old_path, &edits)
}

/// Renames a folder: all its files as one operation.
pub(super) fn rename_folder(
    store: &Store,
    origin: &Origin,
    (old, new): (&PathKey, &PathKey),
    paths: (&str, &str),
    entries: &[Entry],
) -> Result<(), String> {
    let (old_path, new_path) = paths;
    check_folder(store, origin, old).map_err(|why| not_changed(old_path, &why))?;
    check_folder(store, origin, new).map_err(|why| not_changed(new_path, &why))?;
    if files(entries).next().is_none() {
        // Folders alone are nothing that the journal knows.
        return folder::move_to(store.root(), old, new, paths);
    }
    let mut edits = Vec::new();
    for entry in entries {
        let below = &entry.key.as_str()[old.as_str().len() + 1..];
        let to = new
            .child(below)
            .map_err(|error| refused(new_path, &error))?;
        if entry.kind == EntryKind::Directory {
            continue;
        }
        let bytes = read(store, &entry.key, old_path)?;
        check(store, origin, &to, &bytes).map_err(|why| not_changed(new_path, &why))?;
        edits.extend(moved(&entry.key, &to, bytes));
    }
    apply(store, origin, old, old_path, &edits)?;
    folder::remove_folders(store.root(), old, entries).map_err(|error| refused(old_path, &error))
}

fn moved(old: &PathKey, new: &PathKey, bytes: Vec<u8>) -> [Edit; 2] {
    let expect = ContentHash::of(&bytes);
    [
        Edit::Write {
            path: new.clone(),
            expect: None,
            bytes,
        },
        Edit::Remove {
            path: old.clone(),
            expect,
        },
    ]
}

/// Applies edits as one operation, and makes the indexes true where memories are among them.
fn apply(
    store: &Store,
    origin: &Origin,
    key: &PathKey,
    path: &str,
    edits: &[Edit],
) -> Result<(), String> {
    store
        .apply(edits, origin)
        .map_err(|error| failed(store, path, &error))?;
    let mut scopes: Vec<Scope> = edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::Write { path, .. } | Edit::Remove { path, .. } => Some(path),
            _ => None,
        })
        .filter(|changed| is_memory(changed))
        .map(|changed| Scope::of(changed.as_ref()))
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    for scope in scopes {
        // The files are as asked for; an index that lags behind is for `check --fix`.
        if let Err(error) = store.rebuild_index(scope, origin) {
            tracing::warn!(%error, key = key.as_str(), "memory_tool.index.failed");
        }
    }
    Ok(())
}

fn files(entries: &[Entry]) -> impl Iterator<Item = &PathKey> {
    let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    files.map(|entry| &entry.key)
}

/// Whether the store takes the file as a memory, with a line in the index.
fn is_memory(key: &PathKey) -> bool {
    let key = key.as_ref();
    let is_log = key
        .components()
        .next()
        .is_some_and(|first| pathguard::fold_key(first) == "logs")
        && key.components().nth(1).is_some();
    let is_markdown = key
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let is_hidden = key.components().any(|component| component.starts_with('.'));
    is_markdown && !is_log && !is_hidden && !key.file_name().eq_ignore_ascii_case(INDEX_FILE)
}

fn read(store: &Store, key: &PathKey, path: &str) -> Result<Vec<u8>, String> {
    match store.root().read(key.as_ref(), MAX_FILE_BYTES) {
        Ok(file) => Ok(file.bytes),
        Err(error) if error.is_not_found() => Err(text::missing(path)),
        Err(error) => Err(refused(path, &error)),
    }
}

fn hash_of(store: &Store, key: &PathKey, path: &str) -> Result<Option<ContentHash>, String> {
    match store.root().read(key.as_ref(), MAX_FILE_BYTES) {
        Ok(file) => Ok(Some(ContentHash::of(&file.bytes))),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(refused(path, &error)),
    }
}

/// An error of the store names the file, the cause and the remedy. Where it names the folder, the model reads the
/// name that it knows it by.
fn failed(store: &Store, path: &str, error: &memdir::Error) -> String {
    let folder = store.dir().display().to_string();
    not_changed(path, &error.to_string().replace(&folder, "/memories"))
}

fn not_changed(path: &str, why: &str) -> String {
    format!("Error: {path} was not changed: {why}")
}

fn busy(path: &str) -> String {
    not_changed(path, "other programs keep changing it; try again")
}

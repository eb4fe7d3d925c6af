//! The files behind the tool: what is the same for a plain folder and for a memory folder.

use memdir::{Layer, Mode, Origin, Store};
use pathguard::{Entry, EntryKind, ErrorKind, ListLimits, MemoryRoot, PathKey};

use super::{MAX_ENTRIES, MAX_FILE_BYTES, folder, path, secrets, stored};

/// Where the files are.
#[derive(Debug)]
pub(super) enum Files {
    /// A folder that only this tool knows about.
    Folder(MemoryRoot),
    /// A memory folder with its index and its history, and who changes it.
    Store(Box<Store>, Origin),
}

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Missing,
    File,
    Folder,
}

/// Makes a new text and the answer out of the bytes of a file.
pub(super) type Change<'a> = &'a dyn Fn(&[u8]) -> Result<(String, String), String>;

impl Files {
    /// The folder, for reading.
    pub(super) fn root(&self) -> &MemoryRoot {
        match self {
            Files::Folder(root) => root,
            Files::Store(store, _) => store.root(),
        }
    }

    /// Refuses everything while memory is switched off.
    pub(super) fn check_mode(&self) -> Result<(), String> {
        match self {
            Files::Store(store, _)
                if store.options().modes().get(Layer::Persistent) == Mode::Off =>
            {
                Err("Error: The memory is switched off by a setting of the user".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Whether the memory of the team is there for nobody.
    pub(super) fn hides_team(&self) -> bool {
        match self {
            Files::Store(store, _) => store.options().modes().get(Layer::Team) == Mode::Off,
            Files::Folder(_) => false,
        }
    }

    /// Tells what a path stands for; links and other things that are no plain files are refused.
    pub(super) fn look(&self, key: &PathKey, path: &str) -> Result<Found, String> {
        if self.hides_team() && path::is_team(key) {
            return Err(format!(
                "Error: {path} is refused: the memory of the team is switched off"
            ));
        }
        match self.root().metadata(key.as_ref()) {
            Ok(metadata) if metadata.kind == EntryKind::File => Ok(Found::File),
            Ok(metadata) if metadata.kind == EntryKind::Directory => Ok(Found::Folder),
            Ok(_) => Err(format!(
                "Error: {path} is refused: it is not a regular file"
            )),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Missing),
            // A file where the path needs a folder: below it there is nothing.
            Err(error) if error.kind() == ErrorKind::NotDirectory => Ok(Found::Missing),
            Err(error) => Err(refused(path, &error)),
        }
    }

    /// Reads a whole file within the limit.
    pub(super) fn read(&self, key: &PathKey, path: &str) -> Result<Vec<u8>, String> {
        match self.root().read(key.as_ref(), MAX_FILE_BYTES) {
            Ok(file) => Ok(file.bytes),
            Err(error) if error.kind() == ErrorKind::TooLarge => Err(too_large(path)),
            Err(error) => Err(refused(path, &error)),
        }
    }

    /// Checks a text before it takes the place of `old`: size, credentials, and what the store says.
    pub(super) fn check_text(
        &self,
        key: &PathKey,
        path: &str,
        old: &[u8],
        new: &str,
    ) -> Result<(), String> {
        let refuse = |why: &str| Err(format!("Error: {path} was not written: {why}"));
        if new.contains('\0') {
            return refuse("the text holds a NUL character");
        }
        if new.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large(path));
        }
        if let Some(why) = secrets::added(old, new) {
            return refuse(&why);
        }
        match self {
            Files::Folder(_) => Ok(()),
            Files::Store(store, origin) => {
                stored::check(store, origin, key, new.as_bytes()).or_else(|why| refuse(&why))
            }
        }
    }

    /// Makes a file. Returns `false` when it is there and must not be replaced.
    pub(super) fn create(
        &self,
        key: &PathKey,
        path: &str,
        text: &str,
        overwrites: bool,
    ) -> Result<bool, String> {
        match self {
            Files::Folder(root) => folder::create(root, key, path, text, overwrites),
            Files::Store(store, origin) => {
                stored::create(store, origin, key, path, text, overwrites)
            }
        }
    }

    /// Changes the text of a file so that no edit of anybody else is lost.
    pub(super) fn edit(
        &self,
        key: &PathKey,
        path: &str,
        change: Change<'_>,
    ) -> Result<String, String> {
        match self {
            Files::Folder(root) => {
                let _lock = folder::lock(root)?;
                let (text, answer) = change(&self.read(key, path)?)?;
                folder::replace(root, key, path, &text)?;
                Ok(answer)
            }
            Files::Store(store, origin) => {
                stored::edit(store, origin, key, path, &|| self.read(key, path), change)
            }
        }
    }

    /// Deletes a file.
    pub(super) fn delete_file(&self, key: &PathKey, path: &str) -> Result<(), String> {
        match self {
            Files::Folder(root) => folder::delete_file(root, key, path),
            Files::Store(store, origin) => stored::delete_file(store, origin, key, path),
        }
    }

    /// Deletes a folder with everything in it.
    pub(super) fn delete_folder(&self, key: &PathKey, path: &str) -> Result<(), String> {
        let entries = self.entries_below(key, path)?;
        match self {
            Files::Folder(root) => folder::delete_folder(root, key, path, &entries),
            Files::Store(store, origin) => {
                stored::delete_folder(store, origin, key, path, &entries)
            }
        }
    }

    /// Renames a file or a folder; the destination is free.
    pub(super) fn rename(
        &self,
        old: &PathKey,
        new: &PathKey,
        found: Found,
        paths: (&str, &str),
    ) -> Result<(), String> {
        match (self, found) {
            (Files::Folder(root), _) => folder::rename(root, old, new, paths),
            (Files::Store(store, origin), Found::Folder) => {
                let entries = self.entries_below(old, paths.0)?;
                stored::rename_folder(store, origin, (old, new), paths, &entries)
            }
            (Files::Store(store, origin), _) => {
                stored::rename_file(store, origin, (old, new), paths)
            }
        }
    }

    /// Everything in a folder, with keys below the root, each folder before what it holds. Refused when
    /// there is more than is looked at, or anything that is neither file nor folder: half of a deletion
    /// helps nobody.
    fn entries_below(&self, key: &PathKey, path: &str) -> Result<Vec<Entry>, String> {
        let limits = ListLimits::new()
            .with_max_entries(MAX_ENTRIES)
            .with_hidden(true);
        let listing = self
            .root()
            .open_sub(key.as_ref())
            .and_then(|folder| folder.list(&limits))
            .map_err(|error| refused(path, &error))?;
        if listing.cut {
            return Err(format!(
                "Error: {path} was not changed: it holds more than {MAX_ENTRIES} items"
            ));
        }
        if let Some(problem) = listing.problems.first() {
            return Err(format!(
                "Error: {path} was not changed: it holds {}, which is no plain file ({})",
                path::brief(&problem.shown),
                problem.kind.as_str()
            ));
        }
        let mut entries = listing.entries;
        for entry in &mut entries {
            entry.key = key
                .child(entry.key.as_str())
                .map_err(|error| refused(path, &error))?;
        }
        Ok(entries)
    }
}

/// The bytes as text, or the words for a file that is none.
pub(super) fn as_text<'a>(bytes: &'a [u8], path: &str) -> Result<&'a str, String> {
    std::str::from_utf8(bytes).map_err(|_| {
        format!(
            "Error: The file {path} is not text ({}, {} bytes) and cannot be shown or edited here",
            kind_of(bytes),
            bytes.len()
        )
    })
}

/// What a file that is no text seems to be, by its first bytes.
fn kind_of(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "a PNG image",
        [0xff, 0xd8, 0xff, ..] => "a JPEG image",
        [b'G', b'I', b'F', b'8', ..] => "a GIF image",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "a WebP image",
        _ => "not UTF-8",
    }
}

/// The words for what the held folder refused or failed at.
pub(super) fn refused(path: &str, error: &pathguard::Error) -> String {
    let why = match (error.kind(), error.reason()) {
        (_, Some(reason)) => reason.text().to_owned(),
        (ErrorKind::Denied, _) => "access denied".to_owned(),
        (ErrorKind::Busy, _) => "another program is changing the folder; try again".to_owned(),
        (ErrorKind::HardLink, _) => "the file has more than one link".to_owned(),
        (ErrorKind::NotRegular, _) => "it is not a regular file".to_owned(),
        (ErrorKind::NotDirectory, _) => "a file is where a directory is needed".to_owned(),
        (ErrorKind::Loop | ErrorKind::Dangling, _) => "it is a symbolic link".to_owned(),
        (kind, _) => format!("input or output failed ({})", kind.as_str()),
    };
    format!("Error: {path} is refused: {why}")
}

fn too_large(path: &str) -> String {
    let most = MAX_FILE_BYTES >> 20;
    format!("Error: {path} is larger than {most} MiB; split it")
}

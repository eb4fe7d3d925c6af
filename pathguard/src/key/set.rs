//! Collisions over many keys.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{PathKey, PathKeyRef};
use crate::error::{Error, ErrorKind};

/// Returns the form of `name` under which two spellings are the same name on some file system.
///
/// NFC, then each character to lower, upper and lower case with the full mappings of the standard
/// library, then NFC again. That joins everything Unicode's case folding joins: `ß`, `ẞ` (whose
/// upper case is itself, hence the first step) and `ss` become the same; so do `é` in one code point
/// and in two. The result is for comparison only; it is never used as a name.
///
/// ```
/// use pathguard::fold_key;
///
/// assert_eq!(fold_key("Straße.md"), fold_key("STRASSE.MD"));
/// assert_eq!(fold_key("cafe\u{301}.md"), fold_key("CAFÉ.md"));
/// assert_ne!(fold_key("a.md"), fold_key("b.md"));
/// ```
pub fn fold_key(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    if is_nfc(name) {
        fold_chars(name.chars())
    } else {
        fold_chars(name.nfc())
    }
}

fn fold_chars(characters: impl Iterator<Item = char>) -> String {
    characters
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

/// The keys of a whole manifest, none of which gets in the way of another.
///
/// Two keys collide when they are the same name on a file system that ignores case or normal form,
/// when a folder on their way does, or when one is a file where the other needs a folder. A
/// manifest that holds such a pair loses a file on one machine and not on the next.
///
/// ```
/// use pathguard::{ErrorKind, KeySet, PathKeyRef};
///
/// let mut keys = KeySet::new();
/// keys.insert(PathKeyRef::parse("team/Deploy.md")?)?;
/// keys.insert(PathKeyRef::parse("team/tests.md")?)?;
///
/// let twin = keys.insert(PathKeyRef::parse("team/deploy.md")?).unwrap_err();
/// assert_eq!(twin.kind(), ErrorKind::Collision);
/// assert_eq!(twin.conflicting_key(), Some("team/Deploy.md"));
///
/// let inside_a_file = keys.insert(PathKeyRef::parse("team/tests.md/more.md")?);
/// assert_eq!(inside_a_file.unwrap_err().kind(), ErrorKind::Collision);
/// # Ok::<(), pathguard::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeySet {
    names: HashMap<String, Name>,
    files: usize,
}

/// What stands behind a folded name.
#[derive(Clone, Debug)]
enum Name {
    File(PathKey),
    Folder(PathKey),
}

impl KeySet {
    /// Makes an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file's key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Collision`], with the other key in
    /// [`Error::conflicting_key`]. The set is unchanged then. The same key twice is a collision too:
    /// a manifest that says two things about one file cannot be obeyed.
    pub fn insert(&mut self, key: PathKeyRef<'_>) -> Result<(), Error> {
        let folded = fold_key(key.as_str());
        // Folding leaves separators alone, so both forms have the same folders.
        let folders: Vec<(PathKeyRef<'_>, &str)> = folders(key.as_str())
            .map(PathKeyRef)
            .zip(folders(&folded))
            .collect();
        for &(folder, name) in &folders {
            match self.names.get(name) {
                Some(Name::Folder(known)) if known.as_ref() == folder => {}
                Some(Name::Folder(other) | Name::File(other)) => return Err(collision(key, other)),
                None => {}
            }
        }
        if let Some(Name::File(other) | Name::Folder(other)) = self.names.get(&folded) {
            return Err(collision(key, other));
        }
        for (folder, name) in folders {
            if let Entry::Vacant(vacant) = self.names.entry(name.to_owned()) {
                vacant.insert(Name::Folder(folder.to_owned()));
            }
        }
        self.names.insert(folded, Name::File(key.to_owned()));
        self.files += 1;
        Ok(())
    }

    /// Returns the key in the set that is the same name as `key`, in whatever spelling.
    pub fn find(&self, key: PathKeyRef<'_>) -> Option<PathKeyRef<'_>> {
        match self.names.get(&fold_key(key.as_str())) {
            Some(Name::File(known)) => Some(known.as_ref()),
            _ => None,
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.files
    }

    /// Reports whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }
}

/// The folders on the way to `key`, the outermost first.
fn folders(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices('/').map(move |(index, _)| &key[..index])
}

#[cold]
fn collision(key: PathKeyRef<'_>, other: &PathKey) -> Error {
    Error::new(ErrorKind::Collision)
        .with_key(key.as_str())
        .with_conflicting_key(other.as_str())
}

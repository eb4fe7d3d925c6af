//! What git knows, read from its own files: the index, the references, the names of objects.
//!
//! No program is started: a repository's settings can name programs for git to run (hooks, pagers,
//! file-system monitors), a process costs more than most checks, and plain reading has none of that.

use pathguard::{ListLimits, MemoryRoot, PathKey, PathKeyRef, RootCheck, RootOptions};

use super::Budget;

/// A larger index, reference list or pack index is not read.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Entries of the index read at most.
const MAX_TRACKED: usize = 500_000;

/// The data of one repository.
#[derive(Debug)]
pub(super) struct Git {
    /// The folder of this working tree, and the one that all working trees share.
    own: MemoryRoot,
    common: MemoryRoot,
    config: String,
}

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tracked {
    pub(super) path: String,
    /// It is left out of this working tree on purpose (sparse checkout).
    pub(super) skipped: bool,
    /// It stands for another repository, whose files are not known here.
    pub(super) is_submodule: bool,
}

/// Which references a name is looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefKind {
    Branch,
    Tag,
}

impl Git {
    /// Opens the folders of a repository whose places were verified.
    pub(super) fn open(own: &std::path::Path, common: &std::path::Path) -> Option<Self> {
        let options = RootOptions::new()
            .with_hard_links(true)
            .with_check_root(RootCheck::OnRequest);
        let common = MemoryRoot::open(common, &options).ok()?;
        let mut git = Self {
            own: MemoryRoot::open(own, &options).ok()?,
            config: String::new(),
            common,
        };
        let config = git.text("config", MAX_CONFIG_BYTES).unwrap_or_default();
        git.config = config.to_ascii_lowercase();
        Some(git)
    }

    fn text(&self, key: &str, max_bytes: u64) -> Option<String> {
        let read = self
            .common
            .read(PathKeyRef::parse(key).ok()?, max_bytes)
            .ok()?;
        Some(String::from_utf8_lossy(&read.bytes).into_owned())
    }

    fn setting(&self, name: &str, value: &str) -> bool {
        self.config
            .lines()
            .filter_map(|line| line.split_once('='))
            .any(|(key, found)| key.trim() == name && found.trim() == value)
    }

    fn exists(&self, key: &str) -> bool {
        PathKeyRef::parse(key).is_ok_and(|key| self.common.metadata(key).is_ok())
    }

    /// Returns the tracked files, and whether these are all; none when the index cannot be read.
    pub(super) fn tracked(&self) -> Option<(Vec<Tracked>, bool)> {
        let key = PathKeyRef::parse("index").ok()?;
        let bytes = match self.own.read(key, MAX_FILE_BYTES) {
            Ok(read) => read.bytes,
            // A new repository has no index yet: nothing is tracked.
            Err(error) if error.is_not_found() => return Some((Vec::new(), false)),
            Err(_) => return None,
        };
        let hash_bytes = if self.setting("objectformat", "sha256") {
            32
        } else {
            20
        };
        parse_index(&bytes, hash_bytes)
    }

    /// Returns whether a branch or tag exists; none when the repository does not say.
    pub(super) fn has_ref(&self, kind: RefKind, name: &str) -> Option<bool> {
        if self.setting("refstorage", "reftable") {
            return None;
        }
        let packed = self.text("packed-refs", MAX_FILE_BYTES).unwrap_or_default();
        let packed: Vec<&str> = packed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(_, name)| name)
            .collect();
        let local = match kind {
            RefKind::Branch => format!("refs/heads/{name}"),
            RefKind::Tag => format!("refs/tags/{name}"),
        };
        if packed.contains(&local.as_str()) || self.exists(&local) {
            return Some(true);
        }
        let has_remote = self.config.contains("[remote ");
        match kind {
            RefKind::Tag => {
                let any = packed.iter().any(|name| name.starts_with("refs/tags/"))
                    || !self.names("refs/tags").is_empty();
                // A clone without tags says nothing about them.
                (any || !has_remote).then_some(false)
            }
            RefKind::Branch => self.has_branch(name, &packed, has_remote),
        }
    }

    fn has_branch(&self, name: &str, packed: &[&str], has_remote: bool) -> Option<bool> {
        let head = self.own.read(PathKeyRef::parse("HEAD").ok()?, 4096).ok();
        let head = head.map(|read| String::from_utf8_lossy(&read.bytes).trim().to_owned());
        if head.is_some_and(|head| head == format!("ref: refs/heads/{name}")) {
            return Some(true);
        }
        let short = name.strip_prefix("remotes/").unwrap_or(name);
        let remotes = self.names("refs/remotes");
        let known_remotely = self.exists(&format!("refs/remotes/{short}"))
            || packed.contains(&format!("refs/remotes/{short}").as_str())
            || remotes
                .iter()
                .any(|remote| self.exists(&format!("refs/remotes/{remote}/{name}")))
            || packed.iter().any(|found| {
                let remote = found
                    .strip_prefix("refs/remotes/")
                    .and_then(|rest| rest.split_once('/'));
                remote.is_some_and(|(_, branch)| branch == name)
            });
        if known_remotely {
            return Some(true);
        }
        let fetched =
            !remotes.is_empty() || packed.iter().any(|name| name.starts_with("refs/remotes/"));
        (fetched || !has_remote).then_some(false)
    }

    /// Returns the names directly in a folder.
    fn names(&self, folder: &str) -> Vec<String> {
        let Some(root) = PathKeyRef::parse(folder)
            .ok()
            .and_then(|key| self.common.open_sub(key).ok())
        else {
            return Vec::new();
        };
        let limits = ListLimits::new()
            .with_max_depth(1)
            .with_metadata(false)
            .with_hidden(true);
        let listing = root.list(&limits).unwrap_or_default();
        listing
            .entries
            .into_iter()
            .map(|entry| entry.key.to_string())
            .collect()
    }

    /// Returns whether an object has a name that begins so; none when the repository does not say.
    pub(super) fn has_object(&self, prefix: &str, budget: Budget<'_>) -> Option<bool> {
        let (folder, rest) = prefix.split_at(2);
        let loose = self.names(&format!("objects/{folder}"));
        if loose.iter().any(|name| name.starts_with(rest)) {
            return Some(true);
        }
        let packs = self.names("objects/pack");
        // Git writes these names itself, always in lower case.
        for pack in packs.iter().filter_map(|name| name.strip_suffix(".idx")) {
            if budget.is_over() {
                return None;
            }
            let key = PathKey::parse(&format!("objects/pack/{pack}.idx")).ok()?;
            let bytes = self.common.read(key.as_ref(), MAX_FILE_BYTES).ok()?.bytes;
            let hash_bytes = if self.setting("objectformat", "sha256") {
                32
            } else {
                20
            };
            if pack_has(&bytes, prefix, hash_bytes)? {
                return Some(true);
            }
        }
        // What is missing here may exist elsewhere when the copy is a partial one.
        let partial = self.exists("shallow")
            || self.exists("objects/info/alternates")
            || packs
                .iter()
                .any(|name| name.strip_suffix(".promisor").is_some());
        (!partial).then_some(false)
    }
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(field.try_into().ok()?))
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(field.try_into().ok()?))
}

/// Reads an index of version 2, 3 or 4 (gitformat-index).
fn parse_index(bytes: &[u8], hash_bytes: usize) -> Option<(Vec<Tracked>, bool)> {
    const STAT_BYTES: usize = 40;
    const MODE_AT: usize = 24;
    const FOLDER_MODE: u32 = 0o040_000;
    const SUBMODULE_MODE: u32 = 0o160_000;
    let version = be32(bytes, 4)?;
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let count = be32(bytes, 8)? as usize;
    let mut complete = count <= MAX_TRACKED;
    let mut files: Vec<Tracked> = Vec::with_capacity(count.min(bytes.len() / STAT_BYTES));
    let mut previous: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count.min(MAX_TRACKED) {
        let begin = at;
        let mode = be32(bytes, begin + MODE_AT)?;
        let flags = be16(bytes, begin + STAT_BYTES + hash_bytes)?;
        at = begin + STAT_BYTES + hash_bytes + 2;
        let mut skipped = false;
        if version >= 3 && flags & 0x4000 != 0 {
            skipped = be16(bytes, at)? & 0x4000 != 0;
            at += 2;
        }
        if version == 4 {
            let (strip, used) = offset_number(bytes.get(at..)?)?;
            at += used;
            previous.truncate(previous.len().checked_sub(strip)?);
        } else {
            previous.clear();
        }
        let length = bytes.get(at..)?.iter().position(|b| *b == 0)?;
        previous.extend_from_slice(&bytes[at..at + length]);
        at += length + 1;
        if version < 4 {
            // One to eight NUL bytes pad an entry to a multiple of eight.
            at = begin + (at - 1 - begin) / 8 * 8 + 8;
        }
        // A whole folder as one entry: a sparse index does not name its files.
        complete &= mode != FOLDER_MODE;
        let path = String::from_utf8_lossy(&previous);
        // A name that is no text cannot be looked up.
        complete &= matches!(path, std::borrow::Cow::Borrowed(_));
        files.push(Tracked {
            path: path.into_owned(),
            skipped,
            is_submodule: mode == SUBMODULE_MODE,
        });
    }
    while let (Some(name), Some(size)) = (bytes.get(at..at + 4), be32(bytes, at + 4)) {
        // The checksum at the end has no extension before it that we would mistake it for.
        if at + 8 + size as usize > bytes.len() {
            break;
        }
        // A split index keeps most entries in another file.
        complete &= name != b"link" && name != b"sdir";
        at += 8 + size as usize;
    }
    Some((files, complete))
}

/// Reads the variable-length number of an index of version 4 and how many bytes it takes.
fn offset_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        value = value.checked_shl(7)? | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value = value.checked_add(1)?;
    }
    None
}

/// Returns whether a pack index of version 2 holds a name that begins so; none for another version.
fn pack_has(bytes: &[u8], prefix: &str, hash_bytes: usize) -> Option<bool> {
    const NAMES_AT: usize = 8 + 256 * 4;
    if !bytes.starts_with(&[0xff, b't', b'O', b'c', 0, 0, 0, 2]) {
        return None;
    }
    let first = usize::from_str_radix(&prefix[..2], 16).ok()?;
    let begin = if first == 0 {
        0
    } else {
        be32(bytes, 8 + (first - 1) * 4)? as usize
    };
    let end = be32(bytes, 8 + first * 4)? as usize;
    let names = bytes.get(
        NAMES_AT.checked_add(begin.checked_mul(hash_bytes)?)?
            ..NAMES_AT.checked_add(end.checked_mul(hash_bytes)?)?,
    )?;
    let begins_so = |name: &[u8]| {
        let digits = name.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let mut wanted = prefix.bytes();
        digits
            .map(|d| b"0123456789abcdef"[usize::from(d)])
            .zip(wanted.by_ref())
            .all(|(a, b)| a == b)
            && wanted.next().is_none()
    };
    Some(names.chunks_exact(hash_bytes).any(begins_so))
}

//! What is known about a file, always read from a handle or from a name that was not followed.

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link. Nothing in this crate follows one below a root.
    Symlink,
    /// A FIFO, a socket or a device.
    Other,
}

/// Facts about a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// Size in bytes.
    pub len: u64,
    /// Time of the last change of the contents, in nanoseconds since the Unix epoch (negative
    /// before it).
    pub modified_ns: i128,
    /// Time of the last change of contents or facts (name, permissions), in nanoseconds since the
    /// Unix epoch; zero where the platform has none. Unlike [`Metadata::modified_ns`] nobody can
    /// set it back, so an edit that hides itself shows here.
    pub changed_ns: i128,
    /// Number of the file on its device. With [`Metadata::device`] it tells files apart.
    pub inode: u64,
    /// Number of the device.
    pub device: u64,
    /// Number of names the file has.
    pub links: u64,
    /// What it is.
    pub kind: EntryKind,
    /// Permission bits (the low twelve); `0o600` or `0o400` on Windows, where there are none.
    pub mode: u32,
}

impl Metadata {
    /// Reports whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == EntryKind::File
    }

    /// Reports whether it is a folder.
    pub fn is_dir(&self) -> bool {
        self.kind == EntryKind::Directory
    }

    /// Returns what tells this file apart from every other one that exists now.
    pub(crate) fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

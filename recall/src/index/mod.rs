//! The index: terms to files, and what is known of each file without opening it.

mod build;
mod bytes;
mod read;

pub(crate) use build::{Builder, Fields};
pub(crate) use read::{Damage, Index};

/// What one `statx` says of a file; equal values mean an unchanged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stat {
    pub(crate) modified_ns: i64,
    /// Time of the last change of contents or attributes where the platform has it, else 0. It cannot
    /// be set back, so that an edit whose modification time was restored is seen.
    pub(crate) changed_ns: i64,
    pub(crate) size: u64,
    pub(crate) inode: u64,
}

/// What the index keeps of one file beside its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileInfo {
    pub(crate) path: String,
    pub(crate) stat: Stat,
    /// `modified` of the front matter, in seconds since the epoch.
    pub(crate) declared_s: Option<i64>,
    /// Number of words; names of identifiers count once for each part.
    pub(crate) length: u32,
    /// SHA-256 of what was read.
    pub(crate) hash: [u8; 32],
    /// Only the first part of the file was read.
    pub(crate) cut: bool,
    /// The file changed so shortly before it was read that another change could bear the same time:
    /// it is read once more, whatever `stat` says.
    pub(crate) unsettled: bool,
    pub(crate) name: String,
    pub(crate) description: String,
    /// The type as written; empty when there is none.
    pub(crate) type_text: String,
}

/// How often a term occurs in the parts of one file; each count is cut at what fits the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) name: u8,
    pub(crate) description: u8,
    pub(crate) body: u8,
}

impl Counts {
    const MAX_NAME: u8 = 3;
    const MAX_DESCRIPTION: u8 = 7;
    const MAX_BODY: u8 = 127;

    /// Packs the counts into the low 12 bits of a posting.
    fn pack(self) -> u32 {
        u32::from(self.name.min(Self::MAX_NAME)) << 10
            | u32::from(self.description.min(Self::MAX_DESCRIPTION)) << 7
            | u32::from(self.body.min(Self::MAX_BODY))
    }

    fn unpack(posting: u32) -> Self {
        Self {
            name: (posting >> 10 & 0b11) as u8,
            description: (posting >> 7 & 0b111) as u8,
            body: (posting & 0b111_1111) as u8,
        }
    }
}

/// A posting holds the file number in its high 20 bits.
const FILE_BITS: u32 = 20;

/// The most files one index holds; more than the largest listing.
pub(crate) const MAX_FILES: usize = 1 << FILE_BITS;

/// Layout of the index file. A change of the layout or of any term needs a new number: an index of
/// another version is rebuilt, never converted.
const VERSION: u32 = 3;
const MAGIC: &[u8; 8] = b"MSRECALL";
const HEADER_BYTES: usize = 144;
const CHECK_AT: usize = 32;
const FILE_BYTES: usize = 96;
const TERM_BYTES: usize = 16;
const WORD_BYTES: usize = 16;

/// The sections, in the order of their places in the header.
#[derive(Debug, Clone, Copy)]
enum Section {
    Files,
    Paths,
    Terms,
    Postings,
    Words,
    Texts,
}

const SECTIONS: usize = 6;
const SECTIONS_AT: usize = 48;

/// Returns bytes with magic, version, folder, length and check sum of a sound index, so that fuzzing
/// reaches what lies behind them.
pub(crate) fn with_check_sum(bytes: &[u8], root: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < HEADER_BYTES {
        return bytes;
    }
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..24].copy_from_slice(&root.to_le_bytes());
    let length = bytes.len() as u64;
    bytes[24..32].copy_from_slice(&length.to_le_bytes());
    let sum = bytes::check_sum_around(&bytes, CHECK_AT);
    bytes[CHECK_AT..CHECK_AT + 8].copy_from_slice(&sum.to_le_bytes());
    bytes
}

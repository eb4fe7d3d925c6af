//! Reads an index from bytes that may be damaged or written to attack.

use std::ops::Range;

use super::bytes::{check_sum_around, i64_at, u32_at, u64_at};
use super::{
    CHECK_AT, Counts, FILE_BYTES, FileInfo, HEADER_BYTES, MAGIC, SECTIONS, SECTIONS_AT, Section,
    Stat, TERM_BYTES, VERSION, WORD_BYTES,
};
use crate::text::spelling;
use crate::text::term::Term;

/// Why bytes are no index that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    /// Too short, no index at all, or its check sum is off.
    Damaged,
    /// Written by another version of the program.
    OtherVersion,
    /// Made for another folder.
    OtherFolder,
}

/// An index in memory. Every access checks its bounds: a crafted index gives fewer results, never a
/// panic, and what it says of a file is compared with the folder before use.
pub(crate) struct Index {
    bytes: Vec<u8>,
    sections: [Range<usize>; SECTIONS],
    files: usize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("files", &self.files)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl Index {
    /// Takes bytes as the index of the folder that `root` names.
    pub(crate) fn open(bytes: Vec<u8>, root: u64) -> Result<Self, Damage> {
        if bytes.len() < HEADER_BYTES || !bytes.starts_with(MAGIC) {
            return Err(Damage::Damaged);
        }
        if u32_at(&bytes, 8) != Some(VERSION) {
            return Err(Damage::OtherVersion);
        }
        if u64_at(&bytes, 16) != Some(root) {
            return Err(Damage::OtherFolder);
        }
        let stated = u64_at(&bytes, CHECK_AT).ok_or(Damage::Damaged)?;
        let sum = check_sum_around(&bytes, CHECK_AT);
        if u64_at(&bytes, 24) != Some(bytes.len() as u64) || sum != stated {
            return Err(Damage::Damaged);
        }
        let mut sections: [Range<usize>; SECTIONS] = Default::default();
        for (number, section) in sections.iter_mut().enumerate() {
            *section = section_range(&bytes, number).ok_or(Damage::Damaged)?;
        }
        let files = u32_at(&bytes, 12).unwrap_or(0) as usize;
        if sections[Section::Files as usize].len() != files.saturating_mul(FILE_BYTES) {
            return Err(Damage::Damaged);
        }
        Ok(Self {
            bytes,
            sections,
            files,
        })
    }

    /// Returns the number of files.
    pub(crate) fn len(&self) -> usize {
        self.files
    }

    /// Returns the bytes as they are written to a file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn section(&self, section: Section) -> &[u8] {
        &self.bytes[self.sections[section as usize].clone()]
    }

    fn file(&self, number: usize) -> &[u8] {
        let at = number * FILE_BYTES;
        self.section(Section::Files)
            .get(at..at + FILE_BYTES)
            .unwrap_or(&[])
    }

    /// Returns the path of a file; an empty one when the index lies about its place.
    pub(crate) fn path(&self, number: usize) -> &str {
        self.path_of(number).unwrap_or("")
    }

    fn path_of(&self, number: usize) -> Option<&str> {
        let row = self.file(number);
        text(
            self.section(Section::Paths),
            u32_at(row, 0)?,
            u32_at(row, 4)?,
        )
    }

    pub(crate) fn stat(&self, number: usize) -> Stat {
        let row = self.file(number);
        Stat {
            modified_ns: i64_at(row, 8).unwrap_or(0),
            changed_ns: i64_at(row, 16).unwrap_or(0),
            size: u64_at(row, 24).unwrap_or(0),
            inode: u64_at(row, 32).unwrap_or(0),
        }
    }

    pub(crate) fn declared_s(&self, number: usize) -> Option<i64> {
        i64_at(self.file(number), 40).filter(|seconds| *seconds != i64::MIN)
    }

    /// Returns when the file was last changed: what it says itself, else the file system.
    pub(crate) fn time_s(&self, number: usize) -> i64 {
        let written = self.stat(number).modified_ns.div_euclid(1_000_000_000);
        self.declared_s(number).unwrap_or(written)
    }

    pub(crate) fn length(&self, number: usize) -> u32 {
        u32_at(self.file(number), 48).unwrap_or(0)
    }

    fn flags(&self, number: usize) -> u32 {
        u32_at(self.file(number), 56).unwrap_or(0)
    }

    pub(crate) fn is_unsettled(&self, number: usize) -> bool {
        self.flags(number) & 2 == 2
    }

    pub(crate) fn hash(&self, number: usize) -> [u8; 32] {
        let row = self.file(number).get(64..FILE_BYTES);
        row.and_then(|hash| hash.try_into().ok()).unwrap_or([0; 32])
    }

    /// Returns all that is kept of a file, or none when the index lies about its places.
    pub(crate) fn info(&self, number: usize) -> Option<FileInfo> {
        let row = self.file(number);
        let texts = self.section(Section::Texts);
        let at = u32_at(row, 52)?;
        let head = at as usize;
        let lengths = [
            u32_at(texts, head)?,
            u32_at(texts, head + 4)?,
            u32_at(texts, head + 8)?,
        ];
        let name_at = at.checked_add(12)?;
        let description_at = name_at.checked_add(lengths[0])?;
        let type_at = description_at.checked_add(lengths[1])?;
        Some(FileInfo {
            path: self.path_of(number)?.to_owned(),
            stat: self.stat(number),
            declared_s: self.declared_s(number),
            length: self.length(number),
            hash: self.hash(number),
            cut: self.flags(number) & 1 == 1,
            unsettled: self.is_unsettled(number),
            name: text(texts, name_at, lengths[0])?.to_owned(),
            description: text(texts, description_at, lengths[1])?.to_owned(),
            type_text: text(texts, type_at, lengths[2])?.to_owned(),
        })
    }

    /// Returns the number of postings of a term.
    pub(crate) fn count(&self, term: Term) -> usize {
        self.find(term).map_or(0, |list| list.len() / 4)
    }

    /// Returns the postings of a term: file number and counts, in ascending order.
    pub(crate) fn postings(&self, term: Term) -> impl ExactSizeIterator<Item = (u32, Counts)> + '_ {
        let list = self.find(term).unwrap_or(&[]);
        list.chunks_exact(4).map(unpack)
    }

    fn find(&self, term: Term) -> Option<&[u8]> {
        let terms = self.section(Section::Terms);
        let (mut low, mut high) = (0, terms.len() / TERM_BYTES);
        while low < high {
            let middle = low + (high - low) / 2;
            let at = middle * TERM_BYTES;
            match u64_at(terms, at)?.cmp(&term.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.list(at),
            }
        }
        None
    }

    fn list(&self, row: usize) -> Option<&[u8]> {
        let terms = self.section(Section::Terms);
        let begin = (u32_at(terms, row + 8)? as usize).saturating_mul(4);
        let length = (u32_at(terms, row + 12)? as usize).saturating_mul(4);
        self.section(Section::Postings)
            .get(begin..begin.saturating_add(length))
    }

    /// Calls `each` with every posting.
    pub(crate) fn each_posting(&self, each: &mut dyn FnMut(Term, u32, Counts)) {
        let terms = self.section(Section::Terms);
        for row in (0..terms.len() / TERM_BYTES).map(|number| number * TERM_BYTES) {
            let (Some(term), Some(list)) = (u64_at(terms, row), self.list(row)) else {
                continue;
            };
            for (number, counts) in list.chunks_exact(4).map(unpack) {
                each(Term(term), number, counts);
            }
        }
    }

    /// Calls `each` with every word that can be repaired to.
    pub(crate) fn each_word<'a>(&'a self, each: &mut dyn FnMut(&'a str)) {
        self.words(&mut |_| true, each);
    }

    /// The same for those whose letters may be within so many slips of the given ones.
    pub(crate) fn each_word_like<'a>(
        &'a self,
        letters: u64,
        slips: usize,
        each: &mut dyn FnMut(&'a str),
    ) {
        self.words(
            &mut |other| spelling::may_be_near(letters, other, slips),
            each,
        );
    }

    fn words<'a>(&'a self, wanted: &mut dyn FnMut(u64) -> bool, each: &mut dyn FnMut(&'a str)) {
        let texts = self.section(Section::Texts);
        for row in self.section(Section::Words).chunks_exact(WORD_BYTES) {
            if !wanted(u64_at(row, 0).unwrap_or(0)) {
                continue;
            }
            let place = u32_at(row, 8).zip(u32_at(row, 12));
            if let Some(word) = place.and_then(|(at, length)| text(texts, at, length)) {
                each(word);
            }
        }
    }
}

fn unpack(posting: &[u8]) -> (u32, Counts) {
    let posting = u32_at(posting, 0).unwrap_or(0);
    (posting >> 12, Counts::unpack(posting))
}

fn section_range(bytes: &[u8], number: usize) -> Option<Range<usize>> {
    let at = SECTIONS_AT + number * 16;
    let begin = usize::try_from(u64_at(bytes, at)?).ok()?;
    let length = usize::try_from(u64_at(bytes, at + 8)?).ok()?;
    let end = begin.checked_add(length)?;
    (begin >= HEADER_BYTES && end <= bytes.len()).then_some(begin..end)
}

fn text(heap: &[u8], at: u32, length: u32) -> Option<&str> {
    let at = at as usize;
    let bytes = heap.get(at..at.checked_add(length as usize)?)?;
    std::str::from_utf8(bytes).ok()
}

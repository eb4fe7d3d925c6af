//! One file of the journal: a run of operations that needs no other file to be understood.
//!
//! Every content that a record mentions is stored in the same segment, in this record or before
//! it. So the oldest segment can always be dropped without breaking a younger one.

use std::collections::HashMap;

use super::record::{Content, Operation, Record, is_newer};
use super::splice;
use crate::Date;
use crate::hash::ContentHash;
use crate::limits::SPLICE_MAX_DEPTH;

/// The name of a segment's file: the number of its first operation and the day it was begun.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentName {
    pub(crate) first: u64,
    pub(crate) begun: String,
}

impl SegmentName {
    pub(crate) fn new(first: u64, day: Date) -> Self {
        Self {
            first,
            begun: day.to_string(),
        }
    }

    /// Parses `0000000017-2026-03-05.jsonl`; anything else is no segment.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (first, begun) = name.strip_suffix(".jsonl")?.split_once('-')?;
        let is_number = first.len() == 10 && first.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || begun.parse::<Date>().is_err() {
            return None;
        }
        Some(Self {
            first: first.parse().ok()?,
            begun: begun.to_owned(),
        })
    }

    pub(crate) fn file_name(&self) -> String {
        format!("{:010}-{}.jsonl", self.first, self.begun)
    }
}

/// A parsed segment.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// Operations in order, without those that were abandoned.
    pub(crate) operations: Vec<Operation>,
    /// The operation that was neither done nor abandoned. Only the last one can be.
    pub(crate) pending: Option<u64>,
    /// Lines that are torn, damaged or of an unknown kind.
    pub(crate) damaged_lines: usize,
    /// Whether one of them was written by a newer version.
    pub(crate) is_newer: bool,
    /// Whether the last byte is a line feed, so that the next append begins a line.
    pub(crate) ends_with_line: bool,
    contents: HashMap<ContentHash, (usize, usize)>,
}

impl Segment {
    /// Parses a segment, or its end beginning with a whole line. Never fails.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let mut segment = Self {
            ends_with_line: bytes.last().is_none_or(|byte| *byte == b'\n'),
            ..Self::default()
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            if let Some(record) = Record::parse(line) {
                segment.push(record);
            } else {
                segment.damaged_lines += 1;
                segment.is_newer |= is_newer(line);
            }
        }
        segment
    }

    fn push(&mut self, record: Record) {
        match record {
            Record::Operation(operation) => {
                let at = self.operations.len();
                for (index, content) in operation.contents.iter().enumerate() {
                    // A whole content goes before a difference, whose base may be damaged.
                    if content.base.is_none() || !self.contents.contains_key(&content.hash) {
                        self.contents.insert(content.hash, (at, index));
                    }
                }
                self.pending = Some(operation.sequence);
                self.operations.push(operation);
            }
            Record::Done(sequence) => {
                if self.pending == Some(sequence) {
                    self.pending = None;
                }
            }
            Record::Abandoned(sequence) => {
                if self.pending == Some(sequence) {
                    self.pending = None;
                }
                // Its contents stay: a later record may build on them.
                if let Some(last) = self.operations.last_mut()
                    && last.sequence == sequence
                {
                    last.changes.clear();
                    last.abandoned = true;
                }
            }
        }
    }

    /// The depth at which a content is stored, when it is in the part that was parsed and can be
    /// put together. A base that stands before a part that `is_cut` is taken to be there.
    pub(crate) fn depth_of(&self, hash: &ContentHash, is_cut: bool) -> Option<u32> {
        let depth = self.stored(hash)?.base.map_or(0, |base| base.depth);
        let mut at = *hash;
        for _ in 0..=SPLICE_MAX_DEPTH {
            match self.stored(&at) {
                None => return is_cut.then_some(depth),
                Some(Content { base: None, .. }) => return Some(depth),
                Some(Content {
                    base: Some(base), ..
                }) => at = base.hash,
            }
        }
        None
    }

    fn stored(&self, hash: &ContentHash) -> Option<&Content> {
        let (operation, index) = *self.contents.get(hash)?;
        self.operations[operation].contents.get(index)
    }

    pub(crate) fn content_hashes(&self) -> impl Iterator<Item = &ContentHash> {
        self.contents.keys()
    }

    /// A content, put together from its differences. `None` when it was purged or is damaged.
    pub(crate) fn content(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        self.resolve(hash, SPLICE_MAX_DEPTH + 1)
    }

    fn resolve(&self, hash: &ContentHash, depth_left: u32) -> Option<Vec<u8>> {
        let depth_left = depth_left.checked_sub(1)?;
        let content = self.stored(hash)?;
        match content.base {
            None => Some(content.bytes.clone()),
            Some(base) => splice::decode(content, &self.resolve(&base.hash, depth_left)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_segments() {
        let name = SegmentName::new(17, "2026-03-05".parse().unwrap());
        assert_eq!(name.file_name(), "0000000017-2026-03-05.jsonl");
        assert_eq!(
            SegmentName::parse("0000000017-2026-03-05.jsonl"),
            Some(name)
        );
        for other in [
            "17-2026-03-05.jsonl",
            "0000000017-2026-13-05.jsonl",
            "x.jsonl",
            "",
        ] {
            assert_eq!(SegmentName::parse(other), None, "{other}");
        }
    }
}

//! A view: bytes that a transformation made, each with the place it was made from.

use crate::text::{Span, Text};

/// Decoded or joined bytes and where they come from.
#[derive(Default)]
pub(crate) struct View {
    bytes: Vec<u8>,
    /// For each byte, the source bytes it was made from. Two vectors, because the bytes between
    /// two neighbours may have been taken out and then belong to neither.
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Offsets in `bytes` before which a join took something out.
    joints: Vec<u32>,
}

impl View {
    /// Adds a byte that stands for `source`.
    ///
    /// Offsets are those of a window or of a part of one, so they fit into 32 bits.
    pub(super) fn push(&mut self, byte: u8, source: Span) {
        self.bytes.push(byte);
        self.starts.push(source.start as u32);
        self.ends.push(source.end as u32);
    }

    /// Adds the source bytes at `source` as they are.
    pub(super) fn copy(&mut self, bytes: &[u8], source: Span) {
        self.bytes.extend_from_slice(&bytes[source.clone()]);
        let (start, end) = (source.start as u32, source.end as u32);
        self.starts.extend(start..end);
        self.ends.extend((start..end).map(|at| at + 1));
    }

    /// Lets the last byte stand for `more` source bytes after its own.
    pub(super) fn lengthen_last(&mut self, more: usize) {
        if let Some(end) = self.ends.last_mut() {
            *end += more as u32;
        }
    }

    /// Notes that something was taken out before the next byte.
    pub(super) fn mark_joint(&mut self) {
        self.joints.push(self.bytes.len() as u32);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn text(&self) -> Text<'_> {
        Text::joined(&self.bytes, &self.joints)
    }

    /// The source bytes that `span` of this view was made from. `span` is not empty.
    pub(super) fn source(&self, span: &Span) -> Span {
        self.starts[span.start] as usize..self.ends[span.end - 1] as usize
    }
}

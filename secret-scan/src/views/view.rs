//! A view: bytes that a transformation made, and where they were made from.

use crate::text::{Span, Text};

/// Decoded or joined bytes, and the source bytes of each.
pub(crate) struct View {
    bytes: Vec<u8>,
    origin: Origin,
    /// Offsets in `bytes` before which a join took something out.
    joints: Vec<u32>,
}

/// Offsets are those of a window or of a part of one, so they fit into 32 bits.
enum Origin {
    /// In order of the view, without gaps in it.
    Pieces(Vec<Piece>),
    /// The bytes were written in digits of `bits` bits each, the first of them at `start`. The last
    /// byte reaches to `end`, so that padding belongs to it.
    Digits {
        start: usize,
        end: usize,
        bits: usize,
    },
}

/// Some bytes of a view.
#[derive(Clone, Copy)]
struct Piece {
    /// Where they start in the view.
    at: u32,
    /// Where they start in the source.
    source: u32,
    /// 0 where they are copies, each of one source byte; else the number of source bytes that the
    /// single byte of this piece stands for.
    means: u32,
}

impl View {
    /// A view without bytes, to be filled from left to right with at most about `capacity`.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
            origin: Origin::Pieces(Vec::new()),
            joints: Vec::new(),
        }
    }

    /// What digits of `bits` bits each, in `encoded` of the source, mean.
    pub(super) fn of_digits(bytes: Vec<u8>, encoded: Span, bits: usize) -> Self {
        Self {
            bytes,
            origin: Origin::Digits {
                start: encoded.start,
                end: encoded.end,
                bits,
            },
            joints: Vec::new(),
        }
    }

    /// Adds a byte that stands for `source`.
    pub(super) fn push(&mut self, byte: u8, source: Span) {
        let means = if source.len() == 1 { 0 } else { source.len() };
        self.add_piece(source.start, means);
        self.bytes.push(byte);
    }

    /// Adds the source bytes at `source` as they are.
    pub(super) fn copy(&mut self, bytes: &[u8], source: Span) {
        if !source.is_empty() {
            self.add_piece(source.start, 0);
            self.bytes.extend_from_slice(&bytes[source]);
        }
    }

    /// Notes what the next bytes stand for; `means` as in [`Piece`].
    fn add_piece(&mut self, source: usize, means: usize) {
        let Origin::Pieces(pieces) = &mut self.origin else {
            return;
        };
        let at = self.bytes.len();
        if means == 0
            && let Some(last) = pieces.last()
            && last.means == 0
            && last.source as usize + at - last.at as usize == source
        {
            // The copy goes on.
            return;
        }
        pieces.push(Piece {
            at: at as u32,
            source: source as u32,
            means: means as u32,
        });
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
        self.source_of(span.start).start..self.source_of(span.end - 1).end
    }

    /// The source bytes of the byte at `at`.
    fn source_of(&self, at: usize) -> Span {
        match &self.origin {
            Origin::Pieces(pieces) => {
                let after = pieces.partition_point(|piece| piece.at as usize <= at);
                let piece = pieces[after - 1];
                let source = piece.source as usize;
                match piece.means {
                    0 => {
                        let copied = source + at - piece.at as usize;
                        copied..copied + 1
                    }
                    means => source..source + means as usize,
                }
            }
            &Origin::Digits { start, end, bits } => {
                let first = start + at * 8 / bits;
                let after = start + ((at + 1) * 8).div_ceil(bits);
                first..if at + 1 == self.bytes.len() {
                    end
                } else {
                    after
                }
            }
        }
    }
}

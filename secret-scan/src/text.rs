//! The bytes a matcher sees: the input itself, or a view of it.

use std::cell::Cell;
use std::ops::Range;

use crate::class::{ALNUM, ByteClass};

/// Half-open byte offsets into a [`Text`].
pub(crate) type Span = Range<usize>;

/// Bytes, with the places where a view has joined what the input keeps apart.
pub(crate) struct Text<'a> {
    bytes: &'a [u8],
    /// Ascending offsets; something was taken out just before each of them.
    joints: &'a [u32],
    /// The last runs that were measured, so that a text that repeats one literal inside one long
    /// run costs one pass and not one pass a literal.
    measured: Cell<[Option<Measured>; REMEMBERED]>,
}

/// As many runs as one literal makes its patterns measure.
const REMEMBERED: usize = 4;

#[derive(Clone, Copy)]
struct Measured {
    class: *const ByteClass,
    start: usize,
    end: usize,
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::joined(bytes, &[])
    }

    pub(crate) fn joined(bytes: &'a [u8], joints: &'a [u32]) -> Self {
        Self {
            bytes,
            joints,
            measured: Cell::new([None; REMEMBERED]),
        }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn get(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    pub(crate) fn starts_with_at(&self, at: usize, literal: &str) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(literal.as_bytes()))
    }

    pub(crate) fn is_joined(&self) -> bool {
        !self.joints.is_empty()
    }

    /// The joints after `at`.
    pub(crate) fn joints_after(&self, at: usize) -> &'a [u32] {
        let index = self.joints.partition_point(|&joint| joint as usize <= at);
        &self.joints[index..]
    }

    /// The first joint after `at`, if any.
    pub(crate) fn joint_after(&self, at: usize) -> Option<usize> {
        self.joints_after(at).first().map(|&joint| joint as usize)
    }

    pub(crate) fn is_joint(&self, at: usize) -> bool {
        self.is_joined() && u32::try_from(at).is_ok_and(|at| self.joints.binary_search(&at).is_ok())
    }

    /// The end of the run of `class` that starts at `start`.
    pub(crate) fn run_end(&self, start: usize, class: &'static ByteClass) -> usize {
        let mut measured = self.measured.get();
        let known = measured.iter().flatten().find(|known| {
            std::ptr::eq(known.class, class) && (known.start..=known.end).contains(&start)
        });
        if let Some(known) = known {
            return known.end;
        }
        let end = start + class.run(self.bytes.get(start..).unwrap_or_default());
        // Short runs are quicker to measure than to remember.
        if end - start > 64 {
            measured.rotate_right(1);
            measured[0] = Some(Measured { class, start, end });
            self.measured.set(measured);
        }
        end
    }

    /// Whether a token may begin at `at`: nothing, no letter or digit stands before it, or what
    /// stands there is the end of an escape, which is a separator in another notation.
    pub(crate) fn starts_word(&self, at: usize) -> bool {
        let before = &self.bytes[..at];
        match before.last() {
            None => true,
            Some(&byte) if !ALNUM.contains(byte) => true,
            Some(_) => self.is_joint(at) || ends_with_escape(before),
        }
    }

    /// Whether a token may end before `at`.
    pub(crate) fn ends_word(&self, at: usize) -> bool {
        self.get(at).is_none_or(|byte| !ALNUM.contains(byte)) || self.is_joint(at)
    }
}

/// Whether `before` ends with `%HH`, with `\n`, `\r` or `\t` spelled out, or with the `m` of a
/// terminal colour sequence.
fn ends_with_escape(before: &[u8]) -> bool {
    match before {
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [rest @ .., b'm'] => {
            let parameters = rest
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
                .take(16)
                .count();
            rest[..rest.len() - parameters].ends_with(b"[")
        }
        _ => false,
    }
}

//! Scans an input that comes in chunks.

use std::fmt;

use crate::finding::Finding;
use crate::scanner::Scanner;
use crate::sweep::{REACH, Sweep, WINDOW, Window};

/// A scan of an input that comes in chunks of any size.
///
/// The findings are those of a [`scan`](Scanner::scan) of the whole input, with ranges, lines and
/// columns of the whole input. Between chunks a stream holds at most 80 KiB of input and the
/// findings that were not [taken](Self::take_findings).
///
/// ```
/// let token = &secret_scan::rules()[9].examples()[0];
/// let mut stream = secret_scan::Scanner::standard().stream();
/// stream.push(b"token: ");
/// stream.push(&token.as_bytes()[..10]);
/// stream.push(&token.as_bytes()[10..]);
/// let findings = stream.finish();
/// assert_eq!(findings[0].range(), 7..7 + token.len());
/// ```
#[must_use = "a stream reports what it found when it is finished"]
pub struct Stream {
    scanner: Scanner,
    sweep: Sweep,
    /// The input from offset `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// Where the next window starts.
    base: usize,
}

impl Stream {
    pub(crate) fn new(scanner: Scanner) -> Self {
        Self {
            scanner,
            sweep: Sweep::default(),
            buffer: Vec::new(),
            start: 0,
            base: 0,
        }
    }

    /// Adds the next bytes of the input.
    pub fn push(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            // Never more than one window at a time, so that memory stays bounded for any chunk.
            // A window is scanned once a byte past what it sees has come: until then, it might be
            // the last one.
            let wanted = self.base + WINDOW + REACH + 1 - self.start - self.buffer.len();
            let (now, later) = chunk.split_at(chunk.len().min(wanted));
            self.buffer.extend_from_slice(now);
            chunk = later;
            if now.len() == wanted {
                self.scan_window(&Window::at(self.base, usize::MAX));
                self.forget(self.base.saturating_sub(REACH));
            }
        }
    }

    /// Takes the findings that later bytes cannot change any more, in order.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        self.sweep.take()
    }

    /// Ends the input and returns the findings that were not taken yet.
    pub fn finish(mut self) -> Vec<Finding> {
        let len = self.start + self.buffer.len();
        while self.base < len {
            self.scan_window(&Window::at(self.base, len));
        }
        self.sweep.place(&self.buffer, self.start, len);
        self.sweep.take()
    }

    fn scan_window(&mut self, window: &Window) {
        let bytes = &self.buffer[window.seen.start - self.start..window.seen.end - self.start];
        let hits = self.scanner.scan_window(window, bytes);
        self.sweep.add(window, bytes, hits);
        self.base = window.own.end;
    }

    /// Drops the input before `until`, which no later window sees.
    fn forget(&mut self, until: usize) {
        self.sweep.place(&self.buffer, self.start, until);
        self.buffer.drain(..until - self.start);
        self.start = until;
    }
}

/// Writes how much input has been seen, not what.
impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Stream")
            .field("bytes", &(self.start + self.buffer.len()))
            .finish_non_exhaustive()
    }
}

//! Reads lines of any length from a stream, holding one at a time and never more than a limit of it.

use std::io::{self, BufRead};

/// Reads lines and says where each began.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    most: usize,
    offset: u64,
    number: u64,
}

/// One line, without its end.
pub(crate) struct Line<'a> {
    /// What stands in it, the white space, zero bytes and byte order mark around it taken off.
    pub(crate) bytes: &'a [u8],
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// Counts from 1.
    pub(crate) number: u64,
    /// Where the next one begins.
    pub(crate) next: u64,
    /// Whether a line break ends it. A file that is being written may end without one.
    pub(crate) ended: bool,
    /// Whether it was longer than the limit; what stands in it is then lost.
    pub(crate) too_long: bool,
    /// Whether it held zero bytes and nothing else, as after a crash of the file system.
    pub(crate) only_zeros: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R, most: usize) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            most,
            offset: 0,
            number: 0,
        }
    }

    /// Returns the next line, or `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let start = self.offset;
        let mut too_long = false;
        let mut ended = false;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', available);
            let part = &available[..end.unwrap_or(available.len())];
            if self.buffer.len() + part.len() > self.most {
                too_long = true;
                // The memory is given back too: one monster must not hold it for the rest of the file.
                self.buffer = Vec::new();
            } else if !too_long {
                self.buffer.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            self.offset += used as u64;
            if end.is_some() {
                ended = true;
                break;
            }
        }
        if self.offset == start {
            return Ok(None);
        }
        self.number += 1;
        let bytes = trim(&self.buffer);
        let only_zeros = bytes.is_empty() && self.buffer.contains(&0);
        Ok(Some(Line {
            bytes,
            offset: start,
            number: self.number,
            next: self.offset,
            ended,
            too_long,
            only_zeros,
        }))
    }
}

/// Takes off what editors and crashes put around a line.
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    loop {
        let before = bytes.len();
        bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
        let skip = bytes.iter().take_while(|byte| is_blank(byte)).count();
        bytes = &bytes[skip..];
        if bytes.len() == before {
            break;
        }
    }
    let keep = bytes.iter().rposition(|byte| !is_blank(byte));
    &bytes[..keep.map_or(0, |at| at + 1)]
}

//! Reads input line by line without trusting the length of a line.

use std::io::{self, BufRead, Read};

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadLine {
    /// A whole line.
    Whole,
    /// The beginning of a line that is longer than allowed; its rest was passed over.
    TooLong,
    /// The input is over.
    End,
}

/// Reads one line into `line`, at most so many bytes of it.
pub(crate) fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    most_bytes: u64,
) -> io::Result<ReadLine> {
    line.clear();
    let read = input
        .by_ref()
        .take(most_bytes + 1)
        .read_until(b'\n', line)?;
    if read == 0 {
        return Ok(ReadLine::End);
    }
    if read as u64 <= most_bytes {
        return Ok(ReadLine::Whole);
    }
    if line.last() != Some(&b'\n') {
        skip_line(input)?;
    }
    Ok(ReadLine::TooLong)
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(buffer.len(), |end| end + 1);
        input.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadLine, read_line};

    #[test]
    fn a_long_line_is_passed_over_and_the_next_one_read() {
        let mut input = &b"12345\n123456\n1234567\nab"[..];
        let mut line = Vec::new();
        let mut read = || {
            let what = read_line(&mut input, &mut line, 6).expect("memory can be read");
            (what, String::from_utf8_lossy(&line).into_owned())
        };
        assert_eq!(read(), (ReadLine::Whole, "12345\n".into()));
        assert_eq!(read(), (ReadLine::TooLong, "123456\n".into()));
        assert_eq!(read(), (ReadLine::TooLong, "1234567".into()));
        assert_eq!(read(), (ReadLine::Whole, "ab".into()));
        assert_eq!(read(), (ReadLine::End, String::new()));
    }
}

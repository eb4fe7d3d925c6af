//! Drives a stream through the reader of its format.

use std::io::{self, BufRead, Read};

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::claude::Claude;
use crate::codex::Codex;
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::gemini::Gemini;
use crate::lines::{Line, Lines};
use crate::options::Options;
use crate::report::{Report, SkipReason};
use crate::scan::{self, List, Raw};
use crate::threads::Threads;

/// So much of a file is looked at before its format has to be known.
const HEAD_BYTES: usize = 256 * 1024;

/// So much tells a compressed file, and a document from lines.
const PEEK_BYTES: usize = 4 * 1024;

/// Where a line or record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) line: u64,
    pub(crate) offset: u64,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Message,
    Note,
    Unknown,
    Skip(SkipReason),
}

/// Reads the lines of one format.
pub(crate) trait LineReader {
    /// Takes one line, which is a JSON object by the look of it, and counts its type.
    fn line(&mut self, text: &str, at: At, report: &mut Report) -> Outcome;

    /// Puts the conversation together.
    fn finish(self: Box<Self>, report: &mut Report) -> Threads;
}

/// What a stream held.
pub(crate) struct FileContent {
    pub(crate) format: Option<Format>,
    pub(crate) threads: Threads,
    pub(crate) report: Report,
    /// Where the next read begins.
    pub(crate) end: u64,
}

/// Reads a stream to its end.
pub(crate) fn read(mut input: impl BufRead, options: &Options) -> Result<FileContent, Error> {
    let mut head = Vec::new();
    input
        .by_ref()
        .take(PEEK_BYTES as u64)
        .read_to_end(&mut head)?;
    if is_compressed(&head) {
        return Err(Error::new(ErrorKind::Compressed));
    }
    let document = is_document(&head);
    let whole = io::Cursor::new(head).chain(input);
    let mut course = Course::new(options);
    if document {
        course.read_document(whole)?;
    } else {
        course.read_lines(whole)?;
    }
    course.finish()
}

fn is_compressed(head: &[u8]) -> bool {
    const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
    const GZIP: &[u8] = &[0x1F, 0x8B];
    head.starts_with(ZSTD) || head.starts_with(GZIP)
}

/// A file whose first line is a lone bracket is printed over many lines.
fn is_document(head: &[u8]) -> bool {
    let head = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(head)
        .trim_ascii_start();
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    head.len() > first.len() && matches!(first.trim_ascii_end(), b"{" | b"[")
}

/// A read under way.
struct Course<'o> {
    options: &'o Options,
    format: Option<Format>,
    reader: Option<Box<dyn LineReader + 'o>>,
    /// Lines that came before the format was known.
    waiting: Vec<(String, At)>,
    waiting_bytes: usize,
    report: Report,
    end: u64,
}

impl<'o> Course<'o> {
    fn new(options: &'o Options) -> Self {
        let mut course = Self {
            options,
            format: None,
            reader: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            report: Report::default(),
            end: 0,
        };
        if let Some(format) = options.format {
            course.begin(format);
        }
        course
    }

    fn begin(&mut self, format: Format) {
        self.format = Some(format);
        let mut reader: Box<dyn LineReader + 'o> = match format {
            Format::ClaudeCode => Box::new(Claude::new(self.options)),
            Format::Codex => Box::new(Codex::new(self.options)),
            Format::GeminiCli => Box::new(Gemini::new(self.options)),
        };
        for (text, at) in std::mem::take(&mut self.waiting) {
            take(&mut *reader, &text, at, &mut self.report);
        }
        self.reader = Some(reader);
    }

    fn read_lines(&mut self, input: impl BufRead) -> Result<(), Error> {
        let mut lines = Lines::new(input, self.options.max_line_bytes);
        while let Some(line) = lines.next()? {
            self.line(&line)?;
        }
        Ok(())
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), Error> {
        let at = At {
            line: line.number,
            offset: line.offset,
        };
        self.end = line.next;
        if line.bytes.is_empty() && !line.too_long && !line.only_zeros {
            self.report.blank += 1;
            return Ok(());
        }
        self.report.lines += 1;
        let text = match check(line) {
            Ok(text) => text,
            Err(reason) => {
                self.report.skip(at.line, at.offset, reason);
                if !line.ended && reason == SkipReason::CutOff {
                    // Somebody may be writing it right now, so the next read begins with it.
                    self.report.unfinished = true;
                    self.end = line.offset;
                }
                return Ok(());
            }
        };
        self.record(text, at)
    }

    fn record(&mut self, text: &str, at: At) -> Result<(), Error> {
        if self.reader.is_none()
            && let Some(format) = Format::of_record(text)
        {
            self.begin(format);
        }
        if let Some(reader) = &mut self.reader {
            take(&mut **reader, text, at, &mut self.report);
            return Ok(());
        }
        self.waiting_bytes += text.len();
        self.waiting.push((text.to_owned(), at));
        if self.waiting_bytes > HEAD_BYTES {
            return Err(Error::new(ErrorKind::UnknownFormat));
        }
        Ok(())
    }

    /// Reads a file that is one JSON document, or several after one another, over many lines. Each object
    /// counts as a line; what a list holds is taken one by one.
    fn read_document(&mut self, input: impl Read) -> Result<(), Error> {
        let most = self.options.max_line_bytes;
        let mut bytes = Vec::new();
        input.take(most as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > most {
            return Err(Error::new(ErrorKind::TooLong));
        }
        self.end = bytes.len() as u64;
        let skip_all = |report: &mut Report, reason| {
            report.lines += 1;
            report.skip(1, 0, reason);
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            skip_all(&mut self.report, SkipReason::NotUtf8);
            return Ok(());
        };
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let mut number = 0;
        for value in values {
            let raw = match value {
                Ok(raw) => raw.get(),
                Err(error) => {
                    skip_all(&mut self.report, SkipReason::of(&error));
                    return Ok(());
                }
            };
            let items: List<'_, Raw<'_>> = scan::read(raw).unwrap_or_default();
            let mut records: Vec<&str> = items.0.iter().map(|item| item.raw).collect();
            if records.is_empty() {
                records.push(raw);
            }
            for record in records {
                number += 1;
                let offset = record.as_ptr() as usize - text.as_ptr() as usize;
                let at = At {
                    line: number,
                    offset: offset as u64,
                };
                self.report.lines += 1;
                if record.starts_with('{') {
                    self.record(record, at)?;
                } else {
                    self.report
                        .skip(at.line, at.offset, SkipReason::NotAnObject);
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<FileContent, Error> {
        if self.reader.is_none() && self.report.lines > 0 {
            return Err(Error::new(ErrorKind::UnknownFormat));
        }
        let threads = match self.reader.take() {
            Some(reader) => reader.finish(&mut self.report),
            None => Threads::default(),
        };
        tracing::debug!(
            format = self.format.map(tracing::field::display),
            lines = self.report.lines,
            messages = self.report.messages,
            skipped = self.report.skipped_total(),
            "transcript.read"
        );
        Ok(FileContent {
            format: self.format,
            threads,
            report: self.report,
            end: self.end,
        })
    }
}

fn take(reader: &mut dyn LineReader, text: &str, at: At, report: &mut Report) {
    match reader.line(text, at, report) {
        Outcome::Message => report.messages += 1,
        Outcome::Note => report.notes += 1,
        Outcome::Unknown => report.unknown += 1,
        Outcome::Skip(reason) => report.skip(at.line, at.offset, reason),
    }
}

/// Tells whether a line is an object in UTF-8, by the look of it: the reader of its format parses it.
fn check<'a>(line: &Line<'a>) -> Result<&'a str, SkipReason> {
    if line.too_long {
        return Err(SkipReason::TooLong);
    }
    if line.only_zeros {
        return Err(SkipReason::Zeros);
    }
    let text = std::str::from_utf8(line.bytes).map_err(|_| SkipReason::NotUtf8)?;
    if !text.starts_with('{') {
        return Err(match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => SkipReason::NotAnObject,
            Err(error) => SkipReason::of(&error),
        });
    }
    if !line.ended {
        scan::read::<Raw<'_>>(text)?;
    }
    Ok(text)
}

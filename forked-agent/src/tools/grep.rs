//! Searches files for a regular expression.
//!
//! The engine is `regex`, which takes time in proportion to its input whatever the pattern; files come
//! through the held folder.

use std::ops::Range;

use globset::GlobMatcher;
use ignore::types::{Types, TypesBuilder};
use regex::bytes::{Regex, RegexBuilder};

use super::Toolbox;
use super::arguments::Arguments;
use super::glob::{below, compile};
use super::run::RunState;
use super::walk::{Found, walk};
use crate::secrets::{self, scanner};
use crate::text::{Bounded, prefix, shown};
use crate::workspace::Place;

/// The longest pattern that is compiled, in bytes.
const MAX_PATTERN_BYTES: usize = 4_096;
/// The most memory that a compiled pattern may take, in bytes.
const MAX_COMPILED_BYTES: usize = 4 << 20;
/// The most bytes of one line that are shown.
const MAX_LINE_BYTES: usize = 500;
/// The most lines shown around a match.
const MAX_CONTEXT_LINES: usize = 100;
/// The most lines or names returned when the call names no limit.
const DEFAULT_HEAD_LIMIT: usize = 250;

/// What to search for, and what to return.
#[derive(Debug)]
pub(crate) struct Grep {
    pattern: Regex,
    glob: Option<GlobMatcher>,
    types: Option<Types>,
    output: Output,
    multiline: bool,
    numbers: bool,
    before: usize,
    after: usize,
    head_limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Names,
    Lines,
    Counts,
}

impl Grep {
    pub(super) fn new(arguments: &Arguments<'_>) -> Result<Self, String> {
        let multiline = arguments.flag("multiline")?;
        let around = arguments.count("-C")?;
        let context = |name| -> Result<usize, String> {
            let lines = arguments.count(name)?.or(around).unwrap_or(0);
            Ok(lines.min(MAX_CONTEXT_LINES))
        };
        Ok(Self {
            pattern: pattern(arguments.text("pattern")?, arguments.flag("-i")?, multiline)?,
            glob: arguments.optional_text("glob")?.map(glob).transpose()?,
            types: arguments.optional_text("type")?.map(types).transpose()?,
            output: match arguments.optional_text("output_mode")? {
                None | Some("files_with_matches") => Output::Names,
                Some("content") => Output::Lines,
                Some("count") => Output::Counts,
                Some(_) => {
                    return Err(
                        "`output_mode` should be files_with_matches, content or count".to_owned(),
                    );
                }
            },
            multiline,
            numbers: arguments.optional_flag("-n")?.unwrap_or(true),
            before: context("-B")?,
            after: context("-A")?,
            head_limit: match arguments.count("head_limit")? {
                None | Some(0) => DEFAULT_HEAD_LIMIT,
                Some(limit) => limit,
            },
        })
    }

    pub(crate) fn carry_out(
        &self,
        place: &Place,
        toolbox: &Toolbox,
        run: &RunState,
    ) -> Result<String, String> {
        let walked = walk(place, toolbox.limits.files, run)?;
        let mut search = Search {
            grep: self,
            out: Bounded::new(toolbox.limits.result_bytes),
            left: self.head_limit,
            incomplete: walked.cut,
        };
        let mut buffer = Vec::new();
        let mut budget = toolbox.limits.search_bytes;
        for file in &walked.files {
            if !self.wants(place, file) {
                continue;
            }
            if run.is_stopped() || budget == 0 {
                search.incomplete = true;
                break;
            }
            let most = (toolbox.limits.file_bytes as u64).min(budget);
            // A file that cannot be read now is as good as not there; links and special files too.
            let read = place.root().read_into(file.key.as_ref(), most, &mut buffer);
            let Ok(metadata) = read else {
                search.incomplete = true;
                continue;
            };
            budget -= buffer.len() as u64;
            search.incomplete |= metadata.len > buffer.len() as u64;
            let target = place.sibling(file.key.clone());
            let redact = toolbox.redact && !target.is_writable();
            if !search.file(&target.path().to_string_lossy(), &buffer, redact) {
                break;
            }
        }
        Ok(search.finish())
    }

    fn wants(&self, place: &Place, file: &Found) -> bool {
        let path = below(place, file.key.as_str());
        self.glob.as_ref().is_none_or(|glob| glob.is_match(path))
            && self
                .types
                .as_ref()
                .is_none_or(|types| types.matched(path, false).is_whitelist())
    }

    /// Returns the lines of a text that hold a match, each once, by the range of their bytes.
    fn matching_lines(&self, text: &[u8]) -> Vec<Range<usize>> {
        // One look at the whole text leaves out most files.
        if !self.pattern.is_match(text) {
            return Vec::new();
        }
        if !self.multiline {
            // Line by line, so that no part of a pattern can match a line end.
            let mut lines = all_lines(text);
            lines.retain(|line| {
                let line = &text[line.clone()];
                self.pattern
                    .is_match(line.strip_suffix(b"\r").unwrap_or(line))
            });
            return lines;
        }
        let mut lines: Vec<Range<usize>> = Vec::new();
        for found in self.pattern.find_iter(text) {
            let begin = line_begin(text, found.start());
            let end = line_end(text, found.start().max(found.end().saturating_sub(1)));
            match lines.last_mut() {
                Some(line) if begin <= line.end => line.end = line.end.max(end),
                // Behind the last line end there is no line.
                _ if begin == text.len() => {}
                _ => lines.push(begin..end),
            }
        }
        lines
    }
}

/// A search on its way through the files.
struct Search<'a> {
    grep: &'a Grep,
    out: Bounded,
    left: usize,
    incomplete: bool,
}

impl Search<'_> {
    /// Searches one file; returns whether there is room for another.
    fn file(&mut self, path: &str, bytes: &[u8], redact: bool) -> bool {
        // What holds a NUL is no text.
        if bytes.contains(&0) {
            return true;
        }
        let lines = self.grep.matching_lines(bytes);
        if lines.is_empty() {
            return true;
        }
        match self.grep.output {
            Output::Names => self.line(path),
            Output::Counts => self.line(&format!("{path}:{}", lines.len())),
            Output::Lines => {
                let text = redacted(bytes, redact);
                match text {
                    // Redaction moves bytes; the lines are looked for again in what is shown.
                    Some(text) => {
                        let lines = self.grep.matching_lines(text.as_bytes());
                        self.lines(path, text.as_bytes(), &lines)
                    }
                    None => self.lines(path, bytes, &lines),
                }
            }
        }
    }

    fn lines(&mut self, path: &str, text: &[u8], matches: &[Range<usize>]) -> bool {
        let all = all_lines(text);
        let number = |at: usize| all.partition_point(|line| line.end < at);
        let mut is_match = vec![false; all.len()];
        for found in matches {
            let last = number(found.end).min(all.len().saturating_sub(1));
            is_match[number(found.start)..=last].fill(true);
        }
        let mut shown_to = 0;
        for index in (0..all.len()).filter(|index| is_match[*index]) {
            let from = index.saturating_sub(self.grep.before).max(shown_to);
            let to = (index + 1 + self.grep.after).min(all.len());
            let apart = from > shown_to && shown_to > 0;
            if apart && self.grep.before + self.grep.after > 0 {
                self.out.line("--");
            }
            for index in from..to {
                let mark = if is_match[index] { ':' } else { '-' };
                if !self.shown_line(path, index + 1, mark, &text[all[index].clone()]) {
                    return false;
                }
            }
            shown_to = to.max(shown_to);
        }
        true
    }

    fn shown_line(&mut self, path: &str, number: usize, mark: char, line: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        let shown = prefix(line, MAX_LINE_BYTES);
        let more = if shown.len() < line.len() { "…" } else { "" };
        if self.grep.numbers {
            self.line(&format!("{path}{mark}{number}{mark}{shown}{more}"))
        } else {
            self.line(&format!("{path}{mark}{shown}{more}"))
        }
    }

    fn line(&mut self, line: &str) -> bool {
        if self.left == 0 {
            self.incomplete = true;
            return false;
        }
        self.left -= 1;
        self.out.line(line)
    }

    fn finish(self) -> String {
        if self.out.is_empty() && !self.incomplete {
            return "[no match]".to_owned();
        }
        let missing = (self.incomplete && !self.out.is_cut())
            .then_some("there may be more; narrow the search or raise head_limit");
        self.out.finish(missing)
    }
}

/// Returns the text with credentials taken out, when there are any to take out.
fn redacted(bytes: &[u8], redact: bool) -> Option<String> {
    (redact && scanner().contains_secret(bytes))
        .then(|| secrets::redacted(&String::from_utf8_lossy(bytes)))
}

fn pattern(text: &str, ignore_case: bool, multiline: bool) -> Result<Regex, String> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(format!(
            "the pattern has more than {MAX_PATTERN_BYTES} bytes"
        ));
    }
    RegexBuilder::new(text)
        .case_insensitive(ignore_case)
        .multi_line(true)
        .dot_matches_new_line(multiline)
        .crlf(true)
        .size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too large when compiled".to_owned(),
            _ => format!("{} is no valid regular expression", shown(text)),
        })
}

/// A pattern without a slash is about names, wherever they are, as it is for ripgrep.
fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    if pattern.contains('/') {
        compile(pattern.trim_start_matches('/'))
    } else {
        compile(&format!("**/{pattern}"))
    }
}

fn types(name: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder
        .select(name)
        .build()
        .map_err(|_| format!("{} is no known file type", shown(name)))
}

fn line_begin(text: &[u8], at: usize) -> usize {
    let before = &text[..at.min(text.len())];
    before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1)
}

fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter()
        .position(|byte| *byte == b'\n')
        .map_or(text.len(), |newline| at + newline)
}

/// Returns the range of each line, without its line end.
fn all_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        lines.push(at..end);
        at = end + 1;
    }
    lines
}

//! As much Markdown as the index, the dates and the lint need: which lines are text, and which
//! links and code spans a line holds.

use std::ops::Range;

use crate::format::{self, Lines, State};

/// One line of a Markdown file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkdownLine {
    /// Counted from 1.
    pub(crate) number: usize,
    /// The whole line with its line end.
    pub(crate) bytes: Range<usize>,
    /// The part a reader sees, without line end and without a block comment at its start.
    pub(crate) visible: Range<usize>,
    pub(crate) kind: LineKind,
}

/// What a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    FrontMatter,
    /// Wholly inside a block HTML comment.
    Comment,
    /// A fenced code block, fences included.
    Code,
    Text,
}

/// Splits a file into lines and says what each belongs to. Linear in the length.
///
/// Comments and fences that are never closed count as text: taken literally, a forgotten `-->`
/// would hide the rest of an index.
pub(crate) fn lines(bytes: &[u8]) -> Vec<MarkdownLine> {
    let extent = format::find(bytes, usize::MAX);
    let body = if extent.state == State::Missing {
        extent.start
    } else {
        extent.body
    };
    let all: Vec<_> = Lines::new(bytes).collect();
    let last_close = all
        .iter()
        .rposition(|line| find(line.text, b"-->").is_some());
    let mut fences = Fences::default();
    let mut comment = false;
    let mut out = Vec::with_capacity(all.len());
    for (at, line) in all.iter().enumerate() {
        let end = line.start + line.text.len();
        let mut visible = line.start..end;
        let kind = if line.next <= body {
            LineKind::FrontMatter
        } else if !comment && fences.takes(&all[at..], at) {
            LineKind::Code
        } else {
            if line.start < body {
                visible.start = body;
            }
            comment = hide_comment(
                bytes,
                &mut visible,
                comment,
                last_close.is_some_and(|last| at < last),
            );
            if visible.is_empty() && end > line.start {
                LineKind::Comment
            } else {
                LineKind::Text
            }
        };
        out.push(MarkdownLine {
            number: line.number,
            bytes: line.start..line.next,
            visible,
            kind,
        });
    }
    out
}

/// Takes block comments off the start of a line. Returns whether one goes on after it.
fn hide_comment(bytes: &[u8], visible: &mut Range<usize>, open: bool, closes_later: bool) -> bool {
    let mut inside = open;
    loop {
        let rest = &bytes[visible.clone()];
        if !inside {
            let blanks = format::indentation(rest);
            if blanks > 3 || !rest[blanks..].starts_with(b"<!--") {
                return false;
            }
        }
        let from = if inside {
            0
        } else {
            4 + format::indentation(rest)
        };
        match find(&rest[from..], b"-->") {
            Some(at) => {
                visible.start += from + at + 3;
                inside = false;
                if format::is_blank(&bytes[visible.clone()]) {
                    visible.start = visible.end;
                    return false;
                }
            }
            None if inside || closes_later => {
                visible.start = visible.end;
                return true;
            }
            None => return false,
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

/// Tracks fenced code blocks.
#[derive(Default)]
struct Fences {
    /// The line index at which the open block ends.
    closes_at: Option<usize>,
    /// For each mark, a length from which on no closing fence is left; keeps the search linear
    /// on files made of opening fences.
    none_from: [Option<usize>; 2],
}

impl Fences {
    fn takes(&mut self, rest: &[format::Line<'_>], at: usize) -> bool {
        if let Some(end) = self.closes_at {
            if at == end {
                self.closes_at = None;
            }
            return true;
        }
        let Some((mark, length, _)) = fence_of(rest[0].text) else {
            return false;
        };
        let none_from = &mut self.none_from[usize::from(mark == b'~')];
        if none_from.is_some_and(|none| length >= none) {
            return false;
        }
        let closes = |line: &format::Line<'_>| {
            fence_of(line.text)
                .is_some_and(|(other, count, bare)| other == mark && count >= length && bare)
        };
        if let Some(ahead) = rest[1..].iter().position(closes) {
            self.closes_at = Some(at + 1 + ahead);
            true
        } else {
            *none_from = Some(length);
            false
        }
    }
}

/// The mark, length and bareness of a fence line, at any indentation (lists indent their code).
fn fence_of(line: &[u8]) -> Option<(u8, usize, bool)> {
    let content = line[format::indentation(line)..].trim_ascii_end();
    let mark = *content.first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = content.iter().take_while(|byte| **byte == mark).count();
    let info = &content[length..];
    // Three backticks with more of them later on the line are a code span, not a fence.
    let fence = length >= 3 && !(mark == b'`' && info.contains(&b'`'));
    fence.then_some((mark, length, info.is_empty()))
}

/// A link or code span in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: SpanKind,
    /// All of it, marks included.
    pub(crate) whole: Range<usize>,
    /// The text a reader sees.
    pub(crate) label: Range<usize>,
    /// Where it leads; for a code span its text. Angle brackets are not part of it.
    pub(crate) target: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// `[label](target)`, `[label](<target>)`, with an optional title.
    Link,
    /// `[[target]]` or `[[target|label]]`.
    Wiki,
    /// `` `text` ``.
    Code,
}

/// The links and code spans of one line, from left to right, never overlapping.
pub(crate) fn spans(line: &str) -> Vec<Span> {
    let bytes = line.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    // A bracket without its partner is looked for once, not from every later bracket.
    let mut no_code_run: Option<usize> = None;
    let mut found_links = None;
    while let Some(found) = memchr::memchr3(b'[', b'`', b'\\', &bytes[at..]) {
        at += found;
        let span = match bytes[at] {
            b'\\' => {
                at += 2;
                if at > bytes.len() {
                    break;
                }
                continue;
            }
            b'`' => {
                let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                let span = (no_code_run != Some(run))
                    .then(|| code_span(bytes, at, run))
                    .flatten();
                if span.is_none() {
                    no_code_run = Some(run);
                    at += run;
                    continue;
                }
                span
            }
            _ if bytes[at..].starts_with(b"[[") && wiki_link(bytes, at).is_some() => {
                wiki_link(bytes, at)
            }
            _ => {
                let links = found_links.get_or_insert_with(|| links(bytes));
                let found = links.binary_search_by_key(&at, |link| link.whole.start);
                found.ok().map(|found| links[found].clone())
            }
        };
        match span {
            Some(span) => {
                at = span.whole.end;
                out.push(span);
            }
            None => at += 1,
        }
    }
    out
}

fn code_span(bytes: &[u8], start: usize, run: usize) -> Option<Span> {
    let mut at = start + run;
    while let Some(found) = memchr::memchr(b'`', &bytes[at..]) {
        at += found;
        let count = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if count == run {
            let inside = start + run..at;
            return Some(Span {
                kind: SpanKind::Code,
                whole: start..at + run,
                label: inside.clone(),
                target: inside,
            });
        }
        at += count;
    }
    None
}

/// The longest target that is looked for. Bounds the work on lines made of brackets.
const MAX_LINK_BYTES: usize = 512;

fn wiki_link(bytes: &[u8], start: usize) -> Option<Span> {
    let inside = start + 2;
    let head = &bytes[inside..bytes.len().min(inside + MAX_LINK_BYTES)];
    let end = find(head, b"]]").filter(|end| *end > 0)?;
    let text = &head[..end];
    if memchr::memchr(b'[', text).is_some() {
        return None;
    }
    let bar = memchr::memchr(b'|', text);
    // In a table the bar has to be escaped.
    let target_end = match bar {
        Some(at) if at > 0 && text[at - 1] == b'\\' => at - 1,
        Some(at) => at,
        None => end,
    };
    Some(Span {
        kind: SpanKind::Wiki,
        whole: start..inside + end + 2,
        label: inside + bar.map_or(0, |at| at + 1)..inside + end,
        target: inside..inside + target_end,
    })
}

/// The links of a line, by their start. One pass over its brackets, so that a line made of them
/// costs no more than any other.
///
/// A link holds no other link: in `[a [b](c) d](e)` only the inner one is one. Images may stand in
/// a link.
fn links(bytes: &[u8]) -> Vec<Span> {
    let mut open = Vec::new();
    let mut found: Vec<Span> = Vec::new();
    let mut innermost = None;
    let mut at = 0;
    while let Some(next) = memchr::memchr3(b'[', b']', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += next;
        match bytes[at] {
            b'[' => open.push(at),
            b']' => {
                let link = open.pop().and_then(|start| link(bytes, start, at));
                // Brackets close from the inside out, so every link in this one is known already.
                if let Some(link) = link.filter(|link| innermost < Some(link.whole.start)) {
                    if link.whole.start == 0 || bytes[link.whole.start - 1] != b'!' {
                        innermost = Some(link.whole.start);
                    }
                    found.push(link);
                }
            }
            // The next character is escaped.
            _ => at += 1,
        }
        at += 1;
    }
    found.sort_unstable_by_key(|link| link.whole.start);
    found
}

/// The link whose label is in the brackets at `start` and `label_end`.
fn link(bytes: &[u8], start: usize, label_end: usize) -> Option<Span> {
    if bytes.get(label_end + 1) != Some(&b'(') {
        return None;
    }
    let open = label_end + 2;
    let blanks = format::indentation(&bytes[open..]);
    let (target, close) = link_target(bytes, open + blanks)?;
    Some(Span {
        kind: SpanKind::Link,
        whole: start..close + 1,
        label: start + 1..label_end,
        target,
    })
}

/// The target that starts at `start`, and where the closing parenthesis is.
fn link_target(bytes: &[u8], start: usize) -> Option<(Range<usize>, usize)> {
    let limit = bytes.len().min(start + MAX_LINK_BYTES);
    let head = &bytes[..limit];
    let (target, mut at) = if head.get(start) == Some(&b'<') {
        let end = start + 1 + memchr::memchr(b'>', &head[start + 1..])?;
        (start + 1..end, end + 1)
    } else {
        let mut depth = 0_usize;
        let mut end = start;
        loop {
            match head.get(end)? {
                b'\\' => end += 1,
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                // Blanks in a target are no Markdown, but people write them; a title may follow.
                b' ' | b'\t' if matches!(head.get(end + 1), Some(b'"' | b'\'' | b'(')) => break,
                _ => {}
            }
            end += 1;
        }
        let trimmed = head[start..end].trim_ascii_end().len();
        (start..start + trimmed, end)
    };
    if head.get(at) != Some(&b')') {
        // A title in quotes or parentheses.
        let rest = head[at..].trim_ascii_start();
        at = limit - rest.len();
        let close = match rest.first()? {
            b'"' => b'"',
            b'\'' => b'\'',
            b'(' => b')',
            b')' => return Some((target, at)),
            _ => return None,
        };
        at += 2 + memchr::memchr(close, &rest[1..])?;
        at += head[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
    }
    (head.get(at) == Some(&b')')).then_some((target, at))
}

/// The byte that stands for everything that is not prose.
pub(crate) const NOT_PROSE: u8 = 1;

/// A copy of the text of the same length in which everything that is not prose is overwritten:
/// front matter, code, comments, tags, URLs and the targets of links. Line ends stay.
pub(crate) fn prose(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut hide = |range: Range<usize>| {
        for byte in &mut out[range] {
            if *byte != b'\n' {
                *byte = NOT_PROSE;
            }
        }
    };
    for line in lines(text.as_bytes()) {
        if line.kind != LineKind::Text {
            hide(line.bytes);
            continue;
        }
        hide(line.bytes.start..line.visible.start);
        let visible = &text[line.visible.clone()];
        let start = line.visible.start;
        for span in spans(visible) {
            match span.kind {
                SpanKind::Code | SpanKind::Wiki => {
                    hide(start + span.whole.start..start + span.whole.end);
                }
                SpanKind::Link => hide(start + span.label.end..start + span.whole.end),
            }
        }
        for range in tags_and_urls(visible) {
            hide(start + range.start..start + range.end);
        }
    }
    // Whole characters were overwritten with ASCII, so this cannot fail; losing the text to a
    // mistake here would only mean that no date is found.
    String::from_utf8(out).unwrap_or_default()
}

/// `<…>` and everything with `://` in it.
fn tags_and_urls(line: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = line[at..].find('<') {
        let open = at + found;
        let next = line[open + 1..].chars().next();
        let head = &line[open..crate::text::floor_boundary(line, open + MAX_LINK_BYTES)];
        // `a < b` is prose.
        let is_tag =
            next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!'));
        match head.find('>').filter(|_| is_tag) {
            Some(close) => {
                out.push(open..open + close + 1);
                at = open + close + 1;
            }
            None => at = open + 1,
        }
    }
    let mut at = 0;
    while let Some(found) = line[at..].find("://") {
        let mark = at + found;
        let start = line[at..mark]
            .rfind(|end: char| !(end.is_ascii_alphanumeric() || "+-.".contains(end)))
            .map_or(at, |end| {
                at + end + line[at + end..].chars().next().map_or(1, char::len_utf8)
            });
        let end = line[mark..]
            .find(|end: char| end.is_whitespace() || "<>\"`）」】，。".contains(end))
            .map_or(line.len(), |end| mark + end);
        out.push(start..end);
        at = end;
    }
    out
}

//! Reads one line of an index: what it points to, and what it says about it.

use std::borrow::Cow;
use std::ops::Range;

use pathguard::fold_key;

use crate::markdown::{Span, SpanKind, spans};

/// A line (or a part of one) of an index that points to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub(super) title: String,
    pub(super) file: Option<String>,
    pub(super) folded: String,
    pub(super) hook: String,
    pub(super) line: usize,
    pub(super) form: EntryForm,
    pub(super) has_anchor: bool,
    pub(super) kind: SpanKind,
    pub(super) places: Places,
}

/// Where the parts of an entry stand in the visible text of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) whole: Range<usize>,
    pub(super) label: Range<usize>,
    pub(super) target: Range<usize>,
    /// Where the hook is, or where it would go.
    pub(super) hook: Range<usize>,
}

/// How an entry is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryForm {
    /// `[title](file.md)` at the start of a line or list item: the form this crate writes.
    Link,
    /// `[[name]]` at the start of a line or list item.
    WikiLink,
    /// `` `file.md` `` at the start of a list item. It may as well name a file of the project.
    CodeName,
    /// A link in a table row.
    TableRow,
    /// A link somewhere in a sentence, or a further link of a line.
    Mention,
}

impl Entry {
    /// The title: the text of the link, without escapes.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The file it points to, relative to the folder of the index, with `/` and without escapes;
    /// `None` when the target leads out of the folder.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// What the line says about the memory; empty when it says nothing.
    pub fn hook(&self) -> &str {
        &self.hook
    }

    /// The line it is on, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// How it is written.
    pub fn form(&self) -> EntryForm {
        self.form
    }

    /// Whether it points to a part of the file, as in `file.md#part`; such a line is no duplicate
    /// of the one for the file.
    pub fn has_anchor(&self) -> bool {
        self.has_anchor
    }

    /// Whether it points to the file of that folded name.
    pub(super) fn points_to(&self, folded: &str) -> bool {
        match self.kind {
            SpanKind::Wiki => same_stem(&self.folded, folded),
            _ => self.file.is_some() && self.folded == folded,
        }
    }
}

/// Whether a wiki target (with `.md`) means the file of that folded path.
fn same_stem(wiki: &str, file: &str) -> bool {
    let name = if wiki.contains('/') {
        file
    } else {
        base_name(file)
    };
    even(wiki) == even(name)
}

/// A name without regard to what stands between its words.
pub(super) fn even(name: &str) -> String {
    name.replace(['-', ' '], "_")
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Reads the entries of one visible line.
pub(super) fn read(text: &str, line: usize) -> Vec<Entry> {
    let spans = spans(text);
    if spans.is_empty() {
        return Vec::new();
    }
    let content = text.len() - after_marks(text).len();
    let start = unindented(text);
    let is_table = start.starts_with('|');
    let is_item = content > text.len() - start.len();
    let is_heading = start.starts_with('#');
    let mut out: Vec<Entry> = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let leads = at == 0
            && span.whole.start >= content
            && is_decoration(&text[content..span.whole.start]);
        let form = match span.kind {
            SpanKind::Link if is_table => EntryForm::TableRow,
            SpanKind::Code if is_table && is_decoration(cell_before(text, span.whole.start)) => {
                EntryForm::TableRow
            }
            SpanKind::Link if leads && !is_heading => EntryForm::Link,
            SpanKind::Wiki if leads && !is_heading => EntryForm::WikiLink,
            SpanKind::Code if leads && is_item => EntryForm::CodeName,
            SpanKind::Code => continue,
            SpanKind::Link | SpanKind::Wiki => EntryForm::Mention,
        };
        let target = &text[span.target.clone()];
        let resolved = match span.kind {
            SpanKind::Wiki => resolve_wiki(target),
            SpanKind::Link => resolve(target),
            SpanKind::Code => resolve_code(target),
        };
        let file = match resolved {
            Target::Inside(file) => Some(file),
            Target::Outside => None,
            Target::NoFile => continue,
        };
        let hook = match form {
            EntryForm::Mention => span.whole.end..span.whole.end,
            EntryForm::TableRow => next_cell(text, span.whole.end),
            _ => hook_after(text, span),
        };
        out.push(Entry {
            title: unescape(&text[span.label.clone()]).into_owned(),
            folded: file.as_deref().map(fold_key).unwrap_or_default(),
            file,
            hook: text[hook.clone()].to_owned(),
            line,
            form,
            has_anchor: target.contains('#'),
            kind: span.kind,
            places: Places {
                whole: span.whole.clone(),
                label: span.label.clone(),
                target: span.target.clone(),
                hook,
            },
        });
    }
    out
}

/// The line without indentation. A byte order mark, which two joined files leave in the middle of
/// the text, counts as a blank: it becomes one as soon as the lines above it are gone.
pub(super) fn unindented(text: &str) -> &str {
    text.trim_start_matches(|blank: char| blank.is_whitespace() || blank == '\u{FEFF}')
}

/// The line without indentation, list mark and task box.
pub(super) fn after_marks(text: &str) -> &str {
    let content = unindented(text);
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if (1..=9).contains(&digits) && content[digits..].starts_with(['.', ')']) {
        &content[digits + 1..]
    } else {
        match content.strip_prefix(['-', '*', '+', '•']) {
            Some(rest) => rest,
            None => return content,
        }
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return content;
    }
    let rest = rest.trim_start();
    for mark in ["[ ]", "[x]", "[X]"] {
        if let Some(after) = rest
            .strip_prefix(mark)
            .filter(|after| after.starts_with(' '))
        {
            return after.trim_start();
        }
    }
    rest
}

/// Emphasis, emoji and punctuation may stand before the link of an entry; words may not.
fn is_decoration(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
}

fn cell_before(text: &str, at: usize) -> &str {
    let head = &text[..at];
    &head[head.rfind('|').map_or(0, |bar| bar + 1)..]
}

fn next_cell(text: &str, from: usize) -> Range<usize> {
    let Some(bar) = text[from..].find('|') else {
        return from..from;
    };
    let start = from + bar + 1;
    let end = text[start..]
        .find('|')
        .map_or(text.len(), |bar| start + bar);
    trimmed(text, start..end)
}

/// What follows the link, without separator and the marks that close an emphasis.
fn hook_after(text: &str, span: &Span) -> Range<usize> {
    let mut start = span.whole.end;
    let opened = &text[..span.whole.start];
    for mark in ["**", "__", "~~", "*", "_"] {
        if opened.ends_with(mark) && text[start..].starts_with(mark) {
            start += mark.len();
        }
    }
    let rest = text[start..].trim_start();
    let without = SEPARATORS
        .iter()
        .find_map(|separator| rest.strip_prefix(separator));
    let hook = without.unwrap_or(rest);
    let mut hook = trimmed(text, text.len() - hook.len()..text.len());
    if hook.is_empty() {
        hook = start..start;
    }
    // `**[title](file.md):** hook` closes the emphasis after the separator.
    for mark in ["**", "__"] {
        if opened.ends_with(mark) && text[hook.clone()].starts_with(mark) && start == span.whole.end
        {
            hook = trimmed(text, hook.start + mark.len()..hook.end);
        }
    }
    hook
}

/// What stands between title and hook, longest first.
const SEPARATORS: [&str; 14] = [
    "---", "--", "->", "=>", "——", "—", "–", "―", "→", "-", "：", ":", "－", "|",
];

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = range.end - (part.len() - part.trim_end().len());
    start..end.max(start)
}

fn unescape(label: &str) -> Cow<'_, str> {
    if !label.contains('\\') {
        return Cow::Borrowed(label.trim());
    }
    let mut out = String::with_capacity(label.len());
    let mut chars = label.trim().chars().peekable();
    while let Some(character) = chars.next() {
        let escaped = chars.next_if(|next| character == '\\' && next.is_ascii_punctuation());
        out.push(escaped.unwrap_or(character));
    }
    Cow::Owned(out)
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// To a file below the folder.
    Inside(String),
    /// To a file elsewhere: an absolute path, a drive, a home folder, or too many `..`.
    Outside,
    /// To no Markdown file: a URL, an anchor, another kind of file.
    NoFile,
}

/// Resolves a link target of the index to a Markdown file.
pub(crate) fn resolve(target: &str) -> Target {
    match resolve_path(target) {
        Target::Inside(path) if !is_markdown(&path) => Target::NoFile,
        other => other,
    }
}

/// Resolves any relative link target, whatever kind of file it names.
pub(crate) fn resolve_path(target: &str) -> Target {
    let target = target.trim();
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || path.starts_with("//") || has_scheme(path) {
        return Target::NoFile;
    }
    let path = unescape(path);
    let Some(path) = percent_decoded(&path) else {
        return Target::Outside;
    };
    let path = path.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with(['/', '~']) || drive || path.chars().any(char::is_control) {
        return Target::Outside;
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Target::Outside;
                }
            }
            _ => parts.push(part),
        }
    }
    if parts.is_empty() {
        Target::NoFile
    } else {
        Target::Inside(parts.join("/"))
    }
}

fn resolve_wiki(target: &str) -> Target {
    let name = target.split('#').next().unwrap_or_default().trim();
    if name.is_empty() || has_scheme(name) {
        return Target::NoFile;
    }
    let name = if is_markdown(name) {
        name.to_owned()
    } else {
        format!("{name}.md")
    };
    resolve(&name)
}

fn resolve_code(target: &str) -> Target {
    let name = target.trim();
    match resolve(name) {
        Target::Inside(file) if is_code_name(name) => Target::Inside(file),
        _ => Target::NoFile,
    }
}

/// Whether a code span of this text is taken for a file name, and not for a command or pattern.
pub(super) fn is_code_name(text: &str) -> bool {
    is_markdown(text)
        && !text.contains(|bad: char| bad.is_whitespace() || "*<>$`%#\\".contains(bad))
}

fn is_markdown(path: &str) -> bool {
    path.len() > 3 && path.as_bytes()[path.len() - 3..].eq_ignore_ascii_case(b".md")
}

/// A URL scheme has at least two letters; one letter before a colon is a drive.
fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() >= 2
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// `None` when the escapes do not spell UTF-8.
fn percent_decoded(path: &str) -> Option<Cow<'_, str>> {
    if !path.contains('%') {
        return Some(Cow::Borrowed(path));
    }
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let code = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

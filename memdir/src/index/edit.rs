//! Edits of an index: each rewrites the line it is about and nothing else.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Index;
use super::entry::{Entry, EntryForm, after_marks, is_code_name, unindented};
use crate::limits::INDEX_ENTRY_MAX_CHARACTERS;
use pathguard::fold_key;

use crate::markdown::{LineKind, SpanKind, spans};
use crate::memory_type::MemoryType;
use crate::text::{one_line, shorten};

impl Index {
    /// Makes sure that a line points to `file`. Returns whether one was added; a line that is
    /// there already stays as it is, hand-written hook and all.
    ///
    /// The new line goes below the last entry of the same type, else to the end of the section
    /// whose heading names the type, else below the last entry. It takes over the list mark of its
    /// neighbour. The hook is shortened so that the line stays within
    /// [`INDEX_ENTRY_MAX_CHARACTERS`] characters.
    pub fn add(&mut self, file: &str, title: &str, hook: &str) -> bool {
        if self.find(file).is_some() {
            return false;
        }
        let place = self.place_for(file);
        self.insert(&place, &[entry_text(file, title, hook)]);
        true
    }

    /// Adds lines for files that have none and whose names start with the same type.
    pub(super) fn add_group(&mut self, group: &[(&str, &str, &str)]) {
        let Some((first, ..)) = group.first() else {
            return;
        };
        let texts: Vec<String> = group
            .iter()
            .map(|(file, title, hook)| entry_text(file, title, hook))
            .collect();
        let place = self.place_for(first);
        self.insert(&place, &texts);
    }

    /// Rewrites title and hook of the entry that points to `file`, leaving its place, list mark
    /// and separator; an empty title or hook leaves that part as it is. Returns whether there was
    /// an entry to rewrite: a mere mention in a sentence is none.
    pub fn update(&mut self, file: &str, title: &str, hook: &str) -> bool {
        let Some(entry) = self
            .find_all(file)
            .find(|entry| entry.form != EntryForm::Mention)
        else {
            return false;
        };
        let (line, form, places) = (entry.line, entry.form, entry.places.clone());
        let mut text = self.text_of(line);
        let is_table = form == EntryForm::TableRow;
        let hook = escape_hook(one_line(hook));
        if !hook.is_empty() {
            let hook = if is_table {
                hook.replace('|', "\\|")
            } else {
                hook
            };
            let lead = if places.hook.is_empty() && !is_table {
                " — "
            } else {
                ""
            };
            let used = text[..places.hook.start].chars().count() + lead.chars().count();
            let hook = shorten(
                &hook,
                INDEX_ENTRY_MAX_CHARACTERS
                    .saturating_sub(used)
                    .max(MIN_HOOK_CHARS),
            );
            text.replace_range(places.hook, &format!("{lead}{hook}"));
        }
        let title = one_line(title);
        let has_title = text[..places.label.start].ends_with('[') && form != EntryForm::WikiLink;
        if has_title && !title.is_empty() {
            text.replace_range(
                places.label,
                &escape_label(&shorten(&title, INDEX_ENTRY_MAX_CHARACTERS / 2)),
            );
        }
        self.replace_text(line, &text);
        true
    }

    /// Lets the entries that point to `from` point to `to`. Returns whether there were any.
    pub fn rename(&mut self, from: &str, to: &str) -> bool {
        let found: Vec<&Entry> = self.find_all(from).collect();
        let mut changes = Changes::new();
        // From the right, so that places further left stay true.
        for entry in found.iter().rev() {
            let mut text = match changes.remove(&entry.line) {
                Some(Change::Replace(text)) => text,
                _ => self.text_of(entry.line),
            };
            let places = &entry.places;
            let shows_name = entry.title == text[places.target.clone()];
            match entry.kind {
                SpanKind::Wiki => {
                    text.replace_range(places.target.clone(), to.strip_suffix(".md").unwrap_or(to));
                }
                SpanKind::Code if is_code_name(to) => {
                    text.replace_range(places.target.clone(), to);
                }
                SpanKind::Code => {
                    text.replace_range(places.whole.clone(), &entry_text(to, to, ""));
                }
                SpanKind::Link => {
                    let bracketed = text[..places.target.start].ends_with('<');
                    let target = link_target(to);
                    let target = if bracketed {
                        target.trim_matches(['<', '>'])
                    } else {
                        &target
                    };
                    text.replace_range(places.target.clone(), target);
                    // Many indexes show the file name as the title.
                    if shows_name {
                        text.replace_range(places.label.clone(), &escape_label(to));
                    }
                }
            }
            changes.insert(entry.line, Change::Replace(text));
        }
        self.apply(&changes);
        !changes.is_empty()
    }

    /// Removes what points to `file`: its lines, with the indented text that continues them. A
    /// link in a sentence, or one of several links of a line, only loses its target. Returns
    /// whether there was anything.
    pub fn remove(&mut self, file: &str) -> bool {
        let wanted = fold_key(file);
        self.remove_where(|entry| entry.points_to(&wanted))
    }

    /// Removes all entries that `gone` names; see [`remove`](Self::remove).
    pub(super) fn remove_where(&mut self, gone: impl Fn(&Entry) -> bool) -> bool {
        let mut any = false;
        // A link without its target may turn what is around it into a link, which may be gone too.
        for _ in 0..MAX_NESTED_LINKS {
            let changes = self.changes_without(&gone);
            if changes.is_empty() {
                break;
            }
            self.apply(&changes);
            any = true;
        }
        any
    }

    fn changes_without(&self, gone: impl Fn(&Entry) -> bool) -> Changes {
        let mut changes = Changes::new();
        for (at, entry) in self
            .entries
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, entry)| gone(entry))
        {
            if self.is_alone(at) && entry.form != EntryForm::Mention {
                for line in self.lines_of(entry) {
                    changes.insert(line, Change::Remove);
                }
                continue;
            }
            // From the right, so that the places of entries further left stay true.
            let mut text = match changes.remove(&entry.line) {
                Some(Change::Replace(text)) => text,
                _ => self.text_of(entry.line),
            };
            let label = text[entry.places.label.clone()].to_owned();
            text.replace_range(entry.places.whole.clone(), &label);
            changes.insert(entry.line, Change::Replace(text));
        }
        changes
    }

    /// Whether the entry at that place of the list has its line for itself.
    pub(crate) fn is_alone(&self, at: usize) -> bool {
        let line_at = |at: Option<usize>| {
            at.and_then(|at| self.entries.get(at))
                .map(|entry| entry.line)
        };
        let line = Some(self.entries[at].line);
        line_at(at.checked_sub(1)) != line && line_at(Some(at + 1)) != line
    }

    /// The line numbers of an entry with the text that continues it.
    fn lines_of(&self, entry: &Entry) -> Range<usize> {
        let indent = |text: &str| text.len() - text.trim_start().len();
        let first = self.text_of(entry.line);
        let mut end = entry.line + 1;
        while end <= self.lines.len() && self.is_text(end) {
            let text = self.text_of(end);
            let continues = !text.trim().is_empty()
                && indent(&text) > indent(&first)
                && after_marks(&text).len() == unindented(&text).len()
                && !self.has_entry_on(end);
            if !continues {
                break;
            }
            end += 1;
        }
        entry.line..end
    }

    /// Removes whole lines.
    pub(crate) fn remove_lines(&mut self, lines: &[usize]) {
        self.apply(&lines.iter().map(|line| (*line, Change::Remove)).collect());
    }

    /// Applies changes to lines, all at once.
    pub(super) fn apply(&mut self, changes: &Changes) {
        if changes.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for line in &self.lines {
            let old = &self.bytes[line.bytes.clone()];
            match changes.get(&line.number) {
                None => bytes.extend_from_slice(old),
                Some(Change::Remove) if line.visible.start == line.bytes.start => {}
                // The end of a comment stands before the text; without it the comment would go on.
                Some(Change::Remove) => {
                    bytes.extend_from_slice(&self.bytes[line.bytes.start..line.visible.start]);
                    bytes.extend_from_slice(&self.bytes[line.visible.end..line.bytes.end]);
                }
                Some(Change::Replace(text)) => {
                    bytes.extend_from_slice(&self.bytes[line.bytes.start..line.visible.start]);
                    bytes.extend_from_slice(text.as_bytes());
                    bytes.extend_from_slice(&self.bytes[line.visible.end..line.bytes.end]);
                }
            }
        }
        let had_front_matter = self.has_front_matter();
        *self = Self::parse(&bytes);
        if self.has_front_matter() && !had_front_matter {
            // A horizontal rule has come to the top, where it would hide what follows as front
            // matter; a title keeps it what it was.
            *self = Self::parse(&[b"# Memory\n", bytes.as_slice()].concat());
        }
    }

    fn has_front_matter(&self) -> bool {
        self.lines
            .iter()
            .any(|line| line.kind == LineKind::FrontMatter)
    }

    fn replace_text(&mut self, line: usize, text: &str) {
        self.apply(&Changes::from([(line, Change::Replace(text.to_owned()))]));
    }

    /// Where a new line for `file` goes.
    fn place_for(&self, file: &str) -> Place {
        let is_sibling = |entry: &&Entry| {
            matches!(
                entry.form,
                EntryForm::Link | EntryForm::WikiLink | EntryForm::CodeName
            ) && entry.file.is_some()
        };
        let kind = type_of(file);
        let siblings = || self.entries.iter().filter(is_sibling);
        let same_kind = kind.and_then(|kind| {
            siblings().rfind(|entry| entry.file().and_then(type_of) == Some(kind))
        });
        if let Some(sibling) = same_kind {
            return self.place_below(sibling);
        }
        if let Some(heading) = kind.and_then(|kind| self.heading_for(kind)) {
            return self.place_in_section(heading, siblings());
        }
        match siblings().next_back() {
            Some(sibling) => self.place_below(sibling),
            None => self.place_at_end(),
        }
    }

    fn place_below(&self, sibling: &Entry) -> Place {
        let text = self.text_of(sibling.line);
        let content = text.len() - after_marks(&text).len();
        let marks = &text[..content];
        // A numbered list would need its next number, a task box its state.
        let plain = matches!(marks.trim(), "-" | "*" | "+");
        Place {
            after: self.lines_of(sibling).end - 1,
            blank_before: false,
            marks: if plain {
                marks.to_owned()
            } else {
                "- ".to_owned()
            },
        }
    }

    /// The end of the list below a heading: after its last entry, else right below the heading.
    fn place_in_section<'a>(
        &self,
        heading: usize,
        siblings: impl Iterator<Item = &'a Entry>,
    ) -> Place {
        let end = (heading + 1..=self.lines.len()).find(|line| self.heading_level(*line).is_some());
        let end = end.unwrap_or(self.lines.len() + 1);
        let last = siblings
            .filter(|entry| (heading..end).contains(&entry.line))
            .last();
        if let Some(last) = last {
            return self.place_below(last);
        }
        let mut after = heading;
        for line in heading + 1..end {
            if !self.text_of(line).trim().is_empty() || !self.is_text(line) {
                after = line;
            }
        }
        Place {
            after,
            blank_before: true,
            marks: "- ".to_owned(),
        }
    }

    fn place_at_end(&self) -> Place {
        let last = (1..=self.lines.len())
            .rev()
            .find(|line| !self.text_of(*line).trim().is_empty());
        let after = last.unwrap_or(self.lines.len());
        Place {
            after,
            blank_before: last.is_some(),
            marks: "- ".to_owned(),
        }
    }

    pub(super) fn heading_level(&self, line: usize) -> Option<usize> {
        let text = self.text_of(line);
        let level = text.bytes().take_while(|byte| *byte == b'#').count();
        let heading = self.is_text(line)
            && (1..=6).contains(&level)
            && text[level..].starts_with([' ', '\t']);
        heading.then_some(level)
    }

    /// The first heading that names the type, alone or in the plural. A heading that is the only
    /// one of the top level is the title of the file and does not count.
    fn heading_for(&self, kind: MemoryType) -> Option<usize> {
        let headings: Vec<(usize, usize)> = (1..=self.lines.len())
            .filter_map(|line| self.heading_level(line).map(|level| (line, level)))
            .collect();
        let top = headings.iter().map(|heading| heading.1).min()?;
        let has_title = headings.iter().filter(|other| other.1 == top).count() == 1;
        let names_kind = |line: usize| {
            self.text_of(line)
                .split(|part: char| !part.is_alphanumeric())
                .any(|word| {
                    let word = word.to_lowercase();
                    word.strip_suffix('s').unwrap_or(&word) == kind.as_str()
                })
        };
        headings
            .iter()
            .copied()
            .find(|(line, level)| !(has_title && *level == top) && names_kind(*line))
            .map(|found| found.0)
    }

    /// The line itself, or the last one of the comment, code block or front matter that goes on
    /// below it: nothing may be put inside of these.
    fn outside(&self, after: usize) -> usize {
        let mut line = after;
        while let (Some(this), Some(next)) =
            (self.lines.get(line.wrapping_sub(1)), self.lines.get(line))
        {
            let goes_on = match this.kind {
                LineKind::Text => false,
                LineKind::Comment => {
                    next.kind == LineKind::Comment || next.visible.start > next.bytes.start
                }
                kind => next.kind == kind,
            };
            if !goes_on {
                break;
            }
            line += 1;
        }
        line
    }

    /// Puts new lines below a line, with the line ends of the file.
    fn insert(&mut self, place: &Place, texts: &[String]) {
        let crlf = self
            .lines
            .first()
            .is_some_and(|first| self.bytes[first.bytes.clone()].ends_with(b"\r\n"));
        let eol = if crlf { "\r\n" } else { "\n" };
        let at = self
            .outside(place.after)
            .checked_sub(1)
            .map_or(0, |line| self.lines[line].bytes.end);
        let mut block = String::new();
        if at > 0 && !self.bytes[..at].ends_with(b"\n") {
            block.push_str(eol);
        }
        if place.blank_before {
            block.push_str(eol);
        }
        for text in texts {
            for part in [&place.marks, text, eol] {
                block.push_str(part);
            }
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.splice(at..at, block.bytes());
        *self = Self::parse(&bytes);
    }
}

/// Links in links that a removal follows; more of them are left to a person.
const MAX_NESTED_LINKS: usize = 100;

/// What happens to lines, by their number.
pub(super) type Changes = BTreeMap<usize, Change>;

pub(super) enum Change {
    Remove,
    /// A new visible text; line end and a comment in front of it stay.
    Replace(String),
}

struct Place {
    /// The line to insert after; 0 for the start.
    after: usize,
    blank_before: bool,
    marks: String,
}

/// A hook is not shortened below this, however long title and file name are.
const MIN_HOOK_CHARS: usize = 40;

/// `[Title](file.md) — hook`, within the limit of a line.
pub(super) fn entry_text(file: &str, title: &str, hook: &str) -> String {
    let title = one_line(title);
    let title = if title.is_empty() { file } else { &title };
    let link = format!(
        "[{}]({})",
        escape_label(&shorten(title, INDEX_ENTRY_MAX_CHARACTERS / 2)),
        link_target(file)
    );
    let hook = escape_hook(one_line(hook));
    if hook.is_empty() {
        return link;
    }
    let used = link.chars().count() + "-  — ".chars().count();
    let hook = shorten(
        &hook,
        INDEX_ENTRY_MAX_CHARACTERS
            .saturating_sub(used)
            .max(MIN_HOOK_CHARS),
    );
    format!("{link} — {hook}")
}

fn escape_label(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    for character in label.chars() {
        if matches!(character, '[' | ']' | '\\' | '`' | '|' | '<') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// A hook in which no link stands: it would be taken for one more mention of that file.
fn escape_hook(hook: String) -> String {
    let has_link = spans(&hook).iter().any(|span| span.kind != SpanKind::Code);
    if has_link {
        hook.replace('[', "\\[")
    } else {
        hook
    }
}

/// A path as a link target: as it is when Markdown allows, else in angle brackets or escaped.
fn link_target(file: &str) -> String {
    let escaped: String = file
        .chars()
        .map(|character| match character {
            '<' | '>' | '%' | '#' | '\\' | '|' => format!("%{:02X}", u32::from(character)),
            _ => character.to_string(),
        })
        .collect();
    if escaped.contains([' ', '(', ')']) {
        format!("<{escaped}>")
    } else {
        escaped
    }
}

/// The type a file name starts with.
pub(crate) fn type_of(file: &str) -> Option<MemoryType> {
    let name = file.rsplit('/').next().unwrap_or(file);
    MemoryType::ALL.into_iter().find(|kind| {
        name.strip_prefix(kind.as_str())
            .is_some_and(|rest| rest.starts_with(['_', '-']))
    })
}

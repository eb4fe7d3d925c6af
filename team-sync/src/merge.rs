//! Three-way merge of one memory.
//!
//! Lines merge with diff3. Two rules are ours: what both sides only *inserted* at one place is kept from
//! both, the server's first, because agents append; and front matter merges key by key. An index merges
//! line by line as a set. What is left is a conflict: the text here keeps the name, the other one is
//! handed back whole, so that nothing is only in a history.

use std::collections::BTreeMap;

use diffy::{ConflictStyle, MergeOptions};

use crate::limits::MAX_ENTRY_BYTES;

/// More changed lines than this on both sides together are not compared: the time grows with their square.
const MAX_CHANGED_LINES: usize = 6_000;

/// The field that every save sets; the later text is taken, as RFC 3339 times of one zone sort by time.
const MODIFIED: &str = "modified";

/// The outcome of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// The text that belongs under the key.
    pub text: String,
    /// The text from the server that could not be merged; it belongs into a conflict copy.
    pub conflict: Option<String>,
}

/// Merges two texts that have left a common one.
///
/// Without a common text only equal texts and a text that continues the other one merge. `index` texts
/// always merge. A result over the limit of an entry is a conflict.
///
/// ```
/// use team_sync::merge;
///
/// let both_append = merge(Some("a\n"), "a\nhere\n", "a\nthere\n", false);
/// assert_eq!(both_append.text, "a\nthere\nhere\n");
/// assert_eq!(both_append.conflict, None);
///
/// let both_rewrite = merge(Some("port 80\n"), "port 81\n", "port 82\n", false);
/// assert_eq!(both_rewrite.text, "port 81\n");
/// assert_eq!(both_rewrite.conflict.as_deref(), Some("port 82\n"));
/// ```
pub fn merge(base: Option<&str>, local: &str, remote: &str, index: bool) -> Merged {
    let clean = |text: String| Merged {
        text,
        conflict: None,
    };
    if local == remote || base == Some(remote) {
        return clean(local.to_owned());
    }
    if base == Some(local) {
        return clean(remote.to_owned());
    }
    let merged = if index {
        Some(merge_index(base.unwrap_or_default(), local, remote))
    } else {
        merge_memory(base, local, remote)
    };
    match merged {
        Some(text) if text.len() <= MAX_ENTRY_BYTES => clean(text),
        _ => Merged {
            text: local.to_owned(),
            conflict: Some(remote.to_owned()),
        },
    }
}

fn merge_memory(base: Option<&str>, local: &str, remote: &str) -> Option<String> {
    let Some(base) = base else {
        return continues(local, remote);
    };
    let (Some(b), Some(l), Some(r)) = (Split::of(base), Split::of(local), Split::of(remote)) else {
        return merge_lines(base, local, remote);
    };
    let opening = one_sided(b.opening, l.opening, r.opening)?;
    let header = merge_fields(&b, &l, &r)?;
    let closing = one_sided(b.closing, l.closing, r.closing)?;
    let body = merge_lines(b.body, l.body, r.body)?;
    Some(format!("{opening}{header}{closing}{body}"))
}

/// Whether a field is one line, so that it holds nothing but its value.
fn is_line(field: Option<&str>) -> bool {
    field.is_none_or(|field| field.trim_end().lines().count() <= 1)
}

/// What has changed on one side at most; `None` when both sides have changed it, each in its way.
fn one_sided<'a>(base: &str, local: &'a str, remote: &'a str) -> Option<&'a str> {
    if local == remote || local == base {
        Some(remote)
    } else {
        (remote == base).then_some(local)
    }
}

/// The longer text when it begins with the other one.
fn continues(local: &str, remote: &str) -> Option<String> {
    if local.starts_with(remote) {
        Some(local.to_owned())
    } else {
        remote.starts_with(local).then(|| remote.to_owned())
    }
}

/// A memory as front matter and body.
struct Split<'a> {
    /// The opening line, and what stands before the first field.
    opening: &'a str,
    /// The fields in order: key, and its lines.
    fields: Vec<(&'a str, &'a str)>,
    /// The closing line.
    closing: &'a str,
    body: &'a str,
}

impl<'a> Split<'a> {
    /// `None` when there is no front matter that can be taken apart without doubt.
    fn of(text: &'a str) -> Option<Self> {
        let fence = |line: &str| line.trim_end() == "---";
        let mut lines = text.split_inclusive('\n');
        let first = lines
            .next()
            .filter(|line| fence(line.trim_start_matches('\u{feff}')))?;
        let mut at = first.len();
        let (mut start, mut fields): (usize, Vec<(&str, usize)>) = (at, Vec::new());
        let mut closing = None;
        for line in lines {
            if fence(line) {
                closing = Some(line);
                break;
            }
            let own_line = !line.starts_with([' ', '\t', '#', '-', '\n', '\r']);
            if own_line {
                let (key, _) = line.split_once(':')?;
                if fields.iter().any(|(known, _)| *known == key) {
                    return None;
                }
                if fields.is_empty() {
                    start = at;
                }
                fields.push((key, at));
            }
            at += line.len();
        }
        let closing = closing?;
        let ends = fields.iter().skip(1).map(|field| field.1).chain([at]);
        let fields = fields
            .iter()
            .zip(ends)
            .map(|((key, from), to)| (*key, &text[*from..to]));
        let fields: Vec<_> = fields.collect();
        Some(Self {
            opening: &text[..if fields.is_empty() { at } else { start }],
            fields,
            closing,
            body: &text[at + closing.len()..],
        })
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        let found = self.fields.iter().find(|(name, _)| *name == key)?;
        Some(found.1)
    }
}

/// The merged fields: the server's order, then what was added here. `None` when one key conflicts.
fn merge_fields(base: &Split<'_>, local: &Split<'_>, remote: &Split<'_>) -> Option<String> {
    let added_here = local
        .fields
        .iter()
        .filter(|(key, _)| remote.get(key).is_none());
    let mut text = String::new();
    for (key, _) in remote.fields.iter().chain(added_here) {
        let (b, l, r) = (base.get(key), local.get(key), remote.get(key));
        let kept = if l == r || r == b {
            l
        } else if l == b {
            r
        } else if *key == MODIFIED && is_line(l) && is_line(r) {
            l.max(r)
        } else {
            return None;
        };
        text.push_str(kept.unwrap_or_default());
    }
    Some(text)
}

/// diff3 over lines, with insertions at one place kept from both sides. `None` is a conflict.
fn merge_lines(base: &str, local: &str, remote: &str) -> Option<String> {
    if local == remote || base == remote {
        return Some(local.to_owned());
    }
    if base == local {
        return Some(remote.to_owned());
    }
    if changed_lines(base, local) + changed_lines(base, remote) > MAX_CHANGED_LINES {
        return None;
    }
    // A missing last line end would make the last line of one side differ from that of the other.
    let (b, l, r) = (ended(base), ended(local), ended(remote));
    let marker = longest_run(&[&b, &l, &r]) + 7;
    let mut options = MergeOptions::new();
    options
        .set_conflict_marker_length(marker)
        .set_conflict_style(ConflictStyle::Diff3);
    let mut text = match options.merge(&b, &l, &r) {
        Ok(text) => text,
        Err(text) => keep_insertions(&text, marker)?,
    };
    if !local.ends_with('\n') && !remote.ends_with('\n') && text.ends_with('\n') {
        text.pop();
    }
    Some(text)
}

/// Resolves the conflicts whose common part is empty; `None` when one is not.
fn keep_insertions(text: &str, marker: usize) -> Option<String> {
    #[derive(PartialEq)]
    enum At {
        Plain,
        Local,
        Base,
        Remote,
    }
    let is = |line: &str, sign: char| {
        line.len() >= marker
            && line
                .bytes()
                .take(marker)
                .all(|byte| char::from(byte) == sign)
    };
    let (mut result, mut local, mut remote) = (String::new(), String::new(), String::new());
    let mut at = At::Plain;
    for line in text.split_inclusive('\n') {
        match at {
            At::Plain if is(line, '<') => at = At::Local,
            At::Local if is(line, '|') => at = At::Base,
            At::Base if is(line, '=') => at = At::Remote,
            At::Remote if is(line, '>') => {
                result.push_str(&both_insertions(&local, &remote));
                local.clear();
                remote.clear();
                at = At::Plain;
            }
            At::Plain => result.push_str(line),
            At::Local => local.push_str(line),
            At::Base => return None,
            At::Remote => remote.push_str(line),
        }
    }
    (at == At::Plain).then_some(result)
}

/// The server's insertion, then the one from here; lines both begin with stand once.
fn both_insertions(local: &str, remote: &str) -> String {
    if let Some(text) = continues(local, remote) {
        return text;
    }
    let common = common_lines(local.split_inclusive('\n'), remote.split_inclusive('\n'));
    let shared: usize = remote
        .split_inclusive('\n')
        .take(common)
        .map(str::len)
        .sum();
    format!("{remote}{}", &local[shared..])
}

/// Three-way merge of an index: its lines are a set. A line one side has taken out is out, a line one side
/// has put in is in; the order is the server's, with the lines from here behind their neighbours.
fn merge_index(base: &str, local: &str, remote: &str) -> String {
    let (base, local, remote) = (ended(base), ended(local), ended(remote));
    let count = |text: &str| {
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.split_inclusive('\n') {
            *lines.entry(line.to_owned()).or_default() += 1;
        }
        lines
    };
    let (in_base, in_local, in_remote) = (count(&base), count(&local), count(&remote));
    let has = |lines: &BTreeMap<String, usize>, line: &str| lines.contains_key(line);
    let blank = |line: &str| line.trim().is_empty();

    // What was taken out here leaves the server's text.
    let mut result: Vec<&str> = remote
        .split_inclusive('\n')
        .filter(|line| blank(line) || !has(&in_base, line) || has(&in_local, line))
        .collect();
    // What was put in here enters behind the line it follows here.
    let mut above: Option<&str> = None;
    for line in local.split_inclusive('\n') {
        let entering = !blank(line) && !has(&in_base, line) && !has(&in_remote, line);
        if entering {
            let place = match above {
                Some(above) => result
                    .iter()
                    .rposition(|kept| *kept == above)
                    .map(|at| at + 1),
                None => Some(0),
            };
            let place = place.unwrap_or(result.len());
            result.insert(place, line);
        }
        if entering || result.contains(&line) {
            above = Some(line);
        }
    }
    result.concat()
}

/// How many lines lie between the common start and the common end of two texts.
fn changed_lines(from: &str, to: &str) -> usize {
    let lines = |text: &str| text.split_inclusive('\n').count();
    let start = common_lines(from.split_inclusive('\n'), to.split_inclusive('\n'));
    let end = common_lines(
        from.split_inclusive('\n').rev(),
        to.split_inclusive('\n').rev(),
    );
    let (from, to) = (lines(from), lines(to));
    from.max(to).saturating_sub(start.saturating_add(end))
}

fn common_lines<'a>(a: impl Iterator<Item = &'a str>, b: impl Iterator<Item = &'a str>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// `text` with a line end behind its last line.
fn ended(text: &str) -> String {
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The longest run of a character that conflict markers are made of, at the start of a line.
fn longest_run(texts: &[&str]) -> usize {
    let run = |line: &str| {
        let first = line.bytes().next().unwrap_or_default();
        if b"<|=>".contains(&first) {
            line.bytes().take_while(|byte| *byte == first).count()
        } else {
            0
        }
    };
    let lines = texts.iter().flat_map(|text| text.split_inclusive('\n'));
    lines.map(run).max().unwrap_or_default()
}

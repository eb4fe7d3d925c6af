//! Puts what the ledger says beside what others wrote, without losing either.

use std::collections::{BTreeMap, HashSet};

use crate::notes::{Notes, with_subsections};

/// What the ledger wrote the last time, by section. Kept beside the notes, it tells the ledger's own text
/// from that of a person or a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerText(BTreeMap<String, String>);

impl LedgerText {
    /// Takes what was kept.
    pub fn new(sections: impl IntoIterator<Item = (String, String)>) -> Self {
        LedgerText(sections.into_iter().collect())
    }

    /// Returns the sections with what was written into each.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &str)> {
        let sections = self.0.iter();
        sections.map(|(heading, text)| (heading.as_str(), text.as_str()))
    }

    fn of(&self, heading: &str) -> &str {
        self.0.get(heading).map_or("", String::as_str)
    }
}

/// Brings the sections of the notes up to date.
pub(super) fn update(
    sections: &[(&str, String)],
    notes: &Notes,
    last: &LedgerText,
) -> (Notes, LedgerText) {
    let mut wanted: BTreeMap<String, String> = BTreeMap::new();
    // What the template has no section for.
    let mut homeless = Vec::new();
    for (heading, text) in sections {
        let text = text.trim();
        if notes.body(heading).is_some() {
            wanted.insert((*heading).to_owned(), text.to_owned());
        } else {
            homeless.push((*heading, text));
        }
    }
    if let Some(section) = notes.sections().last() {
        let text = wanted.entry(section.heading.to_owned()).or_default();
        *text = with_subsections(text, &homeless);
    }
    let mut updated = notes.clone();
    for (heading, text) in &wanted {
        let body = notes.body(heading).unwrap_or_default();
        let body = merge(body, last.of(heading), text);
        updated = updated.with_body(heading, &body);
    }
    wanted.retain(|_, text| !text.is_empty());
    // What the ledger wrote into sections that this update does not touch stays known.
    for (heading, text) in last.sections() {
        let touched = sections.iter().any(|(known, _)| *known == heading);
        if !touched {
            wanted.entry(heading.to_owned()).or_insert(text.to_owned());
        }
    }
    (updated, LedgerText(wanted))
}

/// Replaces `last` by `new` inside a section whose rest belongs to somebody else.
fn merge(body: &str, last: &str, new: &str) -> String {
    let last = last.trim();
    if body.trim().is_empty() || body.trim() == last {
        return new.to_owned();
    }
    if last.is_empty() {
        return joined(body, new);
    }
    if let Some(at) = body.find(last) {
        let (before, after) = (&body[..at], &body[at + last.len()..]);
        return joined(&joined(before, new), after);
    }
    // Somebody wrote inside the ledger's text: line by line, what the ledger no longer says goes, and what
    // it says for the first time comes. What they took out stays out, and what they put in stays in.
    let (old_lines, new_lines): (HashSet<&str>, HashSet<&str>) =
        (last.lines().collect(), new.lines().collect());
    let gone = |line: &&str| {
        !line.trim().is_empty() && old_lines.contains(line) && !new_lines.contains(line)
    };
    let kept: Vec<&str> = body.lines().filter(|line| !gone(line)).collect();
    let there: HashSet<&str> = kept.iter().copied().collect();
    let added: Vec<&str> = new
        .lines()
        .filter(|line| !old_lines.contains(line) && !there.contains(line))
        .collect();
    joined(&kept.join("\n"), &added.join("\n"))
}

fn joined(first: &str, second: &str) -> String {
    let (first, second) = (first.trim_end(), second.trim_matches(['\n', '\r']));
    match (first.is_empty(), second.trim().is_empty()) {
        (true, _) => second.trim_end().to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first}\n\n{}", second.trim_end()),
    }
}

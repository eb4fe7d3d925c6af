//! File-name patterns, matched and expanded as a POSIX shell does.
//!
//! `*` and `?` match no leading dot and no slash, a pattern without a match stays as it is written,
//! results are in byte order (the order of the C.UTF-8 locale). Two things differ from a shell, both so
//! that a file's name can never act: a result that would begin with a dash gets `./` before it, and a
//! pattern that itself begins with a dash must not match.

use std::ffi::OsString;
use std::path::Path;

use super::lexer::Word;
use super::refusal::{Refusal, RefusalKind};
use crate::text::shown;

/// The most names a pattern may expand to.
pub const MAX_MATCHES: usize = 4_096;
/// The most folder entries that are read for one pattern.
pub const MAX_ENTRIES: usize = 100_000;

/// One element of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    /// Itself.
    Unit(u32),
    /// `?`.
    One,
    /// `*`.
    Any,
    /// `[…]`.
    Set {
        negated: bool,
        ranges: Vec<(u32, u32)>,
    },
}

/// A pattern for one component of a path.
#[derive(Clone, Debug)]
struct Pattern(Vec<Element>);

impl Pattern {
    fn new(text: &str, is_active: impl Fn(usize) -> bool) -> Self {
        let mut elements = Vec::new();
        let mut characters = text.char_indices();
        while let Some((offset, character)) = characters.next() {
            elements.push(match character {
                '*' if is_active(offset) => Element::Any,
                '?' if is_active(offset) => Element::One,
                '[' if is_active(offset) => {
                    let inside = characters.as_str();
                    let length = inside.find(']').unwrap_or(inside.len());
                    let set = &inside[..length];
                    characters.by_ref().take(set.chars().count() + 1).count();
                    parse_set(set)
                }
                other => Element::Unit(u32::from(other)),
            });
        }
        Self(elements)
    }

    fn matches(&self, name: &[u32]) -> bool {
        let dot = u32::from('.');
        if name.first() == Some(&dot) && self.0.first() != Some(&Element::Unit(dot)) {
            return false;
        }
        // The newest `*` is the only one that ever needs to be widened.
        let (mut at, mut element) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while at < name.len() {
            match self.0.get(element) {
                Some(Element::Any) => {
                    star = Some((element, at));
                    element += 1;
                    continue;
                }
                Some(one) if one.matches(name[at]) => {
                    at += 1;
                    element += 1;
                    continue;
                }
                _ => {}
            }
            let Some((star_element, star_at)) = star else {
                return false;
            };
            star = Some((star_element, star_at + 1));
            at = star_at + 1;
            element = star_element + 1;
        }
        self.0[element..].iter().all(|rest| *rest == Element::Any)
    }
}

impl Element {
    fn matches(&self, unit: u32) -> bool {
        match self {
            Self::Unit(own) => *own == unit,
            Self::One => true,
            Self::Any => false,
            Self::Set { negated, ranges } => {
                ranges
                    .iter()
                    .any(|(low, high)| (*low..=*high).contains(&unit))
                    != *negated
            }
        }
    }
}

fn parse_set(set: &str) -> Element {
    let (negated, set) = match set.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, set),
    };
    let units: Vec<u32> = set.chars().map(u32::from).collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(low) = units.get(at) {
        match units.get(at + 1..at + 3) {
            Some([dash, high]) if *dash == u32::from('-') => {
                ranges.push((*low, *high));
                at += 3;
            }
            _ => {
                ranges.push((*low, *low));
                at += 1;
            }
        }
    }
    Element::Set { negated, ranges }
}

/// Returns the characters of a name; a byte that is no UTF-8 counts as one character of its own.
fn units(name: &std::ffi::OsStr, out: &mut Vec<u32>) {
    const BEYOND_UNICODE: u32 = 0x11_0000;
    out.clear();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        out.extend(chunk.valid().chars().map(u32::from));
        out.extend(
            chunk
                .invalid()
                .iter()
                .map(|byte| BEYOND_UNICODE + u32::from(*byte)),
        );
    }
}

/// Expands a word against a folder.
///
/// `check` is asked about every folder before it is read.
pub(super) fn expand(
    word: &Word,
    directory: &Path,
    check: &mut dyn FnMut(&Path) -> Result<(), Refusal>,
) -> Result<Vec<OsString>, Refusal> {
    let text = word.text();
    let literal = || vec![OsString::from(text)];
    if !word.is_pattern() {
        return Ok(literal());
    }
    let mut expansion = Expansion {
        word,
        directory,
        check,
        entries: 0,
        results: vec![OsString::new()],
    };
    let mut begin = 0;
    for component in text.split_inclusive('/') {
        expansion.step(begin, component)?;
        begin += component.len();
    }
    let mut results = expansion.results;
    if results.is_empty() {
        return Ok(literal());
    }
    if text.starts_with('-') {
        return Err(refusal(
            word,
            "matches a file name that looks like an option",
        ));
    }
    for result in &mut results {
        if result.as_encoded_bytes().starts_with(b"-") {
            let mut guarded = OsString::from("./");
            guarded.push(&*result);
            *result = guarded;
        }
    }
    results.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    Ok(results)
}

struct Expansion<'a> {
    word: &'a Word,
    directory: &'a Path,
    check: &'a mut dyn FnMut(&Path) -> Result<(), Refusal>,
    entries: usize,
    results: Vec<OsString>,
}

impl Expansion<'_> {
    /// Carries every path found so far one component further.
    fn step(&mut self, begin: usize, component: &str) -> Result<(), Refusal> {
        let name = component.trim_end_matches('/');
        let slash = &component[name.len()..];
        let active = self.word.active();
        let is_active = |offset: usize| active.binary_search(&((begin + offset) as u32)).is_ok();
        let is_pattern = (0..name.len()).any(&is_active);
        let after_pattern = active
            .first()
            .is_some_and(|first| (*first as usize) < begin);
        let paths = std::mem::take(&mut self.results);
        if !is_pattern {
            for mut path in paths {
                if !after_pattern {
                    path.push(component);
                    self.results.push(path);
                    continue;
                }
                // Behind a pattern only what exists counts; asking must not look outside either.
                (self.check)(Path::new(&path))?;
                path.push(component);
                if self.directory.join(&path).symlink_metadata().is_ok() {
                    self.results.push(path);
                }
            }
            return Ok(());
        }
        let pattern = Pattern::new(name, is_active);
        for path in paths {
            self.read_folder(&path, &pattern, slash)?;
        }
        Ok(())
    }

    fn read_folder(
        &mut self,
        path: &OsString,
        pattern: &Pattern,
        slash: &str,
    ) -> Result<(), Refusal> {
        let folder = if path.is_empty() {
            Path::new(".")
        } else {
            Path::new(path)
        };
        (self.check)(folder)?;
        // A folder that cannot be read holds no match for a shell either.
        let Ok(entries) = std::fs::read_dir(self.directory.join(folder)) else {
            return Ok(());
        };
        let mut buffer = Vec::new();
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(refusal(self.word, "makes too many folder entries be read"));
            }
            let name = entry.file_name();
            units(&name, &mut buffer);
            if !pattern.matches(&buffer) {
                continue;
            }
            let mut found = path.clone();
            found.push(&name);
            // A component with a slash behind it must be a folder, or a link to one.
            if !slash.is_empty() && !self.directory.join(&found).is_dir() {
                continue;
            }
            found.push(slash);
            self.results.push(found);
            if self.results.len() > MAX_MATCHES {
                return Err(refusal(self.word, "matches too many names"));
            }
        }
        Ok(())
    }
}

fn refusal(word: &Word, what: &str) -> Refusal {
    Refusal::new(
        RefusalKind::Pattern,
        word.position(),
        format!("the pattern {} {what}", shown(word.text())),
    )
}

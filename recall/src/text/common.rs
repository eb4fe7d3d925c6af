//! Ordinary words: those of everyday English, those of every request, and those that name a kind of
//! note and not its subject.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::term::Stems;

const EVERYDAY: &str = include_str!("data/common.txt");
const TASK: &str = include_str!("data/task.txt");
const GENRE: &str = include_str!("data/genre.txt");

/// How much a word says about the subject of a query, by what kind of word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word of its subject.
    Subject,
    /// A word of everyday English: it may be the subject, and occurs by chance more often than others.
    Everyday,
    /// What everybody asks an agent to do, and what every program consists of.
    Task,
    /// What sort of note is looked for: rules, conventions, information.
    Genre,
}

/// Returns the kind of a word, given by its stem, or of a pair of characters.
pub(crate) fn kind(stem: &str) -> Kind {
    static TABLES: OnceLock<[(Kind, HashSet<String>); 3]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        [
            (Kind::Genre, stems(GENRE)),
            (Kind::Task, stems(TASK)),
            (Kind::Everyday, stems(EVERYDAY)),
        ]
    });
    let known = tables.iter().find(|(_, words)| words.contains(stem));
    known.map_or(Kind::Subject, |(kind, _)| *kind)
}

/// Reads a table: words parted by spaces, lines that begin with `#` say what follows.
fn stems(table: &str) -> HashSet<String> {
    let stems = Stems::new();
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(str::split_whitespace);
    words.map(|word| stems.stem(word)).collect()
}

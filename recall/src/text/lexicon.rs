//! A small vocabulary of engineering words that mean the same, in English, Chinese, German, French and
//! Spanish.
//!
//! It is data, not learning: `data/same.txt` holds translations, abbreviations and spellings,
//! `data/european.txt` those of the European languages, `data/near.txt` words that people use for each
//! other. A query word is widened by them at a
//! lower weight; files are never widened, so the index knows nothing of the vocabulary.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::term::{Stems, Term};
use super::{Piece, cjk, normalise, pieces};

/// How close two phrases are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Closeness {
    /// A translation, an abbreviation or another spelling.
    Same,
    /// A word that often stands for the other.
    Near,
}

/// A phrase that may stand for another: all of its terms must be met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) shown: Box<str>,
    /// Its look-up form.
    pub(crate) key: Box<str>,
    pub(crate) terms: Vec<Term>,
}

/// The vocabulary, parsed once.
#[derive(Debug)]
pub(crate) struct Lexicon {
    groups: Vec<(Closeness, Vec<Phrase>)>,
    /// From the stems of a phrase, joined by spaces, or a CJK word, to its places in `groups`.
    places: HashMap<Box<str>, Vec<(u32, u32)>>,
    /// Look-up forms that are in no table but that of European languages.
    european: HashSet<Box<str>>,
}

/// The longest phrase of the vocabulary: words for Latin script, characters for CJK.
pub(crate) const MAX_WORDS: usize = 3;
pub(crate) const MAX_CJK_CHARS: usize = 10;

const SAME: &str = include_str!("data/same.txt");
const NEAR: &str = include_str!("data/near.txt");
const EUROPEAN: &str = include_str!("data/european.txt");

impl Lexicon {
    /// Returns the built-in vocabulary.
    pub(crate) fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Lexicon> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::parse(SAME, NEAR, EUROPEAN))
    }

    fn parse(same: &str, near: &str, european: &str) -> Self {
        let mut stems = Stems::new();
        let mut lexicon = Self {
            groups: Vec::new(),
            places: HashMap::new(),
            european: HashSet::new(),
        };
        let tables = [
            (Closeness::Same, same),
            (Closeness::Near, near),
            (Closeness::Same, european),
        ];
        for (number, (closeness, text)) in tables.into_iter().enumerate() {
            if number == 2 {
                lexicon.european = foreign_keys(european, &lexicon, &stems);
            }
            for line in text.lines() {
                let line = line.trim();
                if !line.is_empty() && !line.starts_with('#') {
                    lexicon.add_group(closeness, line, &mut stems);
                }
            }
        }
        lexicon
    }

    fn add_group(&mut self, closeness: Closeness, line: &str, stems: &mut Stems) {
        let group = self.groups.len() as u32;
        let mut phrases: Vec<Phrase> = Vec::new();
        for shown in line.split(',').map(str::trim).filter(|s| !s.is_empty()) {
            let key = key(shown, stems);
            let terms = terms(shown, stems);
            if key.is_empty() || terms.is_empty() {
                continue;
            }
            let places = self.places.entry(key.as_str().into()).or_default();
            if places.iter().all(|(g, _)| *g != group) {
                places.push((group, phrases.len() as u32));
                phrases.push(Phrase {
                    shown: shown.into(),
                    key: key.into(),
                    terms,
                });
            }
        }
        self.groups.push((closeness, phrases));
    }

    /// Returns whether a phrase is part of the vocabulary. Latin phrases are given as stems joined by
    /// spaces.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// Returns whether a phrase is of another language than English.
    pub(crate) fn is_foreign(&self, key: &str) -> bool {
        key.chars().any(cjk::is_cjk) || self.european.contains(key)
    }

    /// Returns the phrases that may stand for the given one, closest first.
    pub(crate) fn others(&self, key: &str) -> Vec<(Closeness, &Phrase)> {
        let Some(places) = self.places.get(key) else {
            return Vec::new();
        };
        let mut found: Vec<(Closeness, &Phrase)> = Vec::new();
        for (group, own) in places {
            let (closeness, phrases) = &self.groups[*group as usize];
            for (at, phrase) in phrases.iter().enumerate() {
                let seen = found.iter().any(|(_, known)| known.terms == phrase.terms);
                if at != *own as usize && !seen {
                    found.push((*closeness, phrase));
                }
            }
        }
        found
    }
}

/// Returns the look-up forms of the phrases that the English tables do not have; the first phrase of
/// each line is English.
fn foreign_keys(table: &str, known: &Lexicon, stems: &Stems) -> HashSet<Box<str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .flat_map(|line| line.split(',').skip(1))
        .map(|phrase| key(phrase.trim(), stems))
        .filter(|key| !known.knows(key))
        .map(String::into_boxed_str)
        .collect()
}

/// Returns the look-up form of a phrase.
fn key(phrase: &str, stems: &Stems) -> String {
    let normal = normalise(phrase);
    if normal.chars().any(cjk::is_cjk) {
        return normal.into_owned();
    }
    let mut words = Vec::new();
    pieces(&normal, &mut |piece| {
        if let Piece::Word(word) = piece {
            words.push(stems.stem(word));
        }
    });
    words.join(" ")
}

/// Returns what a text must contain for the phrase to be met in it.
fn terms(phrase: &str, stems: &mut Stems) -> Vec<Term> {
    let normal = normalise(phrase);
    let mut words = Vec::new();
    let mut whole = None;
    pieces(&normal, &mut |piece| match piece {
        Piece::Single(_) => {}
        Piece::Whole { .. } => whole = stems.of(piece),
        Piece::Word(_) | Piece::Bigram(_) => words.extend(stems.of(piece)),
    });
    // One hyphenated or camel-case word is looked up joined: `e2e`, `TypeScript`.
    match whole {
        Some(whole) if !phrase.contains(' ') => vec![whole],
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::{Closeness, EUROPEAN, Lexicon, MAX_CJK_CHARS, MAX_WORDS, NEAR, SAME};
    use crate::text::cjk;

    #[test]
    fn every_phrase_of_the_tables_is_within_the_limits_and_can_be_looked_up() {
        let lexicon = Lexicon::builtin();
        let alone: Vec<_> = lexicon
            .groups
            .iter()
            .filter(|(_, group)| group.len() < 2)
            .collect();
        assert!(alone.is_empty(), "groups with one phrase: {alone:?}");
        for phrase in [SAME, NEAR, EUROPEAN]
            .iter()
            .flat_map(|text| text.lines())
            .filter(|line| !line.starts_with('#'))
            .flat_map(|line| line.split(','))
            .map(str::trim)
        {
            let characters = phrase.chars().filter(|c| cjk::is_cjk(*c)).count();
            assert!(characters <= MAX_CJK_CHARS, "{phrase}");
            assert!(phrase.split(' ').count() <= MAX_WORDS, "{phrase}");
        }
    }

    #[test]
    fn a_translation_is_the_same_and_a_synonym_is_near() {
        let lexicon = Lexicon::parse(
            "database, db, 数据库",
            "database, storage",
            "database, Datenbank",
        );
        let shown = |key: &str| -> Vec<(Closeness, String)> {
            let others = lexicon.others(key);
            others
                .iter()
                .map(|(c, p)| (*c, p.shown.to_string()))
                .collect()
        };
        let same = |word: &str| (Closeness::Same, word.to_owned());
        let near = |word: &str| (Closeness::Near, word.to_owned());
        assert_eq!(
            shown("databas"),
            [
                same("db"),
                same("数据库"),
                near("storage"),
                same("Datenbank")
            ]
        );
        assert_eq!(shown("数据库"), [same("database"), same("db")]);
        assert_eq!(shown("datenbank"), [same("database")]);
        assert!(lexicon.is_foreign("datenbank") && !lexicon.is_foreign("databas"));
        assert!(shown("unknown").is_empty());
    }
}

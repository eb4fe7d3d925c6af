//! Terms: what the index stores instead of words.

use std::borrow::Cow;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

use super::{Piece, stop};

/// A 64-bit hash of a normalised word; stable across runs, machines and releases of one index version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term(pub(crate) u64);

impl Term {
    /// Returns the term of a word that needs no stemming: a joined identifier or a CJK pair.
    pub(crate) fn exact(word: &str) -> Self {
        Self(hash(word.as_bytes()))
    }
}

/// Turns words into terms and remembers the stems it has seen; stemming dominates a first build otherwise.
pub(crate) struct Stems {
    english: Stemmer,
    russian: Stemmer,
    seen: HashMap<Box<str>, Option<Term>>,
}

/// More distinct words than this are stemmed anew each time: hostile files must not fill the memory.
const MAX_REMEMBERED: usize = 200_000;

/// Words longer than this many bytes are noise (base64, hashes): they are cut.
const MAX_WORD_BYTES: usize = 64;

impl Stems {
    pub(crate) fn new() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            seen: HashMap::new(),
        }
    }

    /// Returns the term of a lower-case word, or none for a word that carries no meaning by itself.
    pub(crate) fn term(&mut self, word: &str) -> Option<Term> {
        let word = cut(word);
        if let Some(known) = self.seen.get(word) {
            return *known;
        }
        let term = if is_meaningless(word) {
            None
        } else {
            Some(Term::exact(&self.stem(word)))
        };
        if self.seen.len() < MAX_REMEMBERED {
            self.seen.insert(word.into(), term);
        }
        term
    }

    /// Returns the stem itself, for look-ups by words.
    pub(crate) fn stem(&self, word: &str) -> String {
        let word = cut(word);
        if word.chars().all(is_cyrillic) {
            return self.russian.stem(word).into_owned();
        }
        stem(&self.english, word)
    }

    /// Returns the term of a piece, or none when it carries no meaning.
    pub(crate) fn of(&mut self, piece: Piece<'_>) -> Option<Term> {
        match piece {
            Piece::Word(word) => self.term(word),
            // The joined form shares the space of plain words: `webHook` meets `webhooks`.
            Piece::Whole { text, .. } => Some(Term::exact(&self.stem(text))),
            Piece::Bigram(pair) => Some(Term::exact(pair)),
            Piece::Single(single) => Some(Term::exact(single)),
        }
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stems")
            .field("seen", &self.seen.len())
            .finish_non_exhaustive()
    }
}

/// Which language a word of Latin letters is in cannot be told; Cyrillic is read as Russian.
fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{4ff}')
}

fn is_meaningless(word: &str) -> bool {
    word.len() < 2 || stop::is_stop_word(word)
}

fn stem(stemmer: &Stemmer, word: &str) -> String {
    let plain = word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase());
    if plain {
        let mut stem = stemmer.stem(&one_spelling(word)).into_owned();
        // British English doubles: labelling, cancelled.
        if stem.len() > 5 && stem.ends_with("ll") {
            stem.pop();
        }
        stem
    } else if word.len() > 3 && word.ends_with('s') && word.is_ascii() {
        // `sha256s`, `e0308s`: a plural of something Snowball should not touch.
        word[..word.len() - 1].to_owned()
    } else {
        word.to_owned()
    }
}

/// Brings British and American spellings together: colour, organise, catalogue, licence.
///
/// The rules also hit words that have one spelling only (source, exercise); both sides of a search
/// change alike, so nothing is lost.
fn one_spelling(word: &str) -> Cow<'_, str> {
    const ENDINGS: &[(&str, &str)] = &[
        ("isations", "izations"),
        ("isation", "ization"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("ise", "ize"),
        ("ogues", "ogs"),
        ("ogue", "og"),
        ("licence", "license"),
        ("licences", "licenses"),
    ];
    if word.len() < 6 {
        return Cow::Borrowed(word);
    }
    let swapped = ENDINGS.iter().find_map(|(british, american)| {
        word.strip_suffix(british)
            .map(|head| format!("{head}{american}"))
    });
    match swapped {
        Some(word) => Cow::Owned(word),
        None if word.contains("our") => Cow::Owned(word.replacen("our", "or", 1)),
        None => Cow::Borrowed(word),
    }
}

fn cut(word: &str) -> &str {
    if word.len() <= MAX_WORD_BYTES {
        return word;
    }
    let mut end = MAX_WORD_BYTES;
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    &word[..end]
}

/// FNV-1a with a final mix: short inputs, no tables, the same everywhere.
fn hash(bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // The finaliser of MurmurHash3 (public domain): spreads the last bytes into the high bits.
    state ^= state >> 33;
    state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^= state >> 33;
    state = state.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    state ^ (state >> 33)
}

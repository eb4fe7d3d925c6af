//! What a query asks for: its words, with what may stand for each.

use std::collections::HashSet;

use super::widen::widen;
use super::{Alternative, Corpus, How, Slot};
use crate::text::lexicon::{self, Lexicon};
use crate::text::term::{Stems, Term};
use crate::text::{Piece, cjk, normalise, pieces};

/// A longer query is cut in its middle: people put the question at either end of a pasted text.
const MAX_QUERY_BYTES: usize = 16 * 1024;

/// One character of a script without spaces says little.
const SINGLE_WEIGHT: f64 = 0.3;

/// What everybody asks an agent to do, and what every program consists of; a note is seldom about it.
const TASK_WORDS: &[&str] = &[
    "add",
    "apply",
    "belong",
    "belongs",
    "better",
    "bigger",
    "build",
    "call",
    "change",
    "check",
    "clean",
    "cleaner",
    "code",
    "compare",
    "convert",
    "copy",
    "count",
    "create",
    "deal",
    "debug",
    "describe",
    "display",
    "do",
    "docstring",
    "edit",
    "extract",
    "faster",
    "file",
    "files",
    "finish",
    "fix",
    "format",
    "function",
    "generate",
    "good",
    "great",
    "handle",
    "implement",
    "improve",
    "insert",
    "issue",
    "leave",
    "line",
    "list",
    "live",
    "lives",
    "look",
    "looks",
    "loop",
    "method",
    "move",
    "new",
    "nice",
    "number",
    "open",
    "output",
    "part",
    "paste",
    "print",
    "problem",
    "project",
    "question",
    "quick",
    "random",
    "redo",
    "refactor",
    "remove",
    "rename",
    "replace",
    "rerun",
    "return",
    "rewrite",
    "run",
    "second",
    "set",
    "simple",
    "simplify",
    "sit",
    "slower",
    "snippet",
    "sort",
    "start",
    "step",
    "string",
    "summarize",
    "summary",
    "test",
    "tests",
    "thing",
    "things",
    "translate",
    "try",
    "undo",
    "update",
    "value",
    "variable",
    "way",
    "work",
    "working",
    "write",
];
const TASK_WEIGHT: f64 = 0.5;

/// A word written as a name, inside of a sentence, says more than others what the query is about.
const NAME_WEIGHT: f64 = 1.2;

/// Words that ask for the newest state; they name no subject.
const TIME_WORDS: &[&str] = &[
    "current",
    "currently",
    "latest",
    "new",
    "newest",
    "nowadays",
    "recent",
    "recently",
    "status",
    "today",
    "update",
    "updated",
];
const TIME_WEIGHT: f64 = 0.25;
const NEWEST_WORDS: &[&str] = &[
    "current",
    "currently",
    "latest",
    "newest",
    "now",
    "recent",
    "recently",
    "still",
];
const NEWEST_CJK: &[&str] = &[
    "最新", "最近", "现在", "目前", "当前", "如今", "现状", "最終", "現在",
];

/// What a word that no file has costs, as a share of the greatest rarity.
const MISSING_WORD: f64 = 0.5;
const MISSING_IDENTIFIER: f64 = 0.25;
const MISSING_PAIR: f64 = 0.25;

/// What may stand for one word, at most.
const MAX_ALTERNATIVES: usize = 48;

/// Shares of the score for what stands for a word.
const SAME_WEIGHT: f64 = 0.8;
const NEAR_WEIGHT: f64 = 0.4;

/// A query, taken apart once and asked of a corpus.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) slots: Vec<Slot>,
    /// The query asks for the newest state of something.
    pub(crate) wants_newest: bool,
}

impl Question {
    /// Takes a query apart; the corpus decides which words need repair.
    pub(crate) fn new(text: &str, corpus: &Corpus<'_>) -> Self {
        let text = normalise(text);
        let text = cut_middle(&text);
        let mut reader = Reader::new();
        reader.names = names(&text);
        pieces(&text, &mut |piece| reader.piece(piece));
        reader.end_stretch();
        reader.attach_phrases();
        let wants_newest = reader
            .words
            .iter()
            .any(|w| NEWEST_WORDS.contains(&w.text.as_str()))
            || NEWEST_CJK.iter().any(|word| text.contains(word));
        let Reader {
            mut slots, words, ..
        } = reader;
        widen(&mut slots, &words, corpus);
        Self {
            slots,
            wants_newest,
        }
    }
}

/// A word of the query in its place.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    stem: String,
    /// Where its slot is; none for a function word.
    pub(super) slot: Option<usize>,
}

struct Reader {
    /// Words of the query that are written as names.
    names: HashSet<String>,
    stems: Stems,
    lexicon: &'static Lexicon,
    slots: Vec<Slot>,
    words: Vec<Word>,
    /// Characters of the current run of a script without spaces.
    stretch: Vec<char>,
    after_pair: bool,
}

impl Reader {
    fn new() -> Self {
        Self {
            names: HashSet::new(),
            stems: Stems::new(),
            lexicon: Lexicon::builtin(),
            slots: Vec::new(),
            words: Vec::new(),
            stretch: Vec::new(),
            after_pair: false,
        }
    }

    fn piece(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Bigram(_) => self.after_pair = true,
            Piece::Single(single) => {
                // The last character of a run comes without a pair before it.
                self.stretch.extend(single.chars());
                if !std::mem::take(&mut self.after_pair) {
                    self.end_stretch();
                }
            }
            Piece::Word(word) => self.word(word),
            Piece::Whole { text, strong } => self.whole(text, strong),
        }
    }

    fn word(&mut self, word: &str) {
        let slot = self.stems.term(word).map(|term| {
            let weight = if TIME_WORDS.contains(&word) {
                TIME_WEIGHT
            } else if TASK_WORDS.contains(&word) {
                TASK_WEIGHT
            } else if self.names.contains(word) {
                NAME_WEIGHT
            } else {
                1.0
            };
            self.slot(word, term, weight, MISSING_WORD)
        });
        self.words.push(Word {
            text: word.to_owned(),
            stem: self.stems.stem(word),
            slot,
        });
    }

    fn whole(&mut self, text: &str, strong: bool) {
        if let Some(term) = self.stems.of(Piece::Whole { text, strong }) {
            let missing = if strong { MISSING_IDENTIFIER } else { 0.0 };
            let at = self.slot(text, term, 1.0, missing);
            self.slots[at].strong |= strong;
            self.slots[at].missing = missing;
        }
    }

    /// Returns the slot of a term, made when the query has not named it before.
    fn slot(&mut self, shown: &str, term: Term, weight: f64, missing: f64) -> usize {
        let known = self
            .slots
            .iter()
            .position(|slot| slot.alternatives[0].terms == [term]);
        known.unwrap_or_else(|| {
            self.slots.push(Slot {
                shown: shown.to_owned(),
                weight,
                strong: false,
                missing,
                part_of: Vec::new(),
                alternatives: vec![Alternative {
                    terms: vec![term],
                    how: How::Exact,
                    weight: 1.0,
                    shown: shown.to_owned(),
                }],
            });
            self.slots.len() - 1
        })
    }

    /// Makes slots of one run of characters: pairs, single characters, and translations of the words
    /// of the vocabulary that occur in it.
    fn end_stretch(&mut self) {
        let stretch = std::mem::take(&mut self.stretch);
        let pairs: Vec<String> = stretch
            .windows(2)
            .map(|pair| pair.iter().collect())
            .collect();
        let mut at: Vec<usize> = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            at.push(self.slot(pair, Term::exact(pair), 1.0, MISSING_PAIR));
        }
        for (place, single) in stretch.iter().enumerate() {
            let single = single.to_string();
            let slot = self.slot(&single, Term::exact(&single), SINGLE_WEIGHT, 0.0);
            let pairs = at.iter().take(place + 1).skip(place.saturating_sub(1));
            self.slots[slot].part_of.extend(pairs);
        }
        let mut begin = 0;
        while begin + 1 < stretch.len() {
            let Some(length) = self.longest_known(&stretch[begin..]) else {
                begin += 1;
                continue;
            };
            let word: String = stretch[begin..begin + length].iter().collect();
            let inside: Vec<usize> = at[begin..begin + length - 1].to_vec();
            self.attach(&word, &inside);
            // A pair that shares a character with a known word is no word: missing it costs nothing.
            let after = at.get(begin + length - 1);
            for border in begin
                .checked_sub(1)
                .and_then(|place| at.get(place))
                .into_iter()
                .chain(after)
            {
                self.slots[*border].missing = 0.0;
            }
            begin += length;
        }
    }

    fn longest_known(&self, stretch: &[char]) -> Option<usize> {
        let most = stretch.len().min(lexicon::MAX_CJK_CHARS);
        (2..=most).rev().find(|length| {
            let word: String = stretch[..*length].iter().collect();
            self.lexicon.knows(&word)
        })
    }

    /// Attaches the vocabulary to the Latin words; the longest phrase wins.
    fn attach_phrases(&mut self) {
        let mut begin = 0;
        while begin < self.words.len() {
            let most = lexicon::MAX_WORDS.min(self.words.len() - begin);
            let known = (1..=most).rev().find_map(|length| {
                let stems: Vec<&str> = self.words[begin..begin + length]
                    .iter()
                    .map(|w| w.stem.as_str())
                    .collect();
                let key = stems.join(" ");
                self.lexicon.knows(&key).then_some((length, key))
            });
            let Some((length, key)) = known else {
                begin += 1;
                continue;
            };
            let inside: Vec<usize> = self.words[begin..begin + length]
                .iter()
                .filter_map(|word| word.slot)
                .collect();
            self.attach(&key, &inside);
            begin += length;
        }
    }

    /// Adds what may stand for a phrase to each of its slots.
    fn attach(&mut self, key: &str, inside: &[usize]) {
        let others = self.lexicon.others(key);
        for (closeness, phrase) in &others {
            match closeness {
                lexicon::Closeness::Same => self.push(phrase, How::Same, SAME_WEIGHT, inside),
                lexicon::Closeness::Near => self.push(phrase, How::Near, NEAR_WEIGHT, inside),
            }
        }
        // A translation only changes the language, so what is near to it is near to the word too.
        for (closeness, phrase) in &others {
            if *closeness == lexicon::Closeness::Same && key.chars().any(cjk::is_cjk) {
                for (_, near) in self.lexicon.others(&phrase.key) {
                    self.push(near, How::Near, SAME_WEIGHT * NEAR_WEIGHT, inside);
                }
            }
        }
    }

    /// Adds one alternative; its score is shared among the slots.
    fn push(&mut self, phrase: &lexicon::Phrase, how: How, weight: f64, inside: &[usize]) {
        for at in inside {
            let known = &mut self.slots[*at].alternatives;
            if known.len() < MAX_ALTERNATIVES
                && known.iter().all(|other| other.terms != phrase.terms)
            {
                known.push(Alternative {
                    terms: phrase.terms.clone(),
                    how,
                    weight: weight / inside.len() as f64,
                    shown: phrase.shown.to_string(),
                });
            }
        }
    }
}

/// Returns the words that are written as names: in capitals, or with one inside of a sentence. Where
/// most words are, it is a way of writing and says nothing.
fn names(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut words = 0;
    let mut begins = true;
    let mut rest = text;
    while let Some(at) = rest.find(char::is_alphanumeric) {
        begins |= rest[..at].contains(['.', '!', '?', ':', '\n']);
        rest = &rest[at..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let word = &rest[..end];
        let is_upper = word.starts_with(char::is_uppercase);
        let is_acronym = is_upper && word.len() > 1 && !word.contains(char::is_lowercase);
        if is_acronym || is_upper && !begins {
            names.insert(word.to_lowercase());
        }
        words += 1;
        begins = false;
        rest = &rest[end..];
    }
    if 2 * names.len() > words {
        names.clear();
    }
    names
}

fn cut_middle(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= MAX_QUERY_BYTES {
        return text.into();
    }
    let mut head = MAX_QUERY_BYTES / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - MAX_QUERY_BYTES / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n{}", &text[..head], &text[tail..]).into()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_are_words_with_a_capital_inside_of_a_sentence() {
        for (text, expected) in [
            ("explain it to Camille", vec!["camille"]),
            ("Explain it. Then ask Jo?", vec!["jo"]),
            ("import from SAP, please", vec!["sap"]),
            ("WHY IS IT RED", vec![]),
            ("Why is it red", vec![]),
            ("", vec![]),
        ] {
            let mut found: Vec<String> = names(text).into_iter().collect();
            found.sort();
            assert_eq!(found, expected, "{text}");
        }
    }
}

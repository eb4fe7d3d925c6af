//! What a query asks for: its words, with what may stand for each.

use std::collections::{HashMap, HashSet};

use super::manner::{self, Manner};
use super::widen::widen;
use super::{Alternative, Corpus, How, Slot};
use crate::text::common::{self, Kind};
use crate::text::lexicon::{self, Lexicon};
use crate::text::stop;
use crate::text::term::{Stems, Term};
use crate::text::{Piece, normalise, pieces};

/// A longer query is cut in its middle: people put the question at either end of a pasted text.
const MAX_QUERY_BYTES: usize = 16 * 1024;

/// One character of a script without spaces says little.
const SINGLE_WEIGHT: f64 = 0.3;

/// Words of a request, words of everyday English, and words for a sort of note: see `text::common`.
const TASK_WEIGHT: f64 = 0.5;
const EVERYDAY_WEIGHT: f64 = 0.75;
const EVERYDAY_SUBJECT: f64 = 0.3;
const GENRE_WEIGHT: f64 = 0.25;

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
const MISSING_PAIR: f64 = 0.12;
/// A query in another language is met by translations; the vocabulary has few of its words.
const MISSING_FOREIGN: f64 = 0.2;

/// The shortest word that is taken for a compound, and the shortest half of one, in bytes.
const MIN_COMPOUND: usize = 9;
const MIN_COMPOUND_HALF: usize = 4;

/// What may stand for one word, at most.
const MAX_ALTERNATIVES: usize = 48;

/// Shares of the score for what stands for a word.
const SAME_WEIGHT: f64 = 0.9;
const NEAR_WEIGHT: f64 = 0.4;

/// A query, taken apart once and asked of a corpus.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) slots: Vec<Slot>,
    /// The query asks for the newest state of something.
    pub(crate) wants_newest: bool,
    pub(crate) manner: Manner,
    /// Of several words one only could be its subject, and none says which sort of note is looked for:
    /// "commit this".
    pub(crate) sole_word: bool,
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
        reader.forgive_foreign();
        let wants_newest = reader
            .words
            .iter()
            .any(|w| NEWEST_WORDS.contains(&w.text.as_str()))
            || NEWEST_CJK.iter().any(|word| text.contains(word));
        let spoken: Vec<&str> = reader.words.iter().map(|w| w.text.as_str()).collect();
        let manner = manner::manner(&text, &spoken, reader.names_genre);
        let may_be_sole = spoken.len() != 1 && !reader.names_genre;
        let Reader {
            mut slots, words, ..
        } = reader;
        widen(&mut slots, &words, corpus);
        // Pairs across the border of two words are no words: of them only what some file has counts.
        let is_met = |slot: &Slot| slot.alternatives.iter().any(|a| corpus.count(&a.terms) > 0);
        let counts = |slot: &&Slot| {
            slot.weight >= TASK_WEIGHT && (slot.missing > MISSING_PAIR || is_met(slot))
        };
        let sole_word = may_be_sole && slots.iter().filter(counts).nth(1).is_none();
        Self {
            slots,
            wants_newest,
            manner,
            sole_word,
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

/// What a word of some kind is worth.
#[derive(Debug, Clone, Copy)]
struct Value {
    weight: f64,
    subject: f64,
}

impl Value {
    const TIME: Self = Self {
        weight: TIME_WEIGHT,
        subject: 0.0,
    };
    const SINGLE: Self = Self {
        weight: SINGLE_WEIGHT,
        subject: 0.0,
    };

    fn of(kind: Kind) -> Self {
        let (weight, subject) = match kind {
            Kind::Subject => (1.0, 1.0),
            Kind::Everyday => (EVERYDAY_WEIGHT, EVERYDAY_SUBJECT),
            Kind::Task => (TASK_WEIGHT, 0.0),
            Kind::Genre => (GENRE_WEIGHT, 0.0),
        };
        Self { weight, subject }
    }
}

struct Reader {
    /// Words of the query that are written as names.
    names: HashSet<String>,
    /// A word says which sort of note is looked for.
    names_genre: bool,
    stems: Stems,
    lexicon: &'static Lexicon,
    slots: Vec<Slot>,
    words: Vec<Word>,
    /// For what may stand for a word, the first slot that has it.
    owners: HashMap<Vec<Term>, usize>,
    /// Characters of the current run of a script without spaces.
    stretch: Vec<char>,
    after_pair: bool,
}

impl Reader {
    fn new() -> Self {
        Self {
            names: HashSet::new(),
            names_genre: false,
            stems: Stems::new(),
            lexicon: Lexicon::builtin(),
            slots: Vec::new(),
            words: Vec::new(),
            owners: HashMap::new(),
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
            let kind = common::kind(&self.stems.stem(word));
            let mut value = Value::of(kind);
            self.names_genre |= kind == Kind::Genre;
            if TIME_WORDS.contains(&word) {
                value = Value::TIME;
            } else if kind == Kind::Subject && self.names.contains(word) {
                value.weight = NAME_WEIGHT;
            }
            self.slot(word, term, value, MISSING_WORD)
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
            let at = self.slot(text, term, Value::of(Kind::Subject), missing);
            self.slots[at].strong |= strong;
            self.slots[at].missing = missing;
        }
    }

    /// Returns the slot of a term, made when the query has not named it before.
    fn slot(&mut self, shown: &str, term: Term, value: Value, missing: f64) -> usize {
        let known = self
            .slots
            .iter()
            .position(|slot| slot.alternatives[0].terms == [term]);
        known.unwrap_or_else(|| {
            self.owners.insert(vec![term], self.slots.len());
            self.slots.push(Slot {
                shown: shown.to_owned(),
                weight: value.weight,
                subject: value.subject,
                strong: false,
                missing,
                part_of: Vec::new(),
                alternatives: vec![Alternative {
                    terms: vec![term],
                    how: How::Exact,
                    weight: 1.0,
                    shared_by: 1,
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
            let kind = common::kind(pair);
            self.names_genre |= kind == Kind::Genre;
            let value = Value::of(kind);
            at.push(self.slot(pair, Term::exact(pair), value, MISSING_PAIR));
        }
        for (place, single) in stretch.iter().enumerate() {
            let single = single.to_string();
            let slot = self.slot(&single, Term::exact(&single), Value::SINGLE, 0.0);
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

    /// Lowers what missing words cost in a query that is written in another language than English.
    fn forgive_foreign(&mut self) {
        let says = |word: &&Word| stop::is_foreign_function_word(&word.text);
        let foreign = self.words.iter().filter(says).count();
        let english = |word: &&Word| stop::is_english_function_word(&word.text);
        if foreign > self.words.iter().filter(english).count() {
            for at in self.words.iter().filter_map(|word| word.slot) {
                let slot = &mut self.slots[at];
                slot.missing = slot.missing.min(MISSING_FOREIGN);
                // German writes every noun as others write names.
                slot.weight = slot.weight.min(1.0);
            }
        }
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
                self.attach_compound(begin);
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

    /// `Produktionsdaten` asks for production and for data: a long word that is not in the vocabulary
    /// is met by what stands for its two halves.
    fn attach_compound(&mut self, at: usize) {
        let word = &self.words[at];
        let Some(slot) = word.slot else { return };
        if word.text.len() < MIN_COMPOUND {
            return;
        }
        let halves = |border: usize| {
            let (left, right) = word.text.split_at_checked(border)?;
            let key = |half: &str| {
                let stem = self.stems.stem(half);
                let known = self.lexicon.is_foreign(&stem) && half.len() >= MIN_COMPOUND_HALF;
                known.then_some(stem)
            };
            // German puts an s, n or en between the halves.
            let link = |end: &str| left.strip_suffix(end).and_then(key);
            let first = key(left).or_else(|| ["s", "n", "en"].into_iter().find_map(link))?;
            Some([first, key(right)?])
        };
        let known = (MIN_COMPOUND_HALF..word.text.len()).find_map(halves);
        for key in known.iter().flatten() {
            self.attach(key, &[slot]);
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
            if *closeness == lexicon::Closeness::Same && self.lexicon.is_foreign(key) {
                for (_, near) in self.lexicon.others(&phrase.key) {
                    self.push(near, How::Near, SAME_WEIGHT * NEAR_WEIGHT, inside);
                }
            }
        }
    }

    /// Adds one alternative; its score is shared among the slots.
    fn push(&mut self, phrase: &lexicon::Phrase, how: How, weight: f64, inside: &[usize]) {
        // One word of a note stands for one word of the query.
        match self.owners.get(phrase.terms.as_slice()) {
            Some(owner) if !inside.contains(owner) => {
                // The same said twice: missing it here costs nothing.
                for at in inside {
                    self.slots[*at].missing = 0.0;
                }
                return;
            }
            Some(_) => {}
            None => {
                self.owners
                    .extend(inside.first().map(|at| (phrase.terms.clone(), *at)));
            }
        }
        for at in inside {
            let known = &mut self.slots[*at].alternatives;
            if known.len() < MAX_ALTERNATIVES
                && known.iter().all(|other| other.terms != phrase.terms)
            {
                known.push(Alternative {
                    terms: phrase.terms.clone(),
                    how,
                    weight: weight / inside.len() as f64,
                    shared_by: inside.len(),
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

//! Ranking without a model: what a query asks for, how much of it each file answers, and whether
//! that is enough.

mod corpus;
mod floor;
mod manner;
mod query;
mod score;
mod supersede;
mod widen;

pub(crate) use corpus::{Corpus, Facts, Layer};
pub(crate) use floor::Floor;
pub(crate) use query::Question;
pub(crate) use score::{Ranking, Scored, met, score};
pub(crate) use supersede::{Replaced, newer_first};

use crate::text::term::Term;

/// One thing the query asks for: a word, with what may stand for it.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// The word as it was asked.
    pub(crate) shown: String,
    /// How much the word matters by its kind, before its rarity; 1 for an ordinary word.
    pub(crate) weight: f64,
    /// How far meeting the word shows that a file is about the subject of the query: nothing for what
    /// everybody asks of an agent, little for a word of everyday English.
    pub(crate) subject: f64,
    /// An identifier in its whole form.
    pub(crate) strong: bool,
    /// What counts as meeting the word, the word itself first.
    pub(crate) alternatives: Vec<Alternative>,
    /// What missing the word everywhere costs, as a share of the greatest rarity.
    pub(crate) missing: f64,
    /// Slots of which this one is a mere part: where one of them is met, this one adds nothing. Only
    /// single characters have any; they count for no coverage either.
    pub(crate) part_of: Vec<usize>,
}

/// A term, or several that must all occur, that stand for a word of the query.
#[derive(Debug, Clone)]
pub(crate) struct Alternative {
    pub(crate) terms: Vec<Term>,
    pub(crate) how: How,
    /// Share of the score that a file gets for it.
    pub(crate) weight: f64,
    /// Slots that it stands for together: what they get by it is shared among them.
    pub(crate) shared_by: usize,
    pub(crate) shown: String,
}

/// In which way a word was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Exact,
    /// Written apart or together: `time zone`, `timezone`.
    Joined,
    Repaired,
    Same,
    Near,
}

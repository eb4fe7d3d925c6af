//! The gate of the final mode: is this file good enough to be put before a model at all?

use super::corpus::{OTHER_FILES, rarity};
use super::manner::Manner;
use super::{Question, Scored};
use crate::outcome::Gate;

/// Evidence that is enough, as a multiple of ln(1 + number of files): less than the 1.7 of a ranking
/// where every word counts in full, because words of everyday English count for three quarters …
const ENOUGH_EVIDENCE: f64 = 1.6;

/// … and the share of the query that has to be met with it: of a long task one word is no answer.
const EVIDENCE_NEEDS_COVERAGE: f64 = 0.2;

/// Share of the query's weight that is enough when part of it stands in name or description …
const ENOUGH_COVERAGE: f64 = 0.4;

/// … and this share of a full match comes with it: "run it again" is a whole query, and half of all
/// notes run something.
const COVERAGE_NEEDS: f64 = 0.6;

/// A file that meets no word of the query's subject, only what everybody says and asks, must meet most
/// of it.
const SUBJECT: f64 = 0.95;
const NO_SUBJECT_COVERAGE: f64 = 0.7;
const NO_SUBJECT_NEEDS: f64 = 0.65;

/// One word alone needs more of a full match: nearly all of it where more was asked for, and where it
/// is the only word of a message that could be a subject ("commit this").
const ONE_WORD_NEEDS: f64 = 0.9;
const LONE_WORD_NEEDS: f64 = 0.6;
const LONE_WORD_COVERAGE: f64 = 0.7;
/// More than one word, where one that stands for several of the query is one.
const SEVERAL_WORDS: f64 = 1.5;

/// Evidence of a full match of the rarest word, as a multiple of its rarity: in the name and once in
/// the text of a file of ordinary length.
const FULL_MATCH: f64 = 1.85;

/// Beside a better file, one must have this share of its score and of its coverage. A looser cut
/// (0.4 was tried) finds a few more second answers and three times as many wrong ones; who asks for all
/// rules of a subject wants more than the best of them.
const RELATIVE_CUT: f64 = 0.8;
const RELATIVE_COVERAGE: f64 = 0.6;
const LIST_CUT: f64 = 0.5;

/// One that names another part of the query, worth this share of the rarest word, needs this share of
/// the best score only: "imports from SAP and from LilyPond" asks for two notes.
const OTHER_PART: f64 = 0.9;
const OTHER_PART_CUT: f64 = 0.35;

/// The gate for one query over one folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Floor {
    files: u32,
    manner: Manner,
    /// The query has one word only that could be its subject.
    sole_word: bool,
}

impl Floor {
    pub(crate) fn new(question: &Question, files: u32) -> Self {
        Self {
            files,
            manner: question.manner,
            sole_word: question.sole_word,
        }
    }

    /// Returns the evidence that is enough in the folder.
    pub(crate) fn enough_evidence(&self) -> f64 {
        let files = 1.0 + OTHER_FILES + f64::from(self.files);
        self.manner.doubt * ENOUGH_EVIDENCE * files.ln()
    }

    /// Returns by which gate a file passes, if it does; `best` is the file at the top.
    pub(crate) fn accept(&self, scored: &Scored, best: &Scored) -> Option<Gate> {
        if scored.identifier {
            return Some(Gate::Identifier);
        }
        let cut = if self.manner.wants_list {
            LIST_CUT
        } else {
            RELATIVE_CUT
        };
        if scored.score < cut * best.score || scored.coverage < RELATIVE_COVERAGE * best.coverage {
            return None;
        }
        self.accept_alone(scored)
    }

    /// Returns by which gate a file passes that speaks of another part of the query than all that
    /// passed before it: it may lie further behind the best than one that speaks of the same. `said`
    /// are the words that were met so far, `worths` what each is worth.
    pub(crate) fn accept_beside(
        &self,
        scored: &Scored,
        best: &Scored,
        said: u64,
        worths: &[f64],
    ) -> Option<Gate> {
        let fresh = scored.head_met & !said;
        let worth = worths.iter().enumerate();
        let worth: f64 = worth
            .filter(|(bit, _)| fresh >> bit & 1 == 1)
            .map(|(_, worth)| worth)
            .sum();
        let is_other_part = said != 0 && worth >= OTHER_PART * rarity(self.files, 1);
        if !is_other_part || scored.score < OTHER_PART_CUT * best.score {
            return None;
        }
        self.accept_alone(scored)
    }

    /// Returns by which gate a file passes without regard to others.
    fn accept_alone(&self, scored: &Scored) -> Option<Gate> {
        if scored.evidence >= self.enough_evidence() && scored.coverage >= EVIDENCE_NEEDS_COVERAGE {
            return Some(Gate::Evidence);
        }
        let (coverage, share) = self.needs(scored);
        let covers = scored.coverage >= coverage && scored.head_coverage > 0.0;
        let full = FULL_MATCH * rarity(self.files, 1);
        (covers && scored.evidence >= self.manner.doubt * share * full).then_some(Gate::Coverage)
    }

    /// Returns the coverage that is enough for what was met, and the share of a full match with it.
    fn needs(&self, scored: &Scored) -> (f64, f64) {
        if scored.subject < SUBJECT {
            (NO_SUBJECT_COVERAGE, NO_SUBJECT_NEEDS)
        } else if scored.words >= SEVERAL_WORDS {
            (ENOUGH_COVERAGE, COVERAGE_NEEDS)
        } else if self.sole_word || scored.coverage < LONE_WORD_COVERAGE {
            (ENOUGH_COVERAGE, ONE_WORD_NEEDS)
        } else {
            (ENOUGH_COVERAGE, LONE_WORD_NEEDS)
        }
    }
}

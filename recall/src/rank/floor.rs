//! The gate of the final mode: is this file good enough to be put before a model at all?

use super::Scored;
use super::corpus::{OTHER_FILES, rarity};
use crate::outcome::Gate;

/// Evidence that is enough by itself, as a multiple of ln(1 + number of files).
const ENOUGH_EVIDENCE: f64 = 1.7;

/// Share of the query's weight that is enough when part of it stands in name or description …
const ENOUGH_COVERAGE: f64 = 0.45;

/// … and this share of a full match comes with it: "run it again" is a whole query, and half of all
/// notes run something.
const COVERAGE_NEEDS: f64 = 0.5;

/// One word alone needs more of a full match, and nearly all of it when more was asked for.
const ONE_WORD_NEEDS: f64 = 0.9;
const LONE_WORD_NEEDS: f64 = 0.7;
const LONE_WORD_COVERAGE: f64 = 0.8;

/// Evidence of a full match of the rarest word, as a multiple of its rarity: in the name and once in
/// the text of a file of ordinary length.
const FULL_MATCH: f64 = 1.85;

/// Beside a better file, one must have this share of its score and of its coverage. A looser cut
/// (0.4 was tried) finds a few more second answers and three times as many wrong ones.
const RELATIVE_CUT: f64 = 0.7;
const RELATIVE_COVERAGE: f64 = 0.6;

/// One that names another part of the query, worth this share of the rarest word, needs this share of
/// the best score only: "imports from SAP and from LilyPond" asks for two notes.
const OTHER_PART: f64 = 0.8;
const OTHER_PART_CUT: f64 = 0.35;

/// Returns the evidence that is enough by itself in a folder of so many files.
pub(crate) fn enough_evidence(files: u32) -> f64 {
    ENOUGH_EVIDENCE * (1.0 + OTHER_FILES + f64::from(files)).ln()
}

/// Returns by which gate a file passes, if it does; `best` is the file at the top.
pub(crate) fn accept(scored: &Scored, best: &Scored, files: u32) -> Option<Gate> {
    if scored.identifier {
        return Some(Gate::Identifier);
    }
    if scored.score < RELATIVE_CUT * best.score
        || scored.coverage < RELATIVE_COVERAGE * best.coverage
    {
        return None;
    }
    accept_alone(scored, files)
}

/// Returns by which gate a file passes that speaks of another part of the query than all that passed
/// before it: it may lie further behind the best than one that speaks of the same. `said` are the
/// words that were met so far, `worths` what each is worth.
pub(crate) fn accept_beside(
    scored: &Scored,
    best: &Scored,
    said: u64,
    worths: &[f64],
    files: u32,
) -> Option<Gate> {
    let fresh = scored.head_met & !said;
    let worth = worths.iter().enumerate();
    let worth: f64 = worth
        .filter(|(bit, _)| fresh >> bit & 1 == 1)
        .map(|(_, worth)| worth)
        .sum();
    let is_other_part = said != 0 && worth >= OTHER_PART * rarity(files, 1);
    if !is_other_part || scored.score < OTHER_PART_CUT * best.score {
        return None;
    }
    accept_alone(scored, files)
}

/// Returns by which gate a file passes without regard to others.
fn accept_alone(scored: &Scored, files: u32) -> Option<Gate> {
    if scored.evidence >= enough_evidence(files) {
        return Some(Gate::Evidence);
    }
    let needed = match scored.words {
        0 | 1 if scored.coverage < LONE_WORD_COVERAGE => ONE_WORD_NEEDS,
        0 | 1 => LONE_WORD_NEEDS,
        _ => COVERAGE_NEEDS,
    };
    let covers = scored.coverage >= ENOUGH_COVERAGE && scored.head_coverage > 0.0;
    let full = FULL_MATCH * rarity(files, 1);
    (covers && scored.evidence >= needed * full).then_some(Gate::Coverage)
}

//! The gate of the final mode: is this file good enough to be put before a model at all?

use super::Scored;
use super::corpus::rarity;
use crate::outcome::Gate;

/// Evidence that is enough by itself, as a multiple of ln(1 + number of files).
const ENOUGH_EVIDENCE: f64 = 1.7;

/// Share of the query's weight that is enough when part of it stands in name or description …
const ENOUGH_COVERAGE: f64 = 0.35;

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

/// Returns the evidence that is enough by itself in a folder of so many files.
pub(crate) fn enough_evidence(files: u32) -> f64 {
    ENOUGH_EVIDENCE * (1.0 + f64::from(files)).ln()
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

//! The gate of the final mode: is this file good enough to be put before a model at all?

use super::Scored;
use crate::outcome::Gate;

/// Evidence that is enough by itself, as a multiple of ln(1 + number of files).
const ENOUGH_EVIDENCE: f64 = 1.7;

/// Share of the query's weight that is enough when part of it stands in name or description.
const ENOUGH_COVERAGE: f64 = 0.45;

/// Files below this share of the best score are left out.
const RELATIVE_CUT: f64 = 0.4;

/// Returns the evidence that is enough by itself in a folder of so many files.
pub(crate) fn enough_evidence(files: u32) -> f64 {
    ENOUGH_EVIDENCE * (1.0 + f64::from(files)).ln()
}

/// Returns by which gate a file passes, if it does.
pub(crate) fn accept(scored: &Scored, best: f64, files: u32) -> Option<Gate> {
    if scored.score < RELATIVE_CUT * best {
        return None;
    }
    if scored.identifier {
        return Some(Gate::Identifier);
    }
    if scored.evidence >= enough_evidence(files) {
        return Some(Gate::Evidence);
    }
    if scored.coverage >= ENOUGH_COVERAGE && scored.head_coverage > 0.0 {
        return Some(Gate::Coverage);
    }
    None
}

//! Scans one text: literals first, then the patterns that own them.

use crate::finding::{Confidence, Wide};
use crate::literals::Literals;
use crate::matcher::match_at;
use crate::rules::RuleInfo;
use crate::text::{Span, Text};

/// A match before it is placed in the input and compared with its neighbours.
#[derive(Clone)]
pub(crate) struct Hit {
    pub(crate) rule: &'static RuleInfo,
    pub(crate) label: &'static str,
    pub(crate) span: Span,
    pub(crate) confidence: Confidence,
    pub(crate) wide: Option<Wide>,
}

/// Finds every match of every pattern whose literal starts in `within`. Returns false if `found`
/// ended the search.
pub(crate) fn scan_text(
    literals: &Literals,
    text: &Text<'_>,
    within: Span,
    mut found: impl FnMut(Hit) -> bool,
) -> bool {
    literals.search(text.bytes(), within, |at, candidates| {
        let mut next = at + 1;
        for candidate in candidates {
            let Some(matched) = match_at(text, at, candidate.pattern) else {
                continue;
            };
            next = next.max(matched.span.end);
            let go_on = found(Hit {
                rule: candidate.rule,
                label: candidate.pattern.label,
                span: matched.span,
                confidence: matched.confidence,
                wide: None,
            });
            if !go_on {
                return None;
            }
        }
        Some(next)
    })
}

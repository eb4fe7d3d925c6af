//! Scans one text: literals first, then the patterns that own them.

use crate::allow::{AllowList, Fingerprint};
use crate::checks;
use crate::finding::{Confidence, Wide};
use crate::literals::Literals;
use crate::matcher::match_at;
use crate::rules::{RuleInfo, Tail};
use crate::text::{Span, Text};

/// A match before it is placed in the input and compared with its neighbours.
#[derive(Clone)]
pub(crate) struct Hit {
    pub(crate) rule: &'static RuleInfo,
    pub(crate) label: &'static str,
    pub(crate) span: Span,
    pub(crate) confidence: Confidence,
    pub(crate) wide: Option<Wide>,
    pub(crate) tail: Tail,
    /// Present if there is an allow list.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// Whether the allow list has the value.
    pub(crate) allowed: bool,
    /// Whether parts were joined for it that the text keeps apart.
    pub(crate) joined: bool,
}

/// What texts are searched for.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) literals: &'a Literals,
    pub(crate) allow_list: Option<&'a AllowList>,
}

/// How far after the bytes in question literals are looked for: a match may start before its
/// literal.
pub(crate) const MARGIN: usize = 1024;

/// No literal of a specific rule is longer.
pub(crate) const LONGEST_LITERAL: usize = 24;

/// Finds every match that starts in `own`, and some that start around it. Returns false if `found`
/// ended the search.
pub(crate) fn scan_text(
    search: Search<'_>,
    text: &Text<'_>,
    own: Span,
    mut found: impl FnMut(Hit) -> bool,
) -> bool {
    let within = own.start..text.bytes().len().min(own.end + MARGIN);
    search
        .literals
        .search(text.bytes(), within, |at, candidates| {
            let mut next = at + 1;
            for candidate in candidates {
                let Some(matched) = match_at(text, at, candidate.pattern) else {
                    continue;
                };
                let joined = text.is_joined();
                if joined && !is_joined_token(text, &matched.span) {
                    continue;
                }
                // What a specific match covers needs no second look, but for a literal that its end
                // cuts. A generic match may cover a specific one, and a key without an end may run
                // into what follows it.
                if matched.span.contains(&at)
                    && candidate.rule.is_specific()
                    && candidate.pattern.tail == Tail::Token
                {
                    next = next.max(matched.span.end.saturating_sub(LONGEST_LITERAL));
                }
                let id = candidate.rule.id();
                let fingerprint = search
                    .allow_list
                    .map(|list| list.fingerprint(id, &text.bytes()[matched.span.clone()]));
                let go_on = found(Hit {
                    rule: candidate.rule,
                    label: candidate.pattern.label,
                    span: matched.span,
                    confidence: if joined {
                        Confidence::Low
                    } else {
                        matched.confidence
                    },
                    wide: None,
                    tail: candidate.pattern.tail,
                    fingerprint,
                    allowed: search
                        .allow_list
                        .zip(fingerprint)
                        .is_some_and(|(list, fingerprint)| list.allows(fingerprint)),
                    joined,
                });
                if !go_on {
                    return None;
                }
            }
            Some(next)
        })
}

/// Whether a match in joined text is one that only the join made, and reads like a token. Words of
/// two lines can have the form of one.
fn is_joined_token(text: &Text<'_>, span: &Span) -> bool {
    text.joint_after(span.start)
        .is_some_and(|joint| joint < span.end)
        && checks::reads_as_token(&text.bytes()[span.clone()])
}

//! The rules: what they are called, what they look for, and sets of them.

mod example;
mod extended;
mod generic;
mod locate;
mod pattern;
mod private_key;
mod standard;

use std::fmt;

pub(crate) use pattern::{Pattern, Shape, Step, Tail};

use crate::finding::Level;

/// The specificity of rules that know an issuer by the form of its tokens.
const ISSUER: u8 = 100;

/// A rule: one kind of credential of one issuer.
pub struct RuleInfo {
    id: &'static str,
    description: &'static str,
    level: Level,
    /// Where two findings overlap, the rule with the higher value names them.
    specificity: u8,
    patterns: &'static [Pattern],
}

impl RuleInfo {
    const fn new(
        id: &'static str,
        description: &'static str,
        patterns: &'static [Pattern],
    ) -> Self {
        Self {
            id,
            description,
            level: Level::Secret,
            specificity: ISSUER,
            patterns,
        }
    }

    const fn specificity(mut self, specificity: u8) -> Self {
        self.specificity = specificity;
        self
    }

    const fn advisory(mut self) -> Self {
        self.level = Level::Advisory;
        self
    }

    /// The id, such as `github-pat`. Ids are stable and unique, made of `a-z`, digits and hyphens.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// What each form of the credential is called, such as `Slack app token`.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &'static str> + use<> {
        self.patterns.iter().map(|pattern| pattern.label)
    }

    /// What whoever holds the credential can do with it, in one sentence.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// What should follow from a finding of this rule.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Texts this rule finds, one or more for each label, in the order of [`labels`](Self::labels).
    ///
    /// They are built from parts on every call, so that neither source code nor binary holds
    /// anything that looks like a credential. No example is a working credential.
    pub fn examples(&self) -> Vec<String> {
        self.patterns
            .iter()
            .flat_map(|pattern| example::positives(self.id, pattern))
            .collect()
    }

    /// Texts that resemble the credential and must not be found: cut short, masked, placeholders,
    /// patterns that describe it.
    pub fn counter_examples(&self) -> Vec<String> {
        self.patterns
            .iter()
            .flat_map(|pattern| example::negatives(self.id, pattern))
            .collect()
    }

    pub(crate) fn patterns(&self) -> &'static [Pattern] {
        self.patterns
    }

    /// Whether the rule knows an issuer by the form of its tokens.
    pub(crate) fn is_specific(&self) -> bool {
        self.specificity == ISSUER
    }

    /// Decides between findings that overlap: the most serious, then the most specific.
    pub(crate) fn rank(&self) -> (Level, u8) {
        (self.level, self.specificity)
    }
}

impl fmt::Debug for RuleInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RuleInfo")
            .field("id", &self.id)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

/// Rules are equal when their ids are.
impl PartialEq for RuleInfo {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for RuleInfo {}

impl std::hash::Hash for RuleInfo {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// The rules a [`Scanner`](crate::Scanner) looks for.
#[derive(Debug, Clone)]
pub struct Ruleset {
    rules: Vec<&'static RuleInfo>,
}

impl Ruleset {
    /// The 30 rules that are always safe to act on.
    pub fn standard() -> Self {
        Self {
            rules: standard::RULES.iter().collect(),
        }
    }

    /// The standard rules and more: further issuers, web tokens, bearer tokens, passwords in
    /// addresses, and hints of [`Level::Advisory`].
    ///
    /// Meant for text that is about to leave the machine.
    pub fn extended() -> Self {
        Self {
            rules: standard::RULES.iter().chain(&extended::RULES).collect(),
        }
    }

    /// Leaves out the rule with this id; an id that is not in the set changes nothing.
    #[must_use]
    pub fn without(mut self, id: &str) -> Self {
        self.rules.retain(|rule| rule.id != id);
        self
    }

    /// The rules of this set.
    pub fn rules(&self) -> &[&'static RuleInfo] {
        &self.rules
    }
}

/// The standard rules.
///
/// ```
/// assert_eq!(secret_scan::rules().len(), 30);
/// assert!(secret_scan::rules().iter().any(|rule| rule.id() == "github-pat"));
/// ```
pub fn rules() -> &'static [RuleInfo] {
    &standard::RULES
}

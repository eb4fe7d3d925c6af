//! Finds the literals of all patterns at once.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind, packed};

use crate::engine::LONGEST_LITERAL;
use crate::rules::{Pattern, RuleInfo};

/// A pattern together with the rule it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) rule: &'static RuleInfo,
    pub(crate) pattern: &'static Pattern,
}

/// Literals shorter than this go to a searcher of their own: a packed searcher compares as many
/// leading bytes as its shortest literal has, and two are too few to tell forty literals apart.
const LONG: usize = 4;

/// The most literals one packed searcher takes.
const MOST_PACKED: usize = 64;

/// A searcher for the literals of a rule set.
pub(crate) struct Literals {
    groups: Vec<Group>,
}

/// Literals that are searched for in one pass.
struct Group {
    finder: Finder,
    /// For each literal, the patterns that start with it.
    candidates: Vec<Vec<Candidate>>,
}

enum Finder {
    /// SIMD, where the processor has it.
    Packed(packed::Searcher),
    /// Everywhere else.
    Automaton(Box<AhoCorasick>),
}

impl Literals {
    pub(crate) fn new(rules: &[&'static RuleInfo]) -> Self {
        Self::build(rules, true)
    }

    fn build(rules: &[&'static RuleInfo], packed: bool) -> Self {
        let mut candidates: Vec<Candidate> = rules
            .iter()
            .flat_map(|&rule| {
                rule.patterns()
                    .iter()
                    .map(move |pattern| Candidate { rule, pattern })
            })
            .collect();
        debug_assert!(
            candidates
                .iter()
                .all(|candidate| !candidate.rule.is_specific()
                    || candidate.pattern.literal.len() <= LONGEST_LITERAL)
        );
        // Shortest first, so that a literal that begins another one stands for both.
        candidates.sort_by_key(|candidate| candidate.pattern.literal.len());
        let mut literals: Vec<(&'static str, Vec<Candidate>)> = Vec::new();
        for candidate in candidates {
            let own = candidate.pattern.literal;
            match literals
                .iter_mut()
                .find(|(literal, _)| own.starts_with(literal))
            {
                Some((_, sharing)) => sharing.push(candidate),
                None => literals.push((own, vec![candidate])),
            }
        }
        let (short, long): (Vec<_>, Vec<_>) = literals
            .into_iter()
            .partition(|(literal, _)| literal.len() < LONG);
        let groups = long
            .chunks(MOST_PACKED)
            .chain(short.chunks(MOST_PACKED))
            .map(|literals| Group::new(literals, packed))
            .collect();
        Self { groups }
    }

    /// Calls `visit` for every place in `within` where a literal starts, one group of literals
    /// after the other. `visit` returns where the search goes on, which must be after that place,
    /// or `None` to end the search.
    ///
    /// Returns whether the search ran to its end.
    pub(crate) fn search(
        &self,
        bytes: &[u8],
        within: Range<usize>,
        mut visit: impl FnMut(usize, &[Candidate]) -> Option<usize>,
    ) -> bool {
        self.groups.iter().all(|group| {
            let mut at = within.start;
            while at < within.end {
                let Some((literal, start)) = group.finder.find(bytes, at..within.end) else {
                    break;
                };
                match visit(start, &group.candidates[literal]) {
                    Some(next) => at = next.max(start + 1),
                    None => return false,
                }
            }
            true
        })
    }
}

impl Group {
    fn new(literals: &[(&'static str, Vec<Candidate>)], packed: bool) -> Self {
        let finder = packed
            .then(|| Finder::packed(literals))
            .flatten()
            .unwrap_or_else(|| Finder::automaton(literals));
        Self {
            finder,
            candidates: literals
                .iter()
                .map(|(_, sharing)| sharing.clone())
                .collect(),
        }
    }
}

impl Finder {
    fn packed(literals: &[(&'static str, Vec<Candidate>)]) -> Option<Self> {
        packed::Config::new()
            .builder()
            .extend(literals.iter().map(|(literal, _)| literal))
            .build()
            .map(Self::Packed)
    }

    fn automaton(literals: &[(&'static str, Vec<Candidate>)]) -> Self {
        let automaton = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostFirst)
            .kind(Some(AhoCorasickKind::DFA))
            .build(literals.iter().map(|(literal, _)| literal))
            .expect("built, because a few hundred short literals are far below any size limit");
        Self::Automaton(Box::new(automaton))
    }

    /// The first literal in `within`, as its index and where it starts.
    fn find(&self, bytes: &[u8], within: Range<usize>) -> Option<(usize, usize)> {
        match self {
            Self::Packed(searcher) => searcher
                .find_in(bytes, within.into())
                .map(|found| (found.pattern().as_usize(), found.start())),
            Self::Automaton(automaton) => automaton
                .find(aho_corasick::Input::new(bytes).range(within))
                .map(|found| (found.pattern().as_usize(), found.start())),
        }
    }
}

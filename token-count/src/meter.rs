//! A context size that stays true: anchored on what the server reported, estimated only since then.

use crate::family::Factor;

/// Least growth, in o200k tokens, that says something about the factor. Below it the marks around
/// messages and the rounding of short texts weigh more than the text.
const MIN_EVIDENCE: u64 = 400;
/// How many o200k tokens of evidence the family's factor is worth when figures start to come in.
const PRIOR_EVIDENCE: u64 = 1_000;

/// The token figures that a server reports with an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to a cache.
    pub input: u64,
    /// Input tokens read from the prompt cache.
    pub cache_read: u64,
    /// Input tokens written to the prompt cache.
    pub cache_write: u64,
    /// Output tokens; they are input of the next request.
    pub output: u64,
}

impl Usage {
    /// Returns the size of the context after the answer: the sum of all four.
    pub const fn total(self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write)
            .saturating_add(self.output)
    }
}

/// Keeps the size of a growing context.
///
/// Text that joins the context is [`append`](Self::append)ed with its estimated size; each real
/// figure is [`observe`](Self::observe)d and replaces every estimate before it. From the growth
/// between two figures the meter learns how many tokens of this model an o200k token is, within
/// 0.6 and 2.5, and uses that for what was appended since.
///
/// ```
/// use token_count::{Estimator, Factor, Meter, TokenCounter, Usage};
///
/// let counter = Estimator::new();
/// let mut meter = Meter::new(Factor::of_model("claude-sonnet-4-5"));
/// meter.append(counter.count("Fix the failing test in src/parser.rs, please."));
/// assert_eq!(meter.total(), 14);
///
/// // The answer arrives with real figures, which also cover system prompt and tools.
/// meter.observe(Usage { input: 12, cache_write: 9_400, output: 180, ..Usage::default() });
/// assert_eq!(meter.total(), 9_592);
///
/// // Only what comes after them is estimated.
/// meter.append(100);
/// assert_eq!(meter.total(), 9_712);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    prior: Factor,
    anchor: Option<u64>,
    since: u64,
    /// Real tokens and estimated o200k tokens of all growth that was learned from.
    real: u64,
    estimated: u64,
}

impl Meter {
    /// Returns the meter of an empty context; `factor` holds until real figures say otherwise.
    pub const fn new(factor: Factor) -> Self {
        Self {
            prior: factor,
            anchor: None,
            since: 0,
            real: 0,
            estimated: 0,
        }
    }

    /// Adds text of `tokens` o200k tokens, as an [`Estimator`](crate::Estimator) with factor 1.0
    /// counts them.
    pub const fn append(&mut self, tokens: usize) {
        self.since = self.since.saturating_add(tokens as u64);
    }

    /// Takes a real figure. It covers everything appended so far, the answer it came with included,
    /// so append the answer first.
    ///
    /// Growth that is negative (the conversation was rewound or compacted) or small teaches nothing,
    /// and neither does the first figure: it covers a system prompt and tools that were never
    /// appended.
    pub fn observe(&mut self, usage: Usage) {
        let total = usage.total();
        if let Some(growth) = self.anchor.and_then(|anchor| total.checked_sub(anchor))
            && self.since >= MIN_EVIDENCE
        {
            // One odd figure, such as an answer whose reasoning was never shown, must not throw the
            // factor out of its range for good.
            let least = scale(self.since, Factor::MIN);
            let most = scale(self.since, Factor::MAX);
            self.real = self.real.saturating_add(growth.clamp(least, most));
            self.estimated = self.estimated.saturating_add(self.since);
        }
        self.anchor = Some(total);
        self.since = 0;
    }

    /// Forgets the size but keeps what was learned: after a compaction or in a new session with the
    /// same model.
    pub const fn clear(&mut self) {
        self.anchor = None;
        self.since = 0;
    }

    /// Returns the size of the context in tokens of its model.
    pub fn total(&self) -> u64 {
        self.anchor
            .unwrap_or(0)
            .saturating_add(scale(self.since, self.factor()))
    }

    /// Returns whether the size rests on a real figure.
    pub const fn is_anchored(&self) -> bool {
        self.anchor.is_some()
    }

    /// Returns the factor in use: the family's, drawn to what the figures have shown.
    pub fn factor(&self) -> Factor {
        let prior = u128::from(PRIOR_EVIDENCE) * u128::from(self.prior.thousandths());
        let learned = prior + u128::from(self.real) * 1_000;
        let weight = u128::from(PRIOR_EVIDENCE) + u128::from(self.estimated);
        let thousandths = (learned + weight / 2) / weight;
        Factor::from_thousandths(u32::try_from(thousandths).unwrap_or(u32::MAX))
    }
}

fn scale(tokens: u64, factor: Factor) -> u64 {
    let scaled = u128::from(tokens) * u128::from(factor.thousandths());
    u64::try_from((scaled + 500) / 1_000).unwrap_or(u64::MAX)
}

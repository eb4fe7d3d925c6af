//! How much a day may cost, and whether a call still fits.

use std::collections::BTreeMap;

use super::book::{DayBook, Purpose, Tally};
use crate::reply::Usage;

/// Limits for one day; what is absent is not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Budget {
    /// Calls, failed ones included.
    pub calls: Option<u64>,
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
    /// Money, in millionths of the currency of the price table.
    pub micros: Option<u64>,
}

impl Budget {
    /// Returns no limits at all.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Returns a limit on money.
    pub fn micros(micros: u64) -> Self {
        Self {
            micros: Some(micros),
            ..Self::default()
        }
    }

    /// Returns the budget with this limit on tokens.
    #[must_use]
    pub fn with_tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Returns the budget with this limit on calls.
    #[must_use]
    pub fn with_calls(mut self, calls: u64) -> Self {
        self.calls = Some(calls);
        self
    }
}

/// The day's budget for everything, and those of single purposes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Budgets {
    total: Budget,
    by_purpose: BTreeMap<Purpose, Budget>,
}

impl Budgets {
    /// Returns a budget for everything together.
    pub fn new(total: Budget) -> Self {
        Self {
            total,
            by_purpose: BTreeMap::new(),
        }
    }

    /// Returns the budgets with a further limit on one purpose.
    #[must_use]
    pub fn with_purpose(mut self, purpose: Purpose, budget: Budget) -> Self {
        self.by_purpose.insert(purpose, budget);
        self
    }

    /// Returns the budget for everything together.
    pub fn total(&self) -> Budget {
        self.total
    }

    /// Returns the budget of one purpose.
    pub fn purpose(&self, purpose: &Purpose) -> Budget {
        self.by_purpose.get(purpose).copied().unwrap_or_default()
    }
}

/// What a call is expected to cost, or has cost; money is absent when the model has no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) usage: Usage,
    pub(super) micros: Option<u64>,
}

/// Says why a call does not fit, if it does not.
pub(super) fn decide(
    book: &DayBook,
    budgets: &Budgets,
    purpose: &Purpose,
    planned: Planned,
) -> Result<(), String> {
    let own = book.purpose(purpose);
    fits(budgets.total, &book.total(), planned, "the day")?;
    fits(budgets.purpose(purpose), &own, planned, purpose.as_str())
}

fn fits(budget: Budget, spent: &Tally, planned: Planned, whose: &str) -> Result<(), String> {
    let over = |what: &str, spent: u64, planned: u64, limit: Option<u64>| match limit {
        Some(limit) if spent.saturating_add(planned) > limit => Err(format!(
            "{spent} of {limit} {what} of {whose} are used, the call needs about {planned}"
        )),
        _ => Ok(()),
    };
    over("calls", spent.calls, 1, budget.calls)?;
    over(
        "tokens",
        spent.usage.total(),
        planned.usage.total(),
        budget.tokens,
    )?;
    match planned.micros {
        Some(micros) => over("millionths", spent.micros, micros, budget.micros),
        None if budget.micros.is_some() => Err("the model has no price".to_owned()),
        None => Ok(()),
    }
}

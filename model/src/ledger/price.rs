//! What tokens cost.

use crate::reply::Usage;

/// Millionths of the currency per million tokens, which is the number that price lists print times one
/// million: 3.00 a million is `3_000_000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input outside the cache.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
}

impl Price {
    /// Returns a price whose cache costs as much as plain input.
    pub fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            cache_read: input,
            cache_write: input,
        }
    }

    /// Returns the price with these cache prices.
    #[must_use]
    pub fn with_cache(mut self, read: u64, write: u64) -> Self {
        self.cache_read = read;
        self.cache_write = write;
        self
    }

    /// Returns what usage costs, in millionths of the currency, rounded up.
    pub fn cost(&self, usage: Usage) -> u64 {
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ];
        let sum = parts.iter().fold(0_u128, |sum, (tokens, price)| {
            sum.saturating_add(u128::from(*tokens) * u128::from(*price))
        });
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// Prices by model. None are built in: they change, and the caller knows the contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceTable {
    rows: Vec<(String, Price)>,
}

impl PriceTable {
    /// Returns a table without prices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the table with the price of every model whose name starts like this; the longest match
    /// counts.
    #[must_use]
    pub fn with(mut self, name_start: impl Into<String>, price: Price) -> Self {
        self.rows.push((name_start.into(), price));
        self
    }

    /// Returns the price of a model.
    pub fn price(&self, model: &str) -> Option<Price> {
        let matching = self
            .rows
            .iter()
            .filter(|(start, _)| model.starts_with(start));
        matching
            .max_by_key(|(start, _)| start.len())
            .map(|(_, price)| *price)
    }

    pub(super) fn cost(&self, model: &str, usage: Usage) -> Option<u64> {
        Some(self.price(model)?.cost(usage))
    }
}

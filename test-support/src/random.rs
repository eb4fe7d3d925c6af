//! Chance from a seed: what has to vary and be repeatable.

use std::time::Duration;

/// xorshift64*: small, and the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A stream of its own for each part of a run.
    pub fn of_part(seed: u64, part: u64) -> Self {
        let mixed = seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(part.wrapping_mul(0xbf58_476d_1ce4_e5b9));
        let mut random = Self(mixed | 1);
        for _ in 0..8 {
            random.number();
        }
        random
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() >> 11) as usize % limit
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these; `None` of nothing.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.below(from.len())])
    }

    /// A time, in milliseconds, both ends included.
    pub fn millis(&mut self, from: u64, to: u64) -> Duration {
        let span = usize::try_from(to - from).unwrap_or(usize::MAX - 1) + 1;
        Duration::from_millis(from + self.below(span) as u64)
    }
}

//! How long a side agent may go on.

use std::time::Duration;

/// Limits of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How often the model may be asked. Default 5: one reply to read, up to four to write.
    pub max_turns: u32,
    /// How many tokens all replies together may cost: input, cache and output as the provider counts
    /// them, or an estimate where it does not say. The model is not asked when the next reply would cost
    /// more, judged by the last one. Default 1,000,000.
    pub max_tokens: u64,
    /// How many tokens one reply may have, thinking included. Default 8,192.
    pub max_output_tokens: u32,
    /// How long the run may take. Default 120 s.
    pub time: Duration,
    /// How many calls of one reply are carried out; the model is told about the rest. Default 32.
    pub max_calls: usize,
    /// Whether the run ends after a reply all of whose calls were writes that succeeded. Default true:
    /// the closing words would cost a whole reply and help nobody.
    pub end_after_writes: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_turns: 5,
            max_tokens: 1_000_000,
            max_output_tokens: 8_192,
            time: Duration::from_secs(120),
            max_calls: 32,
            end_after_writes: true,
        }
    }
}

impl Limits {
    /// Sets [`Limits::max_turns`].
    #[must_use]
    pub fn with_max_turns(mut self, turns: u32) -> Self {
        self.max_turns = turns;
        self
    }

    /// Sets [`Limits::max_tokens`].
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: u64) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Sets [`Limits::max_output_tokens`].
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = tokens;
        self
    }

    /// Sets [`Limits::time`].
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets [`Limits::max_calls`].
    #[must_use]
    pub fn with_max_calls(mut self, calls: usize) -> Self {
        self.max_calls = calls;
        self
    }

    /// Sets [`Limits::end_after_writes`].
    #[must_use]
    pub fn with_end_after_writes(mut self, end: bool) -> Self {
        self.end_after_writes = end;
        self
    }
}

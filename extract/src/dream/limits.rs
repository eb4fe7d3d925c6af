//! Every bound of a distillation under one name.

use std::time::Duration;

use memdir::IndexLimits;

/// Most memories that one distillation looks at.
pub const MAX_MEMORIES: usize = 5_000;

/// Most daily logs that one distillation looks at, the newest: a year of them.
pub const MAX_LOGS: usize = 366;

/// Most bytes that one distillation reads. An operation of the store may carry 64 MiB before and after.
pub const MAX_SNAPSHOT_BYTES: u64 = 24 << 20;

/// Most pairs of words of a memory that are compared to see whether its content is still there.
pub const MAX_WORD_PAIRS: usize = 20_000;

/// Most notes for a person that one plan carries.
pub const MAX_NOTES: usize = 200;

/// Most operations that a model may ask for at once.
pub const MAX_OPERATIONS: usize = 200;

/// Shortest quote that counts as evidence, in bytes: four Chinese characters, or two short words.
pub const MIN_QUOTE_BYTES: usize = 12;

/// Most pairs of lines, old with new, that are compared for one difference: two parts of 2,048 lines. A
/// larger changed part is shown as replaced.
pub const MAX_DIFFERENCE_CELLS: usize = 4 << 20;

/// What a plan may do at most.
///
/// ```
/// use memdir_extract::dream::Limits;
///
/// let limits = Limits::default();
/// assert_eq!((limits.max_loss_percent, limits.max_changes), (25, 500));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How much of the entries, and of their bytes, may be gone afterwards, in per cent. Default 25.
    pub max_loss_percent: u64,
    /// How many files may change. Default 500.
    pub max_changes: usize,
    /// How many bytes may be written. Default 8 MiB.
    pub max_written_bytes: u64,
    /// What the index must keep to.
    pub index: IndexLimits,
    /// How many tokens a model is shown. Default 100,000.
    pub max_input_tokens: u64,
    /// How many tokens a model may answer with. Default 16,000.
    pub max_output_tokens: u32,
    /// How long a model may take. Default five minutes.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_loss_percent: 25,
            max_changes: 500,
            max_written_bytes: 8 << 20,
            index: IndexLimits::default(),
            max_input_tokens: 100_000,
            max_output_tokens: 16_000,
            timeout: Duration::from_secs(300),
        }
    }
}

impl Limits {
    /// Sets [`Limits::max_changes`].
    #[must_use]
    pub fn with_max_changes(mut self, changes: usize) -> Self {
        self.max_changes = changes;
        self
    }

    /// Sets [`Limits::max_written_bytes`].
    #[must_use]
    pub fn with_max_written_bytes(mut self, bytes: u64) -> Self {
        self.max_written_bytes = bytes;
        self
    }

    /// Sets [`Limits::index`].
    #[must_use]
    pub fn with_index(mut self, limits: IndexLimits) -> Self {
        self.index = limits;
        self
    }

    /// Sets [`Limits::max_input_tokens`].
    #[must_use]
    pub fn with_max_input_tokens(mut self, tokens: u64) -> Self {
        self.max_input_tokens = tokens;
        self
    }
}

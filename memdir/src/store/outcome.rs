//! What a save answers.

use std::fmt;

use pathguard::PathKey;

use crate::guard::SecretFinding;
use crate::hash::ContentHash;
use crate::{Budget, CompactionPlan};

/// What a save did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Saved {
    /// The file, relative to the memory folder.
    pub path: PathKey,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// The number of the operation; `None` when the memory was exactly so already.
    pub sequence: Option<u64>,
    /// Whether there was a file before.
    pub replaced: bool,
    /// What happened to the index.
    pub index: IndexOutcome,
    /// Credentials that were stored nevertheless, because private files only warn.
    pub secrets: Vec<SecretFinding>,
}

/// What a save did to the index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum IndexOutcome {
    /// It was not touched, as asked.
    Skipped,
    /// It has a line for the memory and room for more.
    Fine(Budget),
    /// It has a line for the memory and little room left.
    Near {
        /// How full it is.
        budget: Budget,
        /// What to tell the one who saves.
        warning: String,
    },
    /// It is too large to be edited and was left as it is. The memory is saved without a line.
    TooLarge {
        /// What to tell the one who saves.
        warning: String,
    },
    /// It has a line for the memory and is over a limit, so that a prompt no longer shows all.
    /// The memory is saved.
    Over(Box<IndexOverLimit>),
}

/// An index that is over its limits, and how to shorten it. An error as a value: the memory was
/// saved, and the caller should act on the plan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IndexOverLimit {
    /// The index file, relative to the memory folder.
    pub path: PathKey,
    /// How full it is.
    pub budget: Budget,
    /// Which lines to shorten or drop first.
    pub plan: CompactionPlan,
}

impl fmt::Display for IndexOverLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let budget = &self.budget;
        write!(
            formatter,
            "`{}`: {} lines and {} bytes, where {} and {} are loaded; the memory is saved, shorten \
             the index in {} steps, beginning with {}",
            self.path.as_str(),
            budget.lines,
            budget.bytes,
            budget.limits.max_lines,
            budget.limits.max_bytes,
            self.plan.steps.len(),
            self.plan
                .steps
                .iter()
                .take(3)
                .map(|step| format!("line {} ({})", step.line, crate::error::shown(&step.file)))
                .collect::<Vec<_>>()
                .join(", "),
        )
    }
}

impl std::error::Error for IndexOverLimit {}

/// What became of a memory that an agent wanted to save.
#[derive(Clone, Debug)]
pub enum Submitted {
    /// It was saved.
    Saved(Box<Saved>),
    /// It waits in the inbox for a person.
    Proposed(super::InboxItem),
}

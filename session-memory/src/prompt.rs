//! What the side agent of an update is told.

use std::fmt::Write as _;

use token_count::{Estimator, TokenCounter};

use crate::notes::{Notes, NotesLimits};
use crate::template::fill_template;

/// The prompt that is used where the user has none of their own.
const UPDATE: &str = include_str!("../templates/update-prompt.md");

/// The prompt of an update: ours, or the user's with `{{currentNotes}}`, `{{notesPath}}` and `{{today}}`.
///
/// Whatever the prompt says, the limits are said behind it, and the side agent's permissions stay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatePrompt(String);

impl Default for UpdatePrompt {
    fn default() -> Self {
        UpdatePrompt::new(UPDATE)
    }
}

impl UpdatePrompt {
    /// Takes a prompt of the user's.
    pub fn new(text: impl Into<String>) -> Self {
        UpdatePrompt(text.into())
    }

    /// Returns what the side agent is told: the prompt with its places filled, and the limits with the
    /// sizes of what is over.
    pub fn fill(&self, notes: &Notes, path: &str, today: &str, limits: &NotesLimits) -> String {
        let current = notes.print();
        let filled = fill_template(
            &self.0,
            &[
                ("currentNotes", current.as_str()),
                ("notesPath", path),
                ("today", today),
            ],
        );
        format!(
            "{}\n\n{}",
            filled.trim_end(),
            sizes(notes, &current, limits)
        )
    }
}

/// Names the limits, and each section that is over with its size. Sizes are in tokens of factor 1.0.
fn sizes(notes: &Notes, text: &str, limits: &NotesLimits) -> String {
    let counter = Estimator::new();
    let mut out = format!(
        "A section holds at most {} tokens, the file at most {}.",
        limits.section_tokens, limits.file_tokens
    );
    for (heading, tokens) in notes.oversized(limits, &counter) {
        let _ = write!(
            out,
            "\n- {heading} has {tokens} tokens: condense it in this update."
        );
    }
    let tokens = counter.count(text);
    if tokens > limits.file_tokens {
        let _ = write!(
            out,
            "\n- The file has {tokens} tokens: condense the longest sections, and keep what Current State \
             and Errors & Corrections say."
        );
    }
    out
}

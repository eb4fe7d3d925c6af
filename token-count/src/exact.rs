//! Exact counts, from the published vocabularies.

use crate::counter::TokenCounter;

/// Counts exactly with one of OpenAI's vocabularies.
///
/// The vocabulary is unpacked on first use, once in a process (some tens of milliseconds).
/// Markers such as `<|endoftext|>` are counted as the ordinary text they are in a message.
///
/// ```
/// use token_count::{Exact, TokenCounter};
///
/// let o200k = Exact::o200k();
/// assert_eq!(o200k.count("Counting is easy."), 4);
/// assert_eq!(o200k.count_up_to("Counting is easy.", 3), None);
/// ```
#[derive(Clone, Copy)]
pub struct Exact {
    tokenizer: &'static bpe_openai::Tokenizer,
    name: &'static str,
}

impl Exact {
    /// Returns the counter of o200k: GPT-4o and later, the o-series, gpt-oss.
    pub fn o200k() -> Self {
        Self {
            tokenizer: bpe_openai::o200k_base(),
            name: "o200k",
        }
    }

    /// Returns the counter of cl100k: GPT-4 and GPT-3.5.
    pub fn cl100k() -> Self {
        Self {
            tokenizer: bpe_openai::cl100k_base(),
            name: "cl100k",
        }
    }
}

impl std::fmt::Debug for Exact {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Exact").field(&self.name).finish()
    }
}

impl TokenCounter for Exact {
    fn count(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        self.tokenizer
            .count_till_limit(&self.tokenizer.normalize(text), limit)
    }
}

//! The trait that every counter implements, and the message it counts.

/// Tokens that a message costs beside its text: role, and the marks around it. OpenAI documents
/// three for the marks and one for the role (cookbook, "How to count tokens with tiktoken"); other
/// vendors do not say.
pub const MESSAGE_TOKENS: usize = 4;
/// Tokens that a tool call or its result costs beside name and text: the id that ties the two
/// together (about 30 characters of mixed letters and digits) and the type.
pub const TOOL_TOKENS: usize = 20;
/// The most that one image costs: larger ones are made smaller by the server (Anthropic's vision
/// guide gives about 1,600 tokens for the largest that is not).
pub const MAX_IMAGE_TOKENS: usize = 1_600;
/// Pixels of an image to a token, as given in the same guide.
const PIXELS_PER_TOKEN: u64 = 750;

/// One part of a message, as plain data, so that any host can count its own message types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part<'a> {
    /// Text of the user or the model, visible or thought.
    Text(&'a str),
    /// A call of a tool, its input as JSON text.
    ToolCall {
        /// Name of the tool.
        name: &'a str,
        /// The input as it is sent.
        input: &'a str,
    },
    /// What a tool answered.
    ToolResult(&'a str),
    /// A picture with its size in pixels.
    Image {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

/// Counts the tokens of text, exactly or by estimate.
///
/// Every method takes time in proportion to its input, never panics and reads nothing but its
/// arguments. Counts are deterministic: the same text gives the same number on every platform.
pub trait TokenCounter {
    /// Returns the number of tokens of `text`; 0 only for the empty text.
    ///
    /// ```
    /// use token_count::{Estimator, TokenCounter};
    ///
    /// let counter = Estimator::new();
    /// assert_eq!(counter.count(""), 0);
    /// assert_eq!(counter.count("The tests pass on every platform."), 7);
    /// ```
    fn count(&self, text: &str) -> usize;

    /// Returns the number of tokens of `text` if it is at most `limit`, and `None` if it is more.
    ///
    /// Agrees with [`count`](Self::count) and stops reading as soon as the limit is passed, so it
    /// costs as much as counting `limit` tokens however long the text is.
    ///
    /// ```
    /// use token_count::{Estimator, TokenCounter};
    ///
    /// let counter = Estimator::new();
    /// let log = "error: no such file\n".repeat(100_000);
    /// assert_eq!(counter.count_up_to(&log, 2_000), None);
    /// assert!(counter.count_up_to("short", 2_000).is_some());
    /// ```
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize>;

    /// Returns the number of tokens that one message of these parts takes up in a request: the
    /// parts, [`MESSAGE_TOKENS`] for the message and [`TOOL_TOKENS`] for each call and result.
    ///
    /// ```
    /// use token_count::{Estimator, Part, TokenCounter};
    ///
    /// let parts = [
    ///     Part::Text("I look at the file first."),
    ///     Part::ToolCall { name: "read", input: r#"{"path":"src/lib.rs"}"# },
    /// ];
    /// let tokens = Estimator::new().count_message(&parts);
    /// assert!((30..50).contains(&tokens));
    /// ```
    fn count_message(&self, parts: &[Part<'_>]) -> usize {
        let mut tokens = MESSAGE_TOKENS;
        for part in parts {
            tokens = tokens.saturating_add(match *part {
                Part::Text(text) => self.count(text),
                Part::ToolCall { name, input } => {
                    TOOL_TOKENS + self.count(name) + self.count(input)
                }
                Part::ToolResult(text) => TOOL_TOKENS + self.count(text),
                Part::Image { width, height } => image_tokens(width, height),
            });
        }
        tokens
    }

    /// Returns a long prefix of `text` that counts at most `limit` tokens, cut between characters;
    /// all of `text` if it fits.
    ///
    /// The result always satisfies the limit. It is the longest such prefix for a counter whose
    /// counts never fall as text grows; estimates may fall inside a word, so there it can be a few
    /// characters short of the longest. Costs as much as counting a few dozen times `limit` tokens,
    /// however long the text is.
    ///
    /// ```
    /// use token_count::{Estimator, TokenCounter};
    ///
    /// let counter = Estimator::new();
    /// let text = "one two three four five six";
    /// assert_eq!(counter.prefix(text, 3), "one two three");
    /// assert_eq!(counter.prefix(text, 100), text);
    /// ```
    fn prefix<'t>(&self, text: &'t str, limit: usize) -> &'t str {
        longest_prefix(text, limit, |part| self.count_up_to(part, limit).is_some())
    }
}

/// Images of one token for each 750 pixels, between 1 and [`MAX_IMAGE_TOKENS`].
fn image_tokens(width: u32, height: u32) -> usize {
    let pixels = u64::from(width) * u64::from(height);
    let tokens = pixels.div_ceil(PIXELS_PER_TOKEN).max(1);
    usize::try_from(tokens)
        .unwrap_or(MAX_IMAGE_TOKENS)
        .min(MAX_IMAGE_TOKENS)
}

/// Doubles a window until it no longer fits, then halves the gap, so that no probe reads much more
/// than what the result holds.
fn longest_prefix(text: &str, limit: usize, fits: impl Fn(&str) -> bool) -> &str {
    let mut good = 0;
    let mut window = limit.saturating_mul(4).max(16);
    let mut bad = loop {
        let end = boundary_at_or_before(text, window);
        if !fits(&text[..end]) {
            break end;
        }
        if end == text.len() {
            return text;
        }
        good = end;
        window = window.saturating_mul(2);
    };
    loop {
        let middle = boundary_at_or_before(text, good + (bad - good) / 2);
        let middle = if middle > good {
            middle
        } else {
            boundary_after(text, good)
        };
        if middle >= bad {
            return &text[..good];
        }
        if fits(&text[..middle]) {
            good = middle;
        } else {
            bad = middle;
        }
    }
}

fn boundary_at_or_before(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn boundary_after(text: &str, at: usize) -> usize {
    let mut at = (at + 1).min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

impl<C: TokenCounter + ?Sized> TokenCounter for &C {
    fn count(&self, text: &str) -> usize {
        (**self).count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        (**self).count_up_to(text, limit)
    }

    fn count_message(&self, parts: &[Part<'_>]) -> usize {
        (**self).count_message(parts)
    }

    fn prefix<'t>(&self, text: &'t str, limit: usize) -> &'t str {
        (**self).prefix(text, limit)
    }
}

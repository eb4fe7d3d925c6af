//! What a tool gives back: text for the model, data for a program, both bounded and free of what could steer a
//! terminal or hide from a reader.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::exit::{Failure, chain};
use crate::terminal::clean_lines;

/// Longest text of a result, in characters, and longest data: about 5,000 tokens of English and 20,000 of Chinese,
/// below the 25,000 tokens that Claude Code takes from a tool.
pub(super) const MAX_TEXT: usize = 20_000;

/// Longest error, in characters.
const MAX_ERROR: usize = 2_000;

/// The result of a tool.
#[derive(Debug)]
pub(super) struct Reply {
    /// For the model.
    pub(super) text: String,
    /// The same for a program.
    pub(super) data: Value,
}

impl Reply {
    pub(super) fn new(text: impl Into<String>, data: Value) -> Self {
        Reply {
            text: text.into(),
            data,
        }
    }
}

/// Why a tool did not do what it was asked for, and what to do about it.
#[derive(Debug)]
pub(super) struct Refusal(String);

impl Refusal {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Refusal(text.into())
    }

    /// The words, free of what could steer a terminal.
    pub(super) fn into_text(self) -> String {
        clean_lines(&self.0).into_owned()
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Refusal(chain(failure.error.as_ref()))
    }
}

impl From<memstrata::memdir::Error> for Refusal {
    fn from(error: memstrata::memdir::Error) -> Self {
        Refusal(chain(&error))
    }
}

/// What a tool comes to.
pub(super) type Outcome = Result<Reply, Refusal>;

/// Makes the result of the protocol.
pub(super) fn result(outcome: Outcome) -> CallToolResult {
    match outcome {
        Ok(reply) => {
            let text = cut(&clean_lines(&reply.text), MAX_TEXT);
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(cleaned(reply.data));
            result
        }
        Err(Refusal(text)) => {
            let text = cut(&clean_lines(&text), MAX_ERROR);
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
    }
}

/// The beginning of a text, with a word about the rest.
pub(super) fn cut(text: &str, most: usize) -> String {
    let total = text.chars().count();
    if total <= most {
        return text.to_owned();
    }
    let begin: String = text.chars().take(most.saturating_sub(60)).collect();
    let shown = begin.chars().count();
    format!("{begin}\n[Cut: {shown} of {total} characters are shown.]")
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_lines(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(object) => object
            .into_iter()
            .map(|(key, value)| (key, cleaned(value)))
            .collect(),
        other => other,
    }
}

/// The beginning of a text whose form in JSON has at most so many characters, and whether something is missing.
pub(super) fn begin_of(text: &str, most: usize) -> (&str, bool) {
    let mut left = most;
    for (at, character) in text.char_indices() {
        let length = json_length(character);
        if length > left {
            return (&text[..at], true);
        }
        left -= length;
    }
    (text, false)
}

/// How many characters of JSON a character takes in a string.
pub(super) fn json_length(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

/// A name, a description or a word of a list: whatever a file says, an entry fits into a list.
pub(super) fn brief(text: &str) -> String {
    const MOST: usize = 300;
    let mut characters = text.chars();
    let begin: String = characters.by_ref().take(MOST).collect();
    match characters.next() {
        None => begin,
        Some(_) => format!("{begin}…"),
    }
}

/// A list that takes entries as long as there is room for their text and their data, and counts the others.
#[derive(Debug, Default)]
pub(super) struct Listing {
    text: String,
    characters: usize,
    data: Vec<Value>,
    data_characters: usize,
    is_full: bool,
}

impl Listing {
    /// Adds an entry of one or more lines. Returns `false` from the first that no longer fits.
    pub(super) fn push(&mut self, entry: &str, data: Value) -> bool {
        // Room for the heading and the word about the rest.
        const RESERVE: usize = 1_500;
        let length = entry.chars().count() + 1;
        let data_length = data.to_string().chars().count() + 1;
        self.is_full |= self.characters + length > MAX_TEXT - RESERVE
            || self.data_characters + data_length > MAX_TEXT - RESERVE;
        if self.is_full {
            return false;
        }
        self.characters += length;
        self.data_characters += data_length;
        self.data.push(data);
        self.text.push_str(entry);
        self.text.push('\n');
        true
    }

    /// How many entries are in it.
    pub(super) fn shown(&self) -> usize {
        self.data.len()
    }

    /// The entries.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The same for a program.
    pub(super) fn into_data(self) -> Vec<Value> {
        self.data
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_is_bounded_as_the_text_is() {
        let mut list = Listing::default();
        let data = || json!("\"".repeat(98));
        let taken = (0..1_000).filter(|_| list.push("x", data()));
        assert_eq!(taken.count(), 92);
        let text = "a\u{1}\n漢".repeat(5_000);
        for most in [0, 1, 5, 1_000] {
            let (begin, is_cut) = begin_of(&text, most);
            let length = json!(begin).to_string().chars().count() - 2;
            assert!(is_cut && length <= most, "{length} of {most}");
        }
        assert_eq!(begin_of(&text, 100_000), (text.as_str(), false));
        assert_eq!(brief(&"漢".repeat(500)).chars().count(), 301);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut list = Listing::default();
        let data = || json!("y".repeat(9));
        let taken = (0..1_000).filter(|_| list.push(&"x".repeat(99), data()));
        assert_eq!((taken.count(), list.shown()), (185, 185));
        assert!(list.text().chars().count() <= MAX_TEXT);
        let text = cut(&"漢".repeat(30_000), MAX_TEXT);
        assert!(
            text.chars().count() <= MAX_TEXT && text.contains("of 30000 characters"),
            "{text:.20}"
        );
    }
}

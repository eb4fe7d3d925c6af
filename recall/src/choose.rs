//! Letting a model choose from a menu: the request, and the answer that may be anything.
//!
//! This crate asks no model. Whoever holds one sends the request within a time limit and a budget,
//! and takes the final mode's answer when anything fails.

use std::fmt::Write as _;

use memdir::Timestamp;
use serde_json::Value;

use crate::clean::one_line;
use crate::outcome::{Recalled, Recollection};
use crate::query::FINAL_LIMIT;

/// Time a model has for its choice, in milliseconds, unless the user sets another.
pub const CHOICE_MILLISECONDS: u64 = 1_500;

/// Tokens of the answer: five file names and some braces.
pub const CHOICE_OUTPUT_TOKENS: u32 = 256;

/// Characters of one description in the menu at most.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// Characters of the user's message in the request at most; its beginning and end are kept.
const MAX_QUERY_CHARS: usize = 4_000;

/// Objects tried in one answer: a text of nothing but braces must not cost the square of its length.
const MAX_ATTEMPTS: usize = 64;

/// Of a longer answer only the beginning is looked at.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Tools named in the request at most.
const MAX_TOOLS: usize = 20;

const SYSTEM: &str = include_str!("choose/system.md");

/// The JSON schema of the answer: `{"selected_memories": [string]}`.
const SCHEMA: &str = r#"{"type":"object","properties":{"selected_memories":{"type":"array","items":{"type":"string"}}},"required":["selected_memories"],"additionalProperties":false}"#;

/// What to send to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChoiceRequest {
    /// System text; the same in every request, so that a provider's cache holds.
    pub system: String,
    /// The menu, the query and the tools.
    pub user: String,
    /// JSON schema of the answer, for back ends with structured output.
    pub schema: &'static str,
    /// Output tokens at most.
    pub max_output_tokens: u32,
    /// Names of the menu, in its order.
    pub menu: Vec<String>,
}

/// What a model chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// Paths of the menu, in the model's order, each once, at most [`FINAL_LIMIT`].
    pub paths: Vec<String>,
    /// Names that are not on the menu; they are dropped.
    pub unknown: usize,
    /// Names over the limit; they are dropped too.
    pub over_limit: usize,
}

/// Why an answer says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChoiceProblem {
    /// There is no JSON object with `selected_memories` in it.
    NoAnswer,
    /// `selected_memories` is no list.
    NotAList,
}

impl ChoiceRequest {
    /// Makes the request for a menu that came from a [`Mode::Prefilter`](crate::Mode) query.
    ///
    /// The menu is newest first, one line a file: `- [type] file (timestamp): description`. Text of
    /// memories is cleaned and shortened, so that no description can add a line.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use memdir_recall::{ChoiceRequest, Query, Recall};
    /// # use pathguard::{MemoryRoot, RootOptions};
    /// # let scratch = tempfile::tempdir()?;
    /// # let folder = scratch.path();
    /// std::fs::write(
    ///     folder.join("feedback_retries.md"),
    ///     "---\nname: Retries\ndescription: always with jitter\ntype: feedback\nmodified: 2026-03-05T14:02:11Z\n---\n",
    /// )?;
    /// # let memory = Arc::new(MemoryRoot::open(folder, &RootOptions::default())?);
    /// let query = Query::new("may I retry?", "2026-03-06T08:00:00Z".parse()?).prefilter(50);
    /// let menu = Recall::open(memory, None).query(&query)?;
    /// let request = ChoiceRequest::new(&menu.memories, &query);
    /// assert!(request.user.contains("- [feedback] feedback_retries.md (2026-03-05T14:02:11Z): always with jitter\n"));
    ///
    /// let choice = request.parse(r#"{"selected_memories": ["feedback_retries.md", "made_up.md"]}"#);
    /// assert_eq!(choice.unwrap().paths, ["feedback_retries.md"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(menu: &[Recalled], query: &crate::Query) -> Self {
        let mut sorted: Vec<&Recalled> = menu.iter().collect();
        sorted.sort_by(|a, b| b.time().cmp(&a.time()).then_with(|| a.path.cmp(&b.path)));
        let mut user = String::from("Memories:\n");
        for memory in &sorted {
            let kind = one_line(&memory.type_text, 20);
            let kind = if kind.is_empty() { "memory" } else { &kind };
            let described = if memory.description.is_empty() {
                &memory.name
            } else {
                &memory.description
            };
            let description = one_line(described, MAX_DESCRIPTION_CHARS);
            let time: Timestamp = memory.time().to_whole_second();
            let _ = writeln!(user, "- [{kind}] {} ({time}): {description}", memory.path);
        }
        let _ = write!(user, "\nThe user's message:\n{}\n", quoted(&query.text));
        if !query.recent_tools.is_empty() {
            let tools = query.recent_tools.iter().take(MAX_TOOLS);
            let tools: Vec<String> = tools.map(|tool| one_line(tool, 100)).collect();
            let _ = write!(user, "\nRecently used tools: {}\n", tools.join(", "));
        }
        Self {
            system: SYSTEM.to_owned(),
            user,
            schema: SCHEMA,
            max_output_tokens: CHOICE_OUTPUT_TOKENS,
            menu: sorted
                .iter()
                .map(|memory| memory.path.to_string())
                .collect(),
        }
    }

    /// Reads the model's answer: structured output, or the same object inside of free text.
    ///
    /// Never panics, whatever the text. An empty list is a good answer: nothing fits.
    ///
    /// # Errors
    ///
    /// When there is no answer in the text; the final mode should serve then.
    pub fn parse(&self, answer: &str) -> Result<Choice, ChoiceProblem> {
        let object = find_object(answer).ok_or(ChoiceProblem::NoAnswer)?;
        let names = object["selected_memories"]
            .as_array()
            .ok_or(ChoiceProblem::NotAList)?;
        let mut choice = Choice::default();
        for name in names {
            let known = name.as_str().and_then(|name| self.on_menu(name));
            match known {
                None => choice.unknown += 1,
                Some(path) if choice.paths.contains(path) => {}
                Some(_) if choice.paths.len() == FINAL_LIMIT => choice.over_limit += 1,
                Some(path) => choice.paths.push(path.clone()),
            }
        }
        Ok(choice)
    }

    /// Returns the path that a model means: as the menu writes it, or by its file name when only one
    /// file has that.
    fn on_menu(&self, name: &str) -> Option<&String> {
        let name = name.trim().trim_start_matches("./");
        if let Some(path) = self.menu.iter().find(|path| *path == name) {
            return Some(path);
        }
        let mut same = self
            .menu
            .iter()
            .filter(|path| path.rsplit('/').next() == Some(name));
        let first = same.next()?;
        same.next().is_none().then_some(first)
    }
}

impl Recollection {
    /// Returns this prefiltered answer narrowed to what a model chose, in the model's order.
    #[must_use]
    pub fn chosen(mut self, choice: &Choice) -> Self {
        let place = |memory: &Recalled| {
            choice
                .paths
                .iter()
                .position(|path| path == memory.path.as_str())
        };
        self.memories.retain(|memory| place(memory).is_some());
        self.memories.sort_by_key(place);
        self.cut = false;
        self
    }
}

/// Marks each line of the query, so that a message cannot pass for a part of the menu.
fn quoted(text: &str) -> String {
    let count = text.chars().count();
    let shortened: String = if count <= MAX_QUERY_CHARS {
        text.to_owned()
    } else {
        let head: String = text.chars().take(MAX_QUERY_CHARS / 2).collect();
        let tail: String = text.chars().skip(count - MAX_QUERY_CHARS / 2).collect();
        format!("{head}\n[…]\n{tail}")
    };
    let lines: Vec<String> = shortened
        .lines()
        .map(|line| format!("> {}", one_line(line, usize::MAX)))
        .collect();
    lines.join("\n")
}

/// Finds the object with the answer: the whole text, or the first object in it that has the key.
fn find_object(answer: &str) -> Option<Value> {
    let mut end = answer.len().min(MAX_ANSWER_BYTES);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let answer = &answer[..end];
    let starts = answer
        .match_indices('{')
        .map(|(at, _)| at)
        .take(MAX_ATTEMPTS);
    starts
        .filter_map(|at| {
            serde_json::Deserializer::from_str(&answer[at..])
                .into_iter::<Value>()
                .next()?
                .ok()
        })
        .find(|value| value.get("selected_memories").is_some())
}

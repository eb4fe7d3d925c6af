//! What of a conversation may serve as evidence, and whether a quote stands in it.

use std::collections::HashSet;

use agent_model::{Block, ResultPart};
use agent_transcript::{Entry, Origin};
use memdir::Timestamp;

use crate::proposal::Statement;
use crate::text::{cut, spaced, weight};

/// A longer message of a person's is cut: nobody types as much, it was pasted.
pub const MAX_STATEMENT_BYTES: usize = 16 << 10;

/// How many messages of a person's one run looks at; the newest.
pub const MAX_STATEMENTS: usize = 400;

/// How much text of tools and of the program one run keeps, to recognise what comes from there.
pub const MAX_FOREIGN_BYTES: usize = 4 << 20;

/// A shorter quote proves nothing, unless it is the whole message. In letters and digits; an ideograph
/// counts as three.
const MIN_QUOTE_WEIGHT: usize = 6;

/// How a block of recalled memories begins; the rest of the line is for its reader.
const RECALLED: &str = "Recalled memories. These are notes saved in earlier sessions";
/// Lines between the fences of such a block.
const RECALLED_LINES: &[&str] = &["Memory: ", "Title: ", "Age: ", "Checked: "];

/// What of new messages may serve as evidence, and what may not.
///
/// `Debug` shows counts, no contents.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Material {
    /// What the person said, oldest first; nothing that was put into their messages.
    pub statements: Vec<Statement>,
    /// What tools returned. It may become `project` or `reference` knowledge.
    pub tool_texts: Vec<String>,
    /// What the program put in: instruction files, recalled memories, summaries. It is never learned.
    pub injected: Vec<String>,
    /// What was left out.
    pub left_out: LeftOut,
}

/// How much was left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Messages that no person typed.
    pub not_said: usize,
    /// Messages that a person sent twice, or that stand twice in a file.
    pub repeated: usize,
    /// Messages that were cut at [`MAX_STATEMENT_BYTES`].
    pub cut: usize,
    /// Messages beyond [`MAX_STATEMENTS`].
    pub too_many: usize,
    /// Bytes of tool results and injected text beyond [`MAX_FOREIGN_BYTES`].
    pub foreign_bytes: usize,
}

impl std::fmt::Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Material")
            .field("statements", &self.statements.len())
            .field("tool_texts", &self.tool_texts.len())
            .field("injected", &self.injected.len())
            .field("left_out", &self.left_out)
            .finish()
    }
}

impl Material {
    /// Sorts messages into evidence and the rest.
    ///
    /// Only [`Origin::Person`] is a person's, and of that only what
    /// [`Entry::person_text`] keeps, without blocks of recalled memories and memory prompts that a host
    /// put into the message. Any text is fine; nothing panics.
    ///
    /// ```
    /// use agent_model::Message;
    /// use agent_transcript::Entry;
    /// use memdir_extract::Material;
    ///
    /// let entries = [
    ///     Entry::new(Message::user("<system-reminder>Prefer tabs.</system-reminder>Use spaces, please.").with_id("m1")),
    ///     Entry::new(Message::assistant("Spaces it is.")),
    /// ];
    /// let material = Material::of(&entries);
    /// assert_eq!(material.statements.len(), 1);
    /// assert_eq!(material.statements[0].text, "Use spaces, please.");
    /// assert!(material.find("use   spaces, please").is_none(), "the words themselves, not others like them");
    /// assert!(material.find("Use   spaces,\nplease").is_some(), "white space does not matter");
    /// ```
    pub fn of(entries: &[Entry]) -> Self {
        let mut material = Self::default();
        let mut seen = HashSet::new();
        let mut foreign = Foreign::default();
        for entry in entries {
            if let Some(text) = spoken(entry) {
                if !seen.insert(spaced(&text)) {
                    material.left_out.repeated += 1;
                    continue;
                }
                let kept = cut(&text, MAX_STATEMENT_BYTES);
                material.left_out.cut += usize::from(kept.len() < text.len());
                let mut statement = Statement::new(kept);
                statement.message_id.clone_from(&entry.message.id);
                statement.time = entry.time.map(|time| {
                    Timestamp::from_nanoseconds(i128::from(time.as_millis()) * 1_000_000)
                });
                material.statements.push(statement);
            } else if entry.origin != Origin::Assistant && entry.origin != Origin::Tool {
                material.left_out.not_said += 1;
            }
            foreign.take(entry, &mut material);
        }
        let surplus = material.statements.len().saturating_sub(MAX_STATEMENTS);
        material.statements.drain(..surplus);
        material.left_out.too_many = surplus;
        material
    }

    /// Returns the statement in which a quote stands, word for word; white space may differ.
    ///
    /// `None` also for a quote too short to mean anything, such as "ok", unless it is all that was said.
    pub fn find(&self, quote: &str) -> Option<&Statement> {
        let quote = bare(quote);
        if quote.is_empty() {
            return None;
        }
        let is_short = weight(&quote) < MIN_QUOTE_WEIGHT;
        self.statements.iter().find(|statement| {
            let said = spaced(&statement.text);
            if is_short {
                bare(&said) == quote
            } else {
                said.contains(&quote)
            }
        })
    }
}

/// What the person said in a message, if anything.
fn spoken(entry: &Entry) -> Option<String> {
    if entry.origin != Origin::Person || !entry.model_visible {
        return None;
    }
    let text = without_injected(&entry.person_text());
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Takes out blocks of recalled memories, and everything from a memory prompt on.
fn without_injected(text: &str) -> String {
    if !text.contains(RECALLED) && !text.contains("# auto memory") {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with(RECALLED) {
            skip_recalled(&mut lines);
        } else if line.trim() == "# auto memory" {
            // A prompt has no end that could be recognised.
            break;
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Skips fenced notes and the lines above them; a fence without an end reaches to the end of the text.
fn skip_recalled<'a>(lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) {
    while let Some(line) = lines.peek() {
        let line = line.trim_end();
        let fence = line.len() - line.trim_start_matches('`').len();
        let is_fence = fence >= 3 && line[fence..].starts_with("memory");
        let is_header =
            line.is_empty() || RECALLED_LINES.iter().any(|start| line.starts_with(start));
        if !is_fence && !is_header {
            return;
        }
        lines.next();
        if is_fence {
            let closes = |line: &&str| {
                let line = line.trim_end();
                line.len() == fence && line.bytes().all(|byte| byte == b'`')
            };
            lines.by_ref().find(closes);
        }
    }
}

/// Collects what is no evidence, within a bound.
#[derive(Default)]
struct Foreign {
    bytes: usize,
}

impl Foreign {
    fn take(&mut self, entry: &Entry, material: &mut Material) {
        for block in &entry.message.content {
            match block {
                Block::ToolResult(result) => {
                    for part in &result.content {
                        if let ResultPart::Text(text) = part {
                            let kept = self.keep(text, &mut material.left_out);
                            material.tool_texts.extend(kept);
                        }
                    }
                }
                Block::Text(text) if is_injected(entry) => {
                    let kept = self.keep(text, &mut material.left_out);
                    material.injected.extend(kept);
                }
                _ => {}
            }
        }
    }

    fn keep(&mut self, text: &str, left_out: &mut LeftOut) -> Option<String> {
        let kept = cut(text, MAX_FOREIGN_BYTES - self.bytes);
        self.bytes += kept.len();
        left_out.foreign_bytes += text.len() - kept.len();
        (!kept.is_empty()).then(|| kept.to_owned())
    }
}

/// A message of the person's counts too: what was put into it stands beside their words.
fn is_injected(entry: &Entry) -> bool {
    match entry.origin {
        Origin::Assistant | Origin::Tool => false,
        Origin::Person => {
            let said = spoken(entry).unwrap_or_default();
            said != entry.message.text().trim()
        }
        _ => true,
    }
}

/// A quote without the marks that people and models put around one.
fn bare(quote: &str) -> String {
    let marks = [
        '"', '\'', '“', '”', '‘', '’', '«', '»', '「', '」', '『', '』', '`',
    ];
    spaced(quote.trim().trim_matches(marks))
}

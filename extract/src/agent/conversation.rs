//! New messages as text, for a model that has not seen them: only what may be sent.

use agent_model::{Block, ResultPart};
use agent_transcript::{Entry, Origin};
use serde_json::json;

use crate::evidence::Material;
use crate::text::cut;

/// A longer tool result is cut: bulk tells nothing about the person.
pub(super) const MAX_RESULT_BYTES: usize = 2 << 10;

/// A longer text of the model's is cut.
const MAX_REPLY_BYTES: usize = 8 << 10;

/// The newest messages that fit are sent.
const MAX_BYTES: usize = 200 << 10;

/// Renders messages as JSON lines, oldest first: no text in them can pose as another message. What the
/// program put in is left out, and so are pictures and thoughts; credentials are replaced by the names
/// of rules.
pub(super) fn render(entries: &[Entry]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut bytes = 0;
    let mut is_cut = false;
    for entry in entries.iter().rev().filter(|entry| entry.model_visible) {
        for line in lines_of(entry).into_iter().rev() {
            bytes += line.len() + 1;
            if bytes > MAX_BYTES {
                is_cut = true;
                break;
            }
            lines.push(line);
        }
        if is_cut {
            break;
        }
    }
    if is_cut {
        lines.push(json!({ "note": "older messages are left out" }).to_string());
    }
    lines.reverse();
    lines.join("\n")
}

fn lines_of(entry: &Entry) -> Vec<String> {
    let line = |from: &str, text: &str, most: usize| {
        let kept = cut(text, most);
        let mut redacted = secret_scan::redact(kept).into_owned();
        if kept.len() < text.len() {
            redacted.push_str(" [cut]");
        }
        json!({ "from": from, "text": redacted }).to_string()
    };
    match entry.origin {
        Origin::Person => {
            let said = Material::of(std::slice::from_ref(entry)).statements;
            said.iter()
                .map(|statement| line("user", &statement.text, usize::MAX))
                .collect()
        }
        Origin::Assistant => {
            let text = entry.message.text();
            let mut lines = Vec::new();
            if !text.trim().is_empty() {
                lines.push(line("agent", &text, MAX_REPLY_BYTES));
            }
            lines
        }
        Origin::Tool => {
            let results = entry
                .message
                .content
                .iter()
                .filter_map(|block| match block {
                    Block::ToolResult(result) => Some(result),
                    _ => None,
                });
            let texts = results
                .flat_map(|result| &result.content)
                .filter_map(|part| match part {
                    ResultPart::Text(text) => Some(text),
                    _ => None,
                });
            texts
                .map(|text| line("tool", text, MAX_RESULT_BYTES))
                .collect()
        }
        _ => Vec::new(),
    }
}

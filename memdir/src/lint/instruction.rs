//! Memories that repeat what the instruction files of the project already say.

use std::collections::HashMap;

use super::{Code, Findings, Snapshot};
use crate::markdown::{self, LineKind};

/// Shorter sentences are shared by chance. In characters, letters and digits only; an ideograph
/// counts as three.
const MIN_WEIGHT: usize = 30;

pub(super) fn check(snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let mut known: HashMap<String, &str> = HashMap::new();
    for file in &snapshot.input.instructions {
        let text = String::from_utf8_lossy(file.bytes);
        for (_, sentence) in sentences(&text) {
            known.entry(sentence).or_insert(file.path);
        }
    }
    if known.is_empty() {
        return;
    }
    for file in &snapshot.memories {
        let repeated: Vec<(usize, &str)> = sentences(file.memory.body())
            .into_iter()
            .filter_map(|(line, sentence)| Some((line, *known.get(&sentence)?)))
            .collect();
        if let Some((line, source)) = repeated.first() {
            let count = match repeated.len() {
                1 => "a sentence".to_owned(),
                count => format!("{count} sentences"),
            };
            let message = format!("{count} of this memory already stand in {source}");
            let message = if repeated.len() == 1 {
                message.replace("stand in", "stands in")
            } else {
                message
            };
            findings.add(
                Code::RepeatsInstructions,
                file.file.path,
                file.memory.body_line() + line - 1,
                message,
            );
        }
    }
}

/// The sentences of a Markdown text that are long enough to mean something, reduced to their
/// letters and digits, with the line each starts on. A sentence may run over line ends.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut current = Sentence::default();
    for line in markdown::lines(text.as_bytes()) {
        let content = text[line.visible.clone()].trim();
        let starts_block = content.is_empty()
            || line.kind != LineKind::Text
            || content.starts_with(['#', '-', '*', '+', '>', '|'])
            || content.starts_with(|first: char| first.is_ascii_digit());
        if starts_block {
            current.finish(&mut out);
        }
        if line.kind != LineKind::Text {
            continue;
        }
        let mut chars = content.chars().peekable();
        while let Some(character) = chars.next() {
            let ends = matches!(character, '。' | '！' | '？' | '；')
                || (matches!(character, '.' | '!' | '?' | ';')
                    && chars.peek().is_none_or(|next| next.is_whitespace()));
            if ends {
                current.finish(&mut out);
            } else {
                current.push(character, line.number);
            }
        }
    }
    current.finish(&mut out);
    out
}

#[derive(Default)]
struct Sentence {
    text: String,
    line: usize,
    weight: usize,
}

impl Sentence {
    fn push(&mut self, character: char, line: usize) {
        if !character.is_alphanumeric() {
            return;
        }
        if self.text.is_empty() {
            self.line = line;
        }
        self.weight += if u32::from(character) >= 0x2E80 { 3 } else { 1 };
        self.text.extend(character.to_lowercase());
    }

    fn finish(&mut self, out: &mut Vec<(usize, String)>) {
        let done = std::mem::take(self);
        if done.weight >= MIN_WEIGHT {
            out.push((done.line, done.text));
        }
    }
}

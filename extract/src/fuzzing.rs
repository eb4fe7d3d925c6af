//! Doors into the inside for fuzz targets and properties; not part of the interface.

use std::collections::HashSet;

use agent_model::{Block, Message, Role, ToolResult};
use agent_transcript::{Entry, Origin};
use memdir::Date;

use crate::evidence::{MAX_FOREIGN_BYTES, MAX_STATEMENT_BYTES, MAX_STATEMENTS, Material};
use crate::proposal::Statement;

/// Sorts a text as messages: pieces between form feeds, the first character of each says from whom.
///
/// # Panics
///
/// When something that no person said counts as evidence, twice the same does, or a bound is broken.
pub fn evidence(text: &str) {
    let entries: Vec<Entry> = text.split('\u{c}').enumerate().map(entry).collect();
    let material = Material::of(&entries);
    assert!(material.statements.len() <= MAX_STATEMENTS);
    let foreign = material.tool_texts.iter().chain(&material.injected);
    assert!(foreign.map(String::len).sum::<usize>() <= MAX_FOREIGN_BYTES);
    let mut seen = HashSet::new();
    for statement in &material.statements {
        assert!(!statement.text.trim().is_empty() && statement.text.len() <= MAX_STATEMENT_BYTES);
        let source = entries
            .iter()
            .find(|entry| entry.message.id == statement.message_id);
        assert!(source.is_some_and(|entry| entry.origin == Origin::Person));
        let words: Vec<&str> = statement.text.split_whitespace().collect();
        // What was cut may begin alike.
        let is_cut = statement.text.len() + 4 > MAX_STATEMENT_BYTES;
        assert!(seen.insert(words.join(" ")) || is_cut, "the same twice");
        let says_something = statement.text.chars().any(char::is_alphanumeric);
        assert!(!says_something || material.find(&statement.text).is_some());
    }
    assert!(material.find("").is_none());
    assert!(
        material
            .find("these words stand in no seed and no message \u{1f9ed}")
            .is_none()
    );
}

/// Asks the extractor without a model about a text: pieces between form feeds are statements.
///
/// # Panics
///
/// When a quote is no piece of a statement, or a proposal holds a credential or more than one line.
pub fn offline(text: &str) {
    let statements: Vec<Statement> = text.split('\u{c}').map(Statement::new).collect();
    let today = Date::new(2026, 3, 2).expect("because the day exists");
    for one in crate::offline::propose(&statements, today) {
        let quote = &one.evidence.quote;
        let is_said = statements
            .iter()
            .any(|statement| statement.text.contains(quote));
        assert!(is_said && !quote.trim().is_empty());
        assert!(
            !one.name.trim().is_empty()
                && !one.name.contains('\n')
                && !one.description.contains('\n')
        );
        for part in [&one.name, &one.description, &one.body, quote] {
            assert!(!secret_scan::contains_secret(part.as_bytes()));
        }
    }
}

fn entry((at, piece): (usize, &str)) -> Entry {
    let mut characters = piece.chars();
    let message = match characters.next() {
        Some('a') => Message::assistant(characters.as_str()),
        Some('t') => {
            let result = ToolResult::text("call", characters.as_str());
            Message::new(Role::User, vec![Block::ToolResult(result)])
        }
        Some('s') => Message::new(
            Role::System,
            vec![Block::Text(characters.as_str().to_owned())],
        ),
        _ => Message::user(piece),
    };
    Entry::new(message.with_id(format!("m{at}")))
}

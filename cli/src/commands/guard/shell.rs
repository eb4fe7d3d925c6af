//! `memstrata guard shell`: whether a command only reads.

use std::path::Path;

use memstrata::forked_agent::shell::{Refusal, RefusalKind, Runnable, Scope, vet};
use serde_json::Value;

use super::Answer;

/// Vets a command that would run in a folder and read below it, and looks where its paths lead. The value
/// is a list of words for each program, in order.
pub(super) fn check(command: &str, directory: &Path) -> Answer {
    let scope = Scope::new(directory);
    match vet(command, &scope).and_then(|script| script.prepare(&scope)) {
        Ok(ready) => Answer::Yes(words(&ready)),
        Err(refusal) => Answer::No(super::Refusal {
            kind: "shell",
            reason: Some(name(&refusal)),
            message: refusal.to_string(),
        }),
    }
}

fn words(ready: &Runnable) -> Value {
    let programs = ready.commands().flatten().map(|command| {
        let arguments = command
            .arguments()
            .iter()
            .map(|argument| argument.to_string_lossy().into_owned());
        std::iter::once(command.program().name().to_owned())
            .chain(arguments)
            .map(Value::from)
            .collect::<Vec<Value>>()
    });
    programs.collect()
}

/// Returns a word as a shell would have to be given it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain =
        |character: char| character.is_alphanumeric() || "-_./,:=+@%".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn name(refusal: &Refusal) -> &'static str {
    match refusal.kind() {
        RefusalKind::Empty => "empty",
        RefusalKind::TooMuch => "too-much",
        RefusalKind::Character => "character",
        RefusalKind::Syntax => "syntax",
        RefusalKind::Program => "program",
        RefusalKind::Option => "option",
        RefusalKind::Value => "value",
        RefusalKind::Pattern => "pattern",
        RefusalKind::Outside => "outside",
        RefusalKind::Special => "special",
        RefusalKind::Input => "input",
        RefusalKind::Unreadable => "unreadable",
        _ => "refused",
    }
}

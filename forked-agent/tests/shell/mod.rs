//! Read-only commands: tables, bypass classes, second opinions, real runs.

use std::fmt::Write;

use forked_agent::shell::{Connector, ErrorOutput, Script};

mod allowed;
#[cfg(unix)]
mod bash;
mod brush;
mod bypass;
mod generate;
#[cfg(unix)]
mod prepare;
mod refused;
#[cfg(unix)]
mod run;
mod vet;

/// Returns a script in the notation of the table of allowed commands.
fn render(script: &Script) -> String {
    each_word(script, |word| format!("<{word}>"), ["2>null", "2>out"])
}

/// Returns a command that a shell reads as the script, with every word quoted.
///
/// Patterns lose their meaning, which no decision about literal words depends on.
fn quote(script: &Script) -> String {
    each_word(
        script,
        |word| format!("'{}'", word.replace('\'', "'\\''")),
        ["2>/dev/null", "2>&1"],
    )
}

fn each_word(script: &Script, word: impl Fn(&str) -> String, errors: [&str; 2]) -> String {
    let mut out = String::new();
    for (index, pipeline) in script.pipelines().iter().enumerate() {
        out.push_str(match (index, pipeline.connector()) {
            (0, _) => "",
            (_, Connector::Always) => " ; ",
            (_, Connector::IfSucceeded) => " && ",
            (_, Connector::IfFailed) => " || ",
        });
        for (index, stage) in pipeline.stages().iter().enumerate() {
            out.push_str(if index == 0 { "" } else { " | " });
            out.push_str(stage.program().name());
            for argument in stage.arguments() {
                write!(out, " {}", word(argument.text())).unwrap();
            }
            match stage.errors() {
                ErrorOutput::Apart => {}
                ErrorOutput::Dropped => write!(out, " {}", errors[0]).unwrap(),
                ErrorOutput::WithOutput => write!(out, " {}", errors[1]).unwrap(),
            }
        }
    }
    out
}

//! `memstrata check`.

use std::io::{self, Write};

use memstrata::instruction_files;
use memstrata::memdir::CheckOptions;
use memstrata::memdir::lint::Severity;
use serde_json::json;

use crate::cli::Global;
use crate::cli::memory::Check;
use crate::context::{Context, person};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean, counted};

/// Finds what is wrong, and mends it when asked.
pub(crate) fn run(
    arguments: &Check,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    context.say_if_off(speech);
    let store = context.open(speech)?;
    let mut options =
        CheckOptions::default().with_instructions(instruction_files(context.location.root()));
    if arguments.fix {
        options = options.fixing();
    }
    let report = store.check(&options, &person())?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for finding in &report.findings {
        if speech.json {
            let object = json!({
                "code": finding.code.as_str(),
                "path": finding.path,
                "line": finding.line,
                "severity": finding.severity.as_str(),
                "message": finding.message,
                "fixable": finding.is_fixable,
            });
            writeln!(out, "{object}")?;
        } else {
            let style = if finding.severity == Severity::Error {
                Style::Red
            } else {
                Style::Yellow
            };
            writeln!(
                out,
                "{}:{}  {}  {} [{}{}]",
                speech.paint(Style::Bold, &clean(&finding.path)),
                finding.line,
                speech.paint(style, finding.severity.as_str()),
                clean(&finding.message),
                finding.code.as_str(),
                if finding.is_fixable { ", --fix" } else { "" },
            )?;
        }
    }
    out.flush()?;
    for problem in &report.problems {
        speech.say(&format!("left out {}", clean(problem)));
    }
    if report.is_cut {
        speech.say("there are more findings than are shown");
    }
    if report.mended > 0 {
        speech.say(&format!(
            "{} mended; `memstrata undo` takes that back",
            report.mended
        ));
    }
    let counts = report.counts();
    let found = format!(
        "{}, {}, {}",
        counted(counts.errors as u64, "error", "errors"),
        counted(counts.warnings as u64, "warning", "warnings"),
        counted(counts.infos as u64, "note", "notes"),
    );
    speech.say(&match (report.findings.len(), counts.fixable) {
        (0, _) => "nothing is wrong".to_owned(),
        (_, 0) => found,
        (_, fixable) => format!("{found}; `memstrata check --fix` mends {fixable} of them"),
    });
    Ok(if report.findings.is_empty() {
        Exit::Done
    } else {
        Exit::Found
    })
}

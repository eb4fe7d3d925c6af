//! The ledger as a session file.

use std::fmt::Write as _;

use token_count::{Estimator, TokenCounter};

use super::recent::{Listed, MOST_PATH_CHARS, Recent};
use super::{Outcome, first_line};

/// A section of 2,000 tokens holds two lists, or one and a text.
const MOST_LIST_TOKENS: usize = 800;

/// What the ledger has to say in each section it knows. A section about which it has nothing is empty.
pub(super) fn sections(recent: &Recent) -> Vec<(&'static str, String)> {
    let title = recent.title.as_deref().map(first_line).unwrap_or_default();
    vec![
        ("Session Title", quote_heading(&title)),
        ("Current State", current_state(recent)),
        ("Task specification", task(recent)),
        ("Files and Functions", files(recent)),
        ("Workflow", workflow(recent)),
        ("Errors & Corrections", failures(recent)),
        ("Worklog", worklog(recent)),
    ]
}

/// What must not be left to a model's memory.
pub(super) fn facts(changed: &Listed<String>) -> Vec<(&'static str, String)> {
    let mut text = String::new();
    if changed.total > 0 {
        let list = bounded(changed, |path| shown_path(path));
        text = format!("Changed, from the tool calls:\n{list}");
    }
    vec![("Files and Functions", text)]
}

/// A title that would be a heading or open a fence stays a title.
fn quote_heading(title: &str) -> String {
    if title.starts_with(['#', '`', '~', '_', '*']) {
        format!("> {title}")
    } else {
        title.to_owned()
    }
}

fn current_state(recent: &Recent) -> String {
    let mut out = String::new();
    if let Some(reply) = &recent.last_reply {
        out.push_str("The last reply:\n");
        out.push_str(&quote(reply));
    }
    if recent.running.total > 0 {
        let list = bounded(&recent.running, |task| format!("- {}", first_line(task)));
        let _ = write!(out, "\n\nStill running:\n{list}");
    }
    out
}

/// The newest instruction stands whole, word for word; earlier ones by their first line.
fn task(recent: &Recent) -> String {
    let Some(newest) = &recent.newest else {
        return String::new();
    };
    let newest = quote(newest);
    let mut out = format!("The newest instruction, word for word:\n{newest}");
    if recent.earlier.total > 0 {
        out.push_str("\n\nEarlier:\n");
        out.push_str(&bounded(&recent.earlier, |text| {
            format!("- {}", first_line(text))
        }));
    }
    out
}

fn files(recent: &Recent) -> String {
    let mut out = String::new();
    for (title, paths) in [("Changed:", &recent.changed), ("Read:", &recent.read)] {
        if paths.total > 0 {
            let list = bounded(paths, |path| shown_path(path));
            let _ = write!(out, "{title}\n{list}\n\n");
        }
    }
    out
}

fn workflow(recent: &Recent) -> String {
    let mut out = String::new();
    for (title, runs) in [
        ("Tests and checks:", &recent.tests),
        ("Other commands:", &recent.others),
    ] {
        if runs.total > 0 {
            let list = bounded(runs, |run| {
                let outcome = match run.outcome {
                    Outcome::Succeeded => "succeeded",
                    Outcome::Failed => "failed",
                    Outcome::Unknown => "no result recorded",
                };
                let times = if run.times > 1 {
                    format!(", ran {} times", run.times)
                } else {
                    String::new()
                };
                format!("- `{}`: {outcome}{times}", first_line(&run.command))
            });
            let _ = write!(out, "{title}\n{list}\n\n");
        }
    }
    out
}

fn failures(recent: &Recent) -> String {
    bounded(&recent.failures, |failure| {
        let error = first_line(telling_line(&failure.error));
        let followed = match &failure.followed_by {
            Some(next) => format!("; then {next}"),
            None => String::new(),
        };
        format!("- {}: {error}{followed}", failure.tried)
    })
}

/// Words of lines that say what went wrong, in lower case.
const ERROR_WORDS: &[&str] = &[
    "error",
    "fail",
    "fatal",
    "panic",
    "exception",
    "not found",
    "no such",
    "denied",
    "cannot",
    "can't",
    "missing",
    "refused",
    "unable",
    "invalid",
    "unexpected",
    "must ",
];

/// Returns the last line of an error that says what went wrong, else its last line: what stands at the
/// very end is often only the exit code.
fn telling_line(error: &str) -> &str {
    let lines = || {
        error
            .lines()
            .rev()
            .map(bare)
            .filter(|line| !line.is_empty())
    };
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        ERROR_WORDS.iter().any(|word| line.contains(word)) && !line.contains("error: (none)")
    };
    lines()
        .find(tells)
        .or_else(|| lines().next())
        .unwrap_or_default()
}

/// Takes off the element that Claude Code puts around the errors of its own tools.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("<tool_use_error>").unwrap_or(line);
    line.strip_suffix("</tool_use_error>")
        .unwrap_or(line)
        .trim()
}

fn worklog(recent: &Recent) -> String {
    let mut out = String::new();
    let counts = [
        (recent.instructions(), "instruction", "instructions"),
        (recent.changed.total, "file changed", "files changed"),
        (recent.commands(), "command", "commands"),
        (recent.failures.total, "failed call", "failed calls"),
    ];
    for (count, one, many) in counts {
        if count > 0 {
            let _ = writeln!(out, "- {count} {}", if count == 1 { one } else { many });
        }
    }
    out
}

/// A path as a list item. A file name may hold anything but a slash and NUL, line feeds too.
fn shown_path(path: &str) -> String {
    let plain = |character: char| {
        if character.is_control() {
            '\u{fffd}'
        } else {
            character
        }
    };
    let shown: String = path.chars().map(plain).take(MOST_PATH_CHARS).collect();
    format!("- {shown}")
}

/// Lists the newest items, one a line, and says how many older ones were left out.
fn bounded<T>(list: &Listed<T>, show: impl Fn(&T) -> String) -> String {
    let counter = Estimator::new();
    // Long items leave room for fewer of them.
    let mut room = MOST_LIST_TOKENS;
    let fits = |line: &String| {
        let tokens = counter.count(line) + 1;
        room = room.saturating_sub(tokens);
        room > 0
    };
    let mut lines: Vec<String> = list.items.iter().rev().map(show).take_while(fits).collect();
    let left_out = list.total - lines.len();
    if left_out > 0 {
        lines.push(format!("- ({left_out} older ones left out)"));
    }
    lines.reverse();
    lines.join("\n")
}

/// As a Markdown quote, so that headings and fences in the text stay text.
fn quote(text: &str) -> String {
    text.lines()
        .map(|line| format!("> {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

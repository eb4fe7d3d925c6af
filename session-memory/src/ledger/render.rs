//! The ledger as a session file.

use std::fmt::Write as _;

use token_count::{Estimator, TokenCounter};

use super::{Ledger, Outcome, first_line};

/// Older items beyond these counts are left out, and the list says so.
const MOST_FILES: usize = 60;
const MOST_PATH_CHARS: usize = 1_000;
const MOST_COMMANDS: usize = 30;
const MOST_FAILURES: usize = 20;
const MOST_RUNNING: usize = 20;
const MOST_INSTRUCTIONS: usize = 20;
/// A section of 2,000 tokens holds two lists, or one and a text.
const MOST_LIST_TOKENS: usize = 800;
const MOST_REPLY_TOKENS: usize = 800;
const MOST_INSTRUCTION_TOKENS: usize = 1_100;

/// Words that tell a test run from other commands; any of them as a word of the command line.
const TEST_WORDS: &[&str] = &[
    "test", "tests", "pytest", "nextest", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest",
    "tox", "check",
];

/// What the ledger has to say in each section it knows. A section about which it has nothing is empty.
pub(super) fn sections(ledger: &Ledger) -> Vec<(&'static str, String)> {
    let title = ledger
        .instructions
        .first()
        .map(|text| first_line(text))
        .unwrap_or_default();
    vec![
        ("Session Title", quote_heading(&title)),
        ("Current State", current_state(ledger)),
        ("Task specification", task(ledger)),
        ("Files and Functions", files(ledger)),
        ("Workflow", workflow(ledger)),
        ("Errors & Corrections", failures(ledger)),
        ("Worklog", worklog(ledger)),
    ]
}

/// What must not be left to a model's memory.
pub(super) fn facts(ledger: &Ledger) -> Vec<(&'static str, String)> {
    let mut text = String::new();
    if !ledger.changed.is_empty() {
        let list = bounded(&ledger.changed, MOST_FILES, |path| shown_path(path));
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

fn current_state(ledger: &Ledger) -> String {
    let mut out = String::new();
    if let Some(reply) = &ledger.last_reply {
        out.push_str("The last reply:\n");
        out.push_str(&quote(&cut(reply, MOST_REPLY_TOKENS)));
    }
    if !ledger.running.is_empty() {
        let list = bounded(&ledger.running, MOST_RUNNING, |task| {
            format!("- {}", first_line(task))
        });
        let _ = write!(out, "\n\nStill running:\n{list}");
    }
    out
}

/// The newest instruction stands whole, word for word; earlier ones by their first line.
fn task(ledger: &Ledger) -> String {
    let Some((newest, earlier)) = ledger.instructions.split_last() else {
        return String::new();
    };
    let newest = quote(&cut(newest, MOST_INSTRUCTION_TOKENS));
    let mut out = format!("The newest instruction, word for word:\n{newest}");
    if !earlier.is_empty() {
        out.push_str("\n\nEarlier:\n");
        out.push_str(&bounded(earlier, MOST_INSTRUCTIONS, |text| {
            format!("- {}", first_line(text))
        }));
    }
    out
}

fn files(ledger: &Ledger) -> String {
    let mut out = String::new();
    for (title, paths) in [("Changed:", &ledger.changed), ("Read:", &ledger.read)] {
        if !paths.is_empty() {
            let _ = write!(
                out,
                "{title}\n{}\n\n",
                bounded(paths, MOST_FILES, |path| shown_path(path))
            );
        }
    }
    out
}

fn workflow(ledger: &Ledger) -> String {
    let is_test = |command: &str| {
        let mut words = command.split(|character: char| !character.is_alphanumeric());
        words.any(|word| TEST_WORDS.contains(&word))
    };
    let (tests, others): (Vec<_>, Vec<_>) = ledger
        .commands
        .iter()
        .cloned()
        .partition(|run| is_test(&run.command));
    let mut out = String::new();
    for (title, runs) in [("Tests and checks:", tests), ("Other commands:", others)] {
        if !runs.is_empty() {
            let list = bounded(&runs, MOST_COMMANDS, |run| {
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

fn failures(ledger: &Ledger) -> String {
    bounded(&ledger.failures, MOST_FAILURES, |failure| {
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

fn worklog(ledger: &Ledger) -> String {
    let mut out = String::new();
    let counts = [
        (ledger.instructions.len(), "instruction", "instructions"),
        (ledger.changed.len(), "file changed", "files changed"),
        (ledger.commands.len(), "command", "commands"),
        (ledger.failures.len(), "failed call", "failed calls"),
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
fn bounded<T>(items: &[T], most: usize, show: impl Fn(&T) -> String) -> String {
    let counter = Estimator::new();
    // Long items leave room for fewer of them.
    let mut room = MOST_LIST_TOKENS;
    let fits = |item: &&T| {
        let tokens = counter.count(&show(item)) + 1;
        room = room.saturating_sub(tokens);
        room > 0
    };
    let most = items.iter().rev().take(most).take_while(fits).count();
    let left_out = items.len().saturating_sub(most);
    let mut lines: Vec<String> = Vec::with_capacity(items.len().min(most) + 1);
    if left_out > 0 {
        lines.push(format!("- ({left_out} older ones left out)"));
    }
    lines.extend(items[left_out..].iter().map(show));
    lines.join("\n")
}

/// As a Markdown quote, so that headings and fences in the text stay text.
fn quote(text: &str) -> String {
    text.lines()
        .map(|line| format!("> {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn cut(text: &str, most_tokens: usize) -> String {
    let kept = Estimator::new().prefix(text, most_tokens);
    if kept.len() == text.len() {
        text.to_owned()
    } else {
        format!("{kept}\n[cut here]")
    }
}

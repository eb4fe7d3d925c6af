//! `memstrata scan`: credentials in files, folders and standard input.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memstrata::secret_scan::{Finding, Level, Ruleset, Scanner};

use crate::cli::{Format, Scan};
use crate::errors;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, counted};

mod files;
mod report;
mod sarif;

/// How much of a file is in memory at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Redaction needs the whole text at once; a larger input is refused rather than half redacted.
const MOST_REDACT_BYTES: u64 = 256 << 20;

/// The most findings that are kept of one input. A file with more is no text any more, and a scan
/// must not need memory for every one of them.
const MOST_FINDINGS: usize = 100_000;

/// What one input gave.
struct Scanned {
    /// The path as it may be shown.
    path: PathBuf,
    /// Whether a credential was taken out of it: a file can be named after one.
    is_path_redacted: bool,
    findings: Vec<Finding>,
}

/// The findings of one input, and whether there are more.
struct Found {
    findings: Vec<Finding>,
    is_cut: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Scan, speech: Speech) -> Result<Exit, Failure> {
    let ruleset = if arguments.all_rules {
        Ruleset::extended()
    } else {
        Ruleset::standard()
    };
    if arguments.list_rules {
        return list_rules(&ruleset, arguments.format, speech);
    }
    let scanner = Scanner::new(&ruleset);
    if arguments.redact {
        return redact(&scanner, &arguments.paths, speech);
    }
    let selected = files::select(&arguments.paths, arguments.no_ignore);
    let mut problems = selected.problems;
    let (outcomes, failed) = scan_all(&scanner, &selected.files, speech);
    problems.extend(failed);
    let problems: Vec<String> = problems
        .iter()
        .map(|problem| scanner.redact(problem).into_text())
        .collect();

    let format = if speech.json && arguments.format == Format::Text {
        Format::Json
    } else {
        arguments.format
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format {
        Format::Text => report::text(&mut out, &outcomes, speech)?,
        Format::Json => report::json(&mut out, &outcomes)?,
        Format::Sarif => sarif::write(&mut out, &outcomes, &problems, &ruleset)?,
    }
    out.flush()?;

    // What is not there is the person's to mend, not the machine's.
    let unread = if problems.len() == selected.missing {
        Exit::NotFound
    } else {
        Exit::InputOutput
    };
    for problem in &problems {
        // Said even under --quiet: an input that was not looked at is not a clean one.
        errors::say(unread, problem, speech.json);
    }
    let level = |level| {
        let findings = outcomes.iter().flat_map(|input| &input.findings);
        findings.filter(|finding| finding.level() == level).count()
    };
    let (found, hints) = (level(Level::Secret), level(Level::Advisory));
    if format == Format::Text {
        let hints = match hints {
            0 => String::new(),
            hints => format!(" and {}", counted(hints, "hint", "hints")),
        };
        speech.say(&format!(
            "{}{hints} in {}",
            counted(found, "credential", "credentials"),
            counted(selected.files.len(), "file", "files"),
        ));
    }
    // A hint is worth a look, not a failed build.
    let names = outcomes.iter().filter(|input| input.is_path_redacted);
    Ok(match (found + names.count(), problems.len()) {
        (1.., _) => Exit::Found,
        (0, 0) => Exit::Done,
        (0, _) => unread,
    })
}

/// Scans all inputs on all cores; results keep the order of the inputs, so that output is stable.
fn scan_all(scanner: &Scanner, files: &[PathBuf], speech: Speech) -> (Vec<Scanned>, Vec<String>) {
    let progress = progress_bar(files, speech);
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(files.len().max(1));
    let mut results: Vec<(usize, io::Result<Found>)> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            let mut buffer = vec![0; CHUNK_BYTES];
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(path) = files.get(index) else {
                    break done;
                };
                done.push((index, scan_one(scanner, path, &mut buffer, &progress)));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = handles.into_iter().map(|handle| match handle.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    });
    progress.finish_and_clear();
    results.sort_unstable_by_key(|(index, _)| *index);
    let mut outcomes = Vec::new();
    let mut problems = Vec::new();
    for (index, result) in results {
        let (path, is_path_redacted) = shown(scanner, &files[index]);
        if is_path_redacted {
            problems.push(format!("the name of {} holds a credential", path.display()));
        }
        match result {
            Ok(found) => {
                if found.is_cut {
                    problems.push(format!(
                        "{} holds more than {MOST_FINDINGS} credentials, the rest is not listed",
                        path.display()
                    ));
                }
                outcomes.push(Scanned {
                    path,
                    is_path_redacted,
                    findings: found.findings,
                });
            }
            Err(error) => problems.push(format!("cannot read {}: {error}", path.display())),
        }
    }
    (outcomes, problems)
}

/// A path without the credentials in it, and whether there were any. Most paths stay what they are, also where they are not UTF-8.
fn shown(scanner: &Scanner, path: &Path) -> (PathBuf, bool) {
    let text = path.to_string_lossy();
    if scanner.contains_secret(text.as_bytes()) {
        (PathBuf::from(scanner.redact(&text).into_text()), true)
    } else {
        (path.to_owned(), false)
    }
}

fn scan_one(
    scanner: &Scanner,
    path: &Path,
    buffer: &mut [u8],
    progress: &ProgressBar,
) -> io::Result<Found> {
    if files::is_standard_input(path) {
        scan_stream(scanner, &mut io::stdin().lock(), buffer, progress)
    } else {
        scan_stream(scanner, &mut files::open(path)?, buffer, progress)
    }
}

/// Reads in chunks, so that a file of any size needs the same memory.
fn scan_stream(
    scanner: &Scanner,
    input: &mut dyn Read,
    buffer: &mut [u8],
    progress: &ProgressBar,
) -> io::Result<Found> {
    let mut length = fill(input, buffer)?;
    progress.inc(length as u64);
    if length < buffer.len() {
        return Ok(Found {
            findings: scanner.scan(&buffer[..length]),
            is_cut: false,
        });
    }
    let mut stream = scanner.stream();
    let mut findings = Vec::new();
    while length > 0 && findings.len() <= MOST_FINDINGS {
        stream.push(&buffer[..length]);
        findings.extend(stream.take_findings());
        length = fill(input, buffer)?;
        progress.inc(length as u64);
    }
    findings.extend(stream.finish());
    let is_cut = findings.len() > MOST_FINDINGS;
    findings.truncate(MOST_FINDINGS);
    Ok(Found { findings, is_cut })
}

fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match input.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// A bar that appears only for a person and only when there is enough to wait for.
fn progress_bar(files: &[PathBuf], speech: Speech) -> ProgressBar {
    const WORTH_SHOWING: u64 = 64 << 20;
    if !speech.shows_progress() {
        return ProgressBar::hidden();
    }
    // Of a file that cannot be asked, the size does not matter.
    let sizes = files.iter().filter_map(|path| std::fs::metadata(path).ok());
    let total: u64 = sizes.map(|metadata| metadata.len()).sum();
    if total < WORTH_SHOWING {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template = "{bar:30} {bytes} of {total_bytes}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Prints one text with its credentials replaced.
fn redact(scanner: &Scanner, paths: &[PathBuf], speech: Speech) -> Result<Exit, Failure> {
    let [path] = paths else {
        return Err(Failure::new(
            Exit::Usage,
            "--redact takes one file, or `-` for standard input",
        ));
    };
    let mut text = Vec::new();
    let mut input: Box<dyn Read> = if files::is_standard_input(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(files::open(path).map_err(|error| cannot_read(path, error))?)
    };
    let read = input
        .by_ref()
        .take(MOST_REDACT_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(|error| cannot_read(path, error))?;
    if read as u64 > MOST_REDACT_BYTES {
        return Err(Failure::new(
            Exit::InputOutput,
            format!(
                "{} is larger than {} MiB, split it first",
                path.display(),
                MOST_REDACT_BYTES >> 20
            ),
        ));
    }
    let found = scanner.contains_secret(&text);
    io::stdout().write_all(&scanner.redact_bytes(&text))?;
    speech.say(if found {
        "credentials were replaced"
    } else {
        "nothing to replace"
    });
    Ok(if found { Exit::Found } else { Exit::Done })
}

fn cannot_read(path: &Path, error: io::Error) -> Failure {
    let shown = format!("cannot read {}", path.display());
    let exit = match error.kind() {
        io::ErrorKind::NotFound => Exit::NotFound,
        _ => Exit::InputOutput,
    };
    Failure {
        exit,
        error: anyhow::Error::new(error).context(shown),
    }
}

/// Prints the rules: what each finds and an invented example.
fn list_rules(ruleset: &Ruleset, format: Format, speech: Speech) -> Result<Exit, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for rule in ruleset.rules() {
        if speech.json || format == Format::Json {
            // Several patterns of a rule may share a label.
            let labels: BTreeSet<&str> = rule.labels().collect();
            let line = serde_json::json!({
                "rule": rule.id(), "labels": labels, "description": rule.description(),
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "{}  {}",
                speech.paint(Style::Bold, rule.id()),
                rule.description()
            )?;
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

//! `memstrata scan`: credentials in files, folders and standard input.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memstrata::secret_scan::{Finding, Ruleset, Scanner};

use crate::cli::{Format, Scan};
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean};

mod files;
mod report;
mod sarif;

/// How much of a file is in memory at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// Redaction needs the whole text at once; a larger input is refused rather than half redacted.
const MOST_REDACT_BYTES: u64 = 256 << 20;

/// What one input gave.
struct Scanned {
    path: PathBuf,
    findings: Vec<Finding>,
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

    let format = if speech.json && arguments.format == Format::Text {
        Format::Json
    } else {
        arguments.format
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format {
        Format::Text => report::text(&mut out, &outcomes, speech)?,
        Format::Json => report::json(&mut out, &outcomes)?,
        Format::Sarif => sarif::write(&mut out, &outcomes, &ruleset)?,
    }
    out.flush()?;

    for problem in &problems {
        // Said even under --quiet: an input that was not looked at is not a clean one.
        writeln!(io::stderr(), "memstrata: {}", clean(problem))?;
    }
    let found: usize = outcomes.iter().map(|input| input.findings.len()).sum();
    if format == Format::Text {
        let inputs = selected.files.len();
        speech.say(&format!(
            "{} in {}",
            counted(found, "credential", "credentials"),
            counted(inputs, "input", "inputs"),
        ));
    }
    Ok(match (found, problems.is_empty()) {
        (1.., _) => Exit::Found,
        (0, true) => Exit::Done,
        (0, false) => Exit::InputOutput,
    })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Scans all inputs on all cores; results keep the order of the inputs, so that output is stable.
fn scan_all(scanner: &Scanner, files: &[PathBuf], speech: Speech) -> (Vec<Scanned>, Vec<String>) {
    let progress = progress_bar(files.len(), speech);
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(files.len().max(1));
    let mut results: Vec<(usize, io::Result<Vec<Finding>>)> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            let mut buffer = vec![0; CHUNK_BYTES];
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(path) = files.get(index) else {
                    break done;
                };
                done.push((index, scan_one(scanner, path, &mut buffer)));
                progress.inc(1);
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
        let path = files[index].clone();
        match result {
            Ok(findings) => outcomes.push(Scanned { path, findings }),
            Err(error) => problems.push(format!("cannot read {}: {error}", path.display())),
        }
    }
    (outcomes, problems)
}

fn scan_one(scanner: &Scanner, path: &Path, buffer: &mut [u8]) -> io::Result<Vec<Finding>> {
    if files::is_standard_input(path) {
        scan_stream(scanner, &mut io::stdin().lock(), buffer)
    } else {
        scan_stream(scanner, &mut files::open(path)?, buffer)
    }
}

/// Reads in chunks, so that a file of any size needs the same memory.
fn scan_stream(
    scanner: &Scanner,
    input: &mut dyn Read,
    buffer: &mut [u8],
) -> io::Result<Vec<Finding>> {
    let first = fill(input, buffer)?;
    if first < buffer.len() {
        return Ok(scanner.scan(&buffer[..first]));
    }
    let mut stream = scanner.stream();
    let mut length = first;
    while length > 0 {
        stream.push(&buffer[..length]);
        length = fill(input, buffer)?;
    }
    Ok(stream.finish())
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
fn progress_bar(inputs: usize, speech: Speech) -> ProgressBar {
    const WORTH_SHOWING: usize = 200;
    if !speech.shows_progress() || inputs < WORTH_SHOWING {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(inputs as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {eta} left") {
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
    Failure {
        exit: Exit::InputOutput,
        error: anyhow::Error::new(error).context(shown),
    }
}

/// Prints the rules: what each finds and an invented example.
fn list_rules(ruleset: &Ruleset, format: Format, speech: Speech) -> Result<Exit, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for rule in ruleset.rules() {
        if speech.json || format == Format::Json {
            let line = serde_json::json!({
                "rule": rule.id(), "labels": rule.labels().collect::<Vec<_>>(), "description": rule.description(),
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

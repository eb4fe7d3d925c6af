//! What a source file must and must not say.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process::root;

/// Members that take clock and environment as arguments.
const NO_AMBIENT: &[&str] = &[
    "pathguard",
    "secret-scan",
    "token-count",
    "memdir",
    "recall",
    "transcript",
];

/// A file longer than this hides things; tests and tables are counted out by their folders.
const MOST_LINES: usize = 600;

/// Words that no source holds, with the reason. Split, so that this file does not hold them either.
const FORBIDDEN: &[(&[&str], &str)] = &[
    (&["#[igno", "re"], "a test that does not run proves nothing"),
    (&["#[should_", "panic"], "assert the error instead"),
    (&["dbg", "!("], "left from debugging"),
    (&["todo", "!("], "unfinished"),
    (&["unsafe", " {"], "forbidden in the workspace"),
];

/// Ways to reach clock and environment.
const AMBIENT: &[&str] = &[
    "SystemTime::now",
    "Instant::now",
    "env::var",
    "env::vars",
    "env::current_dir",
    "env::home_dir",
    "env::temp_dir",
    "Timestamp::now",
    "Zoned::now",
];

/// Returns a sentence for each rule that a file breaks.
pub(super) fn check() -> Result<Vec<String>> {
    let root = root();
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut violations = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let shown = file.strip_prefix(&root).unwrap_or(&file);
        check_file(shown, &text, &mut violations);
    }
    Ok(violations)
}

fn check_file(shown: &Path, text: &str, violations: &mut Vec<String>) {
    let mut say = |line: usize, what: &str| {
        violations.push(format!("{}:{line}: {what}", shown.display()));
    };
    let mut lines = text.lines();
    let opens = lines.next().unwrap_or_default();
    if !(opens.starts_with("//! ") || opens == "#![no_main]" || opens.starts_with("#!/")) {
        say(
            1,
            "a file opens with a `//!` sentence that says what it holds",
        );
    }
    let folder = shown
        .components()
        .next()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let is_source = shown.components().any(|part| part.as_os_str() == "src");
    let is_fuzz = shown.components().any(|part| part.as_os_str() == "fuzz");
    let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    if is_source && production.lines().count() > MOST_LINES {
        say(
            production.lines().count(),
            "the file is too long: split it by what a reader looks for",
        );
    }
    for (words, reason) in FORBIDDEN {
        let word = words.concat();
        for (number, _) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains(&word))
        {
            say(number + 1, &format!("`{word}`: {reason}"));
        }
    }
    let ambient = folder.is_some_and(|folder| NO_AMBIENT.contains(&folder.as_str()));
    if ambient && is_source && !is_fuzz {
        for (number, line) in production.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = AMBIENT.iter().find(|word| code.contains(**word)) {
                say(
                    number + 1,
                    &format!("`{word}`: clock and environment come in as arguments"),
                );
            }
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && !name.starts_with("target") {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && name.ends_with(".rs") {
            files.push(entry.path());
        }
    }
    Ok(())
}

//! The first thing a newcomer sees: a recorded session goes through the program, and a folder of notes.
//!
//! The notes stand in `testdata/scan-demo` with their credentials taken apart (`{{a+b}}`), because a
//! repository that warns about leaked secrets must not hold any, not even invented ones. They are put
//! together below `target/demo`, which git ignores, and so is the home in which memories are saved.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, root};

/// What the demo shows, in order: a sentence, the arguments, and the exit codes that are right.
const STEPS: &[(&str, &[&str], &[i32])] = &[
    (
        "A recorded session: what is worth remembering, by rules, without a model",
        &["extract", "testdata/session-demo/checkout.jsonl"],
        &[0],
    ),
    ("The memories, as plain Markdown", &["list"], &[0]),
    (
        "One of them comes back when it matters",
        &[
            "recall",
            "how should the integration tests talk to the database?",
        ],
        &[0],
    ),
    (
        "Why it was remembered",
        &["explain", "--session", "demo-session"],
        &[0],
    ),
    (
        "The session file: what a compaction must not forget",
        &["session", "update", "testdata/session-demo/checkout.jsonl"],
        &[0],
    ),
    (
        "",
        &["session", "show", "testdata/session-demo/checkout.jsonl"],
        &[0],
    ),
    (
        "Credentials in a folder of notes (all of them invented): plain, percent-escaped, parted by a line end",
        &["scan", "target/demo/notes"],
        // 1 is the program's word for "looked and found something".
        &[1],
    ),
];

/// Builds the program and shows what it does with sample data.
pub(crate) fn run_demo() -> Result<()> {
    let folder = root().join("target/demo");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    assemble_notes(&folder.join("notes"))?;
    let home = folder.join("home");
    std::fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
    eprintln!("building the program; the first time this takes some minutes");
    for (title, arguments, right) in STEPS {
        if !title.is_empty() {
            println!("\n== {title}");
        }
        println!("$ memstrata {}", arguments.join(" "));
        let mut command = cargo(&["run", "--release", "--quiet", "-p", "memstrata-cli", "--"]);
        command.current_dir(root()).arg("--home").arg(&home);
        command.args(["--project", "."]).args(*arguments);
        let status = command.status().context("cargo cannot be started")?;
        if !status.code().is_some_and(|code| right.contains(&code)) {
            bail!("`memstrata {}` ended with {status}", arguments.join(" "));
        }
    }
    println!("\nAll of this lies below target/demo; your own memories were not touched.");
    Ok(())
}

/// Writes the notes with their credentials put together.
fn assemble_notes(to: &Path) -> Result<()> {
    let from = root().join("testdata/scan-demo");
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let entries =
        std::fs::read_dir(&from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let text = std::fs::read_to_string(entry.path())?;
        std::fs::write(to.join(entry.file_name()), assemble(&text))?;
    }
    Ok(())
}

/// Joins each `{{part+part}}` of a text.
fn assemble(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((parts, behind)) = after.split_once("}}") else {
            break;
        };
        out.push_str(before);
        out.extend(parts.split('+'));
        rest = behind;
    }
    out.push_str(rest);
    out
}

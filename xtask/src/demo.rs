//! The first thing a newcomer sees: recorded sessions go through the program, and a folder of notes.
//!
//! Sessions and notes stand in `testdata` with their credentials taken apart (`{{a+b}}`), because a repository
//! that warns about leaked secrets must not hold any, not even invented ones. They are put together below
//! `target/demo`, which git ignores, and so is the home in which memories are kept.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, root, run};

/// What the demo shows, in order: a sentence, the arguments, and the exit codes that are right.
const STEPS: &[(&str, &[&str], &[i32])] = &[
    (
        "Three recorded sessions of one project: what a memory would have done in them, by rules, without a model",
        &[
            "replay",
            "target/demo/sessions/1-expiry-alerts.jsonl",
            "target/demo/sessions/2-alert-count.jsonl",
            "target/demo/sessions/3-codex-old-lots.jsonl",
            "--team",
            "testdata/sessions/team",
            "--keep=target/demo/home",
        ],
        &[0],
    ),
    (
        "One of the memories, as plain Markdown",
        &["show", "Don't mock the database in tests"],
        &[0],
    ),
    (
        "Why another one is there, when it came back, and what no longer holds of it",
        &[
            "explain",
            "Always start the test database with make test-db",
        ],
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
    assemble_files("testdata/scan-demo", &folder.join("notes"))?;
    assemble_files("testdata/sessions", &folder.join("sessions"))?;
    copy_project("testdata/sessions/larder", &folder.join("larder"))?;
    eprintln!("building the program; the first time this takes some minutes");
    for (title, arguments, right) in STEPS {
        println!("\n== {title}");
        println!("$ memstrata {}", shown(arguments));
        let mut command = cargo(&["run", "--quiet", "-p", "memstrata-cli", "--"]);
        command.args(["--home", "target/demo/home"]);
        command.args(["--project", "target/demo/larder"]);
        command.args(*arguments);
        let status = command.status().context("cargo cannot be started")?;
        if !status.code().is_some_and(|code| right.contains(&code)) {
            bail!("`memstrata {}` ended with {status}", arguments.join(" "));
        }
    }
    println!(
        "\nAll of this lies below target/demo; your own memories were not touched.\n\
         `cargo install --path cli` installs the program; `memstrata setup AGENT` plugs it into an agent."
    );
    Ok(())
}

/// The arguments as a shell takes them.
fn shown(arguments: &[&str]) -> String {
    let quoted = |word: &&str| {
        if word.contains([' ', '\'']) {
            format!("\"{word}\"")
        } else {
            (*word).to_owned()
        }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Writes the files of a folder with their credentials put together.
fn assemble_files(from: &str, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let from = root().join(from);
    let entries =
        std::fs::read_dir(&from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let text = std::fs::read_to_string(entry.path())?;
            std::fs::write(to.join(entry.file_name()), assemble(&text))?;
        }
    }
    Ok(())
}

/// Copies the project and makes it a repository of its own: inside of this one it would be a part of it.
fn copy_project(from: &str, to: &Path) -> Result<()> {
    copy_folder(&root().join(from), to)?;
    run(Command::new("git").args(["init", "--quiet"]).arg(to))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in
        std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?
    {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// Joins each `{{part+part}}` of a text.
fn assemble(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let parts = after
            .split_once("}}")
            .filter(|(parts, _)| is_in_parts(parts));
        out.push_str(before);
        if let Some((parts, behind)) = parts {
            out.extend(parts.split('+'));
            rest = behind;
        } else {
            // Other text in braces, such as a format string of a program.
            out.push_str("{{");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn is_in_parts(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    text.contains('+') && text.bytes().all(is_plain) && text.len() < 200
}

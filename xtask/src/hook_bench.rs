//! What a hook costs: whole processes, from start to end, beside the cheapest ones there are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::process::{cargo, output, root, run};

/// Runs of each row; the rows take turns, so that a busy moment hits all of them.
const RUNS: usize = 41;

/// Memories in the folder.
const MEMORIES: usize = 1_000;

/// A row of the table.
struct Row {
    name: &'static str,
    /// What the specification allows, in milliseconds.
    limit: Option<u32>,
    command: fn(&Places) -> Command,
    /// The call on standard input; the number makes sessions differ.
    call: fn(&Places, usize) -> String,
}

/// Where everything lies.
struct Places {
    folder: PathBuf,
    program: PathBuf,
    empty: PathBuf,
    project: PathBuf,
    memory: PathBuf,
}

/// Prints the medians of hook processes beside an empty Rust program and an empty Node program.
pub(crate) fn run_task() -> Result<()> {
    let places = prepare()?;
    let rows = [
        Row {
            name: "empty Rust program",
            limit: None,
            command: |places| Command::new(&places.empty),
            call: |_, _| String::new(),
        },
        Row {
            name: "node -e 0",
            limit: None,
            command: |_| {
                let mut command = Command::new("node");
                command.args(["-e", "0"]);
                command
            },
            call: |_, _| String::new(),
        },
        Row {
            name: "PreToolUse, a file of the project",
            limit: Some(15),
            command: hook,
            call: |places, number| write_call(number, &places.project.join("src/lib.rs")),
        },
        Row {
            name: "PreToolUse, a memory",
            limit: Some(15),
            command: hook,
            call: |places, number| write_call(number, &places.memory.join("project_new.md")),
        },
        Row {
            name: "PreToolUse, a shell command",
            limit: Some(15),
            command: hook,
            call: |places, number| {
                let input = json!({"command": "cargo test --workspace 2>&1 | tail -20"});
                call(
                    places,
                    number,
                    "PreToolUse",
                    json!({"tool_name": "Bash", "tool_input": input}),
                )
            },
        },
        Row {
            name: "UserPromptSubmit, recall over 1,000 memories",
            limit: Some(60),
            command: hook,
            call: |places, number| {
                let prompt = format!(
                    "how does the {} retry the {}?",
                    word(number * 7),
                    word(number * 3)
                );
                call(
                    places,
                    number,
                    "UserPromptSubmit",
                    json!({"prompt": prompt}),
                )
            },
        },
        Row {
            name: "SessionEnd, with the start of a worker",
            limit: None,
            command: hook,
            call: |places, number| call(places, number, "SessionEnd", json!({"reason": "other"})),
        },
    ];
    let mut times: Vec<Vec<Duration>> = rows.iter().map(|_| Vec::new()).collect();
    let mut recalled = 0;
    for number in 0..=RUNS {
        for (row, times) in rows.iter().zip(&mut times) {
            let Some((time, out)) = measure(row, &places, number)? else {
                continue;
            };
            recalled += usize::from(out.contains("additionalContext"));
            // The first run fills caches.
            if number > 0 {
                times.push(time);
            }
        }
    }
    println!("median of {RUNS} processes, {MEMORIES} memories; {recalled} answers with memories\n");
    println!(
        "{:<48} {:>9} {:>9} {:>7}",
        "", "median ms", "worst ms", "limit"
    );
    for (row, mut times) in rows.iter().zip(times) {
        times.sort();
        let limit = row.limit.map_or(String::new(), |limit| limit.to_string());
        match (times.get(times.len() / 2), times.last()) {
            (Some(median), Some(worst)) => println!(
                "{:<48} {:>9.2} {:>9.2} {limit:>7}",
                row.name,
                median.as_secs_f64() * 1e3,
                worst.as_secs_f64() * 1e3
            ),
            _ => println!("{:<48} not installed here", row.name),
        }
    }
    std::fs::remove_dir_all(&places.folder).context("cannot remove the folder of the bench")
}

/// Builds the programs and a home with memories.
fn prepare() -> Result<Places> {
    run(&mut cargo(&[
        "build",
        "--release",
        "--quiet",
        "-p",
        "memstrata-cli",
    ]))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = target.join("bench-hook");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let project = folder.join("project");
    std::fs::create_dir_all(project.join("src"))?;
    let source = folder.join("empty.rs");
    std::fs::write(&source, "fn main() {}\n")?;
    let name = format!("empty{}", std::env::consts::EXE_SUFFIX);
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    run(Command::new(compiler)
        .arg("-O")
        .arg("-o")
        .arg(folder.join(&name))
        .arg(&source))?;
    let mut places = Places {
        program: target
            .join("release")
            .join(format!("memstrata{}", std::env::consts::EXE_SUFFIX)),
        empty: folder.join(name),
        memory: PathBuf::new(),
        project,
        folder,
    };
    let place: Value = serde_json::from_str(&output(program(&places).args(["--json", "where"]))?)?;
    places.memory = PathBuf::from(place["memory_dir"].as_str().context("no memory folder")?);
    std::fs::create_dir_all(&places.memory)?;
    for number in 0..MEMORIES {
        let (a, b, c) = (word(number), word(number * 7 + 1), word(number * 13 + 5));
        let text = format!(
            "---\nname: The {a} {number} retries the {b}\ndescription: how the {a} treats the {b} and the {c}\n\
             type: project\n---\n\nThe {a} retries the {b} three times with jitter, because the {c} is slow.\n\n\
             **Why:** an outage of the {c}.\n**How to apply:** in `src/{a}.rs`, number {number}.\n"
        );
        std::fs::write(places.memory.join(format!("project_{a}_{number}.md")), text)?;
    }
    run(program(&places)
        .args(["--quiet", "index", "--rebuild"])
        .stdout(Stdio::null()))?;
    Ok(places)
}

fn program(places: &Places) -> Command {
    let mut command = Command::new(&places.program);
    command
        .current_dir(&places.project)
        .env_clear()
        .env("HOME", &places.folder)
        .env("USERPROFILE", &places.folder);
    command
}

fn hook(places: &Places) -> Command {
    let mut command = program(places);
    command.args(["hook", "claude-code"]);
    command
}

/// Runs one process; `None` when the program is not installed.
fn measure(row: &Row, places: &Places, number: usize) -> Result<Option<(Duration, String)>> {
    let call = (row.call)(places, number);
    let mut command = (row.command)(places);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let begin = Instant::now();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot start: {}", row.name)),
    };
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input has closed it.
        let _ = stdin.write_all(call.as_bytes());
    }
    let output = child.wait_with_output()?;
    let time = begin.elapsed();
    if !output.status.success() {
        bail!("{} ended with {}", row.name, output.status);
    }
    Ok(Some((
        time,
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )))
}

fn call(places: &Places, number: usize, event: &str, extra: Value) -> String {
    let mut call = json!({
        "session_id": format!("bench-{number}"),
        "transcript_path": places.folder.join("none.jsonl"),
        "cwd": places.project,
        "hook_event_name": event,
        "tool_use_id": format!("toolu-{number}"),
    });
    if let (Some(call), Value::Object(extra)) = (call.as_object_mut(), extra) {
        call.extend(extra);
    }
    call.to_string()
}

fn write_call(number: usize, path: &Path) -> String {
    let places = Places {
        folder: PathBuf::new(),
        program: PathBuf::new(),
        empty: PathBuf::new(),
        project: path.parent().unwrap_or(path).to_owned(),
        memory: PathBuf::new(),
    };
    let content = "---\nname: New\ndescription: new\ntype: project\n---\n\nText.\n";
    let input = json!({"file_path": path, "content": content});
    call(
        &places,
        number,
        "PreToolUse",
        json!({"tool_name": "Write", "tool_input": input}),
    )
}

/// A word for a number: two syllables and one of a hundred nouns.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu"];
    const NOUNS: [&str; 10] = [
        "gateway",
        "importer",
        "scheduler",
        "ledger",
        "crawler",
        "cache",
        "router",
        "parser",
        "exporter",
        "index",
    ];
    let (a, b) = (number / 100 % 10, number / 10 % 10);
    format!("{}{}{}", SYLLABLES[a], SYLLABLES[b], NOUNS[number % 10])
}

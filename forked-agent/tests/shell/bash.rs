//! Third opinion: bash, which runs the same commands with programs that only say how they were called.
//!
//! Both sides run in a process of an unprivileged user, in a temporary folder, with nothing but those
//! programs to be found.

use std::path::{Path, PathBuf};
use std::process::Command;

use forked_agent::shell::{RunOptions, Scope, vet};

use super::allowed::ALLOWED;
use super::generate::{Numbers, command};
use crate::sandbox::{as_nobody, script};

/// Allowed commands in an ordinary run; `FORKED_AGENT_DIFFERENTIAL` sets another number.
const COMMANDS: usize = 300;

/// Says how it was called: where its errors go, whether it has input, its name, its arguments. It
/// succeeds when the number of arguments is even, so that `&&` and `||` both matter.
const STUB: &str = "#!/bin/sh
errors=apart
[ /dev/fd/2 -ef /dev/fd/1 ] && errors=out
[ /dev/fd/2 -ef /dev/null ] && errors=null
input=fed
[ /dev/fd/0 -ef /dev/null ] && input=none
printf '%s\\001' \"$errors\" \"$input\" \"${0##*/}\" \"$@\" '\u{2}' >>\"${0%/*}/log\"
exit $(($# % 2))
";

/// Reads commands from a file, NUL behind each, and runs them one by one.
const DRIVER: &str = "
while IFS= read -r -d '' -u 3 command; do
    eval \"$command\" </dev/null >>\"$1/stdout\" 2>>\"$1/stderr\"
    printf '\\003' >>\"$1/log\"
done 3<\"$1/commands\"
";

#[test]
fn bash_starts_the_same_programs_with_the_same_arguments() {
    as_nobody(
        "shell::bash::bash_starts_the_same_programs_with_the_same_arguments",
        |folder| {
            let count = std::env::var(crate::COUNT).map_or(COMMANDS, |text| text.parse().unwrap());
            let work = work_folder(folder);
            let ours = programs(&folder.join("ours"));
            let theirs = programs(&folder.join("theirs"));
            let scope = Scope::new(&work).everywhere();

            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let mut options = RunOptions::default();
            options.program_folders = vec![ours.clone()];
            let mut commands: Vec<String> = Vec::new();
            let mut numbers = Numbers(2);
            let (mut made, table) = (0, ALLOWED.len());
            let mut candidates = ALLOWED.iter().map(|(command, _)| (*command).to_owned());
            while commands.len() < count.max(table) {
                let command = candidates.next().unwrap_or_else(|| command(&mut numbers));
                made += 1;
                assert!(
                    made < count * 40 + table,
                    "only {} of {made} are allowed",
                    commands.len()
                );
                let Ok(ready) = vet(&command, &scope).and_then(|script| script.prepare(&scope))
                else {
                    continue;
                };
                let output = runtime.block_on(ready.run(&options)).unwrap();
                assert_eq!(output.stderr, b"", "{command:?}");
                append(&ours.join("log"), b"\x03");
                commands.push(command);
            }

            let list: Vec<u8> = commands
                .iter()
                .flat_map(|command| command.bytes().chain([0]))
                .collect();
            std::fs::write(theirs.join("commands"), list).unwrap();
            let status = Command::new("/bin/bash")
                .args(["--noprofile", "--norc", "-c", DRIVER, "bash"])
                .arg(&theirs)
                .current_dir(&work)
                .env_clear()
                .env("PATH", &theirs)
                .env("LC_ALL", "C.UTF-8")
                .status()
                .unwrap();
            assert!(status.success());

            let (ours, theirs) = (read(&ours), read(&theirs));
            assert_eq!(ours.len(), theirs.len());
            let differ: Vec<String> = commands
                .iter()
                .zip(ours.iter().zip(&theirs))
                .filter(|(_, (ours, theirs))| ours != theirs)
                .map(|(command, (ours, theirs))| {
                    format!("{command:?}\n  we   {ours:?}\n  bash {theirs:?}")
                })
                .collect();
            let shown = &differ[..differ.len().min(20)];
            assert!(
                differ.is_empty(),
                "{} of {} differ:\n{}",
                differ.len(),
                commands.len(),
                shown.join("\n")
            );
            println!(
                "{} allowed commands of {made} compared with bash, 0 differ",
                commands.len()
            );
        },
    );
}

/// A folder whose names make patterns interesting.
fn work_folder(folder: &Path) -> PathBuf {
    let work = folder.join("work");
    std::fs::create_dir_all(work.join("src")).unwrap();
    for name in [
        "a",
        "b",
        "ab",
        "c",
        "notes.md",
        "notes-1.md",
        ".hidden",
        "-x",
        "x y",
        "记忆",
        "2",
        "it's",
        "*",
        "A",
        "src/a",
        "src/mod.rs",
        "src/.b",
    ] {
        std::fs::write(work.join(name), "").unwrap();
    }
    work
}

fn programs(folder: &Path) -> PathBuf {
    std::fs::create_dir(folder).unwrap();
    for program in forked_agent::shell::Program::ALL {
        script(&folder.join(program.name()), STUB);
    }
    folder.to_owned()
}

fn append(path: &Path, bytes: &[u8]) {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options
        .append(true)
        .create(true)
        .open(path)
        .unwrap()
        .write_all(bytes)
        .unwrap();
}

/// Returns what each command started; programs of one pipeline run at the same time, so their order is
/// not compared.
fn read(folder: &Path) -> Vec<Vec<String>> {
    let log = String::from_utf8(std::fs::read(folder.join("log")).unwrap()).unwrap();
    log.split_terminator('\u{3}')
        .map(|command| {
            let mut calls: Vec<String> = command
                .split_terminator("\u{2}\u{1}")
                // The one wanted difference: a found name never looks like an option.
                .map(|call| call.replace("\u{1}./-", "\u{1}-").replace('\u{1}', "|"))
                .collect();
            calls.sort();
            calls
        })
        .collect()
}

//! Real runs: with the machine's programs, and with programs that misbehave.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use forked_agent::ErrorKind;
use forked_agent::shell::{Ended, RunOptions, RunOutput, Scope, vet};

use crate::sandbox::{as_nobody, script};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

fn run_with(folder: &Path, command: &str, options: &RunOptions) -> RunOutput {
    let scope = Scope::new(folder);
    let ready = vet(command, &scope).unwrap().prepare(&scope).unwrap();
    block_on(ready.run(options)).unwrap()
}

fn run(folder: &Path, command: &str) -> RunOutput {
    run_with(folder, command, &RunOptions::default())
}

/// Options under which `name` is the given script and nothing else is installed.
fn only(folder: &Path, name: &str, text: &str) -> RunOptions {
    let programs = folder.join("programs");
    std::fs::create_dir(&programs).unwrap();
    script(&programs.join(name), text);
    let mut options = RunOptions::default();
    options.program_folders = vec![programs];
    options
}

#[test]
fn output_is_what_bash_prints_for_the_same_command() {
    as_nobody(
        "shell::run::output_is_what_bash_prints_for_the_same_command",
        |folder| {
            std::fs::create_dir(folder.join("src")).unwrap();
            std::fs::write(folder.join("a.md"), "one\ntwo\nthree\n").unwrap();
            std::fs::write(folder.join("b.md"), "two\n记忆\n").unwrap();
            std::fs::write(folder.join("src/x y.rs"), "fn main() {}\n").unwrap();
            std::fs::write(folder.join("-n"), "dash\n").unwrap();
            for command in [
                "ls",
                "ls -1 src",
                "ls *.md",
                "cat a.md b.md",
                "cat 'src/x y.rs'",
                "cat -- -n",
                "cat a.md | head -n 1",
                "cat a.md | grep -n two | wc -l",
                "grep -c two *.md",
                "grep -rn 'fn main' .",
                "grep 记忆 b.md && ls src || ls missing",
                "grep none a.md || head -1 b.md",
                "ls missing 2>/dev/null || ls src",
                "ls missing 2>&1 | wc -l",
                "find . -name '*.md' -type f | wc -l",
                "find . -maxdepth 1 -name 'a*'",
                "stat -c '%s %n' a.md",
                "tail -n +2 a.md; tail -n 1 b.md",
                "wc -l a.md b.md",
                "head -c 3 a.md",
            ] {
                let ours = run(folder, command);
                let theirs = std::process::Command::new("/bin/bash")
                    .args(["--noprofile", "--norc", "-c", command])
                    .current_dir(folder)
                    .env_clear()
                    .env("PATH", "/usr/bin:/bin")
                    .env("LC_ALL", "C.UTF-8")
                    .stdin(std::process::Stdio::null())
                    .output()
                    .unwrap();
                assert_eq!(
                    (String::from_utf8_lossy(&ours.stdout), ours.code),
                    (
                        String::from_utf8_lossy(&theirs.stdout),
                        theirs.status.code()
                    ),
                    "{command}"
                );
                assert_eq!(ours.stderr, theirs.stderr, "{command}");
                assert_eq!(ours.ended, Ended::Finished, "{command}");
            }
        },
    );
}

#[test]
fn a_program_gets_no_environment_but_path_and_locale() {
    as_nobody(
        "shell::run::a_program_gets_no_environment_but_path_and_locale",
        |folder| {
            let options = only(folder, "ls", "#!/bin/sh\n/usr/bin/env\n");
            let text = String::from_utf8(run_with(folder, "ls", &options).stdout).unwrap();
            // A shell that is started without it sets its own working folder.
            let mut lines: Vec<&str> = text
                .lines()
                .filter(|line| !line.starts_with("PWD="))
                .collect();
            lines.sort_unstable();
            let path = format!("PATH={}", folder.join("programs").display());
            assert_eq!(lines, ["LC_ALL=C.UTF-8", &path]);
        },
    );
}

#[test]
fn a_program_that_is_missing_is_an_error_and_not_looked_for_elsewhere() {
    as_nobody(
        "shell::run::a_program_that_is_missing_is_an_error_and_not_looked_for_elsewhere",
        |folder| {
            let options = only(folder, "ls", "#!/bin/sh\n");
            // Not in the current folder either.
            script(&folder.join("wc"), "#!/bin/sh\ntouch ran\n");
            let scope = Scope::new(folder);
            let ready = vet("wc ls", &scope).unwrap().prepare(&scope).unwrap();
            let error = block_on(ready.run(&options)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ProgramMissing);
            assert_eq!(error.to_string(), "`wc` is not installed");
            assert!(!folder.join("ran").exists());
        },
    );
}

/// Starts a child that outlives it unless the whole group is ended, and says its number.
const LINGER: &str = "#!/bin/sh\n/bin/sleep 1000 &\necho $! >child\necho started\nwait\n";

/// Returns whether the process whose number is in the file is there and no zombie.
fn lives(folder: &Path) -> bool {
    let number = std::fs::read_to_string(folder.join("child")).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{}/stat", number.trim()));
    state.is_ok_and(|text| !text.contains(") Z "))
}

/// Waits until the process is gone; a kill is delivered soon but not at once.
fn assert_ends(folder: &Path) {
    let limit = std::time::Instant::now() + Duration::from_secs(20);
    while lives(folder) {
        assert!(std::time::Instant::now() < limit, "the child still runs");
        std::thread::yield_now();
    }
}

#[test]
fn the_time_limit_ends_a_program_and_its_children() {
    as_nobody(
        "shell::run::the_time_limit_ends_a_program_and_its_children",
        |folder| {
            let mut options = only(folder, "ls", LINGER);
            options.time_limit = Duration::from_millis(300);
            let output = run_with(folder, "ls; ls", &options);
            assert_eq!(output.ended, Ended::TimeLimit);
            assert_eq!(output.stdout, b"started\n");
            assert_eq!(output.code, None);
            assert_ends(folder);
        },
    );
}

#[test]
fn dropping_the_run_ends_a_program_and_its_children() {
    as_nobody(
        "shell::run::dropping_the_run_ends_a_program_and_its_children",
        |folder| {
            let options = only(folder, "ls", LINGER);
            let scope = Scope::new(folder);
            let ready = vet("ls", &scope).unwrap().prepare(&scope).unwrap();
            block_on(async {
                let child = folder.join("child");
                tokio::select! {
                    _ = ready.run(&options) => panic!("the program waits for its child"),
                    () = async { while std::fs::read_to_string(&child).unwrap_or_default().is_empty() {
                        tokio::task::yield_now().await;
                    } } => {}
                }
            });
            assert_ends(folder);
        },
    );
}

#[test]
fn the_output_limit_ends_an_endless_program_and_says_so() {
    as_nobody(
        "shell::run::the_output_limit_ends_an_endless_program_and_says_so",
        |folder| {
            let mut options = only(folder, "ls", "#!/bin/sh\nwhile :; do echo line; done\n");
            options.max_output_bytes = 100_000;
            let output = run_with(folder, "ls", &options);
            assert_eq!(
                (output.ended, output.stdout.len()),
                (Ended::OutputLimit, 100_000)
            );
        },
    );
}

#[test]
fn output_of_exactly_the_limit_is_complete() {
    as_nobody(
        "shell::run::output_of_exactly_the_limit_is_complete",
        |folder| {
            std::fs::write(folder.join("a"), [b'x'; 100]).unwrap();
            let mut options = RunOptions::default();
            options.max_output_bytes = 100;
            let output = run_with(folder, "cat a", &options);
            assert_eq!((output.ended, output.stdout.len()), (Ended::Finished, 100));
            options.max_output_bytes = 99;
            let output = run_with(folder, "cat a; cat a", &options);
            assert_eq!(
                (output.ended, output.stdout.len()),
                (Ended::OutputLimit, 99)
            );
        },
    );
}

#[test]
fn a_flood_of_errors_is_cut_without_ending_the_program() {
    as_nobody(
        "shell::run::a_flood_of_errors_is_cut_without_ending_the_program",
        |folder| {
            let flood = "#!/bin/sh\ni=0\nwhile [ $i -lt 5000 ]; do echo error >&2; i=$((i+1)); done\necho done\n";
            let options = only(folder, "ls", flood);
            let output = run_with(folder, "ls", &options);
            assert_eq!(output.stdout, b"done\n");
            assert!(output.stderr_cut);
            assert_eq!(output.stderr.len(), options.max_error_bytes);
            assert_eq!(output.ended, Ended::Finished);
        },
    );
}

#[test]
fn an_early_end_of_a_reader_ends_the_writer() {
    as_nobody(
        "shell::run::an_early_end_of_a_reader_ends_the_writer",
        |folder| {
            std::fs::write(folder.join("a"), vec![b'\n'; 4 << 20]).unwrap();
            let output = run(folder, "cat a | head -n 2");
            assert_eq!(
                (output.stdout.as_slice(), output.code),
                (&b"\n\n"[..], Some(0))
            );
            assert_eq!(output.ended, Ended::Finished);
        },
    );
}

/// `tail -c` on a pipe keeps what it may have to print, a repetition of repetitions is compiled, and a line
/// is read whole: each takes what it is given.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_asks_for_all_memory_gets_its_part_and_no_more() {
    as_nobody(
        "shell::run::a_program_that_asks_for_all_memory_gets_its_part_and_no_more",
        |folder| {
            let big = std::fs::File::create(folder.join("big")).unwrap();
            big.set_len(96 << 20).unwrap();
            let letters = "x".repeat(96 << 20);
            std::fs::write(folder.join("line"), letters).unwrap();
            let mut options = RunOptions::default();
            options.max_memory_bytes = 64 << 20;
            for command in [
                "cat big | tail -c 999999999",
                "cat line | grep -c x",
                "grep -E '((((a{1,100}){1,100}){1,100}){1,100}){1,100}' -- line",
            ] {
                let output = run_with(folder, command, &options);
                let said = String::from_utf8_lossy(&output.stderr);
                assert_ne!(output.code, Some(0), "{command}: {said}");
                assert_eq!(output.ended, Ended::Finished, "{command}: {said}");
                assert!(
                    said.to_lowercase().contains("memory exhausted"),
                    "{command}: {said}"
                );
            }
            // What needs no more than its part is not disturbed.
            let output = run_with(folder, "head -c 3 line | wc -c", &options);
            assert_eq!(output.stdout, b"3\n");
        },
    );
}

//! Every payload while something is wrong with the machine: a full disk, a home that cannot be written or is
//! not there, broken settings, a huge transcript. Each gets a valid answer, and the exit code is 0.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::end_to_end::memories;
use super::payloads::{agent_of, samples};
use super::{Agent, claude_line, context, denial, shapes};

/// Payloads of the events; a log of real calls repeats them too often for here.
fn payloads() -> Option<Vec<(String, Value)>> {
    let mut samples = samples()?;
    samples.retain(|(name, _)| !name.contains("real-hook"));
    assert!(samples.len() > 20, "{} samples", samples.len());
    Some(samples)
}

/// Calls the hook with every payload, in the project of the agent, as `call` starts it.
fn call_all(agent: &Agent, what: &str, change: &dyn Fn(&mut Value), call: &dyn Fn(&mut Command)) {
    let Some(payloads) = payloads() else { return };
    for (name, mut payload) in payloads {
        let kind = agent_of(&name);
        payload["cwd"] = json!(agent.home.project());
        change(&mut payload);
        let output = run(agent, kind, &payload, call);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{what}: {name}: {said}");
        assert_eq!(said, "", "{what}: {name}");
        let out = String::from_utf8(output.stdout).expect("UTF-8");
        let event = payload["hook_event_name"].as_str().expect("a name");
        shapes::check(kind, event, &out);
    }
}

fn run(agent: &Agent, kind: &str, payload: &Value, call: &dyn Fn(&mut Command)) -> Output {
    let mut command = agent.home.command(&["hook", kind]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    call(&mut command);
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let written = std::io::Write::write_all(&mut stdin, payload.to_string().as_bytes());
    written.expect("the hook reads its input");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// A write to a memory, and one beside it, as a hook of Claude Code is asked about them.
fn writes(agent: &Agent, call: &dyn Fn(&mut Command), memory: &Path) -> [Value; 2] {
    [
        memory.join("project_new.md"),
        agent.home.project().join("a.rs"),
    ]
    .map(|path| {
        let payload = agent.payload(
            "session-1",
            "PreToolUse",
            &json!({"tool_name": "Write", "tool_use_id": "toolu_1",
                "tool_input": {"file_path": path, "content": "text"}}),
        );
        let output = run(agent, "claude-code", &payload, call);
        shapes::check(
            "claude-code",
            "PreToolUse",
            &String::from_utf8_lossy(&output.stdout),
        )
    })
}

/// Breaks something in the home of an agent.
type Break = fn(&Agent);

#[test]
fn a_home_that_is_of_no_use_never_fails_the_agent() {
    let breaks: [(&str, Break); 4] = [
        ("no folder of ours", |agent| {
            std::fs::remove_dir_all(agent.home.path().join(".claude")).unwrap_or_default();
        }),
        ("broken settings", |agent| {
            let folder = agent.home.path().join(".claude");
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("settings.json"), "{ not json").expect("a file");
            std::fs::write(folder.join("memstrata.toml"), "= nor toml").expect("a file");
        }),
        ("a file in its place", |agent| {
            std::fs::remove_dir_all(agent.home.path().join(".claude")).unwrap_or_default();
            std::fs::write(agent.home.path().join(".claude"), "").expect("a file");
        }),
        ("broken state", |agent| {
            std::fs::remove_file(agent.home.path().join(".claude")).unwrap_or_default();
            agent.save("One", "of two", "text");
            let state = agent.place()["state_dir"]
                .as_str()
                .map(PathBuf::from)
                .expect("a path");
            std::fs::remove_dir_all(&state).expect("removed");
            std::fs::write(&state, "no folder").expect("a file");
        }),
    ];
    let agent = Agent::new("claude-code");
    for (what, breaks) in breaks {
        breaks(&agent);
        call_all(&agent, what, &|_| {}, &|_| {});
    }
}

#[test]
fn a_home_that_is_missing_never_fails_the_agent() {
    let agent = Agent::new("claude-code");
    let nowhere = agent.home.path().join("nowhere/at/all");
    let homes: [(&str, Option<PathBuf>); 4] = [
        ("not set", None),
        ("empty", Some(PathBuf::new())),
        ("not there", Some(nowhere)),
        (
            "no folder",
            Some(std::env::current_exe().expect("this program")),
        ),
    ];
    for (what, home) in homes {
        call_all(&agent, what, &|_| {}, &|command| {
            for name in ["HOME", "USERPROFILE"] {
                match &home {
                    Some(home) => command.env(name, home),
                    None => command.env_remove(name),
                };
            }
        });
    }
    let left = std::fs::read_dir(agent.home.project()).expect("a folder");
    assert_eq!(left.count(), 0, "nothing is made where the agent works");
}

/// Whoever runs the tests as root runs the hook as nobody, for root may write what is read-only.
#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_or_read_is_read_where_it_can_and_never_fails_the_agent() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    const NOBODY: u32 = 65_534;
    let (agent, memory, is_root) = remembering();
    let all = everything_below(agent.home.path());
    let set = |mask: u32| {
        // The folders last: what is in a folder that is closed cannot be reached.
        for path in all.iter().rev() {
            let mode = std::fs::symlink_metadata(path)
                .expect("a file")
                .permissions()
                .mode();
            let mode = std::fs::Permissions::from_mode(if mask == 0 { 0o700 } else { mode & mask });
            std::fs::set_permissions(path, mode).expect("a mode");
        }
    };
    if is_root {
        for path in &all {
            chown(path, Some(NOBODY), Some(NOBODY)).expect("an owner");
        }
    }
    let call = |command: &mut Command| {
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
    };
    let mut probe = agent.home.command(&["--version"]);
    call(&mut probe);
    if !probe.output().is_ok_and(|output| output.status.success()) {
        not_run("nobody may not run this program from where it was built");
        return;
    }
    set(0o555);
    call_all(&agent, "read-only", &|_| {}, &call);
    let prompt = agent.payload(
        "session-2",
        "UserPromptSubmit",
        &json!({"prompt": "how do uploads retry?"}),
    );
    let output = run(&agent, "claude-code", &prompt, &call);
    let answer = shapes::check(
        "claude-code",
        "UserPromptSubmit",
        &String::from_utf8_lossy(&output.stdout),
    );
    assert!(context(&answer).contains("full jitter"), "{answer}");
    let [inside, outside] = writes(&agent, &call, &memory);
    assert!(
        denial(&inside).is_some() && outside.is_null(),
        "{inside} {outside}"
    );
    // Not even to be read, but for the project.
    let home = agent.home.path().join(".claude");
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o0)).expect("a mode");
    call_all(&agent, "closed", &|_| {}, &call);
    let [inside, outside] = writes(&agent, &call, &memory);
    assert!(
        denial(&inside).is_some() && outside.is_null(),
        "{inside} {outside}"
    );
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    for path in &all {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    }
}

/// A limit on processes counts for everybody but root.
#[cfg(target_os = "linux")]
#[test]
fn a_machine_that_starts_no_more_processes_never_fails_the_agent() {
    use std::os::unix::fs::chown;

    // Nobody else's: what other tests start as `nobody` would count against the limit.
    const ALONE: u32 = 65_531;
    let (agent, memory, is_root) = remembering();
    if !is_root {
        not_run("only root can start a program as somebody who has no processes");
        return;
    }
    for path in everything_below(agent.home.path()) {
        chown(path, Some(ALONE), Some(ALONE)).expect("an owner");
    }
    let call = agent.home.path().join("call.json");
    let program = env!("CARGO_BIN_EXE_memstrata");
    let run = |payload: &Value| {
        std::fs::write(&call, payload.to_string()).expect("a file");
        let mut command = Command::new("prlimit");
        let output = command
            .args([
                "--nproc=0:0",
                "setpriv",
                "--reuid=65531",
                "--regid=65531",
                "--clear-groups",
            ])
            .args([program, "hook", "claude-code"])
            .current_dir(agent.home.project())
            .env("HOME", agent.home.path())
            .stdin(std::fs::File::open(&call).expect("a file"))
            .output();
        let output = output
            .ok()
            .filter(|output| output.status.code() != Some(127))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
        let event = payload["hook_event_name"].as_str().expect("a name");
        Some(shapes::check(
            "claude-code",
            event,
            &String::from_utf8_lossy(&output.stdout),
        ))
    };
    let state = memory.with_file_name("memory-state").join("x");
    let write = json!({"tool_name": "Write", "tool_use_id": "toolu_1",
        "tool_input": {"file_path": state, "content": "x"}});
    let Some(answer) = run(&agent.payload("session-1", "PreToolUse", &write)) else {
        not_run("there is no prlimit, no setpriv, or nobody may not run this program");
        return;
    };
    assert!(denial(&answer).is_some(), "{answer}");
    let prompt = json!({"prompt": "how do uploads retry?"});
    let answer = run(&agent.payload("session-1", "UserPromptSubmit", &prompt));
    assert!(answer.is_some_and(|answer| context(&answer).contains("full jitter")));
    // No worker can be started; its job waits.
    run(&agent.payload("session-1", "Stop", &json!({"stop_hook_active": false})));
}

/// An agent that has been told how uploads are retried, its memory, and whether root runs the tests.
#[cfg(unix)]
fn remembering() -> (Agent, PathBuf, bool) {
    use std::os::unix::fs::MetadataExt as _;

    let agent = Agent::new("claude-code");
    agent.save(
        "Uploads",
        "how uploads are retried",
        "Uploads retry with full jitter.",
    );
    let memory = agent.memory_dir();
    let home = std::fs::metadata(agent.home.path()).expect("a folder");
    (agent, memory, home.uid() == 0)
}

/// A folder and everything in it, each folder before what it holds.
#[cfg(unix)]
fn everything_below(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = all.get(next).cloned() {
        next += 1;
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            all.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
    }
    all
}

#[expect(clippy::print_stdout, reason = "a test that checks nothing says so")]
fn not_run(why: &str) {
    println!("NOT RUN: {why}");
}

/// Tells the test that follows that it is started by the one after it.
const SMALL_DISK: &str = "MEMSTRATA_TEST_SMALL_DISK";

/// Runs in a namespace of its own, whose folder for temporary files is a small file system.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_worker() {
    let Some(place) = std::env::var_os(SMALL_DISK).map(PathBuf::from) else {
        return;
    };
    let agent = Agent::new("claude-code");
    assert!(
        agent.home.path().starts_with(&place),
        "{}",
        agent.home.path().display()
    );
    agent.save(
        "Uploads",
        "how uploads are retried",
        "Uploads retry with full jitter.",
    );
    let said = "Always squash commits before merging, because bisecting is easier.";
    let lines = [
        claude_line("session-1", 1, "user", said, &agent.home.project()),
        claude_line("session-1", 2, "assistant", "Yes.", &agent.home.project()),
    ];
    std::fs::write(agent.transcript("session-1"), lines.concat()).expect("a transcript");
    let memory = agent.memory_dir();
    let before = memories(&agent);
    let filler = place.join("filler");
    for what in ["no byte left", "no file left"] {
        std::fs::create_dir(&filler).expect("a folder");
        if what == "no byte left" {
            let _ = std::fs::write(filler.join("x"), vec![b'x'; 8 << 20]);
        } else {
            let mut number = 0;
            while std::fs::write(filler.join(format!("{number}")), "").is_ok() {
                number += 1;
            }
        }
        call_all(&agent, what, &|_| {}, &|_| {});
        let [inside, outside] = writes(&agent, &|_| {}, &memory);
        assert!(
            denial(&inside).is_some() && outside.is_null(),
            "{what}: {inside} {outside}"
        );
        let prompt = json!({"prompt": "how do uploads retry?"});
        let answer = agent.call(what, "UserPromptSubmit", &prompt);
        assert!(context(&answer).contains("full jitter"), "{what}: {answer}");
        // A worker that finds no room leaves everything as it was.
        agent.home.run(&["worker", "--wait"]);
        assert_eq!(memories(&agent), before, "{what}");
        std::fs::remove_dir_all(&filler).expect("removed");
    }
    // With room again the turn that could not be written down is caught up by the next one.
    agent.call("session-1", "Stop", &json!({"stop_hook_active": false}));
    agent.finish();
    assert!(memories(&agent).contains("squash"), "{}", agent.log());
    agent.home.run(&["doctor"]);
    not_run("nothing; a full disk was there");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_never_fails_the_agent_and_loses_nothing() {
    if payloads().is_none() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let mount = "mount -t tmpfs -o size=2m,nr_inodes=200 none \"$1\"";
    let able = Command::new("unshare")
        .args(["-Urm", "sh", "-c", mount, "sh"])
        .arg(place.path())
        .output();
    if !able.is_ok_and(|output| output.status.success()) {
        not_run("this machine lets nobody mount a small file system in a namespace");
        return;
    }
    let script = format!(
        "exec unshare -Urm sh -c '{mount} && exec \"$2\" --exact hook::trouble::full_disk_worker --nocapture' sh \"$@\""
    );
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(place.path())
        .arg(std::env::current_exe().expect("this program"))
        .env(SMALL_DISK, place.path())
        .env("TMPDIR", place.path())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{err}");
    assert!(said.contains("a full disk was there"), "{said}");
}

#[test]
fn a_transcript_of_fifty_megabytes_does_not_hold_up_the_agent() {
    let agent = Agent::new("claude-code");
    agent.save("Note", "a note", "text");
    let project = agent.home.project();
    let said = "Always squash commits before merging, because bisecting is easier.";
    let filler = "word ".repeat(20_000);
    let file = std::fs::File::create(agent.transcript("session-1")).expect("a file");
    let mut file = std::io::BufWriter::new(file);
    for number in 1..=502 {
        let (role, text) = match number {
            501 => ("user", said),
            502 => ("assistant", "Yes."),
            _ if number % 2 == 1 => ("user", &*filler),
            _ => ("assistant", &*filler),
        };
        let line = claude_line("session-1", number, role, text, &project);
        std::io::Write::write_all(&mut file, line.as_bytes()).expect("written");
    }
    drop(file);
    let path = agent.transcript("session-1");
    assert!(std::fs::metadata(&path).expect("a file").len() > 50_000_000);
    // No worker reads it meanwhile: a hook that did so itself would be as slow without one.
    let lock = agent.hold_back_workers();
    let change = |payload: &mut Value| {
        payload["session_id"] = json!("session-1");
        payload["transcript_path"] = json!(path);
    };
    call_all(&agent, "fifty megabytes", &change, &|_| {});
    agent.call("session-1", "Stop", &json!({"stop_hook_active": false}));
    drop(lock);
    agent.finish();
    assert!(memories(&agent).contains("squash"), "{}", agent.log());
}

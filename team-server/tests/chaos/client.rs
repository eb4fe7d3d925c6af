//! Runs of the real client, each a process of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ledger::{Ledger, memories};

/// No run may take longer: a client that hangs has failed.
const LONGEST: Duration = Duration::from_mins(4);

/// What the client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `examples/team_client.rs`: the library and nothing else.
    Example,
    /// The program `memstrata`, as people use it.
    Program,
}

/// A person with a home of their own.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) name: String,
    root: PathBuf,
    program: PathBuf,
    kind: Kind,
    url: String,
    token: String,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// With a report.
    Reported(Value),
    /// With an error.
    Failed(String),
    /// By `kill -9`.
    Killed,
}

impl Person {
    pub(crate) fn new(
        name: &str,
        root: PathBuf,
        program: &Path,
        url: String,
        token: String,
    ) -> std::io::Result<Self> {
        let is_program = program.file_stem().is_some_and(|stem| stem == "memstrata");
        let person = Self {
            name: name.into(),
            root,
            program: program.into(),
            kind: if is_program {
                Kind::Program
            } else {
                Kind::Example
            },
            url,
            token,
        };
        for folder in [
            person.team(),
            person.state(),
            person.aside(),
            person.project(),
        ] {
            std::fs::create_dir_all(folder)?;
        }
        if is_program {
            // The program asks git which repository this is.
            for words in [
                &["init", "--quiet"][..],
                &["remote", "add", "origin", "https://github.com/acme/app.git"],
            ] {
                Command::new("git")
                    .args(words)
                    .current_dir(person.project())
                    .status()?;
            }
        }
        Ok(person)
    }

    /// Everything of this person.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn team(&self) -> PathBuf {
        self.root.join("memory/team")
    }

    fn state(&self) -> PathBuf {
        self.root.join("memory-state/team")
    }

    /// On the same file system, and nobody syncs it.
    pub(crate) fn aside(&self) -> PathBuf {
        self.root.join("aside")
    }

    /// One run; after `kill_after` it is killed.
    pub(crate) fn sync(
        &self,
        ledger: &Ledger,
        confirm: bool,
        kill_after: Option<Duration>,
    ) -> Result<Ended, String> {
        // Whatever is in the folder now is in the run's walk.
        let before = memories(&self.team());
        let ended = self.run(confirm, kill_after)?;
        if let Ended::Reported(report) = &ended {
            acknowledge(ledger, &before, report);
        }
        Ok(ended)
    }

    /// Starts a watcher.
    pub(crate) fn watch(&self) -> Result<Watching, String> {
        let talk = File::options()
            .create(true)
            .append(true)
            .open(self.root.join("watcher"));
        let child = talk.and_then(|talk| {
            let mut command = self.command(true);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(talk);
            command.spawn()
        });
        child
            .map(Watching)
            .map_err(|error| format!("a watcher cannot be started: {error}"))
    }

    fn command(&self, watches: bool) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("MEMSTRATA_TEAM_URL", &self.url)
            .env("MEMSTRATA_TEAM_TOKEN", &self.token);
        match self.kind {
            Kind::Example => {
                command
                    .args(["--repository", "acme/app", "--name", &self.name])
                    .arg("--folder")
                    .arg(self.team())
                    .arg("--state")
                    .arg(self.state())
                    .args(watches.then_some("--watch"));
            }
            Kind::Program => {
                command
                    .env("HOME", self.root.join("home"))
                    .env("PATH", std::env::var_os("PATH").unwrap_or_default())
                    .current_dir(self.project())
                    .arg("--memory-dir")
                    .arg(self.root.join("memory"))
                    .args(["team", if watches { "watch" } else { "sync" }, "--json"]);
            }
        }
        command
    }

    fn report(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            Kind::Example => {
                serde_json::from_str(text).map_err(|error| format!("a report: {error}"))
            }
            Kind::Program => report_of_lines(text),
        }
    }

    fn run(&self, confirm: bool, kill_after: Option<Duration>) -> Result<Ended, String> {
        let failed = |error: std::io::Error| format!("a client cannot be run: {error}");
        let (out, talk) = (self.root.join("stdout"), self.root.join("stderr"));
        let mut command = self.command(false);
        if confirm {
            command.arg("--confirm-deletes");
        }
        let begun = Instant::now();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(File::create(&out).map_err(failed)?)
            .stderr(File::create(&talk).map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            let late = begun.elapsed() > LONGEST;
            if late || kill_after.is_some_and(|limit| begun.elapsed() >= limit) {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                if late {
                    return Err(format!("a run of {} took more than {LONGEST:?}", self.name));
                }
                return Ok(Ended::Killed);
            }
            std::thread::sleep(Duration::from_millis(3));
        };
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        // The program's 1: in step, and something for a person to look at.
        let ended_well =
            status.success() || (self.kind == Kind::Program && status.code() == Some(1));
        if ended_well {
            return self.report(&read(&out)).map(Ended::Reported);
        }
        let said = read(&talk);
        if said.contains("panicked") {
            return Err(format!("{} panicked: {said}", self.name));
        }
        Ok(Ended::Failed(said.trim().to_owned()))
    }
}

/// What each line of the program says, in the form of the example's report.
fn report_of_lines(text: &str) -> Result<Value, String> {
    let (mut done, mut notes, mut pending) = (Vec::new(), Vec::new(), false);
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let (action, detail) = (
            line["action"].as_str(),
            line["detail"].as_str().unwrap_or_default(),
        );
        match action {
            Some(
                "pulled" | "pushed" | "merged" | "conflict" | "removed-here" | "deleted-there"
                | "renamed",
            ) => {
                done.push(line);
            }
            Some("left") | None => pending = true,
            Some(_) if detail.contains("the same name on some file systems") => {
                notes.push(json!({ "key": line["key"], "note": "Held(Twin)" }));
            }
            Some(_) => notes.push(json!({ "key": line["key"], "note": line })),
        }
    }
    Ok(json!({ "done": done, "notes": notes, "pending": pending }))
}

/// A watcher, until it is killed.
pub(crate) struct Watching(Child);

impl Watching {
    /// Whether it has ended by itself, which it must not.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.0.try_wait().ok().flatten()?;
        Some(format!("a watcher ended with {status}"))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run that left nothing over has everything that was in the folder at its start on the server, except
/// for keys it names.
fn acknowledge(ledger: &Ledger, before: &BTreeMap<String, String>, report: &Value) {
    if report["pending"] != false {
        return;
    }
    let notes = report["notes"].as_array().map_or(&[][..], Vec::as_slice);
    let named: BTreeSet<&str> = notes
        .iter()
        .filter_map(|note| note["key"].as_str())
        .collect();
    let sent = before
        .iter()
        .filter(|(key, _)| !named.contains(key.as_str()));
    ledger.acknowledged(sent.flat_map(|(_, text)| text.lines()));
}

//! Runs of the real client, each a process of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ledger::{Ledger, memories};

/// No run may take longer: a client that hangs has failed.
const LONGEST: Duration = Duration::from_mins(4);

/// A person with a home of their own.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) name: String,
    root: PathBuf,
    program: PathBuf,
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
        let person = Self {
            name: name.into(),
            root,
            program: program.into(),
            url,
            token,
        };
        for folder in [person.team(), person.state(), person.aside()] {
            std::fs::create_dir_all(folder)?;
        }
        Ok(person)
    }

    pub(crate) fn team(&self) -> PathBuf {
        self.root.join("memory/team")
    }

    pub(crate) fn state(&self) -> PathBuf {
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
            let mut command = self.command();
            command
                .arg("--watch")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(talk);
            command.spawn()
        });
        child
            .map(Watching)
            .map_err(|error| format!("a watcher cannot be started: {error}"))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("MEMSTRATA_TEAM_URL", &self.url)
            .env("MEMSTRATA_TEAM_TOKEN", &self.token)
            .args(["--repository", "acme/app", "--name", &self.name])
            .arg("--folder")
            .arg(self.team())
            .arg("--state")
            .arg(self.state());
        command
    }

    fn run(&self, confirm: bool, kill_after: Option<Duration>) -> Result<Ended, String> {
        let failed = |error: std::io::Error| format!("a client cannot be run: {error}");
        let (out, talk) = (self.root.join("stdout"), self.root.join("stderr"));
        let mut command = self.command();
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
        if status.success() {
            let report =
                serde_json::from_str(&read(&out)).map_err(|error| format!("a report: {error}"))?;
            return Ok(Ended::Reported(report));
        }
        let said = read(&talk);
        if said.contains("panicked") {
            return Err(format!("{} panicked: {said}", self.name));
        }
        Ok(Ended::Failed(said.trim().to_owned()))
    }
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

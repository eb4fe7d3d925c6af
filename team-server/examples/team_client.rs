//! The smallest program around the client: one run over one folder, its report as JSON.
//!
//! Address and token come from `MEMSTRATA_TEAM_URL` and `MEMSTRATA_TEAM_TOKEN`. The chaos runs start and kill
//! it by the thousand.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Parser;
use pathguard::{MemoryRoot, RootOptions};
use secret_scan::{Ruleset, Scanner};
use serde_json::json;
use team_sync::client::{
    Client, ClientOptions, Gate, HttpOptions, HttpTransport, SyncOptions, SyncReport, Token,
    Verdict,
};

#[derive(Parser)]
struct Cli {
    /// The repository, as owner/name.
    #[arg(long)]
    repository: String,
    /// Names this client.
    #[arg(long)]
    name: String,
    /// The folder of the memories.
    #[arg(long)]
    folder: PathBuf,
    /// The folder of the client's state.
    #[arg(long)]
    state: PathBuf,
    /// Deletes that were held back are meant.
    #[arg(long)]
    confirm_deletes: bool,
}

struct Credentials(Scanner);

impl Gate for Credentials {
    fn look(&self, text: &str) -> Verdict {
        match self.0.scan(text.as_bytes()).first() {
            None => Verdict::Free,
            Some(found) => {
                Verdict::Blocked(format!("rule {}, line {}", found.rule(), found.line()))
            }
        }
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(report) => {
            println!("{}", shown(&report));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<SyncReport> {
    let variable = |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
    let (url, token) = (
        variable("MEMSTRATA_TEAM_URL")?,
        variable("MEMSTRATA_TEAM_TOKEN")?,
    );
    let http = HttpOptions::new(&url, &cli.repository, Token::new(&token));
    let root = |path: &PathBuf| MemoryRoot::open(path, &RootOptions::new());
    let client = Client::new(
        root(&cli.folder)?,
        root(&cli.state)?,
        Box::new(HttpTransport::new(&http)?),
        ClientOptions {
            repository: cli.repository.clone(),
            client: cli.name.clone(),
            author: Some(cli.name.clone()),
            gate: Arc::new(Credentials(Scanner::new(&Ruleset::extended()))),
            random: Arc::new(|| getrandom::u64().unwrap_or_default()),
        },
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let options = SyncOptions::default().with_confirmed_deletes(cli.confirm_deletes);
    Ok(runtime.block_on(client.sync(&options))?)
}

fn shown(report: &SyncReport) -> serde_json::Value {
    let done = report.done.iter();
    let done: Vec<_> = done
        .map(|(key, done)| json!({ "key": key.as_str(), "did": done.as_str() }))
        .collect();
    let notes = report.notes.iter();
    let notes: Vec<_> = notes
        .map(|(key, note)| json!({ "key": key, "note": format!("{note:?}") }))
        .collect();
    json!({ "done": done, "notes": notes, "requests": report.requests, "pending": report.pending })
}

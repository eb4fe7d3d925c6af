//! The smallest program around the client: one run over one folder, its report as JSON; or a watcher.
//!
//! Address and token come from `MEMSTRATA_TEAM_URL` and `MEMSTRATA_TEAM_TOKEN`. The chaos runs start and kill
//! it by the thousand.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use pathguard::{MemoryRoot, RootOptions};
use serde_json::json;
use team_sync::Error;
use team_sync::client::watch::{SystemNotifier, Timing, WatchOptions, watch};
use team_sync::client::{
    Client, ClientOptions, HttpOptions, HttpTransport, SyncOptions, SyncReport, Token,
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
    /// Go on until killed.
    #[arg(long)]
    watch: bool,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(Some(report)) => {
            println!("{}", shown(&report));
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<Option<SyncReport>> {
    let variable = |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
    let (url, token) = (
        variable("MEMSTRATA_TEAM_URL")?,
        variable("MEMSTRATA_TEAM_TOKEN")?,
    );
    let http = HttpOptions::new(&url, &cli.repository, Token::new(&token));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if cli.watch {
        runtime.block_on(keep_watching(cli, &http))?;
        return Ok(None);
    }
    let options = SyncOptions::default().with_confirmed_deletes(cli.confirm_deletes);
    Ok(Some(runtime.block_on(connect(cli, &http)?.sync(&options))?))
}

fn connect(cli: &Cli, http: &HttpOptions) -> Result<Client, Error> {
    let random = || getrandom::u64().unwrap_or_default();
    let options =
        ClientOptions::new(&cli.repository, &cli.name, random).with_author(Some(cli.name.clone()));
    let transport = Box::new(HttpTransport::new(http)?);
    Ok(Client::new(
        root(&cli.folder),
        root(&cli.state),
        transport,
        options,
    ))
}

/// The folders are made by whoever starts this; without one there is nothing to be done.
fn root(path: &Path) -> MemoryRoot {
    MemoryRoot::open(path, &RootOptions::new()).unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1)
    })
}

/// With short waits: the editors of the chaos runs never rest.
async fn keep_watching(cli: &Cli, http: &HttpOptions) -> Result<(), Error> {
    let mut timing = Timing::default();
    timing.quiet = Duration::from_millis(200);
    timing.latest = Duration::from_secs(1);
    timing.walk = Duration::from_secs(3);
    timing.retry = Duration::from_millis(200);
    timing.retry_most = Duration::from_secs(2);
    let options = WatchOptions::default().with_timing(timing);
    watch(
        connect(cli, http)?,
        &mut || connect(cli, http).map_err(|error| error.to_string()),
        &options,
        &mut SystemNotifier::new(),
        &mut |event| eprintln!("{event:?}"),
        std::future::pending(),
    )
    .await;
    Ok(())
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

//! Many chaos runs: `cargo xtask chaos --store sqlite|postgres --runs N --seconds S`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks")]

#[path = "../tests/chaos/mod.rs"]
mod chaos;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};

use chaos::{Figures, Plan, Store};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Sqlite,
    Postgres,
}

#[derive(Parser)]
struct Cli {
    /// Where the server keeps its data; two replicas on PostgreSQL, which MEMSTRATA_TEST_POSTGRES names.
    #[arg(long, default_value = "sqlite")]
    store: Kind,
    /// How many runs.
    #[arg(long, default_value_t = 20)]
    runs: u64,
    /// How long the editors of each run edit.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// The longest rest of an editor between two edits, in milliseconds.
    #[arg(long, default_value_t = 350, value_parser = clap::value_parser!(u64).range(1..))]
    rest: u64,
    /// The seed of the first run; the next ones follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many of a hundred requests meet a fault.
    #[arg(long, default_value_t = 30)]
    faults: u64,
    /// Keep homes, data and the journal of every run, and say where.
    #[arg(long)]
    keep: bool,
    /// The program `memstrata` as the client, instead of the example around the library.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// How many clients.
    #[arg(long, default_value_t = 4)]
    clients: usize,
    /// How many of them are watchers that go on until they are killed.
    #[arg(long, default_value_t = 2)]
    watchers: usize,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chaos: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    let own = std::env::current_exe()?;
    let examples = own.parent().context("this program lies in no folder")?;
    let programs = examples
        .parent()
        .context("this program lies in no folder")?;
    let server = program(programs, "memstrata-server")?;
    let client = match &cli.program {
        Some(path) => std::path::absolute(path)?,
        None => program(examples, "team_client")?,
    };
    let mut all = Figures::default();
    let mut failed = 0;
    for seed in cli.seed..cli.seed + cli.runs {
        let folder = tempfile::tempdir()?;
        let (store, servers) = match cli.store {
            Kind::Sqlite => (Store::Sqlite(folder.path().join("data")), 1),
            Kind::Postgres => {
                let name = format!("chaos_{}_{seed}", std::process::id());
                let store = Store::new_database(&name).map_err(anyhow::Error::msg)?;
                (store.context("MEMSTRATA_TEST_POSTGRES names no server; `cargo xtask postgres -- …` runs one")?, 2)
            }
        };
        let plan = Plan {
            seed,
            time: Duration::from_secs(cli.seconds),
            rest: Duration::from_millis(cli.rest),
            server: server.clone(),
            client: client.clone(),
            store,
            servers,
            clients: cli.clients,
            watchers: cli.watchers.min(cli.clients),
            fault_percent: cli.faults,
            kill_percent: 30,
            folder: folder.path().to_owned(),
        };
        match chaos::run(&plan) {
            Ok(figures) => {
                println!("seed {seed}: {figures}");
                if cli.keep {
                    println!("kept in {}", folder.keep().display());
                }
                add(&mut all, &figures);
            }
            Err(why) => {
                // Kept for the one who looks for the cause.
                let _kept = folder.keep();
                println!("FAILED {why}");
                failed += 1;
            }
        }
    }
    println!(
        "all {} runs: {all}\nfaults by kind: {:?}",
        cli.runs, all.faults
    );
    if failed > 0 {
        bail!("{failed} of {} runs failed", cli.runs);
    }
    Ok(())
}

/// Adds the figures of a run to those of all.
fn add(all: &mut Figures, one: &Figures) {
    all.edits += one.edits;
    all.acknowledged += one.acknowledged;
    all.lost += one.lost;
    all.overtaken += one.overtaken;
    all.conflict_copies += one.conflict_copies;
    all.doubled += one.doubled;
    all.left_over += one.left_over;
    all.twins += one.twins;
    all.syncs += one.syncs;
    all.client_kills += one.client_kills;
    all.server_kills += one.server_kills;
    all.requests += one.requests;
    for (fault, count) in &one.faults {
        *all.faults.entry(fault.clone()).or_default() += count;
    }
    all.rounds = all.rounds.max(one.rounds);
}

fn program(folder: &Path, name: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.is_file() {
        bail!(
            "{} is not built; start this by `cargo xtask chaos`",
            path.display()
        );
    }
    Ok(path)
}

//! Where the program keeps its data, as flags of every command, and how long it keeps what may go.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use memstrata_server::{Cutoffs, Limits, Postgres, PostgresOptions, Sqlite, SqliteOptions, Store};
use tokio::sync::watch;

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// How long deletions are told to clients that come back.
const KEEP_TOMBSTONES_DAYS: i32 = 180;

/// How long an operation's answer can be replayed.
const KEEP_OPERATIONS_DAYS: i32 = 7;

/// How long a content that no version names stays: somebody may be putting a backup together.
const KEEP_CONTENTS_DAYS: i32 = 7;

/// How often the server looks for what may go; each replica, one of which does it.
const PRUNING: Duration = Duration::from_hours(24);

/// The wait before the first time, so that a server that has just started answers first.
const PRUNING_DELAY: Duration = Duration::from_mins(1);

#[derive(Args)]
pub(crate) struct Data {
    /// The folder of the data, in one SQLite file.
    #[arg(
        long = "data",
        env = "MEMSTRATA_SERVER_DATA",
        value_name = "FOLDER",
        default_value = "memstrata-data"
    )]
    folder: PathBuf,
    /// A PostgreSQL database instead, which several servers may share.
    ///
    /// The form is postgres://USER@HOST/NAME, or for a socket postgres://USER@localhost/NAME?host=FOLDER. Put a
    /// password into PGPASSWORD or ~/.pgpass, where no other process sees it.
    #[arg(
        long,
        env = "MEMSTRATA_SERVER_DATABASE",
        hide_env_values = true,
        value_name = "ADDRESS"
    )]
    database: Option<String>,
    /// The most connections to the PostgreSQL database; one or two more listen for changes.
    #[arg(
        long,
        env = "MEMSTRATA_SERVER_DATABASE_CONNECTIONS",
        value_name = "COUNT",
        default_value_t = 16,
        value_parser = clap::value_parser!(u32).range(1..=1_000)
    )]
    database_connections: u32,
}

impl Data {
    pub(crate) async fn open(&self) -> Result<Store> {
        self.open_with(Limits::default()).await
    }

    pub(crate) async fn open_with(&self, limits: Limits) -> Result<Store> {
        if let Some(database) = &self.database {
            let mut options = PostgresOptions::new(database.clone());
            options.connections = self.database_connections;
            options.limits = limits;
            return Ok(Postgres::open(&options).await?.into());
        }
        let mut options = SqliteOptions::new(self.folder.clone());
        options.limits = limits;
        Ok(Sqlite::open(&options)?.into())
    }

    /// The same for what only looks after data that are there: a mistyped folder is not made.
    pub(crate) async fn open_existing(&self) -> Result<Store> {
        if self.database.is_none() && !self.folder.join("memstrata.db").exists() {
            bail!(
                "there are no data in {}; name their folder with --data",
                self.folder.display()
            );
        }
        self.open().await
    }
}

/// Forgets once a day what is older than it has to be kept, until the server stops.
pub(crate) async fn prune_daily(store: std::sync::Arc<Store>, mut stopping: watch::Receiver<bool>) {
    let mut wait = PRUNING_DELAY;
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = stopping.wait_for(|stop| *stop) => return,
        }
        wait = PRUNING;
        match store.prune(&cutoffs(Timestamp::now())).await {
            Ok(Some(pruned)) => tracing::info!(
                tombstones = pruned.tombstones,
                operations = pruned.operations,
                contents = pruned.contents,
                "forgot what was old"
            ),
            Ok(None) => {}
            Err(error) => tracing::warn!(error = format!("{error:#}"), "pruning failed"),
        }
    }
}

fn cutoffs(now: Timestamp) -> Cutoffs {
    let before = |days: i32| {
        let then = now
            .checked_sub(DAY.saturating_mul(days))
            .unwrap_or(Timestamp::MIN);
        crate::shown(then)
    };
    Cutoffs {
        tombstones: before(KEEP_TOMBSTONES_DAYS),
        operations: before(KEEP_OPERATIONS_DAYS),
        contents: before(KEEP_CONTENTS_DAYS),
    }
}

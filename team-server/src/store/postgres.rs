//! The store for several replicas: PostgreSQL.

mod attempt;
mod fold;
mod maintain;
mod read;
mod schema;
mod sql;
mod versions;
mod write;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection};
use team_sync::{Tag, TeamKey};
use tokio::task::JoinHandle;

use super::content::Packed;
use super::waiters::Watch;
use super::{
    CheckReport, Cutoffs, Looked, Outcome, Pruned, Redacted, Redaction, Restore, Revision,
    StorageFull, View,
};
use crate::change::Change;
use crate::limits::Limits;
use crate::token::{Grant, NewToken, Presented};
use versions::Versions;
use write::{Work, Writers};

type Pool = sqlx::PgPool;

/// How long a request waits for a connection, and the program for its first.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every connection is set to. Plans are made for the repository at hand, because only then partitions
/// of others are not even looked at. A commit that was answered survives a power cut, whatever the
/// database's default; stricter settings stay.
const SETTINGS: &str = "SET plan_cache_mode = force_custom_plan;
    SET statement_timeout = '30s';
    SET idle_in_transaction_session_timeout = '60s';
    SELECT set_config('synchronous_commit', 'local', false)
    WHERE current_setting('synchronous_commit') = 'off' AND current_setting('fsync') = 'on'";

/// Where the database is and what a repository may use.
#[derive(Clone)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// The address, such as `postgres://memstrata@db.example/memstrata`, or with a folder of sockets
    /// `postgres:///memstrata?host=/run/postgresql`. A password is better in `PGPASSWORD` or `~/.pgpass`.
    pub database: String,
    /// The most connections of this process; one more listens.
    pub connections: u32,
    /// What a repository may use.
    pub limits: Limits,
}

impl PostgresOptions {
    /// The defaults, for data at an address.
    pub fn new(database: String) -> Self {
        Self {
            database,
            connections: 16,
            limits: Limits::default(),
        }
    }
}

impl std::fmt::Debug for PostgresOptions {
    /// Without the address, which may hold a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PostgresOptions")
            .field("connections", &self.connections)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// The store in a PostgreSQL database. Any number of processes may use the same one.
pub struct Postgres {
    pool: Pool,
    own: Pool,
    versions: Arc<Versions>,
    writers: Arc<Writers>,
    listens: JoinHandle<()>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Postgres")
            .field("connections", &self.pool.size())
            .finish_non_exhaustive()
    }
}

impl Postgres {
    /// Connects, and brings the tables to the version of this program; replicas that start at once take turns.
    ///
    /// # Errors
    ///
    /// The database cannot be reached, or its tables are of a newer version.
    pub async fn open(options: &PostgresOptions) -> Result<Self> {
        let of_postgres = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| options.database.starts_with(scheme));
        let address = options.database.parse::<PgConnectOptions>();
        // The text of its error may hold the address, and that a password.
        let address = address
            .ok()
            .filter(|_| of_postgres)
            .context("the address of the database is not of the form postgres://user@host/name")?;
        let address = address.application_name("memstrata-server");
        let set = || {
            PgPoolOptions::new()
                .acquire_timeout(PATIENCE)
                .after_connect(|connection, _| {
                    Box::pin(async move {
                        sqlx::raw_sql(SETTINGS).execute(connection).await?;
                        Ok(())
                    })
                })
        };
        let unreachable = || {
            let (host, port) = (address.get_host(), address.get_port());
            let host = address
                .get_socket()
                .map_or(host.into(), |path| path.to_string_lossy());
            format!("the database at {host}, port {port}, cannot be used")
        };
        // The first is no part of a pool, which would try again for a while instead of saying why not.
        let mut first = PgConnection::connect_with(&address)
            .await
            .with_context(unreachable)?;
        schema::prepare(&mut first)
            .await
            .with_context(unreachable)?;
        first.close().await?;
        let pool = set()
            .max_connections(options.connections.max(1))
            .connect_with(address.clone())
            .await
            .with_context(unreachable)?;
        // The listener keeps one, the other one looks after a lost connection.
        let own = set()
            .max_connections(2)
            .connect_with(address.clone())
            .await?;
        let (versions, listens) = Versions::start(&pool, own.clone()).await?;
        let writers = Writers::new(pool.clone(), options.limits, Arc::clone(&versions));
        Ok(Self {
            pool,
            own,
            versions,
            writers: Arc::new(writers),
            listens,
        })
    }

    /// Closes all connections, and returns once they are closed. What has begun is not waited for.
    pub async fn close(self) {
        self.listens.abort();
        self.own.close().await;
        self.pool.close().await;
    }

    pub(super) async fn change(&self, change: Change) -> Result<Outcome> {
        let packed = Box::new(Packed::of_any_size(change).await?);
        let outcome = self.writers.write(Work::Change(packed)).await?;
        outcome.context("a change has no outcome")
    }

    pub(super) async fn restore(&self, restore: Restore) -> Result<Option<Outcome>> {
        self.writers.write(Work::Restore(restore)).await
    }

    pub(super) async fn tag(&self, repository: &str, seen: &[Tag]) -> Result<Option<Tag>> {
        self.versions.tag(&self.pool, repository, seen).await
    }

    pub(super) async fn look(&self, repository: &str, view: &View) -> Result<Looked> {
        read::look(&self.pool, repository, view).await
    }

    pub(super) async fn history(
        &self,
        repository: &str,
        key: Option<&TeamKey>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        read::history(&self.pool, repository, key, before, limit).await
    }

    pub(super) async fn blob(&self, repository: &str, digits: &str) -> Result<Option<String>> {
        read::blob(&self.pool, repository, digits).await
    }

    pub(super) async fn grant(&self, presented: &Presented) -> Result<Option<Grant>> {
        maintain::grant(&self.pool, presented).await
    }

    pub(super) async fn add_token(&self, token: &NewToken, grant: &Grant, at: &str) -> Result<()> {
        maintain::add_token(&self.pool, token, grant, at).await
    }

    pub(super) async fn tokens(&self) -> Result<Vec<Grant>> {
        maintain::grants(&self.pool).await
    }

    pub(super) async fn revoke(&self, id: &str, at: &str) -> Result<bool> {
        maintain::revoke(&self.pool, id, at).await
    }

    pub(super) async fn check(&self) -> Result<CheckReport> {
        maintain::check(&self.pool).await
    }

    pub(super) async fn prune(&self, cutoffs: &Cutoffs) -> Result<Option<Pruned>> {
        maintain::prune(&self.pool, cutoffs).await
    }

    pub(super) async fn redact(&self, redaction: &Redaction) -> Result<Redacted> {
        maintain::redact(&self.pool, redaction).await
    }

    pub(super) async fn ready(&self) -> bool {
        sqlx::query("SELECT 1").execute(&self.pool).await.is_ok()
    }

    pub(super) fn watch(&self, repository: &str) -> Watch {
        self.versions.watch(repository)
    }
}

impl Drop for Postgres {
    /// Connections close with the last of their users: what has begun is finished.
    fn drop(&mut self) {
        self.listens.abort();
    }
}

/// Says of a full disk that it is one.
fn cause(error: sqlx::Error) -> anyhow::Error {
    let code = error.as_database_error().and_then(DatabaseError::code);
    // Class 53 of the codes is "insufficient resources"; 53100 is a full disk.
    let full = code.is_some_and(|code| code == "53100");
    let error = anyhow::Error::new(error);
    if full {
        error.context(StorageFull)
    } else {
        error
    }
}

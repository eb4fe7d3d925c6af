//! The server as a process, on a store of its own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::TempDir;

use crate::load::Client;
use crate::texts::TOKEN;

/// Where the data lie.
pub(crate) enum Store {
    Sqlite(TempDir),
    Postgres(String),
}

impl Store {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a folder"))
    }

    /// A new database on a server.
    pub(crate) async fn postgres(server: &str) -> Self {
        Self::Postgres(new_database(server, "bench_server").await)
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    fn arguments(&self) -> [String; 2] {
        match self {
            Self::Sqlite(folder) => ["--data".into(), folder.path().display().to_string()],
            Self::Postgres(address) => ["--database".into(), address.clone()],
        }
    }
}

/// Makes a database anew and returns its address.
pub(crate) async fn new_database(server: &str, name: &str) -> String {
    let mut connection = sqlx::PgConnection::connect(server)
        .await
        .expect("a connection");
    for statement in [
        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        format!("CREATE DATABASE {name}"),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .expect("a database");
    }
    let _ = connection.close().await;
    let (before, settings) = server.split_once('?').unwrap_or((server, ""));
    let (host, _) = before.rsplit_once('/').expect("an address with a database");
    format!("{host}/{name}?{settings}")
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    pub(crate) fn start(store: &Store) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_memstrata-server"))
            .env_clear()
            .args(["serve", "--listen", "127.0.0.1:0", "--dev-token", TOKEN])
            .args([
                "--writes-per-minute",
                "100000000",
                "--reads-per-minute",
                "100000000",
            ])
            .args(store.arguments())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://");
        let address = address
            .and_then(|text| text.parse().ok())
            .expect("an address");
        Self { child, address }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client::connect(self.address).await
    }

    /// What the process has in memory, where Linux tells.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.unwrap_or(0) * 1_024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

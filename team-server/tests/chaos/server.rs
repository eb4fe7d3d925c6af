//! Server processes: started, killed, started again on the same port.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// Where the data lie.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    /// One server on a folder.
    Sqlite(PathBuf),
    /// Replicas on one database.
    Postgres(String),
}

impl Store {
    /// A new database on the server that `MEMSTRATA_TEST_POSTGRES` names; `None` without one.
    pub(crate) fn new_database(name: &str) -> Result<Option<Self>, String> {
        let Ok(address) = std::env::var("MEMSTRATA_TEST_POSTGRES") else {
            return Ok(None);
        };
        let statement = format!("CREATE DATABASE {name}");
        let output = Command::new("psql")
            .args(["--no-psqlrc", "--quiet", "--command", &statement, &address])
            .output()
            .map_err(|error| format!("psql cannot be run: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let (before, options) = address.split_once('?').unwrap_or((&address, ""));
        let (server, _) = before
            .rsplit_once('/')
            .ok_or("the address of PostgreSQL names no database")?;
        Ok(Some(Self::Postgres(format!("{server}/{name}?{options}"))))
    }

    fn arguments(&self) -> Vec<String> {
        match self {
            Self::Sqlite(folder) => vec!["--data".into(), folder.display().to_string()],
            Self::Postgres(database) => vec!["--database".into(), database.clone()],
        }
    }
}

/// The servers of a run.
pub(crate) struct Servers {
    program: PathBuf,
    store: Store,
    addresses: Vec<SocketAddr>,
    running: Vec<Mutex<Option<Child>>>,
    log: PathBuf,
}

impl Servers {
    /// Starts `count` servers, each on a port of its own.
    pub(crate) fn start(
        program: &Path,
        store: Store,
        count: usize,
        log: &Path,
    ) -> Result<Self, String> {
        let mut servers = Self {
            program: program.to_owned(),
            store,
            addresses: Vec::new(),
            running: Vec::new(),
            log: log.to_owned(),
        };
        for _ in 0..count {
            // The port is free again at once; a server that is started again needs the same one.
            let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
            servers
                .addresses
                .push(port.map_err(|error| error.to_string())?);
            servers.running.push(Mutex::new(None));
        }
        for at in 0..count {
            servers.revive(at)?;
        }
        Ok(servers)
    }

    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.addresses.clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.addresses.len()
    }

    /// `kill -9`.
    pub(crate) fn kill(&self, at: usize) {
        let child = self.running[at].lock().expect("no panic inside").take();
        if let Some(mut child) = child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts a server that is not running.
    pub(crate) fn revive(&self, at: usize) -> Result<(), String> {
        let mut running = self.running[at].lock().expect("no panic inside");
        if running.is_some() {
            return Ok(());
        }
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log);
        let mut child = Command::new(&self.program)
            .arg("serve")
            .args(self.store.arguments())
            .args(["--listen", &self.addresses[at].to_string()])
            .args(["--writes-per-minute", "1000000"])
            .args(["--reads-per-minute", "1000000"])
            // Long runs leave more conflict copies than a team would.
            .args(["--max-entries", "5000"])
            .args(["--max-repository-bytes", "100000000"])
            .stdout(Stdio::piped())
            .stderr(log.map_or_else(|_| Stdio::null(), Stdio::from))
            .spawn()
            .map_err(|error| format!("the server cannot be started: {error}"))?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("the server has no output")?;
        let read = BufReader::new(stdout).read_line(&mut line);
        if read.is_err() || !line.starts_with("listening on ") {
            let _ = child.kill();
            let _ = child.wait();
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            return Err(format!(
                "the server said {line:?} and not where it listens; its log:\n{log}"
            ));
        }
        *running = Some(child);
        Ok(())
    }

    /// Runs another command of the program on the same data.
    pub(crate) fn run(&self, words: &[&str]) -> Result<Output, String> {
        Command::new(&self.program)
            .args(words)
            .args(self.store.arguments())
            .output()
            .map_err(|error| format!("the server's program cannot be run: {error}"))
    }

    /// A new token.
    pub(crate) fn token(&self, name: &str) -> Result<String, String> {
        let output = self.run(&["token", "add", "--name", name])?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Everything the server holds, asked on the straight way.
    pub(crate) fn snapshot(&self, token: &str) -> Result<serde_json::Value, String> {
        let failed = |error: std::io::Error| format!("the server does not answer: {error}");
        let mut stream = TcpStream::connect(self.addresses[0]).map_err(failed)?;
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .map_err(failed)?;
        write!(
            stream,
            "GET /api/claude_code/team_memory?repo=acme/app HTTP/1.1\r\nhost: x\r\n\
             connection: close\r\nauthorization: Bearer {token}\r\n\r\n"
        )
        .map_err(failed)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(failed)?;
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .ok_or("the answer has no end")?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(format!("the server answered {head} {body}"));
        }
        serde_json::from_str(body).map_err(|error| error.to_string())
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for at in 0..self.count() {
            self.kill(at);
        }
    }
}

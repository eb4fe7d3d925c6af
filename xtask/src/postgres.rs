//! A PostgreSQL server for the time of one command: fresh, private, gone afterwards.
//!
//! It lies in a temporary folder with its socket and listens nowhere else. `initdb` refuses to run as root, so
//! that root's server runs as the user `nobody`. A small shell stands between us and the server: when its
//! standard input ends, because we are done or because somebody killed us, it stops the server and removes
//! the folder.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{root, run};

/// Where tests find the server.
pub(crate) const VARIABLE: &str = "MEMSTRATA_TEST_POSTGRES";

const USAGE: &str = "usage: cargo xtask postgres [--durable] -- COMMAND [ARGUMENT]...";

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commits {
    /// As in production: for figures.
    Durable,
    /// For tests: what they kill is our own program, never the database.
    Quick,
}

/// Runs any command with a fresh server, whose address is in its environment.
pub(crate) fn run_task(arguments: &[String]) -> Result<()> {
    let (commits, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "--durable" => (Commits::Durable, rest),
        _ => (Commits::Quick, arguments),
    };
    let words = rest.strip_prefix(&["--".to_owned()]).context(USAGE)?;
    let (program, arguments) = words.split_first().context(USAGE)?;
    let server = Server::start(commits)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    run(point_to(&server, &mut command))
}

/// Runs a command with a server where there are the programs for one, else without, and says so.
pub(crate) fn run_with_server(command: &mut Command, commits: Commits) -> Result<()> {
    if std::env::var_os(VARIABLE).is_some() {
        return run(command);
    }
    if programs().is_none() {
        eprintln!(
            "== no PostgreSQL on this machine (Debian: apt install postgresql): its store is NOT tested"
        );
        return run(command);
    }
    let server = Server::start(commits)?;
    run(point_to(&server, command))
}

/// Tells a command where the server is, and puts the server's programs, such as `pg_dump`, on its path.
fn point_to<'command>(server: &Server, command: &'command mut Command) -> &'command mut Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(programs());
    if let Ok(path) = std::env::join_paths(folders) {
        command.env("PATH", path);
    }
    command.env(VARIABLE, server.address())
}

/// The folder of `initdb` and `postgres`: on the path, or where Debian, Fedora and Homebrew put them.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    for (parent, below) in [
        ("/usr/lib/postgresql", "bin"),
        ("/opt/homebrew/opt", "bin"),
        ("/usr", "bin"),
    ] {
        let Ok(entries) = std::fs::read_dir(parent) else {
            continue;
        };
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path().join(below))
            .collect();
        // The newest version first.
        found.sort();
        folders.extend(found.into_iter().rev());
    }
    folders
        .into_iter()
        .find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

#[cfg(unix)]
pub(crate) use unix::Server;

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use anyhow::{Context, Result, bail};

    use super::{Commits, programs};

    /// `nobody` and its group, on Debian and most others.
    const NOBODY: u32 = 65_534;

    /// How long a server may take to start.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// What must be free in memory to use it instead of a disk; containers often have 64 MiB.
    const MEMORY_KIB: u64 = 2 * 1024 * 1024;

    /// Stops the server when standard input ends, however that came about. A server that ends by itself leaves
    /// the folder, for its log.
    const KEEPER: &str = r#"
folder=$1; shift
exec 3<&0
"$@" >"$folder/log" 2>&1 </dev/null 3<&- &
server=$!
(cat <&3 >/dev/null; : >"$folder/stop"; while kill -INT $server; do sleep 0.1; done) 2>/dev/null &
wait $server
code=$?
[ -e "$folder/stop" ] && rm -rf "$folder"
exit $code
"#;

    /// A running server.
    pub(crate) struct Server {
        folder: PathBuf,
        keeper: Child,
    }

    impl Server {
        /// Makes and starts a server, and waits until it answers.
        pub(crate) fn start(commits: Commits) -> Result<Self> {
            let Some(programs) = programs() else {
                bail!("there is no PostgreSQL here; on Debian: apt install postgresql");
            };
            let folder = private_folder(commits)?;
            let data = folder.join("data");
            let mut initdb = as_nobody_if_root(&folder, Command::new(programs.join("initdb")))?;
            initdb
                .args(["--username=memstrata", "--auth=trust", "--no-sync"])
                .args(["--encoding=UTF8", "--locale=C", "--pgdata"])
                .arg(&data);
            let made = initdb.output().context("initdb cannot be started")?;
            if !made.status.success() {
                let said = String::from_utf8_lossy(&made.stderr).into_owned();
                // A folder that is left over is no worse than the message.
                let _ = fs::remove_dir_all(&folder);
                bail!("initdb ended with {}: {said}", made.status);
            }
            let mut keeper = as_nobody_if_root(&folder, Command::new("sh"))?;
            keeper
                .args(["-c", KEEPER, "keeper"])
                .arg(&folder)
                .arg(programs.join("postgres"))
                .arg("-D")
                .arg(&data)
                .arg("-k")
                .arg(&folder)
                .args(["-c", "listen_addresses=", "-c", "max_connections=300"]);
            if commits == Commits::Quick {
                keeper.args([
                    "-F",
                    "-c",
                    "synchronous_commit=off",
                    "-c",
                    "full_page_writes=off",
                ]);
            }
            let keeper = keeper
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                // A group of its own: Ctrl-C is for us, the end of our process is for the keeper.
                .process_group(0)
                .spawn()
                .context("sh cannot be started")?;
            let mut server = Self { folder, keeper };
            server.wait_until_ready(&data)?;
            Ok(server)
        }

        /// The address, as our own program takes it.
        pub(crate) fn address(&self) -> String {
            let folder = self.folder.display();
            format!("postgres://memstrata@localhost/postgres?host={folder}")
        }

        /// The server writes its state into its own file, where `pg_ctl` reads it too.
        fn wait_until_ready(&mut self, data: &Path) -> Result<()> {
            let begin = Instant::now();
            loop {
                let state = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
                if state
                    .lines()
                    .nth(7)
                    .is_some_and(|line| line.trim() == "ready")
                {
                    return Ok(());
                }
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                if let Some(status) = self.keeper.try_wait()? {
                    bail!("PostgreSQL ended with {status} instead of starting: {log}");
                }
                if begin.elapsed() > PATIENCE {
                    bail!(
                        "PostgreSQL has not started in {} s: {log}",
                        PATIENCE.as_secs()
                    );
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            drop(self.keeper.stdin.take());
            // There is nobody left to tell of a failure.
            let _ = self.keeper.wait();
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    /// A new folder only its owner may enter.
    fn private_folder(commits: Commits) -> Result<PathBuf> {
        let memory = Path::new("/dev/shm");
        // Each test has a database of its own, of more than a thousand small files.
        let parent = if commits == Commits::Quick && free_kib(memory) > MEMORY_KIB {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        for attempt in 0..100 {
            // Short: the path of a socket has at most about 100 bytes.
            let name = format!("memstrata-pg-{}-{attempt}", std::process::id());
            let folder = parent.join(name);
            match fs::DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot make {}", folder.display()));
                }
            }
        }
        bail!(
            "no free name for a folder in {}",
            std::env::temp_dir().display()
        )
    }

    /// What `df` says is free; nothing where there is no such folder.
    fn free_kib(folder: &Path) -> u64 {
        let output = Command::new("df")
            .arg("-Pk")
            .arg(folder)
            .stderr(Stdio::null())
            .output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let column = text.ok().and_then(|text| {
            let line = text.lines().nth(1)?;
            line.split_whitespace().nth(3)?.parse().ok()
        });
        column.unwrap_or(0)
    }

    fn as_nobody_if_root(folder: &Path, mut command: Command) -> Result<Command> {
        // Whose the folder is tells who we are, and after the first call who the server is.
        if fs::metadata("/proc/self")
            .or_else(|_| fs::metadata(folder))?
            .uid()
            == 0
        {
            chown(folder, Some(NOBODY), Some(NOBODY))?;
            command.uid(NOBODY).gid(NOBODY);
        }
        command.env("LC_ALL", "C").current_dir(folder);
        Ok(command)
    }
}

#[cfg(not(unix))]
pub(crate) struct Server;

#[cfg(not(unix))]
impl Server {
    pub(crate) fn start(_: Commits) -> Result<Self> {
        anyhow::bail!(
            "a server for one command needs Unix sockets; set {VARIABLE} to the address of one"
        )
    }

    pub(crate) fn address(&self) -> String {
        String::new()
    }
}

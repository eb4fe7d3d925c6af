//! The embedded store: one SQLite file, one writer thread with group commit, readers beside it.

mod maintain;
mod read;
mod schema;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;

use anyhow::{Context as _, Result, anyhow};
use rusqlite::{Connection, OpenFlags};
use team_sync::{Tag, TeamKey};
use tokio::sync::{broadcast, mpsc, oneshot};

use super::{Looked, Outcome, Revision, View};
use crate::change::Change;
use crate::limits::Limits;
use crate::token::{Grant, NewToken, Presented};

pub use maintain::CheckReport;

/// Changes that wait for the writer; more callers than this wait themselves.
const QUEUE: usize = 256;

/// Connections that are kept for readers.
const IDLE_READERS: usize = 8;

/// Where the file lies and what a repository may use.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The folder of the data.
    pub folder: PathBuf,
    /// What a repository may use.
    pub limits: Limits,
}

/// The store in one SQLite file.
pub struct Sqlite {
    file: PathBuf,
    writer: Option<mpsc::Sender<write::Job>>,
    thread: Option<JoinHandle<()>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    shared: Arc<Shared>,
}

/// What the writer tells the readers.
struct Shared {
    /// The current tag of each repository that was asked for or written.
    tags: RwLock<HashMap<String, Tag>>,
    /// The names of repositories, as they change.
    changed: broadcast::Sender<String>,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Sqlite")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Opens the file, makes it where it is missing, and starts the writer.
    ///
    /// # Errors
    ///
    /// The folder cannot be written, or the file is of another program or a newer version.
    pub fn open(options: &SqliteOptions) -> Result<Self> {
        let folder = &options.folder;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the data folder {} cannot be made", folder.display()))?;
        let file = folder.join("memstrata.db");
        let mut connection = connect(&file)?;
        schema::prepare(&mut connection)
            .with_context(|| format!("{} cannot be used", file.display()))?;

        let (changed, _) = broadcast::channel(1_024);
        let shared = Arc::new(Shared {
            tags: RwLock::default(),
            changed,
        });
        let (sender, receiver) = mpsc::channel(QUEUE);
        let (limits, told) = (options.limits, Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || write::run(connection, receiver, &limits, &told))
            .context("the writer cannot be started")?;
        Ok(Self {
            file,
            writer: Some(sender),
            thread: Some(thread),
            readers: Arc::default(),
            shared,
        })
    }

    /// Carries out a change, or says why not.
    ///
    /// # Errors
    ///
    /// The file could not be written; nothing was changed.
    pub async fn change(&self, change: Change) -> Result<Outcome> {
        let (answer, answered) = oneshot::channel();
        self.send(write::Job::Change {
            change: Box::new(change),
            answer,
        })
        .await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Makes the state of an earlier version of one key, or of all, the newest version.
    ///
    /// # Errors
    ///
    /// The file could not be written; nothing was changed.
    pub async fn restore(&self, restore: Restore) -> Result<Option<Outcome>> {
        let (answer, answered) = oneshot::channel();
        self.send(write::Job::Restore { restore, answer }).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// The current tag of a repository, from memory where it is known.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub async fn tag(&self, repository: &str) -> Result<Option<Tag>> {
        if let Some(tag) = self.shared.known(repository) {
            return Ok(Some(tag));
        }
        let name = repository.to_owned();
        let shared = Arc::clone(&self.shared);
        self.read(move |connection| {
            let tag = read::tag(connection, &name)?;
            if let Some(tag) = &tag {
                shared.remember_older(&name, tag);
            }
            Ok(tag)
        })
        .await
    }

    /// Looks at a repository.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub async fn look(&self, repository: &str, view: View) -> Result<Looked> {
        let name = repository.to_owned();
        self.read(move |connection| read::look(connection, &name, &view))
            .await
    }

    /// The history, newest first, of one key or of all.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub async fn history(
        &self,
        repository: &str,
        key: Option<TeamKey>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        let name = repository.to_owned();
        self.read(move |connection| read::history(connection, &name, key.as_ref(), before, limit))
            .await
    }

    /// A text by the hexadecimal digits of its checksum.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub async fn blob(&self, repository: &str, digits: &str) -> Result<Option<String>> {
        let (name, digits) = (repository.to_owned(), digits.to_owned());
        self.read(move |connection| read::blob(connection, &name, &digits))
            .await
    }

    /// What a presented token may do; `None` when it is not known, or revoked.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub async fn grant(&self, presented: Presented) -> Result<Option<Grant>> {
        self.read(move |connection| maintain::grant(connection, &presented))
            .await
    }

    /// Stores a new token.
    ///
    /// # Errors
    ///
    /// The file could not be written.
    pub fn add_token(&self, token: &NewToken, grant: &Grant, at: &str) -> Result<()> {
        maintain::add_token(&connect(&self.file)?, token, grant, at)
    }

    /// All tokens that are not revoked.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub fn tokens(&self) -> Result<Vec<Grant>> {
        maintain::tokens(&connect(&self.file)?)
    }

    /// Revokes a token; `false` when there is none of that id.
    ///
    /// # Errors
    ///
    /// The file could not be written.
    pub fn revoke(&self, id: &str, at: &str) -> Result<bool> {
        maintain::revoke(&connect(&self.file)?, id, at)
    }

    /// Copies the data while the server runs.
    ///
    /// # Errors
    ///
    /// The target exists, or could not be written.
    pub fn backup(&self, target: &Path) -> Result<()> {
        maintain::backup(&connect(&self.file)?, target)
    }

    /// Verifies every checksum and that all that is named is there.
    ///
    /// # Errors
    ///
    /// The file could not be read.
    pub fn check(&self) -> Result<CheckReport> {
        maintain::check(&connect(&self.file)?)
    }

    /// Whether the file can be read now.
    pub async fn ready(&self) -> bool {
        self.read(|connection| Ok(connection.query_row("SELECT 1", [], |_| Ok(()))?))
            .await
            .is_ok()
    }

    /// Tells of repositories as they change.
    pub fn changes(&self) -> broadcast::Receiver<String> {
        self.shared.changed.subscribe()
    }

    async fn send(&self, job: write::Job) -> Result<()> {
        let writer = self.writer.as_ref().ok_or_else(stopped)?;
        writer.send(job).await.map_err(|_| stopped())
    }

    async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let readers = Arc::clone(&self.readers);
        let file = self.file.clone();
        tokio::task::spawn_blocking(move || {
            let idle = readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match idle {
                Some(connection) => connection,
                None => connect(&file)?,
            };
            let result = work(&connection);
            let mut readers = readers.lock().unwrap_or_else(PoisonError::into_inner);
            if result.is_ok() && readers.len() < IDLE_READERS {
                readers.push(connection);
            }
            result
        })
        .await
        .context("a reader was stopped")?
    }
}

impl Drop for Sqlite {
    /// Lets the writer finish what it has been given.
    fn drop(&mut self) {
        self.writer = None;
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has said so already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn known(&self, repository: &str) -> Option<Tag> {
        let tags = self.tags.read().unwrap_or_else(PoisonError::into_inner);
        tags.get(repository).cloned()
    }

    /// What the writer has committed.
    fn announce(&self, repository: &str, tag: &Tag) {
        let mut tags = self.tags.write().unwrap_or_else(PoisonError::into_inner);
        tags.insert(repository.to_owned(), tag.clone());
        drop(tags);
        // Nobody listens: nobody waits.
        let _ = self.changed.send(repository.to_owned());
    }

    /// What a reader has seen; the writer may have gone on meanwhile.
    fn remember_older(&self, repository: &str, tag: &Tag) {
        let mut tags = self.tags.write().unwrap_or_else(PoisonError::into_inner);
        tags.entry(repository.to_owned())
            .or_insert_with(|| tag.clone());
    }
}

/// A wish to go back.
#[derive(Clone, Debug)]
pub struct Restore {
    /// The repository.
    pub repository: String,
    /// The version whose state is wanted.
    pub version: u64,
    /// One key, or all.
    pub key: Option<TeamKey>,
    /// Who.
    pub author: String,
    /// When, RFC 3339.
    pub at: String,
}

fn connect(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)
        .with_context(|| format!("{} cannot be opened", file.display()))?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A commit that was answered survives a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

fn stopped() -> anyhow::Error {
    anyhow!("the writer has stopped")
}

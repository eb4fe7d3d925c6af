//! The embedded store: one SQLite file, one writer thread with group commit, readers beside it.

mod forget;
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
use tokio::sync::{mpsc, oneshot};

use super::content::Packed;
use super::waiters::{Waiters, Watch};
use super::{
    CheckReport, Cutoffs, Looked, Outcome, Pruned, Redacted, Redaction, Restore, Revision,
    StorageFull, View,
};
use crate::change::Change;
use crate::limits::Limits;
use crate::token::{Grant, NewToken, Presented};

/// Changes that wait for the writer; more callers than this wait themselves.
const QUEUE: usize = 256;

/// Connections that are kept for readers.
const IDLE_READERS: usize = 8;

/// Where the file lies and what a repository may use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// The folder of the data.
    pub folder: PathBuf,
    /// What a repository may use.
    pub limits: Limits,
    /// The most pages of 4,096 bytes the file may have; beyond, it is like a full disk.
    pub max_pages: Option<u32>,
}

impl SqliteOptions {
    /// The defaults, for data in a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            limits: Limits::default(),
            max_pages: None,
        }
    }
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
    /// Who waits for changes.
    waiters: Waiters,
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
        private_folder(folder)
            .with_context(|| format!("the data folder {} cannot be made", folder.display()))?;
        let file = folder.join("memstrata.db");
        let mut connection =
            connect(&file).with_context(|| format!("{} cannot be opened", file.display()))?;
        schema::prepare(&mut connection)
            .with_context(|| format!("{} cannot be used", file.display()))?;
        if let Some(pages) = options.max_pages {
            connection.pragma_update(None, "max_page_count", pages)?;
        }

        let shared = Arc::new(Shared {
            tags: RwLock::default(),
            waiters: Waiters::default(),
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

    pub(super) async fn change(&self, change: Change) -> Result<Outcome> {
        let packed = Box::new(Packed::of_any_size(change).await?);
        let outcome = self.write(write::Work::Change(packed)).await?;
        outcome.context("a change has no outcome")
    }

    pub(super) async fn restore(&self, restore: Restore) -> Result<Option<Outcome>> {
        self.write(write::Work::Restore(restore)).await
    }

    pub(super) async fn tag(&self, repository: &str) -> Result<Option<Tag>> {
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

    pub(super) async fn look(&self, repository: &str, view: View) -> Result<Looked> {
        let name = repository.to_owned();
        self.read(move |connection| read::look(connection, &name, &view))
            .await
    }

    pub(super) async fn history(
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

    pub(super) async fn blob(&self, repository: &str, digits: &str) -> Result<Option<String>> {
        let (name, digits) = (repository.to_owned(), digits.to_owned());
        self.read(move |connection| read::blob(connection, &name, &digits))
            .await
    }

    pub(super) async fn grant(&self, presented: Presented) -> Result<Option<Grant>> {
        self.read(move |connection| maintain::grant(connection, &presented))
            .await
    }

    pub(super) async fn add_token(&self, token: &NewToken, grant: &Grant, at: &str) -> Result<()> {
        let (hash, grant, at) = (token.hash(), grant.clone(), at.to_owned());
        self.read(move |connection| maintain::add_token(connection, &hash, &grant, &at))
            .await
    }

    pub(super) async fn tokens(&self) -> Result<Vec<Grant>> {
        self.read(maintain::tokens).await
    }

    pub(super) async fn revoke(&self, id: &str, at: &str) -> Result<bool> {
        let (id, at) = (id.to_owned(), at.to_owned());
        self.read(move |connection| maintain::revoke(connection, &id, &at))
            .await
    }

    pub(super) async fn backup(&self, target: &Path) -> Result<()> {
        let target = target.to_owned();
        self.read(move |connection| maintain::backup(connection, &target))
            .await
    }

    pub(super) async fn check(&self) -> Result<CheckReport> {
        self.read(maintain::check).await
    }

    pub(super) async fn prune(&self, cutoffs: &Cutoffs) -> Result<Pruned> {
        let cutoffs = cutoffs.clone();
        self.read(move |connection| forget::prune(connection, &cutoffs))
            .await
    }

    pub(super) async fn redact(&self, redaction: &Redaction) -> Result<Redacted> {
        let (redaction, file) = (redaction.clone(), self.file.clone());
        self.read(move |connection| forget::redact(connection, &file, &redaction))
            .await
    }

    pub(super) async fn ready(&self) -> bool {
        self.read(|connection| Ok(connection.query_row("SELECT 1", [], |_| Ok(()))?))
            .await
            .is_ok()
    }

    pub(super) fn watch(&self, repository: &str) -> Watch {
        self.shared.waiters.watch(repository)
    }

    async fn write(&self, work: write::Work) -> Result<Option<Outcome>> {
        let (answer, answered) = oneshot::channel();
        let writer = self.writer.as_ref().ok_or_else(stopped)?;
        let job = write::Job { work, answer };
        writer.send(job).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
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
        self.waiters.wake(repository);
    }

    /// What a reader has seen; the writer may have gone on meanwhile.
    fn remember_older(&self, repository: &str, tag: &Tag) {
        let mut tags = self.tags.write().unwrap_or_else(PoisonError::into_inner);
        tags.entry(repository.to_owned())
            .or_insert_with(|| tag.clone());
    }
}

/// Makes the folder where it is missing. What a team remembers is for the user of the server only.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn connect(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A commit that was answered survives a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What was deleted or redacted is overwritten, and not left in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Says of a full disk that it is one.
fn cause(error: rusqlite::Error) -> anyhow::Error {
    let full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
    let error = anyhow::Error::new(error);
    if full {
        error.context(StorageFull)
    } else {
        error
    }
}

fn stopped() -> anyhow::Error {
    anyhow!("the writer has stopped")
}

//! The versions of repositories, remembered for a moment, and what replicas tell each other.
//!
//! A change is announced after its commit, by one task for the whole process: within the transaction it would
//! make all commits of the database wait for each other, because PostgreSQL orders its notifications by a
//! lock that is held while the disk is flushed. A replica that is killed between commit and announcement
//! delays what others remember by the 2 seconds below, and their long polls to the end of the poll.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use anyhow::Result;
use sqlx::postgres::PgListener;
use team_sync::Tag;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{Pool, read, schema, sql};
use crate::store::Watch;
use crate::store::waiters::Waiters;

/// How long a version is believed. Writes never rely on it.
const BELIEF: Duration = Duration::from_secs(2);

/// Repositories that are remembered: about 100 MB.
const REMEMBERED: usize = 1_000_000;

/// The channel of the database. What arrives there is only a hint to look again.
const CHANNEL: &str = "memstrata_changed";

/// Announcements that wait. More are not made: what others remember ends by itself.
const QUEUE: usize = 4_096;

/// The pause before a lost connection is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// What this process remembers, and who waits in it.
pub(super) struct Versions {
    tags: RwLock<HashMap<String, (Tag, Instant)>>,
    /// Counts what was heard: an answer that was under way meanwhile is not remembered.
    heard: AtomicU64,
    waiters: Waiters,
    outbox: mpsc::Sender<String>,
}

impl Versions {
    /// Starts the two tasks: one tells, and ends by itself; one listens, and is returned.
    pub(super) async fn start(pool: &Pool, own: Pool) -> Result<(Arc<Self>, JoinHandle<()>)> {
        let (outbox, inbox) = mpsc::channel(QUEUE);
        let versions = Arc::new(Self {
            tags: RwLock::default(),
            heard: AtomicU64::new(0),
            waiters: Waiters::default(),
            outbox,
        });
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen(CHANNEL).await?;
        // Ends once nobody can announce anything any more, and all was told.
        tokio::spawn(tell(pool.clone(), inbox));
        let listens = tokio::spawn(listen(own, listener, Arc::clone(&versions)));
        Ok((versions, listens))
    }

    /// The tag of a repository, from memory if that is not older than what the reader has seen.
    pub(super) async fn tag(
        &self,
        pool: &Pool,
        repository: &str,
        seen: &[Tag],
    ) -> Result<Option<Tag>> {
        if let Some(tag) = self.known(repository)
            && seen.iter().all(|one| is_covered(one, &tag))
        {
            return Ok(Some(tag));
        }
        let (heard, asked) = (self.heard.load(Ordering::SeqCst), Instant::now());
        let tag = read::tag(pool, repository).await?;
        if let Some(tag) = &tag {
            let mut tags = self.tags();
            if self.heard.load(Ordering::SeqCst) == heard {
                remember(&mut tags, repository, tag, asked);
            }
        }
        Ok(tag)
    }

    /// What this process has committed.
    pub(super) fn announce(&self, repository: &str, tag: &Tag) {
        remember(&mut self.tags(), repository, tag, Instant::now());
        self.waiters.wake(repository);
        let _ = self.outbox.try_send(repository.to_owned());
    }

    pub(super) fn watch(&self, repository: &str) -> Watch {
        self.waiters.watch(repository)
    }

    fn known(&self, repository: &str) -> Option<Tag> {
        let tags = self.tags.read().unwrap_or_else(PoisonError::into_inner);
        let (tag, since) = tags.get(repository)?;
        (since.elapsed() < BELIEF).then(|| tag.clone())
    }

    fn tags(&self) -> RwLockWriteGuard<'_, HashMap<String, (Tag, Instant)>> {
        self.tags.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody has changed a repository.
    fn hear(&self, repository: &str) {
        let mut tags = self.tags();
        self.heard.fetch_add(1, Ordering::SeqCst);
        tags.remove(repository);
        drop(tags);
        self.waiters.wake(repository);
    }

    /// Nobody knows what was missed.
    fn hear_anything(&self) {
        let mut tags = self.tags();
        self.heard.fetch_add(1, Ordering::SeqCst);
        tags.clear();
        drop(tags);
        self.waiters.wake_all();
    }
}

fn remember(
    tags: &mut HashMap<String, (Tag, Instant)>,
    repository: &str,
    tag: &Tag,
    since: Instant,
) {
    if tags.len() >= REMEMBERED {
        tags.retain(|_, (_, since)| since.elapsed() < BELIEF);
    }
    let room = tags.len() < REMEMBERED;
    match tags.get_mut(repository) {
        // An answer that was on its way while this process has written.
        Some((known, _)) if known.epoch() == tag.epoch() && known.version() > tag.version() => {}
        Some(known) => *known = (tag.clone(), since),
        None if room => drop(tags.insert(repository.to_owned(), (tag.clone(), since))),
        None => {}
    }
}

/// Whether a reader who has seen `one` learns nothing older from `known`.
fn is_covered(one: &Tag, known: &Tag) -> bool {
    one.epoch() == known.epoch() && one.version() <= known.version()
}

/// Tells the other replicas, all that waits in one statement.
async fn tell(pool: Pool, mut inbox: mpsc::Receiver<String>) {
    let mut names = Vec::new();
    while inbox.recv_many(&mut names, QUEUE).await > 0 {
        let once: BTreeSet<String> = names.drain(..).collect();
        let once: Vec<String> = once.into_iter().collect();
        let told = sqlx::query(sql::NOTIFY)
            .bind(CHANNEL)
            .bind(once)
            .execute(&pool)
            .await;
        if let Err(error) = told {
            tracing::warn!(
                error = error.to_string(),
                "other replicas could not be told of changes"
            );
        }
    }
}

/// Listens until the pool is closed.
async fn listen(own: Pool, mut listener: PgListener, versions: Arc<Versions>) {
    loop {
        match listener.try_recv().await {
            Ok(Some(notification)) => versions.hear(notification.payload()),
            // The connection was lost, and is there again: perhaps to a standby that took over.
            Ok(None) => {
                versions.hear_anything();
                if let Err(error) = notice_restore(&own).await {
                    tracing::warn!(
                        error = format!("{error:#}"),
                        "the database could not be looked at"
                    );
                }
            }
            Err(sqlx::Error::PoolClosed) => return,
            Err(error) => {
                tracing::warn!(
                    error = error.to_string(),
                    "the database cannot be listened to"
                );
                versions.hear_anything();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn notice_restore(own: &Pool) -> Result<()> {
    let mut connection = own.acquire().await?;
    schema::notice_restore(&mut connection).await
}

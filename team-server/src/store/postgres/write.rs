//! Writers.
//!
//! Changes of one repository that wait in this process are taken together, in one transaction. Replicas meet
//! in the database, where whoever comes second starts again, and then alone: an advisory lock, shared by all
//! first attempts, is taken exclusively by second ones, so that nobody is overtaken for ever.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, bail};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::attempt::{Attempt, attempt, begin, is_conflict, take_back};
use super::versions::Versions;
use super::{Pool, cause};
use crate::change::Refusal;
use crate::limits::Limits;
use crate::store::content::Packed;
use crate::store::{Outcome, Restore};

/// The most changes of one transaction.
const GROUP: usize = 64;

/// The most bytes of compressed text in one transaction, unless one change alone has more.
const GROUP_BYTES: usize = 4 * 1024 * 1024;

/// Changes that wait in this process; more callers than this wait themselves.
const QUEUE: usize = 1_024;

/// Attempts for one group. The second is alone, so that a third is rarely needed: somebody without our lock
/// has changed the rows.
const ATTEMPTS: usize = 5;

/// What is to be done.
pub(super) enum Work {
    Change(Box<Packed>),
    Restore(Restore),
}

struct Job {
    work: Work,
    answer: oneshot::Sender<Result<Option<Outcome>>>,
    /// Its place among those that wait.
    _place: OwnedSemaphorePermit,
}

/// The queues of all repositories that somebody writes just now.
pub(super) struct Writers {
    pool: Pool,
    limits: Limits,
    versions: Arc<Versions>,
    places: Arc<Semaphore>,
    queues: Mutex<HashMap<String, VecDeque<Job>>>,
}

impl Writers {
    pub(super) fn new(pool: Pool, limits: Limits, versions: Arc<Versions>) -> Self {
        Self {
            pool,
            limits,
            versions,
            places: Arc::new(Semaphore::new(QUEUE)),
            queues: Mutex::default(),
        }
    }

    /// Waits for its turn, does the work, and returns what came of it. Work that has begun is finished even
    /// if the caller goes away.
    pub(super) async fn write(self: &Arc<Self>, work: Work) -> Result<Option<Outcome>> {
        let place = Arc::clone(&self.places).acquire_owned().await?;
        let repository = match &work {
            Work::Change(packed) => packed.change.repository.clone(),
            Work::Restore(restore) => restore.repository.clone(),
        };
        let (answer, answered) = oneshot::channel();
        self.enqueue(
            repository,
            Job {
                work,
                answer,
                _place: place,
            },
        );
        answered.await.context("a writer was stopped")?
    }

    fn enqueue(self: &Arc<Self>, repository: String, job: Job) {
        let mut queues = self.queues();
        if let Some(queue) = queues.get_mut(&repository) {
            queue.push_back(job);
        } else {
            queues.insert(repository.clone(), VecDeque::from([job]));
            tokio::spawn(Arc::clone(self).work_off(repository));
        }
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Job>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until nothing waits for this repository.
    async fn work_off(self: Arc<Self>, repository: String) {
        let _guard = Guard {
            writers: &self,
            repository: &repository,
        };
        while let Some(group) = self.next_group(&repository) {
            let results = match group.as_slice() {
                [
                    Job {
                        work: Work::Restore(restore),
                        ..
                    },
                ] => vec![self.restore(restore).await],
                jobs => self.changes(&repository, jobs).await,
            };
            for (job, result) in group.into_iter().zip(results) {
                // A caller that has gone away hears nothing.
                let _ = job.answer.send(result);
            }
        }
    }

    /// What is done together: changes up to the limits of a transaction, or one restore. The queue goes once
    /// it is empty, so that the next caller starts a new writer.
    fn next_group(&self, repository: &str) -> Option<Vec<Job>> {
        let mut queues = self.queues();
        let queue = queues.get_mut(repository)?;
        let (mut group, mut bytes) = (Vec::new(), 0);
        while let Some(job) = queue.pop_front() {
            let weight = match &job.work {
                Work::Change(packed) => packed.weight(),
                Work::Restore(_) => usize::MAX,
            };
            bytes = usize::saturating_add(bytes, weight);
            if !group.is_empty() && (bytes > GROUP_BYTES || group.len() == GROUP) {
                queue.push_front(job);
                break;
            }
            group.push(job);
        }
        if group.is_empty() {
            queues.remove(repository);
            return None;
        }
        Some(group)
    }

    async fn changes(&self, repository: &str, jobs: &[Job]) -> Vec<Result<Option<Outcome>>> {
        let packed: Vec<&Packed> = jobs
            .iter()
            .filter_map(|job| match &job.work {
                Work::Change(packed) => Some(&**packed),
                Work::Restore(_) => None,
            })
            .collect();
        match self.commit(repository, &packed).await {
            Ok(outcomes) => outcomes.into_iter().map(|one| Ok(Some(one))).collect(),
            // Whoever fails alone does not take the others along.
            Err(_) if packed.len() > 1 => {
                let mut results = Vec::with_capacity(packed.len());
                for one in packed {
                    let outcome = self.commit(repository, &[one]).await;
                    results.push(outcome.map(|mut outcomes| outcomes.pop()));
                }
                results
            }
            Err(error) => vec![Err(error)],
        }
    }

    async fn restore(&self, restore: &Restore) -> Result<Option<Outcome>> {
        for _ in 0..ATTEMPTS {
            let mut connection = self.pool.acquire().await?;
            let Some(change) = take_back(&mut connection, restore).await? else {
                return Ok(None);
            };
            drop(connection);
            let packed = Packed::of_any_size(change).await?;
            let outcome = self.commit(&restore.repository, &[&packed]).await?.pop();
            // Its precondition is the version that was read; somebody else was faster.
            if !matches!(outcome, Some(Err(Refusal::Stale { .. }))) {
                return Ok(outcome);
            }
        }
        bail!("the repository changes faster than it can be restored")
    }

    async fn commit(&self, repository: &str, packed: &[&Packed]) -> Result<Vec<Outcome>> {
        let mut redacted = BTreeSet::new();
        for number in 0..ATTEMPTS {
            let mut transaction = begin(&self.pool, repository, number > 0).await?;
            match attempt(
                &mut transaction,
                repository,
                packed,
                &self.limits,
                &redacted,
            )
            .await
            {
                Ok(Attempt::Idle(outcomes)) => {
                    transaction.rollback().await?;
                    return Ok(outcomes);
                }
                Ok(Attempt::Written(outcomes, tag)) => match transaction.commit().await {
                    Ok(()) => {
                        self.versions.announce(repository, &tag);
                        return Ok(outcomes);
                    }
                    Err(error) if is_conflict(&error) => {}
                    Err(error) => return Err(cause(error)),
                },
                Ok(Attempt::Moved) => transaction.rollback().await?,
                Ok(Attempt::Redacted(found)) => {
                    transaction.rollback().await?;
                    redacted.extend(found);
                }
                Err(error) => {
                    let again = error.downcast_ref().is_some_and(is_conflict);
                    // A connection that broke is rolled back by the server.
                    let _ = transaction.rollback().await;
                    if !again {
                        return Err(match error.downcast::<sqlx::Error>() {
                            Ok(error) => cause(error),
                            Err(error) => error,
                        });
                    }
                }
            }
        }
        bail!("the repository was busy, {ATTEMPTS} attempts have met other writers")
    }
}

/// If a writer panics, who waits behind it hears so, and the next caller starts another one.
struct Guard<'writer> {
    writers: &'writer Writers,
    repository: &'writer str,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.writers.queues().remove(self.repository);
        }
    }
}

//! The team layer of a session: pull, then watch, and in the end send what is unsent.

use std::sync::{Arc, Mutex, mpsc};
use std::thread::{Builder as ThreadBuilder, JoinHandle};
use std::time::{Duration, Instant};

use memdir::{Mode, Store};
use team_sync::client::watch::{SystemNotifier, WatchEvent, WatchOptions, watch};
use team_sync::client::{Client, Note, SyncReport};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::event::{Happened, Part};
use super::{Session, lock};
use crate::error::chain;

/// How long the start of a session waits for the first pull. A server that is slow is not waited for.
const PULL_TIME: Duration = Duration::from_secs(2);

/// How many events of the watcher wait for the session; later ones are dropped.
const MAX_WAITING: usize = 500;

/// Makes a client for the team folder of a store, from address, token and repository as they are now.
///
/// Called at the start, and again where the folder was replaced or the server refused the token.
pub type Connect = Arc<dyn Fn(&Store) -> Result<Client, team_sync::Error> + Send + Sync>;

/// What the watcher has told, until the session takes it over.
#[derive(Debug)]
enum Told {
    Synced(SyncReport),
    Failed(String),
}

/// A watcher on a thread of its own.
#[derive(Debug)]
pub(super) struct Team {
    told: Arc<Mutex<Vec<Told>>>,
    stop: Option<oneshot::Sender<()>>,
    ended: mpsc::Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl Team {
    /// Starts the watcher and waits a moment for the first pull. In mode `read` and `ask` nothing is sent: in
    /// `ask` a person sends, with `memstrata team push`.
    pub(super) fn start(store: &Arc<Store>, connect: &Connect, mode: Mode) -> Option<Self> {
        if mode == Mode::Off {
            return None;
        }
        let options = WatchOptions::default().with_pull_only(mode != Mode::Auto);
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let (stop, stopping) = oneshot::channel();
        let (done, ended) = mpsc::channel();
        let (pulled, has_pulled) = mpsc::channel();
        let (store, connect, tells) = (Arc::clone(store), Arc::clone(connect), Arc::clone(&told));
        let work = move || {
            let push = |one| {
                let mut told = lock(&tells);
                if told.len() < MAX_WAITING {
                    told.push(one);
                }
            };
            let mut tell = |event| match event {
                WatchEvent::Synced(report) => push(Told::Synced(report)),
                WatchEvent::Failed(error) => push(Told::Failed(chain(&error))),
                WatchEvent::Blind(why) => push(Told::Failed(why)),
                // Nobody waits any more when the moment is over.
                WatchEvent::Watching => drop(pulled.send(())),
                _ => {}
            };
            let mut again = || connect(&store).map_err(|error| chain(&error));
            let mut notifier = SystemNotifier::new();
            let stop = async {
                // A session that is gone without a word stops the watcher too.
                let _ = stopping.await;
            };
            let runtime = Builder::new_current_thread().enable_all().build();
            let result = match (runtime, connect(&store)) {
                (Ok(runtime), Ok(client)) => {
                    let watching =
                        watch(client, &mut again, &options, &mut notifier, &mut tell, stop);
                    runtime.block_on(watching);
                    Ok(())
                }
                (Ok(_), Err(error)) => Err(chain(&error)),
                (Err(error), _) => Err(format!("no runtime could be started: {error}")),
            };
            if let Err(reason) = result {
                push(Told::Failed(reason));
            }
            let _ = done.send(());
        };
        let thread = ThreadBuilder::new()
            .name("memory-team".to_owned())
            .spawn(work);
        if let Err(error) = &thread {
            lock(&told).push(Told::Failed(format!("no thread could be started: {error}")));
        }
        let _ = has_pulled.recv_timeout(PULL_TIME);
        Some(Self {
            told,
            stop: Some(stop),
            ended,
            thread: thread.ok(),
        })
    }

    /// Stops the watcher, which sends what is unsent; tells whether it came to its end in time.
    fn end(&mut self, limit: Duration) -> bool {
        drop(self.stop.take());
        let Some(thread) = self.thread.take() else {
            return true;
        };
        let has_ended = match self.ended.recv_timeout(limit) {
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => true,
            Err(mpsc::RecvTimeoutError::Timeout) => false,
        };
        if has_ended {
            // It has nothing left to do; a panic in it has been told by what it did not do.
            let _ = thread.join();
        }
        has_ended
    }
}

/// Why something was not done.
fn words(note: &Note) -> String {
    match note {
        Note::Held(reason) => reason.text().to_owned(),
        Note::BlockedHere(why)
        | Note::RefusedThere(why)
        | Note::Trouble(why)
        | Note::NotTaken(why) => why.clone(),
        _ => "it changed meanwhile".to_owned(),
    }
}

impl Session {
    /// Takes over what the watcher has told.
    pub(super) fn collect_team(&self) {
        let mut held = lock(&self.team);
        let told = held
            .as_mut()
            .map(|team| std::mem::take(&mut *lock(&team.told)));
        drop(held);
        for one in told.into_iter().flatten() {
            match one {
                Told::Synced(report) => {
                    let done = report.done.iter();
                    let notes = report.notes.iter();
                    self.happened(Happened::Team {
                        done: done
                            .map(|(key, done)| (key.as_str().to_owned(), done.as_str().to_owned()))
                            .collect(),
                        notes: notes
                            .map(|(key, note)| (key.clone(), words(note)))
                            .collect(),
                    });
                }
                Told::Failed(reason) => self.failed(Part::Team, reason),
            }
        }
    }

    /// Sends what is unsent and ends the watcher.
    pub(super) fn end_team(&self, begin: Instant, limit: Duration) -> bool {
        let mut held = lock(&self.team);
        let Some(mut team) = held.take() else {
            return true;
        };
        let ended = team.end(limit.saturating_sub(begin.elapsed()));
        // What it told in the end is still taken over.
        *held = Some(team);
        ended
    }
}

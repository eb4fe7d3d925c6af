//! Keeps the session file up to date in the background, with a side agent that may edit it and nothing else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_model::{Model, Request};
use forked_agent::{Cancellation, Clock, TokioClock};
use memdir::Date;
use tokio::sync::watch;

use crate::breaker::Breaker;
use crate::compact::{CompactLimits, Compacted, Entry, Session, WhyNot, compact};
use crate::error::{Error, ErrorKind};
use crate::ledger::Ledger;
use crate::prompt::UpdatePrompt;
use crate::store::{Committed, Cursor, SessionFile};
use crate::trigger::{Activity, Due, Thresholds, due};
use token_count::TokenCounter;

mod fallback;
mod run;

/// How a session file is kept up to date.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UpdaterOptions {
    /// When an update is due.
    pub thresholds: Thresholds,
    /// What the side agent is told.
    pub prompt: UpdatePrompt,
    /// Further names under which the host declares its edit tool; `Edit` and `FileEdit` are known.
    pub edit_tools: Vec<String>,
    /// How long a compaction waits for a running update. Default 15 s.
    pub wait: Duration,
    /// A run that takes longer is stuck: it is ended, and counts as failed. Default 60 s.
    pub stuck_after: Duration,
    /// So many failures in a row end all tries until [`Updater::reset`]. Default 3.
    pub most_failures: u32,
}

impl Default for UpdaterOptions {
    fn default() -> Self {
        UpdaterOptions {
            thresholds: Thresholds::default(),
            prompt: UpdatePrompt::default(),
            edit_tools: Vec::new(),
            wait: Duration::from_secs(15),
            stuck_after: Duration::from_secs(60),
            most_failures: 3,
        }
    }
}

/// The main conversation after a reply.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The request as it was last sent, with the reply behind it: a side agent continues exactly this, so
    /// that the provider's prompt cache is shared.
    pub request: &'a Request,
    /// The same conversation as entries. Its last message with an id becomes the cursor.
    pub entries: &'a [Entry],
    /// The size of the context, in model tokens.
    pub context_tokens: u64,
    /// The day, for the side agent.
    pub today: Date,
}

/// What became of a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Triggered {
    /// An update has begun in the background.
    Started,
    /// None is due.
    NotDue(Due),
    /// One is running.
    Running,
    /// Too many failures in a row, with the last reason; nothing is tried any more.
    Tripped(String),
}

/// How a compaction came about.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Compaction {
    /// The list to send instead of the conversation, and what goes with it.
    pub compacted: Compacted,
    /// Why a side agent had to write the summary; `None` where the session file served.
    pub fell_back: Option<WhyNot>,
}

/// Keeps one session file up to date, and compacts by it.
///
/// Needs a tokio runtime. Dropping it ends a running update; the committed pair stays.
#[derive(Debug)]
pub struct Updater {
    shared: Arc<Shared>,
}

struct Shared {
    file: SessionFile,
    model: Arc<dyn Model>,
    options: UpdaterOptions,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("file", &self.file)
            .field("model", &self.model.name())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

struct State {
    running: Option<Running>,
    updates: Breaker,
    summaries: Breaker,
    /// The cursor of the committed pair, so that no file is read after each reply.
    cursor: Option<Cursor>,
    /// Counts runs, so that a run that was given up cannot report as a later one.
    runs: u64,
}

struct Running {
    run: u64,
    started: Duration,
    cancellation: Cancellation,
    task: tokio::task::AbortHandle,
    /// Its sender is dropped when the run is over, however it ends.
    done: watch::Receiver<()>,
}

impl Updater {
    /// Makes an updater for a session file, on the clock of the tokio runtime.
    ///
    /// # Errors
    /// As [`SessionFile::read`].
    pub fn new(
        file: SessionFile,
        model: Arc<dyn Model>,
        options: UpdaterOptions,
    ) -> Result<Self, Error> {
        Self::with_clock(file, model, options, Arc::new(TokioClock::start()))
    }

    /// Makes an updater that takes the time from another clock.
    ///
    /// # Errors
    /// As [`SessionFile::read`].
    pub fn with_clock(
        file: SessionFile,
        model: Arc<dyn Model>,
        options: UpdaterOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let cursor = file.read()?.and_then(|committed| committed.cursor);
        let state = State {
            running: None,
            updates: Breaker::new(options.most_failures),
            summaries: Breaker::new(options.most_failures),
            cursor,
            runs: 0,
        };
        Ok(Updater {
            shared: Arc::new(Shared {
                file,
                model,
                options,
                clock,
                state: Mutex::new(state),
            }),
        })
    }

    /// Returns the session file.
    pub fn file(&self) -> &SessionFile {
        &self.shared.file
    }

    /// Starts an update in the background when one is due. To be called after each reply of the main
    /// conversation, and never for the side agents' own.
    ///
    /// # Panics
    /// Outside of a tokio runtime, when an update is due.
    pub fn after_reply(&self, turn: &Turn<'_>) -> Triggered {
        let mut state = self.shared.state();
        let covered = state
            .cursor
            .as_ref()
            .and_then(|cursor| cursor.find(turn.entries));
        let before = state.cursor.as_ref().map_or(0, Cursor::context_tokens);
        let activity = Activity::of(turn.entries, covered, turn.context_tokens, before);
        match due(&activity, &self.shared.options.thresholds) {
            Due::Now => self.start(&mut state, turn),
            other => Triggered::NotDue(other),
        }
    }

    /// Starts an update in the background whether or not one is due.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn update(&self, turn: &Turn<'_>) -> Triggered {
        self.start(&mut self.shared.state(), turn)
    }

    /// Waits for a running update, at most [`UpdaterOptions::wait`], and returns the last committed notes.
    ///
    /// # Errors
    /// As [`SessionFile::read`].
    pub async fn settle(&self) -> Result<Option<Committed>, Error> {
        let done = self
            .shared
            .state()
            .running
            .as_ref()
            .map(|run| run.done.clone());
        if let Some(mut done) = done {
            tokio::select! {
                // The sender never sends: it is dropped in the end.
                _ = done.changed() => {}
                () = self.shared.clock.sleep(self.shared.options.wait) => {
                    tracing::info!("session_memory.not_waited_for");
                }
            }
        }
        let file = self.shared.file.clone();
        tokio::task::spawn_blocking(move || file.read())
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Io, "reading was interrupted")))
    }

    /// Puts the session file in the place of most of the conversation; where it cannot stand in, a summary
    /// by a side agent without any permission.
    ///
    /// # Errors
    /// [`ErrorKind::Update`] with the reason when neither can be had, [`ErrorKind::Tripped`] after too many
    /// failed summaries in a row, otherwise as [`SessionFile::read`].
    pub async fn compact(
        &self,
        turn: &Turn<'_>,
        transcript_path: Option<&str>,
        limits: &CompactLimits,
        counter: &dyn TokenCounter,
    ) -> Result<Compaction, Error> {
        let committed = self.settle().await?;
        let covered = committed
            .as_ref()
            .and_then(|committed| committed.cursor.as_ref()?.find(turn.entries));
        let session = Session {
            entries: turn.entries,
            notes: committed.as_ref().map(|committed| &committed.notes),
            covered,
            transcript_path,
        };
        let why = match compact(&session, limits, counter) {
            Ok(compacted) => {
                return Ok(Compaction {
                    compacted,
                    fell_back: None,
                });
            }
            Err(why) => why,
        };
        tracing::info!(%why, "session_memory.fall_back");
        let compacted = self.fall_back(turn, &session, limits, counter).await?;
        Ok(Compaction {
            compacted,
            fell_back: Some(why),
        })
    }

    /// Returns why the last update failed, when it did.
    pub fn last_failure(&self) -> Option<String> {
        self.shared
            .state()
            .updates
            .last_failure()
            .map(str::to_owned)
    }

    /// Lets updates and summaries be tried again after too many failures: at the start of a session, or
    /// when the person asks for it.
    pub fn reset(&self) {
        let mut state = self.shared.state();
        state.updates.succeeded();
        state.summaries.succeeded();
    }

    fn start(&self, state: &mut State, turn: &Turn<'_>) -> Triggered {
        let now = self.shared.clock.now();
        if let Some(running) = &state.running {
            let is_over = running.done.has_changed().is_err();
            let is_stuck = now.saturating_sub(running.started) > self.shared.options.stuck_after;
            if !is_over && !is_stuck {
                return Triggered::Running;
            }
            if !is_over {
                running.cancellation.cancel();
                running.task.abort();
                state.updates.failed("it took too long");
            }
            state.running = None;
        }
        if let Some(reason) = state.updates.tripped() {
            return Triggered::Tripped(reason);
        }
        state.runs += 1;
        let run = state.runs;
        let cancellation = Cancellation::new();
        let (sender, done) = watch::channel(());
        let job = run::Job {
            request: turn.request.clone(),
            cursor: Cursor::at_end(turn.entries, turn.context_tokens),
            facts: Ledger::from_entries(turn.entries),
            today: turn.today,
            cancellation: cancellation.clone(),
        };
        let shared = Arc::clone(&self.shared);
        let task = tokio::spawn(async move {
            let result = run::update(&shared, job).await;
            shared.finished(run, result);
            drop(sender);
        });
        state.running = Some(Running {
            run,
            started: now,
            cancellation,
            task: task.abort_handle(),
            done,
        });
        Triggered::Started
    }
}

impl Drop for Updater {
    fn drop(&mut self) {
        if let Some(running) = self.shared.state().running.take() {
            running.cancellation.cancel();
        }
    }
}

impl Shared {
    /// A panic while the state was held leaves nothing half done in it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finished(&self, run: u64, result: Result<Committed, Error>) {
        let mut state = self.state();
        if state
            .running
            .as_ref()
            .is_none_or(|running| running.run != run)
        {
            // It was given up, and has been counted.
            return;
        }
        state.running = None;
        match result {
            Ok(committed) => {
                state.cursor = committed.cursor;
                state.updates.succeeded();
            }
            // A person at the keyboard, or another process at work, is no failure of the side agent.
            Err(error) if matches!(error.kind(), ErrorKind::EditedMeanwhile | ErrorKind::Busy) => {
                tracing::info!(%error, "session_memory.put_off");
            }
            Err(error) => {
                tracing::warn!(%error, "session_memory.failed");
                state.updates.failed(error.to_string());
            }
        }
    }
}

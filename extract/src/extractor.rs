//! Extraction in the background: the trigger with hands and feet.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use memdir::Store;
use pathguard::SyncPolicy;

use crate::backend::Backend;
use crate::cancel::Cancel;
use crate::cursor::SessionState;
use crate::decision_log::{Decided, DecisionLog};
use crate::error::{Error, ErrorKind};
use crate::lease::LEASE_TIME;
use crate::notice::{Action, MemorySaved, Notice, SavedFile};
use crate::run::{Run, ended, reason, run};
use crate::segment;
use crate::trigger::{Conditions, Decision, SkipReason, Trigger, TriggerOptions};
use crate::turn::{Job, Turn, facts};

/// How long [`Extractor::drain`] waits, unless the host says otherwise.
pub const DRAIN_TIME: Duration = Duration::from_secs(60);

/// How long a cancelled run may take to notice.
const GRACE: Duration = Duration::from_millis(50);

/// How many notices wait for the host; the oldest go first.
const MAX_NOTICES: usize = 100;

/// How many decisions without a run are kept for the log until there is a run.
const MAX_UNLOGGED: usize = 200;

/// What an extractor works for, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtractorOptions {
    /// The session's id.
    pub session: String,
    /// How the process is called, for people who ask who holds the lease. Default `memstrata`.
    pub owner: String,
    /// How often extraction runs.
    pub trigger: TriggerOptions,
    /// How long a lease holds without a heartbeat. Default [`LEASE_TIME`].
    pub lease_time: Duration,
    /// The instruction files of the project, such as `CLAUDE.md`: names and bytes. What they say is
    /// not learned.
    pub instructions: Vec<(String, Vec<u8>)>,
}

impl ExtractorOptions {
    /// Defaults for a session.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            owner: "memstrata".to_owned(),
            trigger: TriggerOptions::default(),
            lease_time: LEASE_TIME,
            instructions: Vec::new(),
        }
    }

    /// Sets [`ExtractorOptions::owner`].
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = owner.into();
        self
    }

    /// Sets [`ExtractorOptions::trigger`].
    #[must_use]
    pub fn with_trigger(mut self, trigger: TriggerOptions) -> Self {
        self.trigger = trigger;
        self
    }

    /// Sets [`ExtractorOptions::lease_time`].
    #[must_use]
    pub fn with_lease_time(mut self, time: Duration) -> Self {
        self.lease_time = time;
        self
    }

    /// Sets [`ExtractorOptions::instructions`].
    #[must_use]
    pub fn with_instructions(mut self, instructions: Vec<(String, Vec<u8>)>) -> Self {
        self.instructions = instructions;
        self
    }
}

/// How [`Extractor::drain`] went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drained {
    /// Nothing was running any more.
    Finished,
    /// Time was over; the run was cancelled. What it had saved stays saved, and the next session looks at
    /// the same messages again.
    Cancelled,
}

/// What [`Extractor::run_now`] came to.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunNow {
    /// There was no run.
    Skipped(SkipReason),
    /// Everything was looked at; what was decided, in order.
    Done(Vec<Decided>),
    /// It failed; what was decided until then.
    Failed(Error, Vec<Decided>),
}

/// Extracts memories at the end of turns, without delaying or failing them.
///
/// [`Extractor::on_turn_end`] returns at once; the run happens on a thread of its own. The
/// [front page](crate) has an example. Clones are the same extractor.
#[derive(Clone)]
pub struct Extractor {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Extractor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extractor")
            .field("options", &self.shared.options)
            .field("is_running", &self.shared.inner().trigger.is_running())
            .finish_non_exhaustive()
    }
}

struct Shared {
    store: Arc<Store>,
    backend: Arc<dyn Backend>,
    options: ExtractorOptions,
    inner: Mutex<Inner>,
    idle: Condvar,
}

struct Inner {
    trigger: Trigger,
    state: SessionState,
    turn: u64,
    /// The newest turn that ended during a run.
    remembered: Option<(Job, Conditions)>,
    /// Ends the run that is going on.
    cancel: Cancel,
    /// The time of the drain is over: nothing begins any more.
    is_over: bool,
    notices: VecDeque<Notice>,
    unlogged: VecDeque<Decided>,
    /// What the host has not taken yet.
    untold: VecDeque<Decided>,
}

impl Extractor {
    /// An extractor for a session, which goes on where an earlier process of it stopped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`] when the store can only be read, [`ErrorKind::State`] when the cursor cannot
    /// be read.
    pub fn new(
        store: Arc<Store>,
        backend: Arc<dyn Backend>,
        options: ExtractorOptions,
    ) -> Result<Self, Error> {
        let state = SessionState::load(store.state_root()?, &options.session)?;
        // Too many failures end a session, and a new process of the same session is still that session.
        let trigger = Trigger::resumed(options.trigger, state.turns, state.failures);
        Ok(Self {
            shared: Arc::new(Shared {
                store,
                backend,
                options,
                inner: Mutex::new(Inner {
                    trigger,
                    state,
                    turn: 0,
                    remembered: None,
                    cancel: Cancel::new(),
                    is_over: false,
                    notices: VecDeque::new(),
                    unlogged: VecDeque::new(),
                    untold: VecDeque::new(),
                }),
                idle: Condvar::new(),
            }),
        })
    }

    /// A turn ended: the model answered without calling a tool. Starts a run when it is time for one, and
    /// returns at once with what was decided.
    ///
    /// Reads and writes no file. What is new in the conversation is copied.
    pub fn on_turn_end(&self, turn: &Turn<'_>, conditions: Conditions) -> Decision {
        let conditions = conditions.with_sub_agent(conditions.is_sub_agent || turn.is_sub_agent());
        let mut inner = self.shared.inner();
        inner.turn += 1;
        // What is new grows with every turn while nothing may look at it, so it is not looked at in vain.
        if let Some(reason) = inner.trigger.standing_obstacle(conditions) {
            self.shared.skipped(&mut inner, reason);
            tracing::debug!(?reason, turn = inner.turn, "extract.turn");
            return Decision::Skip(reason);
        }
        let cursor = inner.state.cursor.clone();
        let since = facts(turn.since(cursor.as_ref()), self.shared.store.dir());
        let decision = inner.trigger.turn_ended(conditions, since);
        let number = inner.turn;
        match decision {
            Decision::Start => {
                let job = turn.job(cursor.as_ref(), number);
                drop(inner);
                self.start(job);
            }
            Decision::Remembered => {
                inner.remembered = Some((turn.job(cursor.as_ref(), number), conditions));
            }
            Decision::Skip(reason) => {
                if reason == SkipReason::OwnWrite {
                    // Not written down here: should it be lost, the next look finds the same write.
                    inner.state.cursor = Some(turn.end().clone());
                }
                self.shared.skipped(&mut inner, reason);
            }
        }
        tracing::debug!(?decision, turn = number, "extract.turn");
        decision
    }

    /// Extracts now, on this thread, whatever the throttle says: for commands and hooks.
    ///
    /// Turns in which the agent wrote a memory itself are left out, one by one. With `is_dry` nothing is
    /// written, no lease is taken, and the cursor stays where it is.
    pub fn run_now(&self, turn: &Turn<'_>, conditions: Conditions, is_dry: bool) -> RunNow {
        let conditions = conditions.with_sub_agent(conditions.is_sub_agent || turn.is_sub_agent());
        let mut inner = self.shared.inner();
        inner.turn += 1;
        let mut job = turn.job(inner.state.cursor.as_ref(), inner.turn);
        let dir = self.shared.store.dir();
        let all = facts(&job.entries, dir);
        let turns = segment::turns(&job.entries);
        let rest: Vec<_> = turns
            .into_iter()
            .filter(|turn| !facts(turn, dir).own_write)
            .flatten()
            .cloned()
            .collect();
        let since = if rest.is_empty() {
            all
        } else {
            facts(&rest, dir)
        };
        let mut trigger = inner.trigger.clone();
        // A command is a turn's end that is already due.
        match trigger.trailing(conditions, since) {
            Decision::Start => {}
            Decision::Remembered => {
                drop(inner);
                let error = Error::new(ErrorKind::Busy, "this session is being extracted already");
                return RunNow::Failed(error, Vec::new());
            }
            Decision::Skip(reason) => {
                if reason == SkipReason::OwnWrite && !is_dry {
                    inner.state.cursor = Some(job.end);
                }
                if !is_dry {
                    self.shared.skipped(&mut inner, reason);
                    drop(inner);
                    self.shared.keep();
                }
                return RunNow::Skipped(reason);
            }
        }
        if !is_dry {
            inner.trigger = trigger;
        }
        job.entries = rest;
        drop(inner);
        let ran = self.shared.run(&mut job, is_dry);
        if !is_dry {
            self.shared.settle(&ran, &job);
        }
        match ran.failure {
            None => RunNow::Done(ran.decided),
            Some(error) => RunNow::Failed(error, ran.decided),
        }
    }

    /// Takes the notices that have come, oldest first.
    pub fn notices(&self) -> Vec<Notice> {
        self.shared.inner().notices.drain(..).collect()
    }

    /// Takes what was decided since the last call, oldest first: the newest 200, each also in the
    /// [`DecisionLog`].
    pub fn decisions(&self) -> Vec<Decided> {
        self.shared.inner().untold.drain(..).collect()
    }

    /// Waits for the run that is going on and the one promised to follow it, without ending anything;
    /// tells whether nothing runs any more. For replays, where a turn begins when the last one is dealt
    /// with.
    pub fn settle(&self, limit: Duration) -> bool {
        self.wait(Instant::now().checked_add(limit))
    }

    /// How many messages of a turn a run would look at: those behind the stored cursor that a model sees.
    pub fn new_messages(&self, turn: &Turn<'_>) -> usize {
        let inner = self.shared.inner();
        let new = turn.since(inner.state.cursor.as_ref());
        new.iter().filter(|entry| entry.model_visible).count()
    }

    /// Whether a run is going on.
    pub fn is_running(&self) -> bool {
        self.shared.inner().trigger.is_running()
    }

    /// Waits for the run that is going on and the one promised to follow it, then cancels what is left.
    /// No turn starts a run afterwards.
    ///
    /// Returns within `limit` and a tenth of a second. It blocks: an async host calls it on a thread
    /// where it may.
    pub fn drain(&self, limit: Duration) -> Drained {
        let deadline = Instant::now().checked_add(limit);
        self.shared.inner().trigger.end();
        let mut drained = Drained::Finished;
        if !self.wait(deadline) {
            let mut inner = self.shared.inner();
            inner.is_over = true;
            let cancel = inner.cancel.clone();
            drop(inner);
            cancel.cancel();
            self.wait(Instant::now().checked_add(GRACE));
            drained = Drained::Cancelled;
        }
        if drained == Drained::Finished {
            self.shared.keep();
        }
        tracing::info!(finished = drained == Drained::Finished, "extract.drained");
        drained
    }

    /// Waits until nothing runs, or until a deadline; tells whether nothing runs.
    fn wait(&self, deadline: Option<Instant>) -> bool {
        let mut inner = self.shared.inner();
        while inner.trigger.is_running() {
            let left = match deadline {
                // A limit beyond what a clock can hold is none.
                None => Duration::from_secs(3_600),
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.idle.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn start(&self, job: Job) {
        let shared = Arc::clone(&self.shared);
        let builder = thread::Builder::new().name("memory-extract".to_owned());
        let started = builder.spawn(move || work_through(&shared, job));
        if let Err(error) = started {
            let failure =
                Error::new(ErrorKind::Internal, "no thread could be started").with_source(error);
            let mut inner = self.shared.inner();
            self.shared
                .note_end(&mut inner, &Run::failed(failure), None);
            drop(inner);
            self.shared.idle.notify_all();
        }
    }
}

/// One run after another, as long as turns were remembered.
fn work_through(shared: &Shared, mut job: Job) {
    loop {
        let ran = shared.run(&mut job, false);
        match shared.settle(&ran, &job) {
            Some(next) => job = next,
            None => return,
        }
    }
}

impl Shared {
    /// A thread that panicked while it held the state left it whole: each change is one assignment.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One run, with everything that can go wrong in it.
    fn run(&self, job: &mut Job, is_dry: bool) -> Run {
        let cancel = Cancel::new();
        let mut inner = self.inner();
        let state = inner.state.clone();
        inner.cancel = cancel.clone();
        if inner.is_over {
            cancel.cancel();
        }
        drop(inner);
        let body = AssertUnwindSafe(|| {
            run(
                &self.store,
                &*self.backend,
                &self.options,
                &cancel,
                job,
                state,
                is_dry,
            )
        });
        catch_unwind(body)
            .unwrap_or_else(|_| Run::failed(Error::new(ErrorKind::Internal, "the run panicked")))
    }

    /// Takes note of the end of a run; returns the work of the one that follows.
    fn settle(&self, ran: &Run, job: &Job) -> Option<Job> {
        let mut inner = self.inner();
        let trailing = self.note_end(&mut inner, ran, Some(job)) && !inner.is_over;
        let follows = trailing.then(|| inner.remembered.take()).flatten();
        inner.unlogged.extend(ran.decided.iter().cloned());
        for decided in &ran.decided {
            push(&mut inner.untold, decided.clone(), MAX_UNLOGGED);
        }
        let mut next = None;
        if let Some((mut job, conditions)) = follows {
            job.trim(inner.state.cursor.as_ref());
            let since = facts(&job.entries, self.store.dir());
            match inner.trigger.trailing(conditions, since) {
                Decision::Start => next = Some(job),
                Decision::Remembered => {}
                Decision::Skip(reason) => {
                    if reason == SkipReason::OwnWrite {
                        inner.state.cursor = Some(job.end);
                    }
                    self.skipped(&mut inner, reason);
                }
            }
        }
        inner.remembered = None;
        drop(inner);
        self.keep();
        if next.is_none() {
            self.idle.notify_all();
        }
        next
    }

    /// Moves the state on; tells whether another run follows.
    fn note_end(&self, inner: &mut Inner, ran: &Run, job: Option<&Job>) -> bool {
        let after = inner.trigger.run_ended(ended(ran.failure.as_ref()));
        if after.advance
            && let Some(job) = job
        {
            inner.state.cursor = Some(job.end.clone());
        }
        inner.state.runs = inner.state.runs.saturating_add(1);
        let written = ran
            .decided
            .iter()
            .filter(|decided| decided.action.is_write());
        let files = written.filter_map(|decided| {
            Some(SavedFile {
                path: decided.path.clone()?,
                action: decided.action,
            })
        });
        if let Some(saved) = MemorySaved::new(&self.options.session, files) {
            push(&mut inner.notices, Notice::Saved(saved), MAX_NOTICES);
        }
        if let Some(failure) = &ran.failure {
            tracing::warn!(%failure, kind = ?failure.kind(), "extract.failed");
            let mut decided =
                Decided::new(Action::Failed, failure.kind().as_str(), reason(failure));
            decided.turn = job.map_or(inner.turn, |job| job.turn);
            self.log(inner, decided);
            if after.stopped {
                let notice = Notice::Stopped {
                    failures: inner.trigger.failures(),
                    reason: reason(failure),
                };
                push(&mut inner.notices, notice, MAX_NOTICES);
            }
        }
        after.trailing
    }

    /// Remembers for the log that a turn led to no run.
    fn skipped(&self, inner: &mut Inner, reason: SkipReason) {
        let mut decided = Decided::new(Action::Skipped, reason.as_str(), reason.explanation());
        decided.turn = inner.turn;
        self.log(inner, decided);
    }

    fn log(&self, inner: &mut Inner, mut decided: Decided) {
        decided.time = self.store.options().clock().now();
        decided.session.clone_from(&self.options.session);
        // The same reason turn after turn is worth one line.
        let is_repeated = inner
            .unlogged
            .back()
            .is_some_and(|last| last.code == decided.code);
        if !is_repeated {
            push(&mut inner.untold, decided.clone(), MAX_UNLOGGED);
            push(&mut inner.unlogged, decided, MAX_UNLOGGED);
        }
    }

    /// Writes down what is only in memory. When that fails, the next run finds out by itself.
    fn keep(&self) {
        let mut inner = self.inner();
        let unlogged: Vec<Decided> = inner.unlogged.drain(..).collect();
        inner.state.turns = inner.trigger.turns();
        inner.state.failures = inner.trigger.failures();
        let state = inner.state.clone();
        drop(inner);
        let kept = self
            .store
            .state_root()
            .map_err(Error::from)
            .and_then(|root| {
                state.store(root, &self.options.session, SyncPolicy::None)?;
                DecisionLog::add(&self.store, &self.options.session, &unlogged)
            });
        if let Err(error) = kept {
            tracing::warn!(%error, "extract.not_kept");
        }
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T, most: usize) {
    if list.len() == most {
        list.pop_front();
    }
    list.push_back(item);
}

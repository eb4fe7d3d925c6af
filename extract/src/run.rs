//! One run: lease, cursor, evidence, back end, cursor again.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use memdir::Store;
use pathguard::SyncPolicy;

use crate::backend::{Backend, Work};
use crate::cancel::Cancel;
use crate::cursor::SessionState;
use crate::decision_log::Decided;
use crate::error::{Error, ErrorKind};
use crate::evidence::Material;
use crate::extractor::ExtractorOptions;
use crate::lease::Lease;
use crate::notice::Action;
use crate::review::Review;
use crate::trigger::RunEnd;
use crate::turn::Job;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) decided: Vec<Decided>,
    pub(crate) failure: Option<Error>,
}

impl Run {
    pub(crate) fn failed(failure: Error) -> Self {
        Self {
            decided: Vec::new(),
            failure: Some(failure),
        }
    }
}

/// How a run ended, for the trigger.
pub(crate) fn ended(failure: Option<&Error>) -> RunEnd {
    match failure.map(Error::kind) {
        None => RunEnd::Done,
        Some(ErrorKind::Busy | ErrorKind::LeaseLost) => RunEnd::Busy,
        Some(ErrorKind::Cancelled) => RunEnd::Cancelled,
        Some(_) => RunEnd::Failed,
    }
}

/// An error with its causes, as one sentence.
pub(crate) fn reason(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Runs a back end over a job.
pub(crate) fn run(
    store: &Arc<Store>,
    backend: &dyn Backend,
    options: &ExtractorOptions,
    cancel: &Cancel,
    job: &mut Job,
    mut state: SessionState,
    is_dry: bool,
) -> Run {
    let _span =
        tracing::info_span!("extract.run", session = options.session, dry = is_dry).entered();
    let prepared = prepare(store, options, cancel, job, &mut state, is_dry);
    let work = match prepared {
        Ok(Some(work)) => Arc::new(work),
        Ok(None) => return finish(store, options, state, job, Vec::new(), None, is_dry),
        Err(error) => return Run::failed(error),
    };
    let beat = work
        .lease
        .as_ref()
        .map(|lease| Heartbeat::start(lease, cancel));
    let result = backend.run(&work).and_then(|()| work.may_go_on());
    drop(beat);
    let mut decided = std::mem::take(&mut *work.decided());
    if decided.is_empty() && result.is_ok() {
        let why = "nothing that was said is worth keeping";
        decided.push(Decided::new(Action::Skipped, "nothing-found", why));
    }
    let now = store.options().clock().now();
    for one in &mut decided {
        one.time = now;
        one.turn = job.turn;
        one.session.clone_from(&options.session);
    }
    finish(store, options, state, job, decided, result.err(), is_dry)
}

/// Takes the lease and looks at what is new; `None` when a person said nothing.
fn prepare(
    store: &Arc<Store>,
    options: &ExtractorOptions,
    cancel: &Cancel,
    job: &mut Job,
    state: &mut SessionState,
    is_dry: bool,
) -> Result<Option<Work>, Error> {
    let lease = if is_dry {
        None
    } else {
        let lease = Lease::acquire(store, &options.owner, &options.session, options.lease_time)?;
        // Another process of this session may have been here since.
        let stored = SessionState::load(store.state_root()?, &options.session)?;
        job.trim(stored.cursor.as_ref());
        state.runs = state.runs.max(stored.runs);
        Some(Arc::new(lease))
    };
    let material = Material::of(&job.entries);
    if material.statements.is_empty() {
        return Ok(None);
    }
    let clock = store.options().clock();
    let today = clock.now().date(clock.offset_seconds());
    let review = Review::new(store, material, options.instructions.clone(), today)?;
    Ok(Some(Work {
        store: Arc::clone(store),
        session: options.session.clone(),
        entries: std::mem::take(&mut job.entries),
        request: job.request.take(),
        review,
        cancel: cancel.clone(),
        lease,
        is_dry,
        decided: Mutex::default(),
    }))
}

/// Moves the cursor on disk, now that what it stands for is on disk.
fn finish(
    store: &Store,
    options: &ExtractorOptions,
    mut state: SessionState,
    job: &Job,
    decided: Vec<Decided>,
    failure: Option<Error>,
    is_dry: bool,
) -> Run {
    if failure.is_some() || is_dry {
        return Run { decided, failure };
    }
    state.cursor = Some(job.end.clone());
    state.failures = 0;
    state.runs = state.runs.saturating_add(1);
    let stored = store
        .state_root()
        .map_err(Error::from)
        .and_then(|root| state.store(root, &options.session, SyncPolicy::Full));
    Run {
        decided,
        failure: stored.err(),
    }
}

/// Confirms a lease as long as it lives.
struct Heartbeat {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Heartbeat {
    fn start(lease: &Arc<Lease>, cancel: &Cancel) -> Self {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (lease, cancel, signal) = (Arc::clone(lease), cancel.clone(), Arc::clone(&stop));
        let builder = thread::Builder::new().name("memory-lease".to_owned());
        let thread = builder.spawn(move || {
            let (stopped, wake) = &*signal;
            let mut guard = stopped.lock().unwrap_or_else(PoisonError::into_inner);
            while !*guard {
                let waited = wake.wait_timeout(guard, lease.beat());
                let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                guard = after;
                if *guard || !timeout.timed_out() {
                    continue;
                }
                let lost = lease
                    .renew()
                    .is_err_and(|error| error.kind() == ErrorKind::LeaseLost);
                if lost {
                    cancel.cancel();
                    return;
                }
            }
        });
        Self {
            stop,
            // Without a thread the lease runs out, and each write asks whether it is still ours.
            thread: thread.ok(),
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        let (stopped, wake) = &*self.stop;
        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        wake.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

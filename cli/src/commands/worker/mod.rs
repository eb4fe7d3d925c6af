//! `memstrata worker`: what hooks have no time for, in a process of its own.
//!
//! One worker at a time for each project, by a lock. It takes the transcripts that wait, extracts memories,
//! brings session files up to date, and records what was edited while nobody watched. It may be killed at
//! any moment: a transcript leaves the queue only when everything about it is done, and doing it twice
//! changes nothing.

use std::time::{Duration, Instant};

use memstrata::SessionMemo;
use memstrata::memdir::{Clock as _, Mode, Store};
use memstrata::pathguard::{self, FolderLock, LockWait};

use self::queue::{Queue, Waiting};
use super::hook::log;
use super::hook::state::{HookState, key};
use crate::cli::Global;
use crate::cli::hook::Worker;
use crate::clock::SystemClock;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};

mod folder;
pub(crate) mod queue;
pub(crate) mod spawn;
mod transcript;

/// The lock in the folder of the hooks.
const LOCK_FILE: &str = "worker.lock";

/// The life of a worker. What is left then waits for the next one.
const LIFE: Duration = Duration::from_secs(600);

/// How long the store may be busy.
const LOCK_WAIT: Duration = Duration::from_secs(20);

/// A temporary file of this age is nobody's any more.
const LONGEST_WRITE_NS: i128 = 600 * 1_000_000_000;

/// Works until nothing waits any more.
pub(crate) fn run(arguments: &Worker, global: &Global) -> Result<Exit, Failure> {
    let environment = Environment::read_anywhere();
    if arguments.detach {
        spawn::leave_session();
        if cfg!(unix) {
            spawn::start_second(global, &environment)?;
            return Ok(Exit::Done);
        }
    }
    end_with_life();
    let outcome = work(arguments, global, &environment);
    if let Err(failure) = &outcome {
        let why = chain(failure.error.as_ref());
        log::note(global, &environment, &format!("worker: {why}"));
    }
    outcome.map(|()| Exit::Done)
}

/// Ends the process when its time is over, in whatever it hangs. Everything it does may be cut off.
fn end_with_life() {
    // Where no thread can be started, the limits of each step must do.
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(LIFE + Duration::from_secs(30));
        std::process::exit(i32::from(Exit::Conflict as u8));
    });
}

/// A worker that has the lock.
struct AtWork<'a> {
    global: &'a Global,
    environment: &'a Environment,
    context: &'a Context,
    store: std::sync::Arc<Store>,
    state: HookState,
    begin: Instant,
}

fn work(arguments: &Worker, global: &Global, environment: &Environment) -> Result<(), Failure> {
    // Asks git, once for each project: a hook has no time for that.
    let context = Context::locate(global, environment)?;
    let modes = context.decisions.modes;
    let is_off = modes.persistent == Mode::Off && modes.session == Mode::Off;
    // Without a state folder nothing can wait, and none is made for a look.
    if is_off || !context.location.state_dir().is_dir() {
        return Ok(());
    }
    let store = context.open_unseen(LOCK_WAIT)?;
    let at_work = AtWork {
        state: HookState::below(store.state_root()?)?,
        store: std::sync::Arc::new(store),
        global,
        environment,
        context: &context,
        begin: Instant::now(),
    };
    while let Some(lock) = at_work.lock(arguments.wait)? {
        let is_done = at_work.empty_queue()?;
        at_work.tidy()?;
        drop(lock);
        // A hook that came when the lock was still held has found it taken and gone; what it left is seen
        // only now.
        if !is_done || Queue::new(&at_work.state).waiting()?.is_empty() {
            return Ok(());
        }
    }
    Ok(())
}

impl AtWork<'_> {
    /// Takes the lock; `None` when another worker has it.
    fn lock(&self, wait: bool) -> Result<Option<FolderLock>, pathguard::Error> {
        let wait = if wait {
            LockWait::up_to(LIFE)
        } else {
            LockWait::none()
        };
        match self.state.root().lock(key(LOCK_FILE).as_ref(), &wait) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.kind() == pathguard::ErrorKind::Busy => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Does everything that waits; tells whether all of it is done. What fails stays for the next worker.
    fn empty_queue(&self) -> Result<bool, Failure> {
        let queue = Queue::new(&self.state);
        let mut failed: Vec<Waiting> = Vec::new();
        loop {
            let waiting = queue.waiting()?;
            let is_new = |one: &&Waiting| {
                let mut known = failed.iter();
                !known.any(|failed| one.files.iter().all(|file| failed.files.contains(file)))
            };
            let Some(next) = waiting.iter().find(is_new) else {
                return Ok(failed.is_empty());
            };
            if self.begin.elapsed() > LIFE {
                return Ok(false);
            }
            match transcript::work_through(self, &next.job) {
                Ok(()) => queue.remove(next)?,
                Err(failure) => {
                    self.note(&failure);
                    if transcript::is_hopeless(&failure) || next.job.is_old(SystemClock.now()) {
                        queue.remove(next)?;
                    } else {
                        failed.push(next.clone());
                    }
                }
            }
        }
    }

    /// What is done once for each worker.
    fn tidy(&self) -> Result<(), Failure> {
        self.state.prune();
        // What a hook or a worker has left that was killed in the middle of a file.
        let long_ago = SystemClock.now().nanoseconds() - LONGEST_WRITE_NS;
        let _ = self.state.root().remove_temporaries(long_ago);
        SessionMemo::prune(self.store.state_root()?);
        folder::record_edits(self)
    }

    fn note(&self, failure: &Failure) {
        let why = chain(failure.error.as_ref());
        log::note(self.global, self.environment, &format!("worker: {why}"));
    }
}

//! The end of a turn: the transcript goes to a worker that outlives the hook.

use memstrata::memdir::{Clock, Mode};

use super::host::{Host, LOCK_WAIT};
use super::state::HookState;
use crate::clock::SystemClock;
use crate::commands::worker::queue::{Job, Queue};
use crate::commands::worker::spawn;
use crate::context::Context;
use crate::exit::Failure;

/// Puts the session's transcript into the queue and wakes a worker.
pub(crate) fn turn(host: &Host<'_>, before_compaction: bool) -> Result<(), Failure> {
    let context = host.locate()?;
    let modes = context.decisions.modes;
    if modes.persistent == Mode::Off && modes.session == Mode::Off {
        return Ok(());
    }
    let Some(transcript) = &host.call.transcript else {
        return Ok(());
    };
    let store = context.open_unseen(LOCK_WAIT)?;
    let state = HookState::below(store.state_root()?)?;
    let job = Job {
        agent: host.agent.as_str().to_owned(),
        session: host.call.session.clone(),
        transcript: transcript.clone(),
        before_compaction,
        time: SystemClock.now().to_string(),
    };
    Queue::new(&state).add(&job)?;
    wake(host, &context);
    Ok(())
}

/// Wakes a worker where there could be work for it; says into the log when it cannot be started.
pub(crate) fn wake(host: &Host<'_>, context: &Context) {
    if !context.location.state_dir().is_dir() {
        return;
    }
    if let Err(error) = spawn::start(&host.global, host.environment) {
        super::note_failure(host, &error.into());
    }
}

/// The session is over: only wakes the worker, for hosts wait a second and a half and no more.
pub(crate) fn end(host: &Host<'_>) -> Result<(), Failure> {
    let context = host.locate()?;
    wake(host, &context);
    Ok(())
}

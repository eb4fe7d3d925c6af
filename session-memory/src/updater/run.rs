//! One update: a copy, a side agent that edits it, a check, a commit.

use std::sync::Arc;

use agent_model::Request;
use forked_agent::{
    Cancellation, Ended, Limits, OnlyFile, Outcome, SideAgent, ToolKind, Toolbox, Workspace, fork,
};
use memdir::Date;
use memdir::pathguard::{MemoryRoot, WriteOptions};
use token_count::{Estimator, TokenCounter};

use super::Shared;
use crate::error::{Error, ErrorKind};
use crate::ledger::{Ledger, LedgerText};
use crate::notes::{Notes, NotesLimits};
use crate::store::{Author, Committed, Cursor, Draft, LockedFile, NOTES_FILE, SessionFile, key};

/// The folder of the copy, inside the session's: the side agent's only writable folder, so that even a
/// fault of the gate could not touch the committed pair.
const COPY_FOLDER: &str = "session-memory.update";

/// All edits in one reply, and two more to mend what failed.
const MOST_TURNS: u32 = 3;

/// A side agent may overshoot the limits, and is asked to condense the next time; beyond this many times
/// the file limit its text is refused.
const MOST_TIMES_OVER: usize = 2;

pub(super) struct Job {
    pub(super) request: Request,
    pub(super) cursor: Option<Cursor>,
    pub(super) facts: Ledger,
    pub(super) today: Date,
    pub(super) cancellation: Cancellation,
}

pub(super) async fn update(shared: &Arc<Shared>, job: Job) -> Result<Committed, Error> {
    let file = shared.file.clone();
    let (locked, base, last) = blocking(move || {
        let locked = file.lock()?;
        let (base, last) = match locked.base() {
            Some(base) => (base.notes.clone(), base.ledger.clone()),
            None => (Notes::empty(file.structure()), LedgerText::default()),
        };
        write_copy(&file, &base)?;
        Ok((locked, base, last))
    })
    .await?;
    let outcome = edit_copy(shared, &job, &base).await?;
    check_outcome(&outcome)?;
    blocking(move || commit(locked, &base, &last, job)).await
}

/// Files are read and written on threads that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(Error::new(ErrorKind::Io, "the update was interrupted")),
    }
}

fn copy_root(file: &SessionFile) -> Result<MemoryRoot, Error> {
    file.root()
        .open_sub(key(COPY_FOLDER).as_ref())
        .map_err(Error::file)
}

fn write_copy(file: &SessionFile, notes: &Notes) -> Result<(), Error> {
    file.root()
        .create_dirs(key(COPY_FOLDER).as_ref())
        .map_err(Error::file)?;
    copy_root(file)?
        .write(
            key(NOTES_FILE).as_ref(),
            notes.print().as_bytes(),
            &WriteOptions::new(),
        )
        .map(drop)
        .map_err(Error::file)
}

async fn edit_copy(shared: &Shared, job: &Job, base: &Notes) -> Result<Outcome, Error> {
    let file = &shared.file;
    let workspace = Workspace::new(copy_root(file)?).with_writable(copy_root(file)?);
    let failed = |reason| Error::new(ErrorKind::Update, reason);
    let place = workspace.resolve(NOTES_FILE).map_err(failed)?;
    let path = place.path();
    let gate = OnlyFile::new(&place);
    let aliases = shared.options.edit_tools.iter();
    let toolbox = aliases.fold(Toolbox::new(workspace), |toolbox, name| {
        toolbox.with_alias(name, ToolKind::FileEdit)
    });
    let limits = Limits::default()
        .with_max_turns(MOST_TURNS)
        .with_time(shared.options.stuck_after);
    let agent = SideAgent::new(&*shared.model, &toolbox, &gate)
        .with_limits(limits)
        .with_clock(&*shared.clock)
        .with_cancellation(job.cancellation.clone());
    let task = shared.options.prompt.fill(
        base,
        &path.to_string_lossy(),
        &job.today.to_string(),
        file.limits(),
    );
    Ok(fork(&agent, job.request.clone(), task).await)
}

/// A run counts when it came to its own end and edited something: only then does the copy cover the
/// conversation.
fn check_outcome(outcome: &Outcome) -> Result<(), Error> {
    let failed = |reason: String| Err(Error::new(ErrorKind::Update, reason));
    match outcome.ended {
        Ended::Written => Ok(()),
        Ended::Finished if !outcome.writes.is_empty() => Ok(()),
        Ended::ModelFailed => failed(match &outcome.error {
            Some(error) => error.to_string(),
            None => "the model could not be asked".to_owned(),
        }),
        Ended::TimeLimit => failed("it took too long".to_owned()),
        ended => {
            let denied = outcome.failed.iter().filter(|call| call.denied).count();
            failed(format!(
                "the side agent ended without a whole update ({}, {} edits, {denied} calls denied)",
                ended.as_str(),
                outcome.writes.len(),
            ))
        }
    }
}

fn commit(
    mut locked: LockedFile,
    base: &Notes,
    last: &LedgerText,
    job: Job,
) -> Result<Committed, Error> {
    let file = locked.file().clone();
    let notes = read_copy(&file)?;
    if notes == *base {
        return Err(Error::new(
            ErrorKind::Update,
            "the side agent changed nothing below the headings",
        ));
    }
    check_size(&notes, file.limits())?;
    let (notes, ledger) = job.facts.add_facts(&notes, last);
    let draft = Draft::new(notes, job.cursor, Author::Model).with_ledger(ledger);
    let committed = locked.commit(&draft)?;
    remove_copy(&file);
    Ok(committed)
}

/// Reads the copy and mends what is certain; everything else refuses it.
fn read_copy(file: &SessionFile) -> Result<Notes, Error> {
    let limits = file.limits();
    let read = copy_root(file)?
        .read(key(NOTES_FILE).as_ref(), limits.file_bytes as u64)
        .map_err(Error::file)?;
    let repair = Notes::repair(&read.bytes, file.structure(), limits).map_err(|violations| {
        Error::invalid("the side agent broke the session file", violations)
    })?;
    if !repair.mended.is_empty() {
        tracing::info!(mended = repair.mended.len(), "session_memory.mended");
    }
    Ok(repair.notes)
}

fn check_size(notes: &Notes, limits: &NotesLimits) -> Result<(), Error> {
    let most = limits.file_tokens.saturating_mul(MOST_TIMES_OVER);
    match Estimator::new().count_up_to(&notes.print(), most) {
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorKind::Update,
            format!("the side agent wrote more than {most} tokens"),
        )),
    }
}

/// What stays of a copy is overwritten by the next update.
fn remove_copy(file: &SessionFile) {
    if let Ok(root) = copy_root(file) {
        drop(root.remove(key(NOTES_FILE).as_ref()));
    }
    drop(file.root().remove_dir(key(COPY_FOLDER).as_ref()));
}

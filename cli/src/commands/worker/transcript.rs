//! One transcript: memories from what is new in it, and the notes of its session.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memstrata::extract::{
    Conditions, Decided, ErrorKind, Extractor, ExtractorOptions, Lease, MemorySaved, Notice,
    RunNow, Turn,
};
use memstrata::memdir::{Clock, Mode};
use memstrata::session_memory::{
    Activity, Config, Due, SessionFile, Thresholds, context_tokens, due, entries_of,
    update_offline_with,
};
use memstrata::token_count::{Estimator, Factor};
use memstrata::transcript::{FileRole, Options, Pictures, Transcript};
use memstrata::{Models, SessionMemo};

use super::{AtWork, LIFE};
use crate::clock::SystemClock;
use crate::config::{self, Extraction};
use crate::exit::{Exit, Failure};

use super::queue::Job;

/// How long the lease of a worker holds without a heartbeat. One that was killed leaves it behind, and the
/// next one waits for so long.
const LEASE: Duration = Duration::from_secs(6);

/// How long a run waits for another process that extracts into the same folder.
const BUSY_TIME: Duration = Duration::from_secs(90);

/// How often it asks.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// Does everything about a transcript.
pub(super) fn work_through(at_work: &AtWork<'_>, job: &Job) -> Result<(), Failure> {
    let options = Options::default().with_pictures(Pictures::Omit);
    let transcript = Transcript::open(&job.transcript, &options)?;
    if transcript.session().role != FileRole::Session {
        return Ok(());
    }
    let modes = at_work.context.decisions.modes;
    let notes = if modes.session == Mode::Auto {
        update_notes(at_work, job, &transcript)
    } else {
        Ok(())
    };
    // Notes that cannot be kept are no reason to learn nothing.
    if modes.persistent > Mode::Read {
        extract(at_work, job, &transcript)?;
    }
    notes
}

/// Whether trying again cannot help.
pub(super) fn is_hopeless(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::NotFound | Exit::Usage | Exit::Refused)
}

fn extract(at_work: &AtWork<'_>, job: &Job, transcript: &Transcript) -> Result<(), Failure> {
    let store = &at_work.store;
    let options = ExtractorOptions::new(&job.session)
        .with_owner(format!("memstrata worker, process {}", std::process::id()))
        .with_lease_time(LEASE)
        .with_instructions(memstrata::instruction_files(
            at_work.context.location.root(),
        ));
    let end = transcript.cursor();
    let turn = Turn::of_transcript(transcript, &end);
    let conditions = Conditions::new(at_work.context.decisions.modes.persistent);
    let extraction = extraction(at_work, transcript);
    let begin = at_work.begin.elapsed();
    loop {
        // Asked first, for each run that finds it taken is written down as one that failed.
        if !is_leased(at_work)? {
            // A new one each time: it starts from the cursor that another process may have moved.
            let extractor =
                Extractor::new(Arc::clone(store), extraction.backend(), options.clone())?;
            let ran = extractor.run_now(&turn, conditions, false);
            for reason in extraction.troubles() {
                let what = format!("the model was of no help: {reason}");
                at_work.note(&Failure::new(Exit::Unavailable, what));
            }
            match ran {
                RunNow::Done(decided) => {
                    tell(at_work, job, &extractor, &decided);
                    return Ok(());
                }
                // Somebody was faster.
                RunNow::Failed(error, _) if error.kind() == ErrorKind::Busy => {}
                RunNow::Failed(error, _) => return Err(error.into()),
                _ => return Ok(()),
            }
        }
        let now = at_work.begin.elapsed();
        if now > begin + BUSY_TIME || now > LIFE {
            return Err(Failure::new(
                Exit::Conflict,
                "another process is extracting into this memory",
            ));
        }
        std::thread::sleep(BUSY_PAUSE);
    }
}

/// The model that the person lets extract by itself, where there is one; what is wrong with it is a line in the
/// log, and the rules do it.
fn extraction(at_work: &AtWork<'_>, transcript: &Transcript) -> Extraction {
    let context = at_work.context;
    let models = config::standing_models(context, &at_work.store, at_work.environment);
    let models = models
        .and_then(|models| config::for_session(models, transcript.session().provider.as_ref()));
    let models = models.unwrap_or_else(|failure| {
        at_work.note(&failure);
        Models::new()
    });
    Extraction::new(&models, &context.project)
}

fn is_leased(at_work: &AtWork<'_>) -> Result<bool, Failure> {
    let now = SystemClock.now();
    let lease = Lease::current(&at_work.store)?;
    Ok(lease.is_some_and(|lease| lease.is_held(now)))
}

/// Leaves a word for the person, whom the next hook of the session will tell.
fn tell(at_work: &AtWork<'_>, job: &Job, extractor: &Extractor, decided: &[Decided]) {
    if !decided.iter().any(|one| one.action.is_write()) {
        return;
    }
    for notice in extractor.notices() {
        let text = match &notice {
            Notice::Saved(saved) => {
                know(at_work, job, saved);
                said(saved)
            }
            other => format!("{other}."),
        };
        // The memories are saved; that they are not announced is no reason to do it all again.
        let _ = at_work.state.add_notice(&job.session, text);
    }
}

/// What was learned from a conversation stands in it: its session need not be told.
fn know(at_work: &AtWork<'_>, job: &Job, saved: &MemorySaved) {
    let Ok(state) = at_work.store.state_root() else {
        return;
    };
    let mut memo = SessionMemo::load(state, &job.session);
    for file in &saved.files {
        memo.note_learned(&file.path);
    }
    let _ = memo.keep(state, &job.session);
}

fn said(saved: &MemorySaved) -> String {
    format!("{saved}. `memstrata undo` takes it back.")
}

/// Brings the notes of the session up to date when it is time, and always before a compaction.
fn update_notes(at_work: &AtWork<'_>, job: &Job, transcript: &Transcript) -> Result<(), Failure> {
    let entries = entries_of(transcript);
    if entries.is_empty() {
        return Ok(());
    }
    let model = transcript
        .entries()
        .iter()
        .rev()
        .find_map(|entry| entry.model.as_deref());
    let counter = Estimator::with_factor(Factor::of_model(model.unwrap_or_default()));
    let tokens = context_tokens(transcript, &counter);
    let session = folder_name(job);
    let folder = at_work.context.location.session_folder(&session)?;
    if !job.before_compaction && !exists(&folder) {
        let activity = Activity::of(&entries, None, tokens, 0);
        if due(&activity, &Thresholds::default()) != Due::Now {
            return Ok(());
        }
    }
    let config = Config::load(at_work.context.location.home().path());
    let file = SessionFile::create(&folder, config.structure)?;
    // Notes hold no credential, whoever said or printed it.
    match update_offline_with(&file, &entries, tokens, &memstrata::session::redact_ledger) {
        Ok(_) => Ok(()),
        // Somebody is at it, a person maybe; the next turn brings it up to date.
        Err(error) if is_taken(error.kind()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn is_taken(kind: memstrata::session_memory::ErrorKind) -> bool {
    use memstrata::session_memory::ErrorKind;
    matches!(
        kind,
        ErrorKind::Busy | ErrorKind::EditedMeanwhile | ErrorKind::TooNew
    )
}

/// Whether the session has notes already: then they are kept true, which costs no model.
fn exists(folder: &Path) -> bool {
    folder.join(memstrata::session_memory::NOTES_FILE).exists()
}

/// The id that names the session's folder.
fn folder_name(job: &Job) -> String {
    let stem = job.transcript.file_stem().unwrap_or_default();
    if job.session.is_empty() {
        stem.to_string_lossy().into_owned()
    } else {
        job.session.clone()
    }
}

//! How folder and server stand to each other: a look that changes neither.

use pathguard::{MemoryRoot, SyncPolicy, WriteOptions};
use serde::{Deserialize, Serialize};

use super::engine::Client;
use super::folder;
use super::outbox;
use super::pull;
use super::report::Note;
use super::state;
use crate::error::Error;
use crate::plan::{PlanOptions, Step, plan};
use crate::tag::Tag;

/// How folder and server stand to each other.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Standing {
    /// What a sync would do now, per key.
    pub steps: Vec<Step>,
    /// What a sync would leave undone, and why; the key as it came when it is not a legal one.
    pub notes: Vec<(String, Note)>,
    /// Keys on which both sides agree.
    pub agreed: usize,
    /// Operations that were begun and not answered yet.
    pub waiting: usize,
    /// Why nothing is sent any more until something changes; the server's words, cleaned.
    pub suppressed: Option<String>,
    /// The version that the server had.
    pub version: Option<u64>,
    /// The extensions that the server has announced.
    pub features: Vec<String>,
    /// The scopes that the server says the token has; `None` when it does not say.
    pub scopes: Option<Vec<String>>,
    /// How the last run ended; `None` before the first one.
    pub last_run: Option<LastRun>,
    /// Why the server could not be asked; the rest is then what was known before.
    pub unreachable: Option<Error>,
}

/// The file that says how the last run ended; its time is that of the run.
const LAST_RUN: &str = "last-run.json";

/// How the last run ended, whichever process ran it: a background sync that fails is seen here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastRun {
    /// Why it failed; `None` when it did not.
    pub failure: Option<String>,
    /// When it ended by the file system's clock, in nanoseconds since the Unix epoch; shown to people.
    pub ended_ns: i128,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Ended {
    failure: Option<String>,
}

/// Notes how a run ended. A note that cannot be written is no reason to fail.
pub(super) fn note_run(root: &MemoryRoot, failure: Option<&Error>) {
    let failure = failure.map(ToString::to_string);
    let (Ok(key), Ok(bytes)) = (state::key(LAST_RUN), serde_json::to_vec(&Ended { failure }))
    else {
        return;
    };
    // Not synced: it is worth nothing after a power failure.
    let options = WriteOptions::new().with_sync(SyncPolicy::None);
    drop(root.write(key.as_ref(), &bytes, &options));
}

fn last_run(root: &MemoryRoot) -> Option<LastRun> {
    let key = state::key(LAST_RUN).ok()?;
    let read = root.read(key.as_ref(), 64 * 1024).ok()?;
    let ended: Ended = serde_json::from_slice(&read.bytes).ok()?;
    Some(LastRun {
        failure: ended.failure,
        ended_ns: read.metadata.modified_ns,
    })
}

impl Client {
    /// Looks at both sides and says what a sync would do. Changes no file, no state and not the server, and
    /// takes no lock.
    ///
    /// With `ask` false, nothing is sent, and the server counts as it was seen last.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Folder`](crate::ErrorKind::Folder) and [`ErrorKind::State`](crate::ErrorKind::State) when
    /// files cannot be read, or belong to another repository.
    pub async fn look(&self, ask: bool) -> Result<Standing, Error> {
        let marker = self.check_marker()?;
        let mut run = self.begin()?;
        // Nobody waits for a second try of a look.
        run.tries = 1;
        let mut standing = Standing::default();
        let pulled = if ask {
            run.pull().await
        } else {
            Ok(run.known())
        };
        let pulled = pulled.unwrap_or_else(|error| {
            standing.unreachable = Some(error);
            run.known()
        });
        let mut walked = folder::walk(&self.folder, marker, &*self.options.gate, &mut run.report)?;
        // As a sync would see it: a first one makes the marker.
        walked.local.marker |= run.state.synced.is_empty();
        let options = PlanOptions::default().with_held(run.state.held.clone());
        standing.steps = plan(&walked.local, &pulled.remote, &run.state.synced, &options);
        pull::note_refused(&run.state, &mut run.report);
        standing.notes = run.report.notes;
        standing.last_run = last_run(&self.state_root);
        standing.agreed = run.state.synced.len();
        standing.waiting = outbox::waiting(&self.state_root)?.len();
        standing.suppressed = run.state.suppressed.map(|why| why.detail);
        standing.version = run.state.tag.as_ref().and_then(Tag::version);
        standing.features = run.state.features;
        standing.scopes = run.state.scopes;
        Ok(standing)
    }
}

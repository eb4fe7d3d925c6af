//! How folder and server stand to each other: a look that changes neither.

use super::engine::Client;
use super::folder;
use super::outbox;
use super::pull;
use super::report::Note;
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
    /// Why the server could not be asked; the rest is then what was known before.
    pub unreachable: Option<Error>,
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
        standing.agreed = run.state.synced.len();
        standing.waiting = outbox::waiting(&self.state_root)?.len();
        standing.suppressed = run.state.suppressed.map(|why| why.detail);
        standing.version = run.state.tag.as_ref().and_then(Tag::version);
        standing.features = run.state.features;
        standing.scopes = run.state.scopes;
        Ok(standing)
    }
}

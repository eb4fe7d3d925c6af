//! A client: one folder, one server, and one run at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use pathguard::{LockWait, MemoryRoot};

use super::folder::{self, Gate};
use super::push::clean;
use super::report::{Suppression, SyncReport};
use super::retry::{LONGEST_WAIT, TRIES};
use super::run::Run;
use super::state::{self, State};
use super::status;
use super::sweep::sweep;
use super::transport::Transport;
use crate::error::{Error, ErrorKind};

/// Who syncs, and what comes from outside.
pub struct ClientOptions {
    /// The repository, as [`repository_slug`](crate::repository_slug) gives it.
    pub repository: String,
    /// Names this client in conflict copies and in the history.
    pub client: String,
    /// Shown in the history.
    pub author: Option<String>,
    /// Looks for what must not travel.
    pub gate: Arc<dyn Gate>,
    /// Randomness, for names of operations and for waits that do not march in step.
    pub random: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl std::fmt::Debug for ClientOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ClientOptions")
            .field("repository", &self.repository)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

/// What one run may do.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a caller sets each by its name"
)]
pub struct SyncOptions {
    /// Only take; send nothing.
    pub pull_only: bool,
    /// Only send, and take what has to be merged with it. Nothing is asked where nothing has changed here: the
    /// server counts as it was seen last until it says otherwise.
    pub push_only: bool,
    /// A person has confirmed the deletes that were held back.
    pub confirmed_deletes: bool,
    /// A session begins, or a person asks: what a server refused for good before is tried again, and entries
    /// that were refused here are looked at again.
    pub fresh: bool,
    /// The longest wait that a server may ask for with `Retry-After` inside of this run; 60 seconds. Where it
    /// asks for more, the run ends, and [`Error::retry_after`] says so.
    pub patience: Duration,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            pull_only: false,
            push_only: false,
            confirmed_deletes: false,
            fresh: false,
            patience: Duration::from_secs(60),
        }
    }
}

impl SyncOptions {
    /// A session begins, or a person asks.
    #[must_use]
    pub fn with_fresh(mut self, fresh: bool) -> Self {
        self.fresh = fresh;
        self
    }

    /// The longest wait that a server may ask for inside of this run; at most 15 minutes are waited.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Only take; send nothing.
    #[must_use]
    pub fn with_pull_only(mut self, only: bool) -> Self {
        self.pull_only = only;
        self
    }

    /// Only send, and take what has to be merged with it.
    #[must_use]
    pub fn with_push_only(mut self, only: bool) -> Self {
        self.push_only = only;
        self
    }

    /// A person has confirmed the deletes that were held back.
    #[must_use]
    pub fn with_confirmed_deletes(mut self, confirmed: bool) -> Self {
        self.confirmed_deletes = confirmed;
        self
    }
}

/// Keeps one folder and one server in step.
pub struct Client {
    pub(super) folder: MemoryRoot,
    pub(super) state_root: MemoryRoot,
    pub(super) transport: Box<dyn Transport>,
    pub(super) options: ClientOptions,
    pub(super) wanted_scopes: Vec<String>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Client")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client for the team folder, with the folder of its state.
    pub fn new(
        folder: MemoryRoot,
        state_root: MemoryRoot,
        transport: Box<dyn Transport>,
        options: ClientOptions,
    ) -> Self {
        Self {
            folder,
            state_root,
            transport,
            options,
            wanted_scopes: Vec::new(),
        }
    }

    /// The scopes that the token has to have. A server that does not say what a token is good for counts as
    /// content with it.
    #[must_use]
    pub fn with_wanted_scopes(mut self, scopes: Vec<String>) -> Self {
        self.wanted_scopes = scopes;
        self
    }

    /// Brings folder and server together, as far as that is possible now.
    ///
    /// What was done stays done wherever the run stops: the next one goes on from there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] when another process syncs this folder; [`ErrorKind::Folder`] and
    /// [`ErrorKind::State`] when files cannot be read or written; [`ErrorKind::Unavailable`] when the server
    /// cannot be reached; [`ErrorKind::Refused`] when it refuses for good.
    pub async fn sync(&self, options: &SyncOptions) -> Result<SyncReport, Error> {
        let lock = state::key("lock")?;
        let _held = self
            .state_root
            .lock(lock.as_ref(), &LockWait::none())
            .map_err(|error| {
                let kind = match error.kind() {
                    pathguard::ErrorKind::Busy => ErrorKind::Busy,
                    _ => ErrorKind::State,
                };
                Error::new(
                    kind,
                    format!("this folder is being synced by another process: {error}"),
                )
                .with_source(error)
            })?;
        let result = self.locked(options).await;
        status::note_run(&self.state_root, result.as_ref().err());
        result
    }

    /// A run, while the lock is held.
    async fn locked(&self, options: &SyncOptions) -> Result<SyncReport, Error> {
        let marker = self.check_marker()?;
        sweep(&self.folder, &self.state_root);
        let mut run = self.begin()?;
        run.marker = marker;
        run.patience = options.patience.min(LONGEST_WAIT);
        let result = run.all(options).await;
        // What is known now is right whether or not the run came to its end.
        let saved = run.state.save(&self.state_root, &self.options.repository);
        // The first failure is the one that explains the others.
        result?;
        saved?;
        if !run.report.done.is_empty() {
            run.state.sweep_texts(&self.state_root)?;
        }
        run.report.notes.sort_by(|a, b| a.0.cmp(&b.0));
        run.report.suppressed = run.state.suppressed.map(|why| Suppression {
            status: why.status,
            detail: why.detail,
        });
        Ok(run.report)
    }

    /// Begins a run from the state on disk. Who sends changes holds the lock.
    pub(super) fn begin(&self) -> Result<Run<'_>, Error> {
        Ok(Run {
            client: self,
            state: State::load(&self.state_root, &self.options.repository)?,
            report: SyncReport::default(),
            not_taken: BTreeSet::new(),
            tries: TRIES,
            marker: false,
            files: Vec::new(),
            patience: Duration::ZERO,
        })
    }

    /// Whether the folder has its marker. A folder that belongs to another repository is not touched.
    pub(super) fn check_marker(&self) -> Result<bool, Error> {
        match folder::marker(&self.folder)? {
            Some(name) if name != self.options.repository => Err(Error::new(
                ErrorKind::Folder,
                format!(
                    "the team folder belongs to {}, not to {}; move it away to start anew",
                    clean(&name),
                    self.options.repository
                ),
            )),
            marker => Ok(marker.is_some()),
        }
    }

    /// A wait between half of `limit` and all of it.
    pub(super) fn jitter(&self, limit: Duration) -> Duration {
        let limit = limit.as_millis() as u64;
        Duration::from_millis(limit / 2 + (self.options.random)() % (limit / 2 + 1))
    }

    /// A UUID of version 4.
    pub(super) fn op_id(&self) -> String {
        let (a, b) = ((self.options.random)(), (self.options.random)());
        let (time, mid, version) = (a >> 32, (a >> 16) & 0xffff, a & 0x0fff);
        let (variant, node) = ((b >> 48) & 0x3fff | 0x8000, b & 0xffff_ffff_ffff);
        format!("{time:08x}-{mid:04x}-4{version:03x}-{variant:04x}-{node:012x}")
    }
}

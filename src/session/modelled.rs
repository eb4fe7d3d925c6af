//! What models do in a session, each with the rules behind it. Its twin `unmodelled` is for builds without
//! models.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agent_model::Purpose;
use memdir_extract::{Backend, Error as ExtractError, OfflineBackend, Work};
use recall::{Query, Recall, Recollection};
use session_memory::{Triggered, Turn, Updater, UpdaterOptions};

use super::builder::SessionBuilder;
use super::compaction::Compaction;
use super::conversation::Conversation;
use super::engine::{Engine, Troubles};
use super::event::{Happened, Part, SummarySource};
use super::growth::counter;
use super::keeping::{AfterReply, State};
use super::notice::Notice;
use super::{Session, lock};
use crate::error::chain;
use crate::models::{ModelBackend, Models, choose, request_of};
use crate::place::Place;

/// Models at work.
pub(super) struct Helpers {
    engine: Option<Arc<Engine>>,
    models: Models,
    troubles: Troubles,
    extracts: Option<ModelBackend>,
    updater: OnceLock<Option<Updater>>,
    /// An update of the session file is going on.
    is_updating: AtomicBool,
    /// The last update failed: the next one is made by the rules.
    has_failed: AtomicBool,
}

impl Helpers {
    /// Starts a runtime where there are models. What cannot be used is a trouble, and the rules do it.
    pub(super) fn start(builder: &SessionBuilder) -> Self {
        let troubles = Troubles::default();
        let (mut models, refused) = builder
            .models
            .clone()
            .for_session(builder.provider.as_ref());
        for reason in refused {
            troubles.push(Part::Extraction, reason);
        }
        let mut engine = None;
        if !models.is_empty() {
            match Engine::start() {
                Ok(started) => engine = Some(Arc::new(started)),
                Err(error) => {
                    troubles.push(
                        Part::Extraction,
                        format!("no runtime could be started: {error}"),
                    );
                    models = Models::new();
                }
            }
        }
        let extracts = ModelBackend::new(&models);
        Self {
            engine,
            models,
            troubles,
            extracts,
            updater: OnceLock::new(),
            is_updating: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Who finds memories in a finished turn.
    pub(super) fn backend(&self, place: &Place) -> Arc<dyn Backend> {
        match (&self.engine, &self.extracts) {
            (Some(engine), Some(backend)) => Arc::new(WithEngine {
                backend: backend
                    .clone()
                    .with_project(&place.project)
                    .with_runtime(engine.handle().clone()),
                _engine: Arc::clone(engine),
            }),
            _ => Arc::new(OfflineBackend),
        }
    }
}

/// Keeps the runtime for as long as a run may need it.
struct WithEngine {
    backend: ModelBackend,
    _engine: Arc<Engine>,
}

impl Backend for WithEngine {
    fn run(&self, work: &Arc<Work>) -> Result<(), ExtractError> {
        self.backend.run(work)
    }
}

impl Session {
    /// Lets a model choose from the memories that meet the query. `None`: there is none, or it was of no help.
    pub(super) fn chosen_by_model(&self, folder: &Recall, query: &Query) -> Option<Recollection> {
        let models = &self.helpers.models;
        let model = models.get(&Purpose::Recall)?;
        let engine = self.helpers.engine.as_ref()?;
        match engine.wait(|| choose(model, models.recall_time(), folder, query)) {
            Ok(answer) => answer,
            Err(reason) => {
                self.helpers.troubles.push(Part::Recall, reason);
                None
            }
        }
    }

    /// Lets a model update the session file, in the background unless calls wait. `None`: the rules shall.
    pub(super) fn updated_by_model(
        &self,
        state: &mut State,
        conversation: &Conversation<'_>,
        tokens: u64,
    ) -> Option<AfterReply> {
        if self.helpers.has_failed.swap(false, Ordering::Relaxed) {
            return None;
        }
        let engine = self.helpers.engine.as_ref()?;
        let updater = self.updater()?;
        let entries = &conversation.notes_entries();
        let request = request_of(conversation.request(), entries, updater.file())?;
        let clock = self.store.options().clock();
        let turn = Turn {
            request: &request,
            entries,
            context_tokens: tokens,
            today: clock.now().date(clock.offset_seconds()),
        };
        let triggered = {
            let _inside = engine.handle().enter();
            updater.update(&turn)
        };
        match triggered {
            Triggered::Started => {}
            Triggered::Running => return Some(AfterReply::Running),
            Triggered::Tripped(reason) => {
                self.helpers.troubles.push(Part::SessionFile, reason);
                return None;
            }
            Triggered::NotDue(due) => return Some(AfterReply::Waits(due)),
            _ => return None,
        }
        self.helpers.is_updating.store(true, Ordering::Relaxed);
        if !self.options.waits {
            return Some(AfterReply::Started);
        }
        drop(engine.wait(|| updater.settle()));
        let report = self.take_update(state);
        // The rules follow at once, not the next time.
        self.helpers.has_failed.store(false, Ordering::Relaxed);
        report.map(AfterReply::Updated)
    }

    /// Lets a model compact: by the session file it keeps, or by a summary for this once. `None`: the rules shall.
    pub(super) fn compacted_by_model(&self, conversation: &Conversation<'_>) -> Option<Compaction> {
        let engine = self.helpers.engine.as_ref()?;
        let updater = self.updater()?;
        let entries = &conversation.notes_entries();
        let request = request_of(conversation.request(), entries, updater.file())?;
        let clock = self.store.options().clock();
        let turn = Turn {
            request: &request,
            entries,
            context_tokens: lock(&self.keeper.state).meter.context_tokens(conversation),
            today: clock.now().date(clock.offset_seconds()),
        };
        let counter = counter(conversation);
        let compacted = engine.wait(|| {
            updater.compact(
                &turn,
                conversation.transcript_path(),
                &self.options.limits,
                &counter,
            )
        });
        match compacted {
            Ok(done) => Some(Compaction {
                compacted: done.compacted,
                summary: match done.fell_back {
                    None => SummarySource::SessionFile,
                    Some(_) => SummarySource::Model,
                },
                fell_back: done.fell_back,
            }),
            Err(error) => {
                self.helpers.troubles.push(Part::Compaction, chain(&error));
                None
            }
        }
    }

    /// Takes over what models have done in the background, and what went wrong with them.
    pub(super) fn collect_models(&self) {
        if self.helpers.is_updating.load(Ordering::Relaxed) {
            self.take_update(&mut lock(&self.keeper.state));
        }
        if let Some(backend) = &self.helpers.extracts {
            for reason in backend.troubles() {
                self.helpers.troubles.push(Part::Extraction, reason);
            }
        }
        for (part, reason) in self.helpers.troubles.take() {
            if self.is_new(part, &format!("model: {reason}")) {
                self.notice(Notice::Model {
                    part,
                    reason: reason.clone(),
                });
            }
            self.happened(Happened::ModelFailed { part, reason });
        }
    }

    /// Waits for an update of the session file; tells whether none runs any more.
    pub(super) fn settle_models(&self, limit: Duration) -> bool {
        if !self.helpers.is_updating.load(Ordering::Relaxed) {
            return true;
        }
        let (Some(engine), Some(Some(updater))) =
            (&self.helpers.engine, self.helpers.updater.get())
        else {
            return true;
        };
        let settled = engine.wait(|| async { tokio::time::timeout(limit, updater.settle()).await });
        self.take_update(&mut lock(&self.keeper.state));
        if settled.is_ok() {
            // A person's edit or another process may have been in the way: then nothing was committed.
            self.helpers.is_updating.store(false, Ordering::Relaxed);
        }
        settled.is_ok()
    }

    /// Looks whether the update that was started has come to its end, well or badly.
    fn take_update(&self, state: &mut State) -> Option<super::SessionFileUpdated> {
        let updater = self.helpers.updater.get()?.as_ref()?;
        let before = state
            .committed
            .as_ref()
            .map_or(0, |committed| committed.revision);
        let now = self.keeper.read().ok().flatten();
        if let Some(committed) = now.filter(|committed| committed.revision > before) {
            self.helpers.is_updating.store(false, Ordering::Relaxed);
            return Some(self.note_committed(state, committed));
        }
        if let Some(reason) = updater.last_failure() {
            self.helpers.is_updating.store(false, Ordering::Relaxed);
            self.helpers.has_failed.store(true, Ordering::Relaxed);
            self.helpers.troubles.push(Part::SessionFile, reason);
        }
        None
    }

    fn updater(&self) -> Option<&Updater> {
        let make = || {
            let model = self.helpers.models.get(&Purpose::Session)?;
            let engine = self.helpers.engine.as_ref()?;
            let mut options = UpdaterOptions::default();
            options.thresholds = self.options.thresholds;
            options.prompt = self.keeper.config().prompt.clone();
            if self.options.waits {
                options.wait = options.stuck_after;
            }
            let _inside = engine.handle().enter();
            let made = self
                .keeper
                .create()
                .and_then(|file| Updater::new(file.clone(), Arc::clone(model), options));
            match made {
                Ok(updater) => Some(updater),
                Err(error) => {
                    self.failed(Part::SessionFile, chain(&error));
                    None
                }
            }
        };
        self.helpers.updater.get_or_init(make).as_ref()
    }
}

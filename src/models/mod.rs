//! Which model does what, under one daily budget.
//!
//! A [`Models`] holds at most one model for each purpose. Where there is none the rules do the work, and so they
//! do when a model fails, refuses, takes too long or its budget is used up: a model makes a session better and
//! never makes it fail.

mod backend;
mod choose;
mod keep;
#[cfg(feature = "model-settings")]
mod key;
#[cfg(feature = "model-settings")]
mod section;
#[cfg(feature = "model-settings")]
mod settings;
mod watched;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agent_model::{Day, Ledger, Metered, Model, PinPolicy, Pinned, Provider, Purpose};
use memdir::{Clock, Store};
use recall::CHOICE_MILLISECONDS;

pub use backend::ModelBackend;
pub(crate) use choose::choose;
pub(crate) use keep::request_of;
#[cfg(feature = "model-settings")]
pub use settings::{ModelSettings, RECURSION_VARIABLE};

/// The folder of a project's state that holds one file of bookings a day.
const LEDGER_FOLDER: &str = "ledger";

/// Models by purpose.
///
/// ```
/// use std::sync::Arc;
///
/// use memstrata::Models;
/// use memstrata::model::{Model, Purpose, ScriptedModel};
///
/// // Any `Model`; this one stands in for it.
/// let model: Arc<dyn Model> = Arc::new(ScriptedModel::new(vec![]));
/// let models = Models::new().with(&Purpose::Extract, model);
/// assert!(models.get(&Purpose::Extract).is_some());
/// assert!(models.get(&Purpose::Recall).is_none());
/// ```
#[derive(Clone)]
pub struct Models {
    recall: Option<Arc<dyn Model>>,
    extract: Option<Arc<dyn Model>>,
    session: Option<Arc<dyn Model>>,
    dream: Option<Arc<dyn Model>>,
    recall_time: Duration,
    any_session: bool,
}

impl Default for Models {
    fn default() -> Self {
        Self {
            recall: None,
            extract: None,
            session: None,
            dream: None,
            recall_time: Duration::from_millis(CHOICE_MILLISECONDS),
            any_session: false,
        }
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for purpose in PURPOSES {
            if let Some(model) = self.get(&purpose) {
                map.entry(&purpose.as_str(), &model.name());
            }
        }
        map.finish()
    }
}

/// What a model can be asked for here.
pub(crate) const PURPOSES: [Purpose; 4] = [
    Purpose::Recall,
    Purpose::Extract,
    Purpose::Session,
    Purpose::Dream,
];

impl Models {
    /// No model at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// One model for everything.
    pub fn all(model: &Arc<dyn Model>) -> Self {
        let with = |models: Self, purpose| models.with(&purpose, Arc::clone(model));
        PURPOSES.into_iter().fold(Self::new(), with)
    }

    /// Sets the model of a purpose. One that is not asked for here changes nothing.
    #[must_use]
    pub fn with(mut self, purpose: &Purpose, model: Arc<dyn Model>) -> Self {
        if let Some(slot) = self.slot(purpose) {
            *slot = Some(model);
        }
        self
    }

    /// Keeps the models of these purposes.
    #[must_use]
    pub fn only(mut self, purposes: &[Purpose]) -> Self {
        for purpose in PURPOSES {
            if !purposes.contains(&purpose)
                && let Some(slot) = self.slot(&purpose)
            {
                *slot = None;
            }
        }
        self
    }

    /// Sets how long a choice of memories may take: a person waits for it. Default
    /// [`CHOICE_MILLISECONDS`].
    #[must_use]
    pub fn with_recall_time(mut self, limit: Duration) -> Self {
        self.recall_time = limit;
        self
    }

    /// Lets text of a session go to these models whatever provider the session runs on: the person has said
    /// so. Without it, [`Models::for_session`] keeps models of the session's own provider and of this machine.
    #[must_use]
    pub fn with_any_session(mut self, any: bool) -> Self {
        self.any_session = any;
        self
    }

    /// The model of a purpose.
    pub fn get(&self, purpose: &Purpose) -> Option<&Arc<dyn Model>> {
        match purpose {
            Purpose::Recall => self.recall.as_ref(),
            Purpose::Extract => self.extract.as_ref(),
            Purpose::Session => self.session.as_ref(),
            Purpose::Dream => self.dream.as_ref(),
            _ => None,
        }
    }

    /// Whether there is no model.
    pub fn is_empty(&self) -> bool {
        PURPOSES.iter().all(|purpose| self.get(purpose).is_none())
    }

    /// How long a choice of memories may take.
    pub fn recall_time(&self) -> Duration {
        self.recall_time
    }

    /// Puts every model under a ledger: calls are booked by purpose, and refused over the budget.
    #[must_use]
    pub fn metered(mut self, ledger: &Arc<Ledger>, clock: &Arc<dyn Clock>) -> Self {
        for purpose in PURPOSES {
            let Some(slot) = self.slot(&purpose) else {
                continue;
            };
            *slot = slot.take().map(|model| -> Arc<dyn Model> {
                let clock = Arc::clone(clock);
                let today = move || today(&*clock);
                Arc::new(Metered::new(
                    model,
                    Arc::clone(ledger),
                    purpose.clone(),
                    today,
                ))
            });
        }
        self
    }

    /// The models that text of a session may be sent to, and for the others why not.
    ///
    /// `provider` is who runs the session's own model. A session of one provider is not shown to another by a
    /// slip in a settings file; a model on this machine is always allowed.
    pub fn for_session(mut self, provider: Option<&Provider>) -> (Self, Vec<String>) {
        let mut refused = Vec::new();
        let Some(provider) = provider.filter(|_| !self.any_session) else {
            return (self, refused);
        };
        for purpose in PURPOSES {
            let Some(slot) = self.slot(&purpose) else {
                continue;
            };
            let Some(model) = slot.take() else { continue };
            match Pinned::new(model, provider, PinPolicy::SameProviderOrLocal) {
                Ok(pinned) => *slot = Some(pinned.into_inner()),
                Err(error) => refused.push(error.to_string()),
            }
        }
        refused.dedup();
        (self, refused)
    }

    fn slot(&mut self, purpose: &Purpose) -> Option<&mut Option<Arc<dyn Model>>> {
        match purpose {
            Purpose::Recall => Some(&mut self.recall),
            Purpose::Extract => Some(&mut self.extract),
            Purpose::Session => Some(&mut self.session),
            Purpose::Dream => Some(&mut self.dream),
            _ => None,
        }
    }
}

/// The folder of a project's bookings: one file a day, which [`agent_model::FileStore`] reads and writes.
///
/// `None` when the store can only be read: what cannot be counted is not spent.
pub fn ledger_folder(store: &Store) -> Option<std::path::PathBuf> {
    Some(store.state_dir()?.join(LEDGER_FOLDER))
}

/// The day that a call is booked on: the one it is where the person is.
pub(crate) fn today(clock: &dyn Clock) -> Day {
    let date = clock.now().date(clock.offset_seconds());
    let day = u16::try_from(date.year())
        .ok()
        .and_then(|year| Day::new(year, date.month(), date.day()));
    // A clock before the year 1 is none that anything was ever booked by.
    day.or_else(|| Day::new(1970, 1, 1))
        .expect("the first of January 1970 exists because a calendar says so")
}

//! The models that the person has set up, as commands use them.

use std::path::Path;
use std::sync::Arc;

use memstrata::extract::{Backend, OfflineBackend};
use memstrata::memdir::{Clock, Store};
use memstrata::model::Provider;
use memstrata::{ModelBackend, ModelSettings, Models, ledger_folder};

use crate::clock::SystemClock;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

/// What to do where nothing is set up.
const NOTHING: &str = "no model is set up; put a section [model] into memstrata.toml in your home folder of memories \
     (docs/SETTINGS.md)";

/// The models of `memstrata.toml`, for a command that was told to use one. Their calls are booked in the
/// project's ledger.
pub(crate) fn models(
    context: &Context,
    store: &Store,
    environment: &Environment,
) -> Result<Models, Failure> {
    let settings = ModelSettings::load(context.location.home().path())?;
    let settings = settings.ok_or_else(|| Failure::new(Exit::Usage, NOTHING))?;
    made(&settings, store, environment)
}

/// The models that are used without being asked for; none where nothing is set up.
pub(crate) fn standing_models(
    context: &Context,
    store: &Store,
    environment: &Environment,
) -> Result<Models, Failure> {
    match ModelSettings::load(context.location.home().path())? {
        // Nobody is asked for a key that nothing needs.
        Some(settings) if !settings.used_for().is_empty() => {
            let models = made(&settings, store, environment)?;
            Ok(models.only(settings.used_for()))
        }
        _ => Ok(Models::new()),
    }
}

fn made(
    settings: &ModelSettings,
    store: &Store,
    environment: &Environment,
) -> Result<Models, Failure> {
    let folder = ledger_folder(store).ok_or_else(|| {
        let why = "the memory can only be read, and a call that cannot be booked is not made";
        Failure::new(Exit::InputOutput, why)
    })?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    Ok(settings.models(&|name| environment.lookup(name), &folder, &clock)?)
}

/// Leaves the models that text of a session may go to, for a command that was told to use them.
pub(crate) fn for_session(models: Models, provider: Option<&Provider>) -> Result<Models, Failure> {
    let (models, refused) = models.for_session(provider);
    match refused.first() {
        None => Ok(models),
        Some(reason) => Err(Failure::new(
            Exit::Refused,
            format!("{reason}; model.any_session = true in memstrata.toml allows it"),
        )),
    }
}

/// Who finds memories: the model where there is one, else the rules.
pub(crate) struct Extraction(Option<ModelBackend>);

impl Extraction {
    pub(crate) fn new(models: &Models, project: &Path) -> Self {
        Self(ModelBackend::new(models).map(|backend| backend.with_project(project)))
    }

    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        match &self.0 {
            Some(backend) => Arc::new(backend.clone()),
            None => Arc::new(OfflineBackend),
        }
    }

    /// Takes why the model was of no help.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.0
            .as_ref()
            .map(ModelBackend::troubles)
            .unwrap_or_default()
    }
}

/// Says that the rules did what the model was asked for.
pub(crate) fn say_trouble(reason: &str, speech: Speech) {
    speech.say(&format!(
        "the model was of no help ({}); the rules did it",
        clean(reason)
    ));
}

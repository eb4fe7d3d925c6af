//! Who receives text, and that it stays the same one.

use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::model::{Answer, Capabilities, Model};
use crate::request::Request;

/// A company or place that runs models.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Vendor {
    /// Anthropic, also through a configured Claude Code.
    Anthropic,
    /// OpenAI, also through a configured Codex.
    OpenAi,
    /// Google, also through a configured Gemini CLI.
    Google,
    /// A server or program on this machine.
    Local,
    /// Anybody else, by a name of the caller's choice.
    Other(String),
}

/// Who receives the text of a request: the vendor, and the endpoint where it is known.
///
/// A recorded session names its vendor but seldom its endpoint, hence the option.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Provider {
    vendor: Vendor,
    endpoint: Option<String>,
}

impl Provider {
    /// Returns a provider whose endpoint is not known.
    pub fn new(vendor: Vendor) -> Self {
        Self {
            vendor,
            endpoint: None,
        }
    }

    /// Returns a provider at an endpoint: scheme, host and port, such as `https://api.anthropic.com`.
    pub fn at(vendor: Vendor, endpoint: impl Into<String>) -> Self {
        Self {
            vendor,
            endpoint: Some(endpoint.into().trim_end_matches('/').to_ascii_lowercase()),
        }
    }

    /// Returns the vendor.
    pub fn vendor(&self) -> &Vendor {
        &self.vendor
    }

    /// Returns the endpoint, where it is known.
    pub fn endpoint(&self) -> Option<&str> {
        self.endpoint.as_deref()
    }

    /// Tells whether text of a session on `self` may go to `other`: the vendor is the same, and so is
    /// the endpoint where both are known.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let endpoints = match (&self.endpoint, &other.endpoint) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        };
        self.vendor == other.vendor && endpoints
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vendor = match &self.vendor {
            Vendor::Anthropic => "anthropic",
            Vendor::OpenAi => "openai",
            Vendor::Google => "google",
            Vendor::Local => "local",
            Vendor::Other(name) => name,
        };
        match &self.endpoint {
            Some(endpoint) => write!(f, "{vendor} at {endpoint}"),
            None => f.write_str(vendor),
        }
    }
}

/// Where text of a session may go besides the session's own provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinPolicy {
    /// Nowhere.
    #[default]
    SameProvider,
    /// To a model on this machine ([`Vendor::Local`]), because the person has switched that on.
    SameProviderOrLocal,
}

/// A model that provably belongs to a session: its provider is the session's own.
///
/// Background jobs take this type, so that a session's text cannot reach another provider by a slip in
/// the wiring: the only way to one is [`Pinned::new`], which compares.
///
/// ```
/// use agent_model::{ErrorKind, PinPolicy, Pinned, Provider, Vendor};
/// # use agent_model::{Reply, ScriptedModel};
///
/// # let claude = ScriptedModel::new(vec![]).with_provider(Provider::new(Vendor::Anthropic));
/// let session = Provider::new(Vendor::OpenAi);
/// let refused = Pinned::new(&claude, &session, PinPolicy::SameProvider).unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::OtherProvider);
/// ```
#[derive(Debug, Clone)]
pub struct Pinned<M> {
    model: M,
}

impl<M: Model> Pinned<M> {
    /// Returns the model if it belongs to the session's provider, or the policy lets it stand in.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherProvider`], with both names.
    pub fn new(model: M, session: &Provider, policy: PinPolicy) -> Result<Self, Error> {
        let asked = model.provider();
        let local = policy == PinPolicy::SameProviderOrLocal && asked.vendor == Vendor::Local;
        if local || session.is_same_as(asked) {
            return Ok(Self { model });
        }
        let detail = format!("the session runs on {session}, the model on {asked}");
        Err(Error::new(ErrorKind::OtherProvider, detail))
    }

    /// Returns the model without the proof.
    pub fn into_inner(self) -> M {
        self.model
    }
}

impl<M: Model> Model for Pinned<M> {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        self.model.ask(request)
    }

    fn provider(&self) -> &Provider {
        self.model.provider()
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.model.capabilities()
    }
}

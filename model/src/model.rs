//! The trait that every back end speaks.

use std::pin::Pin;
use std::sync::Arc;

use crate::error::Error;
use crate::provider::Provider;
use crate::reply::Reply;
use crate::request::Request;

/// The future of one reply. Dropping it cancels the call: connections are closed, programs are ended.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send + 'a>>;

/// Something that answers one request with one reply.
///
/// The trait is object-safe on purpose: hosts hold `Arc<dyn Model>`. The box per call is nothing beside
/// a call to a model.
///
/// ```
/// use agent_model::{Answer, Model, Provider, Reply, Request, Vendor};
///
/// struct Echo(Provider);
///
/// impl Model for Echo {
///     fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
///         let said = request.messages.last().map(|message| message.text());
///         Box::pin(async move { Ok(Reply::text_only(said.unwrap_or_default())) })
///     }
///     fn provider(&self) -> &Provider {
///         &self.0
///     }
///     fn name(&self) -> &str {
///         "echo"
///     }
/// }
///
/// let model: Box<dyn Model> = Box::new(Echo(Provider::new(Vendor::Local)));
/// assert_eq!(model.name(), "echo");
/// assert!(model.capabilities().tools);
/// ```
pub trait Model: Send + Sync {
    /// Asks once. Retries that the back end makes are inside; the request's time limit covers them.
    ///
    /// # Errors
    ///
    /// The future resolves to an [`Error`] whose kind says whose fault it was.
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a>;

    /// Returns who receives the text of a request.
    fn provider(&self) -> &Provider;

    /// Returns the model's name as the provider knows it; prices are looked up under it.
    fn name(&self) -> &str;

    /// Returns what the back end can do. Everything, unless it says otherwise.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

/// What a back end can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Tools are called one turn after another. Without it, calls come back as one list in a single
    /// reply, and no result can be looked at before the next call is chosen.
    pub tools: bool,
    /// Pictures reach the model.
    pub images: bool,
    /// A shared prefix is read from the provider's cache.
    pub prompt_cache: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            tools: true,
            images: true,
            prompt_cache: true,
        }
    }
}

macro_rules! forward {
    ($($holder:ty),*) => {$(
        impl<M: Model + ?Sized> Model for $holder {
            fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
                (**self).ask(request)
            }
            fn provider(&self) -> &Provider {
                (**self).provider()
            }
            fn name(&self) -> &str {
                (**self).name()
            }
            fn capabilities(&self) -> Capabilities {
                (**self).capabilities()
            }
        }
    )*};
}

forward!(&M, Box<M>, Arc<M>);

//! A model whose replies are written down beforehand.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind};
use crate::model::{Answer, Model};
use crate::provider::{Provider, Vendor};
use crate::reply::Reply;
use crate::request::Request;

/// How many requests are kept for [`ScriptedModel::requests`]; older ones are dropped.
pub const MAX_KEPT_REQUESTS: usize = 1_000;

/// A model that replies from a list or a closure and remembers what it was asked.
///
/// ```
/// use agent_model::{Message, Model, Reply, Request, ScriptedModel};
///
/// let model = ScriptedModel::new(vec![Reply::text_only("one")]);
/// let request = Request::new(vec![Message::user("count")]);
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// assert_eq!(model.ask(&request).await?.text(), "one");
/// assert!(model.ask(&request).await.is_err(), "the list is used up");
/// assert_eq!(model.requests().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ScriptedModel {
    script: Mutex<Script>,
    requests: Mutex<VecDeque<Request>>,
    name: String,
    provider: Provider,
}

type Closure = dyn FnMut(&Request) -> Result<Reply, Error> + Send;

enum Script {
    List(VecDeque<Reply>),
    Closure(Box<Closure>),
}

impl ScriptedModel {
    /// Returns a model that gives these replies in order, then fails with
    /// [`ErrorKind::ScriptEnded`].
    pub fn new(replies: Vec<Reply>) -> Self {
        Self::with_script(Script::List(replies.into()))
    }

    /// Returns a model that asks the closure.
    pub fn from_fn(closure: impl FnMut(&Request) -> Result<Reply, Error> + Send + 'static) -> Self {
        Self::with_script(Script::Closure(Box::new(closure)))
    }

    fn with_script(script: Script) -> Self {
        Self {
            script: Mutex::new(script),
            requests: Mutex::default(),
            name: "scripted".to_owned(),
            provider: Provider::new(Vendor::Local),
        }
    }

    /// Returns the model under this name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Returns the model at this provider.
    #[must_use]
    pub fn with_provider(mut self, provider: Provider) -> Self {
        self.provider = provider;
        self
    }

    /// Returns what was asked so far, oldest first; at most the last [`MAX_KEPT_REQUESTS`].
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.requests).iter().cloned().collect()
    }

    fn reply(&self, request: &Request) -> Result<Reply, Error> {
        let mut kept = lock(&self.requests);
        if kept.len() == MAX_KEPT_REQUESTS {
            kept.pop_front();
        }
        kept.push_back(request.clone());
        drop(kept);
        match &mut *lock(&self.script) {
            Script::List(replies) => replies
                .pop_front()
                .ok_or_else(|| Error::new(ErrorKind::ScriptEnded, "")),
            Script::Closure(closure) => closure(request),
        }
    }
}

/// A closure that panicked in another test thread leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model for ScriptedModel {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        Box::pin(async move { self.reply(request) })
    }

    fn provider(&self) -> &Provider {
        &self.provider
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

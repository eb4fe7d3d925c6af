//! A model whose last failure or refusal can be asked for.

use std::sync::{Arc, Mutex, PoisonError};

use agent_model::{Answer, Capabilities, Model, Provider, Request, StopReason};

/// Remembers what went wrong with its last call: a side agent tells only that its model failed.
pub(crate) struct Watched {
    model: Arc<dyn Model>,
    last: Mutex<Option<String>>,
}

impl Watched {
    pub(crate) fn new(model: Arc<dyn Model>) -> Arc<Self> {
        Arc::new(Self {
            model,
            last: Mutex::default(),
        })
    }

    /// Takes the trouble of the last call.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl Model for Watched {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        Box::pin(async move {
            let answered = self.model.ask(request).await;
            let trouble = match &answered {
                Ok(reply) if reply.stop == StopReason::Refusal => {
                    Some("the model or its provider refused".to_owned())
                }
                Ok(_) => None,
                Err(error) => Some(error.to_string()),
            };
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
            answered
        })
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

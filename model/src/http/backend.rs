//! The course of one call, the same for both wire forms.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::{Client, Deadline};
use crate::error::Error;
use crate::provider::Provider;
use crate::reply::Reply;
use crate::request::Request;

/// The bytes of a request, and how many of them are the prefix that later requests share.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) prefix: usize,
}

/// Writes a part of a body.
pub(crate) fn json_bytes(form: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(form)
        .map_err(|error| Error::invalid("it has no JSON form").with_source(error))
}

/// How a wire form is written and read.
pub(crate) trait Wire: Send + Sync {
    /// The endpoint, below the base address.
    const PATH: &'static str;
    /// Words in a refusal that mean: the server cannot enforce an answer schema.
    const SCHEMA_FIELDS: &'static [&'static str];

    /// Writes a request. `structured` says whether the server enforces the answer schema.
    fn body(&self, model: &str, request: &Request, structured: bool) -> Result<Body, Error>;

    /// Reads a reply.
    fn reply(body: &[u8]) -> Result<Reply, Error>;
}

/// A model behind HTTP.
pub(crate) struct Backend<W> {
    pub(crate) name: String,
    pub(crate) provider: Provider,
    wire: W,
    client: Client,
    /// Learnt from a refusal, so that it is asked for once only.
    lacks_schema: AtomicBool,
}

impl<W: Wire> Backend<W> {
    pub(crate) fn new(name: String, provider: Provider, wire: W, client: Client) -> Self {
        Self {
            name,
            provider,
            wire,
            client,
            lacks_schema: AtomicBool::new(false),
        }
    }

    pub(crate) fn body(&self, request: &Request) -> Result<Body, Error> {
        self.wire.body(&self.name, request, true)
    }

    pub(crate) async fn ask(&self, request: &Request) -> Result<Reply, Error> {
        let deadline = Deadline::after(request.limits.timeout);
        let structured = request.answer.is_some() && !self.lacks_schema.load(Ordering::Relaxed);
        match self.send(request, structured, deadline).await {
            Err(error) if structured && error.refuses(W::SCHEMA_FIELDS) => {
                tracing::debug!(model = self.name, "model.no_structured_output");
                self.lacks_schema.store(true, Ordering::Relaxed);
                self.send(request, false, deadline).await
            }
            other => other,
        }
    }

    async fn send(
        &self,
        request: &Request,
        structured: bool,
        deadline: Deadline,
    ) -> Result<Reply, Error> {
        let body = if structured || request.answer.is_none() {
            self.wire.body(&self.name, request, structured)?
        } else {
            let request = request.clone().with_schema_in_prompt();
            self.wire.body(&self.name, &request, false)?
        };
        let answered = self.client.post(W::PATH, body.bytes, deadline).await?;
        let reply = W::reply(&answered.body).map_err(|error| {
            error
                .with_provider(self.provider.to_string())
                .with_request_id(answered.request_id.as_deref())
        })?;
        reply.trace(&self.name);
        Ok(reply)
    }
}

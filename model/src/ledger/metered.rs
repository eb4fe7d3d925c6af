//! A model that books every call.

use std::fmt;
use std::sync::Arc;

use super::{Day, Ledger, Purpose};
use crate::error::{Error, ErrorKind};
use crate::message::{Block, Message, ResultPart, Role};
use crate::model::{Answer, Capabilities, Model};
use crate::provider::Provider;
use crate::reply::{Reply, Usage};
use crate::request::Request;

/// What one picture counts as, in tokens: the provider's figure for the largest it does not scale down.
const PICTURE_TOKENS: u64 = 1_600;

/// A model that asks the ledger before each call and books what the call cost.
///
/// A refused call is not made. A call whose future is dropped keeps its estimate booked, and so does one
/// that failed in a way that the provider may charge for: no answer in time, a broken connection, an
/// answer that makes no sense.
pub struct Metered<M> {
    model: M,
    ledger: Arc<Ledger>,
    purpose: Purpose,
    today: Arc<dyn Fn() -> Day + Send + Sync>,
}

impl<M: Model> Metered<M> {
    /// Returns the model under a ledger; `today` says which day a call is booked on.
    pub fn new(
        model: M,
        ledger: Arc<Ledger>,
        purpose: Purpose,
        today: impl Fn() -> Day + Send + Sync + 'static,
    ) -> Self {
        Self {
            model,
            ledger,
            purpose,
            today: Arc::new(today),
        }
    }

    async fn ask_once(&self, request: &Request) -> Result<Reply, Error> {
        let estimate = Usage::new(
            estimate_tokens(request),
            u64::from(request.limits.max_output_tokens),
        );
        let name = self.model.name();
        let today = (self.today)();
        let ticket = self.ledger.admit(today, &self.purpose, name, estimate)?;
        let answered = self.model.ask(request).await;
        let booked = match &answered {
            Ok(reply) => self.ledger.settle(ticket, usage_of(reply, estimate)),
            Err(error) if may_have_cost(error) => Ok(()),
            Err(_) => self.ledger.fail(ticket),
        };
        if let Err(error) = booked {
            // The answer is paid for; it is not thrown away because the estimate stays booked instead.
            tracing::warn!(%error, "model.not_booked");
        }
        answered
    }
}

/// A program that prints text alone says nothing of tokens; then the estimate has to do.
fn usage_of(reply: &Reply, estimate: Usage) -> Usage {
    if reply.usage != Usage::default() {
        return reply.usage;
    }
    let output = Request::new(vec![Message::new(Role::Assistant, reply.content.clone())]);
    Usage::new(estimate.input, estimate_tokens(&output))
}

/// Tells whether the provider may charge although no answer came of it. Then the estimate stays booked.
fn may_have_cost(error: &Error) -> bool {
    let refused = error.status().is_some_and(|status| status >= 400);
    !refused
        && matches!(
            error.kind(),
            ErrorKind::Timeout | ErrorKind::Network | ErrorKind::BadAnswer | ErrorKind::Command
        )
}

impl<M: Model> Model for Metered<M> {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        Box::pin(self.ask_once(request))
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

impl<M> fmt::Debug for Metered<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered")
            .field("purpose", &self.purpose)
            .finish_non_exhaustive()
    }
}

/// Returns a rough upper estimate of a request's input tokens: a token for every three bytes of text, and
/// 1,600 for a picture. Good enough to hold a budget; for thresholds use `token-count`.
pub fn estimate_tokens(request: &Request) -> u64 {
    let mut bytes = 0_u64;
    let mut pictures = 0_u64;
    let mut text = |length: usize| bytes = bytes.saturating_add(length as u64);
    for system in &request.system {
        text(system.len());
    }
    for tool in &request.tools {
        text(tool.name.len() + tool.description.len() + tool.input_schema.to_string().len());
    }
    if let Some(answer) = &request.answer {
        text(answer.schema.to_string().len());
    }
    for block in request.messages.iter().flat_map(|message| &message.content) {
        match block {
            Block::Text(words) | Block::Thinking { text: words, .. } => text(words.len()),
            Block::RedactedThinking { data } => text(data.len()),
            Block::ToolUse(call) => text(call.name.len() + call.input.to_string().len()),
            Block::Other(value) => text(value.to_string().len()),
            Block::Image(_) => pictures += 1,
            Block::ToolResult(result) => {
                for part in &result.content {
                    match part {
                        ResultPart::Text(words) => text(words.len()),
                        ResultPart::Other(value) => text(value.to_string().len()),
                        ResultPart::Image(_) => pictures += 1,
                    }
                }
            }
        }
    }
    bytes
        .div_ceil(3)
        .saturating_add(pictures.saturating_mul(PICTURE_TOKENS))
}

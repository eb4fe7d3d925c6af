//! A model that books every call.

use std::fmt;
use std::sync::Arc;

use token_count::{Estimator, Factor, TokenCounter};

use super::{Day, Ledger, Purpose};
use crate::error::{Error, ErrorKind};
use crate::model::{Answer, Capabilities, Model};
use crate::provider::Provider;
use crate::reply::{Reply, Usage};
use crate::request::Request;

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
    counter: Arc<dyn TokenCounter + Send + Sync>,
}

impl<M: Model> Metered<M> {
    /// Returns the model under a ledger; `today` says which day a call is booked on.
    pub fn new(
        model: M,
        ledger: Arc<Ledger>,
        purpose: Purpose,
        today: impl Fn() -> Day + Send + Sync + 'static,
    ) -> Self {
        let factor = Factor::of_model(model.name());
        Self {
            model,
            ledger,
            purpose,
            today: Arc::new(today),
            counter: Arc::new(Estimator::with_factor(factor)),
        }
    }

    /// Returns the model with another counter for its estimates; the usual one estimates by the family
    /// that the model's name tells.
    #[must_use]
    pub fn with_counter(mut self, counter: Arc<dyn TokenCounter + Send + Sync>) -> Self {
        self.counter = counter;
        self
    }

    async fn ask_once(&self, request: &Request) -> Result<Reply, Error> {
        let estimate = Usage::new(
            request.tokens(&*self.counter),
            u64::from(request.limits.max_output_tokens),
        );
        let name = self.model.name();
        let today = (self.today)();
        let ticket = self.ledger.admit(today, &self.purpose, name, estimate)?;
        let answered = self.model.ask(request).await;
        let booked = match &answered {
            Ok(reply) => self.ledger.settle(ticket, self.usage_of(reply, estimate)),
            Err(error) if may_have_cost(error) => Ok(()),
            Err(_) => self.ledger.fail(ticket),
        };
        if let Err(error) = booked {
            // The answer is paid for; it is not thrown away because the estimate stays booked instead.
            tracing::warn!(%error, "model.not_booked");
        }
        answered
    }

    /// A program that prints text alone says nothing of tokens; then the estimate has to do.
    fn usage_of(&self, reply: &Reply, estimate: Usage) -> Usage {
        if reply.usage != Usage::default() {
            return reply.usage;
        }
        let said = reply
            .content
            .iter()
            .map(|block| block.tokens(&*self.counter));
        Usage::new(estimate.input, said.fold(0, u64::saturating_add))
    }
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

//! What a reply cost, also where the provider does not say.

use agent_model::{Reply, Request};
use token_count::{Estimator, Factor};

/// Returns the tokens of a request and its reply: the provider's count, or an estimate where it gives
/// none, as local servers and programs do. A budget that counted nothing would bound nothing.
pub(crate) fn cost(request: &Request, reply: &Reply, model: &str) -> u64 {
    let usage = reply.usage.total();
    if usage > 0 {
        return usage;
    }
    let counter = Estimator::with_factor(Factor::of_model(model));
    let said = reply.content.iter().map(|block| block.tokens(&counter));
    said.fold(request.tokens(&counter), u64::saturating_add)
}

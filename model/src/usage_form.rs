//! The token counts of a reply, as the Messages API writes them and programs that ask it hand them on.

use serde::Deserialize;

use crate::reply::Usage;

/// Some gateways write `null` where they have no number.
#[derive(Deserialize, Default)]
#[expect(clippy::struct_field_names, reason = "these are the wire's names")]
pub(crate) struct UsageForm {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
}

impl From<UsageForm> for Usage {
    fn from(form: UsageForm) -> Self {
        let count = |tokens: Option<u64>| tokens.unwrap_or(0);
        Self::new(count(form.input_tokens), count(form.output_tokens)).with_cache(
            count(form.cache_read_input_tokens),
            count(form.cache_creation_input_tokens),
        )
    }
}

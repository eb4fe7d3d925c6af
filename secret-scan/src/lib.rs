//! Finds credentials in text and names the rule, never the value.

pub use allow::{AllowEntry, AllowKey, AllowList, Fingerprint};
pub use error::{Error, ErrorKind};
pub use finding::{Confidence, Finding, Level};
pub use redact::Redacted;
pub use rules::{RuleInfo, Ruleset, rules};
pub use scanner::{Scanner, Views, contains_secret, redact, scan};
pub use stream::Stream;

mod scanner;

mod finding;
mod redact;
mod rules;
mod stream;

mod allow;
mod error;

mod checks;
mod class;
mod engine;
mod literals;
mod matcher;
mod position;
mod sweep;
mod text;
mod views;

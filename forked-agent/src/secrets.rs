//! The scanner that all of this crate's text goes through.

use std::sync::LazyLock;

use secret_scan::{Ruleset, Scanner};

/// Returns the scanner with the extended rules: what a side agent reads leaves the machine, and what it
/// writes may be shared.
pub(crate) fn scanner() -> &'static Scanner {
    static SCANNER: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(&Ruleset::extended()));
    &SCANNER
}

/// Returns a text with every credential replaced by the name of the rule that found it.
pub(crate) fn redacted(text: &str) -> String {
    scanner().redact(text).into_text()
}

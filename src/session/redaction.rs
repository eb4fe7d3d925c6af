//! What is written into a session file holds no credential, whoever said or printed it.

use std::borrow::Cow;

use session_memory::Ledger;

/// Takes credentials out of what was found in a conversation.
///
/// For hosts that keep a session file by other means than [`Session`](crate::Session).
pub fn redact(ledger: &mut Ledger) {
    for text in ledger.texts_mut() {
        if let Cow::Owned(redacted) = secret_scan::redact(text) {
            *text = redacted;
        }
    }
}

//! What is written into a session file holds no credential, whoever said or printed it.

use std::borrow::Cow;

use session_memory::Ledger;

/// Takes credentials out of what was found in a conversation.
///
/// For hosts that keep a session file by other means than [`Session`](crate::Session).
pub fn redact(ledger: &mut Ledger) {
    let lists = [
        &mut ledger.changed,
        &mut ledger.read,
        &mut ledger.instructions,
        &mut ledger.running,
    ];
    lists.into_iter().flatten().for_each(replace);
    ledger.last_reply.iter_mut().for_each(replace);
    for run in &mut ledger.commands {
        replace(&mut run.command);
    }
    for failure in &mut ledger.failures {
        replace(&mut failure.tried);
        replace(&mut failure.error);
        failure.followed_by.iter_mut().for_each(replace);
    }
}

fn replace(text: &mut String) {
    if let Cow::Owned(redacted) = secret_scan::redact(text) {
        *text = redacted;
    }
}

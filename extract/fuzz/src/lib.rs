//! What the targets do with their input; the stable replay test includes this file.

use memdir_extract::{DecisionLog, LeaseState, SessionState, fuzzing};

/// Reads bytes as each of the files in the state folder: cursor, lease, log of decisions.
///
/// # Panics
///
/// When what was read is not what is read again after it was written.
pub fn state(data: &[u8]) {
    for session in ["s", "5c0375b4"] {
        if let Some(state) = SessionState::from_bytes(data, session) {
            let again = SessionState::from_bytes(&state.to_bytes(session), session);
            assert_eq!(again, Some(state));
        }
    }
    if let Some(lease) = LeaseState::from_bytes(data) {
        assert_eq!(LeaseState::from_bytes(&lease.to_bytes()), Some(lease));
    }
    let lines = data.split(|byte| *byte == b'\n').count();
    assert!(DecisionLog::from_bytes(data).len() <= lines);
}

/// Reads bytes as messages: pieces between form feeds, the first character of each says from whom.
///
/// # Panics
///
/// When something that no person said counts as evidence, twice the same does, or a bound is broken.
pub fn evidence(data: &[u8]) {
    fuzzing::evidence(&String::from_utf8_lossy(data));
}

/// Reads bytes as what a person said, in pieces between form feeds.
///
/// # Panics
///
/// When a proposal's quote was not said, or a proposal holds a credential.
pub fn offline(data: &[u8]) {
    fuzzing::offline(&String::from_utf8_lossy(data));
}

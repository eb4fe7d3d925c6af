//! Asking the server, and believing what can be checked.

use std::collections::{BTreeMap, BTreeSet};

use pathguard::KeySet;

use super::folder::{Gate, Verdict};
use super::report::{Note, SyncReport};
use super::state::State;
use crate::checksum::Checksum;
use crate::key::TeamKey;
use crate::limits::MAX_ENTRY_BYTES;
use crate::tag::Tag;
use crate::trees::{Remote, RemoteEntry};
use crate::wire::Snapshot;

/// The server's side of a run.
#[derive(Debug, Default)]
pub(super) struct Pulled {
    pub(super) remote: Remote,
    /// Texts that came with the answer and are what their checksums say.
    pub(super) texts: BTreeMap<TeamKey, String>,
}

/// Takes an answer into the state. A partial answer, to `since`, adds to what is known.
///
/// Nothing is taken over because it is missing: an entry leaves what is known only by a tombstone, or when a
/// whole answer no longer lists it, which the planner never takes for a deletion.
pub(super) fn take(
    state: &mut State,
    snapshot: Snapshot,
    tag: Option<Tag>,
    gate: &dyn Gate,
    report: &mut SyncReport,
) -> Pulled {
    let partial = snapshot.since.is_some();
    let mut pulled = Pulled::default();
    let mut known = if partial {
        std::mem::take(&mut state.remote)
    } else {
        BTreeMap::new()
    };
    let mut tombstones = if partial {
        std::mem::take(&mut state.tombstones)
    } else {
        BTreeMap::new()
    };
    let mut refused = BTreeSet::new();
    let mut keys = KeySet::new();
    let mut texts = snapshot.entries.unwrap_or_default();

    for (raw, checksum) in &snapshot.checksums {
        let key = match TeamKey::parse(raw) {
            Ok(key) => key,
            Err(error) => {
                report.note(shown(raw), Note::RefusedThere(error.to_string()));
                continue;
            }
        };
        let text = texts.remove(raw);
        match check(&key, checksum, text.as_deref(), &mut keys, gate) {
            Ok(checksum) => {
                if let Some(text) = text {
                    pulled.texts.insert(key.clone(), text);
                }
                tombstones.remove(&key);
                known.insert(key, checksum);
            }
            Err(why) => {
                report.note(key.as_str(), Note::RefusedThere(why));
                known.remove(&key);
                refused.insert(key);
            }
        }
    }
    for (raw, tombstone) in &snapshot.tombstones {
        if let (Ok(key), Ok(checksum)) = (TeamKey::parse(raw), tombstone.checksum.parse())
            && !snapshot.checksums.contains_key(raw)
        {
            known.remove(&key);
            tombstones.insert(key, checksum);
        }
    }
    if let Some(capabilities) = &snapshot.capabilities {
        state.features.clone_from(&capabilities.features);
        state.scopes.clone_from(&capabilities.scopes);
    }
    state.learnt = true;
    state.takes_deletes = state.has("deletes");
    state.remote = known;
    state.tombstones = tombstones;
    if let Some(version) = tag.as_ref().and_then(Tag::version) {
        state.highest = version;
    }
    state.tag = tag;
    // Refused entries are looked at again next time.
    state.whole = !refused.is_empty();
    pulled.remote = remote(state, &refused);
    pulled
}

/// The remote tree as it is known, without asking.
pub(super) fn remote(state: &State, refused: &BTreeSet<TeamKey>) -> Remote {
    let free = |(key, checksum): (&TeamKey, &Checksum)| (key.clone(), RemoteEntry::Free(*checksum));
    let blocked = refused
        .iter()
        .map(|key| (key.clone(), RemoteEntry::Blocked));
    Remote {
        entries: state.remote.iter().map(free).chain(blocked).collect(),
        tombstones: state.tombstones.clone(),
        takes_deletes: state.takes_deletes,
    }
}

fn check(
    key: &TeamKey,
    checksum: &str,
    text: Option<&str>,
    keys: &mut KeySet,
    gate: &dyn Gate,
) -> Result<Checksum, String> {
    keys.insert(key.path()).map_err(|_| {
        "another key of the server is the same file on some file systems".to_owned()
    })?;
    let checksum: Checksum = checksum
        .parse()
        .map_err(|error: crate::Error| error.to_string())?;
    if let Some(text) = text {
        accept(checksum, text, gate)?;
    }
    Ok(checksum)
}

/// A text may be written when it is what its checksum says, of bounded size, and free of credentials.
pub(super) fn accept(checksum: Checksum, text: &str, gate: &dyn Gate) -> Result<(), String> {
    if text.len() > MAX_ENTRY_BYTES {
        return Err(format!("it has more than {MAX_ENTRY_BYTES} bytes"));
    }
    if Checksum::of(text) != checksum {
        return Err("its text does not fit its checksum".into());
    }
    match gate.look(text) {
        Verdict::Free => Ok(()),
        Verdict::Blocked(why) => Err(why),
    }
}

/// A name from a server, fit for a terminal.
fn shown(raw: &str) -> String {
    raw.chars().take(80).flat_map(char::escape_debug).collect()
}

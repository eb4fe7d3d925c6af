//! Asking the server, and believing what can be checked.

use std::collections::BTreeMap;

use pathguard::KeySet;

use super::folder::{Gate, Verdict, WITHHELD};
use super::report::{Note, SyncReport};
use super::state::{Refused, State};
use crate::checksum::Checksum;
use crate::key::TeamKey;
use crate::limits::{MAX_ENTRY_BYTES, MAX_KEY_BYTES};
use crate::tag::Tag;
use crate::trees::{Remote, RemoteEntry};
use crate::wire::Snapshot;

/// The most entries with impossible keys that are remembered between runs.
const MOST_REFUSED: usize = 200;

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
    if snapshot.since.is_none() {
        state.remote.clear();
        state.tombstones.clear();
        state.refused.clear();
    }
    let mut pulled = Pulled::default();
    let mut keys = KeySet::new();
    let mut texts = snapshot.entries.unwrap_or_default();

    for (raw, checksum) in &snapshot.checksums {
        let text = texts.remove(raw);
        state.refused.remove(raw);
        match check(raw, checksum, text.as_deref(), &mut keys, gate) {
            Ok((key, checksum)) => {
                if let Some(text) = text {
                    pulled.texts.insert(key.clone(), text);
                }
                state.tombstones.remove(&key);
                state.remote.insert(key, checksum);
            }
            Err(refused) => {
                state.remote.remove(raw.as_str());
                if gate.look(raw) != Verdict::Free {
                    // Such a name is neither shown nor stored.
                    report.note(WITHHELD, Note::RefusedThere(refused.why));
                    continue;
                }
                report.note(shown(raw), Note::RefusedThere(refused.why.clone()));
                // A server may name ten thousand impossible keys of any length; those are said once.
                let room = state.refused.len() < MOST_REFUSED && raw.len() <= MAX_KEY_BYTES;
                if room || TeamKey::parse(raw).is_ok() {
                    state.refused.insert(raw.clone(), refused);
                }
            }
        }
    }
    for (raw, tombstone) in &snapshot.tombstones {
        if let (Ok(key), Ok(checksum)) = (TeamKey::parse(raw), tombstone.checksum.parse())
            && !snapshot.checksums.contains_key(raw)
        {
            state.remote.remove(&key);
            state.refused.remove(raw);
            state.tombstones.insert(key, checksum);
        }
    }
    if let Some(capabilities) = &snapshot.capabilities {
        state.features.clone_from(&capabilities.features);
        state.scopes.clone_from(&capabilities.scopes);
    }
    state.learnt = true;
    state.takes_deletes = state.has("deletes");
    state.version = Some(snapshot.version).filter(|version| !version.is_empty());
    let named = tag.as_ref().and_then(Tag::version);
    let version = named.or_else(|| state.version.as_ref()?.parse().ok());
    state.highest = version.unwrap_or_default();
    state.tag = tag;
    state.whole = state.refused.values().any(|refused| refused.again);
    pulled.remote = remote(state);
    pulled
}

/// The remote tree as it is known, without asking.
pub(super) fn remote(state: &State) -> Remote {
    let free = |(key, checksum): (&TeamKey, &Checksum)| (key.clone(), RemoteEntry::Free(*checksum));
    let refused = state.refused.keys();
    let blocked = refused.filter_map(|raw| Some((TeamKey::parse(raw).ok()?, RemoteEntry::Blocked)));
    Remote {
        entries: state.remote.iter().map(free).chain(blocked).collect(),
        tombstones: state
            .tombstones
            .iter()
            .filter(|(key, checksum)| state.buried.get(*key) != Some(checksum))
            .map(|(key, checksum)| (key.clone(), *checksum))
            .collect(),
        takes_deletes: state.takes_deletes,
    }
}

/// Says in every run what is not taken, not only in the one that met it first.
pub(super) fn note_refused(state: &State, report: &mut SyncReport) {
    for (raw, refused) in &state.refused {
        report.note(shown(raw), Note::RefusedThere(refused.why.clone()));
    }
}

fn check(
    raw: &str,
    checksum: &str,
    text: Option<&str>,
    keys: &mut KeySet,
    gate: &dyn Gate,
) -> Result<(TeamKey, Checksum), Refused> {
    let for_good = |why: String| Refused { why, again: false };
    if let Verdict::Blocked(why) = gate.look(raw) {
        return Err(for_good(why));
    }
    let key = TeamKey::parse(raw).map_err(|error| for_good(error.to_string()))?;
    keys.insert(key.path()).map_err(|_| {
        for_good("another key of the server is the same file on some file systems".into())
    })?;
    let checksum: Checksum = checksum
        .parse()
        .map_err(|error: crate::Error| for_good(error.to_string()))?;
    if let Some(text) = text {
        accept(checksum, text, gate)?;
    }
    Ok((key, checksum))
}

/// A text may be written when it is what its checksum says, of bounded size, and free of credentials.
pub(super) fn accept(checksum: Checksum, text: &str, gate: &dyn Gate) -> Result<(), Refused> {
    let refused = |again: bool, why: String| Err(Refused { why, again });
    if text.len() > MAX_ENTRY_BYTES {
        return refused(false, format!("it has more than {MAX_ENTRY_BYTES} bytes"));
    }
    if Checksum::of(text) != checksum {
        return refused(true, "its text does not fit its checksum".into());
    }
    match gate.look(text) {
        Verdict::Free => Ok(()),
        Verdict::Blocked(why) => refused(false, why),
    }
}

/// A name from a server, fit for a terminal.
fn shown(raw: &str) -> String {
    raw.chars().take(80).flat_map(char::escape_debug).collect()
}

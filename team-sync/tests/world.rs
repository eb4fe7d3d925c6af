//! A folder, a server and what was agreed, in memory: carries out plans the way a client does.

use std::collections::{BTreeMap, BTreeSet};

use team_sync::{
    Action, Checksum, HoldReason, Local, LocalFile, PlanOptions, Remote, RemoteEntry, Step, Synced,
    TeamKey, merge, plan,
};

/// Everything two sides know of each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) local: BTreeMap<TeamKey, String>,
    pub(crate) remote: BTreeMap<TeamKey, String>,
    pub(crate) tombstones: BTreeMap<TeamKey, String>,
    pub(crate) synced: BTreeMap<TeamKey, String>,
    /// What was moved away here; the journal of the real client.
    pub(crate) trash: Vec<String>,
    /// Deletes that a person has not answered yet.
    pub(crate) held: BTreeSet<TeamKey>,
}

impl World {
    pub(crate) fn plan(&self) -> Vec<Step> {
        let (local, remote, synced) = self.trees();
        let options = PlanOptions::default().with_held(self.held.clone());
        plan(&local, &remote, &synced, &options)
    }

    pub(crate) fn trees(&self) -> (Local, Remote, Synced) {
        let sums = |texts: &BTreeMap<TeamKey, String>| -> BTreeMap<TeamKey, Checksum> {
            texts
                .iter()
                .map(|(key, text)| (key.clone(), Checksum::of(text)))
                .collect()
        };
        let mut local = Local::default();
        local.marker = true;
        local.complete = true;
        local.files = sums(&self.local)
            .into_iter()
            .map(|(k, c)| (k, LocalFile::Free(c)))
            .collect();
        let mut remote = Remote::default();
        remote.takes_deletes = true;
        remote.entries = sums(&self.remote)
            .into_iter()
            .map(|(k, c)| (k, RemoteEntry::Free(c)))
            .collect();
        remote.tombstones = sums(&self.tombstones);
        (local, remote, sums(&self.synced))
    }

    /// Carries out a plan without disturbance. Every precondition that a step names is asserted.
    pub(crate) fn apply(&mut self, steps: &[Step]) {
        for step in steps {
            let key = &step.key;
            match &step.action {
                Action::Adopt(checksum) => {
                    assert_eq!(Checksum::of(&self.local[key]), *checksum);
                    assert_eq!(self.local[key], self.remote[key]);
                    self.agree(key);
                }
                Action::Upload {
                    local,
                    base,
                    replaces,
                } => {
                    assert_eq!(Checksum::of(&self.local[key]), *local);
                    let there = self.remote.get(key).map(|text| Checksum::of(text));
                    assert_eq!(there, *base, "an upload knows what it replaces");
                    if let Some(old) = replaces {
                        let text = self.remote.remove(old).expect("the old spelling is there");
                        self.tombstones.insert(old.clone(), text);
                    }
                    let text = self.local[key].clone();
                    self.tombstones.remove(key);
                    self.remote.insert(key.clone(), text);
                    self.agree(key);
                }
                Action::Download {
                    remote,
                    over,
                    replaces,
                } => {
                    let old = replaces.as_ref().unwrap_or(key);
                    assert_eq!(self.local.get(old).map(|text| Checksum::of(text)), *over);
                    assert_eq!(Checksum::of(&self.remote[key]), *remote);
                    self.local.remove(old);
                    self.local.insert(key.clone(), self.remote[key].clone());
                    self.agree(key);
                }
                Action::Merge {
                    base,
                    local,
                    remote,
                } => {
                    let base = base.map(|sum| self.agreed_text(sum));
                    let (here, there) = (&local.0, &remote.0);
                    let merged = merge(
                        base.as_deref(),
                        &self.local[here],
                        &self.remote[there],
                        key.is_index(),
                    );
                    if here != key {
                        self.local.remove(here);
                    }
                    if there != key {
                        let text = self
                            .remote
                            .remove(there)
                            .expect("the old spelling is there");
                        self.tombstones.insert(there.clone(), text);
                    }
                    self.both(key, &merged.text);
                    if let Some(text) = merged.conflict {
                        let copy = key.conflict_copy("client", &text).expect("a name");
                        self.both(&copy, &text);
                    }
                }
                Action::RenameLocal { from, checksum } => {
                    let text = self.local.remove(from).expect("the file is there");
                    assert_eq!(Checksum::of(&text), *checksum);
                    self.local.insert(key.clone(), text);
                    self.agree(key);
                }
                Action::RemoveLocal { over } => {
                    let text = self.local.remove(key).expect("the file is there");
                    assert_eq!(Checksum::of(&text), *over);
                    self.trash.push(text);
                    self.forget(key);
                }
                Action::DeleteRemote { base } => {
                    let text = self.remote.remove(key).expect("the entry is there");
                    assert_eq!(Checksum::of(&text), *base);
                    self.tombstones.insert(key.clone(), text);
                    self.forget(key);
                }
                Action::Forget => self.forget(key),
                Action::Hold(reason) => {
                    assert_ne!(reason.as_str(), "");
                    if *reason == HoldReason::TooManyDeletes {
                        self.held.insert(key.clone());
                    }
                }
                other => panic!("a step this test does not know: {other:?}"),
            }
        }
    }

    fn both(&mut self, key: &TeamKey, text: &str) {
        self.local.insert(key.clone(), text.to_owned());
        self.remote.insert(key.clone(), text.to_owned());
        self.tombstones.remove(key);
        self.agree(key);
    }

    fn agree(&mut self, key: &TeamKey) {
        self.forget(key);
        self.synced.insert(key.clone(), self.local[key].clone());
    }

    /// What was agreed about a name, under whatever spelling.
    fn forget(&mut self, key: &TeamKey) {
        let folded = key.folded();
        self.synced.retain(|known, _| known.folded() != folded);
    }

    fn agreed_text(&self, checksum: Checksum) -> String {
        let found = self
            .synced
            .values()
            .find(|text| Checksum::of(text) == checksum);
        found.expect("the base of a merge was agreed").clone()
    }
}

/// Whether a step is a hold for this reason.
pub(crate) fn is_hold(step: &Step, reason: HoldReason) -> bool {
    step.action == Action::Hold(reason)
}

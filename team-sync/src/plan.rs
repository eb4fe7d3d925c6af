//! The planner: a pure function from the three trees to what has to be done.
//!
//! It decides per *name*, that is per group of keys that are one file on some file system, so that a
//! rename which only changes case moves a file instead of deleting two. Nothing here looks at a clock, and
//! nothing follows from a key that is merely missing from a listing.

use std::collections::{BTreeMap, BTreeSet};

use crate::checksum::Checksum;
use crate::key::TeamKey;
use crate::limits::{FEW_DELETES, MAX_DELETES};
use crate::trees::{Local, LocalFile, Remote, RemoteEntry, Synced};

/// What has to be done about one key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Both sides hold the same: remember it as agreed.
    Adopt(Checksum),
    /// Send the file.
    Upload {
        /// What is sent.
        local: Checksum,
        /// The entry it replaces; `None` when the server must not have one.
        base: Option<Checksum>,
        /// The entry under the old spelling of the name, deleted in the same request.
        replaces: Option<TeamKey>,
    },
    /// Take the entry.
    Download {
        /// What is taken.
        remote: Checksum,
        /// The bytes it may replace; `None` when there must be no file. Checked again just before.
        over: Option<Checksum>,
        /// The file under the old spelling of the name, which goes.
        replaces: Option<TeamKey>,
    },
    /// Both sides have changed: merge, write the result, send it.
    Merge {
        /// The last agreed text; `None` when there is none.
        base: Option<Checksum>,
        /// The file now, and the spelling of its name.
        local: (TeamKey, Checksum),
        /// The entry now, and the spelling of its name.
        remote: (TeamKey, Checksum),
    },
    /// Rename the file to the spelling the server uses; the contents agree.
    RenameLocal {
        /// The spelling on disk.
        from: TeamKey,
        /// The contents.
        checksum: Checksum,
    },
    /// Move the file away: somebody deleted it, and it has not been edited here.
    RemoveLocal {
        /// The bytes that may go. Checked again just before.
        over: Checksum,
    },
    /// Delete the entry: the file was deleted here.
    DeleteRemote {
        /// What is deleted.
        base: Checksum,
    },
    /// Gone on both sides: forget what was agreed.
    Forget,
    /// Do nothing, and tell the person why.
    Hold(HoldReason),
}

/// Why nothing is done about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HoldReason {
    /// The file may not be sent, and the server's text differs.
    LocalBlocked,
    /// The server's entry was refused on arrival.
    RemoteBlocked,
    /// Another key has the same name on some file system.
    Twin,
    /// The file is gone, but the folder's marker is gone too.
    NoMarker,
    /// The file is gone, but the folder could not be read as a whole.
    WalkIncomplete,
    /// The file is gone, and with it too many others.
    TooManyDeletes,
    /// The file is gone, and the server has no way to delete.
    ServerKeepsAll,
}

impl HoldReason {
    /// A short stable name for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LocalBlocked => "local-blocked",
            Self::RemoteBlocked => "remote-blocked",
            Self::Twin => "twin",
            Self::NoMarker => "no-marker",
            Self::WalkIncomplete => "walk-incomplete",
            Self::TooManyDeletes => "too-many-deletes",
            Self::ServerKeepsAll => "server-keeps-all",
        }
    }

    /// What a person reads.
    pub fn text(self) -> &'static str {
        match self {
            Self::LocalBlocked => "the file may not be sent, and the server's text differs",
            Self::RemoteBlocked => "the server's entry was refused",
            Self::Twin => "another file has the same name on some file systems",
            Self::NoMarker => {
                "the file is gone, but so is the folder's marker; is this the right folder?"
            }
            Self::WalkIncomplete => "the file is gone, but a part of the folder could not be read",
            Self::TooManyDeletes => "too many files are gone at once; confirm the delete",
            Self::ServerKeepsAll => "the file is gone here, and this server cannot delete",
        }
    }
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The key it is about; after the step the name has this spelling on both sides.
    pub key: TeamKey,
    /// What to do.
    pub action: Action,
}

/// What the planner may do without asking.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlanOptions {
    /// A person has confirmed the deletes that were held back.
    pub confirmed_deletes: bool,
    /// Keys whose delete was held back before. They stay held until a person confirms, however many
    /// files have come since: a share that has become smaller is no answer.
    pub held: BTreeSet<TeamKey>,
}

impl PlanOptions {
    /// Deletes that were held back are confirmed.
    #[must_use]
    pub fn with_confirmed_deletes(mut self, confirmed: bool) -> Self {
        self.confirmed_deletes = confirmed;
        self
    }

    /// Keys whose delete was held back before.
    #[must_use]
    pub fn with_held(mut self, held: BTreeSet<TeamKey>) -> Self {
        self.held = held;
        self
    }
}

/// Plans what brings the three trees together, in the order of the keys.
///
/// Carried out without disturbance, the steps leave folder and server equal but for what is held, and a
/// second plan has nothing left to do.
///
/// ```
/// use team_sync::{Action, Checksum, Local, LocalFile, PlanOptions, Remote, Synced, TeamKey, plan};
///
/// let key = TeamKey::parse("deploy.md")?;
/// let mut local = Local::default();
/// local.files.insert(key.clone(), LocalFile::Free(Checksum::of("new")));
///
/// let steps = plan(&local, &Remote::default(), &Synced::new(), &PlanOptions::default());
/// assert_eq!(steps[0].key, key);
/// assert!(matches!(steps[0].action, Action::Upload { base: None, .. }));
/// # Ok::<(), team_sync::Error>(())
/// ```
pub fn plan(local: &Local, remote: &Remote, synced: &Synced, options: &PlanOptions) -> Vec<Step> {
    let mut steps = Vec::new();
    for group in groups(local, remote, synced) {
        for twin in &group.twins {
            steps.push(Step::new(twin, Action::Hold(HoldReason::Twin)));
        }
        steps.extend(decide(&group).map(|step| hold_removal_beside_twins(step, &group)));
    }
    hold_deletes(&mut steps, local, remote, synced, options);
    steps.sort_by(|a, b| a.key.cmp(&b.key));
    steps
}

impl Step {
    fn new(key: &TeamKey, action: Action) -> Self {
        Self {
            key: key.clone(),
            action,
        }
    }
}

/// One name in the three trees, each with the spelling it has there.
#[derive(Default)]
struct Group {
    local: Option<(TeamKey, LocalFile)>,
    remote: Option<(TeamKey, RemoteEntry)>,
    synced: Option<(TeamKey, Checksum)>,
    /// What was deleted under one of the spellings.
    tombstone: Option<Checksum>,
    /// Second spellings inside one tree: only one of them can be kept in step.
    twins: Vec<TeamKey>,
}

fn groups(local: &Local, remote: &Remote, synced: &Synced) -> Vec<Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (key, checksum) in synced {
        let group = groups.entry(key.folded()).or_default();
        group.synced.get_or_insert((key.clone(), *checksum));
    }
    for (key, entry) in &remote.entries {
        let group = groups.entry(key.folded()).or_default();
        let agreed = group.synced.as_ref().map(|found| &found.0);
        keep_one(&mut group.remote, &mut group.twins, agreed, key, *entry);
    }
    for (key, file) in &local.files {
        let group = groups.entry(key.folded()).or_default();
        let known = group.remote.as_ref().map(|found| &found.0);
        let known = known.or(group.synced.as_ref().map(|found| &found.0));
        keep_one(&mut group.local, &mut group.twins, known, key, *file);
    }
    for (key, checksum) in &remote.tombstones {
        if let Some(group) = groups.get_mut(&key.folded()) {
            group.tombstone = Some(*checksum);
        }
    }
    groups.into_values().collect()
}

/// Keeps the spelling that the other trees know, else the first; the rest are twins.
fn keep_one<T>(
    kept: &mut Option<(TeamKey, T)>,
    twins: &mut Vec<TeamKey>,
    known: Option<&TeamKey>,
    key: &TeamKey,
    value: T,
) {
    match kept {
        None => *kept = Some((key.clone(), value)),
        Some((first, _)) if known == Some(key) => {
            twins.push(first.clone());
            *kept = Some((key.clone(), value));
        }
        Some(_) => twins.push(key.clone()),
    }
}

/// Which of two files a delete meant cannot be told.
fn hold_removal_beside_twins(mut step: Step, group: &Group) -> Step {
    if !group.twins.is_empty() && matches!(step.action, Action::RemoveLocal { .. }) {
        step.action = Action::Hold(HoldReason::Twin);
    }
    step
}

fn decide(group: &Group) -> Option<Step> {
    let synced = group.synced.as_ref().map(|found| found.1);
    match (&group.local, &group.remote) {
        (None, None) => {
            let (key, _) = group.synced.as_ref()?;
            Some(Step::new(key, Action::Forget))
        }
        (Some((key, LocalFile::Blocked)), _) => blocked_here(key, group),
        (_, Some((key, RemoteEntry::Blocked))) => {
            Some(Step::new(key, Action::Hold(HoldReason::RemoteBlocked)))
        }
        (Some((key, LocalFile::Free(here))), None) => {
            Some(only_here(key, *here, synced, group.tombstone))
        }
        (None, Some((key, RemoteEntry::Free(there)))) => Some(only_there(key, *there, synced)),
        (Some((here, LocalFile::Free(local))), Some((there, RemoteEntry::Free(remote)))) => {
            let agreed = group.synced.as_ref().map(|found| &found.0);
            both(here, *local, there, *remote, agreed.zip(synced))
        }
    }
}

/// A file that may not be sent stays as it is; it matters only when the server has something else.
fn blocked_here(key: &TeamKey, group: &Group) -> Option<Step> {
    let there = group.remote.as_ref()?;
    let synced = group.synced.as_ref().map(|found| found.1);
    match there.1 {
        RemoteEntry::Free(remote) if Some(remote) == synced => None,
        _ => Some(Step::new(key, Action::Hold(HoldReason::LocalBlocked))),
    }
}

fn only_here(
    key: &TeamKey,
    here: Checksum,
    synced: Option<Checksum>,
    tombstone: Option<Checksum>,
) -> Step {
    let unedited = match (synced, tombstone) {
        (Some(agreed), Some(_)) => agreed == here,
        // What was agreed is lost; the tombstone still knows what was deleted.
        (None, Some(deleted)) => deleted == here,
        // Missing without a tombstone is a gap, not a deletion: fill it.
        _ => false,
    };
    let action = if unedited {
        Action::RemoveLocal { over: here }
    } else {
        Action::Upload {
            local: here,
            base: None,
            replaces: None,
        }
    };
    Step::new(key, action)
}

fn only_there(key: &TeamKey, there: Checksum, synced: Option<Checksum>) -> Step {
    let action = if synced == Some(there) {
        Action::DeleteRemote { base: there }
    } else {
        // New, or edited by somebody after it was deleted here: an edit beats a delete.
        Action::Download {
            remote: there,
            over: None,
            replaces: None,
        }
    };
    Step::new(key, action)
}

fn both(
    here: &TeamKey,
    local: Checksum,
    there: &TeamKey,
    remote: Checksum,
    agreed: Option<(&TeamKey, Checksum)>,
) -> Option<Step> {
    // Whoever changed the spelling decides it; when both did, and when nobody can tell, the server.
    let renamed_here = agreed.is_some_and(|(key, _)| key == there && key != here);
    let key = if renamed_here { here } else { there };
    let stale_entry = (there != key).then(|| there.clone());
    let stale_file = (here != key).then(|| here.clone());
    let base = agreed.map(|(_, checksum)| checksum);

    let action = if local == remote {
        match (stale_entry, stale_file) {
            (Some(old), _) => Action::Upload {
                local,
                base: None,
                replaces: Some(old),
            },
            (None, Some(from)) => Action::RenameLocal {
                from,
                checksum: local,
            },
            (None, None) if agreed == Some((key, local)) => return None,
            (None, None) => Action::Adopt(local),
        }
    } else if base == Some(local) && stale_entry.is_none() {
        Action::Download {
            remote,
            over: Some(local),
            replaces: stale_file,
        }
    } else if base == Some(remote) && stale_file.is_none() {
        Action::Upload {
            local,
            base: stale_entry.is_none().then_some(remote),
            replaces: stale_entry,
        }
    } else {
        Action::Merge {
            base,
            local: (here.clone(), local),
            remote: (there.clone(), remote),
        }
    };
    Some(Step::new(key, action))
}

/// Turns deletes without enough evidence into questions.
fn hold_deletes(
    steps: &mut [Step],
    local: &Local,
    remote: &Remote,
    synced: &Synced,
    options: &PlanOptions,
) {
    let deletes = |step: &Step| matches!(step.action, Action::DeleteRemote { .. });
    let count = steps.iter().filter(|step| deletes(step)).count();
    let share = FEW_DELETES.max(synced.len() / 2);
    let for_all = if !remote.takes_deletes {
        Some(HoldReason::ServerKeepsAll)
    } else if !local.complete {
        Some(HoldReason::WalkIncomplete)
    } else if options.confirmed_deletes {
        return;
    } else if !local.marker {
        Some(HoldReason::NoMarker)
    } else if count >= share || count > MAX_DELETES {
        Some(HoldReason::TooManyDeletes)
    } else {
        None
    };
    for step in steps.iter_mut().filter(|step| deletes(step)) {
        let held_before = options.held.contains(&step.key);
        let reason = for_all.or(held_before.then_some(HoldReason::TooManyDeletes));
        if let Some(reason) = reason {
            step.action = Action::Hold(reason);
        }
    }
}

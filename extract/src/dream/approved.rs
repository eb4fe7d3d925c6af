//! A plan that passed, and one that did not.

use std::collections::BTreeSet;

use memdir::{Edit, Origin, Store};
use pathguard::PathKey;

use super::plan::Plan;
use super::refusal::Refusal;
use super::review::Figures;
use super::snapshot::Snapshot;

/// A plan that nothing speaks against.
#[derive(Clone, Debug)]
pub struct Approved {
    plan: Plan,
    figures: Figures,
    edits: Vec<Edit>,
}

/// A plan that something speaks against.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejected {
    /// The plan.
    pub plan: Plan,
    /// What it would come to.
    pub figures: Figures,
    /// Every reason against it.
    pub refusals: Vec<Refusal>,
}

impl Approved {
    pub(super) fn new(plan: Plan, snapshot: &Snapshot, figures: Figures) -> Self {
        let edits = edits(&plan, snapshot);
        Self {
            plan,
            figures,
            edits,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What it will come to.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Applies the plan as one operation of the store, which one `undo` takes back. Returns its number, or
    /// `None` when there is nothing to do.
    ///
    /// Under the store's lock, every file that the plan changes or rests on must still be what the snapshot
    /// saw; daily logs, which only grow, excepted. When the process dies in the middle, the next one who
    /// opens the store finishes the operation.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StaleHash`](memdir::ErrorKind::StaleHash) when a file has changed meanwhile, and as
    /// [`Store::apply`]. Nothing was changed then.
    pub fn apply(&self, store: &Store, origin: &Origin) -> Result<Option<u64>, memdir::Error> {
        let _span = tracing::info_span!("dream.apply", files = self.plan.changes.len()).entered();
        if self.plan.changes.is_empty() {
            return Ok(None);
        }
        let sequence = store.apply(&self.edits, origin)?;
        tracing::info!(sequence, "dream.applied");
        Ok(sequence)
    }
}

fn edits(plan: &Plan, snapshot: &Snapshot) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut changed = BTreeSet::new();
    for change in &plan.changes {
        changed.insert(change.path.clone());
        edits.push(match (&change.after, change.expected()) {
            (Some(bytes), expect) => Edit::Write {
                path: change.path.clone(),
                expect,
                bytes: bytes.clone(),
            },
            (None, Some(expect)) => Edit::Remove {
                path: change.path.clone(),
                expect,
            },
            // Neither before nor after: no change at all.
            (None, None) => continue,
        });
    }
    let sources = plan.steps.iter().flat_map(|step| {
        let places = step.sources.iter().map(|source| source.place.clone());
        places.chain([step.path.as_str().to_owned()])
    });
    let rests_on: BTreeSet<PathKey> = sources
        .filter_map(|place| PathKey::parse(&place).ok())
        .filter(|path| !changed.contains(path))
        .collect();
    for path in rests_on {
        if let Some(file) = snapshot.memories.get(&path).filter(|file| file.is_whole) {
            edits.push(Edit::Keep {
                expect: file.hash(),
                path,
            });
        }
    }
    edits
}

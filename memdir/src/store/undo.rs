//! Takes the last operation back, whole.

use std::collections::HashSet;

use pathguard::PathKey;

use super::merge::merge_lines;
use super::{Origin, Scope, Store, Transaction, is_index};
use crate::error::{CurrentState, Error};
use crate::hash::ContentHash;
use crate::journal::{Change, Journal, Operation, OperationKind, Segment};

/// What was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// The number of the operation that was taken back.
    pub undone: u64,
    /// What it had been.
    pub operation: OperationKind,
    /// The files that it had changed.
    pub paths: Vec<String>,
    /// The number under which the taking back is recorded.
    pub sequence: Option<u64>,
}

impl Store {
    /// Takes the last operation back that was not taken back yet, whole: all its files or none.
    ///
    /// Repeated, it goes back step by step, also past an operation of which somebody has left nothing. Of
    /// an index that has changed since, only the lines of
    /// the operation are taken back.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is nothing to take back;
    /// [`ErrorKind::StaleHash`](crate::ErrorKind::StaleHash) when a memory was edited since by a
    /// program that does not use the store; [`ErrorKind::Refused`](crate::ErrorKind::Refused) after
    /// a purge, which cannot be taken back.
    pub fn undo(&self, origin: &Origin) -> Result<Undone, Error> {
        let _span = tracing::info_span!("memdir.undo").entered();
        let (sequence, mut undone) =
            self.transact_with_journal(OperationKind::Undo, origin, |transaction, journal| {
                let (segment, at) = last_operation(journal)?;
                let operation = &segment.operations[at];
                for change in &operation.changes {
                    if let Ok(key) = PathKey::parse(&change.path) {
                        self.permit(Scope::of(key.as_ref()), origin)?;
                    }
                    take_back(transaction, &segment, change)?;
                }
                transaction.undoes = Some(operation.sequence);
                transaction.renames = operation
                    .renames
                    .iter()
                    .map(|(from, to)| (to.clone(), from.clone()))
                    .collect();
                Ok(Undone {
                    undone: operation.sequence,
                    operation: operation.kind,
                    paths: operation
                        .changes
                        .iter()
                        .map(|change| change.path.clone())
                        .collect(),
                    sequence: None,
                })
            })?;
        undone.sequence = sequence;
        tracing::info!(undone = undone.undone, "memdir.undone");
        Ok(undone)
    }
}

/// The segment and the place of the operation that an undo takes back.
fn last_operation(journal: &Journal) -> Result<(Segment, usize), Error> {
    let mut undone = HashSet::new();
    for segment in journal.segments()? {
        let segment = segment?;
        let found = segment
            .operations
            .iter()
            .enumerate()
            .rev()
            .find(|(_, operation)| is_next(operation, &mut undone))
            .map(|(at, operation)| (at, operation.kind, operation.purged));
        match found {
            None => {}
            Some((_, OperationKind::Purge, _)) => {
                return Err(Error::refused("the last operation is a purge")
                    .with_remedy("a purge cannot be taken back"));
            }
            Some((_, _, true)) => {
                return Err(Error::refused("part of the last operation was purged")
                    .with_remedy("bring single memories back with `restore`"));
            }
            Some((at, _, false)) => return Ok((segment, at)),
        }
    }
    Err(Error::not_found("there is nothing to take back"))
}

fn is_next(operation: &Operation, undone: &mut HashSet<u64>) -> bool {
    if operation.abandoned {
        return false;
    }
    if let (OperationKind::Undo, Some(sequence)) = (operation.kind, operation.undoes) {
        undone.insert(sequence);
        return false;
    }
    if operation.kind == OperationKind::Pull {
        return false;
    }
    let is_empty = operation.changes.is_empty() && operation.kind != OperationKind::Purge;
    !is_empty && !undone.contains(&operation.sequence)
}

fn take_back(
    transaction: &mut Transaction<'_>,
    segment: &Segment,
    change: &Change,
) -> Result<(), Error> {
    let key =
        PathKey::parse(&change.path).map_err(|error| crate::files::error(error, &change.path))?;
    let current = transaction.read(&key)?.map(<[u8]>::to_vec);
    let hash = current.as_deref().map(ContentHash::of);
    if hash == change.before {
        return Ok(());
    }
    let content = |hash: Option<ContentHash>| match hash {
        None => Ok(None),
        Some(hash) => segment.content(&hash).map(Some).ok_or_else(|| {
            Error::not_found("the content before the operation is not in the journal")
                .with_path(&change.path)
        }),
    };
    let before = content(change.before)?;
    if hash == change.after {
        return match before {
            Some(bytes) => transaction.write(&key, bytes),
            None => transaction.remove(&key),
        };
    }
    if is_index(key.as_ref()) {
        let after = content(change.after)?.unwrap_or_default();
        let merged = merge_lines(
            &after,
            &before.unwrap_or_default(),
            &current.unwrap_or_default(),
        );
        return transaction.write(&key, merged);
    }
    Err(Error::stale(
        "was edited since the operation that would be taken back",
        CurrentState {
            path: change.path.clone(),
            hash,
            bytes: current.map_or(0, |bytes| bytes.len() as u64),
        },
    )
    .with_remedy("bring the content you want back with `restore`"))
}

//! The line of a memory in the index, planned together with the memory.

use pathguard::PathKey;

use super::names::is_conflict_copy;
use super::save::Prepared;
use super::{Scope, Transaction};
use crate::error::Error;
use crate::limits::INDEX_MAX_BYTES;
use crate::{Header, Index};

/// What became of the line.
pub(super) enum IndexLine {
    /// None was asked for.
    Skipped,
    /// The index is too large to be edited, and must not keep the memory from being saved.
    TooLarge,
    /// The index as it will be.
    Written(Index),
}

/// Plans the file and, unless told otherwise, its line in the index.
pub(super) fn stage(
    transaction: &mut Transaction<'_>,
    prepared: &Prepared,
    skip_index: bool,
) -> Result<IndexLine, Error> {
    let before = transaction.read(&prepared.key)?.map(Header::parse);
    transaction.write(&prepared.key, prepared.bytes.clone())?;
    if skip_index || is_conflict_copy(prepared.key.as_ref()) {
        return Ok(IndexLine::Skipped);
    }
    stage_index_line(transaction, &prepared.key, &prepared.bytes, before.as_ref())
}

/// Plans the index line of a memory. `before` is what the memory's header was until now.
pub(super) fn stage_index_line(
    transaction: &mut Transaction<'_>,
    key: &PathKey,
    bytes: &[u8],
    before: Option<&Header>,
) -> Result<IndexLine, Error> {
    let scope = Scope::of(key.as_ref());
    let Some(mut index) = transaction.index(scope)? else {
        return Ok(IndexLine::TooLarge);
    };
    let header = Header::parse(bytes);
    let file = scope.in_index(key.as_ref());
    let title = if header.name.trim().is_empty() {
        super::names::stem(key.as_ref())
    } else {
        &header.name
    };
    if !index.add(file, title, &header.description) {
        // A person may have written a better hook; it goes only when what it tells has changed.
        let changed = |new: &str, old: &str| {
            if new == old {
                String::new()
            } else {
                new.to_owned()
            }
        };
        let unknown = Header::default();
        let before = before.unwrap_or(&unknown);
        let new_title = changed(&header.name, &before.name);
        let new_hook = changed(&header.description, &before.description);
        if !new_title.is_empty() || !new_hook.is_empty() {
            index.update(file, &new_title, &new_hook);
        }
    }
    if index.as_bytes().len() as u64 > INDEX_MAX_BYTES {
        return Ok(IndexLine::TooLarge);
    }
    transaction.write(&scope.index_key(), index.print())?;
    Ok(IndexLine::Written(index))
}

/// Plans the removal of whatever the index says about a memory.
pub(super) fn unstage_index_line(
    transaction: &mut Transaction<'_>,
    key: &PathKey,
) -> Result<(), Error> {
    let scope = Scope::of(key.as_ref());
    // Of an index that is too large to be edited the line stays behind; `check` finds it.
    let Some(mut index) = transaction.index(scope)? else {
        return Ok(());
    };
    if index.remove(scope.in_index(key.as_ref())) {
        transaction.write(&scope.index_key(), index.print())?;
    }
    Ok(())
}

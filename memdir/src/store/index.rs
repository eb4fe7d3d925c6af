//! Makes the index true to the files.

use std::collections::HashSet;

use super::names::is_conflict_copy;
use super::{ListOptions, Origin, Scope, Store};
use crate::error::Error;
use crate::journal::OperationKind;
use crate::{Budget, Index, IndexItem};

/// What a rebuild did to an index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The number of the operation; `None` when the index was true already.
    pub sequence: Option<u64>,
    /// How full the index is now.
    pub budget: Budget,
}

impl Store {
    /// Makes the index of a scope true to its files: lines of files that are gone leave, files
    /// without a line get one. Headings, hand-written hooks and foreign lines stay.
    ///
    /// Deterministic, and done twice it changes nothing.
    ///
    /// # Errors
    ///
    /// As [`Store::save`].
    pub fn rebuild_index(&self, scope: Scope, origin: &Origin) -> Result<Rebuilt, Error> {
        let _span = tracing::info_span!("memdir.index.rebuild").entered();
        self.permit(scope, origin)?;
        let (sequence, budget) =
            self.transact(OperationKind::RebuildIndex, origin, |transaction| {
                let key = scope.index_key();
                let bytes = transaction.read(&key)?;
                let existed = bytes.is_some();
                let mut index = Index::parse(bytes.unwrap_or_default());
                let items = self.index_items(scope, &index)?;
                index.rebuild(&items);
                if existed || !index.as_bytes().is_empty() {
                    transaction.write(&key, index.print())?;
                }
                Ok(index.budget(&self.options.index_limits))
            })?;
        Ok(Rebuilt { sequence, budget })
    }

    /// Whether a rebuild would change nothing, in both scopes.
    pub(crate) fn index_is_true(&self) -> Result<bool, Error> {
        for scope in [Scope::Private, Scope::Team] {
            let index = self.index(scope)?;
            let mut rebuilt = index.clone();
            rebuilt.rebuild(&self.index_items(scope, &index)?);
            if rebuilt.as_bytes() != index.as_bytes() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What `index` is to be true to.
    fn index_items(&self, scope: Scope, index: &Index) -> Result<Vec<IndexItem>, Error> {
        let list = self.list(&ListOptions::default().with_scope(scope))?;
        let mut items: Vec<IndexItem> = list
            .memories
            .iter()
            .filter(|memory| !is_conflict_copy(memory.path.as_ref()))
            .map(|memory| {
                IndexItem::new(
                    scope.in_index(memory.path.as_ref()),
                    &memory.header.name,
                    &memory.header.description,
                    memory.header.memory_type,
                )
            })
            .collect();
        if list.cut || !list.problems.is_empty() {
            self.add_unlisted(scope, index, &mut items);
        }
        Ok(items)
    }

    /// Adds files that are there and could not be listed, so that their lines stay.
    fn add_unlisted(&self, scope: Scope, index: &Index, items: &mut Vec<IndexItem>) {
        let listed: HashSet<String> = items
            .iter()
            .map(|item| pathguard::fold_key(&item.file))
            .collect();
        let is_gone = |file: &str| {
            let Ok(key) = scope.file_key(file) else {
                return true;
            };
            let metadata = self.memory.metadata(key.as_ref());
            metadata.is_err_and(|error| error.kind() == pathguard::ErrorKind::NotFound)
        };
        let unlisted = index
            .entries()
            .iter()
            .filter_map(|entry| entry.file())
            .filter(|file| !listed.contains(&pathguard::fold_key(file)) && !is_gone(file))
            .map(|file| IndexItem::new(file, "", "", None));
        items.extend(unlisted);
    }
}

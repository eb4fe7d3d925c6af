//! Takes a memory away, into the journal.

use pathguard::PathKey;

use super::index_line::unstage_index_line;
use super::save::check_memory_path;
use super::{Origin, Scope, Store};
use crate::error::Error;
use crate::hash::ContentHash;
use crate::journal::OperationKind;

/// What a removal did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// The file, relative to the memory folder.
    pub path: PathKey,
    /// The hash of the bytes that the journal keeps.
    pub hash: ContentHash,
    /// The number of the operation, for `restore`.
    pub sequence: u64,
}

impl Store {
    /// Removes the memory that `name` stands for, with its line in the index. The journal keeps
    /// it; [`Store::purge`] does not.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound),
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous),
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) by the mode, and as [`Store::save`].
    pub fn remove(&self, name: &str, origin: &Origin) -> Result<Removed, Error> {
        let path = self.find(name)?;
        self.remove_path(&path, None, origin)
    }

    /// Removes the memory at a path, when it has the hash `expect`.
    ///
    /// # Errors
    ///
    /// As [`Store::remove`]; [`ErrorKind::StaleHash`](crate::ErrorKind::StaleHash) when the hash is
    /// another one.
    pub fn remove_path(
        &self,
        path: &PathKey,
        expect: Option<ContentHash>,
        origin: &Origin,
    ) -> Result<Removed, Error> {
        let _span = tracing::info_span!("memdir.remove", path = path.as_str()).entered();
        check_memory_path(path)?;
        self.permit(Scope::of(path.as_ref()), origin)?;
        let (sequence, hash) = self.transact(OperationKind::Remove, origin, |transaction| {
            if expect.is_some() {
                transaction.expect(path, expect, "has changed since it was read")?;
            }
            let Some(bytes) = transaction.read(path)? else {
                return Err(Error::not_found("there is no such memory").with_path(path.as_str()));
            };
            let hash = ContentHash::of(bytes);
            transaction.remove(path)?;
            unstage_index_line(transaction, path)?;
            Ok(hash)
        })?;
        // Only a file that was there can leave, and its leaving is an operation.
        let sequence = sequence.ok_or_else(|| Error::not_found("nothing was removed"))?;
        Ok(Removed {
            path: path.clone(),
            hash,
            sequence,
        })
    }
}

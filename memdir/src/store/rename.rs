//! Gives a memory another title or another file name.

use pathguard::PathKey;

use super::save::check_memory_path;
use super::{Origin, Scope, Store, Transaction, is_markdown};
use crate::error::{CurrentState, Error};
use crate::hash::ContentHash;
use crate::journal::OperationKind;
use crate::limits::NAME_MAX_BYTES;
use crate::{Memory, file_name};

/// What a renaming did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renamed {
    /// The file it was.
    pub from: PathKey,
    /// The file it is.
    pub to: PathKey,
    /// The number of the operation; `None` when nothing changed.
    pub sequence: Option<u64>,
}

impl Store {
    /// Renames the memory that `name` stands for.
    ///
    /// `new_name` is a title, from which the file name follows, or a path that ends in `.md`, for
    /// which the title stays. The line in the index follows; its hook and its place stay. Links in
    /// other memories are not rewritten: `check` reports them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound),
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous);
    /// [`ErrorKind::StaleHash`](crate::ErrorKind::StaleHash) when the new path is taken; and as
    /// [`Store::save`].
    pub fn rename(&self, name: &str, new_name: &str, origin: &Origin) -> Result<Renamed, Error> {
        let _span = tracing::info_span!("memdir.rename").entered();
        let from = self.find(name)?;
        let target = Target::parse(new_name)?;
        self.permit(Scope::of(from.as_ref()), origin)?;
        if let Target::Path(to) = &target {
            self.permit(Scope::of(to.as_ref()), origin)?;
        }
        let (sequence, to) = self.transact(OperationKind::Rename, origin, |transaction| {
            let Some(bytes) = transaction.read(&from)? else {
                return Err(Error::not_found("there is no such memory").with_path(from.as_str()));
            };
            let mut memory = Memory::parse(bytes);
            let to = match &target {
                Target::Path(to) => to.clone(),
                Target::Title(title) => {
                    memory.set_name(title);
                    self.place_for_title(&from, &memory, title)?
                }
            };
            if Scope::of(to.as_ref()) == Scope::of(from.as_ref()) {
                self.guard_secrets(&to, memory.as_bytes(), origin)?;
            } else {
                self.guard_text(&to, memory.as_bytes(), origin)?;
            }
            stage_rename(transaction, &from, &to, &memory)?;
            Ok(to)
        })?;
        Ok(Renamed { from, to, sequence })
    }

    /// The file for a new title: beside the old one, and the old one itself when it fits.
    fn place_for_title(
        &self,
        from: &PathKey,
        memory: &Memory,
        title: &str,
    ) -> Result<PathKey, Error> {
        let Some(memory_type) = memory.memory_type() else {
            // A file of another kind keeps the name that its own tool knows it by.
            return Ok(from.clone());
        };
        let folder = from.as_ref().parent();
        let beside = |name: &str| match folder {
            None => PathKey::parse(name),
            Some(folder) => PathKey::parse(&format!("{}/{name}", folder.as_str())),
        };
        let keys = self.memory_keys()?;
        let is_taken = |name: &str| {
            let Ok(key) = beside(name) else { return true };
            let wanted = pathguard::fold_key(key.as_str());
            keys.iter()
                .any(|other| other != from && pathguard::fold_key(other.as_str()) == wanted)
        };
        beside(&file_name(memory_type, title, &is_taken))
            .map_err(|error| crate::files::error(error, title))
    }
}

enum Target {
    Title(String),
    Path(PathKey),
}

impl Target {
    fn parse(new_name: &str) -> Result<Self, Error> {
        if let Ok(path) = PathKey::parse(new_name)
            && is_markdown(path.as_ref())
        {
            check_memory_path(&path)?;
            return Ok(Self::Path(path));
        }
        if new_name.trim().is_empty() || new_name.len() > NAME_MAX_BYTES {
            return Err(Error::refused("a memory needs a name, and a short one"));
        }
        Ok(Self::Title(new_name.to_owned()))
    }
}

fn stage_rename(
    transaction: &mut Transaction<'_>,
    from: &PathKey,
    to: &PathKey,
    memory: &Memory,
) -> Result<(), Error> {
    if from != to {
        if let Some(bytes) = transaction.read(to)? {
            let current = CurrentState {
                path: to.as_str().to_owned(),
                hash: Some(ContentHash::of(bytes)),
                bytes: bytes.len() as u64,
            };
            return Err(Error::stale("is taken by another memory", current)
                .with_remedy("choose another name"));
        }
        transaction.remove(from)?;
        transaction
            .renames
            .push((from.as_str().to_owned(), to.as_str().to_owned()));
    }
    transaction.write(to, memory.print())?;
    let (old_scope, new_scope) = (Scope::of(from.as_ref()), Scope::of(to.as_ref()));
    if old_scope != new_scope {
        super::index_line::unstage_index_line(transaction, from)?;
        super::index_line::stage_index_line(transaction, to, memory.as_bytes(), None)?;
        return Ok(());
    }
    let Some(mut index) = transaction.index(old_scope)? else {
        return Ok(());
    };
    let old_file = old_scope.in_index(from.as_ref());
    let new_file = new_scope.in_index(to.as_ref());
    if index.find(old_file).is_some() {
        index.rename(old_file, new_file);
        index.update(new_file, memory.name(), "");
        transaction.write(&old_scope.index_key(), index.print())?;
    }
    Ok(())
}

//! Many changes with one wait for the disk.

use std::fs::File;

use super::write::{SyncPolicy, Temporary, WriteOptions};
use super::{MemoryRoot, RenameOptions, WriteMode, change};
use crate::error::{Error, ErrorKind};
use crate::key::{PathKey, PathKeyRef};
use crate::metadata::Metadata;
use crate::sys::{FolderOps, Purpose};

/// Files up to this number are waited for one by one. Waiting for the whole file system is one call,
/// but it also waits for whatever other programs have written.
const FEW_FILES: usize = 8;

/// Changes that become durable together, such as those of a whole pull.
///
/// [`Batch::write`] writes the contents under a temporary name at once, so that a batch holds no
/// contents in memory. [`Batch::commit`] waits for the disk once, puts everything in place in the
/// order it was added, and waits once more. That is not a transaction: each file changes atomically,
/// but another process can see the first change before the last. A batch that is dropped leaves
/// nothing behind (folders that it made stay).
///
/// ```
/// use pathguard::{MemoryRoot, PathKeyRef, RootOptions, WriteOptions};
/// # let scratch = tempfile::tempdir()?;
/// let root = MemoryRoot::open(scratch.path(), &RootOptions::default())?;
///
/// let mut batch = root.batch();
/// for name in ["a.md", "b.md", "c.md"] {
///     batch.write(PathKeyRef::parse(name)?, b"text", &WriteOptions::default())?;
/// }
/// let report = batch.commit()?;
/// assert_eq!(report.applied(), 3);
/// assert!(report.failure().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a batch changes nothing until it is committed"]
pub struct Batch<'root> {
    root: &'root MemoryRoot,
    steps: Vec<Step>,
    /// Writes among the steps.
    files: usize,
}

#[derive(Debug)]
enum Step {
    Place {
        key: PathKey,
        temporary: String,
        mode: WriteMode,
        written: Metadata,
        /// Held while the batch is small, to wait for this file alone.
        file: Option<File>,
    },
    Remove {
        key: PathKey,
    },
    Rename {
        from: PathKey,
        to: PathKey,
        replace: bool,
    },
}

impl Step {
    fn key(&self) -> PathKeyRef<'_> {
        match self {
            Self::Place { key, .. } | Self::Remove { key } | Self::Rename { from: key, .. } => {
                key.as_ref()
            }
        }
    }
}

/// What [`Batch::commit`] did.
#[derive(Debug)]
#[must_use = "a batch stops at the first change that fails, and says so here"]
pub struct BatchReport {
    applied: usize,
    failure: Option<BatchFailure>,
}

impl BatchReport {
    /// Returns how many changes were put in place: the first ones, in the order they were added.
    pub fn applied(&self) -> usize {
        self.applied
    }

    /// Returns the change that failed, after which no other was tried.
    pub fn failure(&self) -> Option<&BatchFailure> {
        self.failure.as_ref()
    }

    /// Returns the number of changes, or the failure.
    ///
    /// # Errors
    ///
    /// The error of the change that failed.
    pub fn into_result(self) -> Result<usize, Error> {
        match self.failure {
            None => Ok(self.applied),
            Some(failure) => Err(failure.error),
        }
    }
}

/// The change of a batch that failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchFailure {
    /// Its number in the order of adding, from zero.
    pub index: usize,
    /// Its key; the old one of a rename.
    pub key: PathKey,
    /// Why.
    pub error: Error,
}

impl MemoryRoot {
    /// Begins a batch.
    pub fn batch(&self) -> Batch<'_> {
        Batch {
            root: self,
            steps: Vec::new(),
            files: 0,
        }
    }
}

impl Batch<'_> {
    /// Adds a write. The contents are written now, under a temporary name.
    ///
    /// The `sync` of the options is not used: the batch waits for all its files at once.
    ///
    /// # Errors
    ///
    /// As [`MemoryRoot::write`]; nothing was added then. Whether the mode fits is decided when the
    /// batch is committed.
    pub fn write(
        &mut self,
        key: PathKeyRef<'_>,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<(), Error> {
        self.root.check_before_change()?;
        let parent = self
            .root
            .parent_or_create(key, options.create_parents, SyncPolicy::Full)?;
        self.root.look_at_leaf(parent.folder(), key)?;
        let failed = |error| Error::io(error).with_key(key.as_str());
        let (temporary, file, written) =
            Temporary::write(parent.folder(), bytes, options.unix_mode).map_err(failed)?;
        if !self.can_sync_at_once() {
            self.root.syncs.file(&file).map_err(failed)?;
        }
        let held = self.can_sync_at_once() && self.files < FEW_FILES;
        self.files += 1;
        let temporary = temporary.into_name();
        self.steps.push(Step::Place {
            key: key.to_owned(),
            temporary,
            mode: options.mode,
            written,
            file: held.then_some(file),
        });
        Ok(())
    }

    /// Adds the removal of a name that is not a folder.
    pub fn remove(&mut self, key: PathKeyRef<'_>) {
        self.steps.push(Step::Remove {
            key: key.to_owned(),
        });
    }

    /// Adds a rename. The `sync` of the options is not used.
    pub fn rename(&mut self, from: PathKeyRef<'_>, to: PathKeyRef<'_>, options: &RenameOptions) {
        self.steps.push(Step::Rename {
            from: from.to_owned(),
            to: to.to_owned(),
            replace: options.replace,
        });
    }

    /// Returns the number of changes added.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Reports whether no change was added.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Puts all changes in place, in order, and makes them durable.
    ///
    /// It stops at the first change that fails, since a later one may rely on it (a rename that
    /// saves what a write replaces). What was put in place before stays and is made durable.
    ///
    /// # Errors
    ///
    /// Only when the root has changed, or the disk cannot be waited for; a change that fails is in
    /// the report.
    pub fn commit(mut self) -> Result<BatchReport, Error> {
        let root = self.root;
        root.check_before_change()?;
        self.sync_contents()?;
        let steps = std::mem::take(&mut self.steps);
        let mut folders: Vec<Option<&str>> = Vec::new();
        let mut report = BatchReport {
            applied: 0,
            failure: None,
        };
        for (index, step) in steps.iter().enumerate() {
            if let Err(error) = self.apply(step) {
                let key = step.key().to_owned();
                report.failure = Some(BatchFailure { index, key, error });
                break;
            }
            report.applied += 1;
            folders.push(step.key().split().0);
            if let Step::Rename { to, .. } = step {
                folders.push(to.as_ref().split().0);
            }
        }
        folders.sort_unstable();
        folders.dedup();
        let synced = folders
            .into_iter()
            .try_for_each(|folder| self.sync_folder(folder));
        // Dropping the batch removes the temporary files of the changes that were not applied.
        self.steps = steps;
        self.steps.drain(..report.applied);
        synced.map(|()| report)
    }

    /// Whether one call can make all files durable. It waits for the file system of the root, so
    /// with mount points below, each file is waited for when it is written.
    fn can_sync_at_once(&self) -> bool {
        !self.root.options.cross_devices && self.root.folder.can_sync_file_system()
    }

    fn sync_contents(&self) -> Result<(), Error> {
        if !self.can_sync_at_once() || self.files == 0 {
            return Ok(());
        }
        let syncs = &self.root.syncs;
        let result = if self.files > FEW_FILES {
            syncs.file_system(&self.root.folder)
        } else {
            self.steps.iter().try_for_each(|step| match step {
                Step::Place {
                    file: Some(file), ..
                } => syncs.file(file),
                _ => Ok(()),
            })
        };
        result.map_err(|error| Error::io(error).with_path(&self.root.path))
    }

    fn apply(&self, step: &Step) -> Result<(), Error> {
        let root = self.root;
        let parent = root.parent(step.key())?;
        match step {
            Step::Place {
                key,
                temporary,
                mode,
                written,
                ..
            } => {
                let key = key.as_ref();
                let failed = |error| Error::io(error).with_key(key.as_str());
                root.check_place(parent.folder(), key, *mode)?;
                // What has our temporary name must be what was written.
                let found = parent.folder().stat_leaf(temporary).map_err(failed)?;
                if found.metadata.identity() != written.identity() {
                    return Err(Error::new(ErrorKind::Changed).with_key(key.as_str()));
                }
                let replace = *mode != WriteMode::CreateNew;
                parent
                    .folder()
                    .rename(temporary, parent.folder(), key.file_name(), replace)
                    .map_err(failed)
            }
            Step::Remove { key } => change::remove_in(parent.folder(), key.as_ref()),
            Step::Rename { from, to, replace } => {
                let new = root.parent(to.as_ref())?;
                root.rename_in(
                    parent.folder(),
                    from.as_ref(),
                    new.folder(),
                    to.as_ref(),
                    *replace,
                )
            }
        }
    }

    fn sync_folder(&self, folder: Option<&str>) -> Result<(), Error> {
        match folder {
            None => self.root.syncs.folder(&self.root.folder),
            // A later change of the batch may have renamed it.
            Some(folder) => match self.root.folder.open_folder(folder, Purpose::Pass) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
                Ok(opened) => self.root.syncs.folder(&opened),
            },
        }
        .map_err(|error| Error::io(error).with_path(&self.root.path))
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        for step in &self.steps {
            if let Step::Place { key, temporary, .. } = step
                && let Ok(parent) = self.root.parent(key.as_ref())
            {
                // Best effort: what is left is found by `remove_temporaries`.
                drop(parent.folder().unlink(temporary));
            }
        }
    }
}

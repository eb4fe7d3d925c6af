//! Purging, all the way: what is purged survives in no cache either.

use std::sync::Arc;

use memdir::{Origin, PurgeOptions, PurgeReport, Store};
use memdir_extract::DecisionLog;
use pathguard::{MemoryRoot, PathKeyRef};

use crate::error::{Error, ErrorKind};
use crate::recall_log::RecallLog;

/// The name of the folder of recall's index file, below the state folder.
pub const RECALL_FOLDER: &str = "recall";

/// Returns the folder of recall's index file, below the state folder of a store. Without one each query
/// reads every file: slower, never wrong.
pub fn recall_folder(store: &Store) -> Option<Arc<MemoryRoot>> {
    let state = store.state_root().ok()?;
    let key = key(RECALL_FOLDER);
    let folder = state.open_sub(key).or_else(|_| {
        state.create_dirs(key)?;
        state.open_sub(key)
    });
    folder.ok().map(Arc::new)
}

/// Removes a memory with all its history, and everything that quotes it besides: what extraction decided
/// about it, when it was recalled, and recall's index file, which holds words of every memory and is made anew by the next query.
///
/// Only this removes all; [`Store::purge`] does not know what other crates keep in the state folder.
///
/// ```
/// use memstrata::memdir::{FixedClock, MemoryType, Origin, PurgeOptions, SaveRequest, Store, StoreOptions};
///
/// let scratch = tempfile::tempdir()?;
/// let clock = FixedClock::new("2026-03-05T14:02:11Z".parse()?, 0);
/// let store = Store::open(&scratch.path().join("memory"), StoreOptions::new(clock))?;
/// let me = Origin::person("example");
/// store.save(&SaveRequest::new(MemoryType::User, "Role", "what they do", "Ten years of Go."), &me)?;
///
/// let report = memstrata::purge(&store, "Role", &PurgeOptions::default(), &me)?;
/// assert_eq!(report.paths, ["user_role.md"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Memory`] as [`Store::purge`]; [`ErrorKind::Extraction`] and [`ErrorKind::Recall`] when the
/// memory is gone and one of the caches could not be cleaned. Purging the same name again tries again.
pub fn purge(
    store: &Store,
    name: &str,
    options: &PurgeOptions,
    origin: &Origin,
) -> Result<PurgeReport, Error> {
    // The index goes first: when the process dies in between, a name that is still known purges again.
    forget_index(store)?;
    let report = store.purge(name, options, origin)?;
    let names = report.paths.iter().map(String::as_str);
    for name in names.chain([name]) {
        DecisionLog::forget(store, name).map_err(|error| {
            let message = "the memory is purged, and the log of decisions still names it";
            Error::new(ErrorKind::Extraction, message).with_source(error)
        })?;
    }
    for path in &report.paths {
        RecallLog::forget(store, path)?;
    }
    // Somebody may have asked meanwhile.
    forget_index(store)?;
    Ok(report)
}

fn forget_index(store: &Store) -> Result<(), Error> {
    let Some(folder) = recall_folder(store) else {
        return Ok(());
    };
    match folder.remove(key(recall::CACHE_FILE)) {
        Err(error) if error.kind() != pathguard::ErrorKind::NotFound => {
            let message = "recall's index file cannot be removed";
            Err(Error::new(ErrorKind::Recall, message).with_source(error))
        }
        _ => Ok(()),
    }
}

fn key(name: &'static str) -> PathKeyRef<'static> {
    PathKeyRef::parse(name).expect("a legal key because the name is a constant")
}

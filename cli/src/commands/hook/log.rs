//! The log of what went wrong in hooks: they must not say it to the agent.

use memstrata::memdir::Clock;
use memstrata::pathguard::{
    AppendOptions, MemoryRoot, PathKeyRef, RenameOptions, RootOptions, SyncPolicy,
};

use crate::clock::SystemClock;
use crate::context;
use crate::environment::Environment;
use crate::terminal::clean;

/// The folder below the home folder, and the two files in it.
const FOLDER: &str = "memstrata";
const FILE: &str = "hook.log";
const OLD_FILE: &str = "hook.log.1";

/// A log that has grown to this size is put aside, in place of the one before it.
const MAX_BYTES: u64 = 256 << 10;

/// A line is cut to so many characters.
const MAX_LINE: usize = 2_000;

/// Appends a line to `<home>/memstrata/hook.log`. When even that fails there is nobody left to tell.
///
/// No line holds contents: neither of memories nor of messages nor of commands.
pub(crate) fn note(global: &crate::cli::Global, environment: &Environment, what: &str) {
    let _ = append(global, environment, what);
}

fn append(
    global: &crate::cli::Global,
    environment: &Environment,
    what: &str,
) -> Result<(), crate::exit::Failure> {
    let home = context::home(global, environment)?;
    // A home that is missing is not made for the sake of a log.
    MemoryRoot::open(home.path(), &RootOptions::default())?;
    let folder = MemoryRoot::open_or_create(&home.path().join(FOLDER), &RootOptions::default())?;
    let (file, old) = (PathKeyRef::parse(FILE)?, PathKeyRef::parse(OLD_FILE)?);
    let size = folder.metadata(file).map_or(0, |metadata| metadata.len);
    if size >= MAX_BYTES {
        let options = RenameOptions::new()
            .with_replace(true)
            .with_sync(SyncPolicy::None);
        folder.rename(file, old, &options)?;
    }
    let what: String = clean(what).chars().take(MAX_LINE).collect();
    let line = format!("{} {what}\n", SystemClock.now());
    let options = AppendOptions::new()
        .with_create(true)
        .with_sync(SyncPolicy::None);
    folder.append(file, line.as_bytes(), &options)?;
    Ok(())
}

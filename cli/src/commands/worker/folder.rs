//! The memory folder itself: what was edited while nobody watched, and an index that is true.

use std::fmt::Write as _;

use memstrata::memdir::{ErrorKind, Mode, Origin, Scope, Watch, Writer};
use memstrata::pathguard::ListLimits;
use memstrata::recall::ContentHash;

use super::AtWork;
use crate::exit::Failure;

/// The name of the picture that waits between two workers.
const PICTURE: &str = "between-turns";

/// Records edits that no hook has seen, by people and programs, so that `history`, `restore` and `undo`
/// know them; mends the index; takes a new picture for the next time.
pub(super) fn record_edits(at_work: &AtWork<'_>) -> Result<(), Failure> {
    let store = &at_work.store;
    let mut project = at_work.state.project();
    let looks = fingerprint(at_work)?;
    if project.looked_at.as_deref() == Some(&looks) {
        return Ok(());
    }
    let unseen = Origin::new(Writer::Host, "someone").with_note("found after the turn");
    match store.reconcile(PICTURE, &unseen) {
        Ok(_) => {}
        // Nobody has looked before, or the picture is of no use any more.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Corrupt) => {}
        Err(error) => return Err(error.into()),
    }
    let modes = at_work.context.decisions.modes;
    if modes.persistent == Mode::Auto {
        let origin = Origin::new(Writer::Background, "index");
        store.rebuild_index(Scope::Private, &origin)?;
    }
    store.watch(PICTURE, &Watch::Everything)?;
    project = at_work.state.project();
    project.looked_at = Some(fingerprint(at_work)?);
    at_work.state.set_project(&project)?;
    Ok(())
}

/// What a look at names, sizes and times gives, for most turns change no memory.
fn fingerprint(at_work: &AtWork<'_>) -> Result<String, Failure> {
    let limits = ListLimits::new().with_extension("md");
    let mut text = String::new();
    for entry in at_work.store.root().list(&limits)?.entries {
        let Some(metadata) = entry.metadata else {
            continue;
        };
        let _ = writeln!(
            text,
            "{} {} {} {}",
            entry.key.as_str(),
            metadata.len,
            metadata.modified_ns,
            metadata.inode
        );
    }
    Ok(ContentHash::of(text.as_bytes()).to_string())
}

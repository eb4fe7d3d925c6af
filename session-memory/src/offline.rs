//! The update without a model.

use crate::compact::Entry;
use crate::error::Error;
use crate::ledger::{Ledger, LedgerReader, LedgerText};
use crate::notes::Notes;
use crate::store::{Author, Committed, Cursor, Draft, SessionFile};

/// Brings the session file up to date from the tool calls and the person's words alone.
///
/// What a person or a model wrote into the notes stays; the ledger's own text is replaced. Where nothing
/// has changed nothing is written. `context_tokens` is the size of the context now; the next update waits
/// for growth over it.
///
/// # Errors
/// As [`SessionFile::lock`] and [`LockedFile::commit`](crate::LockedFile::commit).
pub fn update_offline(
    file: &SessionFile,
    entries: &[Entry],
    context_tokens: u64,
) -> Result<Committed, Error> {
    update_offline_with(file, entries, context_tokens, &|_| {})
}

/// As [`update_offline`], and lets the host change what the ledger says before it is written: take credentials
/// out, for one. The same words must become the same each time, or they are taken for a person's edit.
///
/// # Errors
/// As [`update_offline`].
pub fn update_offline_with(
    file: &SessionFile,
    entries: &[Entry],
    context_tokens: u64,
    clean: &dyn Fn(&mut Ledger),
) -> Result<Committed, Error> {
    let cursor = Cursor::at_end(entries, context_tokens);
    brought_up_to_date(file, cursor, |notes, last| {
        let mut found = Ledger::from_entries(entries);
        clean(&mut found);
        found.update(notes, last)
    })
}

/// As [`update_offline`], by the ledger of a reader that has read the conversation while it grew. What an update
/// costs then does not depend on how long the conversation is.
///
/// `cursor` is that of the last message that was read, see [`Cursor::at`].
///
/// # Errors
/// As [`update_offline`].
pub fn update_offline_by(
    file: &SessionFile,
    reader: &LedgerReader,
    cursor: Option<Cursor>,
) -> Result<Committed, Error> {
    brought_up_to_date(file, cursor, |notes, last| reader.update(notes, last))
}

fn brought_up_to_date(
    file: &SessionFile,
    cursor: Option<Cursor>,
    update: impl FnOnce(&Notes, &LedgerText) -> (Notes, LedgerText),
) -> Result<Committed, Error> {
    let mut locked = file.lock()?;
    let base = locked.base().cloned();
    let (notes, last) = match &base {
        Some(base) => (base.notes.clone(), base.ledger.clone()),
        None => (Notes::empty(file.structure()), LedgerText::default()),
    };
    let (notes, ledger) = update(&notes, &last);
    if let Some(base) = base
        && base.notes == notes
        && base.cursor == cursor
    {
        return Ok(base);
    }
    let draft = Draft::new(notes, cursor, Author::Ledger).with_ledger(ledger);
    locked.commit(&draft)
}

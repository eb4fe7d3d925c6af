//! Changes that were begun: written down before the first try, so that a repeat is the same request.

use std::collections::BTreeMap;

use pathguard::{EntryKind, ListLimits, MemoryRoot};
use serde::{Deserialize, Serialize};

use super::state::{key, unreadable, write};
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_LONE_BODY_BYTES;
use crate::wire::Put;

const FOLDER: &str = "outbox";

/// The most operations that wait; more than one only after a stop in the middle.
const MOST: usize = 1_000;

/// An operation as it was first sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    /// Orders the rows.
    pub(super) number: u64,
    /// The tag the request names; `None` asks for "nothing there yet".
    pub(super) if_match: Option<String>,
    /// The body.
    pub(super) put: Put,
    /// Keys whose old spelling goes in this request: new spelling, old spelling.
    pub(super) renames: BTreeMap<String, String>,
}

impl Row {
    fn name(&self) -> String {
        format!("{FOLDER}/{:012}.json", self.number)
    }

    /// Writes the row down, durably.
    pub(super) fn keep(&self, root: &MemoryRoot) -> Result<(), Error> {
        let bytes = serde_json::to_vec(self).map_err(|error| {
            Error::new(ErrorKind::State, "an operation cannot be written").with_source(error)
        })?;
        write(root, &self.name(), &bytes)
    }

    /// Takes the row away: it was answered.
    pub(super) fn drop_from(&self, root: &MemoryRoot) -> Result<(), Error> {
        match root.remove(key(&self.name())?.as_ref()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(unreadable(error)),
        }
    }
}

/// The operations that wait, oldest first. One that cannot be read is taken away: what it held is still in the
/// folder, and is planned again.
pub(super) fn waiting(root: &MemoryRoot) -> Result<Vec<Row>, Error> {
    let mut limits = ListLimits::new();
    limits.max_entries = MOST;
    limits.metadata = false;
    let folder = match root.open_sub(key(FOLDER)?.as_ref()) {
        Ok(folder) => folder,
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut rows = Vec::new();
    for entry in folder.list(&limits).map_err(unreadable)?.entries {
        if entry.kind != EntryKind::File {
            continue;
        }
        let read = folder.read(entry.key.as_ref(), 2 * MAX_LONE_BODY_BYTES as u64);
        let row = read
            .ok()
            .and_then(|read| serde_json::from_slice::<Row>(&read.bytes).ok());
        match row {
            Some(row) => rows.push(row),
            None => folder.remove(entry.key.as_ref()).map_err(unreadable)?,
        }
    }
    rows.sort_by_key(|row| row.number);
    Ok(rows)
}

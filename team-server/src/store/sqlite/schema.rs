//! The tables, and what happens when a file is opened.

use anyhow::{Result, bail};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::token::random_hex;

/// Names the file as ours (`PRAGMA application_id`): the letters `mstr`.
const APPLICATION: i32 = 0x6d73_7472;

/// The version of the tables this program writes (`PRAGMA user_version`).
const VERSION: i32 = 2;

/// What leads from each version to the next, the first from nothing. What was released once is never changed,
/// only added to.
const STEPS: [&str; VERSION as usize] = [TABLES, STORED_AT];

/// Contents that nothing names any more go after a grace period, which begins when they were last stored.
const STORED_AT: &str = "
ALTER TABLE blob ADD COLUMN stored_at TEXT NOT NULL DEFAULT '';
CREATE INDEX tombstone_by_time ON tombstone (at);
";

const TABLES: &str = "
CREATE TABLE repository (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    version INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    -- Deletions up to this version may have been forgotten.
    forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE blob (
    repository INTEGER NOT NULL REFERENCES repository(id),
    hash TEXT NOT NULL,
    -- zstd; NULL once the content was redacted.
    content BLOB,
    PRIMARY KEY (repository, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE entry (
    repository INTEGER NOT NULL REFERENCES repository(id),
    key TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (repository, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE tombstone (
    repository INTEGER NOT NULL REFERENCES repository(id),
    key TEXT NOT NULL,
    hash TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    author TEXT NOT NULL,
    PRIMARY KEY (repository, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE history (
    repository INTEGER NOT NULL REFERENCES repository(id),
    version INTEGER NOT NULL,
    key TEXT NOT NULL,
    -- NULL is a deletion.
    hash TEXT,
    author TEXT NOT NULL,
    client TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (repository, version, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_by_key ON history (repository, key, version);
CREATE TABLE operation (
    repository INTEGER NOT NULL REFERENCES repository(id),
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (repository, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_by_time ON operation (at);
CREATE TABLE token (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL,
    name TEXT NOT NULL,
    repositories TEXT NOT NULL,
    scopes TEXT NOT NULL,
    writes INTEGER NOT NULL,
    created TEXT NOT NULL,
    revoked TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
";

/// The setting that a backup carries.
pub(super) const RESTORED: &str = "backup";

/// Makes the tables in a new file, and gives a file that was a backup new epochs.
pub(super) fn prepare(connection: &mut Connection) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let pragma = |name: &str| -> Result<i32> {
        Ok(transaction.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))?)
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    match (application, version) {
        (0, 0) | (APPLICATION, 1..=VERSION) => {}
        (APPLICATION, newer) => bail!(
            "the data are of version {newer}, this program knows version {VERSION}; use a newer program"
        ),
        _ => bail!("the file belongs to another program"),
    }
    for step in STEPS.iter().skip(usize::try_from(version)?) {
        transaction.execute_batch(step)?;
    }
    if version < VERSION {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    renew_epochs(&transaction)?;
    transaction.commit()?;
    Ok(())
}

/// Clients compare everything again when the epoch is new: what they have seen after the backup was made
/// is not in it.
fn renew_epochs(connection: &Connection) -> Result<()> {
    let restored: Option<String> = connection
        .query_row(
            "SELECT value FROM setting WHERE name = ?1",
            [RESTORED],
            |row| row.get(0),
        )
        .optional()?;
    if restored.is_none() {
        return Ok(());
    }
    let mut statement = connection.prepare("SELECT id FROM repository")?;
    let ids: Vec<i64> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for id in ids {
        let epoch = random_hex(3)?;
        connection.execute(
            "UPDATE repository SET epoch = ?2 WHERE id = ?1",
            (id, epoch),
        )?;
    }
    // Answers from before the restore must not be replayed for work that is gone.
    connection.execute("DELETE FROM operation", [])?;
    connection.execute("DELETE FROM setting WHERE name = ?1", [RESTORED])?;
    Ok(())
}

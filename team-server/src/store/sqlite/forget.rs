//! What is forgotten: by age, or on purpose and for good.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use memchr::memmem::Finder;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{cause, read};
use crate::store::content::key;
use crate::store::{Cutoffs, Pruned, Redacted, Redaction};

/// Bytes of a content that are looked for in the files: long enough to be no accident, short enough to lie
/// within one page.
const TRACE: usize = 24;

/// How much of a file is looked at together.
const PART: usize = 1024 * 1024;

pub(super) fn prune(connection: &Connection, cutoffs: &Cutoffs) -> Result<Pruned> {
    let transaction = begin(connection)?;
    transaction.execute(
        "UPDATE repository SET forgotten = max(forgotten, old.version)
         FROM (SELECT repository, max(version) AS version FROM tombstone WHERE at < ?1 GROUP BY repository) AS old
         WHERE repository.id = old.repository",
        [&cutoffs.tombstones],
    )?;
    let count = |sql, cutoff: &String| transaction.execute(sql, [cutoff]).map(|count| count as u64);
    let pruned = Pruned {
        tombstones: count("DELETE FROM tombstone WHERE at < ?1", &cutoffs.tombstones)?,
        operations: count("DELETE FROM operation WHERE at < ?1", &cutoffs.operations)?,
        contents: count(
            "DELETE FROM blob WHERE stored_at < ?1
             AND NOT EXISTS (SELECT 1 FROM history
                WHERE history.repository = blob.repository AND history.hash = blob.hash)
             AND NOT EXISTS (SELECT 1 FROM entry
                WHERE entry.repository = blob.repository AND entry.hash = blob.hash)",
            &cutoffs.contents,
        )?,
    };
    transaction.commit().map_err(cause)?;
    Ok(pruned)
}

/// Takes the content out of the table, the log and the free pages, and looks whether it is gone.
pub(super) fn redact(
    connection: &Connection,
    file: &Path,
    redaction: &Redaction,
) -> Result<Redacted> {
    let transaction = begin(connection)?;
    let Some(row) = read::row(&transaction, &redaction.repository)? else {
        return Ok(Redacted::NoSuchVersion);
    };
    let hash: Option<Option<String>> = transaction
        .query_row(
            "SELECT hash FROM history WHERE repository = ?1 AND key = ?2 AND version = ?3",
            params![row.id, redaction.key.as_str(), redaction.version],
            |row| row.get(0),
        )
        .optional()?;
    let Some(Some(hash)) = hash else {
        return Ok(Redacted::NoSuchVersion);
    };
    let content: Option<Vec<u8>> = transaction.query_row(
        "SELECT content FROM blob WHERE repository = ?1 AND hash = ?2",
        params![row.id, hash],
        |row| row.get(0),
    )?;
    let Some(content) = content else {
        return Ok(Redacted::Before);
    };
    let users: Vec<String> = transaction
        .prepare("SELECT key FROM entry WHERE repository = ?1 AND hash = ?2 ORDER BY key")?
        .query_map(params![row.id, hash], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if !users.is_empty() {
        let keys = users.iter().map(|name| key(name)).collect::<Result<_>>()?;
        return Ok(Redacted::InUse(keys));
    }
    transaction.execute(
        "UPDATE blob SET content = NULL WHERE repository = ?1 AND hash = ?2",
        params![row.id, hash],
    )?;
    transaction.commit().map_err(cause)?;

    empty_log(connection)?;
    if is_found(file, &content)? {
        // Pages that were split or merged may keep what no row holds any more; a new file does not.
        connection.execute_batch("VACUUM").map_err(cause)?;
        empty_log(connection)?;
        // Another repository may hold the same text, which is its own.
        let shared: i64 = connection.query_row(
            "SELECT count(*) FROM blob WHERE hash = ?1 AND content IS NOT NULL",
            [&hash],
            |row| row.get(0),
        )?;
        if shared == 0 && is_found(file, &content)? {
            bail!(
                "redacted, but its bytes are still found in {}",
                file.display()
            );
        }
    }
    Ok(Redacted::Done)
}

fn begin(connection: &Connection) -> Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(cause)
}

/// Writes what is in the log into the file, and makes the log empty.
fn empty_log(connection: &Connection) -> Result<()> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        bail!("redacted, but a reader keeps the old log in use; redact again to have it emptied");
    }
    Ok(())
}

/// Whether bytes of the content are found in the file or its log.
fn is_found(file: &Path, content: &[u8]) -> Result<bool> {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    for path in [file.to_owned(), PathBuf::from(log)] {
        match File::open(&path) {
            Ok(open) => {
                if contains(open, trace(content))
                    .with_context(|| format!("{} cannot be read", path.display()))?
                {
                    return Ok(true);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", path.display()));
            }
        }
    }
    Ok(false)
}

/// The end of a content: the beginning is alike for many.
fn trace(content: &[u8]) -> &[u8] {
    &content[content.len().saturating_sub(TRACE)..]
}

fn contains(mut file: impl Read, wanted: &[u8]) -> std::io::Result<bool> {
    let finder = Finder::new(wanted);
    let mut part = vec![0; PART];
    let mut kept = 0;
    loop {
        let read = file.read(&mut part[kept..])?;
        if read == 0 {
            return Ok(false);
        }
        let end = kept + read;
        if finder.find(&part[..end]).is_some() {
            return Ok(true);
        }
        // What may be the beginning of it is looked at again with what follows.
        kept = end.min(wanted.len().saturating_sub(1));
        part.copy_within(end - kept..end, 0);
    }
}

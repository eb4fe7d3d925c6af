//! The one writer.
//!
//! Changes that wait are taken together: each is a savepoint of its own inside one transaction, so that one
//! flush of the disk serves up to 64 of them and a change that fails takes nothing with it. Nobody is
//! answered before the flush. Where the transaction as a whole fails, each change gets one of its own.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use rusqlite::{Connection, OptionalExtension, Savepoint, TransactionBehavior, params};
use team_sync::{Tag, TeamKey};
use tokio::sync::{mpsc, oneshot};

use super::read::{self, Row};
use super::{Shared, cause};
use crate::change::{Change, Effects, Refusal, State, decide};
use crate::limits::Limits;
use crate::store::content::{Packed, digits, key};
use crate::store::operation::{Operation, done};
use crate::store::{Done, Outcome, Restore};
use crate::token::random_hex;

/// The most changes of one transaction.
const GROUP: usize = 64;

/// Work for the writer.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) answer: oneshot::Sender<Result<Option<Outcome>>>,
}

/// What is to be done.
pub(super) enum Work {
    Change(Box<Packed>),
    Restore(Restore),
}

impl Work {
    fn repository(&self) -> &str {
        match self {
            Self::Change(packed) => &packed.change.repository,
            Self::Restore(restore) => &restore.repository,
        }
    }
}

/// Works until all senders are gone.
pub(super) fn run(
    mut connection: Connection,
    mut jobs: mpsc::Receiver<Job>,
    limits: &Limits,
    shared: &Shared,
) {
    let mut group = Vec::with_capacity(GROUP);
    while jobs.blocking_recv_many(&mut group, GROUP) > 0 {
        let work: Vec<&Work> = group.iter().map(|job| &job.work).collect();
        let results = match commit(&mut connection, &work, limits) {
            Ok(results) => results,
            // One of them, or all: whoever fails alone does not take the others along.
            Err(_) if work.len() > 1 => work
                .iter()
                .map(|one| alone(&mut connection, one, limits))
                .collect(),
            Err(error) => vec![Err(error)],
        };
        for (job, result) in group.drain(..).zip(results) {
            let answer = result.map(|carried| {
                carried.map(|(outcome, tag)| {
                    if let Some(tag) = tag {
                        shared.announce(job.work.repository(), &tag);
                    }
                    outcome
                })
            });
            // A caller that has gone away hears nothing.
            let _ = job.answer.send(answer);
        }
    }
}

/// What work leads to, and the new tag if it changed something; `None` when there is nothing to restore.
type Carried = Option<(Outcome, Option<Tag>)>;

fn alone(connection: &mut Connection, work: &Work, limits: &Limits) -> Result<Carried> {
    commit(connection, &[work], limits)?
        .pop()
        .unwrap_or_else(|| Err(anyhow!("a change has no result")))
}

/// Does all of it in one transaction; results count once this has returned. An error means that nothing was
/// stored.
fn commit(
    connection: &mut Connection,
    work: &[&Work],
    limits: &Limits,
) -> Result<Vec<Result<Carried>>> {
    // IMMEDIATE: a transaction that begins by reading could not be made a writing one later.
    let mut transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(cause)?;
    let mut results = Vec::with_capacity(work.len());
    for one in work {
        let mut savepoint = transaction.savepoint().map_err(cause)?;
        let result = match one {
            Work::Change(packed) => carry_out(&savepoint, packed, limits).map(Some),
            Work::Restore(restore) => take_back(&savepoint, restore, limits),
        };
        match result {
            Ok(carried) => {
                savepoint.commit().map_err(cause)?;
                results.push(Ok(carried));
            }
            // After some errors, a full disk among them, SQLite has rolled back everything by itself; the
            // savepoint is gone then, and with it what came before.
            Err(error) if savepoint.is_autocommit() => return Err(error),
            Err(error) => {
                savepoint.rollback().map_err(cause)?;
                results.push(Err(error));
            }
        }
    }
    transaction.commit().map_err(cause)?;
    Ok(results)
}

fn carry_out(
    connection: &Savepoint<'_>,
    packed: &Packed,
    limits: &Limits,
) -> Result<(Outcome, Option<Tag>)> {
    let change = &packed.change;
    let row = read::row(connection, &change.repository)?;
    if let (Some(row), Some(id)) = (&row, &change.op_id)
        && let Some(known) = operation(connection, row, id)?
    {
        return Ok((known.replay(&change.digest)?, None));
    }
    let state = match &row {
        Some(row) => read::state(connection, row)?,
        None => State {
            epoch: random_hex(3)?,
            ..State::default()
        },
    };
    let effects = match decide(&state, change, limits) {
        Ok(effects) => effects,
        Err(refusal) => return Ok((Err(refusal), None)),
    };
    if effects.is_empty() && row.is_none() {
        let done = done(state.tag(), state.version, &packed.contents);
        return Ok((Ok(done), None));
    }
    let row = match row {
        Some(row) => row,
        None => create(connection, change, &state)?,
    };
    let redacted = redacted(connection, &row, packed, &effects)?;
    if !redacted.is_empty() {
        return Ok((Err(Refusal::Redacted(redacted)), None));
    }
    let version = if effects.is_empty() {
        row.version
    } else {
        write(connection, &row, packed, &effects)?
    };
    let tag = Tag::new(version, &row.epoch);
    let done = done(tag.clone(), version, &packed.contents);
    if let Some(id) = &change.op_id {
        remember(connection, &row, id, change, &done)?;
    }
    Ok((Ok(done), (!effects.is_empty()).then_some(tag)))
}

fn create(connection: &Connection, change: &Change, state: &State) -> Result<Row> {
    connection
        .execute(
            "INSERT INTO repository (name, epoch, version, updated_at) VALUES (?1, ?2, 0, ?3)",
            (&change.repository, &state.epoch, &change.at),
        )
        .map_err(cause)?;
    let row = read::row(connection, &change.repository)?;
    row.ok_or_else(|| anyhow!("a repository that was made is not there"))
}

/// The keys whose new text was redacted here before.
fn redacted(
    connection: &Connection,
    row: &Row,
    packed: &Packed,
    effects: &Effects,
) -> Result<Vec<String>> {
    let sql = "SELECT 1 FROM blob WHERE repository = ?1 AND hash = ?2 AND content IS NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut keys = Vec::new();
    for key in &effects.stored {
        if statement.exists(params![row.id, packed.contents[key].digits])? {
            keys.push(key.to_string());
        }
    }
    Ok(keys)
}

fn write(connection: &Connection, row: &Row, packed: &Packed, effects: &Effects) -> Result<u64> {
    let change = &packed.change;
    let version = row.version + 1;
    let mut blob = connection.prepare_cached(
        "INSERT INTO blob (repository, hash, content, stored_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET stored_at = excluded.stored_at",
    )?;
    let mut entry = connection.prepare_cached(
        "INSERT INTO entry (repository, key, hash, bytes, version) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes, version = excluded.version",
    )?;
    let mut no_entry =
        connection.prepare_cached("DELETE FROM entry WHERE repository = ?1 AND key = ?2")?;
    let mut history = connection.prepare_cached(
        "INSERT INTO history (repository, version, key, hash, author, client, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut tombstone = connection.prepare_cached(
        "INSERT OR REPLACE INTO tombstone (repository, key, hash, version, at, author)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut no_tombstone =
        connection.prepare_cached("DELETE FROM tombstone WHERE repository = ?1 AND key = ?2")?;
    let mut past = |key: &TeamKey, hash: Option<&str>| {
        history.execute(params![
            row.id,
            version,
            key.as_str(),
            hash,
            change.author,
            change.client,
            change.at
        ])
    };
    for key in &effects.stored {
        let content = &packed.contents[key];
        let hash = content.digits.as_str();
        blob.execute(params![row.id, hash, content.bytes, change.at])
            .map_err(cause)?;
        let bytes = change.entries[key].len();
        entry
            .execute(params![row.id, key.as_str(), hash, bytes, version])
            .map_err(cause)?;
        past(key, Some(hash)).map_err(cause)?;
        no_tombstone
            .execute(params![row.id, key.as_str()])
            .map_err(cause)?;
    }
    for (key, checksum) in &effects.deleted {
        no_entry
            .execute(params![row.id, key.as_str()])
            .map_err(cause)?;
        let hash = digits(checksum);
        tombstone
            .execute(params![
                row.id,
                key.as_str(),
                hash,
                version,
                change.at,
                change.author
            ])
            .map_err(cause)?;
        past(key, None).map_err(cause)?;
    }
    connection
        .execute(
            "UPDATE repository SET version = ?2, updated_at = ?3 WHERE id = ?1",
            params![row.id, version, change.at],
        )
        .map_err(cause)?;
    Ok(version)
}

fn remember(
    connection: &Connection,
    row: &Row,
    id: &str,
    change: &Change,
    done: &Done,
) -> Result<()> {
    let operation = Operation::new(&change.digest, &row.epoch, done)?;
    connection
        .execute(
            "INSERT INTO operation (repository, id, digest, answer, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![row.id, id, operation.digest, operation.answer, change.at],
        )
        .map_err(cause)?;
    Ok(())
}

fn operation(connection: &Connection, row: &Row, id: &str) -> Result<Option<Operation>> {
    let sql = "SELECT digest, answer FROM operation WHERE repository = ?1 AND id = ?2";
    let found = connection
        .prepare_cached(sql)?
        .query_row((row.id, id), |row| {
            Ok(Operation {
                digest: row.get(0)?,
                answer: row.get(1)?,
            })
        });
    Ok(found.optional()?)
}

/// Makes an earlier state the newest version. `None` when there is no such repository or version, or when
/// its content was redacted.
fn take_back(connection: &Savepoint<'_>, restore: &Restore, limits: &Limits) -> Result<Carried> {
    let Some(row) = read::row(connection, &restore.repository)? else {
        return Ok(None);
    };
    if restore.version > row.version {
        return Ok(None);
    }
    let then = state_at(connection, &row, restore)?;
    let now = read::state(connection, &row)?;
    let mut texts = BTreeMap::new();
    for hash in then.values().flatten() {
        let Some(text) = read::content(connection, row.id, hash)? else {
            return Ok(None);
        };
        texts.insert(hash.clone(), text);
    }
    match restore.change(&now, &then, &texts) {
        Some(change) => carry_out(connection, &Packed::of(change)?, limits).map(Some),
        None => Ok(None),
    }
}

/// Per key the hash at a version; `None` where it was deleted.
fn state_at(
    connection: &Connection,
    row: &Row,
    restore: &Restore,
) -> Result<BTreeMap<TeamKey, Option<String>>> {
    let sql = "SELECT key, hash, MAX(version) FROM history
         WHERE repository = ?1 AND version <= ?2 AND (?3 IS NULL OR key = ?3) GROUP BY key";
    let mut statement = connection.prepare_cached(sql)?;
    let wanted = restore.key.as_ref().map(TeamKey::as_str);
    let mut rows = statement.query(params![row.id, restore.version, wanted])?;
    let mut state = BTreeMap::new();
    while let Some(found) = rows.next()? {
        state.insert(key(&found.get::<_, String>(0)?)?, found.get(1)?);
    }
    Ok(state)
}

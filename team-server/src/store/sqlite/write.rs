//! The one writer.
//!
//! Changes that wait are taken together: each is a savepoint of its own inside one transaction, so that one
//! flush of the disk serves up to 64 of them and a change that fails takes nothing with it. Nobody is
//! answered before the flush.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use rusqlite::{Connection, OptionalExtension, Savepoint, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use team_sync::{Checksum, Tag, TeamKey};
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::read::{self, Row};
use crate::change::{Change, Effects, Precondition, Refusal, State, decide};
use crate::limits::Limits;
use crate::store::{Done, Outcome, Restore};
use crate::token::random_hex;

/// The most changes of one transaction.
const GROUP: usize = 64;

/// zstd's own default: half of the size, at disk speed.
const LEVEL: i32 = 3;

/// Work for the writer.
pub(super) enum Job {
    Change {
        change: Box<Change>,
        answer: oneshot::Sender<Result<Outcome>>,
    },
    Restore {
        restore: Restore,
        answer: oneshot::Sender<Result<Option<Outcome>>>,
    },
}

/// An answer that waits for the flush.
enum Waiting {
    Change(oneshot::Sender<Result<Outcome>>, Outcome),
    Restore(oneshot::Sender<Result<Option<Outcome>>>, Option<Outcome>),
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
        commit(&mut connection, group.drain(..), limits, shared);
    }
}

fn commit(
    connection: &mut Connection,
    jobs: impl Iterator<Item = Job>,
    limits: &Limits,
    shared: &Shared,
) {
    let mut waiting = Vec::new();
    let mut changed: BTreeMap<String, Tag> = BTreeMap::new();
    let result = (|| -> Result<()> {
        // IMMEDIATE: a transaction that begins by reading could not be made a writing one later.
        let mut transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for job in jobs {
            let mut savepoint = transaction.savepoint()?;
            match job {
                Job::Change { change, answer } => match carry_out(&savepoint, &change, limits) {
                    Ok((outcome, tag)) => {
                        savepoint.commit()?;
                        changed.extend(tag.map(|tag| (change.repository, tag)));
                        waiting.push(Waiting::Change(answer, outcome));
                    }
                    Err(error) => {
                        savepoint.rollback()?;
                        let _ = answer.send(Err(error));
                    }
                },
                Job::Restore { restore, answer } => match take_back(&savepoint, &restore, limits) {
                    Ok(None) => waiting.push(Waiting::Restore(answer, None)),
                    Ok(Some((outcome, tag))) => {
                        savepoint.commit()?;
                        changed.extend(tag.map(|tag| (restore.repository, tag)));
                        waiting.push(Waiting::Restore(answer, Some(outcome)));
                    }
                    Err(error) => {
                        savepoint.rollback()?;
                        let _ = answer.send(Err(error));
                    }
                },
            }
        }
        transaction.commit()?;
        Ok(())
    })();
    if result.is_ok() {
        for (repository, tag) in &changed {
            shared.announce(repository, tag);
        }
    }
    let failed = result.err().map(|error| error.to_string());
    for one in waiting {
        // A caller that has gone away hears nothing.
        match (one, &failed) {
            (Waiting::Change(answer, outcome), None) => drop(answer.send(Ok(outcome))),
            (Waiting::Restore(answer, outcome), None) => drop(answer.send(Ok(outcome))),
            (Waiting::Change(answer, _), Some(text)) => drop(answer.send(Err(lost(text)))),
            (Waiting::Restore(answer, _), Some(text)) => drop(answer.send(Err(lost(text)))),
        }
    }
}

fn lost(text: &str) -> anyhow::Error {
    anyhow!("the change could not be stored: {text}")
}

/// What a change leads to, and the new tag if it changed something.
type Carried = (Outcome, Option<Tag>);

fn carry_out(connection: &Savepoint<'_>, change: &Change, limits: &Limits) -> Result<Carried> {
    let row = read::row(connection, &change.repository)?;
    if let (Some(row), Some(id)) = (&row, &change.op_id)
        && let Some(outcome) = replay(connection, row, id, &change.digest)?
    {
        return Ok((outcome, None));
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
        let done = done(state.tag(), state.version, &change.entries);
        return Ok((Ok(done), None));
    }
    let row = match row {
        Some(row) => row,
        None => create(connection, change, &state)?,
    };
    let version = if effects.is_empty() {
        row.version
    } else {
        write(connection, &row, change, &effects)?
    };
    let tag = Tag::new(version, &row.epoch);
    let done = done(tag.clone(), version, &change.entries);
    if let Some(id) = &change.op_id {
        remember(connection, &row, id, change, &done)?;
    }
    Ok((Ok(done), (!effects.is_empty()).then_some(tag)))
}

fn done(tag: Tag, version: u64, entries: &BTreeMap<TeamKey, String>) -> Done {
    let checksums = entries
        .iter()
        .map(|(key, text)| (key.to_string(), Checksum::of(text).to_string()));
    Done {
        tag,
        version,
        checksums: checksums.collect(),
        replayed: false,
    }
}

fn create(connection: &Connection, change: &Change, state: &State) -> Result<Row> {
    connection.execute(
        "INSERT INTO repository (name, epoch, version, updated_at) VALUES (?1, ?2, 0, ?3)",
        (&change.repository, &state.epoch, &change.at),
    )?;
    let row = read::row(connection, &change.repository)?;
    row.ok_or_else(|| anyhow!("a repository that was made is not there"))
}

fn write(connection: &Connection, row: &Row, change: &Change, effects: &Effects) -> Result<u64> {
    let version = row.version + 1;
    let mut blob = connection.prepare_cached(
        "INSERT INTO blob (repository, hash, content) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET content = excluded.content WHERE blob.content IS NULL",
    )?;
    let mut entry = connection.prepare_cached(
        "INSERT INTO entry (repository, key, hash, bytes, version) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes, version = excluded.version",
    )?;
    let mut history = connection.prepare_cached(
        "INSERT INTO history (repository, version, key, hash, author, client, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut no_tombstone =
        connection.prepare_cached("DELETE FROM tombstone WHERE repository = ?1 AND key = ?2")?;
    for key in &effects.stored {
        let text = &change.entries[key];
        let hash = read::digits(&Checksum::of(text));
        let packed = zstd::bulk::compress(text.as_bytes(), LEVEL)?;
        blob.execute(params![row.id, hash, packed])?;
        entry.execute(params![row.id, key.as_str(), hash, text.len(), version])?;
        history.execute(params![
            row.id,
            version,
            key.as_str(),
            hash,
            change.author,
            change.client,
            change.at
        ])?;
        no_tombstone.execute(params![row.id, key.as_str()])?;
    }
    for (key, checksum) in &effects.deleted {
        let hash = read::digits(checksum);
        connection.execute(
            "DELETE FROM entry WHERE repository = ?1 AND key = ?2",
            params![row.id, key.as_str()],
        )?;
        connection.execute(
            "INSERT OR REPLACE INTO tombstone (repository, key, hash, version, at, author)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                row.id,
                key.as_str(),
                hash,
                version,
                change.at,
                change.author
            ],
        )?;
        history.execute(params![
            row.id,
            version,
            key.as_str(),
            None::<String>,
            change.author,
            change.client,
            change.at
        ])?;
    }
    connection.execute(
        "UPDATE repository SET version = ?2, updated_at = ?3 WHERE id = ?1",
        params![row.id, version, change.at],
    )?;
    Ok(version)
}

/// An answer as it is stored under the operation's name.
#[derive(Serialize, Deserialize)]
struct Answer {
    version: u64,
    epoch: String,
    checksums: BTreeMap<String, String>,
}

fn remember(
    connection: &Connection,
    row: &Row,
    id: &str,
    change: &Change,
    done: &Done,
) -> Result<()> {
    let answer = Answer {
        version: done.version,
        epoch: row.epoch.clone(),
        checksums: done.checksums.clone(),
    };
    connection.execute(
        "INSERT INTO operation (repository, id, digest, answer, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            row.id,
            id,
            change.digest,
            serde_json::to_string(&answer)?,
            change.at
        ],
    )?;
    Ok(())
}

fn replay(connection: &Connection, row: &Row, id: &str, digest: &str) -> Result<Option<Outcome>> {
    let sql = "SELECT digest, answer FROM operation WHERE repository = ?1 AND id = ?2";
    let found: Option<(String, String)> = connection
        .prepare_cached(sql)?
        .query_row((row.id, id), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((known, answer)) = found else {
        return Ok(None);
    };
    if known != digest {
        return Ok(Some(Err(Refusal::OtherRequest)));
    }
    let answer: Answer = serde_json::from_str(&answer)?;
    Ok(Some(Ok(Done {
        tag: Tag::new(answer.version, &answer.epoch),
        version: answer.version,
        checksums: answer.checksums,
        replayed: true,
    })))
}

/// Makes an earlier state the newest version. `None` when there is no such repository or version, or when
/// its content was redacted.
fn take_back(
    connection: &Savepoint<'_>,
    restore: &Restore,
    limits: &Limits,
) -> Result<Option<Carried>> {
    let Some(row) = read::row(connection, &restore.repository)? else {
        return Ok(None);
    };
    if restore.version > row.version {
        return Ok(None);
    }
    let then = state_at(connection, &row, restore)?;
    let now = read::state(connection, &row)?;
    let (mut entries, mut deletes) = (BTreeMap::new(), BTreeSet::new());
    for (key, hash) in then {
        match hash {
            Some(hash) => {
                let Some(text) = read::content(connection, row.id, &hash)? else {
                    return Ok(None);
                };
                entries.insert(key, text);
            }
            None => drop(deletes.insert(key)),
        }
    }
    if restore.key.is_none() {
        // What was not there yet goes.
        let newer = now.entries.keys().filter(|key| !entries.contains_key(*key));
        deletes.extend(newer.cloned().collect::<Vec<_>>());
    }
    if entries.is_empty() && deletes.is_empty() {
        return Ok(None);
    }
    let change = Change {
        repository: restore.repository.clone(),
        entries,
        deletes,
        bases: None,
        precondition: Precondition::Version(row.version),
        op_id: None,
        digest: String::new(),
        author: restore.author.clone(),
        client: "restore".into(),
        at: restore.at.clone(),
    };
    carry_out(connection, &change, limits).map(Some)
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
        state.insert(read::key(&found.get::<_, String>(0)?)?, found.get(1)?);
    }
    Ok(state)
}

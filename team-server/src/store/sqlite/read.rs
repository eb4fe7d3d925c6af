//! What readers ask for.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OptionalExtension, params};
use team_sync::{Checksum, Tag, TeamKey};

use crate::change::{Entry, State};
use crate::store::content::{checksum, key, unpack};
use crate::store::{Deleted, Looked, Picture, Revision, View};

/// The row of a repository.
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) epoch: String,
    pub(super) version: u64,
    updated_at: String,
    forgotten: u64,
}

pub(super) fn row(connection: &Connection, repository: &str) -> Result<Option<Row>> {
    let sql = "SELECT id, epoch, version, updated_at, forgotten FROM repository WHERE name = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let row = statement.query_row([repository], |row| {
        Ok(Row {
            id: row.get(0)?,
            epoch: row.get(1)?,
            version: row.get(2)?,
            updated_at: row.get(3)?,
            forgotten: row.get(4)?,
        })
    });
    Ok(row.optional()?)
}

pub(super) fn tag(connection: &Connection, repository: &str) -> Result<Option<Tag>> {
    Ok(row(connection, repository)?.map(|row| Tag::new(row.version, &row.epoch)))
}

/// The state of a repository without its texts.
pub(super) fn state(connection: &Connection, row: &Row) -> Result<State> {
    let sql = "SELECT key, hash, bytes FROM entry WHERE repository = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([row.id])?;
    let mut entries = BTreeMap::new();
    while let Some(found) = rows.next()? {
        let entry = Entry {
            checksum: checksum(&found.get::<_, String>(1)?)?,
            bytes: found.get(2)?,
        };
        entries.insert(key(&found.get::<_, String>(0)?)?, entry);
    }
    Ok(State {
        epoch: row.epoch.clone(),
        version: row.version,
        entries,
    })
}

pub(super) fn look(connection: &Connection, repository: &str, view: &View) -> Result<Looked> {
    // One transaction: the version and the entries belong together.
    let transaction = connection.unchecked_transaction()?;
    let Some(row) = row(&transaction, repository)? else {
        return Ok(Looked::Nothing);
    };
    let since = view.since.unwrap_or(0);
    if view.since.is_some_and(|since| since < row.forgotten) {
        return Ok(Looked::TooOld);
    }
    let wanted = |key: &TeamKey| view.keys.as_ref().is_none_or(|keys| keys.contains(key));
    Ok(Looked::Found(Picture {
        tag: Tag::new(row.version, &row.epoch),
        version: row.version,
        updated_at: row.updated_at.clone(),
        entries: entries(&transaction, &row, since, view.texts, wanted)?,
        tombstones: tombstones(&transaction, &row, since, wanted)?,
    }))
}

fn entries(
    connection: &Connection,
    row: &Row,
    since: u64,
    texts: bool,
    wanted: impl Fn(&TeamKey) -> bool,
) -> Result<BTreeMap<TeamKey, (Checksum, Option<String>)>> {
    let sql = if texts {
        "SELECT entry.key, entry.hash, blob.content FROM entry
         JOIN blob ON blob.repository = entry.repository AND blob.hash = entry.hash
         WHERE entry.repository = ?1 AND entry.version > ?2"
    } else {
        "SELECT key, hash, NULL FROM entry WHERE repository = ?1 AND version > ?2"
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![row.id, since])?;
    let mut entries = BTreeMap::new();
    while let Some(found) = rows.next()? {
        let key = key(&found.get::<_, String>(0)?)?;
        if !wanted(&key) {
            continue;
        }
        let checksum = checksum(&found.get::<_, String>(1)?)?;
        let text = if texts {
            let packed = found
                .get_ref(2)?
                .as_blob()
                .context("an entry has no content")?;
            Some(unpack(packed)?)
        } else {
            None
        };
        entries.insert(key, (checksum, text));
    }
    Ok(entries)
}

fn tombstones(
    connection: &Connection,
    row: &Row,
    since: u64,
    wanted: impl Fn(&TeamKey) -> bool,
) -> Result<BTreeMap<TeamKey, Deleted>> {
    let sql = "SELECT key, hash, version, at, author FROM tombstone WHERE repository = ?1 AND version > ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![row.id, since])?;
    let mut tombstones = BTreeMap::new();
    while let Some(found) = rows.next()? {
        let key = key(&found.get::<_, String>(0)?)?;
        if !wanted(&key) {
            continue;
        }
        let deleted = Deleted {
            checksum: checksum(&found.get::<_, String>(1)?)?,
            version: found.get(2)?,
            at: found.get(3)?,
            by: found.get(4)?,
        };
        tombstones.insert(key, deleted);
    }
    Ok(tombstones)
}

pub(super) fn history(
    connection: &Connection,
    repository: &str,
    key: Option<&TeamKey>,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Revision>> {
    let Some(row) = row(connection, repository)? else {
        return Ok(Vec::new());
    };
    let sql = "SELECT version, key, hash, author, client, at FROM history
         WHERE repository = ?1 AND version < ?2 AND (?3 IS NULL OR key = ?3)
         ORDER BY version DESC, key LIMIT ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let before = before.unwrap_or(row.version.saturating_add(1));
    let revisions = statement.query_map(
        params![row.id, before, key.map(TeamKey::as_str), limit],
        |found| {
            let hash: Option<String> = found.get(2)?;
            Ok(Revision {
                version: found.get::<_, u64>(0)?.to_string(),
                key: found.get(1)?,
                checksum: hash.map(|hash| format!("sha256:{hash}")),
                author: found.get(3)?,
                client: found.get(4)?,
                at: found.get(5)?,
            })
        },
    )?;
    Ok(revisions.collect::<Result<_, _>>()?)
}

pub(super) fn blob(
    connection: &Connection,
    repository: &str,
    digits: &str,
) -> Result<Option<String>> {
    let Some(row) = row(connection, repository)? else {
        return Ok(None);
    };
    content(connection, row.id, digits)
}

/// A text by its hash; `None` when it is not there or was redacted.
pub(super) fn content(
    connection: &Connection,
    repository: i64,
    hash: &str,
) -> Result<Option<String>> {
    let sql = "SELECT content FROM blob WHERE repository = ?1 AND hash = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let packed: Option<Option<Vec<u8>>> = statement
        .query_row((repository, hash), |row| row.get(0))
        .optional()?;
    packed.flatten().map(|packed| unpack(&packed)).transpose()
}

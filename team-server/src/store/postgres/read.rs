//! What readers ask for.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use sqlx::{PgConnection, Postgres, Transaction};
use team_sync::{Tag, TeamKey};

use super::{Pool, sql};
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

pub(super) async fn row(connection: &mut PgConnection, repository: &str) -> Result<Option<Row>> {
    let found: Option<(i64, String, i64, String, i64)> = sqlx::query_as(sql::ROW)
        .bind(repository)
        .fetch_optional(connection)
        .await?;
    let row = |(id, epoch, version, updated_at, forgotten)| -> Result<Row> {
        Ok(Row {
            id,
            epoch,
            version: u64::try_from(version)?,
            updated_at,
            forgotten: u64::try_from(forgotten)?,
        })
    };
    found.map(row).transpose()
}

pub(super) async fn tag(pool: &Pool, repository: &str) -> Result<Option<Tag>> {
    let found: Option<(String, i64)> = sqlx::query_as(sql::TAG)
        .bind(repository)
        .fetch_optional(pool)
        .await?;
    let tag = |(epoch, version): (String, i64)| -> Result<Tag> {
        Ok(Tag::new(u64::try_from(version)?, &epoch))
    };
    found.map(tag).transpose()
}

/// The state of a repository without its texts.
pub(super) async fn state(connection: &mut PgConnection, row: &Row) -> Result<State> {
    let rows: Vec<(String, String, i64)> = sqlx::query_as(sql::STATE)
        .bind(row.id)
        .fetch_all(connection)
        .await?;
    let mut entries = BTreeMap::new();
    for (name, hash, bytes) in rows {
        let entry = Entry {
            checksum: checksum(&hash)?,
            bytes: u64::try_from(bytes)?,
        };
        entries.insert(key(&name)?, entry);
    }
    Ok(State {
        epoch: row.epoch.clone(),
        version: row.version,
        entries,
    })
}

pub(super) async fn look(pool: &Pool, repository: &str, view: &View) -> Result<Looked> {
    // One snapshot: the version and the entries belong together.
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    let mut transaction = pool.begin_with(begin).await?;
    let looked = look_at(&mut transaction, repository, view).await;
    // Nothing was changed, so that how it ends does not matter.
    let _ = transaction.commit().await;
    looked
}

async fn look_at(
    transaction: &mut Transaction<'_, Postgres>,
    repository: &str,
    view: &View,
) -> Result<Looked> {
    let Some(row) = row(transaction, repository).await? else {
        return Ok(Looked::Nothing);
    };
    if view.since.is_some_and(|since| since < row.forgotten) {
        return Ok(Looked::TooOld);
    }
    // A version larger than any there is, in both worlds.
    let since = i64::try_from(view.since.unwrap_or(0)).unwrap_or(i64::MAX);
    let keys: Option<Vec<String>> = view
        .keys
        .as_ref()
        .map(|keys| keys.iter().map(ToString::to_string).collect());

    let statement = if view.texts { sql::TEXTS } else { sql::HASHES };
    let rows: Vec<(String, String, Option<Vec<u8>>)> = sqlx::query_as(statement)
        .bind(row.id)
        .bind(since)
        .bind(&keys)
        .fetch_all(&mut **transaction)
        .await?;
    let mut entries = BTreeMap::new();
    for (name, hash, packed) in rows {
        let text = if view.texts {
            let packed = packed.context("an entry has no content")?;
            Some(unpack(&packed)?)
        } else {
            None
        };
        entries.insert(key(&name)?, (checksum(&hash)?, text));
    }
    let tombstones = tombstones(transaction, &row, since, keys.as_deref()).await?;
    Ok(Looked::Found(Picture {
        tag: Tag::new(row.version, &row.epoch),
        version: row.version,
        updated_at: row.updated_at,
        entries,
        tombstones,
    }))
}

async fn tombstones(
    connection: &mut PgConnection,
    row: &Row,
    since: i64,
    keys: Option<&[String]>,
) -> Result<BTreeMap<TeamKey, Deleted>> {
    let rows: Vec<(String, String, i64, String, String)> = sqlx::query_as(sql::TOMBSTONES)
        .bind(row.id)
        .bind(since)
        .bind(keys)
        .fetch_all(connection)
        .await?;
    let mut tombstones = BTreeMap::new();
    for (name, hash, version, at, by) in rows {
        let deleted = Deleted {
            checksum: checksum(&hash)?,
            version: u64::try_from(version)?,
            at,
            by,
        };
        tombstones.insert(key(&name)?, deleted);
    }
    Ok(tombstones)
}

pub(super) async fn history(
    pool: &Pool,
    repository: &str,
    key: Option<&TeamKey>,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Revision>> {
    type Line = (i64, String, Option<String>, String, String, String);
    let mut connection = pool.acquire().await?;
    let Some(row) = row(&mut connection, repository).await? else {
        return Ok(Vec::new());
    };
    let before = before.map_or(i64::MAX, |before| i64::try_from(before).unwrap_or(i64::MAX));
    let statement = if key.is_some() {
        sql::HISTORY_OF_KEY
    } else {
        sql::HISTORY
    };
    let mut query = sqlx::query_as(statement)
        .bind(row.id)
        .bind(before)
        .bind(i64::try_from(limit)?);
    if let Some(key) = key {
        query = query.bind(key.as_str());
    }
    let lines: Vec<Line> = query.fetch_all(&mut *connection).await?;
    let revision = |(version, key, hash, author, client, at): Line| Revision {
        version: version.to_string(),
        key,
        checksum: hash.map(|hash| format!("sha256:{hash}")),
        author,
        client,
        at,
    };
    Ok(lines.into_iter().map(revision).collect())
}

pub(super) async fn blob(pool: &Pool, repository: &str, digits: &str) -> Result<Option<String>> {
    let mut connection = pool.acquire().await?;
    let Some(row) = row(&mut connection, repository).await? else {
        return Ok(None);
    };
    let packed: Option<Option<Vec<u8>>> = sqlx::query_scalar(sql::CONTENT)
        .bind(row.id)
        .bind(digits)
        .fetch_optional(&mut *connection)
        .await?;
    packed.flatten().map(|packed| unpack(&packed)).transpose()
}

/// The texts of these hashes that are there and were not redacted.
pub(super) async fn contents(
    connection: &mut PgConnection,
    repository: i64,
    hashes: &[String],
) -> Result<BTreeMap<String, String>> {
    let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(sql::CONTENTS)
        .bind(repository)
        .bind(hashes)
        .fetch_all(connection)
        .await?;
    let text = |(hash, packed): (String, Vec<u8>)| Ok((hash, unpack(&packed)?));
    rows.into_iter().map(text).collect()
}

/// Per key the hash at a version; `None` where it was deleted.
pub(super) async fn state_at(
    connection: &mut PgConnection,
    repository: i64,
    version: u64,
    wanted: Option<&TeamKey>,
) -> Result<BTreeMap<TeamKey, Option<String>>> {
    let rows: Vec<(String, Option<String>)> = sqlx::query_as(sql::STATE_AT)
        .bind(repository)
        .bind(i64::try_from(version).unwrap_or(i64::MAX))
        .bind(wanted.map(TeamKey::as_str))
        .fetch_all(connection)
        .await?;
    rows.into_iter()
        .map(|(name, hash)| Ok((key(&name)?, hash)))
        .collect()
}

//! One attempt to carry out a group of changes.
//!
//! It reads the state, decides, writes its rows under conditions, and takes the row of the repository last
//! and only if its version is still the one that was read.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};
use sqlx::error::DatabaseError;
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};
use team_sync::Tag;

use super::fold::Fold;
use super::{Pool, cause, read, sql};
use crate::change::{Change, State};
use crate::limits::Limits;
use crate::store::content::Packed;
use crate::store::operation::Operation;
use crate::store::{Outcome, Restore};
use crate::token::random_hex;

/// How an attempt went.
pub(super) enum Attempt {
    /// There was nothing to write.
    Idle(Vec<Outcome>),
    /// It is to be committed.
    Written(Vec<Outcome>, Tag),
    /// Somebody else was faster.
    Moved,
    /// Some contents were redacted here; decide again with that.
    Redacted(Vec<String>),
}

/// Begins, and takes the advisory lock of the repository, in one round trip.
pub(super) async fn begin(
    pool: &Pool,
    repository: &str,
    alone: bool,
) -> Result<Transaction<'static, Postgres>> {
    let shared = if alone { "" } else { "_shared" };
    let lock = lock_of(repository);
    let begin = format!("BEGIN; SELECT pg_advisory_xact_lock{shared}({lock})");
    pool.begin_with(AssertSqlSafe(begin)).await.map_err(cause)
}

/// Repositories whose digests begin alike only wait for each other.
fn lock_of(repository: &str) -> i64 {
    let digest = Sha256::digest(repository.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(bytes)
}

pub(super) async fn attempt(
    connection: &mut PgConnection,
    repository: &str,
    packed: &[&Packed],
    limits: &Limits,
    redacted: &BTreeSet<String>,
) -> Result<Attempt> {
    let row = read::row(connection, repository).await?;
    let (state, known) = if let Some(row) = &row {
        let state = read::state(connection, row).await?;
        (state, operations(connection, row.id, packed).await?)
    } else {
        let epoch = random_hex(3)?;
        let state = State {
            epoch,
            ..State::default()
        };
        (state, BTreeMap::new())
    };
    let mut fold = Fold::new(state, known, redacted.clone());
    let outcomes = packed
        .iter()
        .map(|one| fold.add(one, limits))
        .collect::<Result<Vec<_>>>()?;
    if fold.is_idle() {
        return Ok(Attempt::Idle(outcomes));
    }
    let at = packed.last().map_or("", |one| one.change.at.as_str());
    let id = if let Some(row) = row {
        Some(row.id)
    } else {
        sqlx::query_scalar(sql::CREATE)
            .bind(repository)
            .bind(&fold.now.epoch)
            .bind(at)
            .fetch_optional(&mut *connection)
            .await?
    };
    let Some(id) = id else {
        return Ok(Attempt::Moved);
    };
    if !store_blobs(connection, id, &fold, at).await? {
        let hashes: Vec<&str> = fold.contents.keys().copied().collect();
        let redacted: Vec<String> = sqlx::query_scalar(sql::REDACTED)
            .bind(id)
            .bind(hashes)
            .fetch_all(connection)
            .await?;
        return Ok(Attempt::Redacted(redacted));
    }
    if !write(connection, id, &fold).await? {
        return Ok(Attempt::Moved);
    }
    let advanced = sqlx::query(sql::ADVANCE)
        .bind(id)
        .bind(i64::try_from(fold.before.version)?)
        .bind(i64::try_from(fold.now.version)?)
        .bind(at)
        .bind(&fold.before.epoch)
        .execute(connection)
        .await?;
    if advanced.rows_affected() != 1 {
        return Ok(Attempt::Moved);
    }
    Ok(Attempt::Written(outcomes, fold.now.tag()))
}

async fn operations(
    connection: &mut PgConnection,
    repository: i64,
    packed: &[&Packed],
) -> Result<BTreeMap<String, Operation>> {
    let ids: Vec<&str> = packed
        .iter()
        .filter_map(|one| one.change.op_id.as_deref())
        .collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(String, String, String)> = sqlx::query_as(sql::OPERATIONS)
        .bind(repository)
        .bind(ids)
        .fetch_all(connection)
        .await?;
    let operation = |(id, digest, answer)| (id, Operation { digest, answer });
    Ok(rows.into_iter().map(operation).collect())
}

/// Whether all contents are there now; those that were redacted do not come back.
async fn store_blobs(
    connection: &mut PgConnection,
    repository: i64,
    fold: &Fold<'_>,
    at: &str,
) -> Result<bool> {
    if fold.contents.is_empty() {
        return Ok(true);
    }
    let (hashes, contents): (Vec<&str>, Vec<&[u8]>) = fold
        .contents
        .iter()
        .map(|(hash, bytes)| (*hash, *bytes))
        .unzip();
    let expected = hashes.len() as u64;
    let stored = sqlx::query(sql::STORE_BLOBS)
        .bind(repository)
        .bind(hashes)
        .bind(contents)
        .bind(at)
        .execute(connection)
        .await?;
    Ok(stored.rows_affected() == expected)
}

/// Whether every entry was still what it was.
async fn write(connection: &mut PgConnection, repository: i64, fold: &Fold<'_>) -> Result<bool> {
    let stored = fold.stored();
    let deleted = fold.deleted();
    let entries = Columns::of(&stored, |one| [one.key.as_str(), one.hash.as_str()]);
    let sizes = numbers(stored.iter().map(|one| one.bytes))?;
    let versions = numbers(stored.iter().map(|one| one.version))?;

    let graves: Vec<_> = fold.tombstones.iter().collect();
    let buried = Columns::of(&graves, |(key, one)| {
        [key.as_str(), &one.hash, &one.change.at, &one.change.author]
    });
    let buried_at = numbers(graves.iter().map(|(_, one)| one.version))?;

    let lines = Columns::of(&fold.history, |line| {
        let Change {
            author, client, at, ..
        } = line.change;
        [line.key.as_str(), author, client, at]
    });
    let line_hashes: Vec<Option<&str>> = fold.history.iter().map(|line| line.hash).collect();
    let line_versions = numbers(fold.history.iter().map(|line| line.version))?;

    let answers: Vec<_> = fold.answers().collect();
    let answers = Columns::of(&answers, |(id, one, at)| {
        [*id, &one.digest, &one.answer, *at]
    });

    let [keys, hashes] = entries.0;
    let [buried_keys, buried_hashes, buried_times, buried_by] = buried.0;
    let [line_keys, authors, clients, times] = lines.0;
    let [ids, digests, texts, answered_at] = answers.0;
    let (counted, gone): (i64, i64) = sqlx::query_as(sql::WRITE)
        .bind(repository)
        .bind(i64::try_from(fold.before.version)?)
        .bind(keys)
        .bind(hashes)
        .bind(sizes)
        .bind(versions)
        .bind(&deleted)
        .bind(buried_keys)
        .bind(buried_hashes)
        .bind(buried_at)
        .bind(buried_times)
        .bind(buried_by)
        .bind(line_versions)
        .bind(line_keys)
        .bind(line_hashes)
        .bind(authors)
        .bind(clients)
        .bind(times)
        .bind(ids)
        .bind(digests)
        .bind(texts)
        .bind(answered_at)
        .fetch_one(connection)
        .await?;
    Ok(counted == i64::try_from(stored.len())? && gone == i64::try_from(deleted.len())?)
}

/// Rows turned into columns, as `unnest` wants them.
struct Columns<'rows, const N: usize>([Vec<&'rows str>; N]);

impl<'rows, const N: usize> Columns<'rows, N> {
    fn of<T>(rows: &'rows [T], cells: impl Fn(&'rows T) -> [&'rows str; N]) -> Self {
        let mut columns = [const { Vec::new() }; N];
        for row in rows {
            for (column, cell) in columns.iter_mut().zip(cells(row)) {
                column.push(cell);
            }
        }
        Self(columns)
    }
}

fn numbers(all: impl Iterator<Item = u64>) -> Result<Vec<i64>> {
    all.map(|one| i64::try_from(one).context("a number is too large"))
        .collect()
}

/// The change that leads back to an earlier state, decided on what is there now.
pub(super) async fn take_back(
    connection: &mut PgConnection,
    restore: &Restore,
) -> Result<Option<Change>> {
    let Some(row) = read::row(connection, &restore.repository).await? else {
        return Ok(None);
    };
    if restore.version > row.version {
        return Ok(None);
    }
    let then = read::state_at(connection, row.id, restore.version, restore.key.as_ref()).await?;
    let now = read::state(connection, &row).await?;
    let hashes: BTreeSet<String> = then.values().flatten().cloned().collect();
    let hashes: Vec<String> = hashes.into_iter().collect();
    let texts = read::contents(connection, row.id, &hashes).await?;
    Ok(restore.change(&now, &then, &texts))
}

/// Whether somebody else was faster, which another attempt can mend: a row that is there already, a failure
/// to serialise, a deadlock.
pub(super) fn is_conflict(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| ["23505", "40001", "40P01"].contains(&&*code))
}

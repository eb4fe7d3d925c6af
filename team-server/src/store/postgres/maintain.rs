//! Tokens, check, pruning, redaction.

use anyhow::{Context as _, Result, anyhow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::{Pool, cause, read, sql};
use crate::store::content::{fits, key};
use crate::store::{CheckReport, Cutoffs, Pruned, Redacted, Redaction};
use crate::token::{Grant, NewToken, Presented};

/// One replica prunes at a time: the letters `mstp`.
const PRUNING: i64 = 0x6d73_7470;

type GrantRow = (String, String, String, String, bool, Vec<u8>);

fn grant_of((id, name, repositories, scopes, write, _): GrantRow) -> Grant {
    let list = |text: String| text.split_whitespace().map(str::to_owned).collect();
    Grant {
        id,
        name,
        repositories: list(repositories),
        scopes: list(scopes),
        write,
    }
}

pub(super) async fn grant(pool: &Pool, presented: &Presented) -> Result<Option<Grant>> {
    let found: Option<GrantRow> = sqlx::query_as(sql::GRANT)
        .bind(&presented.id)
        .fetch_optional(pool)
        .await?;
    Ok(found
        .filter(|(.., hash)| presented.matches(hash))
        .map(grant_of))
}

pub(super) async fn grants(pool: &Pool) -> Result<Vec<Grant>> {
    let found: Vec<GrantRow> = sqlx::query_as(sql::GRANTS).fetch_all(pool).await?;
    Ok(found.into_iter().map(grant_of).collect())
}

pub(super) async fn add_token(
    pool: &Pool,
    token: &NewToken,
    grant: &Grant,
    at: &str,
) -> Result<()> {
    sqlx::query(sql::ADD_TOKEN)
        .bind(&grant.id)
        .bind(token.hash())
        .bind(&grant.name)
        .bind(grant.repositories.join(" "))
        .bind(grant.scopes.join(" "))
        .bind(grant.write)
        .bind(at)
        .execute(pool)
        .await
        .map_err(cause)?;
    Ok(())
}

pub(super) async fn revoke(pool: &Pool, id: &str, at: &str) -> Result<bool> {
    let revoked = sqlx::query(sql::REVOKE)
        .bind(id)
        .bind(at)
        .execute(pool)
        .await?;
    Ok(revoked.rows_affected() > 0)
}

pub(super) async fn check(pool: &Pool) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    // A connection of its own, which has prepared nothing yet.
    let mut fresh = PgConnection::connect_with(&pool.connect_options()).await?;
    for (name, statement) in sql::ALL {
        if let Err(error) = fresh.prepare(sqlx::SqlStr::from_static(statement)).await {
            report.problems.push(format!(
                "the tables do not fit the program: {name}: {error}"
            ));
        }
    }
    fresh.close().await?;
    if !report.problems.is_empty() {
        return Ok(report);
    }
    // One snapshot, for as long as it takes.
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0";
    let mut transaction = pool.begin_with(begin).await?;
    let mut cursor = Cursor::declare(&mut transaction, sql::CHECK_BLOBS).await?;
    while let Some(rows) = cursor.next::<(String, String, Option<Vec<u8>>)>().await? {
        for (name, hash, packed) in rows {
            let Some(packed) = packed else {
                report.redacted += 1;
                continue;
            };
            report.contents += 1;
            if !fits(&packed, &hash) {
                report.problems.push(format!(
                    "{name}: the content {hash} does not fit its checksum"
                ));
            }
        }
    }
    let bare: Vec<(String, String)> = sqlx::query_as(sql::CHECK_ENTRIES)
        .fetch_all(&mut *transaction)
        .await?;
    for (name, key) in bare {
        report
            .problems
            .push(format!("{name}: {key} has no content"));
    }
    let lost: Vec<(String, String, i64)> = sqlx::query_as(sql::CHECK_HISTORY)
        .fetch_all(&mut *transaction)
        .await?;
    for (name, key, version) in lost {
        report
            .problems
            .push(format!("{name}: version {version} of {key} has no content"));
    }
    Ok(report)
}

/// Reads a large answer in parts, so that it is never in memory as a whole.
struct Cursor<'held, 'pool>(&'held mut sqlx::Transaction<'pool, sqlx::Postgres>);

impl<'held, 'pool> Cursor<'held, 'pool> {
    async fn declare(
        transaction: &'held mut sqlx::Transaction<'pool, sqlx::Postgres>,
        statement: &'static str,
    ) -> Result<Self> {
        let declare = format!("DECLARE part NO SCROLL CURSOR FOR {statement}");
        sqlx::query(AssertSqlSafe(declare))
            .execute(&mut **transaction)
            .await?;
        Ok(Self(transaction))
    }

    async fn next<T>(&mut self) -> Result<Option<Vec<T>>>
    where
        T: for<'row> sqlx::FromRow<'row, sqlx::postgres::PgRow> + Send + Unpin,
    {
        let rows = sqlx::query_as("FETCH 200 FROM part")
            .fetch_all(&mut **self.0)
            .await?;
        Ok((!rows.is_empty()).then_some(rows))
    }
}

/// `None` when another replica is at it.
pub(super) async fn prune(pool: &Pool, cutoffs: &Cutoffs) -> Result<Option<Pruned>> {
    let mut transaction = pool
        .begin_with(
            "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL enable_partitionwise_join = on",
        )
        .await?;
    let free: bool = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)")
        .bind(PRUNING)
        .fetch_one(&mut *transaction)
        .await?;
    if !free {
        return Ok(None);
    }
    let tombstones: i64 = sqlx::query_scalar(sql::PRUNE_TOMBSTONES)
        .bind(&cutoffs.tombstones)
        .fetch_one(&mut *transaction)
        .await?;
    let operations = sqlx::query(sql::PRUNE_OPERATIONS)
        .bind(&cutoffs.operations)
        .execute(&mut *transaction)
        .await?;
    let contents = sqlx::query(sql::PRUNE_BLOBS)
        .bind(&cutoffs.contents)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(Some(Pruned {
        tombstones: u64::try_from(tombstones)?,
        operations: operations.rows_affected(),
        contents: contents.rows_affected(),
    }))
}

pub(super) async fn redact(pool: &Pool, redaction: &Redaction) -> Result<Redacted> {
    let mut transaction = pool.begin().await?;
    let Some(row) = read::row(&mut transaction, &redaction.repository).await? else {
        return Ok(Redacted::NoSuchVersion);
    };
    let found: Option<Option<String>> = sqlx::query_scalar(sql::HASH_AT)
        .bind(row.id)
        .bind(redaction.key.as_str())
        .bind(i64::try_from(redaction.version).unwrap_or(i64::MAX))
        .fetch_optional(&mut *transaction)
        .await?;
    let Some(Some(hash)) = found else {
        return Ok(Redacted::NoSuchVersion);
    };
    // Whoever stores the same text just now either waits for us, or we for them, and then it is in use.
    let gone: Option<bool> = sqlx::query_scalar(sql::LOCK_BLOB)
        .bind(row.id)
        .bind(&hash)
        .fetch_optional(&mut *transaction)
        .await?;
    if gone.context("a version has no content")? {
        return Ok(Redacted::Before);
    }
    let users: Vec<String> = sqlx::query_scalar(sql::USERS_OF)
        .bind(row.id)
        .bind(&hash)
        .fetch_all(&mut *transaction)
        .await?;
    if !users.is_empty() {
        let keys = users.iter().map(|name| key(name)).collect::<Result<_>>()?;
        return Ok(Redacted::InUse(keys));
    }
    let table: String = sqlx::query_scalar(sql::REDACT)
        .bind(row.id)
        .bind(&hash)
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    // The old row goes now and not when the server gets to it. A reader with an old snapshot may hold it.
    let vacuum = format!("SET statement_timeout = 0; VACUUM {table}");
    let mut connection = pool.acquire().await?.detach();
    // Two statements in one text would be one transaction, in which there is no VACUUM.
    for statement in vacuum.split("; ") {
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
            .execute(&mut connection)
            .await
            .map_err(|error| {
                anyhow!(error).context("redacted, but the old row is not yet vacuumed")
            })?;
    }
    Ok(Redacted::Done)
}

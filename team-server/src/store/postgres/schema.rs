//! The tables, how they come to be, and how a restored database is noticed.

use anyhow::{Result, bail};
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};

use super::sql;
use crate::token::random_hex;

/// Replicas that start at once take turns by this lock: the letters `mstr`.
const LOCK: i64 = 0x6d73_7472;

/// What leads from each version of the tables to the next, the first from nothing. What was released once is
/// never changed, only added to.
const STEPS: [&str; 1] = [TABLES];

// There are no foreign keys: repositories are never deleted, and a check per row would lock the row of the
// repository that a writer takes last. Hashes are 32 bytes; times are text in RFC 3339, as they came, because
// they are shown and nothing is decided by them but how long something is kept.
const TABLES: &str = r#"
CREATE TABLE repository (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    epoch text NOT NULL,
    version bigint NOT NULL,
    updated_at text NOT NULL,
    -- Deletions up to this version may have been forgotten.
    forgotten bigint NOT NULL DEFAULT 0
    -- Room on the page: each change updates the row, and no index has to follow.
) WITH (fillfactor = 50);
CREATE TABLE blob (
    repository bigint NOT NULL,
    hash bytea NOT NULL,
    -- zstd; NULL once the content was redacted.
    content bytea,
    stored_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (repository, hash)
) PARTITION BY HASH (repository);
CREATE TABLE entry (
    repository bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    hash bytea NOT NULL,
    bytes bigint NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (repository, key)
) PARTITION BY HASH (repository);
CREATE TABLE tombstone (
    repository bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    hash bytea NOT NULL,
    version bigint NOT NULL,
    at text COLLATE "C" NOT NULL,
    author text NOT NULL,
    PRIMARY KEY (repository, key)
) PARTITION BY HASH (repository);
CREATE TABLE history (
    repository bigint NOT NULL,
    version bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    -- NULL is a deletion.
    hash bytea,
    author text NOT NULL,
    client text NOT NULL,
    at text COLLATE "C" NOT NULL,
    PRIMARY KEY (repository, version, key)
) PARTITION BY HASH (repository);
CREATE INDEX history_by_key ON history (repository, key, version);
CREATE TABLE operation (
    repository bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    answer text NOT NULL,
    at text COLLATE "C" NOT NULL,
    PRIMARY KEY (repository, id)
) PARTITION BY HASH (repository);
CREATE INDEX operation_by_time ON operation (at);
CREATE INDEX tombstone_by_time ON tombstone (at);
DO $$
DECLARE parted text; part int;
BEGIN
    FOREACH parted IN ARRAY ARRAY['blob', 'entry', 'tombstone', 'history', 'operation'] LOOP
        FOR part IN 0..63 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 64, REMAINDER %s)',
                parted || '_' || part, parted, part);
            IF parted = 'blob' THEN
                -- Compressed already.
                EXECUTE format('ALTER TABLE %I ALTER COLUMN content SET STORAGE EXTERNAL', parted || '_' || part);
            END IF;
        END LOOP;
    END LOOP;
END $$;
CREATE TABLE token (
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL,
    name text NOT NULL,
    repositories text NOT NULL,
    scopes text NOT NULL,
    writes boolean NOT NULL,
    created text NOT NULL,
    revoked text
);
CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL);
"#;

/// The setting that says which database the data were in.
const HOME: &str = "home";

/// Brings the tables to the version of this program; replicas that start at once wait for each other.
pub(super) async fn prepare(connection: &mut PgConnection) -> Result<()> {
    let mut transaction = lock(connection).await?;
    sqlx::raw_sql("CREATE TABLE IF NOT EXISTS memstrata_schema (version integer NOT NULL)")
        .execute(&mut *transaction)
        .await?;
    let version: Option<i32> = sqlx::query_scalar("SELECT max(version) FROM memstrata_schema")
        .fetch_one(&mut *transaction)
        .await?;
    let known = usize::try_from(version.unwrap_or(0))?;
    if known > STEPS.len() {
        bail!(
            "the data are of version {known}, this program knows version {}; use a newer program",
            STEPS.len()
        );
    }
    for (at, step) in STEPS.iter().enumerate().skip(known) {
        sqlx::raw_sql(*step).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO memstrata_schema (version) VALUES ($1)")
            .bind(i32::try_from(at + 1)?)
            .execute(&mut *transaction)
            .await?;
    }
    renew_epochs(&mut transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Looks whether the connection, which was made anew, leads to the same database.
pub(super) async fn notice_restore(connection: &mut PgConnection) -> Result<()> {
    let mut transaction = lock(connection).await?;
    renew_epochs(&mut transaction).await?;
    transaction.commit().await?;
    Ok(())
}

async fn lock(connection: &mut PgConnection) -> Result<Transaction<'_, Postgres>> {
    use sqlx::Connection as _;
    let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})");
    Ok(connection.begin_with(AssertSqlSafe(begin)).await?)
}

/// Clients compare everything again when the epoch is new. That is due when the data were restored from a
/// dump or another point in time, or when a standby took over that may lack what was answered last: what
/// clients have seen meanwhile may be missing.
async fn renew_epochs(transaction: &mut Transaction<'_, Postgres>) -> Result<()> {
    let home = home(transaction).await?;
    let known: Option<String> = sqlx::query_scalar(sql::SETTING)
        .bind(HOME)
        .fetch_optional(&mut **transaction)
        .await?;
    if known.as_ref() == Some(&home) {
        return Ok(());
    }
    if known.is_some() {
        tracing::warn!("the data were restored, or another server took over: epochs are renewed");
        let names: Vec<i64> = sqlx::query_scalar("SELECT id FROM repository")
            .fetch_all(&mut **transaction)
            .await?;
        let epochs: Vec<String> = names.iter().map(|_| random_hex(3)).collect::<Result<_>>()?;
        sqlx::query(sql::RENEW_EPOCHS)
            .bind(names)
            .bind(epochs)
            .execute(&mut **transaction)
            .await?;
        // Answers from before the restore must not be replayed for work that is gone.
        sqlx::raw_sql("DELETE FROM operation")
            .execute(&mut **transaction)
            .await?;
    }
    sqlx::query(sql::SET_SETTING)
        .bind(HOME)
        .bind(home)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// What names this database: the cluster, its timeline, which is new after a recovery to a point in time and
/// when a standby takes over, the database, and the table, which a restored dump makes anew.
async fn home(transaction: &mut Transaction<'_, Postgres>) -> Result<String> {
    use sqlx::Acquire as _;
    let (database, table): (String, String) = sqlx::query_as(sql::IDENTITY)
        .fetch_one(&mut **transaction)
        .await?;
    // Some hosts do not let everybody ask about the cluster; what is left still notices dumps.
    let mut savepoint = transaction.begin().await?;
    let cluster = sqlx::query_scalar::<_, String>(sql::CLUSTER)
        .fetch_one(&mut *savepoint)
        .await;
    if cluster.is_ok() {
        savepoint.commit().await?;
    } else {
        savepoint.rollback().await?;
    }
    Ok(format!(
        "{} {database} {table}",
        cluster.unwrap_or_default()
    ))
}

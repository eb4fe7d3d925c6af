//! All statements in one place, so that one test can have the server prepare each of them.
//!
//! They are checked at run time and not while the program is built: building must not need a database.

/// Names the statements, and lists them.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)+) => {
        $($(#[$doc])* pub(super) const $name: &str = $text;)+
        /// Every statement, by name.
        pub(super) const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),+];
    };
}

statements! {
    ROW = "SELECT id, epoch, version, updated_at, forgotten FROM repository WHERE name = $1";

    TAG = "SELECT epoch, version FROM repository WHERE name = $1";

    STATE = "SELECT key, encode(hash, 'hex'), bytes FROM entry WHERE repository = $1";

    HASHES = "SELECT key, encode(hash, 'hex'), NULL::bytea FROM entry
        WHERE repository = $1 AND version > $2 AND ($3::text[] IS NULL OR key = ANY($3))";

    TEXTS = "SELECT entry.key, encode(entry.hash, 'hex'), blob.content FROM entry
        JOIN blob ON blob.repository = $1 AND blob.hash = entry.hash
        WHERE entry.repository = $1 AND entry.version > $2 AND ($3::text[] IS NULL OR entry.key = ANY($3))";

    TOMBSTONES = "SELECT key, encode(hash, 'hex'), version, at, author FROM tombstone
        WHERE repository = $1 AND version > $2 AND ($3::text[] IS NULL OR key = ANY($3))";

    HISTORY = "SELECT version, key, encode(hash, 'hex'), author, client, at FROM history
        WHERE repository = $1 AND version < $2 ORDER BY version DESC, key LIMIT $3";

    HISTORY_OF_KEY = "SELECT version, key, encode(hash, 'hex'), author, client, at FROM history
        WHERE repository = $1 AND version < $2 AND key = $4 ORDER BY version DESC, key LIMIT $3";

    CONTENT = "SELECT content FROM blob WHERE repository = $1 AND hash = decode($2, 'hex')";

    CONTENTS = "SELECT encode(hash, 'hex'), content FROM blob
        WHERE repository = $1 AND hash = ANY(SELECT decode(one, 'hex') FROM unnest($2::text[]) AS one)
        AND content IS NOT NULL";

    STATE_AT = "SELECT DISTINCT ON (key) key, encode(hash, 'hex') FROM history
        WHERE repository = $1 AND version <= $2 AND ($3::text IS NULL OR key = $3)
        ORDER BY key, version DESC";

    OPERATIONS = "SELECT id, digest, answer FROM operation WHERE repository = $1 AND id = ANY($2::text[])";

    CREATE = "INSERT INTO repository (name, epoch, version, updated_at) VALUES ($1, $2, 0, $3)
        ON CONFLICT DO NOTHING RETURNING id";

    /// A content that is there is touched, so that pruning leaves it alone from now on; one that was redacted
    /// is not, and the count tells.
    STORE_BLOBS = "INSERT INTO blob (repository, hash, content, stored_at)
        SELECT $1, decode(new.hash, 'hex'), new.content, $4
        FROM unnest($2::text[], $3::bytea[]) AS new (hash, content) ORDER BY new.hash
        ON CONFLICT (repository, hash) DO UPDATE SET stored_at = excluded.stored_at
        WHERE blob.content IS NOT NULL";

    REDACTED = "SELECT encode(hash, 'hex') FROM blob
        WHERE repository = $1 AND hash = ANY(SELECT decode(one, 'hex') FROM unnest($2::text[]) AS one)
        AND content IS NULL";

    /// Everything a group of changes leads to, in one round trip. Keys come sorted. An entry is changed or
    /// deleted only if it still is what the decision was based on, which is what its version says; the counts
    /// tell. A line of the history or an operation that is there already is an error.
    WRITE = "WITH stored AS (
            INSERT INTO entry (repository, key, hash, bytes, version)
            SELECT $1, new.key, decode(new.hash, 'hex'), new.bytes, new.version
            FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS new (key, hash, bytes, version)
            ORDER BY new.key
            ON CONFLICT (repository, key) DO UPDATE
            SET hash = excluded.hash, bytes = excluded.bytes, version = excluded.version
            WHERE entry.version <= $2
            RETURNING 1
        ), deleted AS (
            DELETE FROM entry WHERE repository = $1 AND key = ANY($7::text[]) AND version <= $2
            RETURNING 1
        ), buried AS (
            INSERT INTO tombstone (repository, key, hash, version, at, author)
            SELECT $1, new.key, decode(new.hash, 'hex'), new.version, new.at, new.author
            FROM unnest($8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[])
                AS new (key, hash, version, at, author)
            ORDER BY new.key
            ON CONFLICT (repository, key) DO UPDATE SET hash = excluded.hash, version = excluded.version,
                at = excluded.at, author = excluded.author
        ), risen AS (
            DELETE FROM tombstone WHERE repository = $1 AND key = ANY($3::text[])
        ), past AS (
            INSERT INTO history (repository, version, key, hash, author, client, at)
            SELECT $1, new.version, new.key, decode(new.hash, 'hex'), new.author, new.client, new.at
            FROM unnest($13::bigint[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[])
                AS new (version, key, hash, author, client, at)
        ), answered AS (
            INSERT INTO operation (repository, id, digest, answer, at)
            SELECT $1, new.id, new.digest, new.answer, new.at
            FROM unnest($19::text[], $20::text[], $21::text[], $22::text[]) AS new (id, digest, answer, at)
        )
        SELECT (SELECT count(*) FROM stored), (SELECT count(*) FROM deleted)";

    /// Taken last, because it is held until the disk has answered. Whoever comes second finds another version.
    ADVANCE = "UPDATE repository
        SET version = $3, updated_at = CASE WHEN version < $3 THEN $4 ELSE updated_at END
        WHERE id = $1 AND version = $2 AND epoch = $5";

    NOTIFY = "SELECT pg_notify($1, one) FROM unnest($2::text[]) AS one";

    GRANT = "SELECT id, name, repositories, scopes, writes, hash FROM token WHERE revoked IS NULL AND id = $1";

    GRANTS = "SELECT id, name, repositories, scopes, writes, hash FROM token WHERE revoked IS NULL
        ORDER BY name COLLATE \"C\", id";

    ADD_TOKEN = "INSERT INTO token (id, hash, name, repositories, scopes, writes, created)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";

    REVOKE = "UPDATE token SET revoked = $2 WHERE id = $1 AND revoked IS NULL";

    SETTING = "SELECT value FROM setting WHERE name = $1";

    SET_SETTING = "INSERT INTO setting (name, value) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value";

    RENEW_EPOCHS = "UPDATE repository SET epoch = new.epoch
        FROM unnest($1::bigint[], $2::text[]) AS new (id, epoch) WHERE repository.id = new.id";

    IDENTITY = "SELECT oid::text, 'repository'::regclass::oid::text FROM pg_database
        WHERE datname = current_database()";

    /// The name of a log file begins with the timeline.
    CLUSTER = "SELECT system_identifier::text || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        FROM pg_control_system()";

    CHECK_BLOBS = "SELECT repository.name, encode(blob.hash, 'hex'), blob.content FROM blob
        JOIN repository ON repository.id = blob.repository";

    CHECK_ENTRIES = "SELECT repository.name, entry.key FROM entry
        JOIN repository ON repository.id = entry.repository
        LEFT JOIN blob ON blob.repository = entry.repository AND blob.hash = entry.hash
        WHERE blob.content IS NULL ORDER BY 1, 2";

    CHECK_HISTORY = "SELECT repository.name, history.key, history.version FROM history
        JOIN repository ON repository.id = history.repository
        LEFT JOIN blob ON blob.repository = history.repository AND blob.hash = history.hash
        WHERE history.hash IS NOT NULL AND blob.hash IS NULL ORDER BY 1, 3, 2";

    PRUNE_TOMBSTONES = "WITH old AS (
            DELETE FROM tombstone WHERE at < $1 RETURNING repository, version
        ), highest AS (
            SELECT repository, max(version) AS version, count(*) AS count FROM old GROUP BY repository
        ), noted AS (
            UPDATE repository SET forgotten = greatest(forgotten, highest.version) FROM highest
            WHERE repository.id = highest.repository
        )
        SELECT coalesce(sum(count), 0)::bigint FROM highest";

    PRUNE_OPERATIONS = "DELETE FROM operation WHERE at < $1";

    /// A writer that stores the same content again touches its row: then one of us waits for the other.
    PRUNE_BLOBS = "DELETE FROM blob WHERE stored_at < $1
        AND NOT EXISTS (SELECT 1 FROM history
            WHERE history.repository = blob.repository AND history.hash = blob.hash)
        AND NOT EXISTS (SELECT 1 FROM entry
            WHERE entry.repository = blob.repository AND entry.hash = blob.hash)";

    HASH_AT = "SELECT encode(hash, 'hex') FROM history WHERE repository = $1 AND key = $2 AND version = $3";

    LOCK_BLOB = "SELECT content IS NULL FROM blob WHERE repository = $1 AND hash = decode($2, 'hex')
        FOR UPDATE";

    USERS_OF = "SELECT key FROM entry WHERE repository = $1 AND hash = decode($2, 'hex') ORDER BY key";

    REDACT = "UPDATE blob SET content = NULL WHERE repository = $1 AND hash = decode($2, 'hex')
        RETURNING tableoid::regclass::text";
}

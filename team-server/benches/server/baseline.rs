//! What the parts do without the server: the same bytes, and nothing decided about them.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::routing::put;
use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};

use crate::load::{self, Client, Figures};
use crate::process::new_database;
use crate::texts::{self, Writer};
use crate::{CLIENTS, MEASURED};

/// Bodies are read and a small answer is written, by the same framework.
pub(crate) async fn echo() -> Figures {
    let answer = "x".repeat(2_048);
    let router = Router::new().route(
        team_sync::wire::PATH,
        put(|body: Bytes| async move {
            if body.is_empty() {
                String::new()
            } else {
                answer
            }
        }),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    load::run(CLIENTS, MEASURED, async |number| Echo {
        client: Client::connect(address).await,
        request: Writer::new("bench/echo", number, 50).next_put(),
    })
    .await
}

struct Echo {
    client: Client,
    request: Vec<u8>,
}

impl load::AsyncAction for Echo {
    async fn act(&mut self) -> bool {
        self.client.ask(&self.request).await == 200
    }
}

/// One thread that writes the rows of a change and commits, again and again.
pub(crate) fn sqlite() -> Figures {
    let folder = tempfile::tempdir().expect("a folder");
    let mut connection = Connection::open(folder.path().join("plain.db")).expect("a file");
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE blob (hash BLOB PRIMARY KEY, content BLOB) WITHOUT ROWID;
             CREATE TABLE entry (key TEXT PRIMARY KEY, hash BLOB, version INTEGER) WITHOUT ROWID;
             CREATE TABLE history (version INTEGER, key TEXT, hash BLOB, PRIMARY KEY (version, key)) WITHOUT ROWID",
        )
        .expect("tables");
    let mut writer = Writer::new("", 0, 0);
    let (mut took, begin) = (Vec::new(), Instant::now());
    let mut version = 0;
    while begin.elapsed() < MEASURED {
        let texts: Vec<String> = (0..50).map(|_| writer.text()).collect();
        let start = Instant::now();
        version += 1;
        let transaction = connection.transaction().expect("a transaction");
        for (at, text) in texts.iter().enumerate() {
            let (key, hash) = (format!("note{at}.md"), Sha256::digest(text).to_vec());
            let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
                transaction
                    .prepare_cached(sql)
                    .and_then(|mut statement| statement.execute(values))
                    .expect("a row")
            };
            run(
                "INSERT OR IGNORE INTO blob VALUES (?1, ?2)",
                params![hash, text],
            );
            run(
                "INSERT OR REPLACE INTO entry VALUES (?1, ?2, ?3)",
                params![key, hash, version],
            );
            run(
                "INSERT INTO history VALUES (?1, ?2, ?3)",
                params![version, key, hash],
            );
        }
        transaction.commit().expect("a commit");
        took.push(start.elapsed());
    }
    Figures {
        took,
        refused: 0,
        elapsed: begin.elapsed(),
    }
}

/// As many connections as there are clients, each with rows of its own.
pub(crate) async fn postgres(server: &str) -> Figures {
    let address = new_database(server, "bench_plain").await;
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(CLIENTS as u32)
        .acquire_timeout(Duration::from_mins(1))
        .connect(&address)
        .await
        .expect("a pool");
    sqlx::raw_sql(
        "CREATE TABLE blob (ns bigint, hash bytea, content bytea, PRIMARY KEY (ns, hash));
         CREATE TABLE entry (ns bigint, key text, hash bytea, version bigint, PRIMARY KEY (ns, key));
         CREATE TABLE history (ns bigint, version bigint, key text, hash bytea, PRIMARY KEY (ns, version, key))",
    )
    .execute(&pool)
    .await
    .expect("tables");
    load::run(CLIENTS, MEASURED, async |number| Plain {
        pool: pool.clone(),
        number: i64::try_from(number).expect("a small number"),
        version: 0,
        writer: texts::Writer::new("", number, 0),
    })
    .await
}

struct Plain {
    pool: sqlx::PgPool,
    number: i64,
    version: i64,
    writer: Writer,
}

impl load::AsyncAction for Plain {
    async fn act(&mut self) -> bool {
        self.version += 1;
        let texts: Vec<Vec<u8>> = (0..50).map(|_| self.writer.text().into_bytes()).collect();
        let hashes: Vec<Vec<u8>> = texts
            .iter()
            .map(|text| Sha256::digest(text).to_vec())
            .collect();
        let keys: Vec<String> = (0..50).map(|at| format!("note{at}.md")).collect();
        self.write(&texts, &hashes, &keys).await.is_ok()
    }
}

impl Plain {
    async fn write(
        &self,
        texts: &[Vec<u8>],
        hashes: &[Vec<u8>],
        keys: &[String],
    ) -> Result<(), sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO blob SELECT $1, * FROM unnest($2::bytea[], $3::bytea[]) ON CONFLICT DO NOTHING",
        )
        .bind(self.number)
        .bind(hashes)
        .bind(texts)
        .execute(&mut *transaction)
        .await?;
        sqlx::query(
            "INSERT INTO entry SELECT $1, key, hash, $2 FROM unnest($3::text[], $4::bytea[]) AS new (key, hash)
             ON CONFLICT (ns, key) DO UPDATE SET hash = excluded.hash, version = excluded.version",
        )
        .bind(self.number)
        .bind(self.version)
        .bind(keys)
        .bind(hashes)
        .execute(&mut *transaction)
        .await?;
        sqlx::query("INSERT INTO history SELECT $1, $2, * FROM unnest($3::text[], $4::bytea[])")
            .bind(self.number)
            .bind(self.version)
            .bind(keys)
            .bind(hashes)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}

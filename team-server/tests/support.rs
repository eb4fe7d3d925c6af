//! A store of either kind, a server on a port of its own, and a plain HTTP client.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memstrata_server::token::{Grant, NewToken, random_hex};
use memstrata_server::{
    Clock, Limits, Postgres, PostgresOptions, ServerOptions, Sqlite, SqliteOptions, Store, router,
    serve,
};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub(crate) const PATH: &str = "/api/claude_code/team_memory";

/// Runs each of the named functions over each store. A function that is not named is dead code, which the
/// compiler reports.
macro_rules! on_each_store {
    (blocking $($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[test]
            fn $name() {
                super::$name(&crate::support::Place::sqlite());
            })+
        }

        mod on_postgres {
            $(#[test]
            fn $name() {
                let place = crate::support::block_on(crate::support::Place::postgres());
                if let Some(place) = place {
                    super::$name(&place);
                }
            })+
        }
    };
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::Place::sqlite()).await;
            })+
        }

        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(place) = crate::support::Place::postgres().await {
                    super::$name(place).await;
                }
            })+
        }
    };
}
pub(crate) use on_each_store;

/// Where a store lies; it can be opened again and again.
pub(crate) enum Place {
    Sqlite(TempDir),
    /// A file that must not grow.
    Small(TempDir),
    Postgres(Database),
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a folder"))
    }

    /// SQLite with room for a few kilobytes.
    pub(crate) fn small() -> Self {
        Self::Small(tempfile::tempdir().expect("a folder"))
    }

    /// The file of the data, which only SQLite has.
    pub(crate) fn file(&self) -> PathBuf {
        match self {
            Self::Sqlite(folder) | Self::Small(folder) => folder.path().join("memstrata.db"),
            Self::Postgres(_) => PathBuf::new(),
        }
    }

    /// A database of its own; `None` where there is no server for tests.
    pub(crate) async fn postgres() -> Option<Self> {
        Database::create().await.map(Self::Postgres)
    }

    pub(crate) async fn open(&self) -> Store {
        self.open_with(fast()).await
    }

    pub(crate) async fn open_with(&self, limits: Limits) -> Store {
        match self {
            Self::Sqlite(folder) => sqlite(folder.path(), limits),
            Self::Small(folder) => {
                let mut options = SqliteOptions::new(folder.path().to_owned());
                options.limits = limits;
                options.max_pages = Some(40);
                Sqlite::open(&options).expect("a store").into()
            }
            Self::Postgres(database) => database.open(limits).await,
        }
    }

    /// What the program is told to find the store.
    pub(crate) fn arguments(&self) -> [String; 2] {
        match self {
            Self::Sqlite(folder) | Self::Small(folder) => {
                ["--data".into(), folder.path().display().to_string()]
            }
            Self::Postgres(database) => ["--database".into(), database.address.clone()],
        }
    }
}

/// A database of one test, dropped with this.
pub(crate) struct Database {
    pub(crate) address: String,
    server: String,
    name: String,
}

impl Database {
    /// With all tables.
    pub(crate) async fn create() -> Option<Self> {
        Self::create_from(true).await
    }

    pub(crate) async fn create_empty() -> Option<Self> {
        Self::create_from(false).await
    }

    async fn create_from(tables: bool) -> Option<Self> {
        let Ok(server) = std::env::var("MEMSTRATA_TEST_POSTGRES") else {
            let how = "set MEMSTRATA_TEST_POSTGRES, or: cargo xtask postgres -- cargo nextest run";
            let _ = writeln!(std::io::stderr(), "PostgreSQL is NOT TESTED here; {how}");
            return None;
        };
        let name = format!("test_{}", random_hex(8).expect("randomness"));
        let create = if tables {
            let template = template(&server).await;
            // Copying files is much quicker than writing each page into the log, which the default does.
            format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        } else {
            format!("CREATE DATABASE {name}")
        };
        execute(&server, create).await;
        Some(Self {
            address: address_of(&server, &name),
            server,
            name,
        })
    }

    pub(crate) async fn open(&self, limits: Limits) -> Store {
        let mut options = PostgresOptions::new(self.address.clone());
        options.connections = 8;
        options.limits = limits;
        Postgres::open(&options).await.expect("a store").into()
    }
}

fn address_of(server: &str, database: &str) -> String {
    // postgres://user@host/DATABASE?settings
    let (before, settings) = server.split_once('?').unwrap_or((server, ""));
    let (host, _) = before.rsplit_once('/').expect("an address with a database");
    format!("{host}/{database}?{settings}")
}

/// The name of a database with all tables and no rows: the first test makes it, all others copy it, because
/// 64 partitions of 5 tables take a while. It is named after this build, so that no later one takes it.
async fn template(server: &str) -> String {
    let program = std::env::current_exe().expect("a program");
    let built = std::fs::metadata(program).and_then(|data| data.modified());
    let since = built.expect("a time").duration_since(std::time::UNIX_EPOCH);
    let name = format!("template_{}", since.expect("a time after 1970").as_nanos());
    let mut connection = sqlx::PgConnection::connect(server)
        .await
        .expect("a connection");
    sqlx::raw_sql("SELECT pg_advisory_lock(7)")
        .execute(&mut connection)
        .await
        .expect("a lock");
    let there: bool = sqlx::query_scalar("SELECT count(*) > 0 FROM pg_database WHERE datname = $1")
        .bind(&name)
        .fetch_one(&mut connection)
        .await
        .expect("an answer");
    if !there {
        let new = format!("new_{name}");
        execute(
            server,
            format!("DROP DATABASE IF EXISTS {new} WITH (FORCE)"),
        )
        .await;
        execute(server, format!("CREATE DATABASE {new}")).await;
        let options = PostgresOptions::new(address_of(server, &new));
        Postgres::open(&options)
            .await
            .expect("tables")
            .close()
            .await;
        execute(server, format!("ALTER DATABASE {new} RENAME TO {name}")).await;
    }
    let _ = connection.close().await;
    name
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, sql) = (
            self.server.clone(),
            format!("DROP DATABASE {} WITH (FORCE)", self.name),
        );
        // The runtime of the test may be ending.
        let dropped = std::thread::spawn(move || block_on(execute(&server, sql)));
        let _ = dropped.join();
    }
}

/// Waits in a test that is not asynchronous.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// Runs one statement on a connection of its own.
pub(crate) async fn execute(address: &str, sql: String) {
    let mut connection = sqlx::PgConnection::connect(address)
        .await
        .expect("a connection");
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await
        .expect("a statement");
    let _ = connection.close().await;
}

pub(crate) fn sqlite(folder: &Path, limits: Limits) -> Store {
    let mut options = SqliteOptions::new(folder.to_owned());
    options.limits = limits;
    Sqlite::open(&options).expect("a store").into()
}

pub(crate) async fn add_token(store: &Store, repositories: &[&str], write: bool) -> String {
    let token = NewToken::generate().expect("a token");
    let grant = Grant {
        id: token.id.clone(),
        name: "ana".into(),
        repositories: repositories.iter().map(|&one| one.to_owned()).collect(),
        write,
        scopes: vec!["inference".into(), "profile".into()],
    };
    store
        .add_token(&token, &grant, "2026-11-30T00:00:00Z")
        .await
        .expect("a stored token");
    token.reveal()
}

/// A running server, with the place of its data.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) place: Place,
    pub(crate) token: String,
    stop: watch::Sender<bool>,
    serving: JoinHandle<std::io::Result<()>>,
    client: reqwest::Client,
}

/// Limits that no test meets by being fast.
pub(crate) fn fast() -> Limits {
    let mut limits = Limits::default();
    limits.reads_per_minute = 1_000_000;
    limits.writes_per_minute = 1_000_000;
    limits
}

impl Running {
    pub(crate) async fn start(place: Place) -> Self {
        Self::start_with(place, fast()).await
    }

    pub(crate) async fn start_with(place: Place, limits: Limits) -> Self {
        let clock = Arc::new(|| "2026-11-30T12:00:00Z".into());
        Self::start_with_clock(place, limits, clock).await
    }

    pub(crate) async fn start_with_clock(place: Place, limits: Limits, clock: Clock) -> Self {
        // Another crate of the workspace may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = place.open_with(limits).await;
        let token = add_token(&store, &[], true).await;
        let (stop, stopping) = watch::channel(false);
        let service = router(ServerOptions {
            store: Arc::new(store),
            limits,
            development_token: Some("development-only".into()),
            clock,
            stopping,
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopping = stop.subscribe();
        let serving =
            tokio::spawn(async move { serve(listener, service, &limits, stopping).await });
        let client = reqwest::Client::builder()
            .no_proxy()
            .build()
            .expect("a client");
        Self {
            address,
            place,
            token,
            stop,
            serving,
            client,
        }
    }

    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Until the server has stopped.
    pub(crate) async fn ended(self) {
        let ended = self.serving.await.expect("no panic");
        ended.expect("a good end");
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        self.client.request(method, url)
    }

    pub(crate) async fn get(&self, query: &str) -> Answer {
        let request = self.request(Method::GET, &format!("{PATH}?repo=acme/app{query}"));
        Answer::of(
            request
                .bearer_auth(&self.token)
                .send()
                .await
                .expect("an answer"),
        )
        .await
    }

    pub(crate) async fn get_unless(&self, tag: &str, query: &str) -> Answer {
        let request = self.request(Method::GET, &format!("{PATH}?repo=acme/app{query}"));
        let request = request
            .bearer_auth(&self.token)
            .header("if-none-match", tag);
        Answer::of(request.send().await.expect("an answer")).await
    }

    /// A `PUT` with one header, `("", "")` for none.
    pub(crate) async fn put(&self, header: (&str, &str), body: &Value) -> Answer {
        let mut request = self.request(Method::PUT, &format!("{PATH}?repo=acme/app"));
        if !header.0.is_empty() {
            request = request.header(header.0, header.1);
        }
        let request = request.bearer_auth(&self.token).json(body);
        Answer::of(request.send().await.expect("an answer")).await
    }

    /// The first `PUT` of all.
    pub(crate) async fn first(&self, body: &Value) -> Answer {
        let answer = self.put(("if-none-match", "*"), body).await;
        assert_eq!(answer.status, StatusCode::OK, "{:?}", answer.body);
        answer
    }
}

/// An answer, read whole.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) tag: String,
    pub(crate) retry_after: Option<u64>,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn of(response: Response) -> Self {
        let header = |name: &str| {
            let value = response
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (tag, kind) = (header("etag"), header("content-type"));
        let retry_after = header("retry-after").parse().ok();
        let status = response.status();
        let text = response.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self {
            status,
            tag,
            retry_after,
            kind,
            text,
            body,
        }
    }

    /// Status and code of a refusal, which is a problem document.
    pub(crate) fn refused(&self) -> (u16, &str) {
        assert_eq!(self.kind, "application/problem+json", "{self:?}");
        assert_eq!(self.body["status"], self.status.as_u16());
        assert!(
            !self.body["detail"].as_str().unwrap_or_default().is_empty(),
            "{self:?}"
        );
        (
            self.status.as_u16(),
            self.body["code"].as_str().unwrap_or_default(),
        )
    }
}

/// A text that does not compress.
pub(crate) fn noise(seed: u64, length: usize) -> String {
    let mut state = seed;
    let letter = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + u8::try_from((state >> 33) % 90).expect("below 90"))
    };
    (0..length).map(letter).collect()
}

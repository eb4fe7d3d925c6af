//! A store of either kind, a server on a port of its own, and a plain HTTP client.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
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
    Postgres(Database),
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a folder"))
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
            Self::Postgres(database) => database.open(limits).await,
        }
    }

    /// What the program is told to find the store.
    pub(crate) fn arguments(&self) -> [String; 2] {
        match self {
            Self::Sqlite(folder) => ["--data".into(), folder.path().display().to_string()],
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
    pub(crate) async fn create() -> Option<Self> {
        let Ok(server) = std::env::var("MEMSTRATA_TEST_POSTGRES") else {
            let how = "set MEMSTRATA_TEST_POSTGRES, or: cargo xtask postgres -- cargo nextest run";
            let _ = writeln!(std::io::stderr(), "PostgreSQL is NOT TESTED here; {how}");
            return None;
        };
        let name = format!("test_{}", random_hex(8).expect("randomness"));
        execute(&server, format!("CREATE DATABASE {name}")).await;
        // postgres://user@host/DATABASE?settings
        let (before, settings) = server.split_once('?').unwrap_or((&server, ""));
        let (host, _) = before.rsplit_once('/').expect("an address with a database");
        Some(Self {
            address: format!("{host}/{name}?{settings}"),
            server,
            name,
        })
    }

    pub(crate) async fn open(&self, limits: Limits) -> Store {
        let options = PostgresOptions {
            database: self.address.clone(),
            connections: 8,
            limits,
        };
        Postgres::open(&options).await.expect("a store").into()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, sql) = (
            self.server.clone(),
            format!("DROP DATABASE {} WITH (FORCE)", self.name),
        );
        // The runtime of the test may be ending.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(execute(&server, sql));
        });
        let _ = dropped.join();
    }
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
    let options = SqliteOptions {
        folder: folder.to_owned(),
        limits,
    };
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
            store,
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

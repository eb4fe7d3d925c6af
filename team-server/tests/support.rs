//! A store of either kind, a server on a port of its own, and a plain HTTP client.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use memstrata_server::token::{Grant, NewToken};
use memstrata_server::{Clock, Limits, ServerOptions, Sqlite, SqliteOptions, Store, router, serve};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
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
    };
}
pub(crate) use on_each_store;

/// Where a store lies; it can be opened again and again.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// The file of the data.
    pub(crate) fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("memstrata.db")
    }

    pub(crate) async fn open(&self) -> Store {
        self.open_with(fast()).await
    }

    #[expect(
        clippy::unused_async,
        reason = "a store behind a socket is opened by waiting"
    )]
    pub(crate) async fn open_with(&self, limits: Limits) -> Store {
        sqlite(self.folder.path(), limits)
    }
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

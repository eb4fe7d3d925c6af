//! The routes, and what every answer has in common.

mod answer;
mod auth;
mod get;
mod metrics;
mod past;
mod put;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use secret_scan::{Ruleset, Scanner};
use team_sync::wire::PATH;
use tokio::sync::watch;

use crate::limits::Limits;
use crate::store::Store;
use answer::Refused;
use auth::Guard;
use metrics::Metrics;

/// Tells the time, in RFC 3339.
pub type Clock = Arc<dyn Fn() -> String + Send + Sync>;

/// What a server is made of.
pub struct ServerOptions {
    /// Where repositories are kept.
    pub store: Store,
    /// What repositories and tokens may use.
    pub limits: Limits,
    /// A token for development; taken from loopback only, whoever listens elsewhere leaves it out.
    pub development_token: Option<String>,
    /// Tells the time.
    pub clock: Clock,
    /// Becomes `true` when the server is to stop: long polls end.
    pub stopping: watch::Receiver<bool>,
}

impl std::fmt::Debug for ServerOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ServerOptions")
            .field("store", &self.store)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// What the handlers share.
struct Server {
    store: Store,
    limits: Limits,
    scanner: Scanner,
    guard: Guard,
    clock: Clock,
    stopping: watch::Receiver<bool>,
    metrics: Metrics,
}

type Shared = Arc<Server>;

/// All routes of the server.
pub fn router(options: ServerOptions) -> Router {
    let server = Arc::new(Server {
        guard: Guard::new(&options.limits, options.development_token),
        store: options.store,
        limits: options.limits,
        scanner: Scanner::new(&Ruleset::extended()),
        clock: options.clock,
        stopping: options.stopping,
        metrics: Metrics::new(),
    });
    let memory = Router::new()
        .route(PATH, get(get::get).put(put::put).patch(put::put))
        .route(&format!("{PATH}/history"), get(past::history))
        .route(&format!("{PATH}/blob/{{hash}}"), get(past::blob))
        .route(&format!("{PATH}/restore"), post(past::restore))
        .layer(DefaultBodyLimit::max(options.limits.lone_body_bytes))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), common));
    Router::new()
        .merge(memory)
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::show))
        .fallback(|| async {
            Refused::new(404, "no_such_path", "There is nothing at this address")
        })
        .with_state(server)
}

/// Headers that all answers about memories carry, and their count.
async fn common(State(server): State<Shared>, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    // Private text: no shared cache may keep it, and each use is to be checked.
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    headers.insert(
        header::VARY,
        HeaderValue::from_static("Authorization, Accept-Encoding"),
    );
    server.metrics.count(&method, response.status());
    response
}

async fn ready(State(server): State<Shared>) -> Response {
    if *server.stopping.borrow() || !server.store.ready().await {
        return (StatusCode::SERVICE_UNAVAILABLE, "not ready\n").into_response();
    }
    "ready\n".into_response()
}

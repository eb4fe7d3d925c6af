//! The routes, and what every answer has in common.

mod answer;
mod auth;
mod get;
mod metrics;
mod openapi;
mod past;
pub(crate) mod problem;
mod put;
mod serve;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
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
pub use openapi::openapi;
pub use serve::serve;

/// Tells the time, in RFC 3339.
pub type Clock = Arc<dyn Fn() -> String + Send + Sync>;

/// What a server is made of.
pub struct ServerOptions {
    /// Where repositories are kept.
    pub store: Arc<Store>,
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
    store: Arc<Store>,
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
        .route(PATH, get(get::get).put(put::put).patch(put::patch))
        .route(&format!("{PATH}/history"), get(past::history))
        .route(&format!("{PATH}/blob/{{hash}}"), get(past::blob))
        .route(&format!("{PATH}/restore"), post(past::restore))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), common));
    Router::new()
        .merge(memory)
        .route("/healthz", get(health))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::show))
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .with_state(server)
}

/// Headers that all answers about memories carry, and their count.
async fn common(State(server): State<Shared>, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let waits = request
        .uri()
        .query()
        .is_some_and(|query| query.contains("wait="));
    let limit = server.limits.request
        + if waits {
            get::MOST_WAIT
        } else {
            Duration::ZERO
        };
    let mut response = match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => too_slow(limit).into_response(),
    };
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

/// A body that trickles in, or a store that hangs; both are worth another try.
fn too_slow(limit: Duration) -> Refused {
    let seconds = limit.as_secs();
    let detail =
        format!("the request was not done within {seconds} s; the client tries again by itself");
    Refused::new(problem::TOO_SLOW, detail)
}

async fn no_such_path() -> Refused {
    let detail = format!("there is nothing at this address; memories are at {PATH}");
    Refused::new(problem::NO_SUCH_PATH, detail)
}

async fn no_such_method() -> Refused {
    Refused::new(
        problem::NO_SUCH_METHOD,
        "this address has no such method; docs/PROTOCOL.md lists them",
    )
}

/// The process is alive.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "health",
    tag = "operation",
    responses((status = 200, description = "It is.", body = String, content_type = "text/plain"))
)]
async fn health() -> &'static str {
    "ok\n"
}

/// The store answers, and the server is not about to stop.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "ready",
    tag = "operation",
    responses(
        (status = 200, description = "Send requests here.", body = String, content_type = "text/plain"),
        (status = 503, description = "Send them elsewhere.", body = String, content_type = "text/plain")
    )
)]
async fn ready(State(server): State<Shared>) -> Response {
    if *server.stopping.borrow() || !server.store.ready().await {
        return (StatusCode::SERVICE_UNAVAILABLE, "not ready\n").into_response();
    }
    "ready\n".into_response()
}

//! Figures for Prometheus: counts by method and status, never a repository, key or token.

use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use super::Shared;

type Labels = Vec<(&'static str, String)>;

pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    changes: Family<Labels, Counter>,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("memstrata");
        let requests = Family::default();
        registry.register(
            "requests",
            "Requests about memories, by method and status",
            requests.clone(),
        );
        let changes = Family::default();
        registry.register(
            "changes",
            "Changes that were answered with success",
            changes.clone(),
        );
        Self {
            registry,
            requests,
            changes,
        }
    }

    pub(super) fn count(&self, method: &Method, status: StatusCode) {
        // Only known methods: a label must not be chosen by the peer.
        let known = [
            Method::GET,
            Method::HEAD,
            Method::PUT,
            Method::PATCH,
            Method::POST,
        ];
        let method = if known.contains(method) {
            method.as_str()
        } else {
            "other"
        };
        let labels = vec![
            ("method", method.to_owned()),
            ("status", status.as_u16().to_string()),
        ];
        self.requests.get_or_create(&labels).inc();
    }

    pub(super) fn stored(&self, replayed: bool) {
        let labels = vec![("replayed", replayed.to_string())];
        self.changes.get_or_create(&labels).inc();
    }
}

/// Figures for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "operation",
    responses((status = 200, description = "The figures.", body = String, content_type = "application/openmetrics-text"))
)]
pub(super) async fn show(State(server): State<Shared>) -> Response {
    let mut text = String::new();
    if encode(&mut text, &server.metrics.registry).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

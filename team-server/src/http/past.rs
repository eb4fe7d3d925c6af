//! What was: history, contents by checksum, going back.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use team_sync::TeamKey;
use team_sync::wire::{PATH, PutDone};
use utoipa::{IntoParams, ToSchema};

use super::answer::Refused;
use super::auth::{Caller, Named};
use super::put::Whole;
use super::{Shared, get, problem, put};
use crate::store::{Restore, Revision};

/// The most lines of history in one answer.
const MOST_REVISIONS: usize = 500;

#[derive(Deserialize, IntoParams)]
pub(super) struct Page {
    /// Only of this key.
    key: Option<String>,
    /// Only before this version: the `before` of the last page.
    before: Option<u64>,
    /// The most lines, at most 500; a version is never parted. 100 when left out.
    limit: Option<usize>,
}

/// What was changed when and by whom, newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct History {
    /// The lines.
    history: Vec<Revision>,
    /// Where the next page begins; a version is never parted.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

/// What was changed when and by whom, newest first.
#[utoipa::path(
    get,
    context_path = PATH,
    path = "/history",
    operation_id = "history",
    tag = "history",
    params(Named, Page),
    responses((status = 200, description = "A page of the history.", body = History))
)]
pub(super) async fn history(
    State(server): State<Shared>,
    caller: Caller,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(page) = page.map_err(|_| {
        Refused::new(
            problem::BAD_QUERY,
            "a parameter is not of its form; before and limit are whole numbers",
        )
    })?;
    let key = page.key.as_deref().map(key).transpose()?;
    let limit = page.limit.unwrap_or(100).clamp(1, MOST_REVISIONS);
    // One more than asked for tells whether there is a next page; a version can be larger than a page.
    let most = limit.max(server.limits.entries) + 1;
    let mut history = server
        .store
        .history(&caller.repository, key, page.before, most)
        .await?;
    let mut before = None;
    if history.len() > limit {
        let last = history[limit].version.clone();
        let whole = history.iter().take_while(|one| one.version != last).count();
        let kept = if whole == 0 {
            history.iter().take_while(|one| one.version == last).count()
        } else {
            whole
        };
        if kept < history.len() {
            history.truncate(kept);
            before = history.last().map(|one| one.version.clone());
        }
    }
    Ok(Json(History { history, before }).into_response())
}

/// A text that is or was stored.
#[utoipa::path(
    get,
    context_path = PATH,
    path = "/blob/{hash}",
    operation_id = "blob",
    tag = "history",
    params(Named, ("hash" = String, Path, description = "The checksum, with or without `sha256:`.")),
    responses((status = 200, description = "The text.", body = String, content_type = "text/markdown"))
)]
pub(super) async fn blob(
    State(server): State<Shared>,
    caller: Caller,
    Path(hash): Path<String>,
) -> Result<Response, Refused> {
    let digits = hash.strip_prefix("sha256:").unwrap_or(&hash);
    let hex = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let text = if hex {
        server
            .store
            .blob(&caller.repository, &digits.to_ascii_lowercase())
            .await?
    } else {
        None
    };
    let text = text.ok_or_else(|| {
        Refused::new(
            problem::NO_SUCH_CONTENT,
            "no content of this checksum is kept, or it was redacted; the history lists what there is",
        )
    })?;
    Ok((
        [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")],
        text,
    )
        .into_response())
}

/// What to go back to.
#[derive(Deserialize, ToSchema)]
pub(super) struct Wish {
    /// The version, as text or as a number.
    #[serde(deserialize_with = "version")]
    #[schema(value_type = String)]
    version: u64,
    /// Only this key; all when left out.
    key: Option<String>,
}

fn version<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Number(u64),
        Text(String),
    }
    match Form::deserialize(deserializer)? {
        Form::Number(number) => Ok(number),
        Form::Text(text) => text
            .parse()
            .map_err(|_| serde::de::Error::custom("not a version")),
    }
}

/// Makes what was the newest version.
#[utoipa::path(
    post,
    context_path = PATH,
    path = "/restore",
    operation_id = "restore",
    tag = "history",
    params(Named),
    request_body = Wish,
    responses(
        (status = 200, description = "The version that brings it back.", body = PutDone,
         headers(("ETag" = String, description = "The state after it.")))
    )
)]
pub(super) async fn restore(
    State(server): State<Shared>,
    caller: Caller,
    Whole(body): Whole,
) -> Result<Response, Refused> {
    let wish: Wish = serde_json::from_slice(&body).map_err(|_| {
        Refused::new(
            problem::BAD_BODY,
            "the body does not say what to go back to; send {\"version\": \"41\", \"key\": \"a.md\"}",
        )
    })?;
    let restore = Restore {
        repository: caller.repository.clone(),
        version: wish.version,
        key: wish.key.as_deref().map(key).transpose()?,
        author: caller.grant.name.clone(),
        at: (server.clock)(),
    };
    match server.store.restore(restore).await? {
        Some(outcome) => put::finish(&server, &caller, outcome).await,
        None => Err(Refused::new(
            problem::NO_SUCH_VERSION,
            "this version is not kept, or its content was redacted; the history lists what there is",
        )),
    }
}

fn key(raw: &str) -> Result<TeamKey, Refused> {
    TeamKey::parse(raw).map_err(|error| get::bad_key(&error))
}

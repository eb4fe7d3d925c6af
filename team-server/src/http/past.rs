//! What was: history, contents by checksum, going back.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use team_sync::TeamKey;

use super::answer::Refused;
use super::auth::Caller;
use super::{Shared, put};
use crate::store::{Restore, Revision};

/// The most lines of history in one answer.
const MOST_REVISIONS: usize = 500;

#[derive(Deserialize)]
pub(super) struct Page {
    key: Option<String>,
    before: Option<u64>,
    limit: Option<usize>,
}

#[derive(Serialize)]
struct History {
    history: Vec<Revision>,
    /// Where the next page begins; a version is never parted.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

pub(super) async fn history(
    State(server): State<Shared>,
    caller: Caller,
    Query(page): Query<Page>,
) -> Result<Response, Refused> {
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
            404,
            "no_such_content",
            "no content of this checksum is kept",
        )
    })?;
    Ok((
        [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")],
        text,
    )
        .into_response())
}

/// What to go back to.
#[derive(Deserialize)]
pub(super) struct Wish {
    #[serde(deserialize_with = "version")]
    version: u64,
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

pub(super) async fn restore(
    State(server): State<Shared>,
    caller: Caller,
    wish: Result<Json<Wish>, JsonRejection>,
) -> Result<Response, Refused> {
    let Json(wish) = wish.map_err(|_| {
        Refused::new(
            400,
            "bad_body",
            "say what to go back to: {\"version\": 41, \"key\": \"a.md\"}",
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
            404,
            "no_such_version",
            "this version is not kept, or its content was redacted",
        )),
    }
}

fn key(raw: &str) -> Result<TeamKey, Refused> {
    TeamKey::parse(raw).map_err(|error| Refused::new(400, "bad_key", error.to_string()))
}

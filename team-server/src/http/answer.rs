//! Answers: bodies with a tag, and refusals that say what to do.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use team_sync::Tag;
use team_sync::wire::Problem;

use crate::change::Refusal;
use crate::limits::Limits;

/// A refusal as `application/problem+json`.
#[derive(Debug)]
pub(super) struct Refused {
    problem: Box<Problem>,
    retry_after: Option<u64>,
    tag: Option<Tag>,
}

impl Refused {
    pub(super) fn new(status: u16, code: &str, detail: impl Into<String>) -> Self {
        let title = StatusCode::from_u16(status)
            .ok()
            .and_then(|code| code.canonical_reason());
        Self {
            problem: Box::new(Problem::new(
                status,
                code,
                title.unwrap_or("Refused"),
                detail,
            )),
            retry_after: None,
            tag: None,
        }
    }

    pub(super) fn with(mut self, fill: impl FnOnce(&mut Problem)) -> Self {
        fill(&mut self.problem);
        self
    }

    pub(super) fn with_retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    pub(super) fn with_tag(mut self, tag: Option<Tag>) -> Self {
        self.tag = tag;
        self
    }

    /// What the decision about a change says, in words for the person at the other end.
    pub(super) fn of(refusal: Refusal, limits: &Limits) -> Self {
        match refusal {
            Refusal::Unconditional => Self::new(
                428,
                "precondition_required",
                "say what the change is based on: If-Match, or If-None-Match: * for the first, or bases",
            ),
            Refusal::Stale { version } => Self::new(
                412,
                "stale",
                "somebody else has changed the repository; look again, then repeat",
            )
            .with(|problem| problem.version = Some(version.to_string())),
            Refusal::Twins(keys) => Self::new(
                409,
                "key_twin",
                "these keys are one file on some file system, or need a folder where a file is; rename one",
            )
            .with(|problem| problem.keys = keys),
            Refusal::TooManyEntries => Self::new(
                413,
                "too_many_entries",
                format!("a repository holds at most {} entries; merge or delete some", limits.entries),
            )
            .with(|problem| problem.max_entries = Some(limits.entries as u64)),
            Refusal::EntryTooLarge(keys) => Self::new(
                413,
                "entry_too_large",
                format!("an entry has at most {} bytes; shorten these", limits.entry_bytes),
            )
            .with(|problem| problem.keys = keys),
            Refusal::RepositoryTooLarge => Self::new(
                413,
                "repository_too_large",
                format!("a repository holds at most {} bytes; delete some entries", limits.repository_bytes),
            ),
            Refusal::OtherRequest => Self::new(
                422,
                "op_id_reused",
                "this op_id has stood for another request; make a new one",
            ),
        }
    }
}

impl From<anyhow::Error> for Refused {
    /// What went wrong here is told to the log; the peer only learns that it may try again.
    fn from(error: anyhow::Error) -> Self {
        tracing::error!(error = format!("{error:#}"), "a request failed");
        Self::new(
            503,
            "unavailable",
            "the server could not do this now; try again",
        )
        .with_retry_after(5)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&*self.problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        tagged(response, self.tag.as_ref())
    }
}

/// A body with the tag of the state it shows.
pub(super) fn body(body: &impl Serialize, tag: &Tag) -> Response {
    tagged(Json(body).into_response(), Some(tag))
}

/// Nothing new since the tag the peer has.
pub(super) fn not_modified(tag: &Tag) -> Response {
    tagged(StatusCode::NOT_MODIFIED.into_response(), Some(tag))
}

fn tagged(mut response: Response, tag: Option<&Tag>) -> Response {
    if let Some(tag) = tag
        && let Ok(value) = HeaderValue::from_str(&tag.to_header())
    {
        response.headers_mut().insert(header::ETAG, value);
    }
    response
}

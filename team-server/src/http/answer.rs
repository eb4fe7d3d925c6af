//! Answers: bodies with a tag, and refusals that say what to do.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use team_sync::Tag;
use team_sync::wire::Problem;

use super::problem::{self, ProblemKind};
use crate::change::Refusal;
use crate::limits::Limits;
use crate::store::StorageFull;

/// A refusal as `application/problem+json`.
#[derive(Debug)]
pub(super) struct Refused {
    problem: Box<Problem>,
    retry_after: Option<u64>,
    tag: Option<Tag>,
}

impl Refused {
    /// A refusal in words for the person at the other end: what is wrong; and behind a semicolon, what helps.
    pub(super) fn new(kind: &ProblemKind, detail: impl Into<String>) -> Self {
        let title = StatusCode::from_u16(kind.status)
            .ok()
            .and_then(|code| code.canonical_reason());
        let title = title.unwrap_or("Refused");
        Self {
            problem: Box::new(Problem::new(kind.status, kind.code, title, detail)),
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
                problem::PRECONDITION_REQUIRED,
                "the request does not say what it is based on; send If-Match, for the first change If-None-Match: *, \
                 or bases",
            ),
            Refusal::Stale { version } => Self::new(
                problem::STALE,
                "somebody else has changed the repository; look again, merge, and repeat",
            )
            .with(|problem| problem.version = Some(version.to_string())),
            Refusal::Twins(keys) => Self::new(
                problem::KEY_TWIN,
                "these keys are one file on some file system, or need a folder where a file is; rename one of them",
            )
            .with(|problem| problem.keys = keys),
            Refusal::TooManyEntries => Self::new(
                problem::TOO_MANY_ENTRIES,
                format!(
                    "the repository would hold more than {} memories; merge or delete some",
                    limits.entries
                ),
            )
            .with(|problem| problem.max_entries = Some(limits.entries as u64)),
            Refusal::EntryTooLarge(keys) => Self::new(
                problem::ENTRY_TOO_LARGE,
                format!(
                    "these memories have more than {} bytes; shorten or split them",
                    limits.entry_bytes
                ),
            )
            .with(|problem| problem.keys = keys),
            Refusal::RepositoryTooLarge => Self::new(
                problem::REPOSITORY_TOO_LARGE,
                format!(
                    "the repository would hold more than {} bytes; shorten or delete some memories",
                    limits.repository_bytes
                ),
            ),
            Refusal::OtherRequest => Self::new(
                problem::OP_ID_REUSED,
                "this op_id has stood for another request; make a new one",
            ),
            Refusal::Redacted(keys) => Self::new(
                problem::REDACTED,
                "an administrator has removed these texts for good; change or delete them",
            )
            .with(|problem| problem.keys = keys),
        }
    }
}

impl From<anyhow::Error> for Refused {
    /// What went wrong here is told to the log; the peer only learns that it may try again.
    fn from(error: anyhow::Error) -> Self {
        tracing::error!(error = format!("{error:#}"), "a request failed");
        if error.is::<StorageFull>() {
            return Self::new(
                problem::STORAGE_FULL,
                "the server's disk is full, nothing was changed; its administrator has to make room",
            )
            .with_retry_after(60);
        }
        Self::new(
            problem::UNAVAILABLE,
            "the server could not do this now, its log says why; the client tries again by itself",
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

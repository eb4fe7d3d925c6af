//! `PUT`: a change, checked before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use secret_scan::Level;
use sha2::{Digest, Sha256};
use team_sync::wire::{PATH, Put, PutDone, SecretFound, read};
use team_sync::{Checksum, Tag, TeamKey};

use super::answer::{self, Refused};
use super::auth::{Caller, Named};
use super::{Shared, get, problem};
use crate::change::{Change, Precondition, Refusal};
use crate::store::Outcome;
use crate::token::hex;

/// The longest name of an operation, author or client that is kept.
const MAX_NAME_BYTES: usize = 128;

/// Stores and deletes memories; those that are not named stay.
#[utoipa::path(
    put,
    path = PATH,
    operation_id = "put",
    tag = "memories",
    params(
        Named,
        ("If-Match" = Option<String>, Header, description = "The tag the change is based on."),
        ("If-None-Match" = Option<String>, Header, description = "`*` for the first change of all."),
        ("Idempotency-Key" = Option<String>, Header, description = "The same as `op_id` in the body.")
    ),
    request_body = Put,
    responses(
        (status = 200, description = "The change was made, or had been made already.", body = PutDone,
         headers(("ETag" = String, description = "The state after it.")))
    )
)]
pub(super) async fn put(
    State(server): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    Whole(body): Whole,
) -> Result<Response, Refused> {
    let request: Put = read(&body).map_err(|error| {
        let detail =
            format!("{error}; send JSON of the form {{\"entries\": {{\"a.md\": \"text\"}}}}");
        Refused::new(problem::BAD_BODY, detail)
    })?;
    let keys = request.entries.len() + request.deletes.len();
    if keys > 1 && body.len() > server.limits.body_bytes {
        return Err(too_large(server.limits.body_bytes));
    }
    let change = change(&server, &caller, &headers, request, &body)?;
    refuse_secrets(&server, &change)?;
    let outcome = server.store.change(change).await?;
    finish(&server, &caller, outcome).await
}

/// The same as `PUT`, under the name of what it does.
#[utoipa::path(
    patch,
    path = PATH,
    operation_id = "patch",
    tag = "memories",
    params(
        Named,
        ("If-Match" = Option<String>, Header, description = "The tag the change is based on."),
        ("If-None-Match" = Option<String>, Header, description = "`*` for the first change of all."),
        ("Idempotency-Key" = Option<String>, Header, description = "The same as `op_id` in the body.")
    ),
    request_body(content = Put, content_type = "application/merge-patch+json"),
    responses(
        (status = 200, description = "The change was made, or had been made already.", body = PutDone,
         headers(("ETag" = String, description = "The state after it.")))
    )
)]
pub(super) async fn patch(
    server: State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Whole,
) -> Result<Response, Refused> {
    put(server, caller, headers, body).await
}

/// So much of a body that is over the limit is read and thrown away: a client that reads no answer before it has
/// sent everything learns why. For a larger one the connection is closed at once.
const MAX_DISCARDED_BYTES: u64 = 8 << 20;

/// A body that arrived whole and within the limit.
pub(super) struct Whole(pub(super) Bytes);

impl FromRequest<Shared> for Whole {
    type Rejection = Refused;

    async fn from_request(request: Request, server: &Shared) -> Result<Self, Refused> {
        let limit = server.limits.lone_body_bytes;
        let declared = request.headers().get(header::CONTENT_LENGTH);
        let declared = declared.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if declared.is_some_and(|bytes| bytes > MAX_DISCARDED_BYTES) {
            return Err(too_large(limit));
        }
        let mut body = request.into_body();
        let mut whole = Vec::new();
        let mut read = 0;
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|_| {
                Refused::new(
                    problem::BAD_BODY,
                    "the body did not arrive whole; the client tries again by itself",
                )
            })?;
            let Some(data) = frame.data_ref() else {
                continue;
            };
            read += data.len() as u64;
            if read > MAX_DISCARDED_BYTES {
                break;
            }
            if read > limit as u64 {
                whole = Vec::new();
            } else {
                whole.extend_from_slice(data);
            }
        }
        if read > limit as u64 {
            return Err(too_large(limit));
        }
        Ok(Self(whole.into()))
    }
}

fn too_large(limit: usize) -> Refused {
    Refused::new(
        problem::BODY_TOO_LARGE,
        format!("the body has more than {limit} bytes; send less at once"),
    )
    .with(|problem| problem.max_body_bytes = Some(limit as u64))
}

/// What both `PUT` and restore answer.
pub(super) async fn finish(
    server: &Shared,
    caller: &Caller,
    outcome: Outcome,
) -> Result<Response, Refused> {
    match outcome {
        Ok(done) => {
            let mut body = PutDone::default();
            body.version = done.version.to_string();
            body.checksums = done.checksums;
            body.replayed = done.replayed;
            server.metrics.stored(done.replayed);
            Ok(answer::body(&body, &done.tag))
        }
        Err(refusal) => {
            let stale = matches!(refusal, Refusal::Stale { .. });
            let tag = if stale {
                server.store.tag(&caller.repository, &[]).await?
            } else {
                None
            };
            Err(Refused::of(refusal, &server.limits).with_tag(tag))
        }
    }
}

fn change(
    server: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    request: Put,
    body: &[u8],
) -> Result<Change, Refused> {
    let mut refused = Vec::new();
    let mut parse = |raw: &str| {
        TeamKey::parse(raw)
            .map_err(|error| refused.push((raw.to_owned(), error)))
            .ok()
    };
    let mut entries = BTreeMap::new();
    for (raw, text) in request.entries {
        if let Some(key) = parse(&raw) {
            entries.insert(key, text);
        }
    }
    let deletes: BTreeSet<TeamKey> = request
        .deletes
        .iter()
        .filter_map(|raw| parse(raw))
        .collect();
    let mut bases = request.bases.as_ref().map(|_| BTreeMap::new());
    for (raw, base) in request.bases.into_iter().flatten() {
        let base = base.map(|text| text.parse::<Checksum>()).transpose();
        let base = base.map_err(|error| {
            Refused::new(
                problem::BAD_BASE,
                format!("{error}; a base is sha256: and 64 hexadecimal digits, or null"),
            )
        })?;
        if let (Some(key), Some(bases)) = (parse(&raw), &mut bases) {
            bases.insert(key, base);
        }
    }
    if let Some((_, error)) = refused.first() {
        let keys = refused.iter().map(|(raw, _)| raw.clone()).collect();
        return Err(get::bad_key(error).with(|problem| problem.keys = keys));
    }
    if let Some(key) = entries.keys().find(|key| deletes.contains(*key)) {
        return Err(Refused::new(
            problem::BAD_BODY,
            format!("{key} is both stored and deleted; name it once"),
        ));
    }
    let alias = headers
        .get("idempotency-key")
        .and_then(|value| value.to_str().ok());
    let op_id = request.op_id.as_deref().or(alias).map(short);
    Ok(Change {
        repository: caller.repository.clone(),
        precondition: precondition(headers, request.expected_version.as_deref())?,
        entries,
        deletes,
        bases,
        op_id,
        digest: hex(&Sha256::digest(body)),
        author: request
            .author
            .as_deref()
            .map_or_else(|| caller.grant.name.clone(), short),
        client: request.client.as_deref().map(short).unwrap_or_default(),
        at: (server.clock)(),
    })
}

/// The start of a name, for the history.
fn short(name: &str) -> String {
    let mut end = name.len().min(MAX_NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end]
        .chars()
        .filter(|one| !one.is_control())
        .collect()
}

/// The header counts; the same value in the body is for the way through proxies that remove it.
fn precondition(headers: &HeaderMap, expected: Option<&str>) -> Result<Precondition, Refused> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    match (text(header::IF_MATCH), text(header::IF_NONE_MATCH)) {
        (Some("*"), _) => return Ok(Precondition::Present),
        (Some(_), _) => return Ok(Precondition::Tags(get::tags(headers, header::IF_MATCH))),
        (None, Some("*")) => return Ok(Precondition::Absent),
        (None, _) => {}
    }
    let Some(expected) = expected else {
        return Ok(Precondition::None);
    };
    if let Some(tag) = Tag::parse(expected).filter(|tag| tag.version().is_some()) {
        return Ok(Precondition::Tags(vec![tag]));
    }
    let refused = |_| {
        Refused::new(
            problem::BAD_VERSION,
            "expected_version is not a version; send the version or the tag of the last answer",
        )
    };
    expected.parse().map(Precondition::Version).map_err(refused)
}

/// Names the rule and the line, never the value.
fn refuse_secrets(server: &Shared, change: &Change) -> Result<(), Refused> {
    let mut findings = Vec::new();
    for (key, text) in &change.entries {
        let found = server.scanner.scan(text.as_bytes());
        // A hint is no reason to refuse: clients let it pass, too, or hashes could not be shared.
        for finding in found.iter().filter(|found| found.level() == Level::Secret) {
            findings.push(SecretFound::new(
                key.as_str(),
                finding.rule(),
                Some(finding.line()),
            ));
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    let mut keys: Vec<String> = findings.iter().map(|found| found.key.clone()).collect();
    keys.dedup();
    let detail = "these memories hold credentials; take them out, and revoke them";
    Err(Refused::new(problem::SECRET_FOUND, detail).with(|problem| {
        problem.keys = keys;
        problem.findings = findings;
    }))
}

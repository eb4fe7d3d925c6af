//! `PUT`: a change, checked before anything is written.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use sha2::{Digest, Sha256};
use team_sync::wire::{Put, PutDone, SecretFound, read};
use team_sync::{Checksum, Tag, TeamKey};

use super::answer::{self, Refused};
use super::auth::Caller;
use super::{Shared, get};
use crate::change::{Change, Precondition, Refusal};
use crate::store::Outcome;
use crate::token::hex;

/// The longest name of an operation, author or client that is kept.
const MAX_NAME_BYTES: usize = 128;

pub(super) async fn put(
    State(server): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refused> {
    let lone = server.limits.lone_body_bytes;
    let body = body.map_err(|_| too_large(lone))?;
    let request: Put =
        read(&body).map_err(|error| Refused::new(400, "bad_body", error.to_string()))?;
    let keys = request.entries.len() + request.deletes.len();
    if keys > 1 && body.len() > server.limits.body_bytes {
        return Err(too_large(server.limits.body_bytes));
    }
    let change = change(&server, &caller, &headers, request, &body)?;
    refuse_secrets(&server, &change)?;
    let outcome = server.store.change(change).await?;
    finish(&server, &caller, outcome).await
}

fn too_large(limit: usize) -> Refused {
    Refused::new(
        413,
        "body_too_large",
        format!("a body has at most {limit} bytes; send less at once"),
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
        let base = base.map_err(|error| Refused::new(400, "bad_base", error.to_string()))?;
        if let (Some(key), Some(bases)) = (parse(&raw), &mut bases) {
            bases.insert(key, base);
        }
    }
    if let Some((_, error)) = refused.first() {
        let detail = error.to_string();
        let keys = refused.iter().map(|(raw, _)| raw.clone()).collect();
        return Err(Refused::new(400, "bad_key", detail).with(|problem| problem.keys = keys));
    }
    if let Some(key) = entries.keys().find(|key| deletes.contains(*key)) {
        return Err(Refused::new(
            400,
            "bad_body",
            format!("{key} is both stored and deleted"),
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
            400,
            "bad_version",
            "expected_version is not a version of this server",
        )
    };
    expected.parse().map(Precondition::Version).map_err(refused)
}

/// Names the rule and the line, never the value.
fn refuse_secrets(server: &Shared, change: &Change) -> Result<(), Refused> {
    let mut findings = Vec::new();
    for (key, text) in &change.entries {
        for finding in server.scanner.scan(text.as_bytes()) {
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
    let detail = "these entries hold credentials; take them out, and revoke them";
    Err(Refused::new(422, "secret_found", detail).with(|problem| {
        problem.keys = keys;
        problem.findings = findings;
    }))
}

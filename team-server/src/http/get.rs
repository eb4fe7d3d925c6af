//! `GET`: everything, the hashes, what changed since, or nothing new.

use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use team_sync::wire::{Capabilities, Snapshot, Tombstone};
use team_sync::{Tag, TeamKey};

use super::Shared;
use super::answer::{self, Refused};
use super::auth::Caller;
use crate::store::{Looked, Picture, View};
use crate::token::Grant;

/// The longest a poll is held open.
const MOST_WAIT: Duration = Duration::from_secs(50);

/// What this server can do beyond the base form.
pub(super) const FEATURES: [&str; 9] = [
    "bases",
    "deletes",
    "op_id",
    "expected_version",
    "since",
    "keys",
    "wait",
    "history",
    "restore",
];

/// The query of a `GET`.
#[derive(Deserialize)]
pub(super) struct Wanted {
    view: Option<String>,
    since: Option<u64>,
    keys: Option<String>,
    wait: Option<u64>,
}

pub(super) async fn get(
    State(server): State<Shared>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    // Listened to from before the first look, so that no change falls in between.
    let limit = wanted.wait.map(Duration::from_secs);
    let watch = limit.map(|_| server.store.watch(&caller.repository));
    let seen = tags(&headers, header::IF_NONE_MATCH);
    let mut current = server.store.tag(&caller.repository, &seen).await?;
    let unchanged = |tag: &Option<Tag>| match tag {
        Some(tag) => seen.contains(tag),
        None => wanted.wait.is_some(),
    };
    if unchanged(&current)
        && let (Some(mut watch), Some(limit)) = (watch, limit)
    {
        let mut stopping = server.stopping.clone();
        tokio::select! {
            () = watch.changed() => {}
            () = tokio::time::sleep(limit.min(MOST_WAIT)) => {}
            _ = stopping.wait_for(|stop| *stop) => {}
        }
        current = server.store.tag(&caller.repository, &seen).await?;
    }
    if let Some(tag) = &current
        && seen.contains(tag)
    {
        return Ok(answer::not_modified(tag));
    }

    let hashes_only = wanted.view.as_deref() == Some("hashes");
    let view = View {
        texts: !hashes_only,
        since: wanted.since,
        keys: wanted.keys.as_deref().map(keys).transpose()?,
    };
    match server.store.look(&caller.repository, view).await? {
        Looked::Nothing => {
            let nothing = Refused::new(
                404,
                "nothing_yet",
                "nothing was shared for this repository yet",
            );
            Ok(nothing.into_response())
        }
        Looked::TooOld => Err(Refused::new(
            410,
            "since_too_old",
            "deletions since then are no longer remembered; ask without since",
        )),
        Looked::Found(picture) => {
            let tag = picture.tag.clone();
            let snapshot = snapshot(&caller, picture, !hashes_only, wanted.since);
            Ok(answer::body(&snapshot, &tag))
        }
    }
}

fn snapshot(caller: &Caller, picture: Picture, texts: bool, since: Option<u64>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.repo.clone_from(&caller.repository);
    snapshot.version = picture.version.to_string();
    snapshot.updated_at = picture.updated_at;
    snapshot.since = since.map(|version| version.to_string());
    snapshot.capabilities = Some(capabilities(&caller.grant));
    let mut entries = std::collections::BTreeMap::new();
    for (key, (checksum, text)) in picture.entries {
        snapshot
            .checksums
            .insert(key.to_string(), checksum.to_string());
        entries.extend(text.map(|text| (key.to_string(), text)));
    }
    snapshot.entries = texts.then_some(entries);
    for (key, deleted) in picture.tombstones {
        let mut tombstone =
            Tombstone::new(deleted.version.to_string(), deleted.checksum.to_string());
        tombstone.at = Some(deleted.at);
        tombstone.by = Some(deleted.by);
        snapshot.tombstones.insert(key.to_string(), tombstone);
    }
    snapshot
}

fn capabilities(grant: &Grant) -> Capabilities {
    let mut capabilities = Capabilities::default();
    capabilities.features = FEATURES.map(str::to_owned).to_vec();
    capabilities.scopes = (!grant.scopes.is_empty()).then(|| grant.scopes.clone());
    capabilities
}

/// The tags of a conditional header.
pub(super) fn tags(headers: &HeaderMap, name: header::HeaderName) -> Vec<Tag> {
    let values = headers.get_all(name);
    let texts = values.iter().filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(','))
        .filter_map(Tag::parse)
        .take(16)
        .collect()
}

/// The keys of a comma-separated list; keys that hold a comma are fetched with the rest.
fn keys(list: &str) -> Result<Vec<TeamKey>, Refused> {
    let keys = list
        .split(',')
        .filter(|key| !key.is_empty())
        .map(TeamKey::parse);
    keys.collect::<Result<_, _>>().map_err(|error| {
        Refused::new(
            StatusCode::BAD_REQUEST.as_u16(),
            "bad_key",
            error.to_string(),
        )
    })
}

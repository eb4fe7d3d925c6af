//! `GET`: everything, the hashes, what changed since, or nothing new.

use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use team_sync::wire::{Capabilities, PATH, Snapshot, Tombstone};
use team_sync::{Tag, TeamKey};
use utoipa::IntoParams;

use tokio::time::Instant;

use super::Shared;
use super::answer::{self, Refused};
use super::auth::{Caller, Named};
use super::problem;
use crate::store::{Looked, Picture, View};
use crate::token::Grant;

/// The longest a poll is held open.
pub(super) const MOST_WAIT: Duration = Duration::from_secs(50);

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
#[derive(Deserialize, IntoParams)]
pub(super) struct Wanted {
    /// `hashes` leaves the texts out.
    view: Option<String>,
    /// Only what changed after this version.
    since: Option<u64>,
    /// Only these keys, parted by commas.
    keys: Option<String>,
    /// With `If-None-Match`: answer when something has changed, or after this many seconds, at most 50.
    wait: Option<u64>,
}

/// Everything, the hashes, what changed since, or nothing new.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "get",
    tag = "memories",
    params(
        Named,
        Wanted,
        ("If-None-Match" = Option<String>, Header, description = "The tag of the last answer; 304 when it is still the state.")
    ),
    responses(
        (status = 200, description = "The memories of the repository.", body = Snapshot,
         headers(("ETag" = String, description = "The state: `\"v<version>-<epoch>\"`."))),
        (status = 304, description = "Nothing new since that tag.",
         headers(("ETag" = String, description = "The state.")))
    )
)]
pub(super) async fn get(
    State(server): State<Shared>,
    caller: Caller,
    wanted: Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let Query(wanted) = wanted.map_err(|_| {
        Refused::new(
            problem::BAD_QUERY,
            "a parameter is not of its form; since and wait are whole numbers",
        )
    })?;
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
        let deadline = Instant::now() + limit.min(MOST_WAIT);
        loop {
            let woken = tokio::select! {
                () = watch.changed() => true,
                () = tokio::time::sleep_until(deadline) => false,
                _ = stopping.wait_for(|stop| *stop) => false,
            };
            current = server.store.tag(&caller.repository, &seen).await?;
            // A replica tells of what this poll has seen already.
            if !woken || !unchanged(&current) {
                break;
            }
        }
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
                problem::NOTHING_YET,
                "nothing was shared for this repository yet; the first change makes it",
            );
            Ok(nothing.into_response())
        }
        Looked::TooOld => Err(Refused::new(
            problem::SINCE_TOO_OLD,
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

/// The rule a key breaks.
pub(super) fn bad_key(error: &team_sync::Error) -> Refused {
    Refused::new(
        problem::BAD_KEY,
        format!("{error}; rename the file, or leave it out"),
    )
}

/// The keys of a comma-separated list; keys that hold a comma are fetched with the rest.
fn keys(list: &str) -> Result<Vec<TeamKey>, Refused> {
    let keys = list
        .split(',')
        .filter(|key| !key.is_empty())
        .map(TeamKey::parse);
    keys.collect::<Result<_, _>>()
        .map_err(|error| bad_key(&error))
}

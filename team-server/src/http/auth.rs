//! Who asks, for which repository, and how often.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, FromRequestParts, Query};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use serde::Deserialize;
use team_sync::is_slug;
use utoipa::IntoParams;

use super::Shared;
use super::answer::Refused;
use super::problem;
use crate::limits::Limits;
use crate::token::{Grant, Presented, same_text};

/// How long an accepted token is believed without asking the store: a revoked one stops within this.
const BELIEF: Duration = Duration::from_secs(5);

/// Accepted tokens that are remembered.
const REMEMBERED: usize = 10_000;

/// Accepts tokens and counts their requests.
pub(super) struct Guard {
    development_token: Option<String>,
    accepted: Mutex<HashMap<String, (Grant, Instant)>>,
    reads: DefaultKeyedRateLimiter<String>,
    writes: DefaultKeyedRateLimiter<String>,
}

impl Guard {
    pub(super) fn new(limits: &Limits, development_token: Option<String>) -> Self {
        let a_minute =
            |count: u32| Quota::per_minute(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN));
        Self {
            development_token,
            accepted: Mutex::default(),
            reads: RateLimiter::keyed(a_minute(limits.reads_per_minute)),
            writes: RateLimiter::keyed(a_minute(limits.writes_per_minute)),
        }
    }

    fn believed(&self, token: &str) -> Option<Grant> {
        let accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        let (grant, since) = accepted.get(token)?;
        (since.elapsed() < BELIEF).then(|| grant.clone())
    }

    fn believe(&self, token: &str, grant: &Grant) {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if accepted.len() >= REMEMBERED {
            accepted.retain(|_, (_, since)| since.elapsed() < BELIEF);
        }
        if accepted.len() < REMEMBERED {
            accepted.insert(token.to_owned(), (grant.clone(), Instant::now()));
        }
    }

    /// Counts a request; refuses it with the time to wait.
    fn count(&self, grant: &Grant, write: bool) -> Result<(), Refused> {
        let limiter = if write { &self.writes } else { &self.reads };
        limiter.check_key(&grant.id).map(drop).map_err(|early| {
            let wait = early.wait_time_from(DefaultClock::default().now());
            let seconds = wait.as_secs() + 1;
            let detail = format!(
                "this token has used up its {} for now; wait {seconds} s, or ask the administrator for more",
                if write { "writes" } else { "reads" }
            );
            Refused::new(problem::TOO_MANY_REQUESTS, detail).with_retry_after(seconds)
        })
    }
}

/// Somebody who may read a repository, and with `write` change it.
pub(super) struct Caller {
    pub(super) repository: String,
    pub(super) grant: Grant,
}

/// Which repository a request is about.
#[derive(Deserialize, IntoParams)]
pub(super) struct Named {
    /// The repository: `owner/name`, or `host/owner/name` beyond GitHub.
    #[param(required, nullable = false)]
    repo: Option<String>,
}

impl FromRequestParts<Shared> for Caller {
    type Rejection = Refused;

    /// 401 before 400 before 403: who is not known learns nothing about repositories.
    async fn from_request_parts(parts: &mut Parts, server: &Shared) -> Result<Self, Refused> {
        let write = !parts.method.is_safe();
        let grant = accept(parts, server).await?;
        server.guard.count(&grant, write)?;
        let Ok(Query(Named {
            repo: Some(repository),
        })) = Query::<Named>::try_from_uri(&parts.uri)
        else {
            return Err(Refused::new(
                problem::NO_REPOSITORY,
                "the query names no repository; add ?repo=owner/name",
            ));
        };
        let repository = repository.to_lowercase();
        if !is_slug(&repository) {
            return Err(Refused::new(
                problem::BAD_REPOSITORY,
                "this is no name of a repository; write owner/name or host/owner/name",
            ));
        }
        if !grant.covers(&repository) {
            return Err(Refused::new(
                problem::NOT_YOURS,
                "this token is for other repositories; ask the administrator for one of this repository",
            ));
        }
        if write && !grant.write {
            return Err(Refused::new(
                problem::READ_ONLY,
                "this token may read and not write; ask the administrator for one that may write",
            ));
        }
        Ok(Self { repository, grant })
    }
}

async fn accept(parts: &Parts, server: &Shared) -> Result<Grant, Refused> {
    let header = parts
        .headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = header.and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let Some(token) = token else {
        return Err(Refused::new(
            problem::NO_TOKEN,
            "the request carries no token; send Authorization: Bearer …",
        ));
    };
    if let Some(development) = &server.guard.development_token
        && same_text(token, development)
    {
        return development_grant(parts);
    }
    if let Some(grant) = server.guard.believed(token) {
        return Ok(grant);
    }
    let known = match Presented::parse(token) {
        Some(presented) => server.store.grant(presented).await?,
        None => None,
    };
    let grant = known.ok_or_else(|| {
        Refused::new(
            problem::BAD_TOKEN,
            "this token is not known here or was revoked; ask the administrator for a new one",
        )
    })?;
    server.guard.believe(token, &grant);
    Ok(grant)
}

/// All rights, from this machine only.
fn development_grant(parts: &Parts) -> Result<Grant, Refused> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    if !peer.is_some_and(|ConnectInfo(address)| address.ip().is_loopback()) {
        return Err(Refused::new(
            problem::BAD_TOKEN,
            "the development token is for the server's own machine; ask the administrator for one of yours",
        ));
    }
    Ok(Grant {
        id: "development".into(),
        name: "development".into(),
        repositories: Vec::new(),
        write: true,
        scopes: vec!["inference".into(), "profile".into()],
    })
}

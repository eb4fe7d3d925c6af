//! Whether the team server can be used, in one word: for `doctor`.

use std::time::Duration;

use memstrata::team_sync::ErrorKind;

use super::link::Link;
use super::{lines, runtime};
use crate::commands::mcp::silent;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Failure, chain};

/// How long a server may take for the one question. A sync waits longer, for it has more to do.
const PATIENCE: Duration = Duration::from_secs(8);

/// How the server stands.
pub(crate) enum Reached {
    /// No address is set.
    NotConfigured,
    /// What is missing, each with its remedy.
    Missing(Vec<(String, String)>),
    /// Nobody was to be asked.
    NotAsked,
    /// It does not answer, or not as it should.
    Unreachable(String),
    /// It does not let this person in.
    Refused(String),
    /// It has refused, and nothing is sent until something changes.
    Suppressed(String),
    /// It answers, and so many memories need a look.
    Conflicts(usize),
    /// It answers that it has nothing for this repository, as any web server would at any address.
    Nothing,
    /// It answers.
    Fine,
}

/// Asks the server, unless `offline`. Changes nothing on either side.
pub(crate) fn reach(context: &Context, environment: &Environment, offline: bool) -> Reached {
    if context.decisions.team.url.is_none() {
        return Reached::NotConfigured;
    }
    let link = Link::gather(context, environment);
    let missing = link.missing();
    if !missing.is_empty() {
        let pairs = missing
            .iter()
            .map(|one| (one.text(), one.remedy().to_owned()));
        return Reached::Missing(pairs.collect());
    }
    let look = || -> Result<_, Failure> {
        let client = link.client(context, environment, silent())?;
        let looking = async { tokio::time::timeout(PATIENCE, client.look(!offline)).await };
        Ok(runtime()?.block_on(looking).ok().transpose()?)
    };
    let standing = match look() {
        Ok(Some(standing)) => standing,
        Ok(None) => {
            let seconds = PATIENCE.as_secs();
            return Reached::Unreachable(format!("no whole answer within {seconds} seconds"));
        }
        Err(failure) => return Reached::Unreachable(chain(failure.error.as_ref())),
    };
    if let Some(error) = &standing.unreachable {
        return match error.kind() {
            ErrorKind::Token | ErrorKind::Refused => Reached::Refused(chain(error)),
            _ => Reached::Unreachable(chain(error)),
        };
    }
    if let Some(why) = standing.suppressed {
        return Reached::Suppressed(why);
    }
    match lines::of_notes(&standing.notes).len() {
        _ if offline => Reached::NotAsked,
        0 if standing.version.is_none() => Reached::Nothing,
        0 => Reached::Fine,
        count => Reached::Conflicts(count),
    }
}

//! `memstrata team history` and `memstrata team restore`.

use std::io::{self, Write};

use memstrata::team_sync;
use memstrata::team_sync::client::SyncOptions;
use serde_json::json;

use super::link::Link;
use super::{key, outcome, runtime, show};
use crate::cli::team::{History, Restore};
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean};

/// Shows what was changed on the server, newest first.
pub(super) fn history(
    arguments: &History,
    context: &Context,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let wanted = arguments.key.as_deref().map(key).transpose()?;
    let client = Link::make(context, environment)?.client(context, environment, speech)?;
    let most = usize::from(arguments.limit);
    let past = runtime()?.block_on(client.history(wanted.as_ref(), most))?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for change in &past.changes {
        let action = match change.checksum {
            Some(_) => "stored",
            None => "deleted",
        };
        if speech.json {
            let object = json!({
                "key": clean(&change.key),
                "action": action,
                "detail": format!("version {}", change.version),
                "version": change.version,
                "checksum": change.checksum.as_deref().map(clean),
                "author": clean(&change.author),
                "client": clean(&change.client),
                "at": clean(&change.at),
            });
            writeln!(out, "{object}")?;
        } else {
            let name = format!("{}@{}", change.key, change.version);
            writeln!(
                out,
                "{}  {action} by {} on {}  {}",
                speech.paint(Style::Bold, &clean(&name)),
                clean(&change.author),
                clean(&change.client),
                speech.paint(Style::Dim, &clean(&change.at)),
            )?;
        }
    }
    out.flush()?;
    if past.changes.is_empty() {
        speech.say("nothing was changed there yet");
    } else if past.more {
        speech.say("there are older ones; --limit shows more");
    }
    Ok(Exit::Done)
}

/// Goes back to a version, for everybody, and brings it here.
pub(super) fn restore(
    arguments: &Restore,
    context: &Context,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let wrong = || {
        Failure::new(
            Exit::Usage,
            "say what and when, such as deploy.md@41; `memstrata team history` shows versions",
        )
    };
    let (name, version) = arguments.what.rsplit_once('@').ok_or_else(wrong)?;
    let version = version.parse().map_err(|_| wrong())?;
    let key = key(name)?;
    let client = Link::make(context, environment)?.client(context, environment, speech)?;
    let report = runtime()?.block_on(async {
        let restored = client.restore(Some(&key), version).await;
        restored.map_err(|error| unrestored(error, &arguments.what))?;
        let pull = SyncOptions::default().with_pull_only(true);
        Ok::<_, Failure>(client.sync(&pull).await?)
    })?;
    show(&report, speech)?;
    Ok(outcome(&report))
}

/// Says which version it was, and where the versions stand.
fn unrestored(error: team_sync::Error, what: &str) -> Failure {
    let refused = error.kind() == team_sync::ErrorKind::Refused;
    let failure = Failure::from(error);
    if refused {
        let said = &failure.error;
        let text = format!("`{what}`: {said}; see `memstrata team history`");
        Failure::new(failure.exit, text)
    } else {
        failure
    }
}

//! `memstrata team status`: whether it runs, what is missing, what a sync would do.

use std::io::{self, Write};

use memstrata::team_sync::client::Standing;

use super::link::Link;
use super::{lines, runtime, show_missing};
use crate::cli::team::Status;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, clean, counted};

/// Looks at both sides and changes neither.
pub(super) fn run(
    arguments: &Status,
    context: &Context,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let link = Link::gather(context, environment);
    say_where(&link, context, speech);
    let missing = link.missing();
    if !missing.is_empty() {
        show_missing(&missing, speech)?;
        return Ok(Exit::Unavailable);
    }
    let mut facts = link.facts.clone();
    let client = link.client(context, environment, speech)?;
    let standing = runtime()?.block_on(client.look(!arguments.offline))?;
    facts.scopes.clone_from(&standing.scopes);
    let missing = memstrata::team_sync::precondition::missing(&facts);
    show_missing(&missing, speech)?;
    let differences = show(&standing, speech)?;
    Ok(if !missing.is_empty() || standing.unreachable.is_some() {
        Exit::Unavailable
    } else if differences || standing.suppressed.is_some() {
        Exit::Found
    } else {
        Exit::Done
    })
}

fn say_where(link: &Link, context: &Context, speech: Speech) {
    let team = &context.decisions.team;
    if let Some(url) = &team.url {
        speech.say(&format!(
            "server      {} (from {})",
            clean(url),
            clean(&team.place)
        ));
    }
    if let Some(repository) = &link.repository {
        speech.say(&format!("repository  {}", clean(repository)));
    }
    let folder = context.location.memory_dir().join("team");
    speech.say(&format!(
        "folder      {}",
        clean(&folder.display().to_string())
    ));
}

/// Returns whether anything differs.
fn show(standing: &Standing, speech: Speech) -> Result<bool, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let steps: Vec<lines::Line> = standing.steps.iter().filter_map(lines::of_step).collect();
    let notes = lines::of_notes(&standing.notes);
    for line in steps.iter().chain(&notes) {
        line.print(&mut out, speech)?;
    }
    out.flush()?;
    if let Some(error) = &standing.unreachable {
        speech.say(&clean(&chain(error)));
    }
    if let Some(last) = &standing.last_run {
        let time = jiff::Timestamp::from_nanosecond(last.ended_ns).unwrap_or_default();
        let time = time.strftime("%Y-%m-%d %H:%M UTC");
        let how = match &last.failure {
            Some(why) => format!("failed: {}", clean(why)),
            None => "well".to_owned(),
        };
        speech.say(&format!("last run    {time}, ended {how}"));
    }
    if let Some(why) = &standing.suppressed {
        speech.say(&format!(
            "nothing is sent: the server said {}; a change of the token, the settings or a deleted file \
             starts it again",
            clean(why)
        ));
    }
    if standing.waiting > 0 {
        let waiting = counted(standing.waiting as u64, "request waits", "requests wait");
        speech.say(&format!(
            "{waiting} for an answer; the next sync sends it again"
        ));
    }
    let differs = !steps.is_empty() || !notes.is_empty() || standing.waiting > 0;
    if !differs && standing.unreachable.is_none() {
        let agreed = counted(standing.agreed as u64, "memory", "memories");
        speech.say(&format!("in step: {agreed}"));
    }
    Ok(differs)
}

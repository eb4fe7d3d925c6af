//! `memstrata team`: the memories that everybody who works on one repository shares.

use std::io::{self, Write};

use memstrata::memdir::Mode;
use memstrata::team_sync::TeamKey;
use memstrata::team_sync::client::{SyncOptions, SyncReport};
use memstrata::team_sync::precondition::Missing;
use serde_json::json;

use crate::cli::Global;
use crate::cli::team::{Action, Team};
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean, counted};
use link::Link;

mod conflicts;
mod lines;
mod link;
mod login;
mod past;
pub(crate) mod reach;
mod status;
mod watch;

/// Runs one of the commands.
pub(crate) fn run(
    arguments: &Team,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    match &arguments.action {
        Action::Status(arguments) => status::run(arguments, &context, environment, speech),
        Action::Pull => {
            let options = SyncOptions::default().with_pull_only(true);
            sync(&options, &context, environment, speech)
        }
        Action::Push(confirm) => {
            let options = SyncOptions::default()
                .with_push_only(true)
                .with_confirmed_deletes(confirm.confirm_deletes);
            sync(&options, &context, environment, speech)
        }
        Action::Sync(confirm) => {
            let options = SyncOptions::default().with_confirmed_deletes(confirm.confirm_deletes);
            sync(&options, &context, environment, speech)
        }
        Action::Login(arguments) => login::run(arguments, &context, speech),
        Action::Watch => watch::run(global, &context, environment, speech),
        Action::History(arguments) => past::history(arguments, &context, environment, speech),
        Action::Restore(arguments) => past::restore(arguments, &context, environment, speech),
        Action::Conflicts => conflicts::run(&context, speech),
    }
}

/// One run of the client.
fn sync(
    options: &SyncOptions,
    context: &Context,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let mut options = options.clone();
    if context.decisions.modes.team == Mode::Read && !options.pull_only {
        if options.push_only {
            return Err(Failure::new(
                Exit::Refused,
                "team memory is in mode read: nothing is sent (modes.team, docs/SETTINGS.md)",
            ));
        }
        speech.say("team memory is in mode read: nothing is sent");
        options = options.with_pull_only(true);
    }
    let link = Link::make(context, environment)?;
    let client = link.client(context, environment, speech)?;
    let report = runtime()?.block_on(client.sync(&options))?;
    show(&report, speech)?;
    Ok(outcome(&report))
}

/// What a script learns from a run.
fn outcome(report: &SyncReport) -> Exit {
    if report.pending {
        Exit::Conflict
    } else if report.notes.is_empty() && !lines::has_conflict(report) {
        Exit::Done
    } else {
        Exit::Found
    }
}

fn show(report: &SyncReport, speech: Speech) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in lines::of_report(report) {
        line.print(&mut out, speech)?;
    }
    out.flush()?;
    let done = report.done.len();
    let mut said = match (done, report.notes.len()) {
        (0, 0) => "in step, nothing to do".to_owned(),
        (done, 0) => counted(done as u64, "change", "changes"),
        (done, notes) => format!(
            "{}, {} left",
            counted(done as u64, "change", "changes"),
            counted(notes as u64, "entry", "entries")
        ),
    };
    if report.pending {
        said.push_str("; something still waits, run it again");
    }
    speech.say(&said);
    Ok(())
}

/// Says what is missing, each with its remedy, and ends.
fn refuse(missing: &[Missing]) -> Failure {
    let named: Vec<String> = missing
        .iter()
        .map(|one| format!("{}: {}", one.text(), one.remedy()))
        .collect();
    let exit = if missing.contains(&Missing::SwitchedOff) {
        Exit::Refused
    } else {
        Exit::Unavailable
    };
    Failure::new(
        exit,
        format!("team memory does not run; {}", named.join("; ")),
    )
}

/// Prints what is missing, one line each.
fn show_missing(missing: &[Missing], speech: Speech) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for one in missing {
        if speech.json {
            let object = json!({
                "key": null,
                "action": "missing",
                "detail": format!("{}: {}", one.text(), one.remedy()),
                "missing": one.as_str(),
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "missing  {}", clean(&one.text()))?;
            writeln!(out, "         {}", clean(one.remedy()))?;
        }
    }
    Ok(())
}

/// A memory as people name it: with or without `team/` and `.md`.
fn key(text: &str) -> Result<TeamKey, Failure> {
    let name = text.strip_prefix("team/").unwrap_or(text);
    let is_whole = std::path::Path::new(name)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    let name = if is_whole {
        name.to_owned()
    } else {
        format!("{name}.md")
    };
    TeamKey::parse(&name).map_err(|error| Failure::new(Exit::Refused, error.to_string()))
}

/// One thread is enough: a run waits for one request at a time.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?)
}

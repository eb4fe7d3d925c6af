//! `memstrata dream`: tidies the memory folder, or shows what it would do.

use std::io::{self, Write};
use std::sync::Arc;

use memstrata::Models;
use memstrata::extract::dream::{Figures, Limits, Plan, Refusal, Snapshot, Step, StepKind, ask};
use memstrata::extract::{LEASE_TIME, Lease};
use memstrata::model::Purpose;
use memstrata::pathguard::PathKey;
use serde_json::{Value, json};

use super::recall::exists;
use crate::cli::Global;
use crate::cli::memory::Dream;
use crate::config;
use crate::context::{Context, person};
use crate::environment::Environment;
use crate::errors;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean, clean_lines, counted};

/// What came of it, as it stands in JSON.
#[derive(Clone, Copy)]
enum Outcome {
    Nothing,
    Planned,
    Applied(Option<u64>),
    Refused,
}

/// Makes the plan, shows it, and applies it unless it is a dry run.
pub(crate) fn run(
    arguments: &Dream,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    context.say_if_off(speech);
    if !exists(context.location.memory_dir()) {
        // A dry run makes no folders, and there is nothing to tidy for the other.
        speech.say("there are no memories yet");
        return Ok(Exit::Done);
    }
    let store = Arc::new(context.open(speech)?);
    // One at a time, extraction included; a dry run changes nothing, not even the record of the lease.
    let lease = if arguments.dry_run {
        None
    } else {
        Some(Lease::acquire(&store, "memstrata dream", "", LEASE_TIME)?)
    };
    let snapshot = Snapshot::read(&store)?;
    for problem in snapshot.left_out() {
        speech.say(&format!("left out {}", clean(problem)));
    }
    let limits = Limits::default();
    let plan = if arguments.model {
        let models = config::models(&context, &store, environment)?;
        asked(&models, &snapshot, &limits, speech)?
    } else {
        Plan::offline(&snapshot, &limits)
    };
    let approved = match plan.approve(&snapshot, &limits) {
        Ok(approved) => approved,
        Err(rejected) => {
            let (figures, refusals) = (&rejected.figures, &rejected.refusals);
            show(
                &rejected.plan,
                figures,
                refusals,
                Outcome::Refused,
                arguments,
                speech,
            )?;
            return Ok(Exit::Refused);
        }
    };
    let (plan, figures) = (approved.plan(), approved.figures());
    let (outcome, exit) = if plan.is_empty() {
        (Outcome::Nothing, Exit::Done)
    } else if arguments.dry_run {
        (Outcome::Planned, Exit::Found)
    } else {
        if let Some(lease) = &lease {
            lease.check()?;
        }
        let origin = person().with_note("dream");
        (
            Outcome::Applied(approved.apply(&store, &origin)?),
            Exit::Done,
        )
    };
    show(plan, figures, &[], outcome, arguments, speech)?;
    Ok(exit)
}

/// The plan that a model makes; where it is of no help, the rules make it.
fn asked(
    models: &Models,
    snapshot: &Snapshot,
    limits: &Limits,
    speech: Speech,
) -> Result<Plan, Failure> {
    let Some(model) = models.get(&Purpose::Dream) else {
        return Ok(Plan::offline(snapshot, limits));
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match runtime.block_on(ask(&**model, snapshot, limits)) {
        Ok(asked) => Ok(asked.plan(snapshot, limits)),
        Err(error) => {
            config::say_trouble(&error.to_string(), speech);
            Ok(Plan::offline(snapshot, limits))
        }
    }
}

fn show(
    plan: &Plan,
    figures: &Figures,
    refusals: &[Refusal],
    outcome: Outcome,
    arguments: &Dream,
    speech: Speech,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if speech.json {
        writeln!(out, "{}", json_of(plan, figures, refusals, outcome))?;
    } else {
        for step in &plan.steps {
            writeln!(out, "{}", step_text(step, speech))?;
        }
        if arguments.dry_run && !plan.changes.is_empty() {
            writeln!(out)?;
            for change in &plan.changes {
                let head = format!("{} {}", change.action(), change.path.as_str());
                writeln!(out, "{}", speech.paint(Style::Bold, &clean(&head)))?;
                write_difference(&mut out, &change.diff(), speech)?;
            }
        }
    }
    out.flush()?;
    for note in &plan.notes {
        speech.say(&format!("note: {}", clean(note)));
    }
    for refusal in refusals {
        // Said even under --quiet: nothing was done, and this is why.
        errors::say(Exit::Refused, &format!("refused: {refusal}"), speech.json);
    }
    let changes = counted(plan.changes.len(), "file", "files");
    let loss = format!(
        "{} of {} and {} of {} bytes would be lost",
        figures.entries_dropped,
        counted(figures.entries, "memory", "memories"),
        figures.bytes_dropped,
        figures.bytes
    );
    speech.say(&match outcome {
        Outcome::Nothing => "nothing to tidy".to_owned(),
        Outcome::Planned => format!("{changes} would change; {loss}"),
        Outcome::Refused => format!("nothing was changed; {loss}"),
        Outcome::Applied(_) => format!("{changes} changed; `memstrata undo` takes that back"),
    });
    Ok(())
}

fn json_of(plan: &Plan, figures: &Figures, refusals: &[Refusal], outcome: Outcome) -> Value {
    let (word, sequence) = match outcome {
        Outcome::Nothing => ("nothing", None),
        Outcome::Planned => ("planned", None),
        Outcome::Applied(sequence) => ("applied", sequence),
        Outcome::Refused => ("refused", None),
    };
    let mut object = plan.to_json(figures, refusals);
    object["outcome"] = json!(word);
    object["sequence"] = json!(sequence);
    object
}

fn step_text(step: &Step, speech: Speech) -> String {
    let style = if step.kind == StepKind::Delete {
        Style::Red
    } else {
        Style::Yellow
    };
    let kind = format!("{:<7}", step.kind.as_str());
    let from: Vec<&str> = step.from.iter().map(PathKey::as_str).collect();
    let from = if from.is_empty() {
        String::new()
    } else {
        format!(" <- {}", from.join(", "))
    };
    let file = format!("{}{from}", step.path.as_str());
    format!(
        "{} {}  {}",
        speech.paint(style, &kind),
        speech.paint(Style::Bold, &clean(&file)),
        clean(&step.reason),
    )
}

fn write_difference(out: &mut impl Write, difference: &str, speech: Speech) -> io::Result<()> {
    for line in clean_lines(difference).lines() {
        let painted = match line.as_bytes().first() {
            Some(b'-') => speech.paint(Style::Red, line),
            Some(b'+') => speech.paint(Style::Green, line),
            _ => line.into(),
        };
        writeln!(out, "{painted}")?;
    }
    Ok(())
}

//! `memstrata setup`: plugs the program into an agent, and takes it out again without a trace.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use self::file::Plan;
use self::record::{FileRecord, Record};
use crate::cli::Global;
use crate::cli::setup::{Setup, SetupAgent};
use crate::context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean_lines};

pub(crate) mod agents;
mod block;
mod edit;
mod file;
mod json;
mod record;
mod toml;

/// Shows what changes, then changes it.
pub(crate) fn run(
    arguments: &Setup,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let home = context::home(global, environment)?;
    let project = global.project.clone().unwrap_or_default();
    let project = environment.current_dir.join(project);
    let program = environment.program()?;
    let agent = arguments.agent;
    let known = record::read(home.path(), agent.as_str());
    let targets = agents::targets(agent, &program, environment, &project)
        .map_err(|why| Failure::new(Exit::NotFound, why))?;
    let mut plans = Vec::new();
    for target in &targets {
        let known = known.find(&target.folder, target.file);
        plans.push(if arguments.remove {
            Plan::remove(agent, target, known)?
        } else {
            Plan::install(agent, &program, target, known)?
        });
    }
    for plan in &plans {
        show(plan, speech)?;
        for note in &plan.notes {
            speech.say(note);
        }
    }
    let is_change = plans.iter().any(Plan::is_change);
    if !is_change {
        speech.say(if arguments.remove {
            "nothing of memstrata is there"
        } else {
            "everything is there already"
        });
    }
    let is_put_in = is_change && !arguments.remove;
    if let Some(note) = is_put_in.then(|| left_out(global)).flatten() {
        speech.say(&note);
    }
    if arguments.dry_run {
        if is_change {
            speech.say("nothing was changed; without --dry-run it will be");
        }
        return Ok(Exit::Done);
    }
    carry_out(arguments, home.path(), &known, &plans)?;
    if is_change {
        speech.say(if arguments.remove {
            "done; everything of memstrata is out of these files, and the memories are where they were"
        } else {
            next_step(agent)
        });
    }
    Ok(Exit::Done)
}

/// What the agent will not know: its hooks get no options.
fn left_out(global: &Global) -> Option<String> {
    let options = [
        ("--home", "MEMSTRATA_HOME", &global.home),
        ("--memory-dir", "MEMSTRATA_MEMORY_DIR", &global.memory_dir),
    ];
    let left_out = options.into_iter().find(|(_, _, value)| value.is_some());
    left_out.map(|(option, variable, _)| {
        format!("{option} counts for this command only; for the agent, set {variable} where you start it")
    })
}

/// Says why a settings file of an agent cannot be edited, for whoever finds that nothing of ours is in it.
pub(crate) fn why_not(file: &Path, text: &str) -> Option<String> {
    if file.extension().is_some_and(|ending| ending == "toml") {
        let parsed = text.parse::<toml_edit::DocumentMut>();
        return parsed.err().map(|_| "it is no TOML".to_owned());
    }
    if text.trim().is_empty() {
        return None;
    }
    json::check(text).err()
}

/// Writes down what will be done before it is done: a setup that was cut off can be taken out all the same.
fn carry_out(
    arguments: &Setup,
    home: &Path,
    known: &Record,
    plans: &[Plan],
) -> Result<(), Failure> {
    let agent = arguments.agent.as_str();
    // Files elsewhere, of another project or another configuration folder, stay written down.
    let is_elsewhere = |file: &FileRecord| {
        let mut here = plans.iter().map(|plan| &plan.place);
        !here.any(|(folder, name)| file.folder == *folder && file.file == *name)
    };
    let elsewhere = known
        .files
        .iter()
        .filter(|file| is_elsewhere(file))
        .cloned();
    let mut planned = Record {
        version: 1,
        made_folders: match known.version {
            // The last agent that is taken out takes the folders along, whichever came first.
            0 => record::made_by_others(home)
                .into_iter()
                .chain(file::missing_folders(&record::path(home, agent)))
                .collect(),
            _ => known.made_folders.clone(),
        },
        files: elsewhere.collect(),
    };
    if arguments.remove {
        carry_out_all(plans)?;
        record::write(home, agent, &planned)?;
        let of_files = plans
            .iter()
            .flat_map(|plan| plan.folders_to_remove.iter().cloned());
        let of_record = known.made_folders.iter().rev().map(PathBuf::from);
        let mut folders: Vec<PathBuf> = of_record.chain(of_files).collect();
        // Innermost first. One that holds something by now stays.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            let _ = std::fs::remove_dir(folder);
        }
        return Ok(());
    }
    let put = plans.iter().filter_map(|plan| plan.record.clone());
    planned.files.extend(put);
    if planned != *known {
        record::write(home, agent, &planned)?;
    }
    if let Err(failure) = carry_out_all(plans) {
        // As if nobody had asked.
        let _ = record::write(home, agent, known);
        for folder in planned.made_folders.iter().rev() {
            let _ = std::fs::remove_dir(folder);
        }
        return Err(failure);
    }
    let is_replaced = planned.files.iter().any(|file| !file.earlier.is_empty());
    if is_replaced {
        for file in &mut planned.files {
            file.earlier.clear();
        }
        record::write(home, agent, &planned)?;
    }
    Ok(())
}

/// Changes all files, or none when one cannot be changed.
fn carry_out_all(plans: &[Plan]) -> Result<(), Failure> {
    for (done, plan) in plans.iter().enumerate() {
        if let Err(failure) = plan.carry_out() {
            for plan in plans[..done].iter().rev() {
                plan.take_back();
            }
            return Err(failure);
        }
    }
    Ok(())
}

fn show(plan: &Plan, speech: Speech) -> Result<(), Failure> {
    let action = match (&plan.before, &plan.after) {
        _ if !plan.is_change() => "unchanged",
        (None, _) => "create",
        (_, None) => "remove",
        _ => "change",
    };
    let path = plan.path.to_string_lossy();
    let before = plan.before.as_deref().unwrap_or_default();
    let after = plan.after.as_deref().unwrap_or_default();
    let diff = diffy::DiffOptions::new()
        .set_original_filename(path.to_string())
        .set_modified_filename(path.to_string())
        .create_patch(before, after)
        .to_string();
    let mut out = io::stdout().lock();
    if speech.json {
        let diff = if plan.is_change() {
            diff
        } else {
            String::new()
        };
        writeln!(
            out,
            "{}",
            json!({"path": path, "action": action, "diff": diff})
        )?;
    } else if plan.is_change() {
        writeln!(out, "{action} {}", clean_lines(&path))?;
        for line in clean_lines(&diff).lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => Some(Style::Green),
                Some(b'-') => Some(Style::Yellow),
                _ => None,
            };
            match style {
                Some(style) => writeln!(out, "{}", speech.paint(style, line))?,
                None => writeln!(out, "{line}")?,
            }
        }
    }
    Ok(())
}

/// What a person has to do now.
fn next_step(agent: SetupAgent) -> &'static str {
    match agent {
        SetupAgent::ClaudeCode | SetupAgent::Gemini => {
            "done; sessions that start from now on have it"
        }
        SetupAgent::Codex => "done; Codex asks once whether the new hooks are trusted (/hooks)",
        SetupAgent::Opencode => {
            "done; opencode has no hooks for programs, so memories are saved and recalled on request"
        }
        SetupAgent::Cursor => {
            "done for this project; Cursor's hooks take no context, so memories are saved and recalled on request"
        }
    }
}

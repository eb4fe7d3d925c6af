//! `memstrata doctor`: finds what is wrong, and says what mends it. Changes nothing.

use std::io::{self, Write};

use serde_json::json;

use crate::cli::Global;
use crate::cli::doctor::Doctor;
use crate::commands::mcp::silent;
use crate::commands::recall::exists;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, Style, clean, counted};

mod activity;
mod agents;
mod memory;
mod remote;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// As it should be.
    Ok,
    /// It works, and somebody should look.
    Warn,
    /// It does not work.
    Fail,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Fail => "fail",
        }
    }

    fn style(self) -> Style {
        match self {
            Status::Ok => Style::Green,
            Status::Warn => Style::Yellow,
            Status::Fail => Style::Red,
        }
    }
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    check: &'static str,
    status: Status,
    detail: String,
    remedy: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Finding {
            check,
            status: Status::Ok,
            detail: detail.into(),
            remedy: None,
        }
    }

    fn warn(check: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding {
            status: Status::Warn,
            remedy: Some(remedy.into()),
            ..Finding::ok(check, detail)
        }
    }

    fn fail(check: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding {
            status: Status::Fail,
            ..Finding::warn(check, detail, remedy)
        }
    }
}

/// Runs every check that can be run, and prints each.
pub(crate) fn run(
    arguments: &Doctor,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let findings = all(arguments, global, environment);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for finding in &findings {
        write_finding(&mut out, finding, speech)?;
    }
    out.flush()?;
    let of = |status| findings.iter().filter(|one| one.status == status).count();
    let (warned, failed) = (of(Status::Warn), of(Status::Fail));
    speech.say(&match warned + failed {
        0 => format!("all {} checks passed", findings.len()),
        _ => format!(
            "{} in {}: {failed} fail, {warned} warn",
            counted((warned + failed) as u64, "finding", "findings"),
            counted(findings.len() as u64, "check", "checks"),
        ),
    });
    Ok(if warned + failed == 0 {
        Exit::Done
    } else {
        Exit::Found
    })
}

/// In the order in which one would look: what stands further up may be the cause of what comes below.
fn all(arguments: &Doctor, global: &Global, environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![memory::git(environment)];
    findings.extend(memory::home(global, environment));
    let project = global.project.clone().unwrap_or_default();
    let project = environment.current_dir.join(project);
    findings.extend(agents::all(&project, environment));
    findings.push(activity::hook_log(global, environment));
    findings.push(remote::model(global, environment));
    let context = match Context::locate(global, environment) {
        Ok(context) => context,
        Err(failure) => {
            findings.push(Finding::fail(
                "settings",
                chain(failure.error.as_ref()),
                "mend the file, the variable or the option that is named; docs/SETTINGS.md lists them",
            ));
            return findings;
        }
    };
    findings.push(memory::settings(&context));
    findings.push(memory::modes(&context));
    findings.push(remote::server(&context, environment, arguments.offline));
    // Looking must not make folders, so the store is opened only where there is one.
    if !exists(context.location.memory_dir()) {
        let folder = context.location.memory_dir().display();
        findings.push(Finding::ok(
            "folder",
            format!("{folder} is made with the first memory"),
        ));
        return findings;
    }
    let store = match context.open(silent()) {
        Ok(store) => store,
        Err(failure) => {
            findings.push(Finding::fail(
                "folder",
                chain(failure.error.as_ref()),
                "make it a folder of yours that only you can write",
            ));
            return findings;
        }
    };
    findings.push(memory::folder(&context, &store));
    findings.push(memory::history(&store));
    findings.push(memory::index(&store));
    findings.extend(memory::lint(&context, &store));
    findings.push(memory::orphans(&context, &store));
    findings.push(memory::inbox(&store));
    findings.push(activity::injection(&context));
    findings.push(activity::extraction(&store));
    findings.push(activity::lease(&store));
    findings.push(activity::waiting(&context));
    findings
}

fn write_finding(out: &mut impl Write, finding: &Finding, speech: Speech) -> io::Result<()> {
    if speech.json {
        let object = json!({
            "check": finding.check,
            "status": finding.status.as_str(),
            "detail": clean(&finding.detail),
            "remedy": finding.remedy.as_deref().map(clean),
        });
        return writeln!(out, "{object}");
    }
    let status = format!("{:4}", finding.status.as_str());
    writeln!(
        out,
        "{}  {:12}  {}",
        speech.paint(finding.status.style(), &status),
        finding.check,
        clean(&finding.detail)
    )?;
    if let Some(remedy) = &finding.remedy {
        let remedy = format!("{:20}{}", "", clean(remedy));
        writeln!(out, "{}", speech.paint(Style::Dim, &remedy))?;
    }
    Ok(())
}

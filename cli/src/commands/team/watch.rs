//! `memstrata team watch`: in step for as long as it runs.

use std::io::{self, Write};
use std::sync::Arc;

use memstrata::memdir::Mode;
use memstrata::team_sync::client::Client;
use memstrata::team_sync::client::watch::{SystemNotifier, WatchEvent, WatchOptions, watch};
use tokio::sync::Notify;

use super::lines::{self, Line};
use super::link::Link;
use super::runtime;
use crate::cli::Global;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, clean};

/// Watches until SIGTERM or Ctrl-C, and then sends what is unsent.
pub(super) fn run(
    global: &Global,
    context: &Context,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let client = Link::make(context, environment)?.client(context, environment, speech)?;
    let mode = context.decisions.modes.team;
    let pull_only = matches!(mode, Mode::Read | Mode::Ask);
    if pull_only {
        speech.say(&format!(
            "team memory is in mode {mode}: nothing is sent by itself"
        ));
    }
    let options = WatchOptions::default().with_pull_only(pull_only);
    // What is configured may be another server or token by then.
    let mut connect = || -> Result<Client, String> {
        Context::locate(global, environment)
            .and_then(|context| {
                let link = Link::make(&context, environment)?;
                link.client(&context, environment, speech.silenced())
            })
            .map_err(|failure| chain(failure.error.as_ref()))
    };
    let closed = Arc::new(Notify::new());
    let is_closed = Arc::clone(&closed);
    let mut tell = |event: WatchEvent| {
        // Nobody reads any more: that is an end, and no failure.
        if show(&event, speech).is_err() {
            closed.notify_one();
        }
    };
    runtime()?.block_on(async {
        let asked = asked_to_stop()?;
        let stop = async move {
            tokio::select! {
                () = asked => {}
                () = is_closed.notified() => {}
            }
        };
        let mut notifier = SystemNotifier::new();
        watch(
            client,
            &mut connect,
            &options,
            &mut notifier,
            &mut tell,
            stop,
        )
        .await;
        Ok(Exit::Done)
    })
}

fn show(event: &WatchEvent, speech: Speech) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (action, detail) = match event {
        WatchEvent::Synced(report) => {
            for line in lines::of_report(report) {
                line.print(&mut out, speech)?;
            }
            out.flush()?;
            return Ok(());
        }
        WatchEvent::Watching => ("watching", String::new()),
        WatchEvent::InStep => ("in-step", String::new()),
        WatchEvent::Failed(error) => ("failed", chain(error)),
        WatchEvent::Blind(why) => (
            "blind",
            format!("{why}; the folder is walked once a minute"),
        ),
        WatchEvent::Replaced => (
            "replaced",
            "another folder is in the place of the watched one".to_owned(),
        ),
        WatchEvent::Gone => ("gone", "the folder is not there; waiting for it".to_owned()),
        _ => return Ok(()),
    };
    if speech.json {
        Line::about_all(action, &detail).print(&mut out, speech)?;
        out.flush()?;
    } else if action != "in-step" {
        let end = if detail.is_empty() { "" } else { ": " };
        speech.say(&format!("{action}{end}{}", clean(&detail)));
    }
    Ok(())
}

/// Until the process is asked to stop. It listens from the call on, not from the first wait.
#[cfg(unix)]
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

/// Until the process is asked to stop.
#[cfg(windows)]
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    let mut close = tokio::signal::windows::ctrl_close()?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = close.recv() => {}
        }
    })
}

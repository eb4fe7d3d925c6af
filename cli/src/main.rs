//! The `memstrata` program.

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::cli::{Cli, Command};
use crate::commands::memory;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::Speech;

mod cli;
mod clock;
mod commands;
mod config;
mod context;
mod environment;
mod errors;
mod exit;
mod lines;
mod stop;
mod terminal;

fn main() -> ExitCode {
    let is_json = errors::wants_json();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = errors::wrong_use(&error, is_json);
            return if is_hook() { Exit::Done } else { exit }.into();
        }
    };
    match errors::guarded(|| start(cli)) {
        Ok(exit) => exit.into(),
        Err(failure) if is_closed_pipe(&failure.error) => Exit::Done.into(),
        Err(failure) => {
            errors::say(failure.exit, &chain(failure.error.as_ref()), is_json);
            failure.exit.into()
        }
    }
}

/// An agent whose settings name a hook that this version does not know must not take that for a "no": for
/// hosts, exit code 2 blocks what the person does.
fn is_hook() -> bool {
    std::env::args_os().any(|argument| argument == "hook")
}

fn start(cli: Cli) -> Result<Exit, Failure> {
    // These two work where even the current folder is gone.
    match &cli.command {
        Command::Hook(arguments) => return Ok(commands::hook::run(arguments, &cli.global)),
        Command::Worker(arguments) => return commands::worker::run(arguments, &cli.global),
        _ => {}
    }
    let environment = Environment::read()?;
    let global = &cli.global;
    let speech = Speech::new(
        global.color,
        global.json,
        global.quiet,
        environment.no_color,
    );
    show_events(global.verbose);
    match cli.command {
        Command::Check(arguments) => memory::check::run(&arguments, global, &environment, speech),
        Command::Prompt(arguments) => memory::prompt::run(&arguments, global, &environment, speech),
        Command::Where => memory::place::run(global, &environment, speech),
        Command::Doctor(arguments) => {
            commands::doctor::run(&arguments, global, &environment, speech)
        }
        Command::Save(arguments) => memory::save::run(&arguments, global, &environment, speech),
        Command::List(arguments) => memory::see::list(&arguments, global, &environment, speech),
        Command::Show(arguments) => memory::see::show(&arguments, global, &environment, speech),
        Command::Forget(arguments) => {
            memory::edit::forget(&arguments, global, &environment, speech)
        }
        Command::Rename(arguments) => {
            memory::edit::rename(&arguments, global, &environment, speech)
        }
        Command::History(arguments) => {
            memory::history::history(&arguments, global, &environment, speech)
        }
        Command::Restore(arguments) => {
            memory::history::restore(&arguments, global, &environment, speech)
        }
        Command::Undo => memory::edit::undo(global, &environment, speech),
        Command::Purge(arguments) => memory::edit::purge(&arguments, global, &environment, speech),
        Command::Adopt(arguments) => memory::adopt::run(&arguments, global, &environment, speech),
        Command::Index(arguments) => memory::index::run(&arguments, global, &environment, speech),
        Command::Log(arguments) => memory::log::run(&arguments, global, &environment, speech),
        Command::Inbox(arguments) => memory::inbox::run(&arguments, global, &environment, speech),
        Command::Dream(arguments) => commands::dream::run(&arguments, global, &environment, speech),
        Command::Recall(arguments) => {
            commands::recall::run(&arguments, global, &environment, speech)
        }
        Command::Verify(arguments) => {
            commands::verify::run(&arguments, global, &environment, speech)
        }
        Command::Extract(arguments) => {
            commands::extract::run(&arguments, global, &environment, speech)
        }
        Command::Explain(arguments) => {
            commands::explain::run(&arguments, global, &environment, speech)
        }
        Command::Replay(arguments) => {
            commands::replay::run(&arguments, global, &environment, speech)
        }
        Command::Cost(arguments) => commands::cost::run(&arguments, global, &environment, speech),
        Command::Session(arguments) => {
            commands::session::run(&arguments, global, &environment, speech)
        }
        Command::Team(arguments) => commands::team::run(&arguments, global, &environment, speech),
        Command::Setup(arguments) => commands::setup::run(&arguments, global, &environment, speech),
        Command::Scan(arguments) => commands::scan::run(&arguments, speech),
        Command::Mcp(arguments) => commands::mcp::run(&arguments, global, environment, speech),
        Command::MemoryTool(arguments) => {
            commands::memory_tool::run(&arguments, global, &environment, speech)
        }
        Command::Guard(arguments) => commands::guard::run(&arguments, speech, &environment),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "memstrata", &mut script);
            std::io::stdout().write_all(&script)?;
            Ok(Exit::Done)
        }
        Command::Hook(arguments) => Ok(commands::hook::run(&arguments, global)),
        Command::Worker(arguments) => commands::worker::run(&arguments, global),
        Command::Man => commands::man::run(),
        Command::Reference { schemas } => commands::reference::run(&schemas),
    }
}

/// Shows the events of the libraries on standard error: nothing, `-v` what is done, `-vv` how.
fn show_events(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => tracing::Level::INFO,
        2 => tracing::Level::DEBUG,
        _ => tracing::Level::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_ansi(false)
        .init();
}

/// A reader that has seen enough, such as `head`, is a success.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

//! The last words of a run that failed: a line for people, or an object for programs.

use std::ffi::OsStr;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use clap::CommandFactory;
use clap::error::ErrorKind;
use serde_json::json;

use crate::cli::{Cli, overview};
use crate::exit::{Exit, Failure};
use crate::terminal::{clean, clean_lines};

/// Where a panic happened, for a bug report. Its words may hold contents and are not kept.
static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

/// Says what went wrong, on standard error.
pub(crate) fn say(exit: Exit, message: &str, is_json: bool) {
    let line = if is_json {
        json!({"error": {
            "kind": exit.kind(),
            "message": clean_lines(message),
            "exit_code": exit as u8,
        }})
        .to_string()
    } else {
        format!("memstrata: {}", clean(message))
    };
    // The last resort: where even standard error is closed, the exit code still tells.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Whether errors are to be objects. Asked before the command line is understood, because it may be the error.
pub(crate) fn wants_json() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    arguments
        .by_ref()
        .take_while(|argument| argument != OsStr::new("--"))
        .any(|argument| argument == OsStr::new("--json"))
}

/// Prints help or the version, or says what is wrong with the command line.
pub(crate) fn wrong_use(error: &clap::Error, is_json: bool) -> Exit {
    if !error.use_stderr() {
        let _ = match error.kind() {
            ErrorKind::DisplayHelp if asks_for_overview() => {
                std::io::stdout().write_all(overview::text().as_bytes())
            }
            _ => error.print(),
        };
        return Exit::Done;
    }
    if is_json {
        let text = error.render().to_string();
        // What follows the first paragraph are hints for a person at a terminal.
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = first.strip_prefix("error: ").unwrap_or(first).trim();
        say(Exit::Usage, message, true);
    } else if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && asks_for_overview()
    {
        // Whoever types the name alone wants to know where to begin.
        let _ = std::io::stderr().write_all(overview::text().as_bytes());
    } else {
        let _ = error.print();
    }
    Exit::Usage
}

/// `memstrata -h` shows an overview on one screen, `memstrata --help` everything, and with a command both are
/// about that.
fn asks_for_overview() -> bool {
    let command = Cli::command();
    let is_otherwise = |argument: std::ffi::OsString| {
        argument
            .to_str()
            .is_some_and(|name| name == "--help" || command.find_subcommand(name).is_some())
    };
    !std::env::args_os().skip(1).any(is_otherwise)
}

/// Runs the work; a panic becomes the exit code of a bug, with the place and without the words.
pub(crate) fn guarded(work: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(|place| format!("{}:{}", place.file(), place.line()));
        if let Ok(mut first) = PANICKED_AT.lock() {
            first.get_or_insert_with(|| place.unwrap_or_default());
        }
    }));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let place = PANICKED_AT.lock().ok().and_then(|place| place.clone());
        Err(bug(&place.unwrap_or_default()))
    })
}

fn bug(place: &str) -> Failure {
    let version = env!("CARGO_PKG_VERSION");
    let home = env!("CARGO_PKG_REPOSITORY");
    Failure::new(
        Exit::Bug,
        format!(
            "this is a bug in memstrata {version}, at {place}; please report it at {home}/issues"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::{bug, guarded};
    use crate::exit::Exit;

    #[test]
    fn a_panic_is_a_bug_with_its_place_and_without_its_words() {
        let failure = guarded(|| panic!("the contents of a memory")).unwrap_err();
        let said = failure.error.to_string();
        assert_eq!(failure.exit, Exit::Bug);
        assert!(
            said.contains("errors.rs:") && said.contains("/issues"),
            "{said}"
        );
        assert!(!said.contains("contents"), "{said}");
        assert_eq!(bug("a.rs:1").exit as u8, 70);
    }
}

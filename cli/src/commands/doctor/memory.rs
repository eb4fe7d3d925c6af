//! The home folder, the settings and the memory folder.

use std::fmt::Write as _;
use std::path::Path;

use memstrata::memdir::limits::JOURNAL_MAX_BYTES;
use memstrata::memdir::lint::{Code, Severity};
use memstrata::memdir::{
    BudgetState, CheckCounts, CheckOptions, ErrorKind, IndexLimits, Mode, Scope, Store,
};
use memstrata::pathguard::{MemoryRoot, RootOptions};

use super::Finding;
use crate::cli::Global;
use crate::context::{self, Context, person};
use crate::environment::Environment;
use crate::exit::chain;
use crate::terminal::counted;

/// Bits by which others than the owner may write a folder.
const OTHERS_WRITE: u32 = 0o022;

/// Bits by which others than the owner may do anything with it.
const OTHERS_ANYTHING: u32 = 0o077;

/// Names that are listed in one line.
const NAMED: usize = 3;

pub(super) fn git(environment: &Environment) -> Finding {
    match environment.git() {
        Some(_) => Finding::ok("git", "found"),
        None => Finding::warn(
            "git",
            "not found: a project that is renamed or moved cannot be recognised",
            "install git, or put it on PATH",
        ),
    }
}

/// The folder that holds everything.
pub(super) fn home(global: &Global, environment: &Environment) -> Option<Finding> {
    // A wrong value is reported with the settings.
    let home = context::home(global, environment).ok()?;
    let path = home.path();
    let shown = path.display().to_string();
    let found = match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Some(Finding::ok(
                "home",
                format!("{shown} is made with the first memory"),
            ));
        }
        Err(error) => Err(error.to_string()),
        Ok(metadata) if !metadata.is_dir() => Err("it is no folder".to_owned()),
        Ok(_) => MemoryRoot::open(path, &RootOptions::new()).map_err(|error| error.to_string()),
    };
    Some(match found {
        Err(why) => Finding::fail(
            "home",
            format!("{shown}: {why}"),
            "make it a folder that you can read and write, or name another with MEMSTRATA_HOME",
        ),
        Ok(root) if cfg!(unix) && root.folder_metadata().mode & OTHERS_WRITE != 0 => Finding::warn(
            "home",
            format!("others than you can write {shown}"),
            format!("chmod go-w {shown}"),
        ),
        Ok(_) if !may_write(path) => cannot_write("home", path),
        Ok(_) => Finding::ok("home", shown),
    })
}

/// Whether this process may make and remove entries of a folder. Asked, not tried: looking changes nothing.
#[cfg(unix)]
fn may_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(folder: &Path) -> bool {
    let metadata = folder.metadata();
    metadata.is_ok_and(|metadata| !metadata.permissions().readonly())
}

fn cannot_write(check: &'static str, folder: &Path) -> Finding {
    let shown = folder.display();
    Finding::fail(
        check,
        format!("you cannot write {shown}"),
        format!("make it yours, and writable for you: `ls -ld {shown}` says whose it is"),
    )
}

/// What the settings files say wrongly, as far as that does not stop the program.
pub(super) fn settings(context: &Context) -> Finding {
    let warnings = &context.decisions.warnings;
    if warnings.is_empty() {
        return Finding::ok("settings", "understood");
    }
    let said: Vec<String> = warnings
        .iter()
        .map(|warning| format!("{}: {}", warning.place, warning.message))
        .collect();
    Finding::warn(
        "settings",
        said.join("; "),
        "take the keys out, or correct them; docs/SETTINGS.md lists what each file may say",
    )
}

/// What is switched off.
pub(super) fn modes(context: &Context) -> Finding {
    let modes = context.decisions.modes;
    let shown = format!(
        "session {}, persistent {}, team {}",
        modes.session, modes.persistent, modes.team
    );
    if modes.persistent == Mode::Off {
        return Finding::warn(
            "modes",
            format!("memory is switched off ({shown})"),
            "look for MEMSTRATA_DISABLE, modes.persistent and autoMemoryEnabled (docs/SETTINGS.md)",
        );
    }
    Finding::ok("modes", shown)
}

/// The memory folder and the state folder beside it.
pub(super) fn folder(context: &Context, store: &Store) -> Finding {
    let shown = store.dir().display().to_string();
    if let Some(why) = &store.open_report().read_only {
        return Finding::fail(
            "folder",
            format!("{shown} can only be read: {why}"),
            "make the state folder beside it writable, or move away what stands in its place",
        );
    }
    // A folder that nothing is to be written to may be read-only.
    if context.decisions.modes.persistent > Mode::Read {
        let folders = [store.dir(), context.location.state_dir()];
        if let Some(folder) = folders.iter().find(|folder| !may_write(folder)) {
            return cannot_write("folder", folder);
        }
    }
    if cfg!(unix) && store.root().folder_metadata().mode & OTHERS_ANYTHING != 0 {
        return Finding::warn(
            "folder",
            format!("others than you can look into {shown}"),
            format!("chmod 700 {shown}"),
        );
    }
    Finding::ok("folder", shown)
}

/// The history, by which changes are taken back.
pub(super) fn history(store: &Store) -> Finding {
    if let Some(why) = &store.open_report().unfinished {
        return Finding::fail(
            "history",
            format!("an operation that was left half done could not be finished: {why}"),
            "make room on the disk, or stop the program that holds the lock; the next command finishes it",
        );
    }
    match (store.history_of_all(), store.journal_bytes()) {
        (Ok(history), Ok(_)) if history.damaged_lines > 0 => Finding::warn(
            "history",
            format!(
                "{} cannot be read: some earlier changes cannot be taken back",
                counted(history.damaged_lines as u64, "line", "lines")
            ),
            "bring back the folder `journal` of the state folder from a backup; new changes are recorded all the \
             same",
        ),
        (Ok(history), Ok(bytes)) => Finding::ok(
            "history",
            format!(
                "{}, {bytes} of at most {JOURNAL_MAX_BYTES} bytes",
                counted(history.revisions.len() as u64, "version", "versions")
            ),
        ),
        (Err(error), _) | (_, Err(error)) => Finding::fail(
            "history",
            error.to_string(),
            "`memstrata history` names the damaged file; memories themselves are not touched by it",
        ),
    }
}

/// How full the index is.
pub(super) fn index(store: &Store) -> Finding {
    let budget = match store.index(Scope::Private) {
        Ok(index) => index.budget(&IndexLimits::default()),
        Err(error) => {
            let remedy = match error.kind() {
                ErrorKind::Io => "make MEMORY.md yours, and readable for you",
                _ => "shorten MEMORY.md, or move it away and run `memstrata index --rebuild`",
            };
            return Finding::fail("index", error.to_string(), remedy);
        }
    };
    let shown = format!(
        "{} of {} lines, {} of {} bytes",
        budget.lines, budget.limits.max_lines, budget.bytes, budget.limits.max_bytes
    );
    match budget.state() {
        BudgetState::Over => Finding::fail(
            "index",
            format!("over its budget, so that the newest lines are not loaded: {shown}"),
            "`memstrata index` shows it; shorten lines, forget memories or run `memstrata dream`",
        ),
        BudgetState::Near => Finding::warn(
            "index",
            format!("nearly full: {shown}"),
            "`memstrata dream` tidies it",
        ),
        _ => Finding::ok("index", shown),
    }
}

/// What `check` finds, in two lines: credentials, and everything else.
pub(super) fn lint(context: &Context, store: &Store) -> Vec<Finding> {
    let options = CheckOptions::default()
        .with_instructions(memstrata::instruction_files(context.location.root()));
    let report = match store.check(&options, &person()) {
        Ok(report) => report,
        Err(error) => {
            return vec![Finding::fail(
                "memories",
                error.to_string(),
                "`memstrata check` says more",
            )];
        }
    };
    let is_secret = |code: Code| code == Code::Secret;
    let secrets: Vec<String> = report
        .findings
        .iter()
        .filter(|one| is_secret(one.code) && one.severity >= Severity::Warning)
        .map(|one| format!("{}:{}", one.path, one.line))
        .collect();
    let credentials = if secrets.is_empty() {
        Finding::ok("credentials", "none in the memories")
    } else {
        Finding::fail(
            "credentials",
            listed(&secrets),
            "revoke them, and run `memstrata purge NAME`: it takes them out of the history too",
        )
    };
    let others = report.findings.iter().filter(|one| !is_secret(one.code));
    let counts = CheckCounts::of(others);
    let mut shown = format!(
        "{} and {}",
        counted(counts.errors as u64, "error", "errors"),
        counted(counts.warnings as u64, "warning", "warnings")
    );
    if !report.problems.is_empty() {
        let unread = counted(report.problems.len() as u64, "file", "files");
        let _ = write!(shown, "; {unread} could not be read");
    }
    let remedy = "`memstrata check` lists them, `memstrata check --fix` mends what it can";
    let memories = match (counts.errors, counts.warnings + report.problems.len()) {
        (0, 0) => Finding::ok("memories", "nothing wrong in them"),
        (0, _) => Finding::warn("memories", shown, remedy),
        _ => Finding::fail("memories", shown, remedy),
    };
    vec![credentials, memories]
}

/// Memories that a renamed project left behind.
pub(super) fn orphans(context: &Context, store: &Store) -> Finding {
    if let Some(other) = context.location.key_taken_by() {
        return Finding::warn(
            "identity",
            format!("the plain key of this project belongs to {other}"),
            "nothing to do when both projects exist; otherwise `memstrata adopt` takes the memories over",
        );
    }
    match context.location.orphans(store) {
        Ok(orphans) if orphans.is_empty() => {
            Finding::ok("identity", format!("key {}", context.location.key()))
        }
        Ok(orphans) => {
            let keys: Vec<String> = orphans.iter().map(|orphan| orphan.key.clone()).collect();
            Finding::warn(
                "identity",
                format!(
                    "memories of this repository lie under another key: {}",
                    listed(&keys)
                ),
                format!("memstrata adopt {}", keys[0]),
            )
        }
        Err(error) => Finding::warn("identity", error.to_string(), "see `memstrata where`"),
    }
}

/// Memories that wait for a person.
pub(super) fn inbox(store: &Store) -> Finding {
    match store.inbox() {
        Ok(inbox) if !inbox.problems.is_empty() => Finding::warn(
            "inbox",
            listed(&inbox.problems),
            "remove the files that cannot be read from the inbox of the state folder",
        ),
        Ok(inbox) if inbox.items.is_empty() => Finding::ok("inbox", "empty"),
        Ok(inbox) => Finding::warn(
            "inbox",
            format!(
                "{} for you",
                counted(inbox.items.len() as u64, "memory waits", "memories wait")
            ),
            "`memstrata inbox` shows them; accept, edit or drop each",
        ),
        // A folder that can only be read is reported as such.
        Err(error) if error.kind() == ErrorKind::Refused => Finding::ok("inbox", "not looked at"),
        Err(error) => Finding::fail(
            "inbox",
            chain(&error),
            "see the state folder of `memstrata where`",
        ),
    }
}

/// The first few names, and how many more there are.
fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let first = names[..names.len().min(NAMED)].join(", ");
    match more {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

//! Starts a worker that outlives its caller, whatever the caller's own parent does to its children.
//!
//! On Unix a first process starts a session of its own and ends as soon as it has started the second one,
//! which is then nobody's child and has no terminal. On Windows the flags of process creation do the same
//! in one step.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::Global;
use crate::environment::{Environment, INSIDE_HOOK};

/// How long the first process may take to start the second one.
const START_TIME: Duration = Duration::from_millis(500);

/// How often it is asked whether it has ended.
const PAUSE: Duration = Duration::from_micros(300);

/// Starts a worker for the project of a call and waits until it is on its own.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn start(global: &Global, environment: &Environment) -> io::Result<()> {
    let mut command = command(global, environment, true)?;
    detach_on_creation(&mut command);
    let mut child = command.spawn()?;
    if cfg!(unix) {
        // Until it has left our session, whoever kills our group kills it too.
        let begin = Instant::now();
        while child.try_wait()?.is_none() && begin.elapsed() < START_TIME {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// Starts the second process.
///
/// # Errors
/// When the program cannot be started.
pub(super) fn start_second(global: &Global, environment: &Environment) -> io::Result<()> {
    command(global, environment, false)?.spawn().map(drop)
}

fn command(global: &Global, environment: &Environment, detach: bool) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let here = &environment.current_dir;
    for (flag, path) in [
        ("--project", &global.project),
        ("--home", &global.home),
        ("--memory-dir", &global.memory_dir),
    ] {
        if let Some(path) = path {
            command.arg(flag).arg(here.join(path));
        }
    }
    command.arg("worker");
    if detach {
        command.arg("--detach");
    }
    command
        .env(INSIDE_HOOK, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // A folder that is in use as somebody's current one cannot be removed on every system.
    if let Some(home) = environment.user_home.as_ref().filter(|home| home.is_dir()) {
        command.current_dir(home);
    }
    Ok(command)
}

#[cfg(unix)]
fn detach_on_creation(_: &mut Command) {}

#[cfg(windows)]
fn detach_on_creation(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    // Source: "Process Creation Flags" of the Windows documentation.
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

/// Leaves the session of the caller, and with it the terminal and the signals of its group.
#[cfg(unix)]
pub(super) fn leave_session() {
    // Fails only for the leader of a group, which a child that was just started is not.
    let _ = rustix::process::setsid();
}

#[cfg(not(unix))]
pub(super) fn leave_session() {}

//! Starts programs, joins them with pipes, and ends them when a limit is reached.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command as Process};
use tokio::time::Instant;

use super::{Ended, RunOptions, RunOutput, locate};
use crate::error::{Error, ErrorKind};
use crate::shell::lexer::ErrorOutput;
use crate::shell::prepare::{Command, Runnable};
use crate::shell::script::Connector;

const READ_BYTES: usize = 16 * 1_024;

pub(super) async fn run(runnable: &Runnable, options: &RunOptions) -> Result<RunOutput, Error> {
    let deadline = Instant::now() + options.time_limit;
    let mut output = RunOutput {
        stdout: Vec::new(),
        stderr: Vec::new(),
        stderr_cut: false,
        code: None,
        ended: Ended::Finished,
    };
    let mut succeeded = true;
    for pipeline in &runnable.pipelines {
        let due = match pipeline.connector {
            Connector::Always => true,
            Connector::IfSucceeded => succeeded,
            Connector::IfFailed => !succeeded,
        };
        if !due {
            continue;
        }
        let mut running = Running::start(&pipeline.commands, runnable, options)?;
        let finish = running.finish(&mut output, options);
        match tokio::time::timeout_at(deadline, finish).await {
            Ok(Ok(status)) => {
                succeeded = status.is_some_and(|status| status.success());
                output.code = status.and_then(|status| status.code());
            }
            Ok(Err(Stop::Full)) => {
                output.ended = Ended::OutputLimit;
                break;
            }
            Ok(Err(Stop::Failed(source))) => {
                return Err(failed("reading from a program failed", source));
            }
            Err(_) => {
                output.ended = Ended::TimeLimit;
                break;
            }
        }
    }
    Ok(output)
}

/// Why reading stopped before the programs ended.
enum Stop {
    Full,
    Failed(io::Error),
}

/// The programs of one pipeline.
struct Running {
    children: Children,
    stdout: Receiver,
    stderr: Receiver,
}

impl Running {
    fn start(
        commands: &[Command],
        runnable: &Runnable,
        options: &RunOptions,
    ) -> Result<Self, Error> {
        let no_pipe = |source| failed("no pipe could be made", source);
        // An end for writing that stayed open in this process would keep the reader waiting for ever,
        // so each goes to its program by value.
        let (mut stdout, writer) = io::pipe().map_err(no_pipe)?;
        drop(writer);
        let (stderr, errors) = io::pipe().map_err(no_pipe)?;
        let mut children = Children(Vec::with_capacity(commands.len()));
        let memory = options.max_memory_bytes / commands.len().max(1) as u64;
        for (index, command) in commands.iter().enumerate() {
            let (reader, writer) = io::pipe().map_err(no_pipe)?;
            let before = std::mem::replace(&mut stdout, reader);
            let input = if index == 0 {
                Stdio::null()
            } else {
                Stdio::from(before)
            };
            let mut process = process(command, runnable, options)?;
            let errors = match command.errors {
                ErrorOutput::Apart => Stdio::from(errors.try_clone().map_err(no_pipe)?),
                ErrorOutput::Dropped => Stdio::null(),
                ErrorOutput::WithOutput => Stdio::from(writer.try_clone().map_err(no_pipe)?),
            };
            process.stdin(input).stdout(writer).stderr(errors);
            let child = process.spawn().map_err(|source| {
                let name = command.program.name();
                Error::new(ErrorKind::Io, format!("`{name}` could not be started")).with(source)
            })?;
            limit_memory(&child, memory)
                .map_err(|source| failed("a program's memory could not be limited", source))?;
            children.0.push(child);
        }
        Ok(Self {
            children,
            stdout: receiver(stdout)?,
            stderr: receiver(stderr)?,
        })
    }

    /// Reads until every program has closed its output, then waits for each.
    async fn finish(
        &mut self,
        output: &mut RunOutput,
        options: &RunOptions,
    ) -> Result<Option<ExitStatus>, Stop> {
        tokio::try_join!(
            read_output(
                &mut self.stdout,
                &mut output.stdout,
                options.max_output_bytes
            ),
            read_errors(
                &mut self.stderr,
                &mut output.stderr,
                &mut output.stderr_cut,
                options.max_error_bytes
            ),
        )?;
        let mut last = None;
        for child in &mut self.children.0 {
            last = Some(child.wait().await.map_err(Stop::Failed)?);
        }
        Ok(last)
    }
}

/// Started programs; those that still run when this is dropped are killed.
struct Children(Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        for child in &self.0 {
            // An id is there as long as the process was not waited for, so it names no other process.
            let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
            if let Some(id) = id {
                // Nothing can be done about a group that is gone already.
                let _ = kill_process_group(id, Signal::KILL);
            }
        }
    }
}

/// Limits what a program may still allocate. It has hardly begun: whoever is started is past the call
/// that replaces its image, and no program here needs much before it reads.
#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, prlimit};

    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let Some(id) = id else { return Ok(()) };
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    match prlimit(Some(id), Resource::As, limit) {
        // One that has ended already needs no limit.
        Ok(_) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// No other system lets a process limit another one.
#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps, reason = "the twin can fail")]
fn limit_memory(_: &Child, _: u64) -> io::Result<()> {
    Ok(())
}

fn process(command: &Command, runnable: &Runnable, options: &RunOptions) -> Result<Process, Error> {
    let name = command.program.name();
    let mut folders = OsString::new();
    for folder in &options.program_folders {
        if !folders.is_empty() {
            folders.push(":");
        }
        folders.push(folder);
    }
    let mut process = Process::new(locate(name, options)?);
    process
        .arg0(name)
        .args(&command.arguments)
        .current_dir(&runnable.directory)
        .env_clear()
        .env("PATH", folders)
        .env("LC_ALL", "C.UTF-8")
        .process_group(0)
        .kill_on_drop(true);
    Ok(process)
}

fn receiver(pipe: PipeReader) -> Result<Receiver, Error> {
    Receiver::from_owned_fd(OwnedFd::from(pipe))
        .map_err(|source| failed("a pipe could not be watched", source))
}

async fn read_output(pipe: &mut Receiver, kept: &mut Vec<u8>, most: usize) -> Result<(), Stop> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = pipe.read(&mut buffer).await.map_err(Stop::Failed)?;
        if count == 0 {
            return Ok(());
        }
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(room)]);
        if count > room {
            return Err(Stop::Full);
        }
    }
}

async fn read_errors(
    pipe: &mut Receiver,
    kept: &mut Vec<u8>,
    cut: &mut bool,
    most: usize,
) -> Result<(), Stop> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = pipe.read(&mut buffer).await.map_err(Stop::Failed)?;
        if count == 0 {
            return Ok(());
        }
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(room)]);
        *cut |= count > room;
    }
}

fn failed(what: &'static str, source: io::Error) -> Error {
    Error::new(ErrorKind::Io, what).with(source)
}

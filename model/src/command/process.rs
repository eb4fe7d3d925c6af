//! Runs a program: prompt in, answer out, nothing left behind.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::Instant;

use super::spec::CommandSpec;
use crate::error::{Error, ErrorKind};

/// A program that prints more than this is ended.
pub const MAX_COMMAND_OUTPUT_BYTES: usize = 8 * 1024 * 1024;

/// A process that the program left behind may hold its output open; it is not waited for longer.
const GRACE: Duration = Duration::from_secs(1);

/// Runs the program and returns what it printed.
///
/// Dropping the future ends the program and, on Unix, every process of its group.
pub(super) async fn run(
    spec: &CommandSpec,
    schema: Option<&str>,
    prompt: String,
    limit: Duration,
) -> Result<Vec<u8>, Error> {
    let deadline = Instant::now() + limit;
    let mut running = Running::start(spec, schema)?;
    let worked = tokio::time::timeout_at(deadline, running.converse(prompt)).await;
    let late = || {
        let detail = format!("the limit is {} ms", limit.as_millis());
        Error::new(ErrorKind::Timeout, detail).with_provider(&spec.name)
    };
    worked
        .map_err(|_| late())?
        .map_err(|error| error.with_provider(&spec.name))
}

/// A started program, ended when this is dropped before it has ended by itself.
struct Running {
    child: Child,
    ended: bool,
}

impl Running {
    fn start(spec: &CommandSpec, schema: Option<&str>) -> Result<Self, Error> {
        let mut command = Command::new(&spec.program);
        command
            .args(spec.arguments_for(schema))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Progress and warnings; they may quote the prompt and are not kept.
            .stderr(Stdio::null())
            .kill_on_drop(true);
        for name in &spec.removed {
            command.env_remove(name);
        }
        for (name, value) in &spec.environment {
            command.env(name, value);
        }
        if let Some(folder) = &spec.folder {
            command.current_dir(folder);
        }
        // A group of its own, so that what it starts can be ended with it.
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn().map_err(|error| {
            let detail = format!("`{}` cannot be started", spec.program.display());
            Error::new(ErrorKind::Command, detail).with_source(error)
        })?;
        Ok(Self {
            child,
            ended: false,
        })
    }

    async fn converse(&mut self, prompt: String) -> Result<Vec<u8>, Error> {
        let mut stdin = self.child.stdin.take();
        let mut stdout = self.child.stdout.take();
        let write = async {
            if let Some(mut pipe) = stdin.take() {
                // A program that has read enough closes its end: its answer counts, not this error.
                let _ = pipe.write_all(prompt.as_bytes()).await;
                let _ = pipe.shutdown().await;
            }
        };
        let mut printed = Vec::new();
        let collect = async {
            match &mut stdout {
                Some(pipe) => read_bounded(pipe, &mut printed).await,
                None => Ok(()),
            }
        };
        // Both ends at once: a program may answer before it has read everything.
        let child = &mut self.child;
        let collected = join_until_ended(write, collect, child).await;
        let status = match collected {
            Ok(status) => status,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let detail = format!("it is longer than {MAX_COMMAND_OUTPUT_BYTES} bytes");
                return Err(Error::bad_answer(detail));
            }
            Err(error) => {
                return Err(Error::new(ErrorKind::Command, "its pipes broke").with_source(error));
            }
        };
        self.ended = true;
        if status.success() {
            return Ok(printed);
        }
        Err(Error::new(
            ErrorKind::Command,
            format!("it ended with {status}"),
        ))
    }
}

/// Writes and reads until the output ends, then waits for the program; or the other way round, when a
/// process it left behind keeps the output open.
async fn join_until_ended(
    write: impl Future<Output = ()>,
    collect: impl Future<Output = io::Result<()>>,
    child: &mut Child,
) -> io::Result<std::process::ExitStatus> {
    let mut write = std::pin::pin!(write);
    let mut collect = std::pin::pin!(collect);
    let mut written = false;
    let mut read: Option<io::Result<()>> = None;
    let status = {
        let mut wait = std::pin::pin!(child.wait());
        std::future::poll_fn(|context| {
            if !written && write.as_mut().poll(context).is_ready() {
                written = true;
            }
            if read.is_none()
                && let std::task::Poll::Ready(result) = collect.as_mut().poll(context)
            {
                let failed = result.is_err();
                read = Some(result);
                if failed {
                    return std::task::Poll::Ready(None);
                }
            }
            wait.as_mut().poll(context).map(Some)
        })
        .await
    };
    let Some(status) = status else {
        return Err(read
            .and_then(Result::err)
            .unwrap_or_else(|| io::ErrorKind::Other.into()));
    };
    if read.is_none()
        && let Ok(result) = tokio::time::timeout(GRACE, collect).await
    {
        result?;
    }
    status
}

async fn read_bounded(
    pipe: &mut (impl AsyncReadExt + Unpin),
    printed: &mut Vec<u8>,
) -> io::Result<()> {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let count = pipe.read(&mut chunk).await?;
        if count == 0 {
            return Ok(());
        }
        if printed.len() + count > MAX_COMMAND_OUTPUT_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        printed.extend_from_slice(&chunk[..count]);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            end_group(&mut self.child);
        }
    }
}

/// Ends the program and everything in its group. It has not been waited for yet, so its number cannot
/// belong to anybody else.
#[cfg(unix)]
fn end_group(child: &mut Child) {
    let group = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.start_kill();
}

/// Ends the program. Windows has no groups of this kind; its helpers end when their pipes close.
#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.start_kill();
}

//! Asks a program for a key, such as a password manager.

use std::io::Read as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use agent_model::ApiKey;

use crate::error::{Error, ErrorKind};

/// A program that takes longer waits for somebody who is not there.
const TIME: Duration = Duration::from_secs(20);

/// No key is longer.
const MAX_BYTES: u64 = 16 << 10;

/// Runs the program, without a shell, and takes the first line it prints. What it prints is shown nowhere.
pub(super) fn ask(words: &[String]) -> Result<ApiKey, Error> {
    let failed = |what: String| Error::new(ErrorKind::Model, format!("the key command {what}"));
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| failed("is empty".to_owned()))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(format!("cannot be started ({})", error.kind())))?;
    let mut output = child
        .stdout
        .take()
        .expect("a pipe because one was asked for")
        .take(MAX_BYTES);
    let (sender, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        // Nobody listens any more when time was up.
        let _ = sender.send(read.map(|_| bytes));
    });
    let printed = printed.recv_timeout(TIME);
    let status = end(&mut child, printed.is_ok())
        .map_err(|error| failed(format!("was lost ({})", error.kind())))?;
    let bytes = match printed {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(failed(format!("cannot be read ({})", error.kind()))),
        Err(_) => return Err(failed(format!("took longer than {} s", TIME.as_secs()))),
    };
    if !status.success() {
        return Err(failed(format!("failed ({status})")));
    }
    let text = String::from_utf8_lossy(&bytes);
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => Ok(ApiKey::new(line)),
        None => Err(failed("printed nothing".to_owned())),
    }
}

/// Waits a moment for a program that has closed its output, and ends one that stays.
fn end(child: &mut Child, has_printed: bool) -> std::io::Result<ExitStatus> {
    const LOOKS: u32 = 100;
    for _ in 0..if has_printed { LOOKS } else { 0 } {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(TIME / 1_000);
    }
    // It may have ended in between.
    let _ = child.kill();
    child.wait()
}

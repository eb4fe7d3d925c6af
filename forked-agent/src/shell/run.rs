//! Runs prepared commands without a shell, within limits.

use std::path::PathBuf;
use std::time::Duration;

use super::prepare::Runnable;
use crate::error::{Error, ErrorKind};

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use self::unix as system;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use self::other as system;

/// Limits of a run, and where programs are looked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOptions {
    /// How long all programs together may take. Default 10 s.
    pub time_limit: Duration,
    /// How many bytes of output are kept; the programs are ended when there is more. Default 64 KiB.
    pub max_output_bytes: usize,
    /// How many bytes of error output are kept; what is more is dropped. Default 8 KiB.
    pub max_error_bytes: usize,
    /// How much address space the programs of one pipeline may have together, in bytes, in equal parts.
    /// Default 1 GiB. Kept on Linux only; elsewhere the time limit is all there is.
    ///
    /// `tail -c` on a pipe, `grep` on one long line and large repetitions in an expression take as much
    /// as they are given.
    pub max_memory_bytes: u64,
    /// Where programs are looked for, absolute, in this order. Default `/usr/bin`, `/bin`.
    pub program_folders: Vec<PathBuf>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(10),
            max_output_bytes: 64 * 1_024,
            max_error_bytes: 8 * 1_024,
            max_memory_bytes: 1 << 30,
            program_folders: vec!["/usr/bin".into(), "/bin".into()],
        }
    }
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// Every program that was to run has ended.
    Finished,
    /// The time limit was reached; the programs were ended.
    TimeLimit,
    /// The output limit was reached; the programs were ended.
    OutputLimit,
}

/// What a run printed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunOutput {
    /// The output, at most [`RunOptions::max_output_bytes`].
    pub stdout: Vec<u8>,
    /// The error output, at most [`RunOptions::max_error_bytes`].
    pub stderr: Vec<u8>,
    /// Whether error output was dropped.
    pub stderr_cut: bool,
    /// The exit code of the last program that ended by itself, as a shell would report it.
    pub code: Option<i32>,
    /// Why the run is over; anything but [`Ended::Finished`] means that output is missing.
    pub ended: Ended,
}

impl Runnable {
    /// Runs the command and returns what it printed.
    ///
    /// Each program is started by its absolute path with the decoded arguments, in the scope's folder,
    /// with `PATH` and `LC_ALL=C.UTF-8` as its whole environment, without input unless another program
    /// feeds it, in a process group of its own. When the returned future is dropped, or a limit is
    /// reached, the programs are killed. A program that fails is no error: see [`RunOutput::code`].
    ///
    /// Call it inside a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ProgramMissing`] when a program is in none of the folders,
    /// [`ErrorKind::Io`] when a pipe or a process cannot be made,
    /// [`ErrorKind::Unsupported`] on systems other than Unix.
    pub async fn run(&self, options: &RunOptions) -> Result<RunOutput, Error> {
        system::run(self, options).await
    }
}

/// Returns the absolute path of a program.
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix starts programs"))]
fn locate(name: &str, options: &RunOptions) -> Result<PathBuf, Error> {
    options
        .program_folders
        .iter()
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Error::new(
                ErrorKind::ProgramMissing,
                format!("`{name}` is not installed"),
            )
        })
}

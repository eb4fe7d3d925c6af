//! Systems without the programs this crate knows.

use super::{RunOptions, RunOutput};
use crate::error::{Error, ErrorKind};
use crate::shell::prepare::Runnable;

#[allow(
    clippy::unused_async,
    reason = "the twin for Unix waits; both have the same surface"
)]
pub(super) async fn run(_: &Runnable, _: &RunOptions) -> Result<RunOutput, Error> {
    Err(Error::new(
        ErrorKind::Unsupported,
        "read-only commands run on Unix only",
    ))
}

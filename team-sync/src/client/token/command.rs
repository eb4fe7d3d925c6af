//! A token that a program prints, such as `gh auth token`.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::{MOST_BYTES, TokenProvider, parse};
use crate::client::http::Token;
use crate::error::{Error, ErrorKind};

/// How long the program may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A program that prints the token. No shell reads the words, and nothing of its output is ever shown.
#[derive(Clone)]
pub struct CommandToken {
    words: Vec<String>,
    search_path: String,
    time_limit: Duration,
}

/// Shows the program only: arguments may hold a secret.
impl fmt::Debug for CommandToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CommandToken")
            .field("program", &self.words.first())
            .finish_non_exhaustive()
    }
}

impl CommandToken {
    /// A program with its arguments. It is an absolute path, or a name that is looked for in the absolute
    /// folders of `search_path`: relative ones could be folders of a repository.
    pub fn new(words: Vec<String>, search_path: &str) -> Self {
        Self {
            words,
            search_path: search_path.to_owned(),
            time_limit: TIME_LIMIT,
        }
    }

    /// Sets how long the program may take; 10 seconds.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    fn program(&self) -> Option<PathBuf> {
        let name = Path::new(self.words.first()?);
        if name.is_absolute() {
            return Some(name.to_owned());
        }
        if name.components().count() != 1 {
            return None;
        }
        let folders =
            std::env::split_paths(&self.search_path).filter(|folder| folder.is_absolute());
        let with_suffix = format!("{}{}", name.display(), std::env::consts::EXE_SUFFIX);
        folders
            .map(|folder| folder.join(&with_suffix))
            .find(|program| program.is_file())
    }
}

impl TokenProvider for CommandToken {
    fn token(&self) -> Result<Option<Token>, Error> {
        let shown = self.words.first().map_or("", String::as_str);
        let failed = |why: &str| {
            Error::new(
                ErrorKind::Token,
                format!("the token command {shown:?} {why}"),
            )
        };
        let program = self.program().ok_or_else(|| {
            failed("was not found; name it by an absolute path or by a name on the search path")
        })?;
        let child = Command::new(program)
            .args(&self.words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // What it says there may hold the token, too.
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(&format!("cannot be started: {error}")))?;
        let output = answer(child, self.time_limit).map_err(|why| failed(&why))?;
        parse(&output, &format!("the command {shown:?}")).map(Some)
    }
}

/// What the program prints, within limits.
fn answer(mut child: Child, limit: Duration) -> Result<Vec<u8>, String> {
    let output = child
        .stdout
        .take()
        .expect("its output is piped because it was started so");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output
            .take(MOST_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map(|_| bytes);
        // Nobody listens any more when the time is over.
        drop(sender.send(read));
    });
    let answer = receiver.recv_timeout(limit);
    if !matches!(&answer, Ok(Ok(bytes)) if bytes.len() <= MOST_BYTES) {
        // It may wait for somebody to read on, or for ever.
        drop(child.kill());
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let bytes = match answer {
        Err(_) => return Err(format!("took longer than {} seconds", limit.as_secs())),
        Ok(Err(error)) => return Err(format!("cannot be read: {error}")),
        Ok(Ok(bytes)) if bytes.len() > MOST_BYTES => return Err("says too much".into()),
        Ok(Ok(bytes)) => bytes,
    };
    if !status.success() {
        return Err(format!("failed ({status}); run it by hand to see why"));
    }
    Ok(bytes)
}

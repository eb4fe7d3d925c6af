//! The exit codes, which scripts rely on.

use std::process::ExitCode;

use memstrata::{extract, memdir, pathguard, recall};

/// How the program ended. The numbers are part of the interface (`memstrata --help` lists them).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// The command looked and found something: secrets, lint findings, stale claims, differences.
    Found = 1,
    /// Wrong use.
    Usage = 2,
    /// Refused for safety: a path, a secret, an untrusted setting.
    Refused = 3,
    /// Not found.
    NotFound = 4,
    /// A conflict, or busy because a lock is held.
    Conflict = 5,
    /// The remote side or the model cannot be reached.
    Unavailable = 6,
    /// A bug in this program.
    Bug = 70,
    /// Input or output failed: disk full, permission.
    InputOutput = 74,
}

impl Exit {
    /// All codes with the words that the help shows.
    pub(crate) const TABLE: &'static [(Exit, &'static str)] = &[
        (Exit::Done, "done"),
        (
            Exit::Found,
            "looked and found something (secrets, lint findings, stale claims)",
        ),
        (Exit::Usage, "wrong use"),
        (
            Exit::Refused,
            "refused for safety (path, secret, untrusted setting)",
        ),
        (Exit::NotFound, "not found"),
        (Exit::Conflict, "conflict, or busy because a lock is held"),
        (Exit::Unavailable, "remote or model unavailable"),
        (Exit::Bug, "a bug in this program"),
        (
            Exit::InputOutput,
            "input or output failed (disk full, permission)",
        ),
    ];

    /// The name in JSON.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::Found => "found",
            Exit::Usage => "usage",
            Exit::Refused => "refused",
            Exit::NotFound => "not-found",
            Exit::Conflict => "conflict",
            Exit::Unavailable => "unavailable",
            Exit::Bug => "bug",
            Exit::InputOutput => "input-output",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error that knows its exit code, so that the decision is made where the cause is known.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The code the program ends with.
    pub(crate) exit: Exit,
    /// What to tell the person.
    pub(crate) error: anyhow::Error,
}

impl Failure {
    /// Returns a failure with a message of our own.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure {
            exit,
            error: anyhow::Error::msg(message.into()),
        }
    }

    /// Returns the failure once more, in words: for one that several ask about.
    pub(crate) fn repeated(&self) -> Self {
        Failure::new(self.exit, chain(self.error.as_ref()))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure {
            exit: Exit::InputOutput,
            error: error.into(),
        }
    }
}

impl From<memdir::Error> for Failure {
    fn from(error: memdir::Error) -> Self {
        Failure {
            exit: memory_exit(&error),
            error: error.into(),
        }
    }
}

fn memory_exit(error: &memdir::Error) -> Exit {
    use memdir::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => Exit::NotFound,
        // The name fits several: the person has to say which.
        ErrorKind::Ambiguous => Exit::Usage,
        ErrorKind::StaleHash | ErrorKind::Busy => Exit::Conflict,
        ErrorKind::Secret | ErrorKind::TooLarge | ErrorKind::Refused => Exit::Refused,
        _ => Exit::InputOutput,
    }
}

impl From<extract::Error> for Failure {
    fn from(error: extract::Error) -> Self {
        use extract::ErrorKind;
        let exit = match error.kind() {
            ErrorKind::Busy | ErrorKind::LeaseLost | ErrorKind::Cancelled => Exit::Conflict,
            ErrorKind::Model => Exit::Unavailable,
            ErrorKind::Internal => Exit::Bug,
            _ => Exit::InputOutput,
        };
        Failure {
            exit,
            error: error.into(),
        }
    }
}

impl From<memstrata::Error> for Failure {
    fn from(error: memstrata::Error) -> Self {
        use memstrata::ErrorKind;
        let exit = match error.kind() {
            ErrorKind::SessionId => Exit::Refused,
            ErrorKind::Compaction => Exit::Found,
            ErrorKind::Model | ErrorKind::Team => Exit::Unavailable,
            ErrorKind::Memory => return memory_failure(error),
            _ => Exit::InputOutput,
        };
        Failure {
            exit,
            error: error.into(),
        }
    }
}

/// Where the memory folder is the cause, what the crate below says is enough.
fn memory_failure(error: memstrata::Error) -> Failure {
    let source = std::error::Error::source(&error);
    let cause = source.and_then(|source| {
        let memory = source.downcast_ref().map(memory_exit);
        let exit = memory.or_else(|| source.downcast_ref().map(path_exit))?;
        Some((exit, chain(source)))
    });
    match cause {
        Some((exit, said)) => Failure::new(exit, said),
        None => Failure {
            exit: Exit::InputOutput,
            error: error.into(),
        },
    }
}

impl From<pathguard::Error> for Failure {
    fn from(error: pathguard::Error) -> Self {
        Failure {
            exit: path_exit(&error),
            error: error.into(),
        }
    }
}

fn path_exit(error: &pathguard::Error) -> Exit {
    use pathguard::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => Exit::NotFound,
        ErrorKind::Busy | ErrorKind::Exists | ErrorKind::NotEmpty => Exit::Conflict,
        ErrorKind::Io | ErrorKind::Unsupported => Exit::InputOutput,
        _ => Exit::Refused,
    }
}

impl From<recall::Error> for Failure {
    fn from(error: recall::Error) -> Self {
        Failure {
            exit: Exit::InputOutput,
            error: error.into(),
        }
    }
}

/// Returns an error with its causes, as one sentence.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    /// What libraries say of a file that is not there; the system's own words would only repeat it.
    const NOT_THERE: [&str; 2] = ["no such file or folder", "does not exist"];
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let system = inner.downcast_ref::<std::io::Error>();
        if system.is_some_and(|system| system.kind() == std::io::ErrorKind::NotFound)
            && NOT_THERE.iter().any(|words| text.ends_with(words))
        {
            break;
        }
        let words = inner.to_string();
        // Some errors say what their cause says.
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::io;

    use super::chain;

    #[derive(Debug)]
    struct Said(&'static str, io::Error);

    impl fmt::Display for Said {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(self.0)
        }
    }

    impl std::error::Error for Said {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.1)
        }
    }

    #[test]
    fn what_is_not_there_is_said_once() {
        let not_found = || io::Error::from(io::ErrorKind::NotFound);
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let table = [
            (
                Said("`a`: does not exist", not_found()),
                "`a`: does not exist",
            ),
            (
                Said("no such file or folder", not_found()),
                "no such file or folder",
            ),
            (
                Said("cannot be read", not_found()),
                "cannot be read: entity not found",
            ),
            (
                Said("`a`: does not exist", denied()),
                "`a`: does not exist: permission denied",
            ),
        ];
        for (error, said) in table {
            assert_eq!(chain(&error), said);
        }
    }
}

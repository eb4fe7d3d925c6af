//! The one place where the program reads its environment, and the table that documents it.

use std::ffi::OsString;
use std::path::PathBuf;

/// A variable that the program reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    /// The name.
    pub(crate) name: &'static str,
    /// What it does, as shown by the manual page.
    pub(crate) effect: &'static str,
}

/// Every variable, in the order of the documentation.
pub(crate) const VARIABLES: &[Variable] = &[
    Variable {
        name: "NO_COLOR",
        effect: "no colours, whatever its value (https://no-color.org)",
    },
    Variable {
        name: "HOME",
        effect: "where `~` and the default home folder are; USERPROFILE on Windows",
    },
];

/// What was read, once, at the start.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Whether `NO_COLOR` is set to something.
    pub(crate) no_color: bool,
    /// The person's home folder.
    pub(crate) user_home: Option<PathBuf>,
    /// The folder the program was started in.
    pub(crate) current_dir: PathBuf,
}

impl Environment {
    /// Reads the process environment.
    ///
    /// # Errors
    /// When the current folder cannot be told, for example because it was removed.
    pub(crate) fn read() -> std::io::Result<Self> {
        let user_home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        Ok(Environment {
            no_color: variable("NO_COLOR").is_some(),
            user_home: variable(user_home).map(PathBuf::from),
            current_dir: std::env::current_dir()?,
        })
    }
}

/// An empty variable counts as not set, as the NO_COLOR convention and most shells' users expect.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

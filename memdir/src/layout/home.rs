//! `<home>`: the folder that holds the projects.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::settings::Environment;

/// The folder that holds `projects/`, and what chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    source: HomeSource,
}

/// What chose the home folder. In order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HomeSource {
    /// An argument of the program (`--home`).
    Argument,
    /// The variable `MEMSTRATA_HOME`.
    MemstrataHome,
    /// The variable `CLAUDE_CONFIG_DIR`.
    ClaudeConfigDir,
    /// `~/.claude`.
    Default,
}

impl Home {
    /// Chooses: the argument, `MEMSTRATA_HOME`, `CLAUDE_CONFIG_DIR`, `~/.claude`.
    ///
    /// A relative argument is taken from the working directory. `~/` at the start of a variable
    /// stands for the user's home folder, as a shell would have replaced it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when a variable holds a relative path
    /// (it would mean another folder in every working directory) or nothing names a home.
    ///
    /// # Example
    ///
    /// ```
    /// use memdir::{Environment, Home, HomeSource};
    ///
    /// let environment = Environment::new("/work").with_user_home("/home/ana");
    /// let home = Home::choose(None, &environment)?;
    /// assert_eq!(home.path(), std::path::Path::new("/home/ana/.claude"));
    /// assert_eq!(home.source(), HomeSource::Default);
    /// # Ok::<(), memdir::Error>(())
    /// ```
    pub fn choose(argument: Option<&Path>, environment: &Environment) -> Result<Self, Error> {
        if let Some(argument) = argument {
            return Ok(Self {
                path: environment.current_dir().join(argument),
                source: HomeSource::Argument,
            });
        }
        let variables = [
            ("MEMSTRATA_HOME", HomeSource::MemstrataHome),
            ("CLAUDE_CONFIG_DIR", HomeSource::ClaudeConfigDir),
        ];
        for (name, source) in variables {
            let Some(value) = environment.variable(name) else {
                continue;
            };
            let path = expanded(value, environment);
            if !path.is_absolute() {
                return Err(Error::refused("holds a relative path")
                    .with_path(name)
                    .with_remedy("set it to an absolute one"));
            }
            return Ok(Self { path, source });
        }
        match environment.user_home() {
            Some(home) => Ok(Self {
                path: home.join(".claude"),
                source: HomeSource::Default,
            }),
            None => Err(Error::refused("no home folder is known")
                .with_remedy("set MEMSTRATA_HOME to the folder that shall hold the memories")),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What chose it.
    pub fn source(&self) -> HomeSource {
        self.source
    }
}

fn expanded(value: &str, environment: &Environment) -> PathBuf {
    match (value.strip_prefix("~/"), environment.user_home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(value),
    }
}

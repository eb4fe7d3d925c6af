//! The process environment as a value. Nothing in this crate reads the real one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Overrides `<home>`, the folder that holds `projects/`.
pub(crate) const MEMSTRATA_HOME: &str = "MEMSTRATA_HOME";
/// Sets the memory folder itself.
pub(crate) const MEMSTRATA_MEMORY_DIR: &str = "MEMSTRATA_MEMORY_DIR";
/// Switches everything off.
pub(crate) const MEMSTRATA_DISABLE: &str = "MEMSTRATA_DISABLE";
/// Where the team server is.
pub(crate) const MEMSTRATA_TEAM_URL: &str = "MEMSTRATA_TEAM_URL";
/// Moves Claude Code's home, and with it `<home>`.
pub(crate) const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Switches auto memory off (`1`) or on (`0`) against every settings file.
pub(crate) const CLAUDE_CODE_DISABLE_AUTO_MEMORY: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";

/// One environment variable that is honoured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
}

/// Every environment variable that this crate honours, for help texts.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: MEMSTRATA_HOME,
        meaning: "The folder that holds projects/; goes before CLAUDE_CONFIG_DIR.",
    },
    Variable {
        name: CLAUDE_CONFIG_DIR,
        meaning: "The folder that holds projects/, as Claude Code uses it; moves nothing else.",
    },
    Variable {
        name: MEMSTRATA_MEMORY_DIR,
        meaning: "The memory folder itself, absolute or beginning with ~/ and a name.",
    },
    Variable {
        name: MEMSTRATA_DISABLE,
        meaning: "1 switches all layers off: nothing happens by itself; a command that a person gives still works.",
    },
    Variable {
        name: CLAUDE_CODE_DISABLE_AUTO_MEMORY,
        meaning: "1 switches the persistent and team layers off, 0 on, against every settings file.",
    },
    Variable {
        name: MEMSTRATA_TEAM_URL,
        meaning: "The address of the team server, such as https://memory.example.com; switches the team layer on.",
    },
];

/// The environment as the caller wants it seen: variables, home folder, working directory.
///
/// # Example
///
/// ```
/// use memdir::Environment;
///
/// let environment = Environment::new("/work/app")
///     .with_user_home("/home/ana")
///     .with_variable("MEMSTRATA_HOME", "/data/agents");
/// assert_eq!(environment.variable("MEMSTRATA_HOME"), Some("/data/agents"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    user_home: Option<PathBuf>,
    current_dir: PathBuf,
}

impl Environment {
    /// An environment without variables and without a home folder.
    pub fn new(current_dir: impl Into<PathBuf>) -> Self {
        Self {
            current_dir: current_dir.into(),
            ..Self::default()
        }
    }

    /// Sets the user's home folder, to which `~` refers.
    #[must_use]
    pub fn with_user_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.user_home = Some(home.into());
        self
    }

    /// Sets one variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets the variables that `variables` yields; the program passes `std::env::vars()` here.
    #[must_use]
    pub fn with_variables<I>(mut self, variables: I) -> Self
    where
        I: IntoIterator<Item = (String, String)>,
    {
        self.variables.extend(variables);
        self
    }

    /// The value of a variable. An empty value counts as not set.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The user's home folder.
    pub fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// The working directory, to which relative arguments refer.
    pub fn current_dir(&self) -> &Path {
        &self.current_dir
    }

    /// Whether a variable holds one of the usual spellings of yes or no.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        match self.variable(name)?.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn for_pathguard(&self) -> pathguard::Env {
        pathguard::Env::new(self.user_home.clone(), self.current_dir.clone())
    }
}

/// Shows the names of the variables only: their values may be tokens.
impl std::fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("variables", &self.variables.keys().collect::<Vec<_>>())
            .field("user_home", &self.user_home)
            .field("current_dir", &self.current_dir)
            .finish()
    }
}

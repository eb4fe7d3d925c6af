//! The one place where the program reads its environment, and the table that documents it.

use std::ffi::OsString;
use std::path::PathBuf;

use memstrata::memdir::{GitProgram, VARIABLES};
use memstrata::team_sync::client::Token;

/// Marks processes that hooks have started, against hooks that start hooks.
pub(crate) const INSIDE_HOOK: &str = memstrata::RECURSION_VARIABLE;

/// Where an agent says which folder it was started in. Source: the hook pages of Claude Code's and Gemini
/// CLI's public documentation.
const AGENT_PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// Where Codex keeps its settings. Source: Codex's public documentation.
const CODEX_HOME: &str = "CODEX_HOME";

/// Where programs keep their settings. Source: the XDG base directory specification.
const CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// The variables of the program itself. Those that decide where memories are kept are listed, in the same
/// form, by `memdir::VARIABLES`.
pub(crate) const PROGRAM_VARIABLES: &[(&str, &str)] = &[
    (
        "NO_COLOR",
        "No colours, whatever its value (https://no-color.org).",
    ),
    (
        "MEMSTRATA_TEAM_TOKEN",
        "The token for the team server; goes before a token file, a command and `team login`.",
    ),
    (
        "USER",
        "Who is shown in the team's history; USERNAME on Windows.",
    ),
    (
        "ANTHROPIC_API_KEY",
        "The key of a model whose backend is anthropic; model.key_variable names another one.",
    ),
    (
        "OPENAI_API_KEY",
        "The same for the backend openai at its own address.",
    ),
    (
        "PATH",
        "Where git is looked for; it tells which repository a project is.",
    ),
    (
        "HOME",
        "Where `~` and the default home folder are; USERPROFILE on Windows.",
    ),
    (
        AGENT_PROJECT,
        "The folder an agent was started in, for `hook` and `mcp`; set by the agent.",
    ),
    (
        CODEX_HOME,
        "Where Codex keeps its settings, for `setup codex` (default: ~/.codex).",
    ),
    (
        CONFIG_HOME,
        "Where opencode keeps its settings, for `setup opencode` (default: ~/.config).",
    ),
    (
        INSIDE_HOOK,
        "Set for the background worker of the hooks and all that it starts: a hook that sees it does nothing.",
    ),
];

/// Returns every variable with its meaning, in the order of the documentation.
pub(crate) fn documented() -> impl Iterator<Item = (&'static str, &'static str)> {
    let memory = VARIABLES.iter().map(|known| (known.name, known.meaning));
    memory.chain(PROGRAM_VARIABLES.iter().copied())
}

/// What was read, once, at the start.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Whether `NO_COLOR` is set to something.
    pub(crate) no_color: bool,
    /// The person's home folder.
    pub(crate) user_home: Option<PathBuf>,
    /// The folder the program was started in.
    pub(crate) current_dir: PathBuf,
    /// The token for the team server, when it was given here.
    pub(crate) team_token: Option<Token>,
    /// What the person is called on this machine.
    pub(crate) user_name: Option<String>,
    /// Where programs are looked for.
    search_path: Option<String>,
    /// The folder an agent says it was started in.
    pub(crate) agent_project: Option<PathBuf>,
    /// Where Claude Code keeps its settings, when that is not `~/.claude`.
    pub(crate) claude_config: Option<PathBuf>,
    /// Where Codex keeps its settings, when that is not `~/.codex`.
    pub(crate) codex_home: Option<PathBuf>,
    /// Where programs keep their settings, when that is not `~/.config`.
    pub(crate) config_home: Option<PathBuf>,
    /// Whether a hook of ours is among those who started this process.
    pub(crate) is_inside_hook: bool,
    /// The variables that the memory folder depends on, as far as they are set.
    pub(crate) variables: Vec<(String, String)>,
}

impl Environment {
    /// Reads the process environment.
    ///
    /// # Errors
    /// When the current folder cannot be told, for example because it was removed.
    pub(crate) fn read() -> std::io::Result<Self> {
        Ok(Self::read_in(std::env::current_dir()?))
    }

    /// As [`Environment::read`], also where the current folder cannot be told: then it is the root.
    pub(crate) fn read_anywhere() -> Self {
        Self::read_in(std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")))
    }

    fn read_in(current_dir: PathBuf) -> Self {
        let user_home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let user_name = if cfg!(windows) { "USERNAME" } else { "USER" };
        Environment {
            team_token: text("MEMSTRATA_TEAM_TOKEN").map(|token| Token::new(&token)),
            user_name: text(user_name),
            no_color: variable("NO_COLOR").is_some(),
            // One that is relative would be another folder for each project.
            user_home: variable(user_home)
                .map(PathBuf::from)
                .filter(|home| home.is_absolute()),
            current_dir,
            search_path: text("PATH"),
            agent_project: variable(AGENT_PROJECT).map(PathBuf::from),
            claude_config: variable("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            codex_home: variable(CODEX_HOME).map(PathBuf::from),
            config_home: variable(CONFIG_HOME).map(PathBuf::from),
            is_inside_hook: variable(INSIDE_HOOK).is_some(),
            variables: VARIABLES
                .iter()
                .filter_map(|known| Some((known.name.to_owned(), text(known.name)?)))
                .collect(),
        }
    }
}

/// The git program, and the search path that it needs itself.
#[derive(Debug)]
pub(crate) struct GitFound {
    program: PathBuf,
    search_path: String,
}

impl GitFound {
    /// Returns what `memdir` needs to run it.
    pub(crate) fn program(&self) -> GitProgram<'_> {
        GitProgram {
            program: &self.program,
            search_path: &self.search_path,
        }
    }
}

impl Environment {
    /// Where programs are looked for.
    pub(crate) fn search_path(&self) -> Option<&str> {
        self.search_path.as_deref()
    }

    /// A variable that a setting of the person names, such as the one that holds a model's key.
    #[expect(
        clippy::unused_self,
        reason = "whoever has the environment may look it up"
    )]
    pub(crate) fn lookup(&self, name: &str) -> Option<String> {
        text(name)
    }

    /// Whether this program can be started: a path that is there, or a name on the search path.
    pub(crate) fn can_run(&self, program: &str) -> bool {
        let path = std::path::Path::new(program);
        if path.components().count() > 1 {
            return path.is_file();
        }
        self.find(program).is_some()
    }

    /// Looks for git on the search path.
    pub(crate) fn git(&self) -> Option<GitFound> {
        Some(GitFound {
            program: self.find("git")?,
            search_path: self.search_path.clone()?,
        })
    }

    /// How other programs start this one: by its name where that finds it, else by its path.
    ///
    /// # Errors
    /// When the path cannot be told.
    pub(crate) fn program(&self) -> std::io::Result<String> {
        let own = std::env::current_exe()?;
        let found = self.find("memstrata");
        let is_own = found.is_some_and(|found| {
            std::fs::canonicalize(found).ok() == std::fs::canonicalize(&own).ok()
        });
        Ok(if is_own {
            "memstrata".to_owned()
        } else {
            own.to_string_lossy().into_owned()
        })
    }

    /// Looks for a program on the search path. Relative entries are passed over: they would name whatever
    /// the current folder holds.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::split_paths(self.search_path.as_ref()?);
        folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|program| program.is_file())
    }
}

/// An empty variable counts as not set, as the NO_COLOR convention and most shells' users expect.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A variable that is not Unicode cannot name anything of ours; it counts as not set.
fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

//! Which program is asked, and how.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::provider::{Provider, Vendor};

/// Stands in an argument for the answer schema as JSON; an argument that is exactly this, and the one
/// before it, are left out when the request asks for no schema and offers no tools.
pub const SCHEMA_PLACEHOLDER: &str = "{schema}";

/// What a program writes on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CommandOutput {
    /// The answer itself.
    #[default]
    Text,
    /// One JSON object with `result`, `is_error`, `usage` and perhaps `structured_output`, as
    /// `claude -p --output-format json` prints it; a list of such objects counts by its last result.
    ClaudeJson,
}

/// A program that answers a prompt: arguments, environment, and who is behind it.
///
/// `Debug` shows the program and the number of arguments: a setting may hold a token.
#[derive(Clone)]
#[non_exhaustive]
pub struct CommandSpec {
    /// The program; looked up in the search path unless it holds a separator. On Windows a script needs
    /// its extension, such as `claude.cmd`.
    pub program: PathBuf,
    /// Its arguments; no shell is involved.
    pub arguments: Vec<OsString>,
    /// Variables set on top of the inherited ones. A host puts its recursion guard here, so that hooks
    /// inside the program know whose child they are.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables taken out of the inherited ones.
    pub removed: Vec<OsString>,
    /// The working folder; the host's own when absent. An empty folder keeps project files and
    /// instruction files out of the answer.
    pub folder: Option<PathBuf>,
    /// What comes on stdout.
    pub output: CommandOutput,
    /// Who receives the text in the end.
    pub provider: Provider,
    /// The name that prices are looked up under.
    pub name: String,
}

impl CommandSpec {
    /// Returns a program without arguments that prints its answer as text.
    pub fn new(program: impl Into<PathBuf>, provider: Provider) -> Self {
        let program = program.into();
        let name = program.file_stem().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into_owned(),
            program,
            arguments: Vec::new(),
            environment: Vec::new(),
            removed: Vec::new(),
            folder: None,
            output: CommandOutput::Text,
            provider,
        }
    }

    /// Returns Claude Code's headless mode: one turn, no tools, no hooks, no MCP servers, no memory of
    /// its own, nothing kept of the session.
    ///
    /// ```
    /// use agent_model::CommandSpec;
    ///
    /// let spec = CommandSpec::claude().with_environment("MY_HOST_INSIDE", "1");
    /// assert_eq!(spec.name, "claude");
    /// assert!(spec.arguments.iter().any(|argument| argument == "--json-schema"));
    /// ```
    pub fn claude() -> Self {
        Self {
            output: CommandOutput::ClaudeJson,
            ..Self::new("claude", Provider::new(Vendor::Anthropic))
        }
        .with_arguments([
            "-p",
            "--output-format",
            "json",
            "--no-session-persistence",
            "--tools",
            "",
            "--strict-mcp-config",
            "--settings",
            r#"{"disableAllHooks":true,"autoMemoryEnabled":false}"#,
            "--json-schema",
            SCHEMA_PLACEHOLDER,
        ])
    }

    /// Returns Codex's headless mode: read-only, nothing kept of the session, prompt on stdin, the last
    /// message on stdout.
    pub fn codex() -> Self {
        Self::new("codex", Provider::new(Vendor::OpenAi)).with_arguments([
            "exec",
            "--sandbox",
            "read-only",
            "--ephemeral",
            "--skip-git-repo-check",
            "--color",
            "never",
            "-",
        ])
    }

    /// Returns the program with these further arguments.
    #[must_use]
    pub fn with_arguments<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Returns the program with this further variable.
    #[must_use]
    pub fn with_environment(
        mut self,
        name: impl Into<OsString>,
        value: impl Into<OsString>,
    ) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Returns the program without this inherited variable.
    #[must_use]
    pub fn without_environment(mut self, name: impl Into<OsString>) -> Self {
        self.removed.push(name.into());
        self
    }

    /// Returns the program in this folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Returns the program with this output form.
    #[must_use]
    pub fn with_output(mut self, output: CommandOutput) -> Self {
        self.output = output;
        self
    }

    /// Returns the program under this model name, and asks for that model (`--model`, which the
    /// headless modes of Claude Code and Codex understand).
    #[must_use]
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        // In front of the prompt's place, wherever that is.
        let at = usize::from(self.arguments.first().is_some_and(|first| first == "exec"));
        let option = [OsString::from("--model"), OsString::from(&self.name)];
        self.arguments.splice(at..at, option);
        self
    }

    /// Returns the arguments of one call.
    pub(super) fn arguments_for(&self, schema: Option<&str>) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            if argument != SCHEMA_PLACEHOLDER {
                arguments.push(argument.clone());
            } else if let Some(schema) = schema {
                arguments.push(schema.into());
            } else {
                arguments.pop();
            }
        }
        arguments
    }
}

impl fmt::Debug for CommandSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandSpec")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("output", &self.output)
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

//! The tools of a side agent: what they are called, what they take, and how a call is carried out.

use std::sync::Arc;

use agent_model::{Tool, ToolUse};
use serde_json::{Value, json};

use crate::shell::{RunOptions, Script, vet};
use crate::sink::{FolderSink, Sink};
use crate::workspace::{Place, Workspace};

use self::arguments::Arguments;

mod arguments;
mod glob;
mod grep;
mod read;
pub(crate) mod run;
pub(crate) mod shell;
mod walk;
mod write;

pub(crate) use self::write::Planned;

/// The tools this crate has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolKind {
    /// Reads a file, whole or some of its lines.
    FileRead,
    /// Searches files for a regular expression.
    Grep,
    /// Lists files whose paths match a pattern.
    Glob,
    /// Runs a read-only shell command.
    Bash,
    /// Replaces a piece of a file.
    FileEdit,
    /// Writes a whole file.
    FileWrite,
}

impl ToolKind {
    /// All tools, in the order in which they are declared.
    pub const ALL: [Self; 6] = [
        Self::FileRead,
        Self::Grep,
        Self::Glob,
        Self::Bash,
        Self::FileEdit,
        Self::FileWrite,
    ];

    /// Returns the name under which the tool is declared.
    pub fn name(self) -> &'static str {
        match self {
            Self::FileRead => "FileRead",
            Self::Grep => "Grep",
            Self::Glob => "Glob",
            Self::Bash => "Bash",
            Self::FileEdit => "FileEdit",
            Self::FileWrite => "FileWrite",
        }
    }

    /// Returns the tool of that name, under our names and under the ones Claude Code declares.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "Read" => Some(Self::FileRead),
            "Edit" => Some(Self::FileEdit),
            "Write" => Some(Self::FileWrite),
            _ => Self::ALL.into_iter().find(|kind| kind.name() == name),
        }
    }
}

/// Sizes that the tools keep to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolLimits {
    /// The most bytes a result may have; what is over is cut and the result says so. Default 30,000.
    pub result_bytes: usize,
    /// The most bytes of a file that are read, searched or edited. Default 1 MiB.
    pub file_bytes: usize,
    /// The most files that one search or listing visits. Default 50,000.
    pub files: usize,
    /// The most bytes that one search reads. Default 256 MiB.
    pub search_bytes: u64,
    /// The most names that one listing returns. Default 200.
    pub names: usize,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            result_bytes: 30_000,
            file_bytes: 1 << 20,
            files: 50_000,
            search_bytes: 256 << 20,
            names: 200,
        }
    }
}

/// The tools, bound to the folders they may touch.
///
/// Cloning is cheap and shares everything.
#[derive(Clone, Debug)]
pub struct Toolbox {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) sink: Arc<dyn Sink>,
    pub(crate) limits: ToolLimits,
    pub(crate) shell: RunOptions,
    aliases: Arc<Vec<(String, ToolKind)>>,
    pub(crate) redact: bool,
}

impl Toolbox {
    /// Makes tools for a workspace; writes go straight to its folders.
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace: Arc::new(workspace),
            sink: Arc::new(FolderSink::default()),
            limits: ToolLimits::default(),
            shell: RunOptions::default(),
            aliases: Arc::default(),
            redact: true,
        }
    }

    /// Sends writes elsewhere: to a store that keeps an index and a journal.
    #[must_use]
    pub fn with_sink(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sink = sink;
        self
    }

    /// Sets the sizes the tools keep to.
    #[must_use]
    pub fn with_limits(mut self, limits: ToolLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how shell commands run.
    #[must_use]
    pub fn with_shell(mut self, options: RunOptions) -> Self {
        self.shell = options;
        self
    }

    /// Understands a tool under another name: the one that the host declares it by.
    ///
    /// Our own names and `Read`, `Edit`, `Write` are understood anyway.
    #[must_use]
    pub fn with_alias(mut self, name: impl Into<String>, kind: ToolKind) -> Self {
        Arc::make_mut(&mut self.aliases).push((name.into(), kind));
        self
    }

    /// Sets whether credentials in results from folders that may only be read, and in the output of
    /// commands, are replaced by the name of the rule that found them. Default true.
    #[must_use]
    pub fn with_redaction(mut self, redact: bool) -> Self {
        self.redact = redact;
        self
    }

    /// Returns the folders the tools may touch.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns the tools as a request declares them, for an agent without a parent.
    ///
    /// An agent that shares its parent's prefix keeps the parent's list, byte for byte.
    pub fn declarations(&self) -> Vec<Tool> {
        ToolKind::ALL.into_iter().map(declaration).collect()
    }

    /// Understands a call without carrying it out.
    pub(crate) fn understand(&self, call: &ToolUse) -> Result<Request, String> {
        let alias = self.aliases.iter().find(|(name, _)| *name == call.name);
        let kind = match alias {
            Some((_, kind)) => *kind,
            None => match ToolKind::from_name(&call.name) {
                Some(kind) => kind,
                None => return Ok(Request::Unknown),
            },
        };
        let arguments = Arguments::new(&call.input)?;
        let place = |name| self.workspace.resolve(arguments.text(name)?);
        // A search without a path begins where relative paths begin.
        let folder = || match arguments.optional_text("path")? {
            Some(path) => self.workspace.resolve(path),
            None => self.workspace.resolve("."),
        };
        Ok(match kind {
            ToolKind::FileRead => Request::Read(place("file_path")?, read::Read::new(&arguments)?),
            ToolKind::Grep => Request::Grep(folder()?, Box::new(grep::Grep::new(&arguments)?)),
            ToolKind::Glob => Request::Glob(folder()?, glob::Glob::new(&arguments)?),
            ToolKind::Bash => {
                if arguments.flag("run_in_background")? {
                    return Err("nothing may run in the background".to_owned());
                }
                let command = arguments.text("command")?;
                let script = vet(command, &self.workspace.scope());
                Request::Shell(script.map_err(|refusal| refusal.to_string())?)
            }
            ToolKind::FileEdit => Request::Edit(place("file_path")?, write::Edit::new(&arguments)?),
            ToolKind::FileWrite => {
                Request::Write(place("file_path")?, arguments.text("content")?.to_owned())
            }
        })
    }
}

/// A call that was understood.
#[derive(Debug)]
pub(crate) enum Request {
    Read(Place, read::Read),
    Grep(Place, Box<grep::Grep>),
    Glob(Place, glob::Glob),
    Shell(Script),
    Edit(Place, write::Edit),
    Write(Place, String),
    Unknown,
}

fn declaration(kind: ToolKind) -> Tool {
    let (description, properties, required): (&str, Value, &[&str]) = match kind {
        ToolKind::FileRead => (
            "Reads a text file. Each line comes with its number and a tab before it.",
            json!({
                "file_path": text("Absolute path of the file."),
                "offset": number("Number of the first line to read; 1 when absent."),
                "limit": number("How many lines to read; all that fit when absent."),
            }),
            &["file_path"],
        ),
        ToolKind::Grep => (
            "Searches files for a regular expression (Rust syntax). Files that git ignores, hidden files \
             and binary files are left out.",
            json!({
                "pattern": text("The regular expression."),
                "path": text("File or folder to search; the working folder when absent."),
                "glob": text("Only files whose path matches, such as `*.rs` or `src/**/*.md`."),
                "output_mode": {
                    "type": "string",
                    "enum": ["files_with_matches", "content", "count"],
                    "description": "Names of files (when absent), matching lines, or matches per file.",
                },
                "-i": flag("Ignore case."),
                "-n": flag("Show line numbers with `content`; true when absent."),
                "-A": number("Lines to show after each match with `content`."),
                "-B": number("Lines to show before each match with `content`."),
                "-C": number("Lines to show around each match with `content`."),
                "multiline": flag("Let matches span lines, and `.` match a line end."),
                "head_limit": number("How many lines or names to return."),
            }),
            &["pattern"],
        ),
        ToolKind::Glob => (
            "Lists files whose path matches a pattern such as `**/*.md`, most recently changed first. Files \
             that git ignores and hidden files are left out.",
            json!({
                "pattern": text("The pattern; `*` stays within a folder, `**` does not."),
                "path": text("Folder to look in; the working folder when absent."),
            }),
            &["pattern"],
        ),
        ToolKind::Bash => (
            "Runs a read-only command: ls, find, grep, cat, stat, wc, head, tail, joined by |, &&, || or ;. \
             No expansions, no redirections but 2>/dev/null and 2>&1, no other programs.",
            json!({ "command": text("The command.") }),
            &["command"],
        ),
        ToolKind::FileEdit => (
            "Replaces text in a file. The old text must be in the file exactly once, unless all places are \
             to be replaced.",
            json!({
                "file_path": text("Absolute path of the file."),
                "old_string": text("The text to replace, exactly as it is in the file."),
                "new_string": text("The text to put there."),
                "replace_all": flag("Replace every occurrence."),
            }),
            &["file_path", "old_string", "new_string"],
        ),
        ToolKind::FileWrite => (
            "Writes a whole file. A file that exists must have been read in this run.",
            json!({
                "file_path": text("Absolute path of the file."),
                "content": text("The whole text of the file."),
            }),
            &["file_path", "content"],
        ),
    };
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    Tool::new(kind.name(), description, schema)
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "integer", "description": description })
}

fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

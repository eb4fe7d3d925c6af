//! The command line: every command and flag with its two help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::terminal::Color;

pub(crate) mod cost;
pub(crate) mod doctor;
pub(crate) mod extract;
pub(crate) mod hook;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod memory_tool;
pub(crate) mod overview;
pub(crate) mod recall;
pub(crate) mod replay;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod team;

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 looked and found something, 2 wrong use, 3 refused for safety, 4 not found,
5 conflict or busy, 6 remote or model unavailable, 70 a bug, 74 input or output failed.";

/// Gives coding agents a memory that people can read, edit and trust.
#[derive(Debug, Parser)]
#[command(name = "memstrata", version, after_help = AFTER_HELP, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The project to work on (default: the current folder)
    ///
    /// Its git repository decides which memory folder is used; worktrees share the one of their main
    /// repository.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The folder that holds all memories (default: ~/.claude)
    ///
    /// Without it: MEMSTRATA_HOME, then CLAUDE_CONFIG_DIR, then ~/.claude.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Use exactly this memory folder
    ///
    /// Wins over MEMSTRATA_MEMORY_DIR and over every settings file.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) memory_dir: Option<PathBuf>,
    /// Print one JSON object per line
    ///
    /// The shape of each command's objects is stable; the schemas are in docs/schemas.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Say more; repeat for still more
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to colour
    ///
    /// `auto` colours when standard output is a terminal and NO_COLOR is not set.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the active memory folder, and why it is that one
    ///
    /// Also the mode of each layer. What can be set, where, and what wins: docs/SETTINGS.md.
    Where,
    /// Find what is wrong with the memory, its settings and the agents that use it
    ///
    /// Folder, permissions, index, history, settings, hooks, the worker, the team server, the model: each with
    /// what mends it. Changes nothing. Exit code 1 when something was found.
    Doctor(doctor::Doctor),
    /// Print the memory prompt for an agent
    ///
    /// The prompt promises the agent a memory folder, so this makes it where there is none yet. What the
    /// prompt costs in tokens is said on standard error.
    Prompt(memory::Prompt),
    /// Save one memory and its line in the index
    Save(memory::Save),
    /// List the memories, newest first
    List(memory::List),
    /// Print a memory
    Show(memory::Name),
    /// Take a memory away; `undo` and `restore` bring it back
    Forget(memory::Name),
    /// Give a memory another title or file name
    Rename(memory::Rename),
    /// Show what was changed, newest first
    History(memory::History),
    /// Bring back what a memory was
    Restore(memory::Restore),
    /// Take the last change back, whole; repeat to go further
    Undo,
    /// Remove a memory and all its history for good
    ///
    /// For memories that held a credential. It cannot be taken back.
    Purge(memory::Purge),
    /// Take over the memories of this repository from where it lay before
    ///
    /// A project that was renamed or moved has another key; the memories under the old one are offered, and
    /// this takes them over as one change that `undo` takes back.
    Adopt(memory::Adopt),
    /// Find what is wrong with the memories
    ///
    /// Exit code 1 when something was found.
    Check(memory::Check),
    /// Show the index with its budget, or make it true to the files
    Index(memory::Index),
    /// Append an entry to today's log
    Log(memory::Log),
    /// Tidy the memories: duplicates, relative dates, the index
    ///
    /// Works without a model and loses nothing: what only one of two duplicates says stays, and what rules
    /// cannot decide is named and left. All of it is one change that `undo` takes back. A plan that would
    /// lose more than a quarter of the entries or bytes, or touch a memory with `protected: true`, is
    /// refused (exit code 3).
    Dream(memory::Dream),
    /// See, accept, edit or drop memories that wait for you
    Inbox(memory::Inbox),
    /// Find the few memories that matter for a message
    ///
    /// At most five, and none when none is good enough: that is exit code 0 too. Works without a model
    /// and without a network. What memories claim about the repository is checked on the way.
    Recall(recall::Recall),
    /// Check what memories claim against the repository
    ///
    /// Paths, lines, symbols, flags, scripts, targets, branches, tags and commits. Exit code 1 when
    /// something is gone.
    Verify(recall::Verify),
    /// Learn from a recorded session what is worth keeping
    ///
    /// Reads the transcript of Claude Code, Codex or Gemini CLI from where the last extraction of that
    /// session stopped, and saves what the person said to last. Works without a model.
    ///
    /// Kept are: what you ask to remember; rules and prohibitions with words of scope ("from now on",
    /// "always", "never"), with their reason; who you are ("I'm a data scientist"); links with what they
    /// are for; decisions, and events with their date. Tasks, questions and quoted text are not.
    ///
    /// Memories go to the project that the session was recorded in, when that folder exists here, else to
    /// the current one; --project and --memory-dir go before both.
    Extract(extract::Extract),
    /// Show why memories were saved, skipped, recalled, dropped or passed over
    Explain(recall::Explain),
    /// See what a memory would have done in recorded sessions
    ///
    /// Each transcript goes through the whole life of a session, in a scratch home that is removed in the
    /// end: what would have been learned in which turn, and from which words; what would have come back for
    /// which message, and whether it still holds; how the session file grew; what a compaction would have
    /// kept; which credentials would have been stopped. The clock is each message's time. Works without a
    /// model and without a network.
    ///
    /// What memories claim is checked against --project, or the folder that the session was recorded in when
    /// it is here.
    Replay(replay::Replay),
    /// Show what calls of models cost, per purpose and day
    ///
    /// Counts what is booked in the project's ledger: calls, tokens, money, and what of a budget is left.
    Cost(cost::Cost),
    /// Keep the notes of a session, and see what a compaction keeps
    ///
    /// The session file lies in the session's folder below the project's: of the project whose folder
    /// holds the transcript, else of the folder that the session was recorded in, else of the current
    /// one. --project goes before all of them.
    Session(session::Session),
    /// Share memories with everybody who works on this repository
    ///
    /// Keeps the folder `team` of the memories and a server in step without losing an edit. The server is
    /// named by MEMSTRATA_TEAM_URL or the settings, the repository by the git remote `origin`.
    Team(team::Team),
    /// Find credentials in files, folders or standard input
    ///
    /// Names the rule, file, line and column of each credential, never its value. Folders are walked the
    /// way git sees them; a file named on the command line is always read. Exit code 1 when something was
    /// found, 4 when a path is not there.
    Scan(Scan),
    /// Serve the memory to agents over the Model Context Protocol
    ///
    /// On standard input and output, for a client that starts this program. Tools: recall, save, list, show,
    /// forget, verify, check, session_summary, team_status; resources: the index and the memories. See
    /// docs/MCP.md.
    Mcp(mcp::Mcp),
    /// Answer the Anthropic memory tool: one tool-use input a line
    ///
    /// Each line of standard input is the `input` of a `tool_use` block, each line of standard output
    /// {"text","is_error"} for its `tool_result`. Paths begin with /memories. See docs/MEMORY-TOOL.md.
    MemoryTool(memory_tool::MemoryTool),
    /// The safety checks by themselves, for other programs
    ///
    /// Each answers with `{"ok":true,"value":…}` or `{"ok":false,"error":…}` under --json, and with exit
    /// code 0 or 3.
    Guard(Guard),
    /// Answer one event of an agent, which comes on standard input
    ///
    /// For the settings of an agent; `memstrata setup AGENT` writes them there. Gives memories to the model,
    /// guards the memory folder, and hands finished turns to a worker in the background. Always ends with
    /// 0; what went wrong is in hook.log below the home folder. docs/HOOKS.md says what each event does.
    Hook(hook::Hook),
    /// Plug memstrata into an agent, or take it out again
    ///
    /// Puts hooks, the MCP server and instructions into the agent's own settings, as far as the agent has
    /// them, and shows each change first. Nothing that is there is touched; --remove takes out exactly what
    /// was put in. docs/HOOKS.md says what each hook does.
    Setup(setup::Setup),
    /// Do what hooks have left
    ///
    /// Started by hooks, in the background.
    #[command(hide = true)]
    Worker(hook::Worker),
    /// Print completions for a shell
    ///
    /// For example: memstrata completions bash > ~/.local/share/bash-completion/completions/memstrata
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print docs/REFERENCE.md
    ///
    /// For `cargo xtask reference`, which keeps that file true to these definitions.
    #[command(hide = true)]
    Reference {
        /// The folder of the JSON schemas
        schemas: PathBuf,
    },
    /// Print the manual page
    ///
    /// In roff form: `memstrata man | man -l -` shows it, `memstrata man > memstrata.1` keeps it.
    Man,
}

/// Arguments of `scan`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Args, Debug)]
pub(crate) struct Scan {
    /// Files, folders, or `-` for standard input (default: the current folder)
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Print the text with each credential replaced by its label
    ///
    /// Takes one file or `-`. The exit code is still 1 when something was found.
    #[arg(long)]
    pub(crate) redact: bool,
    /// Use the extended rules too
    ///
    /// The standard set are the 30 rules with the fewest false alarms; the extended rules add further
    /// vendors, tokens in headers and URLs, and an advisory for random-looking assignments.
    #[arg(long)]
    pub(crate) all_rules: bool,
    /// Look into hidden and git-ignored files too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// List the rules and exit
    #[arg(long, conflicts_with_all = ["paths", "redact"])]
    pub(crate) list_rules: bool,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One line per finding, for people
    #[default]
    Text,
    /// One JSON object per line
    Json,
    /// One SARIF 2.1.0 document, for code hosts
    Sarif,
}

/// Arguments of `guard`.
#[derive(Args, Debug)]
pub(crate) struct Guard {
    #[command(subcommand)]
    pub(crate) check: Check,
}

/// One check.
#[derive(Debug, Subcommand)]
pub(crate) enum Check {
    /// Is this a key that a server or model may name a file with?
    Key {
        /// The key, for example team/feedback_tests.md
        key: String,
    },
    /// Is this a folder that a trusted setting may move the memory to?
    Dir {
        /// The folder as written in the setting
        dir: String,
    },
    /// May this path be written below this root?
    ///
    /// The path is absolute or relative to the root. Prints the path that would be written.
    Write {
        /// The folder that must contain it, as an absolute path
        root: PathBuf,
        /// The path to check
        path: PathBuf,
    },
    /// Does this shell command only read?
    ///
    /// Checks characters, syntax, programs, options and paths, links included, and runs nothing. Prints the
    /// decoded words of each program.
    Shell {
        /// The command, as one word
        #[arg(allow_hyphen_values = true)]
        command: String,
    },
    /// Which repository does this folder belong to?
    ///
    /// Prints the canonical root: a worktree's main repository when its pointer is verified both ways.
    /// Outside of any repository that is the folder itself.
    Git {
        /// A folder, in a repository or not
        dir: PathBuf,
    },
    /// Check many inputs: JSON lines in, JSON lines out
    ///
    /// Lines: {"id","kind","input"|"input_hex"|"inputs"} with kind server-key, config-dir, write-path,
    /// key-set, project-root or shell. A first line of kind `context` sets home, cwd and team_dir.
    Batch,
    /// Read, write or list through the guard
    ///
    /// `read` prints the file, `write` takes standard input, `list` prints names. Exit code 3 when refused,
    /// 4 when missing.
    Fs {
        /// The folder
        root: PathBuf,
        /// What to do
        #[arg(value_enum)]
        operation: FsOperation,
        /// The file below it (for list: a folder, default all of it)
        #[arg(required_if_eq_any([("operation", "read"), ("operation", "write")]), default_value = ".")]
        key: String,
        /// How often to do it, for measurements and races
        #[arg(default_value_t = 1, hide = true)]
        times: u64,
    },
}

/// What `guard fs` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FsOperation {
    /// Print the file
    Read,
    /// Write standard input to it
    Write,
    /// Print the names below it
    List,
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::Cli;

    /// Calls `check` with every command, its name from the outermost on.
    fn for_each(command: &mut Command, name: &str, check: &mut impl FnMut(&str, &mut Command)) {
        check(name, command);
        for inner in command.get_subcommands_mut() {
            let name = format!("{name} {}", inner.get_name());
            for_each(inner, &name, check);
        }
    }

    #[test]
    fn the_short_help_of_every_command_fits_one_screen() {
        let mut command = Cli::command();
        command.build();
        for_each(&mut command, "memstrata", &mut |name, command| {
            // That of the program itself is the overview, which has a test of its own.
            if name != "memstrata" {
                let help = command.render_help().to_string();
                let lines = help.lines().count();
                assert!(lines <= 40, "`{name} -h` has {lines} lines:\n{help}");
            }
        });
    }

    #[test]
    fn help_texts_are_of_one_form() {
        let mut command = Cli::command();
        command.build();
        for_each(&mut command, "memstrata", &mut |name, command| {
            let mut texts = vec![(name.to_owned(), command.get_about().cloned())];
            for argument in command.get_arguments().filter(|one| !one.is_hide_set()) {
                let id = argument.get_id().as_str();
                if !["help", "version"].contains(&id) {
                    texts.push((format!("{name} {id}"), argument.get_help().cloned()));
                }
            }
            for (place, text) in texts {
                let text = text.map(|text| text.to_string()).unwrap_or_default();
                let first = text.chars().next();
                assert!(
                    first.is_some_and(|first| !first.is_lowercase()),
                    "{place}: {text:?}"
                );
                assert!(!text.ends_with('.'), "{place}: {text:?}");
                assert!(text.chars().count() <= 100, "{place}: {text:?}");
            }
        });
    }
}

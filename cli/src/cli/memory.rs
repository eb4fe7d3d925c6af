//! Arguments of the commands on the memory folder.

use clap::{Args, ValueEnum};
use memstrata::memdir::MemoryType;

/// Arguments of `save`.
#[derive(Args, Debug)]
pub(crate) struct Save {
    /// What kind of memory it is
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub(crate) memory_type: Kind,
    /// The title a person would give it
    #[arg(long, value_name = "TITLE")]
    pub(crate) name: String,
    /// One line that lets a reader decide whether to open it
    #[arg(long, value_name = "LINE")]
    pub(crate) description: String,
    /// The memory file to save to (default: made from type and title)
    ///
    /// Relative to the memory folder, ending in .md. The text is not read from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Save it for the team
    ///
    /// A team memory that holds a credential is refused.
    #[arg(long)]
    pub(crate) team: bool,
    /// Replace the memory with this hash (see `show --json`)
    ///
    /// Without it an existing memory is never replaced. Another hash means that somebody changed it since:
    /// exit code 5, and the message names the current hash.
    #[arg(long, value_name = "HASH")]
    pub(crate) expect: Option<String>,
    /// Save the file only, without its line in the index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// The text, or `-` for standard input (default: standard input)
    #[arg(value_name = "BODY")]
    pub(crate) body: Option<String>,
}

/// The four kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Who the user is
    User,
    /// How the user wants work done
    Feedback,
    /// Ongoing work, goals, decisions, deadlines
    Project,
    /// Where things are in outside systems
    Reference,
}

impl From<Kind> for MemoryType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::User => MemoryType::User,
            Kind::Feedback => MemoryType::Feedback,
            Kind::Project => MemoryType::Project,
            Kind::Reference => MemoryType::Reference,
        }
    }
}

/// Arguments of `list`.
#[derive(Args, Debug)]
pub(crate) struct List {
    /// Show at most so many, the newest
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show the team's memories only
    #[arg(long, conflicts_with = "private")]
    pub(crate) team: bool,
    /// Show your own memories only
    #[arg(long)]
    pub(crate) private: bool,
}

/// A memory, by file, file stem or title.
#[derive(Args, Debug)]
pub(crate) struct Name {
    /// A file, a file stem or a title
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// Arguments of `rename`.
#[derive(Args, Debug)]
pub(crate) struct Rename {
    /// A file, a file stem or a title
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The new title, or a new file ending in .md
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
}

/// Arguments of `history`.
#[derive(Args, Debug)]
pub(crate) struct History {
    /// A file, a file stem or a title; also of a memory that is gone (default: everything)
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Show at most so many changes, the newest
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

/// Arguments of `restore`.
#[derive(Args, Debug)]
pub(crate) struct Restore {
    /// A memory, also one that is gone, and a number from `history`
    ///
    /// Without a number: what it was before its last change. What is there now stays in the history.
    #[arg(value_name = "NAME[@NUMBER]")]
    pub(crate) name: String,
}

/// Arguments of `purge`.
#[derive(Args, Debug)]
pub(crate) struct Purge {
    /// A file, a file stem or a title; also of a memory that is gone
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Keep the file as it is now and remove its history only
    #[arg(long)]
    pub(crate) keep_file: bool,
}

/// Arguments of `index`.
#[derive(Args, Debug)]
pub(crate) struct Index {
    /// Make it true to the files first
    ///
    /// Lines of files that are gone leave, files without a line get one; headings and hand-written lines
    /// stay.
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// The team's index
    #[arg(long)]
    pub(crate) team: bool,
}

/// Arguments of `log`.
#[derive(Args, Debug)]
pub(crate) struct Log {
    /// The entry, or `-` for standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

/// Arguments of `adopt`.
#[derive(Args, Debug)]
pub(crate) struct Adopt {
    /// The old key, as `where` shows it (default: the only one there is)
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Mend what can be mended, as one operation that `undo` takes back
    #[arg(long)]
    pub(crate) fix: bool,
}

/// Arguments of `prompt`.
#[derive(Args, Debug)]
pub(crate) struct Prompt {
    /// With the team folder
    ///
    /// Where a team server is configured and the team layer is not switched off, it is there without this.
    #[arg(long)]
    pub(crate) team: bool,
    /// For an assistant that runs for days and keeps a daily log
    #[arg(long)]
    pub(crate) log_mode: bool,
    /// Without the step that keeps the index: the host does that
    #[arg(long)]
    pub(crate) no_index_step: bool,
}

/// Arguments of `dream`.
#[derive(Args, Debug)]
pub(crate) struct Dream {
    /// Show the plan with all its changes, and change nothing
    ///
    /// Exit code 1 when there is something to do.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let the model of memstrata.toml make the plan
    ///
    /// The plan stands the same checks. Where the model fails or refuses, or the budget is used up, the rules
    /// make it, and standard error says so.
    #[arg(long)]
    pub(crate) model: bool,
}

/// Arguments of `inbox`.
#[derive(Args, Debug)]
pub(crate) struct Inbox {
    #[command(subcommand)]
    pub(crate) action: Option<InboxAction>,
}

/// What to do with candidates.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum InboxAction {
    /// List what waits
    List,
    /// Print a candidate
    Show {
        /// Its id, from `inbox list`
        id: String,
    },
    /// Save a candidate
    Accept {
        /// Its id, from `inbox list`
        id: String,
    },
    /// Save a candidate with another text, from standard input
    Edit {
        /// Its id, from `inbox list`
        id: String,
    },
    /// Drop a candidate
    Drop {
        /// Its id, from `inbox list`
        id: String,
    },
}

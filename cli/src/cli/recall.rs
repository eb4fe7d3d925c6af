//! Arguments of the commands that choose memories and check them.

use clap::Args;

/// Arguments of `recall`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Args, Debug)]
pub(crate) struct Recall {
    /// The message to recall memories for, or `-` for standard input
    #[arg(value_name = "QUERY", required_unless_present = "batch")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Make a menu of up to K memories instead, without a gate (at most 200)
    ///
    /// For a model to choose from, or to see the whole order. A menu is not verified; what is chosen from
    /// it is.
    #[arg(long, value_name = "K")]
    pub(crate) prefilter: Option<usize>,
    /// Do not check what the memories claim
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Let the model of memstrata.toml choose from the best fifty
    ///
    /// Within 1.5 seconds (model.recall_milliseconds); where it does not, the rules choose.
    #[arg(long, conflicts_with_all = ["batch", "prefilter"])]
    pub(crate) model: bool,
    /// Print the block for a prompt
    ///
    /// Fenced, labelled as data, within 2,400 tokens. Under --json one object with the block and the
    /// files in it.
    #[arg(long, conflicts_with = "batch")]
    pub(crate) render: bool,
    /// Answer many queries: JSON lines in, JSON lines out
    ///
    /// In: {"id","query","surfaced","recent_tools","limit"}; all but the query may be left out, and what
    /// is left out is taken from the command line. Out: {"id","paths"}, or {"id","error"} for a line that
    /// cannot be understood. Answers are not verified, so that they do not depend on the time at hand.
    #[arg(long, conflicts_with = "query")]
    pub(crate) batch: bool,
}

/// What narrows a choice.
#[derive(Args, Clone, Debug)]
pub(crate) struct Choice {
    /// Recall at most N memories (at most 5, in a menu 200)
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// A memory that the session has seen; repeat for more
    ///
    /// A path as `recall` prints it. It is left out before anything is ranked.
    #[arg(long, value_name = "PATH")]
    pub(crate) surfaced: Vec<String>,
    /// A tool in use, such as mcp__linear__list_issues; repeat for more
    ///
    /// Notes on how to use it are left out, warnings about it are kept.
    #[arg(long = "recent-tool", value_name = "TOOL")]
    pub(crate) recent_tools: Vec<String>,
}

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// Files, file stems or titles (default: every memory)
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Take the time it needs
    ///
    /// Without it checking one memory ends after 150 ms, and what is left cannot be told. Only the
    /// search for names in a large repository takes longer.
    #[arg(long)]
    pub(crate) thorough: bool,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
#[group(id = "about", required = true, multiple = false, args = ["name", "query", "session"])]
pub(crate) struct Explain {
    /// Explain why this memory is there, and what else was decided about it
    ///
    /// A file, a file stem or a title; also of a memory that is gone or was never saved.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Explain what is recalled for this message
    ///
    /// The words that count and how they were understood, what was recalled and by which gate, what
    /// nearly was, and what was dropped and why.
    #[arg(long, value_name = "QUERY")]
    pub(crate) query: Option<String>,
    /// Explain what extraction decided in this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) choice: Choice,
}

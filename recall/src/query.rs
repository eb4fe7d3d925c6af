//! What to recall, and what not.

use memdir::Timestamp;

use crate::ContentHash;

/// Memories put before a model for one message, at most.
pub const FINAL_LIMIT: usize = 5;

/// Memories in a menu for a model to choose from, unless asked otherwise.
pub const PREFILTER_LIMIT: usize = 50;

/// Memories in a menu at most.
pub const MAX_PREFILTER_LIMIT: usize = 200;

/// How strict the choice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// For a prompt: only what is good enough, at most [`FINAL_LIMIT`]. Nothing is a good answer.
    Final,
    /// For a menu: the best ones without a gate.
    Prefilter,
}

/// A memory that this session has seen already.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Surfaced {
    pub(crate) path: String,
    pub(crate) hash: Option<ContentHash>,
}

impl Surfaced {
    /// A memory known by its path below the memory folder: it is left out whatever it says now.
    pub fn path(path: &str) -> Self {
        Self {
            path: clean_path(path),
            hash: None,
        }
    }

    /// A memory known by path and contents: it is left out under any name while it says the same,
    /// and may come again once it was changed.
    pub fn with_hash(path: &str, hash: ContentHash) -> Self {
        Self {
            path: clean_path(path),
            hash: Some(hash),
        }
    }
}

fn clean_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.trim_start_matches("./").to_owned()
}

/// A question to a memory folder.
///
/// ```
/// use memdir::Timestamp;
/// use memdir_recall::{Mode, Query, Surfaced};
///
/// let now: Timestamp = "2026-03-05T14:02:11Z".parse()?;
/// let query = Query::new("how do we retry uploads?", now)
///     .with_surfaced([Surfaced::path("feedback_tests.md")])
///     .with_recent_tools(["mcp__linear__list_issues"]);
/// assert_eq!(query.mode, Mode::Final);
/// assert_eq!(query.limit, 5);
/// # Ok::<(), memdir::InvalidTime>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The user's message. Of a very long one the beginning and the end are used (16 KiB).
    pub text: String,
    /// The time from which ages are counted.
    pub now: Timestamp,
    /// How strict the choice is.
    pub mode: Mode,
    /// Memories at most; cut to [`FINAL_LIMIT`] or [`MAX_PREFILTER_LIMIT`].
    pub limit: usize,
    /// What this session has seen. A compaction clears the list, since the model has forgotten it.
    pub surfaced: Vec<Surfaced>,
    /// Tools used recently, as the host names them (`mcp__server__tool` or a bare name): notes on
    /// how to use them are left out, warnings about them are kept.
    pub recent_tools: Vec<String>,
    /// Whether memories of the team, those below `team/`, may be chosen; `true`. A session without a team layer
    /// does not read them, though they lie in the same folder.
    pub team: bool,
}

impl Query {
    /// Returns a query in final mode.
    pub fn new(text: &str, now: Timestamp) -> Self {
        Self {
            text: text.to_owned(),
            now,
            mode: Mode::Final,
            limit: FINAL_LIMIT,
            surfaced: Vec::new(),
            recent_tools: Vec::new(),
            team: true,
        }
    }

    /// Asks for a menu of up to `limit` memories, without a gate.
    #[must_use]
    pub fn prefilter(mut self, limit: usize) -> Self {
        self.mode = Mode::Prefilter;
        self.limit = limit.min(MAX_PREFILTER_LIMIT);
        self
    }

    /// Sets [`Query::limit`].
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        let most = match self.mode {
            Mode::Final => FINAL_LIMIT,
            Mode::Prefilter => MAX_PREFILTER_LIMIT,
        };
        self.limit = limit.min(most);
        self
    }

    /// Sets [`Query::surfaced`].
    #[must_use]
    pub fn with_surfaced(mut self, surfaced: impl IntoIterator<Item = Surfaced>) -> Self {
        self.surfaced = surfaced.into_iter().collect();
        self
    }

    /// Sets [`Query::recent_tools`].
    #[must_use]
    pub fn with_recent_tools<'a>(mut self, tools: impl IntoIterator<Item = &'a str>) -> Self {
        self.recent_tools = tools.into_iter().map(str::to_owned).collect();
        self
    }

    /// Sets [`Query::team`].
    #[must_use]
    pub fn with_team(mut self, team: bool) -> Self {
        self.team = team;
        self
    }
}

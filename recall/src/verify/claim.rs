//! What a memory can claim about a repository, and what can become of it.

use std::fmt;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClaimKind {
    /// A file or folder.
    Path,
    /// A line of a file, such as `src/lib.rs:42`.
    Line,
    /// A name in the code: a function, type, constant, variable or key.
    Symbol,
    /// A command-line flag.
    Flag,
    /// A script of `package.json`.
    Script,
    /// A target of make, just, task or cargo.
    Target,
    /// A command that the project itself provides.
    Command,
    /// A branch.
    Branch,
    /// A tag.
    Tag,
    /// A commit.
    Commit,
}

impl ClaimKind {
    /// Returns the stable name of the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Line => "line",
            Self::Symbol => "symbol",
            Self::Flag => "flag",
            Self::Script => "script",
            Self::Target => "target",
            Self::Command => "command",
            Self::Branch => "branch",
            Self::Tag => "tag",
            Self::Commit => "commit",
        }
    }
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It is there.
    Holds,
    /// It is not there.
    Gone {
        /// The one place where something of that name is now.
        moved_to: Option<String>,
    },
    /// It lies outside of the repository, time was up, or the repository does not say.
    CannotTell,
}

impl Outcome {
    /// Returns the stable name of the outcome: `holds`, `gone`, `moved` or `unknown`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Gone { moved_to: None } => "gone",
            Self::Gone { moved_to: Some(_) } => "moved",
            Self::CannotTell => "unknown",
        }
    }
}

/// A claim and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CheckedClaim {
    /// The claim as the memory writes it.
    pub text: String,
    /// What it is about.
    pub kind: ClaimKind,
    /// The line of the memory file, from 1.
    pub line: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// One clause that says why; may be empty.
    pub detail: String,
}

/// A claim that was found and not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) text: String,
    pub(super) kind: ClaimKind,
    pub(super) line: usize,
    pub(super) certainty: Certainty,
    /// The sentence says itself that the thing is gone.
    pub(super) negated: bool,
}

/// How sure it is that the text is a claim about this repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// When it is not there, it is gone.
    Firm,
    /// It may name something outside: when it is not there, nothing is known.
    Soft,
    /// It may be no claim at all: when it is not there, it is dropped.
    Guess,
}

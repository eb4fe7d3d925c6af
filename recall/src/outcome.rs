//! What a query gives back: memories, and why these.

use std::fmt;

use memdir::{MemoryType, Timestamp};
use pathguard::PathKey;

use crate::verify::Verification;
use crate::{Age, ContentHash};

/// The answer to a query.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Recollection {
    /// The memories, best first.
    pub memories: Vec<Recalled>,
    /// Files that were ranked.
    pub files: usize,
    /// Files that met the query and were taken out for another reason than the gate.
    pub dropped: Vec<Dropped>,
    /// The best files that the gate did not let through, best first, at most
    /// [`MAX_NEAR_MISSES`].
    pub near_misses: Vec<NearMiss>,
    /// Words of the query that count, with what they were widened to.
    pub words: Vec<QueryWord>,
    /// More files passed than the limit allows.
    pub cut: bool,
}

/// Files named in [`Recollection::near_misses`] at most.
pub const MAX_NEAR_MISSES: usize = 5;

/// One recalled memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recalled {
    /// Its path below the memory folder.
    pub path: PathKey,
    /// Its title; the file's name without ending when it has none.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// Its type, when it is one of the four.
    pub memory_type: Option<MemoryType>,
    /// The type as the file writes it; may be empty.
    pub type_text: String,
    /// When the file was last written, as the file system says.
    pub file_time: Timestamp,
    /// When the memory was last changed, as its front matter says.
    pub modified: Option<Timestamp>,
    /// Its age: since [`Recalled::modified`], else since [`Recalled::file_time`], because a pull
    /// resets file times.
    pub age: Age,
    /// What the order is made of; comparable within one answer only.
    pub score: f64,
    /// Why it was chosen.
    pub why: Why,
    /// Hash of the contents, for [`Surfaced::with_hash`](crate::Surfaced::with_hash).
    pub hash: ContentHash,
    /// What became of its claims; none before [`Recollection::verify`](crate::Recollection::verify).
    pub verified: Option<Verification>,
}

impl Recalled {
    /// Returns whether the memory lies in the team folder.
    pub fn is_team(&self) -> bool {
        self.path.as_str().starts_with("team/")
    }

    /// Returns the time that counts: what the front matter says, else the file system.
    pub fn time(&self) -> Timestamp {
        self.modified.unwrap_or(self.file_time)
    }
}

/// By which gate a memory passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Gate {
    /// It has much evidence for the size of the folder.
    Evidence,
    /// It meets much of the query, partly in name or description.
    Coverage,
    /// It contains an identifier of the query whole.
    Identifier,
    /// No gate was asked for.
    Open,
}

impl Gate {
    /// Returns the stable name of the gate: `evidence`, `coverage`, `identifier` or `open`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Coverage => "coverage",
            Self::Identifier => "identifier",
            Self::Open => "open",
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Evidence => "enough evidence",
            Self::Coverage => "most of the query",
            Self::Identifier => "identifier",
            Self::Open => "no gate",
        })
    }
}

/// In which way a word of the query was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MatchKind {
    /// As it is, up to inflection.
    Exact,
    /// Written together or apart.
    Joined,
    /// With a slip repaired.
    Spelling,
    /// By a translation or an abbreviation.
    Translation,
    /// By a word that people use for it.
    Synonym,
}

impl MatchKind {
    /// Returns the stable name of the kind: `exact`, `joined`, `spelling`, `translation` or `synonym`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Joined => "joined",
            Self::Spelling => "spelling",
            Self::Translation => "translation",
            Self::Synonym => "synonym",
        }
    }
}

/// One word that was met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The word as it was asked.
    pub word: String,
    /// What stands in the memory; the word itself for [`MatchKind::Exact`].
    pub found: String,
    /// In which way.
    pub kind: MatchKind,
}

/// Why a memory was chosen. Prints as one line: the words, then the gate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Why {
    /// The words that were met, in the order of the query.
    pub matches: Vec<Match>,
    /// The gate it passed.
    pub gate: Gate,
    /// BM25 over the weighted fields.
    pub evidence: f64,
    /// Evidence that passes by itself in a folder of this size.
    pub enough_evidence: f64,
    /// Share of the query's weight that was met, 0 to 1.
    pub coverage: f64,
    /// The part of it that was met in name, file name or description.
    pub head_coverage: f64,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, hit) in self.matches.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            match hit.kind {
                MatchKind::Exact => write!(f, "{comma}{}", hit.word)?,
                _ => write!(f, "{comma}{} → {}", hit.word, hit.found)?,
            }
        }
        write!(
            f,
            " ({}, {:.0} % of the query)",
            self.gate,
            self.coverage * 100.0
        )
    }
}

/// A file that a filter took out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// Its path below the memory folder.
    pub path: String,
    /// Which filter.
    pub reason: DropReason,
}

/// Why a file was not ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// The session has seen it.
    Surfaced,
    /// It explains how to use a tool that is in use.
    ToolInUse,
    /// A newer `project` or `reference` note of the same title is in the answer.
    Superseded,
    /// It is the team's, and the query is without the team.
    TeamOff,
}

impl DropReason {
    /// Returns the stable name of the reason: `surfaced`, `tool-in-use`, `superseded` or `team-off`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Surfaced => "surfaced",
            Self::ToolInUse => "tool-in-use",
            Self::Superseded => "superseded",
            Self::TeamOff => "team-off",
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Surfaced => "the session has seen it",
            Self::ToolInUse => "it explains a tool that is in use",
            Self::Superseded => "a newer memory of the same title replaces it",
            Self::TeamOff => "it is the team's, and the team layer is off",
        })
    }
}

/// A file that met the query and was not good enough.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NearMiss {
    /// Its path below the memory folder.
    pub path: String,
    /// Its score.
    pub score: f64,
    /// BM25 over the weighted fields.
    pub evidence: f64,
    /// Share of the query's weight that was met, 0 to 1.
    pub coverage: f64,
}

/// A word of the query that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryWord {
    /// The word as it was asked.
    pub word: String,
    /// Files that have it, by itself or by what stands for it.
    pub files: usize,
    /// What it was widened to, closest first.
    pub widened: Vec<String>,
}

//! Why a plan is refused.

use std::fmt;

/// Why a plan is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// More entries would be gone than the limit allows.
    LosesEntries,
    /// More bytes of content would be gone than the limit allows.
    LosesBytes,
    /// A step rests on nothing, on something that does not exist, or on words that are not there.
    NoSource,
    /// A protected memory would change or leave.
    Protected,
    /// More files or bytes would be written than the limit allows.
    OverBudget,
    /// A text that would be written holds a credential.
    Secret,
    /// The index would be over its limits.
    IndexOverLimit,
    /// Something else than a private memory would be touched, or a file that may not be edited.
    Outside,
    /// An operation of a model that lacks something, or names a file twice.
    Malformed,
    /// A change that no step explains, or a step that the copy does not bear out.
    Unexplained,
}

impl RefusalKind {
    /// The stable name, as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LosesEntries => "loses-entries",
            Self::LosesBytes => "loses-bytes",
            Self::NoSource => "no-source",
            Self::Protected => "protected",
            Self::OverBudget => "over-budget",
            Self::Secret => "secret",
            Self::IndexOverLimit => "index-over-limit",
            Self::Outside => "outside",
            Self::Malformed => "malformed",
            Self::Unexplained => "unexplained",
        }
    }
}

/// One reason that speaks against a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// What kind of reason.
    pub kind: RefusalKind,
    /// The file that it is about, when it is about one.
    pub path: Option<String>,
    /// The reason with its figures, for a person; no contents, no credentials.
    pub message: String,
}

impl Refusal {
    pub(super) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            path: None,
            message: message.into(),
        }
    }

    pub(super) fn about(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{path}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

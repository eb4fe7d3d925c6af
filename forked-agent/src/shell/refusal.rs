//! Why a command was not run.

use std::borrow::Cow;
use std::fmt;

/// The class of a [`Refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// Nothing to run.
    Empty,
    /// A limit on length or number is exceeded.
    TooMuch,
    /// A control, blank, invisible or direction-changing character.
    Character,
    /// Shell syntax beyond words, quotes, `|`, `&&`, `||`, `;`, `2>/dev/null` and `2>&1`.
    Syntax,
    /// The first word is not the bare name of a program on the list.
    Program,
    /// An option or `find` predicate that is not on the program's list.
    Option,
    /// An option's value is missing or has the wrong form.
    Value,
    /// A file-name pattern where the program must not get one, or one that leads astray.
    Pattern,
    /// A path outside the roots.
    Outside,
    /// A path below `/dev`, `/proc` or `/sys`, or a file that is no regular file and no folder.
    Special,
    /// The command would wait for input that nobody gives.
    Input,
    /// The file system could not answer a question that must be answered before running.
    Unreadable,
}

/// The reason why a command is refused, written for the model that asked.
///
/// The text names the offending character, option or path, shortened and escaped, and where there is
/// one the way that works. It holds nothing that was read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    kind: RefusalKind,
    position: usize,
    reason: Cow<'static, str>,
}

impl Refusal {
    pub(super) fn new(
        kind: RefusalKind,
        position: usize,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            kind,
            position,
            reason: reason.into(),
        }
    }

    /// Returns the class of the refusal.
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// Returns where in the command the offending part begins, in bytes.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.reason, self.position)
    }
}

impl std::error::Error for Refusal {}

//! The four kinds of memories.

use std::fmt;

/// What kind of thing a memory holds.
///
/// Real folders carry further words in `type`; those read as no type, and the word itself is in
/// [`Header::type_text`](crate::Header::type_text).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MemoryType {
    /// Who the user is: role, goals, knowledge.
    User,
    /// How the user wants work done: corrections and confirmed choices.
    Feedback,
    /// Ongoing work, goals, decisions, incidents and deadlines that the code does not tell.
    Project,
    /// Where to find things in outside systems.
    Reference,
}

impl MemoryType {
    /// All types, in the order in which lists show them.
    pub const ALL: [Self; 4] = [Self::User, Self::Feedback, Self::Project, Self::Reference];

    /// The word that stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }

    /// Reads that word, in any case and with blanks around it.
    ///
    /// ```
    /// use memdir::MemoryType;
    ///
    /// assert_eq!(MemoryType::parse("Feedback"), Some(MemoryType::Feedback));
    /// assert_eq!(MemoryType::parse("decision"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::ALL
            .into_iter()
            .find(|kind| text.eq_ignore_ascii_case(kind.as_str()))
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

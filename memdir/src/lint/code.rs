//! The kinds of findings, with their stable names.

use std::fmt;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// A matter of taste, or of other tools.
    Info,
    /// The memory is used less well than it could be.
    Warning,
    /// The memory is lost to its readers, or does harm.
    Error,
}

impl Severity {
    /// The stable text form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

/// Makes the enum, its names and its severities from one table.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// What a finding is about; [`as_str`](Self::as_str) gives the stable name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// All codes, in the order of this page.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name, as it stands in reports.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The usual severity; some findings are milder or graver.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }
        }
    };
}

codes! {
    /// The file has no text.
    Empty = "empty", Warning;
    /// Some bytes are not UTF-8.
    NotUtf8 = "not-utf8", Error;
    /// The file starts with a byte order mark.
    ByteOrderMark = "byte-order-mark", Info;
    /// The file is over the size limit.
    TooLarge = "too-large", Error;
    /// There is no front matter.
    FrontMatterMissing = "front-matter-missing", Warning;
    /// The front matter is not closed.
    FrontMatterUnclosed = "front-matter-unclosed", Warning;
    /// Blank lines stand before the front matter.
    FrontMatterLate = "front-matter-late", Warning;
    /// A strict YAML reader refuses the front matter.
    FrontMatterInvalid = "front-matter-invalid", Warning;
    /// A key occurs twice.
    DuplicateKey = "duplicate-key", Warning;
    /// A value is cut or refused by YAML readers unless it is quoted.
    UnquotedValue = "unquoted-value", Warning;
    /// There is no name.
    NameMissing = "name-missing", Warning;
    /// There is no description, so that nobody can tell when to open the memory.
    DescriptionMissing = "description-missing", Warning;
    /// The description is longer than 200 characters.
    DescriptionLong = "description-long", Info;
    /// The description says no more than the name.
    DescriptionIsName = "description-is-name", Warning;
    /// There is no type.
    TypeMissing = "type-missing", Warning;
    /// The type is none of the four.
    TypeUnknown = "type-unknown", Warning;
    /// The type is not written in lower case.
    TypeCase = "type-case", Info;
    /// The time of the last change cannot be read.
    ModifiedInvalid = "modified-invalid", Info;
    /// A feedback or project memory gives no reason.
    WhyMissing = "why-missing", Info;
    /// A feedback or project memory does not say when and where it holds.
    HowToApplyMissing = "how-to-apply-missing", Info;
    /// A date that only its writer understood.
    RelativeDate = "relative-date", Warning;
    /// What the memory holds can be read from the project itself.
    Derivable = "derivable", Warning;
    /// The memory repeats an instruction file.
    RepeatsInstructions = "repeats-instructions", Warning;
    /// Another memory says nearly the same.
    NearDuplicate = "near-duplicate", Warning;
    /// A credential.
    Secret = "secret", Warning;
    /// Characters that nobody can see.
    InvisibleUnicode = "invisible-unicode", Warning;
    /// Characters that change the direction of text, so that it reads differently than it is.
    DirectionUnicode = "direction-unicode", Error;
    /// Text in a shared memory that gives orders to a model.
    Injection = "injection", Error;
    /// A link to a memory or file that is not there.
    DeadLink = "dead-link", Warning;
    /// Two names that are the same on a file system without case or with another normal form.
    NameCollision = "name-collision", Error;
    /// The folder has memories and no index.
    IndexMissing = "index-missing", Warning;
    /// The index is not called MEMORY.md, in capitals.
    IndexName = "index-name", Warning;
    /// A line of the index without its file.
    IndexDeadLine = "index-dead-line", Warning;
    /// A line of the index that leads out of the folder.
    IndexOutside = "index-outside", Error;
    /// A memory without a line in the index.
    NotInIndex = "not-in-index", Warning;
    /// A second line of the index for the same file.
    IndexDuplicate = "index-duplicate", Warning;
    /// A line of the index that is far longer than it should be.
    IndexLongLine = "index-long-line", Info;
    /// The index is close to a limit.
    IndexNearLimit = "index-near-limit", Warning;
    /// The index is over a limit: its end is not loaded.
    IndexOverLimit = "index-over-limit", Error;
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

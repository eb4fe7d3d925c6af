//! How much is read and kept.

use crate::format::Format;
use crate::role::FileRole;

/// How a transcript is read. Every limit that cuts something is counted in the
/// [`Report`](crate::Report).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The format; found out from the first lines when absent.
    pub format: Option<Format>,
    /// What the file is; [`Transcript::open`](crate::Transcript::open) takes it from the file name.
    pub role: FileRole,
    /// The file's name, for the cursor; [`Transcript::open`](crate::Transcript::open) sets it.
    pub name: Option<String>,
    /// A longer line is skipped without being held in memory. The largest honest lines hold pictures.
    pub max_line_bytes: usize,
    /// With more messages than this the oldest are dropped.
    pub max_messages: usize,
    /// When the lines of the kept messages exceed this together, the oldest messages are dropped.
    pub max_kept_bytes: usize,
    /// A longer text in a tool result is cut at its end, between characters.
    pub max_result_bytes: usize,
    /// What happens to pictures.
    pub pictures: Pictures,
}

/// What happens to pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pictures {
    /// They stay, base64-coded as they are.
    #[default]
    Keep,
    /// A text takes their place: for jobs that only look at words.
    Omit,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            role: FileRole::Session,
            name: None,
            max_line_bytes: 32 * 1024 * 1024,
            max_messages: 200_000,
            max_kept_bytes: 512 * 1024 * 1024,
            max_result_bytes: 256 * 1024,
            pictures: Pictures::Keep,
        }
    }
}

impl Options {
    /// Returns the options with this format.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Returns the options with this file name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Returns the options with this role.
    #[must_use]
    pub fn with_role(mut self, role: FileRole) -> Self {
        self.role = role;
        self
    }

    /// Returns the options with this limit on the text of a tool result.
    #[must_use]
    pub fn with_max_result_bytes(mut self, bytes: usize) -> Self {
        self.max_result_bytes = bytes;
        self
    }

    /// Returns the options with this limit on messages.
    #[must_use]
    pub fn with_max_messages(mut self, messages: usize) -> Self {
        self.max_messages = messages;
        self
    }

    /// Returns the options with this limit on a line.
    #[must_use]
    pub fn with_max_line_bytes(mut self, bytes: usize) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    /// Returns the options with this treatment of pictures.
    #[must_use]
    pub fn with_pictures(mut self, pictures: Pictures) -> Self {
        self.pictures = pictures;
        self
    }
}

//! The checksum of an entry as it travels.

use std::fmt;
use std::str::FromStr;

use memdir::ContentHash;

use crate::error::{Error, ErrorKind};

const PREFIX: &str = "sha256:";

/// The SHA-256 of an entry's exact UTF-8 bytes; prints as `sha256:` and 64 lower-case hexadecimal digits.
///
/// ```
/// use team_sync::Checksum;
///
/// let checksum = Checksum::of("abc");
/// assert!(checksum.to_string().starts_with("sha256:ba7816bf"));
/// assert_eq!(checksum.to_string().parse::<Checksum>()?, checksum);
/// # Ok::<(), team_sync::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Checksum(ContentHash);

impl Checksum {
    /// The checksum of `text`.
    pub fn of(text: &str) -> Self {
        Self(ContentHash::of(text.as_bytes()))
    }

    /// The checksum of a file that is not text, or not yet known to be.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(ContentHash::of(bytes))
    }

    /// The first 8 hexadecimal digits.
    pub fn short(&self) -> String {
        self.0.short()
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", self.0)
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Checksum({})", self.short())
    }
}

impl FromStr for Checksum {
    type Err = Error;

    /// # Errors
    ///
    /// [`ErrorKind::Checksum`]. The text is not repeated: it comes from a peer.
    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = || {
            Error::new(
                ErrorKind::Checksum,
                "a checksum is not `sha256:` and 64 hexadecimal digits",
            )
        };
        let digits = text.strip_prefix(PREFIX).ok_or_else(refused)?;
        digits.parse().map(Self).map_err(|_| refused())
    }
}

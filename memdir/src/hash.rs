//! SHA-256 of a file's exact bytes: the name of a content in the journal, and what a caller expects.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// The SHA-256 of a file's exact bytes.
///
/// A save that replaces a memory passes the hash it has read; the store refuses when the file has
/// changed since. Prints and parses as 64 lower-case hexadecimal digits.
///
/// # Example
///
/// ```
/// use memdir::ContentHash;
///
/// let hash = ContentHash::of(b"abc");
/// assert_eq!(
///     hash.to_string(),
///     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
/// );
/// assert_eq!(hash.to_string().parse::<ContentHash>()?, hash);
/// # Ok::<(), memdir::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 8 hexadecimal digits, for people to read.
    pub fn short(&self) -> String {
        hex(&self.0[..4])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({})", self.short())
    }
}

impl FromStr for ContentHash {
    type Err = crate::Error;

    /// Parses 64 hexadecimal digits, with or without the prefix `sha256:`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the text is anything else.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        unhex(digits)
            .and_then(|bytes| bytes.try_into().ok())
            .map(Self)
            .ok_or_else(|| crate::Error::refused("a content hash is 64 hexadecimal digits"))
    }
}

/// Lower-case hexadecimal digits of `bytes`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The bytes that `digits` spell, or `None` when they are no even run of hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    digits
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| Some((value(pair[0])? * 16 + value(pair[1])?) as u8))
        .collect()
}

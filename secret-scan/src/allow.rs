//! Known values that may stay: an allow list that lives outside the text and holds no value.

use std::collections::BTreeSet;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};

/// The key that fingerprints are made with.
///
/// It keeps somebody who reads an allow list from testing guesses at short values, such as
/// passwords, so it belongs where the list's readers are not: beside the settings of a person or a
/// server. This crate neither makes nor stores keys.
#[derive(Clone)]
pub struct AllowKey([u8; 32]);

/// A keyed hash of a rule's id and a value: tells the same value from another one, and nothing
/// else about it.
///
/// It is HMAC-SHA-256 (RFC 2104), because a list may be public and its key known to everyone who
/// can scan with it, and even they must not be able to make another value that passes. Shorter
/// keyed hashes such as SipHash promise that only while the key is secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

/// One value that may stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowEntry {
    rule: String,
    fingerprint: Fingerprint,
    author: String,
    reason: String,
}

/// Values that may stay, each with who allowed it and why.
///
/// There is no marker that a text could carry to be left alone: whoever can write a secret into a
/// text could write the marker, too.
///
/// As a file, a list has one entry a line: rule, fingerprint, author and reason, separated by tabs.
/// Blank lines and lines that start with `#` are skipped.
///
/// ```
/// use secret_scan::{AllowKey, AllowList, Scanner};
///
/// # fn main() -> Result<(), secret_scan::Error> {
/// let token = &secret_scan::rules()[15].examples()[0];
/// let text = format!("the demo server takes {token}");
///
/// // A scanner with a list, even an empty one, gives each finding a fingerprint.
/// let mut list = AllowList::new(AllowKey::new([7; 32]));
/// let scanner = Scanner::standard().clone().with_allow_list(list.clone());
/// let finding = scanner.scan(text.as_bytes()).remove(0);
/// let fingerprint = finding.fingerprint().expect("the scanner has a list");
///
/// list.allow(finding.rule(), fingerprint, "kim", "public demo, reset every night")?;
/// let scanner = scanner.with_allow_list(list);
/// assert!(!scanner.contains_secret(text.as_bytes()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AllowList {
    key: AllowKey,
    entries: Vec<AllowEntry>,
    allowed: BTreeSet<Fingerprint>,
}

impl AllowKey {
    /// A key of these bytes, which should be random.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The fingerprint of `value` as found by `rule`.
    fn fingerprint(&self, rule: &str, value: &[u8]) -> Fingerprint {
        hmac_sha256(&self.0, &[rule.as_bytes(), &[0], value])
    }
}

/// HMAC over the parts in order, as in RFC 2104, for a key of at most one block.
fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> Fingerprint {
    const BLOCK: usize = 64;
    let mut block = [0_u8; BLOCK];
    block[..key.len()].copy_from_slice(key);
    let mut inner = Sha256::new();
    inner.update(block.map(|byte| byte ^ 0x36));
    for part in parts {
        inner.update(part);
    }
    let mut outer = Sha256::new();
    outer.update(block.map(|byte| byte ^ 0x5C));
    outer.update(inner.finalize());
    Fingerprint(outer.finalize().into())
}

impl AllowList {
    /// The most entries a list may have.
    pub const MAX_ENTRIES: usize = 10_000;

    /// The most bytes of one line, or of one entry's fields together.
    pub const MAX_LINE_BYTES: usize = 4096;

    /// An empty list.
    pub fn new(key: AllowKey) -> Self {
        Self {
            key,
            entries: Vec::new(),
            allowed: BTreeSet::new(),
        }
    }

    /// Reads a list from the text of its file.
    ///
    /// # Errors
    ///
    /// The first line that is no entry, by number. A list with one bad line is refused as a whole,
    /// so that a damaged file is noticed.
    pub fn parse(key: AllowKey, text: &str) -> Result<Self, Error> {
        let mut list = Self::new(key);
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            list.parse_line(line)
                .map_err(|error| error.at_line(number))?;
        }
        Ok(list)
    }

    fn parse_line(&mut self, line: &str) -> Result<(), Error> {
        if line.len() > Self::MAX_LINE_BYTES {
            return Err(Error::new(ErrorKind::LineTooLong));
        }
        let mut fields = line.splitn(4, '\t');
        let mut next = || fields.next().unwrap_or_default();
        let (rule, fingerprint, author, reason) = (next(), next(), next(), next());
        self.allow(rule, Fingerprint::parse(fingerprint)?, author, reason)
    }

    /// Adds an entry. The same value may be entered twice; the first author and reason stay.
    ///
    /// # Errors
    ///
    /// If a field is empty or holds a control character, or the list or the entry is too long.
    pub fn allow(
        &mut self,
        rule: &str,
        fingerprint: Fingerprint,
        author: &str,
        reason: &str,
    ) -> Result<(), Error> {
        let fields = [("rule", rule), ("author", author), ("reason", reason)];
        for (name, field) in fields {
            if field.trim().is_empty() {
                return Err(Error::new(ErrorKind::MissingField).in_field(name));
            }
            if field.chars().any(char::is_control) {
                return Err(Error::new(ErrorKind::InvalidCharacter).in_field(name));
            }
        }
        let digits_and_tabs = 64 + 3;
        let bytes: usize = fields.iter().map(|(_, field)| field.len()).sum();
        if bytes + digits_and_tabs > Self::MAX_LINE_BYTES {
            return Err(Error::new(ErrorKind::LineTooLong));
        }
        if self.entries.len() == Self::MAX_ENTRIES {
            return Err(Error::new(ErrorKind::TooManyEntries));
        }
        if self.allowed.insert(fingerprint) {
            self.entries.push(AllowEntry {
                rule: rule.to_owned(),
                fingerprint,
                author: author.to_owned(),
                reason: reason.to_owned(),
            });
        }
        Ok(())
    }

    /// The entries, in the order they were added.
    pub fn entries(&self) -> &[AllowEntry] {
        &self.entries
    }

    pub(crate) fn fingerprint(&self, rule: &str, value: &[u8]) -> Fingerprint {
        self.key.fingerprint(rule, value)
    }

    pub(crate) fn allows(&self, fingerprint: Fingerprint) -> bool {
        self.allowed.contains(&fingerprint)
    }
}

/// Writes the text of the list's file, which [`parse`](AllowList::parse) reads.
impl fmt::Display for AllowList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.iter().try_for_each(|entry| {
            writeln!(
                formatter,
                "{}\t{}\t{}\t{}",
                entry.rule, entry.fingerprint, entry.author, entry.reason
            )
        })
    }
}

impl fmt::Debug for AllowList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AllowList")
            .field("entries", &self.entries)
            .finish_non_exhaustive()
    }
}

impl AllowEntry {
    /// The rule whose finding is allowed.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// The fingerprint of the value that is allowed.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Who allowed it.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// Why it is allowed.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl Fingerprint {
    /// Reads 64 hexadecimal digits.
    ///
    /// # Errors
    ///
    /// If the text is anything else.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let malformed = || Error::new(ErrorKind::MalformedFingerprint).in_field("fingerprint");
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(malformed());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for &digit in pair {
                let value = char::from(digit).to_digit(16).ok_or_else(malformed)?;
                *byte = *byte << 4 | value as u8;
            }
        }
        Ok(Self(bytes))
    }
}

/// Writes 64 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fingerprint({self})")
    }
}

impl fmt::Debug for AllowKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AllowKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::hmac_sha256;

    #[test]
    fn the_keyed_hash_is_that_of_rfc_4231() {
        // Test case 2 of the RFC.
        let hash = hmac_sha256(b"Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(
            hash.to_string(),
            concat!(
                "5bdcc146bf60754e",
                "6a042426089575c7",
                "5a003f089d273983",
                "9dec58b964ec3843",
            )
        );
    }
}

//! Bearer tokens: made once, stored as a hash, bound to repositories.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What every token begins with, so that scanners can name it.
const PREFIX: &str = "mst_";

/// What a token may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The public part of the token; names it in lists and logs.
    pub id: String,
    /// Whose it is.
    pub name: String,
    /// The repositories it is good for; empty means all.
    pub repositories: Vec<String>,
    /// Whether it may write.
    pub write: bool,
    /// The scopes a client asks about.
    pub scopes: Vec<String>,
}

impl Grant {
    /// Whether the token is good for a repository.
    pub fn covers(&self, repository: &str) -> bool {
        self.repositories.is_empty() || self.repositories.iter().any(|one| one == repository)
    }
}

/// A token as its owner sees it once.
pub struct NewToken {
    /// The public part.
    pub id: String,
    secret: String,
}

impl NewToken {
    /// Makes a token.
    ///
    /// # Errors
    ///
    /// The operating system gave no randomness.
    pub fn generate() -> anyhow::Result<Self> {
        Ok(Self {
            id: random_hex(6)?,
            secret: random_hex(24)?,
        })
    }

    /// The whole token, for its owner only.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, self.secret)
    }

    /// What is stored.
    pub fn hash(&self) -> [u8; 32] {
        hash(&self.secret)
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "NewToken({})", self.id)
    }
}

/// A token as it arrives: its public part, and the hash of the rest.
pub struct Presented {
    /// The public part.
    pub id: String,
    hash: [u8; 32],
}

impl fmt::Debug for Presented {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Presented({})", self.id)
    }
}

impl Presented {
    /// Takes a bearer token apart; `None` when it is not one of ours.
    pub fn parse(token: &str) -> Option<Self> {
        let (id, secret) = token.strip_prefix(PREFIX)?.split_once('_')?;
        let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (id.len() == 12 && secret.len() == 48 && hex(id) && hex(secret)).then(|| Self {
            id: id.to_owned(),
            hash: hash(secret),
        })
    }

    /// Compares with a stored hash in constant time.
    pub fn matches(&self, stored: &[u8]) -> bool {
        self.hash.ct_eq(stored).into()
    }
}

/// The development token is compared as a whole, in constant time.
pub fn same_text(one: &str, other: &str) -> bool {
    hash(one).ct_eq(&hash(other)).into()
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// Randomness from the operating system, as hexadecimal digits.
///
/// # Errors
///
/// The operating system gave none.
pub fn random_hex(bytes: usize) -> anyhow::Result<String> {
    let mut buffer = vec![0; bytes];
    getrandom::fill(&mut buffer).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
    Ok(hex(&buffer))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

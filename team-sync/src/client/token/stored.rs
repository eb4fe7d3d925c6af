//! Tokens that a login has stored, each for one server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pathguard::{MemoryRoot, PathKey, RootOptions, WriteOptions};
use serde::{Deserialize, Serialize};

use super::file::read_private;
use super::{TokenProvider, parse};
use crate::client::http::Token;
use crate::error::{Error, ErrorKind};

/// The name of the file, in the home folder.
const FILE: &str = "memstrata-team-tokens.json";

/// The form of the file; another number is not read.
const FORM: u32 = 1;

/// The most servers that one file has tokens for; the whole file is bounded, too.
const MOST_SERVERS: usize = 32;

/// The token that a login has stored for one server. A token is never shown to another server than the one it
/// was stored for.
#[derive(Clone, Debug)]
pub struct StoredTokens {
    home: PathBuf,
    server: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    form: u32,
    tokens: BTreeMap<String, String>,
}

impl StoredTokens {
    /// The token of `server` in the file of this home folder.
    pub fn new(home: &Path, server: &str) -> Self {
        Self {
            home: home.to_owned(),
            server: server.trim_end_matches('/').to_owned(),
        }
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.home.join(FILE)
    }

    /// Stores the token, for its owner only and all at once; `None` removes it. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Token`] when the file cannot be written, or was readable for others, or is not one of ours.
    pub fn store(&self, token: Option<&Token>) -> Result<bool, Error> {
        if let Some(token) = token {
            parse(token.secret().as_bytes(), "the login")?;
        }
        let mut stored = self.read()?;
        let before = match token {
            Some(token) => stored
                .tokens
                .insert(self.server.clone(), token.secret().to_owned()),
            None => stored.tokens.remove(&self.server),
        };
        if stored.tokens.len() > MOST_SERVERS {
            return Err(self.refused("has tokens for too many servers; remove it and log in again"));
        }
        stored.form = FORM;
        let bytes = serde_json::to_vec_pretty(&stored)
            .map_err(|error| self.refused(&format!("cannot be made: {error}")))?;
        let failed = |error: pathguard::Error| self.refused(&format!("cannot be written: {error}"));
        let root = MemoryRoot::open_or_create(&self.home, &RootOptions::new()).map_err(failed)?;
        let key = PathKey::parse(FILE).map_err(failed)?;
        // 0600, whatever the umask says.
        root.write(key.as_ref(), &bytes, &WriteOptions::new())
            .map_err(failed)?;
        Ok(before.is_some())
    }

    fn read(&self) -> Result<Stored, Error> {
        let Some(bytes) = read_private(&self.path())? else {
            return Ok(Stored::default());
        };
        // The parser's own words could repeat a piece of it.
        let stored: Stored = serde_json::from_slice(&bytes)
            .map_err(|_| self.refused("is damaged; remove it and log in again"))?;
        if stored.form != FORM {
            return Err(self.refused("is of another version of this program"));
        }
        Ok(stored)
    }

    fn refused(&self, why: &str) -> Error {
        let text = format!("the token file {} {why}", self.path().display());
        Error::new(ErrorKind::Token, text)
    }
}

impl TokenProvider for StoredTokens {
    fn token(&self) -> Result<Option<Token>, Error> {
        match self.read()?.tokens.get(&self.server) {
            None => Ok(None),
            Some(text) => parse(text.as_bytes(), "the login").map(Some),
        }
    }
}

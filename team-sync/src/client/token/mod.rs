//! Where the token comes from: a variable, a file, a command, or a login.
//!
//! Nothing here prints, logs or repeats a token, and none of the errors holds one.

mod command;
mod device;
mod file;
mod stored;

pub use command::CommandToken;
pub use device::{DeviceLogin, DevicePrompt, Issued};
pub use file::FileToken;
pub use stored::StoredTokens;

use super::http::Token;
use crate::error::Error;

/// The longest token that is taken, in bytes. Tokens with claims inside are a few thousand.
const MOST_BYTES: usize = 16 * 1024;

/// Where a token comes from.
pub trait TokenProvider: Send + Sync {
    /// The token as it is now; `None` where this provider has none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Token`](crate::ErrorKind::Token) when there should be one that cannot be had or must not be
    /// used. The next provider is not asked: another account's token would be a surprise.
    fn token(&self) -> Result<Option<Token>, Error>;
}

/// A token that was given, for example by an environment variable.
impl TokenProvider for Option<Token> {
    fn token(&self) -> Result<Option<Token>, Error> {
        Ok(self.clone())
    }
}

/// The token of the first provider that has one.
///
/// # Errors
///
/// The error of the first provider that has a token which cannot be used.
pub fn first_token(providers: &[&dyn TokenProvider]) -> Result<Option<Token>, Error> {
    for provider in providers {
        if let Some(token) = provider.token()? {
            return Ok(Some(token));
        }
    }
    Ok(None)
}

/// A token as it stands in a file or in the output of a command.
fn parse(bytes: &[u8], place: &str) -> Result<Token, Error> {
    let refused = |why: &str| {
        Error::new(
            crate::ErrorKind::Token,
            format!("the token of {place} {why}"),
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|_| refused("is not text"))?;
    let text = text.trim();
    if text.is_empty() {
        return Err(refused("is empty"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refused("is not one word of plain characters"));
    }
    Ok(Token::new(text))
}

//! The one error of this crate.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// What went wrong, by whose hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request or a setting cannot be used as it is; asking again does not help.
    InvalidRequest,
    /// Plain http to somewhere else than this machine, or an address with user name, query or fragment.
    UnsafeAddress,
    /// The key is missing, wrong or revoked.
    Authentication,
    /// The account cannot pay.
    Billing,
    /// The key may not do this.
    Permission,
    /// No such model or address.
    NotFound,
    /// The provider saw a conflict; it may pass.
    Conflict,
    /// The request is larger than the provider takes.
    TooLarge,
    /// Too many requests; [`Error::retry_after`] may say when.
    RateLimited,
    /// The provider has no capacity now.
    Overloaded,
    /// The provider failed.
    Server,
    /// The time limit ran out, here or at the provider.
    Timeout,
    /// No connection, or it broke.
    Network,
    /// An answer came and makes no sense: no JSON, another shape, too long, or not what the schema asks.
    BadAnswer,
    /// The daily budget does not allow the call.
    Budget,
    /// The text belongs to a session on another provider.
    OtherProvider,
    /// The configured program could not be run, or failed.
    Command,
    /// The ledger could not be read or written.
    Ledger,
    /// A scripted model has no reply left.
    ScriptEnded,
}

impl ErrorKind {
    fn sentence(self) -> &'static str {
        match self {
            Self::InvalidRequest => "the request cannot be used",
            Self::UnsafeAddress => "the address is not safe to send to",
            Self::Authentication => "the provider does not accept the key",
            Self::Billing => "the account cannot pay for the request",
            Self::Permission => "the key may not do this",
            Self::NotFound => "no such model or address",
            Self::Conflict => "the provider reports a conflict",
            Self::TooLarge => "the request is too large",
            Self::RateLimited => "too many requests",
            Self::Overloaded => "the provider is overloaded",
            Self::Server => "the provider failed",
            Self::Timeout => "no answer in time",
            Self::Network => "the connection failed",
            Self::BadAnswer => "the answer makes no sense",
            Self::Budget => "the daily budget does not allow the call",
            Self::OtherProvider => "the text belongs to a session on another provider",
            Self::Command => "the configured program failed",
            Self::Ledger => "the ledger cannot be used",
            Self::ScriptEnded => "the script has no reply left",
        }
    }
}

/// What went wrong when a model was asked.
///
/// `Display` and `Debug` hold names, numbers and the provider's error code; never a key, never what was
/// asked or answered, and nothing a server wrote in prose. [`Error::server_message`] gives that prose to
/// a caller who wants to look at it.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    detail: Cow<'static, str>,
    provider: Option<String>,
    status: Option<u16>,
    code: Option<String>,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    attempts: u32,
    server_message: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Returns an error, for a [`Model`](crate::Model) of your own.
    ///
    /// The detail is shown: it names what failed and holds neither keys nor contents.
    pub fn new(kind: ErrorKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            detail: detail.into(),
            provider: None,
            status: None,
            code: None,
            request_id: None,
            retry_after: None,
            attempts: 0,
            server_message: None,
            source: None,
        }))
    }

    pub(crate) fn bad_answer(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::BadAnswer, detail)
    }

    pub(crate) fn invalid(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidRequest, detail)
    }

    /// Returns what went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the provider that was asked, if it came that far.
    pub fn provider(&self) -> Option<&str> {
        self.0.provider.as_deref()
    }

    /// Returns the HTTP status, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Returns the provider's error code, such as `overloaded_error`: at most 64 characters out of
    /// letters, digits, `_`, `-` and `.`.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// Returns the provider's identity of the failed request, for a support question.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Returns how long the provider asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns how often the provider was asked.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns what the server wrote about a request it could not use: at most 500 characters, control
    /// characters and the key taken out. It may quote the request, so it is not part of `Display` or
    /// `Debug`. Absent for every other kind of error.
    pub fn server_message(&self) -> Option<&str> {
        self.0.server_message.as_deref()
    }
}

// Only the back ends know these parts, and each feature uses others of them.
#[allow(
    dead_code,
    reason = "each back end uses another part, and any may be switched off"
)]
impl Error {
    /// Returns the error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Says where JSON broke. serde's own message may quote a value, so only its kind is kept.
    pub(crate) fn not_a_reply(error: &serde_json::Error) -> Self {
        let what = match error.classify() {
            serde_json::error::Category::Eof => "it ends too early",
            serde_json::error::Category::Syntax => "it is no JSON",
            _ => "it has another shape than a reply",
        };
        let (line, column) = (error.line(), error.column());
        Self::bad_answer(format!("{what} (line {line}, column {column})"))
    }

    /// Tells whether a server refused the request because of one of these fields.
    pub(crate) fn refuses(&self, fields: &[&str]) -> bool {
        let status = matches!(self.0.status, Some(400 | 422 | 501));
        let said = self
            .server_message()
            .unwrap_or_default()
            .to_ascii_lowercase();
        status && fields.iter().any(|field| said.contains(field))
    }

    pub(crate) fn with_provider(mut self, provider: impl Into<String>) -> Self {
        self.0.provider = Some(provider.into());
        self
    }

    /// Returns the error with the HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    pub(crate) fn with_code(mut self, code: Option<&str>) -> Self {
        self.0.code = code.and_then(clean_word);
        self
    }

    pub(crate) fn with_request_id(mut self, id: Option<&str>) -> Self {
        self.0.request_id = id.and_then(clean_word);
        self
    }

    /// Returns the error with the time the provider asks to wait.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn with_server_message(mut self, message: Option<String>) -> Self {
        self.0.server_message = message;
        self
    }
}

/// Servers are not trusted: what goes into an error is a short word or nothing.
fn clean_word(word: &str) -> Option<String> {
    let fits = !word.is_empty()
        && word.len() <= 64
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    fits.then(|| word.to_owned())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        f.write_str(inner.kind.sentence())?;
        if !inner.detail.is_empty() {
            write!(f, ": {}", inner.detail)?;
        }
        let mut notes = Vec::new();
        if let Some(provider) = &inner.provider {
            notes.push(provider.clone());
        }
        if let Some(status) = inner.status {
            notes.push(format!("status {status}"));
        }
        if let Some(code) = &inner.code {
            notes.push(code.clone());
        }
        if inner.attempts > 1 {
            notes.push(format!("{} attempts", inner.attempts));
        }
        if let Some(id) = &inner.request_id {
            notes.push(format!("request {id}"));
        }
        if notes.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", notes.join(", "))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.to_string())
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

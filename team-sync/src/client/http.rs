//! The connection over HTTP.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{
    AUTHORIZATION, DATE, ETAG, HeaderMap, HeaderValue, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Url};

use super::retry::retry_after;
use super::transport::{Answer, Ask, BoxFuture, Transport, TransportError, Verb};
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_ANSWER_BYTES;
use crate::tag::Tag;
use crate::wire::PATH;

/// How long the parts of one request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// Until a connection stands; 5 seconds.
    pub connect: Duration,
    /// Without a byte from the server; 15 seconds.
    pub idle: Duration,
    /// For everything; 60 seconds.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(15),
            total: Duration::from_secs(60),
        }
    }
}

impl Timeouts {
    /// Time-outs of one's own.
    pub fn new(connect: Duration, idle: Duration, total: Duration) -> Self {
        Self {
            connect,
            idle,
            total,
        }
    }
}

/// A bearer token; shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token as the provider gave it, without surrounding white space.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// For the header and for the file of a login.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// Where the server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The address, such as `https://memory.example.com`.
    pub url: String,
    /// The repository.
    pub repository: String,
    /// The token.
    pub token: Token,
    /// Plain http beyond loopback. The token and all memories then travel in the open.
    pub allow_http: bool,
    /// How long the parts of one request may take.
    pub timeouts: Timeouts,
}

impl HttpOptions {
    /// A server, a repository and a token.
    pub fn new(url: &str, repository: &str, token: Token) -> Self {
        Self {
            url: url.to_owned(),
            repository: repository.to_owned(),
            token,
            allow_http: false,
            timeouts: Timeouts::default(),
        }
    }

    /// Allows plain http beyond loopback.
    #[must_use]
    pub fn with_allow_http(mut self, allow: bool) -> Self {
        self.allow_http = allow;
        self
    }

    /// Sets how long the parts of one request may take.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }
}

/// Speaks to one server about one repository. Follows no redirects: a token must not travel.
pub struct HttpTransport {
    client: Client,
    /// For requests that the server holds back; made when there is one.
    patient: OnceLock<Client>,
    timeouts: Timeouts,
    url: Url,
    authorization: HeaderValue,
    identity: String,
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpTransport")
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

impl HttpTransport {
    /// Makes the connection's settings; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Address`] for an address that is not one, holds credentials, or is plain http beyond
    /// loopback; [`ErrorKind::Token`] for a token that no header can carry.
    pub fn new(options: &HttpOptions) -> Result<Self, Error> {
        let mut url = address(&options.url, options.allow_http, "the server's address")?;
        let path = format!("{}{PATH}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(None);
        url.query_pairs_mut()
            .append_pair("repo", &options.repository);

        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", options.token.0))
            .ok()
            .filter(|_| !options.token.0.is_empty())
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Token,
                    "the token is empty or holds a character that no header can carry",
                )
            })?;
        authorization.set_sensitive(true);
        Ok(Self {
            client: client(&options.timeouts)?,
            patient: OnceLock::new(),
            timeouts: options.timeouts,
            identity: identity(options),
            url,
            authorization,
        })
    }

    /// The client with enough patience. The silence that is allowed is a property of a client, not of a request.
    fn client_for(&self, patience: Duration) -> Result<&Client, TransportError> {
        if patience.is_zero() {
            return Ok(&self.client);
        }
        if let Some(patient) = self.patient.get() {
            return Ok(patient);
        }
        let Timeouts {
            connect,
            idle,
            total,
        } = self.timeouts;
        let timeouts = Timeouts::new(connect, idle + patience, total + patience);
        let made = client(&timeouts).map_err(|error| TransportError::new(error.to_string()))?;
        Ok(self.patient.get_or_init(|| made))
    }

    async fn request(&self, ask: Ask) -> Result<Answer, TransportError> {
        let mut url = self.url.clone();
        if !ask.path.is_empty() {
            url.set_path(&format!("{}{}", self.url.path(), ask.path));
        }
        for (name, value) in &ask.query {
            url.query_pairs_mut().append_pair(name, value);
        }
        let client = self.client_for(ask.patience)?;
        let request = match ask.verb {
            Verb::Get => client.get(url),
            Verb::Put | Verb::Post => client
                .request(method(ask.verb), url)
                .header("content-type", "application/json")
                .body(ask.body),
        };
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, self.authorization.clone());
        let tags = [
            (IF_MATCH, &ask.if_match),
            (IF_NONE_MATCH, &ask.if_none_match),
        ];
        for (name, tag) in tags {
            if let Some(value) = tag
                .as_ref()
                .and_then(|tag| HeaderValue::from_str(&tag.to_header()).ok())
            {
                headers.insert(name, value);
            }
        }
        if ask.if_absent {
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
        }
        let response = request.headers(headers).send().await.map_err(broken)?;
        let text = |name| {
            response
                .headers()
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let (tag, wait) = (
            text(ETAG).and_then(Tag::parse),
            text(RETRY_AFTER).and_then(|wait| retry_after(wait, text(DATE))),
        );
        let status = response.status().as_u16();
        let body = bounded(response).await?;
        Ok(Answer::new(status, body)
            .with_tag(tag)
            .with_retry_after(wait))
    }
}

impl Transport for HttpTransport {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        Box::pin(self.request(ask))
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }
}

fn method(verb: Verb) -> Method {
    match verb {
        Verb::Get => Method::GET,
        Verb::Put => Method::PUT,
        Verb::Post => Method::POST,
    }
}

/// A short hash of address and token. Nobody gets the token from it.
fn identity(options: &HttpOptions) -> String {
    Checksum::of(&format!("{}\n{}", options.url, options.token.0)).short()
}

/// An address that a token may be sent to: https, or plain http on this machine or where it is allowed.
pub(super) fn address(text: &str, allow_http: bool, what: &str) -> Result<Url, Error> {
    let refused = |why: &str| Error::new(ErrorKind::Address, format!("{what}: {why}"));
    let url = Url::parse(text).map_err(|_| refused("it is not a URL"))?;
    let loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => return Err(refused("it names no host")),
    };
    match url.scheme() {
        "https" => {}
        "http" if loopback || allow_http => {}
        "http" => return Err(refused("plain http is for this machine only; use https")),
        _ => return Err(refused("it has to begin with https://")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("leave user and password out of it; use a token"));
    }
    Ok(url)
}

pub(super) fn client(timeouts: &Timeouts) -> Result<Client, Error> {
    let failed = |error: &dyn fmt::Display| {
        Error::new(ErrorKind::Address, format!("TLS cannot be set up: {error}"))
    };
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?;
    let config = rustls_platform_verifier::BuilderVerifierExt::with_platform_verifier(config)
        .map_err(|error| failed(&error))?
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(config)
        .redirect(Policy::none())
        .connect_timeout(timeouts.connect)
        .read_timeout(timeouts.idle)
        .timeout(timeouts.total)
        // A pooled connection that the server has closed looks like a torn request.
        .pool_idle_timeout(Duration::from_secs(20))
        .no_proxy()
        .build()
        .map_err(|error| failed(&error.without_url()))
}

/// Reads a body up to the limit.
async fn bounded(mut response: reqwest::Response) -> Result<Vec<u8>, TransportError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(TransportError::hopeless(
                "the answer has more than 32 MiB; is this the address of a team server?",
            ));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Without the address, which names the repository.
fn broken(error: reqwest::Error) -> TransportError {
    let what = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection broke"
    };
    let error = error.without_url();
    TransportError::new(format!("{what} ({error})"))
}

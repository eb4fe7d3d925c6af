//! One POST, repeated while that makes sense, within one time limit.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::Instant;

use super::{Address, ApiKey, HttpOptions, MAX_ANSWER_BYTES, MAX_REQUEST_BYTES};
use crate::error::{Error, ErrorKind};
use crate::retry::{Failure, read_headers};

/// Connecting takes no longer than this, whatever the request allows.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// An answer whose status was good.
pub(crate) struct HttpReply {
    pub(crate) body: Vec<u8>,
    pub(crate) request_id: Option<String>,
}

/// Speaks to one address with one key.
pub(crate) struct Client {
    http: reqwest::Client,
    address: Address,
    headers: HeaderMap,
    key: Option<ApiKey>,
    options: HttpOptions,
    provider: String,
    jitter: AtomicU64,
}

/// The end of a call, and the limit that led to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now() + limit,
            limit,
        }
    }
}

/// How a key is shown to the server.
pub(crate) enum KeyHeader {
    /// `x-api-key: KEY`.
    #[cfg(feature = "anthropic")]
    XApiKey,
    /// `authorization: Bearer KEY`.
    Bearer,
}

impl Client {
    pub(crate) fn new(
        address: Address,
        provider: String,
        key: Option<(ApiKey, KeyHeader)>,
        extra: &[(&'static str, &str)],
        options: HttpOptions,
    ) -> Result<Self, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in extra {
            let value = HeaderValue::from_str(value)
                .map_err(|_| Error::invalid(format!("the value of the header {name}")))?;
            headers.insert(HeaderName::from_static(name), value);
        }
        if let Some((key, form)) = &key {
            let (name, text) = match form {
                #[cfg(feature = "anthropic")]
                KeyHeader::XApiKey => ("x-api-key", key.expose().to_owned()),
                KeyHeader::Bearer => ("authorization", format!("Bearer {}", key.expose())),
            };
            let mut value = HeaderValue::from_str(&text)
                .ok()
                .filter(|_| !key.expose().is_empty())
                .ok_or_else(|| {
                    let why = "it is empty or holds a character that no header can carry";
                    Error::new(ErrorKind::Authentication, why)
                })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(Self {
            http: build(&options, &address)?,
            address,
            headers,
            key: key.map(|(key, _)| key),
            jitter: AtomicU64::new(options.jitter_seed),
            options,
            provider,
        })
    }

    /// Sends the body and returns the answer, whose status is good, before the deadline.
    pub(crate) async fn post(
        &self,
        path: &str,
        body: Vec<u8>,
        deadline: Deadline,
    ) -> Result<HttpReply, Error> {
        if body.len() > MAX_REQUEST_BYTES {
            let detail = format!("{} bytes, at most {MAX_REQUEST_BYTES}", body.len());
            return Err(Error::new(ErrorKind::TooLarge, detail).with_provider(&self.provider));
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            let attempt = self.attempt(path, body.clone());
            let (error, failure) = match tokio::time::timeout_at(deadline.at, attempt).await {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(failed)) => failed,
                Err(_) => return Err(self.late(deadline, attempts)),
            };
            let error = error.with_attempts(attempts).with_provider(&self.provider);
            let wait = self
                .options
                .retry
                .next_wait(failure, attempts, self.jitter());
            // A wait that ends after the limit would only delay this error.
            let left = deadline.at.saturating_duration_since(Instant::now());
            let Some(wait) = wait.filter(|wait| *wait < left) else {
                return Err(error);
            };
            tracing::debug!(
                provider = self.provider,
                attempts,
                status = failure.status,
                wait_ms = wait.as_millis() as u64,
                "model.retry"
            );
            self.options.pause.pause(wait).await;
        }
    }

    fn late(&self, deadline: Deadline, attempts: u32) -> Error {
        let detail = format!("the limit is {} ms", deadline.limit.as_millis());
        Error::new(ErrorKind::Timeout, detail)
            .with_attempts(attempts)
            .with_provider(&self.provider)
    }

    async fn attempt(&self, path: &str, body: Vec<u8>) -> Result<HttpReply, (Error, Failure)> {
        let request = self.http.post(self.address.join(path));
        let request = request.headers(self.headers.clone()).body(body);
        let response = request.send().await.map_err(broken)?;
        let status = response.status().as_u16();
        let text = |name: &str| {
            response
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let request_id = text("request-id")
            .or_else(|| text("x-request-id"))
            .map(str::to_owned);
        let failure = Failure {
            status: Some(status),
            ..read_headers(text)
        };
        let body = read_body(response).await?;
        if (200..300).contains(&status) {
            return Ok(HttpReply { body, request_id });
        }
        let said = ServerError::read(&body);
        let kind = kind_of(status);
        let message = matches!(
            kind,
            ErrorKind::InvalidRequest | ErrorKind::NotFound | ErrorKind::TooLarge
        )
        .then(|| self.clean(&said.message))
        .filter(|message| !message.is_empty());
        let id = said.request_id.or(request_id);
        let error = Error::new(kind, "")
            .with_status(status)
            .with_code(self.keyless(said.code.as_deref()))
            .with_request_id(self.keyless(id.as_deref()))
            .with_retry_after(failure.retry_after)
            .with_server_message(message);
        Err((error, failure))
    }

    /// Drops a word of the server's that holds a piece of the key.
    fn keyless<'a>(&self, word: Option<&'a str>) -> Option<&'a str> {
        word.filter(|word| {
            let key = self.key.as_ref();
            let is_word = word.len() <= 64 && word.bytes().all(|byte| byte.is_ascii_graphic());
            is_word && key.is_none_or(|key| key.scrub(word) == **word)
        })
    }

    fn clean(&self, message: &str) -> String {
        const MOST: usize = 500;
        // Control characters go first: between the characters of a key they would hide it from the search.
        let message: String = message
            .chars()
            .filter(|c| !c.is_control())
            .take(8 * MOST)
            .collect();
        let message = match &self.key {
            Some(key) => key.scrub(&message),
            None => message,
        };
        message.chars().take(MOST).collect()
    }

    /// A cheap sequence (xorshift) is enough: the point is only that two clients differ.
    fn jitter(&self) -> f64 {
        let mut x = self.jitter.load(Ordering::Relaxed) ^ 0x9E37_79B9_7F4A_7C15;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.jitter.store(x, Ordering::Relaxed);
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// What a server wrote about an error, in the forms of Anthropic, OpenAI, Ollama and vLLM.
#[derive(Default)]
struct ServerError {
    code: Option<String>,
    message: String,
    request_id: Option<String>,
}

impl ServerError {
    fn read(body: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else {
            return Self::default();
        };
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let inner = value.get("error").unwrap_or(&value);
        let code = ["/details/error_code", "/code", "/type"];
        let code = code
            .iter()
            .filter_map(|path| inner.pointer(path))
            .find_map(text);
        let message = ["/message", "/detail"];
        let message = message
            .iter()
            .filter_map(|path| inner.pointer(path))
            .find_map(text);
        Self {
            code,
            message: message.or_else(|| text(inner)).unwrap_or_default(),
            request_id: value.get("request_id").and_then(text),
        }
    }
}

fn kind_of(status: u16) -> ErrorKind {
    match status {
        401 => ErrorKind::Authentication,
        402 => ErrorKind::Billing,
        403 => ErrorKind::Permission,
        404 => ErrorKind::NotFound,
        408 | 504 => ErrorKind::Timeout,
        409 => ErrorKind::Conflict,
        413 => ErrorKind::TooLarge,
        429 => ErrorKind::RateLimited,
        503 | 529 => ErrorKind::Overloaded,
        400..500 => ErrorKind::InvalidRequest,
        500..600 => ErrorKind::Server,
        // A redirect is not followed: it would carry the key to another host.
        _ => ErrorKind::BadAnswer,
    }
}

fn broken(error: reqwest::Error) -> (Error, Failure) {
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::Network
    };
    let error = Error::new(kind, "").with_source(error.without_url());
    (error, Failure::default())
}

async fn read_body(mut response: reqwest::Response) -> Result<Vec<u8>, (Error, Failure)> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            let detail = format!("it is longer than {MAX_ANSWER_BYTES} bytes");
            let final_failure = Failure {
                should_retry: Some(false),
                ..Failure::default()
            };
            return Err((Error::bad_answer(detail), final_failure));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn build(options: &HttpOptions, address: &Address) -> Result<reqwest::Client, Error> {
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
        Error::new(ErrorKind::Network, "the secure connection cannot be set up").with_source(error)
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.into()))?
        .with_platform_verifier()
        .map_err(|error| failed(error.into()))?
        .with_no_client_auth();
    let here = [
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
    ];
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        // Retries are ours: they obey the server and are counted.
        .retry(reqwest::retry::never())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        // A hosts file or name server must not send `localhost` elsewhere: plain http may go there.
        .resolve_to_addrs("localhost", &here.map(|ip| SocketAddr::new(ip, 0)))
        .user_agent(concat!("agent-model/", env!("CARGO_PKG_VERSION")));
    // What stays on this machine needs no proxy, and plain http must not leave it through one.
    if let Some(proxy) = options.proxy.as_ref().filter(|_| !address.is_loopback()) {
        // The address may hold a password, so neither it nor the parser's message is shown.
        let proxy = reqwest::Proxy::all(proxy)
            .map_err(|_| Error::invalid("the proxy address cannot be used"))?;
        builder = builder.proxy(proxy);
    }
    builder
        .build()
        .map_err(|error| failed(error.without_url().into()))
}

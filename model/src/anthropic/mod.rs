//! The Messages API of Anthropic.

mod decode;
mod encode;

use std::fmt;

use crate::error::Error;
use crate::http::{Address, ApiKey, Backend, Body, Client, HttpOptions, KeyHeader, Wire};
use crate::model::{Answer, Model};
use crate::provider::{Provider, Vendor};
use crate::reply::Reply;
use crate::request::Request;

/// The public address of the API.
pub const ANTHROPIC_BASE_URL: &str = "https://api.anthropic.com";

/// The version of the API that is asked for.
pub const ANTHROPIC_VERSION: &str = "2026-10-21";

/// How the key is shown to the API.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AnthropicAuth {
    /// A key of the console, sent as `x-api-key`.
    ApiKey(ApiKey),
    /// A token, sent as `authorization: Bearer`; gateways and sign-in flows use it.
    Bearer(ApiKey),
}

/// Where and how the API is reached.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AnthropicOptions {
    /// The base address; `https`, or plain `http` to this machine.
    pub base_url: String,
    /// What is sent as `anthropic-version`; some gateways know older ones only.
    pub version: String,
    /// Retries, waits, proxy.
    pub http: HttpOptions,
}

impl Default for AnthropicOptions {
    fn default() -> Self {
        Self {
            base_url: ANTHROPIC_BASE_URL.to_owned(),
            version: ANTHROPIC_VERSION.to_owned(),
            http: HttpOptions::default(),
        }
    }
}

impl AnthropicOptions {
    /// Returns the options with this base address.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// Returns the options with this API version.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Returns the options with these HTTP settings.
    #[must_use]
    pub fn with_http(mut self, http: HttpOptions) -> Self {
        self.http = http;
        self
    }
}

/// A model behind the Messages API.
///
/// Tools, structured output, effort, thinking and cache marks are sent; sampling parameters never are,
/// since newer versions refuse them. A model that does not know structured output gets the schema in
/// the prompt instead, from the second request on without asking.
///
/// ```
/// use agent_model::{AnthropicAuth, AnthropicModel, AnthropicOptions, ApiKey, Message, Request};
///
/// let auth = AnthropicAuth::ApiKey(ApiKey::new("key from your settings"));
/// let model = AnthropicModel::new("claude-haiku-5-5", auth, AnthropicOptions::default())?;
/// let request = Request::new(vec![Message::user("hello")]);
/// assert!(model.body(&request)?.starts_with(br#"{"model":"claude-haiku-5-5","messages":["#));
/// # Ok::<(), agent_model::Error>(())
/// ```
pub struct AnthropicModel {
    backend: Backend<Messages>,
}

struct Messages;

impl Wire for Messages {
    const PATH: &'static str = "v1/messages";
    const SCHEMA_FIELDS: &'static [&'static str] = &["output_config", "output_format"];

    fn body(&self, model: &str, request: &Request, structured: bool) -> Result<Body, Error> {
        encode::body(model, request, structured)
    }

    fn reply(body: &[u8]) -> Result<Reply, Error> {
        decode::reply(body)
    }
}

impl AnthropicModel {
    /// Returns a model. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsafeAddress`](crate::ErrorKind::UnsafeAddress) for plain http to elsewhere;
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) for a key that is empty or that
    /// no header can carry.
    pub fn new(
        name: impl Into<String>,
        auth: AnthropicAuth,
        options: AnthropicOptions,
    ) -> Result<Self, Error> {
        let address = Address::parse(&options.base_url)?;
        let provider = Provider::at(Vendor::Anthropic, address.origin());
        let key = match auth {
            AnthropicAuth::ApiKey(key) => (key, KeyHeader::XApiKey),
            AnthropicAuth::Bearer(key) => (key, KeyHeader::Bearer),
        };
        let client = Client::new(
            address,
            provider.to_string(),
            Some(key),
            &[("anthropic-version", &options.version)],
            options.http,
        )?;
        Ok(Self {
            backend: Backend::new(name.into(), provider, Messages, client),
        })
    }

    /// Returns the exact bytes that [`Model::ask`] would send.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for a system message between the
    /// others, more than four cache marks, or a mark after a message that is not there.
    pub fn body(&self, request: &Request) -> Result<Vec<u8>, Error> {
        Ok(self.backend.body(request)?.bytes)
    }

    /// Returns the bytes up to the end of the last message: what the provider's prompt cache can share.
    ///
    /// The body of any request that continues this one starts with them: same model, system, tools, tool
    /// choice, answer schema, effort, thinking and cache marks so far, and these messages first.
    ///
    /// # Errors
    ///
    /// As for [`AnthropicModel::body`].
    pub fn prefix(&self, request: &Request) -> Result<Vec<u8>, Error> {
        let mut body = self.backend.body(request)?;
        body.bytes.truncate(body.prefix);
        Ok(body.bytes)
    }

    /// Reads what the API answered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadAnswer`](crate::ErrorKind::BadAnswer) for everything else than a message. Any
    /// bytes are fine; nothing panics.
    pub fn parse_reply(body: &[u8]) -> Result<Reply, Error> {
        decode::reply(body)
    }
}

impl Model for AnthropicModel {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        Box::pin(self.backend.ask(request))
    }

    fn provider(&self) -> &Provider {
        &self.backend.provider
    }

    fn name(&self) -> &str {
        &self.backend.name
    }
}

impl fmt::Debug for AnthropicModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnthropicModel")
            .field("name", &self.backend.name)
            .field("provider", &self.backend.provider)
            .finish_non_exhaustive()
    }
}

//! Chat completions, as OpenAI, Ollama, llama.cpp and vLLM speak them.

mod decode;
mod encode;

use std::fmt;

use crate::error::Error;
use crate::http::{Address, ApiKey, Backend, Body, Client, HttpOptions, KeyHeader, Wire};
use crate::model::{Answer, Model};
use crate::provider::{Provider, Vendor};
use crate::reply::Reply;
use crate::request::Request;

/// The public address of OpenAI's API.
pub const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";

/// Which of two wordings a server takes where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's own: `max_completion_tokens`, effort up to `xhigh`.
    OpenAi,
    /// The older wording that the other servers share: `max_tokens`, effort up to `high`.
    Compatible,
}

/// Where and how the server is reached.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpenAiOptions {
    /// The base address; `https`, or plain `http` to this machine, such as `http://localhost:11434/v1`.
    pub base_url: String,
    /// The wording; when absent, OpenAI's for its own host and the compatible one for every other.
    pub dialect: Option<Dialect>,
    /// Who runs the server. When absent: OpenAI for its own host, [`Vendor::Local`] on this machine,
    /// else the host's name.
    pub vendor: Option<Vendor>,
    /// Retries, waits, proxy.
    pub http: HttpOptions,
}

impl Default for OpenAiOptions {
    fn default() -> Self {
        Self {
            base_url: OPENAI_BASE_URL.to_owned(),
            dialect: None,
            vendor: None,
            http: HttpOptions::default(),
        }
    }
}

impl OpenAiOptions {
    /// Returns the options with this base address.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// Returns the options with this wording.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Returns the options with this vendor.
    #[must_use]
    pub fn with_vendor(mut self, vendor: Vendor) -> Self {
        self.vendor = Some(vendor);
        self
    }

    /// Returns the options with these HTTP settings.
    #[must_use]
    pub fn with_http(mut self, http: HttpOptions) -> Self {
        self.http = http;
        self
    }
}

/// A model behind a chat-completions server.
///
/// Thoughts and unknown blocks of the conversation are not sent: this wire form has no place for them. A
/// server that refuses `json_schema` gets the schema in the prompt instead, from then on without asking.
///
/// ```
/// use agent_model::{Message, Model, OpenAiModel, OpenAiOptions, Request, Vendor};
///
/// let options = OpenAiOptions::default().with_base_url("http://localhost:11434/v1");
/// let model = OpenAiModel::new("qwen3", None, options)?;
/// assert_eq!(model.provider().vendor(), &Vendor::Local);
/// let body = model.body(&Request::new(vec![Message::user("hello")]))?;
/// assert_eq!(
///     String::from_utf8_lossy(&body),
///     r#"{"model":"qwen3","messages":[{"role":"user","content":"hello"}],"max_tokens":4096}"#,
/// );
/// # Ok::<(), agent_model::Error>(())
/// ```
pub struct OpenAiModel {
    backend: Backend<Completions>,
}

struct Completions {
    dialect: Dialect,
}

impl Wire for Completions {
    const PATH: &'static str = "v1/chat/completions";
    // llama.cpp speaks of a grammar.
    const SCHEMA_FIELDS: &'static [&'static str] =
        &["response_format", "json_schema", "grammar", "structured"];

    fn body(&self, model: &str, request: &Request, structured: bool) -> Result<Body, Error> {
        encode::body(model, self.dialect, request, structured)
    }

    fn reply(body: &[u8]) -> Result<Reply, Error> {
        decode::reply(body)
    }
}

impl OpenAiModel {
    /// Returns a model. Nothing is sent yet; a server on this machine seldom wants a key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsafeAddress`](crate::ErrorKind::UnsafeAddress) for plain http to elsewhere;
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) for a key that is empty or that
    /// no header can carry.
    pub fn new(
        name: impl Into<String>,
        key: Option<ApiKey>,
        options: OpenAiOptions,
    ) -> Result<Self, Error> {
        let address = Address::parse(&options.base_url)?;
        let own = address.host() == "api.openai.com";
        let vendor = options.vendor.unwrap_or_else(|| {
            if own {
                Vendor::OpenAi
            } else if address.is_loopback() {
                Vendor::Local
            } else {
                Vendor::Other(address.host().to_owned())
            }
        });
        let preset = if own {
            Dialect::OpenAi
        } else {
            Dialect::Compatible
        };
        let provider = Provider::at(vendor, address.origin());
        let key = key.map(|key| (key, KeyHeader::Bearer));
        let client = Client::new(address, provider.to_string(), key, &[], options.http)?;
        let wire = Completions {
            dialect: options.dialect.unwrap_or(preset),
        };
        Ok(Self {
            backend: Backend::new(name.into(), provider, wire, client),
        })
    }

    /// Returns the exact bytes that [`Model::ask`] would send.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) when a part has no JSON form.
    pub fn body(&self, request: &Request) -> Result<Vec<u8>, Error> {
        Ok(self.backend.body(request)?.bytes)
    }

    /// Returns the bytes up to the end of the last message. The body of any request that continues this
    /// one starts with them; servers that cache prefixes share that much.
    ///
    /// # Errors
    ///
    /// As for [`OpenAiModel::body`].
    pub fn prefix(&self, request: &Request) -> Result<Vec<u8>, Error> {
        let mut body = self.backend.body(request)?;
        body.bytes.truncate(body.prefix);
        Ok(body.bytes)
    }

    /// Reads what a server answered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadAnswer`](crate::ErrorKind::BadAnswer) for everything else than a chat
    /// completion. Any bytes are fine; nothing panics.
    pub fn parse_reply(body: &[u8]) -> Result<Reply, Error> {
        decode::reply(body)
    }
}

impl Model for OpenAiModel {
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

impl fmt::Debug for OpenAiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiModel")
            .field("name", &self.backend.name)
            .field("provider", &self.backend.provider)
            .finish_non_exhaustive()
    }
}

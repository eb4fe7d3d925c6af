//! The device flow of OAuth 2.0 (RFC 8628): a person allows it in a browser, on whatever machine.

use std::future::Future;
use std::time::Duration;

use oauth2::basic::BasicClient;
use oauth2::{
    AuthType, ClientId, DeviceAuthorizationUrl, DeviceCodeErrorResponseType, HttpRequest,
    HttpResponse, RequestTokenError, Scope, StandardDeviceAuthorizationResponse, TokenResponse,
    TokenUrl,
};
use serde::Deserialize;

use super::parse;
use crate::client::http::{Timeouts, Token, address, client};
use crate::client::push::clean;
use crate::error::{Error, ErrorKind};

/// The largest answer of an issuer that is read.
const MOST_ANSWER_BYTES: usize = 256 * 1024;

/// The longest pause between two questions that an issuer may ask for.
const MOST_PAUSE: Duration = Duration::from_secs(60);

/// The longest time a person has.
const MOST_TIME: Duration = Duration::from_secs(30 * 60);

/// Where descriptions of an issuer are, in this order (RFC 8414, OpenID Connect Discovery 1.0).
const DESCRIPTIONS: [&str; 2] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
];

/// A login at the issuer that a team server trusts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceLogin {
    /// The issuer, such as `https://login.example.com`.
    pub issuer: String,
    /// The name under which the issuer knows this program.
    pub client_id: String,
    /// What the token is to be good for.
    pub scopes: Vec<String>,
    /// Plain http beyond loopback. The token then travels in the open.
    pub allow_http: bool,
}

/// What a person needs to allow it. From the issuer, cleaned of control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DevicePrompt {
    /// Where to go.
    pub address: String,
    /// The same with the code in it, when the issuer gives one.
    pub address_with_code: Option<String>,
    /// What to type there.
    pub code: String,
    /// How long it can be used.
    pub expires_in: Duration,
}

/// What an issuer has given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Issued {
    /// The token.
    pub token: Token,
    /// How long it can be used, when the issuer says so.
    pub expires_in: Option<Duration>,
}

#[derive(Deserialize)]
struct Description {
    issuer: String,
    device_authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
}

impl DeviceLogin {
    /// A login at an issuer.
    pub fn new(issuer: &str, client_id: &str, scopes: Vec<String>) -> Self {
        Self {
            issuer: issuer.trim_end_matches('/').to_owned(),
            client_id: client_id.to_owned(),
            scopes,
            allow_http: false,
        }
    }

    /// Allows plain http beyond loopback.
    #[must_use]
    pub fn with_allow_http(mut self, allow: bool) -> Self {
        self.allow_http = allow;
        self
    }

    /// Asks for a code, shows it, and waits until the person has allowed it, refused it, or let it run out.
    ///
    /// `sleep` waits between two questions; the issuer says how long, and is heard up to a minute.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Address`] for an issuer that must not be asked; [`ErrorKind::Unavailable`] when it cannot be
    /// reached or does not know the flow; [`ErrorKind::Refused`] when the person or the issuer says no;
    /// [`ErrorKind::Token`] when the time is over or the token cannot be used.
    pub async fn run<S, F>(
        &self,
        show: impl FnOnce(&DevicePrompt),
        sleep: S,
    ) -> Result<Issued, Error>
    where
        S: Fn(Duration) -> F + Send + Sync,
        F: Future<Output = ()> + Send,
    {
        let http = client(&Timeouts::default())?;
        let (device, token) = self.endpoints(&http).await?;
        let wrong = |error: url::ParseError| {
            let text = format!("the issuer's description is wrong: {error}");
            Error::new(ErrorKind::Address, text)
        };
        let oauth = BasicClient::new(ClientId::new(self.client_id.clone()))
            .set_auth_type(AuthType::RequestBody)
            .set_device_authorization_url(DeviceAuthorizationUrl::new(device).map_err(wrong)?)
            .set_token_uri(TokenUrl::new(token).map_err(wrong)?);
        let call = |request: HttpRequest| send(&http, request);
        let details: StandardDeviceAuthorizationResponse = oauth
            .exchange_device_code()
            .add_scopes(self.scopes.iter().cloned().map(Scope::new))
            .request_async(&call)
            .await
            .map_err(|error| said("the issuer gives no code", &error))?;
        // Larger numbers would be added up further on.
        if details.interval() > 10 * MOST_PAUSE || details.expires_in() > 48 * MOST_TIME {
            return Err(Error::new(
                ErrorKind::Unavailable,
                "the issuer asks for waits of unreasonable length",
            ));
        }
        show(&DevicePrompt {
            address: clean(details.verification_uri().as_str()),
            address_with_code: details
                .verification_uri_complete()
                .map(|address| clean(address.secret())),
            code: clean(details.user_code().secret()),
            expires_in: details.expires_in(),
        });
        let answer = oauth
            .exchange_device_access_token(&details)
            .request_async(
                &call,
                |pause: Duration| sleep(pause.clamp(Duration::from_secs(1), MOST_PAUSE)),
                Some(details.expires_in().min(MOST_TIME)),
            )
            .await
            .map_err(|error| ended(&error))?;
        Ok(Issued {
            token: parse(answer.access_token().secret().as_bytes(), "the issuer")?,
            expires_in: answer.expires_in(),
        })
    }

    /// Where codes and tokens are given out, as the issuer describes itself.
    async fn endpoints(&self, http: &reqwest::Client) -> Result<(String, String), Error> {
        let issuer = address(&self.issuer, self.allow_http, "the issuer's address")?;
        let mut why = String::from("it describes itself nowhere");
        for path in DESCRIPTIONS {
            let mut url = issuer.clone();
            // RFC 8414 puts the path of the issuer behind its own, OpenID Connect in front.
            let below = issuer.path().trim_end_matches('/');
            let path = if path.ends_with("openid-configuration") {
                format!("{below}{path}")
            } else {
                format!("{path}{below}")
            };
            url.set_path(&path);
            let request = oauth2::http::Request::get(url.as_str())
                .header("accept", "application/json")
                .body(Vec::new())
                .map_err(|_| Error::new(ErrorKind::Address, "the issuer's address is no URL"))?;
            let answer = match send(http, request).await {
                Ok(answer) => answer,
                Err(error) => {
                    why = error.to_string();
                    continue;
                }
            };
            if answer.status() != 200 {
                continue;
            }
            let Ok(description) = serde_json::from_slice::<Description>(answer.body()) else {
                "its description is not of the expected form".clone_into(&mut why);
                continue;
            };
            return self.checked(&description);
        }
        Err(Error::new(
            ErrorKind::Unavailable,
            format!("the issuer {} cannot be asked: {why}", self.issuer),
        ))
    }

    /// A description may only speak for the issuer that was asked (RFC 8414, section 3.3).
    fn checked(&self, description: &Description) -> Result<(String, String), Error> {
        if description.issuer.trim_end_matches('/') != self.issuer {
            return Err(Error::new(
                ErrorKind::Refused,
                format!(
                    "the description of the issuer {} is that of another one, {}",
                    self.issuer,
                    clean(&description.issuer)
                ),
            ));
        }
        let endpoint = |endpoint: &Option<String>, what: &str| {
            let text = endpoint.clone().ok_or_else(|| {
                Error::new(
                    ErrorKind::Unavailable,
                    format!("the issuer does not know the device flow: it has no {what}"),
                )
            })?;
            address(&text, self.allow_http, what).map(|_| text)
        };
        Ok((
            endpoint(
                &description.device_authorization_endpoint,
                "device_authorization_endpoint",
            )?,
            endpoint(&description.token_endpoint, "token_endpoint")?,
        ))
    }
}

/// One request, followed nowhere, its answer read up to a limit.
async fn send(http: &reqwest::Client, request: HttpRequest) -> Result<HttpResponse, SendError> {
    let (parts, body) = request.into_parts();
    let mut response = http
        .request(parts.method, parts.uri.to_string())
        .headers(parts.headers)
        .body(body)
        .send()
        .await
        .map_err(|error| SendError(error.without_url().to_string()))?;
    let mut answer = oauth2::http::Response::builder().status(response.status());
    if let Some(kind) = response.headers().get("content-type") {
        answer = answer.header("content-type", kind);
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| SendError(error.without_url().to_string()))?
    {
        if bytes.len() + chunk.len() > MOST_ANSWER_BYTES {
            return Err(SendError("the answer is too large".into()));
        }
        bytes.extend_from_slice(&chunk);
    }
    answer
        .body(bytes)
        .map_err(|_| SendError("the answer is not of HTTP".into()))
}

#[derive(Debug)]
struct SendError(String);

impl std::fmt::Display for SendError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for SendError {}

/// Why no code was given. Neither bodies nor codes are repeated.
fn said<T>(what: &str, error: &RequestTokenError<SendError, T>) -> Error
where
    T: oauth2::ErrorResponse + std::fmt::Display + 'static,
{
    let (kind, why) = match error {
        RequestTokenError::Request(error) => (ErrorKind::Unavailable, error.to_string()),
        RequestTokenError::ServerResponse(answer) => (ErrorKind::Refused, answer.to_string()),
        _ => (
            ErrorKind::Unavailable,
            "its answer is not of the expected form".to_owned(),
        ),
    };
    Error::new(kind, format!("{what}: {}", clean(&why)))
}

/// How waiting for the person ended.
fn ended(error: &RequestTokenError<SendError, oauth2::DeviceCodeErrorResponse>) -> Error {
    if let RequestTokenError::ServerResponse(answer) = error {
        match answer.error() {
            DeviceCodeErrorResponseType::AccessDenied => {
                return Error::new(ErrorKind::Refused, "the login was refused in the browser");
            }
            DeviceCodeErrorResponseType::ExpiredToken => {
                return Error::new(
                    ErrorKind::Token,
                    "the code has run out before it was used; log in again",
                );
            }
            _ => {}
        }
    }
    said("the issuer gives no token", error)
}

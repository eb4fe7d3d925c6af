//! What was: the server's history, and going back. Extensions; a plain server has neither.

use serde::Deserialize;

use super::engine::Client;
use super::push::clean;
use super::refusal::said;
use super::run::refuse;
use super::transport::{Answer, Ask};
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::limits::MAX_ANSWER_KEYS;
use crate::wire::{Bounded, Problem, PutDone, read};

/// The most lines of history that are asked for at once.
const PAGE: usize = 500;

/// One change, as the server tells it. The texts are cleaned of control characters; names are claims of whoever
/// sent the change, not proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastChange {
    /// The version that the change made; what [`Client::restore`] takes.
    pub version: u64,
    /// The memory; as it came when it is not a legal key.
    pub key: String,
    /// The checksum of the text; `None` when it was deleted.
    pub checksum: Option<String>,
    /// Who.
    pub author: String,
    /// Which client.
    pub client: String,
    /// When, as the server's clock says.
    pub at: String,
}

/// A stretch of history, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Past {
    /// The changes.
    pub changes: Vec<PastChange>,
    /// Whether there are older ones.
    pub more: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    history: Vec<Line>,
    before: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    version: String,
    key: String,
    checksum: Option<String>,
    author: String,
    client: String,
    at: String,
}

impl Bounded for Page {
    fn keys(&self) -> usize {
        self.history.len()
    }
}

impl Client {
    /// Asks the server for the last changes, of one memory or of all; at most `most` and 10,000.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] when the server keeps no history that can be asked for;
    /// [`ErrorKind::Unavailable`], [`ErrorKind::Refused`] and [`ErrorKind::State`] as [`Client::sync`].
    pub async fn history(&self, key: Option<&TeamKey>, most: usize) -> Result<Past, Error> {
        let most = most.min(MAX_ANSWER_KEYS);
        let mut past = Past::default();
        let mut before = None;
        loop {
            let mut ask = Ask::get();
            "/history".clone_into(&mut ask.path);
            if let Some(key) = key {
                ask.query.push(("key", key.to_string()));
            }
            if let Some(before) = &before {
                ask.query.push(("before", u64::to_string(before)));
            }
            let left = most - past.changes.len();
            ask.query.push(("limit", left.clamp(1, PAGE).to_string()));
            let answer = self.ask_past(ask, "history").await?;
            let page: Page = read(&answer.body)?;
            let next = page.before.as_deref().and_then(|text| text.parse().ok());
            let taken = page.history.len();
            past.changes.extend(page.history.into_iter().map(change));
            past.more = next.is_some() || past.changes.len() > most;
            past.changes.truncate(most);
            // A server that goes round in circles ends here, too.
            let goes_on = taken > 0 && past.changes.len() < most && next.is_some();
            if !goes_on || next >= before.or(Some(u64::MAX)) {
                return Ok(past);
            }
            before = next;
        }
    }

    /// Makes a memory, or all of them, on the server what it was at a version. That is a new version; a sync
    /// brings it here, and merges it with what was edited here meanwhile.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] when the server cannot; [`ErrorKind::Refused`] when it does not have the
    /// version; [`ErrorKind::Unavailable`] and [`ErrorKind::State`] as [`Client::sync`].
    pub async fn restore(&self, key: Option<&TeamKey>, version: u64) -> Result<(), Error> {
        let wish = serde_json::json!({
            "version": version.to_string(),
            "key": key.map(TeamKey::as_str),
        });
        let answer = self
            .ask_past(
                Ask::post("/restore", wish.to_string().into_bytes()),
                "restore",
            )
            .await?;
        read::<PutDone>(&answer.body).map(drop)
    }

    /// Asks below the one resource, where a server without the extension answers as to any unknown path.
    async fn ask_past(&self, ask: Ask, feature: &str) -> Result<Answer, Error> {
        let mut run = self.begin()?;
        let unsupported = || {
            Error::new(
                ErrorKind::Unsupported,
                format!(
                    "this team server has no {feature}; it speaks the base form of the protocol only"
                ),
            )
        };
        if run.state.learnt && !run.state.has(feature) {
            return Err(unsupported());
        }
        let answer = run.ask(ask).await?;
        let problem: Problem = read(&answer.body).unwrap_or_default();
        match (answer.status, problem.code.as_str()) {
            (200, _) => Ok(answer),
            (404, "no_such_version") => Err(Error::new(ErrorKind::Refused, said(&answer))),
            (404 | 405, _) => Err(unsupported()),
            _ => Err(refuse(&answer)),
        }
    }
}

fn change(line: Line) -> PastChange {
    PastChange {
        version: line.version.parse().unwrap_or_default(),
        key: clean(&line.key),
        checksum: line.checksum.map(|text| clean(&text)),
        author: clean(&line.author),
        client: clean(&line.client),
        at: clean(&line.at),
    }
}

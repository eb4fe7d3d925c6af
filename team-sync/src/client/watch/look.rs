//! The two cheap questions of the watcher: is anything new here, is anything new there?

use std::time::Duration;

use pathguard::{EntryKind, ListLimits};

use crate::checksum::Checksum;
use crate::client::engine::Client;
use crate::client::folder::MOST_FILES;
use crate::client::state::State;
use crate::client::transport::Ask;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_ENTRY_BYTES;
use crate::tag::Tag;

/// What a server says that was asked to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing has changed.
    None,
    /// Something has changed.
    Some,
    /// The server does not tell by itself.
    NotTold,
}

impl Client {
    /// One number for everything that is shared in the folder: names and bytes.
    pub(super) fn fingerprint(&self) -> Result<Checksum, Error> {
        let limits = ListLimits::new()
            .with_max_entries(MOST_FILES)
            .with_metadata(false)
            .with_extension("md");
        let failed = |error: pathguard::Error| {
            let text = format!("the team folder cannot be listed: {error}");
            Error::new(ErrorKind::Folder, text).with_source(error)
        };
        let listing = self.folder.list(&limits).map_err(failed)?;
        let mut all = String::new();
        for entry in listing.entries {
            if entry.kind != EntryKind::File {
                continue;
            }
            let read = self.folder.read(entry.key.as_ref(), MAX_ENTRY_BYTES as u64);
            // What cannot be read counts by its name; when it can be, that is a change.
            let checksum = read.map_or_else(
                |error| error.kind().to_string(),
                |read| Checksum::of_bytes(&read.bytes).to_string(),
            );
            all.push_str(entry.key.as_str());
            all.push('\n');
            all.push_str(&checksum);
            all.push('\n');
        }
        Ok(Checksum::of(&all))
    }

    /// Any number.
    pub(super) fn chance(&self) -> u64 {
        (self.options.random)()
    }

    /// Whether the path of the folder still leads to the folder that is held.
    pub(super) fn is_linked(&self) -> bool {
        self.folder.verify_still_linked().is_ok()
    }

    /// Asks the server to answer when something changes, at the latest after `wait`. Where it has not announced
    /// that it can, nothing is sent.
    pub(super) async fn news(&self, wait: Duration) -> Result<News, Error> {
        let state = State::load(&self.state_root, &self.options.repository)?;
        let Some(tag) = state.seen().filter(|_| state.has("wait")) else {
            return Ok(News::NotTold);
        };
        let mut ask = Ask::get();
        ask.if_none_match = Some(tag.clone());
        ask.patience = wait;
        ask.query.push(("wait", wait.as_secs().to_string()));
        ask.query.push(("view", "hashes".into()));
        if let Some(version) = Tag::version(tag).filter(|_| state.has("since")) {
            ask.query.push(("since", version.to_string()));
        }
        let answer = self.transport.send(ask).await.map_err(|error| {
            Error::new(ErrorKind::Unavailable, error.to_string()).with_source(error)
        })?;
        Ok(match answer.status {
            304 => News::None,
            200 | 404 | 410 => News::Some,
            _ => News::NotTold,
        })
    }
}

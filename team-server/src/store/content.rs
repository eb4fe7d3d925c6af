//! Texts as they are stored: hashed and compressed before a store is asked, so that no writer waits for it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use team_sync::{Checksum, TeamKey};

use crate::change::Change;

/// The largest text that is unpacked: the server takes none larger.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// zstd's own default: half of the size, at disk speed.
const LEVEL: i32 = 3;

/// Changes with more text than this are packed on a thread that may be busy for a while.
const SMALL_BYTES: usize = 16 * 1024;

/// A change whose texts are ready to be stored.
pub(super) struct Packed {
    pub(super) change: Change,
    pub(super) contents: BTreeMap<TeamKey, Content>,
}

/// A text, compressed, under the digits of its checksum.
#[derive(Clone)]
pub(super) struct Content {
    pub(super) digits: String,
    pub(super) bytes: Vec<u8>,
}

impl Packed {
    pub(super) fn of(change: Change) -> Result<Self> {
        let pack = |(key, text): (&TeamKey, &String)| -> Result<_> {
            let content = Content {
                digits: digits(&Checksum::of(text)),
                bytes: zstd::bulk::compress(text.as_bytes(), LEVEL)?,
            };
            Ok((key.clone(), content))
        };
        let contents = change.entries.iter().map(pack).collect::<Result<_>>()?;
        Ok(Self { change, contents })
    }

    /// The same beside the runtime when it takes long.
    pub(super) async fn of_any_size(change: Change) -> Result<Self> {
        let bytes: usize = change.entries.values().map(String::len).sum();
        if bytes <= SMALL_BYTES {
            return Self::of(change);
        }
        tokio::task::spawn_blocking(move || Self::of(change))
            .await
            .context("packing was stopped")?
    }

    /// How much of memory and of one transaction it takes, about.
    pub(super) fn weight(&self) -> usize {
        self.contents
            .values()
            .map(|one| one.bytes.len() + 256)
            .sum()
    }
}

pub(super) fn unpack(packed: &[u8]) -> Result<String> {
    let bytes =
        zstd::bulk::decompress(packed, MAX_TEXT_BYTES).context("a content cannot be unpacked")?;
    String::from_utf8(bytes).context("a content is not text")
}

/// Whether a stored content is the one its digits name.
pub(super) fn fits(packed: &[u8], hash: &str) -> bool {
    unpack(packed).is_ok_and(|text| digits(&Checksum::of(&text)) == hash)
}

pub(super) fn key(text: &str) -> Result<TeamKey> {
    TeamKey::parse(text).context("a stored key is not one")
}

pub(super) fn checksum(digits: &str) -> Result<Checksum> {
    match format!("sha256:{digits}").parse() {
        Ok(checksum) => Ok(checksum),
        Err(_) => bail!("a stored checksum is not one"),
    }
}

/// The digits of a checksum, as they are stored.
pub(super) fn digits(checksum: &Checksum) -> String {
    let text = checksum.to_string();
    text.strip_prefix("sha256:").unwrap_or(&text).to_owned()
}

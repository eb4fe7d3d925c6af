//! What is kept of an operation, so that its repetition is answered as the first time.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use team_sync::{Tag, TeamKey};

use super::content::Content;
use super::{Done, Outcome};
use crate::change::Refusal;

/// The digest of a request and the answer it had.
pub(super) struct Operation {
    pub(super) digest: String,
    /// JSON.
    pub(super) answer: String,
}

/// An answer as it is stored; the form is read by later versions of the program.
#[derive(Serialize, Deserialize)]
struct Answer {
    version: u64,
    epoch: String,
    checksums: BTreeMap<String, String>,
}

impl Operation {
    pub(super) fn new(digest: &str, epoch: &str, done: &Done) -> Result<Self> {
        let answer = Answer {
            version: done.version,
            epoch: epoch.to_owned(),
            checksums: done.checksums.clone(),
        };
        Ok(Self {
            digest: digest.to_owned(),
            answer: serde_json::to_string(&answer)?,
        })
    }

    /// The answer again, or that this name has stood for another request.
    pub(super) fn replay(&self, digest: &str) -> Result<Outcome> {
        if self.digest != digest {
            return Ok(Err(Refusal::OtherRequest));
        }
        let answer: Answer = serde_json::from_str(&self.answer)?;
        Ok(Ok(Done {
            tag: Tag::new(answer.version, &answer.epoch),
            version: answer.version,
            checksums: answer.checksums,
            replayed: true,
        }))
    }
}

/// The answer to a change that was carried out, or had nothing to do.
pub(super) fn done(tag: Tag, version: u64, contents: &BTreeMap<TeamKey, Content>) -> Done {
    let checksum = |(key, content): (&TeamKey, &Content)| {
        (key.to_string(), format!("sha256:{}", content.digits))
    };
    Done {
        tag,
        version,
        checksums: contents.iter().map(checksum).collect(),
        replayed: false,
    }
}

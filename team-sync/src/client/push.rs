//! Sending what has changed here, and what the answers mean.

use std::collections::{BTreeMap, BTreeSet};

use super::outbox::Row;
use super::refusal::said;
use super::state::State;
use super::transport::Answer;
use crate::bins::{BodyLimits, fill_bodies};
use crate::checksum::Checksum;
use crate::key::TeamKey;
use crate::tag::Tag;
use crate::wire::{Problem, Put, PutDone, read};

/// What is to be sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Outgoing {
    /// Texts with the checksum of what they replace.
    pub(super) texts: BTreeMap<TeamKey, (String, Option<Checksum>)>,
    /// Keys to delete with the checksum of what goes.
    pub(super) deletes: BTreeMap<TeamKey, Checksum>,
    /// New spelling to old spelling and its checksum; travels with the text.
    pub(super) renames: BTreeMap<TeamKey, (TeamKey, Checksum)>,
}

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.deletes.is_empty()
    }

    /// Parts everything into requests. Deletes go first, with the first body.
    pub(super) fn rows(&self, state: &State, first_number: u64, names: &Names<'_>) -> Vec<Row> {
        let limits = state.body_bytes.map_or_else(BodyLimits::default, |bytes| {
            BodyLimits::default().with_body_bytes(bytes)
        });
        let mut bodies = fill_bodies(&self.texts, |(text, _)| text.as_str(), &limits);
        if bodies.is_empty() {
            bodies.push(Vec::new());
        }
        let mut rows = Vec::new();
        for (at, keys) in bodies.into_iter().enumerate() {
            let mut put = Put::default();
            let mut bases = BTreeMap::new();
            let mut renames = BTreeMap::new();
            for key in keys {
                let (text, base) = &self.texts[&key];
                bases.insert(key.to_string(), base.map(|base| base.to_string()));
                if let Some((old, checksum)) = self.renames.get(&key) {
                    put.deletes.push(old.to_string());
                    bases.insert(old.to_string(), Some(checksum.to_string()));
                    renames.insert(key.to_string(), old.to_string());
                }
                put.entries.insert(key.to_string(), text.clone());
            }
            if at == 0 {
                for (key, checksum) in &self.deletes {
                    put.deletes.push(key.to_string());
                    bases.insert(key.to_string(), Some(checksum.to_string()));
                }
            }
            put.bases = state.has("bases").then_some(bases);
            if state.has("op_id") {
                put.op_id = Some((names.op_id)());
            }
            put.author = names.author.map(str::to_owned);
            put.client = Some(names.client.to_owned());
            rows.push(Row {
                number: first_number + at as u64,
                // Filled in when it is sent: the tag is chained from answer to answer.
                if_match: None,
                put,
                renames,
            });
        }
        rows
    }
}

/// Who sends, and names for operations.
pub(super) struct Names<'a> {
    pub(super) author: Option<&'a str>,
    pub(super) client: &'a str,
    pub(super) op_id: &'a (dyn Fn() -> String + Send + Sync),
}

/// What an answer to a `PUT` means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Done.
    Done {
        version: Option<u64>,
        tag: Option<Tag>,
    },
    /// Somebody was first: look again.
    Stale,
    /// Bodies have to be smaller.
    SmallerBodies(usize),
    /// Some keys cannot be taken; the rest can.
    Without(BTreeSet<String>, String),
    /// Only this many entries fit.
    TooMany(Option<u64>, String),
    /// The operation's name is used up: make a new one.
    NewName,
    /// No repetition will help until something changes.
    Final(u16, String),
    /// Try again another time.
    Later(String),
}

/// Reads an answer; what is not understood is tried again another time.
pub(super) fn meaning(answer: &Answer) -> Meaning {
    let problem: Problem = read(&answer.body).unwrap_or_default();
    let said = || said(answer);
    let named = || -> BTreeSet<String> { problem.keys.iter().take(10_000).cloned().collect() };
    match (answer.status, problem.code.as_str()) {
        (200 | 201 | 204, _) => match read::<PutDone>(&answer.body) {
            Ok(done) if !done.version.is_empty() => Meaning::Done {
                version: done.version.parse().ok(),
                tag: answer.tag.clone(),
            },
            // A proxy's page with a good status is no answer, and some other JSON is none either.
            _ => Meaning::Later("the answer was not understood".into()),
        },
        (412, _) => Meaning::Stale,
        (413, "too_many_entries") => Meaning::TooMany(problem.max_entries, said()),
        (413, "entry_too_large") if !problem.keys.is_empty() => Meaning::Without(named(), said()),
        (413, _) if problem.max_body_bytes.is_some() => {
            let bytes = problem
                .max_body_bytes
                .and_then(|bytes| usize::try_from(bytes).ok());
            Meaning::SmallerBodies(bytes.unwrap_or(usize::MAX))
        }
        (409 | 400 | 422, code) if !problem.keys.is_empty() && code != "op_id_reused" => {
            Meaning::Without(named(), said())
        }
        (422, "op_id_reused") => Meaning::NewName,
        (408 | 409 | 425 | 429 | 500..=599, _) => Meaning::Later(said()),
        (status, _) => Meaning::Final(status, said()),
    }
}

/// A server's words, fit for a terminal.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .filter(|one| !one.is_control())
        .take(300)
        .collect()
}

//! Memories that look like some, and the requests that carry them.

use std::collections::BTreeMap;

use serde_json::json;
use team_sync::Checksum;
use team_sync::wire::PATH;

/// The token of the bench.
pub(crate) const TOKEN: &str = "bench-only";

/// About what a memory has.
const TEXT_BYTES: usize = 2_048;

const WORDS: [&str; 32] = [
    "the",
    "deploy",
    "needs",
    "staging",
    "first",
    "because",
    "migration",
    "runs",
    "before",
    "tests",
    "never",
    "use",
    "mocks",
    "for",
    "database",
    "prefer",
    "small",
    "commits",
    "review",
    "asks",
    "why",
    "feature",
    "flag",
    "is",
    "off",
    "in",
    "production",
    "cache",
    "expires",
    "after",
    "an",
    "hour",
];

/// One client's entries, new at each change.
pub(crate) struct Writer {
    repository: String,
    number: usize,
    entries: BTreeMap<String, Option<String>>,
    state: u64,
    round: usize,
}

impl Writer {
    pub(crate) fn new(repository: &str, number: usize, entries: usize) -> Self {
        let entries = (0..entries).map(|at| (format!("w{number}/note{at}.md"), None));
        Self {
            repository: repository.to_owned(),
            number,
            entries: entries.collect(),
            state: number as u64 + 1,
            round: 0,
        }
    }

    /// A request that changes all entries, based on what it has sent before.
    pub(crate) fn next_put(&mut self) -> Vec<u8> {
        self.round += 1;
        let (mut entries, mut bases) = (BTreeMap::new(), BTreeMap::new());
        let keys: Vec<String> = self.entries.keys().cloned().collect();
        for key in keys {
            let text = self.text();
            let sum = Checksum::of(&text).to_string();
            let base = self.entries.insert(key.clone(), Some(sum));
            bases.insert(key.clone(), base.flatten());
            entries.insert(key, text);
        }
        let op_id = format!("{}-{}-{}", self.repository, self.number, self.round);
        let body = json!({ "entries": entries, "bases": bases, "op_id": op_id }).to_string();
        let repository = &self.repository;
        let mut request = format!(
            "PUT {PATH}?repo={repository} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {TOKEN}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body.as_bytes());
        request
    }

    pub(crate) fn text(&mut self) -> String {
        let mut text = String::with_capacity(TEXT_BYTES + 16);
        while text.len() < TEXT_BYTES {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            text.push_str(WORDS[(self.state % 32) as usize]);
            text.push(if self.state.is_multiple_of(12) {
                '\n'
            } else {
                ' '
            });
        }
        text.truncate(TEXT_BYTES);
        text
    }
}

pub(crate) fn get(repository: &str, query: &str, tag: &str) -> Vec<u8> {
    let condition = if tag.is_empty() {
        String::new()
    } else {
        format!("if-none-match: {tag}\r\n")
    };
    format!(
        "GET {PATH}?repo={repository}{query} HTTP/1.1\r\nhost: bench\r\n\
         authorization: Bearer {TOKEN}\r\n{condition}\r\n"
    )
    .into_bytes()
}

//! A server in memory: the real server's decision about a change, around maps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use memstrata_server::Limits;
use memstrata_server::change::{Change, Entry, Precondition, Refusal, State, decide};
use team_sync::client::{Answer, Ask, BoxFuture, Transport, TransportError, Verb};
use team_sync::wire::{Capabilities, Problem, Put, PutDone, Snapshot, Tombstone, read};
use team_sync::{Checksum, Tag, TeamKey};

/// What the server can do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The base form only.
    Plain,
    /// All extensions.
    Full,
}

pub(crate) struct Server {
    form: Form,
    pub(crate) limits: Limits,
    state: State,
    texts: BTreeMap<TeamKey, String>,
    changed: BTreeMap<TeamKey, u64>,
    tombstones: BTreeMap<TeamKey, (Checksum, u64)>,
    answers: BTreeMap<String, (u64, BTreeMap<String, String>)>,
    /// Everything that ever arrived, and every text that was ever accepted.
    pub(crate) received: Vec<u8>,
    pub(crate) accepted: Vec<String>,
    pub(crate) puts: usize,
    pub(crate) requests: usize,
}

pub(crate) type Shared = Arc<Mutex<Server>>;

impl Server {
    pub(crate) fn new(form: Form) -> Shared {
        Arc::new(Mutex::new(Self {
            form,
            limits: Limits::default(),
            state: State {
                epoch: "aaaaaa".into(),
                ..State::default()
            },
            texts: BTreeMap::new(),
            changed: BTreeMap::new(),
            tombstones: BTreeMap::new(),
            answers: BTreeMap::new(),
            received: Vec::new(),
            accepted: Vec::new(),
            puts: 0,
            requests: 0,
        }))
    }

    pub(crate) fn texts(&self) -> &BTreeMap<TeamKey, String> {
        &self.texts
    }

    pub(crate) fn version(&self) -> u64 {
        self.state.version
    }

    /// A copy of the data, as a backup holds it.
    pub(crate) fn backup(&self) -> (State, BTreeMap<TeamKey, String>) {
        (self.state.clone(), self.texts.clone())
    }

    /// Goes back to a backup, under a new epoch.
    pub(crate) fn restore(&mut self, backup: (State, BTreeMap<TeamKey, String>)) {
        (self.state, self.texts) = backup;
        self.state.epoch = "bbbbbb".into();
        self.tombstones.clear();
        self.answers.clear();
        self.changed = self
            .texts
            .keys()
            .map(|key| (key.clone(), self.state.version))
            .collect();
    }

    /// Somebody else's change, without a client.
    pub(crate) fn store(&mut self, key: &str, text: &str) {
        let key = TeamKey::parse(key).expect("a key");
        self.state.version += 1;
        self.write(&key, text.to_owned());
    }

    pub(crate) fn delete(&mut self, key: &str) {
        let key = TeamKey::parse(key).expect("a key");
        self.state.version += 1;
        self.remove(&key);
    }

    /// Makes an entry disappear without a tombstone, as a broken server would.
    pub(crate) fn lose(&mut self, key: &str) {
        let key = TeamKey::parse(key).expect("a key");
        self.state.version += 1;
        self.state.entries.remove(&key);
        self.texts.remove(&key);
    }

    fn write(&mut self, key: &TeamKey, text: String) {
        let entry = Entry {
            checksum: Checksum::of(&text),
            bytes: text.len() as u64,
        };
        self.state.entries.insert(key.clone(), entry);
        self.changed.insert(key.clone(), self.state.version);
        self.tombstones.remove(key);
        self.accepted.push(text.clone());
        self.texts.insert(key.clone(), text);
    }

    fn remove(&mut self, key: &TeamKey) {
        if let Some(entry) = self.state.entries.remove(key) {
            self.tombstones
                .insert(key.clone(), (entry.checksum, self.state.version));
            self.texts.remove(key);
        }
    }

    pub(crate) fn answer(&mut self, ask: &Ask) -> Answer {
        self.requests += 1;
        self.received.extend_from_slice(&ask.body);
        match ask.verb {
            Verb::Put => self.put(ask),
            _ => self.get(ask),
        }
    }

    fn get(&self, ask: &Ask) -> Answer {
        let tag = self.state.tag();
        if self.state.version == 0 {
            return problem(404, "nothing_yet");
        }
        if ask.if_none_match.as_ref() == Some(&tag) {
            return Answer::new(304, Vec::new()).with_tag(Some(tag));
        }
        let full = self.form == Form::Full;
        let parameter = |name: &str| ask.query.iter().find(|(known, _)| *known == name && full);
        let since = parameter("since").map(|(_, text)| text.parse::<u64>().expect("a version"));
        let keys = parameter("keys").map(|(_, text)| text.split(',').collect::<Vec<_>>());
        let wanted = |key: &TeamKey| {
            keys.as_ref()
                .is_none_or(|keys| keys.contains(&key.as_str()))
                && since.is_none_or(|since| self.changed[key] > since)
        };
        let mut snapshot = Snapshot::default();
        snapshot.version = self.state.version.to_string();
        snapshot.since = since.map(|since| since.to_string());
        let entries = self.texts.iter().filter(|(key, _)| wanted(key));
        snapshot.entries = Some(
            entries
                .map(|(key, text)| (key.to_string(), text.clone()))
                .collect(),
        );
        for (key, entry) in self.state.entries.iter().filter(|(key, _)| wanted(key)) {
            snapshot
                .checksums
                .insert(key.to_string(), entry.checksum.to_string());
        }
        if full {
            for (key, (checksum, version)) in &self.tombstones {
                if since.is_none_or(|since| *version > since) {
                    let tombstone = Tombstone::new(version.to_string(), checksum.to_string());
                    snapshot.tombstones.insert(key.to_string(), tombstone);
                }
            }
            let mut capabilities = Capabilities::default();
            let features = [
                "bases",
                "deletes",
                "op_id",
                "expected_version",
                "since",
                "keys",
            ];
            capabilities.features = features.map(str::to_owned).to_vec();
            snapshot.capabilities = Some(capabilities);
        }
        Answer::new(200, serde_json::to_vec(&snapshot).expect("JSON")).with_tag(Some(tag))
    }

    fn put(&mut self, ask: &Ask) -> Answer {
        self.puts += 1;
        let request: Put = match read(&ask.body) {
            Ok(request) => request,
            Err(_) => return problem(400, "bad_body"),
        };
        let full = self.form == Form::Full;
        if let Some((version, checksums)) =
            request.op_id.as_ref().and_then(|id| self.answers.get(id))
        {
            return done(
                *version,
                checksums.clone(),
                Tag::new(*version, &self.state.epoch),
            );
        }
        let key = |raw: &str| TeamKey::parse(raw).expect("our client sends legal keys");
        let precondition = match (&ask.if_match, ask.if_absent) {
            (Some(tag), _) => Precondition::Tags(vec![tag.clone()]),
            (None, true) => Precondition::Absent,
            (None, false) => Precondition::None,
        };
        let bases = request.bases.as_ref().filter(|_| full).map(|bases| {
            let base =
                |text: &Option<String>| text.as_ref().map(|text| text.parse().expect("a checksum"));
            bases
                .iter()
                .map(|(raw, text)| (key(raw), base(text)))
                .collect()
        });
        let change = Change {
            repository: String::new(),
            entries: request
                .entries
                .iter()
                .map(|(raw, text)| (key(raw), text.clone()))
                .collect(),
            deletes: request
                .deletes
                .iter()
                .filter(|_| full)
                .map(|raw| key(raw))
                .collect(),
            bases,
            precondition,
            op_id: None,
            digest: String::new(),
            author: String::new(),
            client: String::new(),
            at: String::new(),
        };
        let effects = match decide(&self.state, &change, &self.limits) {
            Ok(effects) => effects,
            Err(refusal) => return refused(refusal, &self.limits),
        };
        if !effects.is_empty() {
            self.state.version += 1;
            for key in &effects.stored {
                self.write(key, change.entries[key].clone());
            }
            for key in effects.deleted.keys() {
                self.remove(key);
            }
        }
        let sums = request
            .entries
            .iter()
            .map(|(raw, text)| (raw.clone(), Checksum::of(text).to_string()));
        let checksums: BTreeMap<String, String> = sums.collect();
        if let Some(id) = request.op_id.filter(|_| full) {
            self.answers
                .insert(id, (self.state.version, checksums.clone()));
        }
        done(self.state.version, checksums, self.state.tag())
    }
}

fn done(version: u64, checksums: BTreeMap<String, String>, tag: Tag) -> Answer {
    let mut done = PutDone::default();
    done.version = version.to_string();
    done.checksums = checksums;
    Answer::new(200, serde_json::to_vec(&done).expect("JSON")).with_tag(Some(tag))
}

fn problem(status: u16, code: &str) -> Answer {
    let problem = Problem::new(status, code, "", "refused by the test");
    Answer::new(status, serde_json::to_vec(&problem).expect("JSON"))
}

fn refused(refusal: Refusal, limits: &Limits) -> Answer {
    let mut problem = Problem::new(412, "stale", "", "refused by the test");
    match refusal {
        Refusal::Stale { version } => problem.version = Some(version.to_string()),
        Refusal::Unconditional => problem.status = 428,
        Refusal::Twins(keys) => {
            problem.status = 409;
            problem.code = "key_twin".into();
            problem.keys = keys;
        }
        Refusal::TooManyEntries => {
            problem.status = 413;
            problem.code = "too_many_entries".into();
            problem.max_entries = Some(limits.entries as u64);
        }
        Refusal::EntryTooLarge(keys) => {
            problem.status = 413;
            problem.code = "entry_too_large".into();
            problem.keys = keys;
        }
        other => panic!("a refusal this test does not meet: {other:?}"),
    }
    Answer::new(problem.status, serde_json::to_vec(&problem).expect("JSON"))
}

/// A connection without faults.
pub(crate) struct Direct(pub(crate) Shared);

impl Transport for Direct {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        let answer = self.0.lock().expect("no panic").answer(&ask);
        Box::pin(async move { Ok(answer) })
    }
}

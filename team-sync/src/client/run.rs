//! One run: finish what was begun, look on both sides, plan, carry out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use backon::Retryable;

use super::engine::{Client, SyncOptions};
use super::folder::{self, Walked};
use super::outbox::{self, Row};
use super::pull::{self, Pulled};
use super::push::{Meaning, Outgoing, meaning};
use super::refusal::said;
use super::report::SyncReport;
use super::retry::{Failed, backoff, pause, worth_repeating};
use super::state::State;
use super::taking::only_writes;
use super::transport::{Answer, Ask, TransportError};
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::plan::{Action, HoldReason, PlanOptions, Step, plan};
use crate::precondition::{Missing, lacking};
use crate::tag::Tag;
use crate::trees::LocalFile;
use crate::wire::{Snapshot, read};

/// How often the server may ask for a look at everything before it counts as unavailable.
const LOOKS: u32 = 3;

/// How often a run looks again after somebody else was first.
const ROUNDS: u32 = 3;

/// Everything a run knows.
pub(super) struct Run<'a> {
    pub(super) client: &'a Client,
    pub(super) state: State,
    pub(super) report: SyncReport,
    /// Keys the server did not take in this run.
    pub(super) not_taken: BTreeSet<TeamKey>,
    /// How often one request is tried.
    pub(super) tries: usize,
    /// Whether the folder's marker was found.
    pub(super) marker: bool,
    /// The files of the last walk.
    pub(super) files: Vec<String>,
    /// The longest wait a server may ask for inside of the run.
    pub(super) patience: Duration,
}

impl Run<'_> {
    pub(super) async fn all(&mut self, options: &SyncOptions) -> Result<(), Error> {
        self.begin_anew(options.fresh);
        self.finish_begun(options).await?;
        for round in 0..ROUNDS {
            let pulled = if round == 0 && options.push_only && self.state.seen().is_some() {
                self.known()
            } else {
                self.pull().await?
            };
            self.check_scopes()?;
            let walked = folder::walk(
                &self.client.folder,
                self.marker,
                &*self.client.options.gate,
                &mut self.report,
            )?;
            let again = self.carry_out(walked, pulled, options).await?;
            if !again {
                return Ok(());
            }
            if round + 1 < ROUNDS {
                tokio::time::sleep(self.client.jitter(Duration::from_millis(500))).await;
            }
        }
        self.report.pending = true;
        Ok(())
    }

    /// A token that is not good for team memory is not used for it, whatever else it may do.
    fn check_scopes(&mut self) -> Result<(), Error> {
        let lacking = lacking(&self.client.wanted_scopes, self.state.scopes.as_deref());
        if lacking.is_empty() {
            return Ok(());
        }
        // Another token may be there next time, and an answer "nothing new" would not say what it is good for.
        self.state.whole = true;
        let missing = Missing::Scopes(lacking);
        let text = format!("{}; {}", missing.text(), missing.remedy());
        Err(Error::new(ErrorKind::Refused, text))
    }

    /// Forgets refusals that may be over: another token, another server, or somebody who asks.
    fn begin_anew(&mut self, fresh: bool) {
        let identity = self.client.transport.identity();
        let other = |suppressed: &super::state::Suppressed| suppressed.identity != identity;
        if fresh || self.state.suppressed.as_ref().is_some_and(other) {
            self.state.suppressed = None;
        }
        // Perhaps the rules have changed that refused them.
        self.state.whole |= fresh && !self.state.refused.is_empty();
    }

    /// A file that is gone may have been what the server refused.
    fn lift_suppression(&mut self, walked: &Walked) {
        let gone = |name: &String| !walked.local.files.contains_key(name.as_str());
        if let Some(suppressed) = &self.state.suppressed
            && suppressed.files.iter().any(gone)
        {
            self.state.suppressed = None;
        }
        self.files = walked.local.files.keys().map(TeamKey::to_string).collect();
    }

    /// Sends again what was begun and not answered, under the same name.
    async fn finish_begun(&mut self, options: &SyncOptions) -> Result<(), Error> {
        for row in outbox::waiting(&self.client.state_root)? {
            if options.pull_only || self.state.suppressed.is_some() {
                self.report.pending = true;
                return Ok(());
            }
            // Without a name a repeat could be applied twice; what it held is planned again instead.
            if row.put.op_id.is_some() {
                match self.put(&row).await? {
                    Meaning::Done { version, tag } => self.agree(&row, version, tag)?,
                    Meaning::Later(why) => return Err(unavailable(&why)),
                    // Whatever else: what it held is still in the folder, and is planned again.
                    _ => {}
                }
            }
            row.drop_from(&self.client.state_root)?;
        }
        Ok(())
    }

    /// The server as it was seen last.
    pub(super) fn known(&self) -> Pulled {
        Pulled {
            remote: pull::remote(&self.state),
            texts: BTreeMap::new(),
        }
    }

    /// Looks at the server.
    pub(super) async fn pull(&mut self) -> Result<Pulled, Error> {
        for _ in 0..LOOKS {
            let mut ask = Ask::get();
            ask.if_none_match = self.state.seen().cloned();
            let since = self.state.seen().and_then(Tag::version);
            if let Some(version) = since.filter(|_| self.state.has("since")) {
                ask.query.push(("since", version.to_string()));
            }
            if self.state.whole && !self.state.synced.is_empty() {
                // Most texts are here already; those that are not are fetched by key.
                ask.query.push(("view", "hashes".into()));
            }
            let answer = self.ask(ask).await?;
            match answer.status {
                304 => return Ok(self.known()),
                404 => {
                    // Nothing there yet. After a sync that is a gap, which is filled, never a deletion.
                    self.state.remote.clear();
                    self.state.tombstones.clear();
                    self.state.refused.clear();
                    self.state.tag = None;
                    self.state.version = None;
                    self.state.highest = 0;
                    return Ok(Pulled::default());
                }
                410 => self.state.whole = true,
                200 => {
                    if let Some(pulled) = self.take(answer)? {
                        return Ok(pulled);
                    }
                }
                _ => return Err(refuse(&answer)),
            }
        }
        Err(unavailable("it keeps asking to be looked at anew"))
    }

    /// Takes an answer; `None` when everything has to be looked at.
    fn take(&mut self, answer: Answer) -> Result<Option<Pulled>, Error> {
        let snapshot = snapshot(&answer)?;
        if let (Some(old), Some(new)) = (&self.state.tag, &answer.tag) {
            // A foreign server's tag names neither version nor epoch; its body has a version.
            let version = new.version().or_else(|| snapshot.version.parse().ok());
            let behind = version < Some(self.state.highest);
            if old.epoch() != new.epoch() {
                if snapshot.since.is_some() {
                    // The server was restored: compare everything.
                    self.state.whole = true;
                    return Ok(None);
                }
                self.doubt_agreements(&snapshot);
            } else if behind && new.epoch().is_some() {
                // A replica or a cache that is behind.
                return Err(unavailable(
                    "the server's answer is older than what it said before",
                ));
            } else if behind {
                // Either that or a restore; nobody says which.
                self.doubt_agreements(&snapshot);
            }
        }
        let gate = Arc::clone(&self.client.options.gate);
        Ok(Some(pull::take(
            &mut self.state,
            snapshot,
            answer.tag,
            &*gate,
            &mut self.report,
        )))
    }

    /// After a restore from a backup the server shows what it had before: an older text is no newer edit.
    ///
    /// A text that was agreed once counts as the base again, so that what came after it is sent anew; of any
    /// other text nobody knows what it is based on.
    fn doubt_agreements(&mut self, snapshot: &Snapshot) {
        for (raw, checksum) in &snapshot.checksums {
            let (Ok(key), Ok(there)) = (TeamKey::parse(raw), checksum.parse()) else {
                continue;
            };
            if self
                .state
                .synced
                .get(&key)
                .is_none_or(|agreed| *agreed == there)
            {
                continue;
            }
            let past = self.state.past.get(&key);
            if past.is_some_and(|past| past.contains(&there)) {
                self.state.synced.insert(key, there);
            } else {
                self.state.synced.remove(&key);
            }
        }
    }

    /// Carries out a plan; `true` when the server has to be looked at again.
    async fn carry_out(
        &mut self,
        mut walked: Walked,
        mut pulled: Pulled,
        options: &SyncOptions,
    ) -> Result<bool, Error> {
        self.lift_suppression(&walked);
        for key in &self.not_taken {
            if let Some(file) = walked.local.files.get_mut(key) {
                *file = LocalFile::Blocked;
            }
        }
        if self.state.synced.is_empty() {
            // A first sync: nothing can have been deleted yet, and the folder is the right one.
            walked.local.marker = true;
        }
        let plan_options = PlanOptions::default()
            .with_confirmed_deletes(options.confirmed_deletes)
            .with_held(self.state.held.clone());
        let mut steps = plan(
            &walked.local,
            &pulled.remote,
            &self.state.synced,
            &plan_options,
        );
        if options.push_only {
            steps.retain(|step| !only_takes(&step.action));
        }
        self.remember_held(&steps);
        self.fetch_texts(&steps, &mut pulled).await?;
        pull::note_refused(&self.state, &mut self.report);

        let mut outgoing = Outgoing::default();
        let (taking, steps): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(only_writes);
        self.take_files(&taking, &walked, &pulled)?;
        for step in steps {
            let key = step.key.clone();
            match self.step(step, &walked, &pulled, &mut outgoing) {
                Err(error) if error.kind() == ErrorKind::Folder => self.trouble(&key, &error),
                other => other?,
            }
        }
        if !self.marker && walked.local.marker {
            folder::mark(&self.client.folder, &self.client.options.repository)?;
            self.marker = true;
        }
        self.bury(&walked);
        // What was agreed is durable before anything is sent on top of it.
        self.state
            .save(&self.client.state_root, &self.client.options.repository)?;
        if outgoing.is_empty() {
            return Ok(false);
        }
        if options.pull_only {
            self.report.pending = true;
            return Ok(false);
        }
        self.push(outgoing).await
    }

    /// Remembers which deletions have no file here any more. A file that somebody writes or brings back later
    /// is a new one, even with the text that was deleted.
    fn bury(&mut self, walked: &Walked) {
        let state = &mut self.state;
        let tombstones = &state.tombstones;
        state
            .buried
            .retain(|key, checksum| tombstones.get(key) == Some(checksum));
        if !walked.local.complete || !walked.local.marker {
            return;
        }
        let gone = |key: &TeamKey| !walked.local.files.contains_key(key);
        let settled = state.tombstones.iter().filter(|(key, _)| gone(key));
        state
            .buried
            .extend(settled.map(|(key, checksum)| (key.clone(), *checksum)));
    }

    fn remember_held(&mut self, steps: &[Step]) {
        let held = |step: &&Step| step.action == Action::Hold(HoldReason::TooManyDeletes);
        self.state.held = steps
            .iter()
            .filter(held)
            .map(|step| step.key.clone())
            .collect();
    }

    /// Fetches the texts a plan needs that did not come with the answer.
    async fn fetch_texts(&mut self, steps: &[Step], pulled: &mut Pulled) -> Result<(), Error> {
        let needed = |step: &Step| match &step.action {
            Action::Download { .. } => Some(step.key.clone()),
            Action::Merge { remote, .. } => Some(remote.0.clone()),
            _ => None,
        };
        let missing: Vec<TeamKey> = steps
            .iter()
            .filter_map(needed)
            .filter(|key| !pulled.texts.contains_key(key))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut ask = Ask::get();
        let plain = missing.iter().all(|key| !key.as_str().contains(','));
        if self.state.has("keys") && plain && missing.len() <= 50 {
            let keys: Vec<&str> = missing.iter().map(TeamKey::as_str).collect();
            ask.query.push(("keys", keys.join(",")));
        }
        let answer = self.ask(ask).await?;
        if answer.status != 200 {
            return Err(refuse(&answer));
        }
        let snapshot = snapshot(&answer)?;
        let gate = Arc::clone(&self.client.options.gate);
        for (raw, text) in snapshot.entries.unwrap_or_default() {
            let Ok(key) = TeamKey::parse(&raw) else {
                continue;
            };
            let Some(known) = self.state.remote.get(&key) else {
                continue;
            };
            let new = Checksum::of(&text).to_string();
            match pull::accept(*known, &text, &*gate) {
                Ok(()) => drop(pulled.texts.insert(key, text)),
                // Changed since the look: a later one finds it.
                Err(refused) if refused.again && snapshot.checksums.get(&raw) == Some(&new) => {}
                Err(refused) => {
                    self.state.whole |= refused.again;
                    self.state.remote.remove(&key);
                    self.state.refused.insert(raw, refused);
                }
            }
        }
        Ok(())
    }

    pub(super) async fn put(&mut self, row: &Row) -> Result<Meaning, Error> {
        let body = serde_json::to_vec(&row.put).map_err(|error| {
            Error::new(ErrorKind::State, "a request cannot be written").with_source(error)
        })?;
        let mut ask = Ask::put(body);
        ask.if_match = row.if_match.as_deref().and_then(Tag::parse);
        ask.if_absent = ask.if_match.is_none() && row.put.expected_version.is_none();
        match self.ask(ask).await {
            Ok(answer) => Ok(meaning(&answer)),
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                Ok(Meaning::Later(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// Sends a request, again where that may help, always the same one.
    pub(super) async fn ask(&mut self, ask: Ask) -> Result<Answer, Error> {
        let (requests, transport) = (AtomicU64::new(0), &self.client.transport);
        let once = || {
            requests.fetch_add(1, Ordering::Relaxed);
            let answer = transport.send(ask.clone());
            async move { judge(answer.await) }
        };
        let seed = (self.client.options.random)();
        let patience = self.patience;
        let outcome = once
            .retry(backoff(self.tries, seed))
            .sleep(tokio::time::sleep)
            .when(|failed: &Failed| failed.again)
            .adjust(|failed, own| pause(own, failed.wait, patience))
            .await;
        self.report.requests += requests.into_inner();
        outcome.map_err(|failed| {
            if failed.again {
                unavailable(&failed.why).with_retry_after(failed.wait)
            } else {
                Error::new(ErrorKind::TooLarge, failed.why)
            }
        })
    }
}

/// Whether a step changes the folder and sends nothing.
fn only_takes(action: &Action) -> bool {
    matches!(
        action,
        Action::Download { .. } | Action::RemoveLocal { .. } | Action::RenameLocal { .. }
    )
}

/// Parts answers that count from tries that failed.
fn judge(outcome: Result<Answer, TransportError>) -> Result<Answer, Failed> {
    match outcome {
        Ok(answer) if worth_repeating(answer.status) => Err(Failed {
            why: said(&answer),
            wait: answer.retry_after,
            again: true,
        }),
        Ok(answer) => Ok(answer),
        Err(error) => Err(Failed {
            why: error.to_string(),
            wait: None,
            again: error.may_pass(),
        }),
    }
}

pub(super) fn unavailable(why: &str) -> Error {
    Error::new(
        ErrorKind::Unavailable,
        format!("the team server cannot be reached now: {why}"),
    )
}

/// The error for an answer to a `GET` that is neither good nor worth a repeat.
pub(super) fn refuse(answer: &Answer) -> Error {
    Error::new(ErrorKind::Refused, said(answer))
}

fn snapshot(answer: &Answer) -> Result<Snapshot, Error> {
    let snapshot: Snapshot = read(&answer.body)
        .map_err(|error| unavailable(&format!("the answer was not understood: {error}")))?;
    if snapshot.version.is_empty() && snapshot.checksums.is_empty() {
        // Some other JSON, of a proxy perhaps: not a repository with nothing in it.
        return Err(unavailable(
            "the answer is not that of a team server; is there a proxy or a login page in between?",
        ));
    }
    Ok(snapshot)
}

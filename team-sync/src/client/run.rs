//! One run: finish what was begun, look on both sides, plan, carry out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::engine::{Client, SyncOptions};
use super::folder::{self, Walked};
use super::outbox::{self, Row};
use super::pull::{self, Pulled};
use super::push::{Meaning, Outgoing, meaning, said};
use super::report::{Note, SyncReport};
use super::state::{State, kept_text};
use super::transport::{Answer, Ask, TransportError};
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::plan::{Action, HoldReason, PlanOptions, Step, plan};
use crate::tag::Tag;
use crate::trees::LocalFile;
use crate::wire::{Problem, Snapshot, read};

/// How often one request is tried.
pub(super) const TRIES: u32 = 4;

/// The longest a server may make us wait; it is asked again by a later run.
const MOST_WAIT: Duration = Duration::from_secs(15 * 60);

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
    pub(super) tries: u32,
}

impl Run<'_> {
    pub(super) async fn all(&mut self, options: &SyncOptions) -> Result<(), Error> {
        self.finish_begun(options).await?;
        for round in 0..ROUNDS {
            let pulled = self.pull().await?;
            let walked = folder::walk(
                &self.client.folder,
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

    /// Looks at the server.
    pub(super) async fn pull(&mut self) -> Result<Pulled, Error> {
        let mut ask = Ask::get();
        ask.if_none_match = self.state.seen().cloned();
        let since = self.state.seen().and_then(Tag::version);
        if let Some(version) = since.filter(|_| self.state.has("since")) {
            ask.query.push(("since", version.to_string()));
        }
        let answer = self.ask(ask).await?;
        match answer.status {
            304 => Ok(Pulled {
                remote: pull::remote(&self.state, &BTreeSet::new()),
                texts: BTreeMap::new(),
            }),
            404 => {
                // Nothing there yet. After a sync that is a gap, which is filled, never a deletion.
                self.state.remote.clear();
                self.state.tombstones.clear();
                self.state.tag = None;
                self.state.highest = 0;
                Ok(Pulled::default())
            }
            410 => {
                self.state.whole = true;
                Box::pin(self.pull()).await
            }
            200 => self.take(answer).await,
            _ => Err(refuse(&answer)),
        }
    }

    async fn take(&mut self, answer: Answer) -> Result<Pulled, Error> {
        let snapshot = snapshot(&answer)?;
        let same_epoch = |old: &Tag, new: &Tag| old.epoch() == new.epoch();
        if let (Some(old), Some(new)) = (&self.state.tag, &answer.tag) {
            if same_epoch(old, new) && new.version() < Some(self.state.highest) {
                // A replica or a cache that is behind.
                return Err(unavailable(
                    "the server's answer is older than what it said before",
                ));
            }
            if !same_epoch(old, new) {
                if snapshot.since.is_some() {
                    // The server was restored: compare everything.
                    self.state.whole = true;
                    return Box::pin(self.pull()).await;
                }
                self.doubt_agreements(&snapshot)?;
            }
        }
        let gate = Arc::clone(&self.client.options.gate);
        Ok(pull::take(
            &mut self.state,
            snapshot,
            answer.tag,
            &*gate,
            &mut self.report,
        ))
    }

    /// After a restore from a backup the server shows what it had before: an older text is no newer edit.
    ///
    /// A text that was agreed once counts as the base again, so that what came after it is sent anew; of any
    /// other text nobody knows what it is based on.
    fn doubt_agreements(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
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
            if kept_text(&self.client.state_root, &there)?.is_some() {
                self.state.synced.insert(key, there);
            } else {
                self.state.synced.remove(&key);
            }
        }
        Ok(())
    }

    /// Carries out a plan; `true` when the server has to be looked at again.
    async fn carry_out(
        &mut self,
        mut walked: Walked,
        mut pulled: Pulled,
        options: &SyncOptions,
    ) -> Result<bool, Error> {
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

        let mut outgoing = Outgoing::default();
        for step in steps {
            self.step(step, &walked, &pulled, &mut outgoing)?;
        }
        if folder::marker(&self.client.folder)?.is_none() && walked.local.marker {
            folder::mark(&self.client.folder, &self.client.options.repository)?;
        }
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
        let gate = &*self.client.options.gate;
        for (raw, text) in snapshot.entries.unwrap_or_default() {
            let Ok(key) = TeamKey::parse(&raw) else {
                continue;
            };
            let Some(known) = self.state.remote.get(&key) else {
                continue;
            };
            match pull::accept(*known, &text, gate) {
                Ok(()) => drop(pulled.texts.insert(key, text)),
                Err(why) => self.report.note(key.as_str(), Note::RefusedThere(why)),
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
        ask.if_absent = ask.if_match.is_none();
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
        let mut wait = Duration::from_millis(500);
        let mut tries = 0;
        loop {
            tries += 1;
            self.report.requests += 1;
            let result = self.client.transport.send(ask.clone()).await;
            let (asked, why) = match result {
                Ok(answer) if !worth_repeating(answer.status) => return Ok(answer),
                Ok(answer) => {
                    let why = format!("the server answered {}", answer.status);
                    (answer.retry_after, why)
                }
                Err(TransportError(why)) => (None, why),
            };
            let pause = asked.unwrap_or(wait);
            if tries >= self.tries || pause > MOST_WAIT {
                return Err(unavailable(&why));
            }
            tokio::time::sleep(pause + self.client.jitter(wait) / 2).await;
            wait *= 2;
        }
    }
}

/// Whether a step changes the folder and sends nothing.
fn only_takes(action: &Action) -> bool {
    matches!(
        action,
        Action::Download { .. } | Action::RemoveLocal { .. } | Action::RenameLocal { .. }
    )
}

fn worth_repeating(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

pub(super) fn unavailable(why: &str) -> Error {
    Error::new(
        ErrorKind::Unavailable,
        format!("the team server cannot be reached now: {why}"),
    )
}

/// The error for an answer to a `GET` that is neither good nor worth a repeat.
pub(super) fn refuse(answer: &Answer) -> Error {
    let problem: Problem = read(&answer.body).unwrap_or_default();
    Error::new(ErrorKind::Refused, said(answer, &problem))
}

fn snapshot(answer: &Answer) -> Result<Snapshot, Error> {
    read(&answer.body)
        .map_err(|error| unavailable(&format!("the answer was not understood: {error}")))
}

//! The guard of writes, and the history of what was written by others.

use std::path::Path;

use memdir::{
    Candidate, ContentHash, ErrorKind as MemoryErrorKind, Scope, SecretFinding, Watch,
    WriteDecision, Writer,
};
use pathguard::PathKey;

use super::event::{Happened, Part};
use super::{Session, lock};
use crate::error::chain;

/// What a host does with a write that its agent is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteVerdict {
    /// Let it happen, or refuse it with [`WriteVerdict::reason`].
    pub is_allowed: bool,
    /// What the check came to.
    pub decision: WriteDecision,
    /// The file, relative to the memory folder, when it lies in it and its name is allowed.
    pub path: Option<PathKey>,
    /// What to tell the one who writes; empty when there is nothing to tell.
    pub reason: String,
    /// Credentials that were found: rule and line, never the value.
    pub secrets: Vec<SecretFinding>,
}

impl Session {
    /// A tool is about to write a file: may it?
    ///
    /// Only writes into the memory folder are looked at: path, mode, size, credentials (in team files they are
    /// always refused). A write that may happen is remembered; call [`Session::after_write`] when it has. In
    /// mode `ask` the text goes into the inbox and the write is refused, with words that say so.
    ///
    /// `path` is absolute. Fails closed: what cannot be checked inside of the memory folder is refused.
    pub fn check_write(&self, path: &Path, text: &[u8]) -> WriteVerdict {
        let check = self.store.check_write(path, text, Writer::Host);
        let mut verdict = WriteVerdict {
            is_allowed: matches!(
                check.decision,
                WriteDecision::Outside | WriteDecision::Allow | WriteDecision::Warn
            ),
            decision: check.decision,
            path: check.path,
            reason: check.reason,
            secrets: check.secrets,
        };
        if verdict.decision == WriteDecision::Outside {
            return verdict;
        }
        match (&verdict.path, verdict.decision) {
            (Some(key), WriteDecision::Propose) => verdict.reason = self.propose(key, text),
            (Some(key), _) if verdict.is_allowed => self.watch(&key.clone(), &mut verdict),
            _ => {}
        }
        self.happened(Happened::WriteChecked {
            path: verdict.path.as_ref().map(|key| key.as_str().to_owned()),
            decision: verdict.decision,
            reason: verdict.reason.clone(),
            secrets: verdict.secrets.clone(),
        });
        verdict
    }

    /// A tool has written a file that [`Session::check_write`] allowed: takes the edit into the history, so that
    /// it can be seen and undone. A path outside of the memory folder is passed over.
    pub fn after_write(&self, path: &Path) {
        // Asked again: what the path leads to is what counts, and its text does not matter now.
        let Some(key) = self.store.check_write(path, b"", Writer::Person).path else {
            return;
        };
        let id = watch_id(&self.id, &key);
        let names = |keys: &[PathKey]| keys.iter().map(|key| key.as_str().to_owned()).collect();
        match self.store.reconcile(&id, &self.origin()) {
            Ok(done) => {
                if done.index_is_untrue {
                    let mut memo = lock(&self.memo);
                    memo.index_is_untrue = true;
                    memo.keep_in(&self.store, &self.id);
                }
                if done.sequence.is_some() {
                    for key in done.created.iter().chain(&done.changed) {
                        self.learned_here(key.as_str());
                    }
                    self.happened(Happened::Written {
                        created: names(&done.created),
                        changed: names(&done.changed),
                        removed: names(&done.removed),
                    });
                }
            }
            // Nobody asked before this write.
            Err(error) if error.kind() == MemoryErrorKind::NotFound => {}
            Err(error) => self.failed(Part::Guard, chain(&error)),
        }
    }

    /// Takes a picture before the write. Without one the write could not be undone, so it is refused.
    fn watch(&self, key: &PathKey, verdict: &mut WriteVerdict) {
        if !self.store.is_writable() || self.is_off() {
            return;
        }
        let id = watch_id(&self.id, key);
        if let Err(error) = self.store.watch(&id, &Watch::Files(vec![key.clone()])) {
            verdict.is_allowed = false;
            verdict.decision = WriteDecision::Block;
            verdict.reason = format!("the memory's history cannot be written: {}", chain(&error));
        }
    }

    /// Puts the text into the inbox; returns what to tell the one who wanted to write it.
    fn propose(&self, key: &PathKey, text: &[u8]) -> String {
        let base = self
            .store
            .root()
            .read(key.as_ref(), memdir::limits::MEMORY_MAX_BYTES);
        let candidate = Candidate {
            path: key.clone(),
            bytes: text.to_vec(),
            base: base.ok().map(|read| ContentHash::of(&read.bytes)),
        };
        match self.store.propose_file(candidate, &self.origin()) {
            Ok(_) => {
                "a person decides what is kept: the text waits in the inbox, do not write it again"
                    .to_owned()
            }
            Err(error) if error.kind() == MemoryErrorKind::Secret => chain(&error),
            Err(error) => format!(
                "a person decides what is kept, and the inbox did not take it: {}",
                chain(&error)
            ),
        }
    }

    /// Makes the index true where the agent wrote memories and left lines out. The agent may be about to write
    /// the line itself, so this waits until its turn is over.
    pub(super) fn mend_index(&self) {
        let mut memo = lock(&self.memo);
        if !std::mem::take(&mut memo.index_is_untrue) {
            return;
        }
        memo.keep_in(&self.store, &self.id);
        drop(memo);
        for scope in [Scope::Private, Scope::Team] {
            if scope == Scope::Team && self.modes().team == memdir::Mode::Off {
                continue;
            }
            if let Err(error) = self.store.rebuild_index(scope, &self.origin()) {
                self.failed(Part::Guard, chain(&error));
            }
        }
    }
}

/// Names the picture of a file: a plain name, the same in every process of the session.
fn watch_id(session: &str, key: &PathKey) -> String {
    let hash = ContentHash::of(format!("{session}\n{}", key.as_str()).as_bytes());
    format!("write-{}", &hash.to_string()[..32])
}

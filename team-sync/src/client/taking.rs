//! Taking many files at once: the texts first, then the files side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use pathguard::PathKeyRef;

use super::folder::{self, Walked};
use super::pull::Pulled;
use super::report::{Done, Note};
use super::run::Run;
use super::state::keep_texts;
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::plan::{Action, Step};

/// Files that are written at the same time. Each waits for the disk, which takes several waits as one.
const WRITERS: usize = 8;

/// One file to be written.
struct Wanted<'a> {
    key: &'a TeamKey,
    at: PathKeyRef<'a>,
    remote: Checksum,
    over: Option<Checksum>,
    text: &'a str,
}

/// Whether a step only writes one file, whatever becomes of the others.
pub(super) fn only_writes(step: &Step) -> bool {
    matches!(step.action, Action::Download { replaces: None, .. })
}

impl Run<'_> {
    /// Carries out steps that each only write one file. Each is checked again just before its rename.
    pub(super) fn take_files(
        &mut self,
        steps: &[Step],
        walked: &Walked,
        pulled: &Pulled,
    ) -> Result<(), Error> {
        let mut wanted = Vec::new();
        for step in steps {
            let Action::Download { remote, over, .. } = step.action else {
                continue;
            };
            let text = pulled.texts.get(&step.key);
            match text.filter(|text| Checksum::of(text) == remote) {
                Some(text) => wanted.push(Wanted {
                    key: &step.key,
                    at: walked.at(&step.key),
                    remote,
                    over,
                    text,
                }),
                None => self.without_text(&step.key),
            }
        }
        // A merge base is on disk before a state names it.
        keep_texts(&self.client.state_root, wanted.iter().map(|one| one.text))?;
        let outcomes = self.write(&wanted);
        let mut stopped = None;
        for (one, outcome) in wanted.iter().zip(outcomes) {
            match outcome {
                Ok(true) => {
                    self.state.agreed(one.key, one.remote);
                    self.report.done.push((one.key.clone(), Done::Pulled));
                }
                Ok(false) => self.report.note(one.key.as_str(), Note::ChangedMeanwhile),
                Err(error) if error.kind() == ErrorKind::Folder => self.trouble(one.key, &error),
                // What was written is agreed all the same.
                Err(error) => stopped = stopped.or(Some(error)),
            }
        }
        stopped.map_or(Ok(()), Err)
    }

    fn write(&self, wanted: &[Wanted<'_>]) -> Vec<Result<bool, Error>> {
        let folder = &self.client.folder;
        let replace = |one: &Wanted<'_>| folder::replace(folder, one.at, one.over, one.text);
        if wanted.len() < 2 {
            return wanted.iter().map(replace).collect();
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut outcomes = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                match wanted.get(at) {
                    Some(one) => outcomes.push((at, replace(one))),
                    None => return outcomes,
                }
            }
        };
        let mut outcomes: Vec<_> = std::thread::scope(|scope| {
            let writers = 0..WRITERS.min(wanted.len());
            let writers: Vec<_> = writers.map(|_| scope.spawn(work)).collect();
            let joined = writers.into_iter().map(|writer| {
                writer
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.flatten().collect()
        });
        outcomes.sort_by_key(|(at, _)| *at);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// One file that cannot be written costs itself only.
    pub(super) fn trouble(&mut self, key: &TeamKey, error: &Error) {
        let note = Note::Trouble(error.to_string());
        self.report.note(key.as_str(), note);
        self.report.pending = true;
    }
}

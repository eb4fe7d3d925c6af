//! Recall for a user message.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use memdir::Mode;
use pathguard::{MemoryRoot, RootCheck, RootOptions};
use recall::{Budget, Query, Recall, Recalled, Recollection, RenderOptions, Repository, Surfaced};
use token_count::{Estimator, TokenCounter as _};

use super::event::{Happened, Part};
use super::{Session, lock};
use crate::error::chain;
use crate::purge::recall_folder;
use crate::recall_log::RecallLog;

/// How many tool names of the conversation are remembered for recall.
pub(super) const MAX_RECENT_TOOLS: usize = 20;

/// What is remembered for a message.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Recollected {
    /// The block for the prompt; empty when there is nothing to recall, which is usual.
    pub text: String,
    /// The memories in it, best first, each with why, age and verification.
    pub memories: Vec<Recalled>,
    /// Paths of memories that were recalled and had no room in the block.
    pub left_out: Vec<String>,
    /// Some memory in the block was shortened.
    pub cut: bool,
    /// Whether a model chose.
    pub by_model: bool,
    /// The whole answer: what was dropped, what nearly passed, the words that count.
    pub answer: Recollection,
}

/// The memory folder as recall sees it, opened at the first message.
#[derive(Debug, Default)]
pub(super) struct Recaller {
    folder: Mutex<Option<Recall>>,
    /// Names of tools that were called lately, newest last.
    pub(super) recent_tools: Mutex<Vec<String>>,
}

impl Session {
    /// Recalls memories for a user message: up to five, dated, with what they claim checked against the
    /// repository, none that this session has been shown already unless it has changed since.
    ///
    /// Counts the turn. Never fails: what cannot be read is an event, and the answer is empty.
    pub fn recall(&self, message: &str) -> Recollected {
        lock(&self.memo).turn += 1;
        if self.is_off() {
            self.skipped(Part::Recall, "the memory is in mode off");
            return Recollected::default();
        }
        let recalled = self.recalled(message);
        self.collect();
        match recalled {
            Ok(recollected) => {
                self.log_recall(&recollected.memories);
                self.happened(Happened::Recalled {
                    memories: recollected.memories.clone(),
                    dropped: recollected.answer.dropped.clone(),
                    near_misses: recollected.answer.near_misses.clone(),
                    tokens: Estimator::new().count(&recollected.text),
                    by_model: recollected.by_model,
                });
                recollected
            }
            Err(reason) => {
                self.failed(Part::Recall, reason);
                Recollected::default()
            }
        }
    }

    /// Writes down what was shown, so that a person can ask why. When that fails, nothing else does.
    fn log_recall(&self, shown: &[Recalled]) {
        let time = self.store.options().clock().now();
        if let Err(error) = RecallLog::add(&self.store, &self.id, self.turn(), time, shown) {
            tracing::warn!(error = error.chain(), "session.recall.not_logged");
        }
    }

    /// Says that the model has forgotten what it was shown, because the host compacted the conversation by
    /// its own means. [`Session::compact`] does so itself.
    pub fn forget_surfaced(&self) {
        let mut memo = lock(&self.memo);
        if memo.forget_surfaced() {
            memo.keep_in(&self.store, &self.id);
        }
    }

    fn recalled(&self, message: &str) -> Result<Recollected, String> {
        let mut held = lock(&self.recaller.folder);
        if held.is_none() {
            *held = Some(self.open_folder()?);
        }
        let Some(folder) = held.as_mut() else {
            return Ok(Recollected::default());
        };
        let surfaced: Vec<Surfaced> = lock(&self.memo).surfaced().collect();
        let tools = lock(&self.recaller.recent_tools).clone();
        let query = Query::new(message, self.store.options().clock().now())
            .with_surfaced(surfaced)
            .with_team(self.modes().team != Mode::Off)
            .with_recent_tools(tools.iter().map(String::as_str));
        folder.refresh().map_err(|error| chain(&error))?;
        let chosen = self.chosen_by_model(folder, &query);
        let by_model = chosen.is_some();
        let mut answer = chosen.unwrap_or_else(|| folder.rank(&query));
        verify(
            &mut answer,
            folder.memory(),
            &self.project,
            self.options.verify_time,
        );
        let counter = Estimator::new();
        let options = RenderOptions::new(&counter).with_block_tokens(self.options.block_tokens);
        let rendered = answer.render(folder.memory(), &options);
        drop(held);
        if !rendered.shown.is_empty() {
            let mut memo = lock(&self.memo);
            memo.note_shown(&rendered.shown);
        }
        lock(&self.memo).keep_in(&self.store, &self.id);
        let is_shown = |memory: &&Recalled| {
            let path = memory.path.as_str();
            rendered.shown.iter().any(|(shown, _)| shown == path)
        };
        Ok(Recollected {
            memories: answer.memories.iter().filter(is_shown).cloned().collect(),
            text: rendered.text,
            left_out: rendered.left_out,
            cut: rendered.cut,
            by_model,
            answer,
        })
    }

    fn open_folder(&self) -> Result<Recall, String> {
        let options = RootOptions::new().with_check_root(RootCheck::OnRequest);
        let root = MemoryRoot::open(self.store.dir(), &options).map_err(|error| chain(&error))?;
        Ok(Recall::open(Arc::new(root), recall_folder(&self.store)))
    }
}

/// Checks what the memories claim, within the time. Without the repository they are shown all the same.
fn verify(answer: &mut Recollection, memory: &MemoryRoot, project: &Path, limit: Duration) {
    if answer.memories.is_empty() || limit.is_zero() {
        return;
    }
    let Ok(repository) = Repository::open(project) else {
        return;
    };
    let begin = Instant::now();
    let is_over = move || begin.elapsed() > limit;
    answer.verify(memory, &repository, Budget::new(&is_over));
}

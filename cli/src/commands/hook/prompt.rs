//! A message of the person: the memories that matter for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use memstrata::memdir::{Clock, Mode};
use memstrata::pathguard::{self, MemoryRoot, RootCheck, RootOptions};
use memstrata::recall::{
    Budget, Query, Recall, Recalled, RenderOptions, Repository, VERIFY_HOOK_MILLISECONDS,
};
use memstrata::token_count::{Estimator, TokenCounter};
use memstrata::{RecallLog, SessionMemo};

use super::answer::{Answer, MAX_CONTEXT, length};
use super::host::{Host, LOCK_WAIT};
use super::state::{HookState, exists, key};
use crate::clock::SystemClock;
use crate::context::Context;
use crate::exit::Failure;

/// Recalls for a message. Nothing is a good answer.
pub(crate) fn recall(host: &Host<'_>, text: &str) -> Result<Answer, Failure> {
    let context = host.locate()?;
    if context.decisions.modes.persistent == Mode::Off {
        return Ok(Answer::nothing());
    }
    let options = RootOptions::default();
    let state = MemoryRoot::open(context.location.state_dir(), &options).ok();
    let hooks = state
        .as_ref()
        .and_then(|state| HookState::below(state).ok());
    let notice = hooks.and_then(|hooks| notice(host, &hooks));
    let found = match recalled(host, &context, state.as_ref(), text) {
        Ok(found) => found,
        Err(failure) => {
            super::note_failure(host, &failure);
            String::new()
        }
    };
    Ok(Answer::context(found).with_notice(notice))
}

fn recalled(
    host: &Host<'_>,
    context: &Context,
    state: Option<&MemoryRoot>,
    text: &str,
) -> Result<String, Failure> {
    if text.trim().is_empty() || !exists(context.location.memory_dir()) {
        return Ok(String::new());
    }
    let folder = Arc::new(memory_folder(context)?);
    let session = &host.call.session;
    let mut memo = state
        .map(|state| SessionMemo::load(state, session))
        .unwrap_or_default();
    memo.turn += 1;
    let query = Query::new(text, SystemClock.now())
        .with_surfaced(memo.surfaced())
        .with_team(context.decisions.modes.team != Mode::Off);
    let mut recall = Recall::open(folder, index_folder(context));
    let mut answer = recall.query(&query)?;
    if !answer.memories.is_empty()
        && let Ok(repository) = Repository::open(&context.project)
    {
        let begin = Instant::now();
        let limit = Duration::from_millis(VERIFY_HOOK_MILLISECONDS);
        let is_over = move || begin.elapsed() > limit;
        answer.verify(recall.memory(), &repository, Budget::new(&is_over));
    }
    let counter = Characters(Estimator::new());
    let options = RenderOptions::new(&counter)
        .with_memory_tokens(MAX_CONTEXT / 3)
        .with_block_tokens(MAX_CONTEXT);
    let rendered = answer.render(recall.memory(), &options);
    memo.note_shown(&rendered.shown);
    if let Some(state) = state {
        // Not to be able to remember costs a repetition, no more.
        let _ = memo.keep(state, session);
    }
    if !rendered.shown.is_empty()
        && let Ok(store) = context.open_unseen(LOCK_WAIT)
    {
        let is_shown = |memory: &Recalled| {
            let mut shown = rendered.shown.iter();
            shown.any(|(path, _)| path == memory.path.as_str())
        };
        answer.memories.retain(is_shown);
        // For `explain`; a person who never asks loses nothing.
        let _ = RecallLog::add(&store, session, memo.turn, query.now, &answer.memories);
    }
    Ok(rendered.text)
}

/// Opens the memory for reading. Where a setting has moved it, the folder is checked as for a write.
fn memory_folder(context: &Context) -> Result<MemoryRoot, pathguard::Error> {
    let options = RootOptions::new().with_check_root(RootCheck::OnRequest);
    match context.location.moved_by() {
        Some(choice) => Ok(choice.spec.open(&options)?.root),
        None => MemoryRoot::open(context.location.memory_dir(), &options),
    }
}

/// Where the index is kept between two messages. Without one each message reads every file: slower, never
/// wrong.
fn index_folder(context: &Context) -> Option<Arc<MemoryRoot>> {
    let options = RootOptions::default();
    let state = MemoryRoot::open_or_create(context.location.state_dir(), &options).ok()?;
    let key = key(memstrata::RECALL_FOLDER);
    let folder = state.open_sub(key.as_ref()).or_else(|_| {
        state.create_dirs(key.as_ref())?;
        state.open_sub(key.as_ref())
    });
    folder.ok().map(Arc::new)
}

/// What the worker has to tell the person of this session.
pub(crate) fn notice(host: &Host<'_>, state: &HookState) -> Option<String> {
    let notices = state.take_notices(&host.call.session);
    (!notices.is_empty()).then(|| format!("memstrata: {}", notices.join(" ")))
}

/// Counts characters as hosts do, and more where tokens are denser: text without spaces between its words
/// must not cost four times as much as a host expects.
struct Characters(Estimator);

/// Characters of a token that hosts reckon with.
const CHARACTERS_OF_TOKEN: usize = 4;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> usize {
        length(text).max(CHARACTERS_OF_TOKEN * self.0.count(text))
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let tokens = self.0.count_up_to(text, limit / CHARACTERS_OF_TOKEN)?;
        let count = length(text).max(CHARACTERS_OF_TOKEN * tokens);
        (count <= limit).then_some(count)
    }
}

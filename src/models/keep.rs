//! The session file, kept by a model.

use std::borrow::Cow;
use std::sync::Arc;

use agent_model::{Block, Message, Purpose, Request};
use forked_agent::{ToolKind, Toolbox, Workspace};
use memdir::Date;
use pathguard::{MemoryRoot, RootOptions};
use session_memory::{
    Committed, Config, Entry, SessionFile, Triggered, Turn, Updater, UpdaterOptions, mend,
};

use super::Models;
use crate::error::{Error, ErrorKind};

impl Models {
    /// Lets the model for [`Purpose::Session`] bring a session file up to date, whether or not it is due.
    /// `None` where there is no such model.
    ///
    /// Blocks until the update is over, at most a minute or so, and brings a runtime: not to be called from
    /// within one. [`Session`](crate::Session) does it in the background.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`] with the reason when the model was of no help;
    /// [`update_offline`](session_memory::update_offline) serves then.
    /// [`ErrorKind::SessionFile`] when the file cannot be used.
    pub fn update_session_file(
        &self,
        file: &SessionFile,
        config: &Config,
        entries: &[Entry],
        context_tokens: u64,
        today: Date,
    ) -> Option<Result<Committed, Error>> {
        let model = self.get(&Purpose::Session)?;
        let failed = |reason: String| Error::new(ErrorKind::Model, reason);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                return Some(Err(failed(format!("no runtime could be started: {error}"))));
            }
        };
        Some(runtime.block_on(async {
            let request = request_of(None, entries, file)
                .ok_or_else(|| failed("the conversation is empty".to_owned()))?;
            let mut options = UpdaterOptions::default();
            options.prompt = config.prompt.clone();
            options.wait = options.stuck_after;
            let before = file.read()?.map_or(0, |committed| committed.revision);
            let updater = Updater::new(file.clone(), Arc::clone(model), options)?;
            let turn = Turn {
                request: &request,
                entries,
                context_tokens,
                today,
            };
            if let Triggered::Tripped(reason) = updater.update(&turn) {
                return Err(failed(reason));
            }
            let committed = updater.settle().await?;
            match (updater.last_failure(), committed) {
                (Some(reason), _) => Err(failed(reason)),
                (None, Some(committed)) if committed.revision > before => Ok(committed),
                _ => Err(failed("the update did not come to its end".to_owned())),
            }
        }))
    }
}

/// The request of the host; where it has none the conversation as one: without thoughts, whose signatures
/// belong to another model, and with the one tool that an update needs. `None` when there is nothing in it.
pub(crate) fn request_of<'a>(
    request: Option<&'a Request>,
    entries: &[Entry],
    file: &SessionFile,
) -> Option<Cow<'a, Request>> {
    if let Some(request) = request {
        return Some(Cow::Borrowed(request));
    }
    let messages = mend(&entries.iter().map(without_thoughts).collect::<Vec<_>>());
    if messages.is_empty() {
        return None;
    }
    let folder = MemoryRoot::open(file.folder(), &RootOptions::default()).ok()?;
    let mut tools = Toolbox::new(Workspace::new(folder)).declarations();
    tools.retain(|tool| tool.name == ToolKind::FileEdit.name());
    Some(Cow::Owned(Request::new(messages).with_tools(tools)))
}

fn without_thoughts(entry: &Entry) -> Entry {
    let strip = |message: &Message| {
        let mut message = message.clone();
        message.content.retain(|block| {
            !matches!(
                block,
                Block::Thinking { .. } | Block::RedactedThinking { .. }
            )
        });
        message
    };
    match entry {
        Entry::Message(message) => Entry::Message(strip(message)),
        Entry::Instruction(message) => Entry::Instruction(strip(message)),
        other => other.clone(),
    }
}

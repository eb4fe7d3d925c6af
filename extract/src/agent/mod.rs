//! Extraction by a model: a side agent behind the permission table and the review.

mod conversation;
mod gate;
mod sink;
mod task;

use std::path::PathBuf;
use std::sync::Arc;

use agent_model::{Model, Pinned, Request};
use forked_agent::{
    Cancellation, Ended, Limits, Outcome, SideAgent, ToolKind, Toolbox, Workspace, fork,
};
use pathguard::{MemoryRoot, RootOptions};
use tokio::runtime::{Builder, Handle};

use self::gate::MemoryGate;
use self::sink::StoreSink;
use crate::backend::{Backend, Work};
use crate::decision_log::Decided;
use crate::error::{Error, ErrorKind};
use crate::notice::Action;
use crate::text::one_line;

/// What a model without a parent's conversation is told it is.
const SYSTEM: &str = "You keep the long-term memory of a coding agent. You read the new part of a \
    conversation between a user and the agent and decide what should still be known in later sessions.";

/// A model that reads the new messages and writes memory files, with few tools and no say.
///
/// With the request of the main conversation ([`Turn::with_request`](crate::Turn::with_request)) the model
/// goes on from there: its bytes stay as they are and the provider's prompt cache is shared. Without it,
/// or with a model that calls no tools, the new messages are sent by themselves: without system text,
/// instruction files and recalled memories, tool results cut, credentials replaced by the name of the rule
/// that found them.
///
/// What the model may do is fixed: read, search and list in the project and the memory folder, run
/// commands proved to read only, and write `.md` files in the memory folder that stand the review.
#[derive(Clone)]
pub struct AgentBackend {
    model: Pinned<Arc<dyn Model>>,
    project: Option<PathBuf>,
    limits: Limits,
    runtime: Option<Handle>,
}

impl std::fmt::Debug for AgentBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentBackend")
            .field("model", &self.model.name())
            .field("project", &self.project)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl AgentBackend {
    /// A back end on a model of the session's own provider, with at most five replies.
    pub fn new(model: Pinned<Arc<dyn Model>>) -> Self {
        Self {
            model,
            project: None,
            limits: Limits::default(),
            runtime: None,
        }
    }

    /// Lets the model read this folder too, the project's.
    #[must_use]
    pub fn with_project(mut self, project: impl Into<PathBuf>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Sets the limits of a run.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Runs on a host's runtime, which must have I/O and time enabled and threads of its own. Without it
    /// each run brings a small one.
    #[must_use]
    pub fn with_runtime(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    fn toolbox(&self, work: &Arc<Work>) -> Result<Toolbox, Error> {
        let open = |path: &std::path::Path| MemoryRoot::open(path, &RootOptions::default());
        let memory = |what| Error::new(ErrorKind::Memory, what);
        let folder = work.store.dir();
        let held = open(folder)
            .map_err(|error| memory("the memory folder cannot be opened").with_source(error))?;
        // A project that cannot be read gives the model less to look at, nothing more.
        let project = self.project.as_deref().and_then(|path| open(path).ok());
        let workspace = match project {
            Some(project) => Workspace::new(project),
            None => Workspace::new(open(folder).map_err(|error| {
                memory("the memory folder cannot be opened").with_source(error)
            })?),
        };
        let sink = Arc::new(StoreSink::new(Arc::clone(work)));
        Ok(Toolbox::new(workspace.with_writable(held)).with_sink(sink))
    }

    async fn extract(&self, work: &Arc<Work>, toolbox: &Toolbox) -> Outcome {
        let cancellation = Cancellation::new();
        let cancelled = cancellation.clone();
        work.cancel().on_cancel(move || cancelled.cancel());
        let gate = MemoryGate::new(Arc::clone(work));
        let agent = SideAgent::new(&self.model, toolbox, &gate)
            .with_limits(self.limits.clone())
            .with_cancellation(cancellation);
        let calls_tools = self.model.capabilities().tools;
        let (parent, task) = match work.request() {
            Some(request) if calls_tools => (request.clone(), task::forked(work)),
            _ => {
                let mut tools = toolbox.declarations();
                if !calls_tools {
                    // Nothing comes back, so there is nothing to read.
                    let writers = [ToolKind::FileEdit.name(), ToolKind::FileWrite.name()];
                    tools.retain(|tool| writers.contains(&tool.name.as_str()));
                }
                let request = Request::new(Vec::new())
                    .with_system(SYSTEM)
                    .with_tools(tools);
                (request, task::alone(work, calls_tools))
            }
        };
        fork(&agent, parent, task).await
    }
}

impl Backend for AgentBackend {
    fn run(&self, work: &Arc<Work>) -> Result<(), Error> {
        let toolbox = self.toolbox(work)?;
        let extraction = self.extract(work, &toolbox);
        let outcome = if let Some(runtime) = &self.runtime {
            runtime.block_on(extraction)
        } else {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| {
                Error::new(ErrorKind::Internal, "no runtime could be started").with_source(error)
            })?;
            runtime.block_on(extraction)
        };
        record(work, &outcome);
        judge(outcome)
    }
}

/// Puts what was denied or failed into the log; what the review refused stands there already.
fn record(work: &Work, outcome: &Outcome) {
    for failed in &outcome.failed {
        let known = work
            .decided()
            .iter()
            .any(|decided| decided.why == failed.reason);
        if known {
            continue;
        }
        let code = if failed.denied {
            "denied"
        } else {
            "tool-failed"
        };
        let why = format!("{}: {}", one_line(&failed.tool, 60), failed.reason);
        work.record(Decided::new(Action::Refused, code, why));
    }
    if outcome.ended == Ended::Refused {
        let why = "the model or its provider refused to look at the messages";
        work.record(Decided::new(Action::Skipped, "model-refused", why));
    }
}

/// Whether the messages have been looked at. A model that ran in circles has looked, and would again.
fn judge(outcome: Outcome) -> Result<(), Error> {
    let failed = |what: &str| Err(Error::new(ErrorKind::Model, what));
    match outcome.ended {
        Ended::Cancelled => Err(Error::cancelled()),
        Ended::ModelFailed => {
            let error = Error::new(ErrorKind::Model, "the model could not be asked");
            Err(match outcome.error {
                Some(cause) => error.with_source(cause),
                None => error,
            })
        }
        Ended::TimeLimit => failed("the model took too long"),
        Ended::Cut => failed("the conversation does not fit into the model"),
        _ => Ok(()),
    }
}

//! The loop: reply, calls, gate, results, and again, until one of many reasons ends it.

use std::sync::Arc;
use std::time::Duration;

use agent_model::{
    Block, Message, Model, Reply, Request, Role, StopReason, ToolResult, ToolUse, Usage,
};
use serde_json::Value;
use tracing::Instrument;

use crate::call::{Called, Caller};
use crate::cancellation::Cancellation;
use crate::clock::{Clock, TokioClock};
use crate::cost::cost;
use crate::gate::Gate;
use crate::limits::Limits;
use crate::outcome::{CallFailed, Ended, Outcome};
use crate::prefix::{continued, mark_last};
use crate::tools::Toolbox;
use crate::tools::run::RunState;

/// A side agent: a model, its tools, and who decides what it may do.
#[derive(Clone)]
pub struct SideAgent<'a> {
    model: &'a dyn Model,
    toolbox: &'a Toolbox,
    gate: &'a dyn Gate,
    limits: Limits,
    clock: Option<&'a dyn Clock>,
    cancellation: Cancellation,
}

impl std::fmt::Debug for SideAgent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SideAgent")
            .field("model", &self.model.name())
            .field("toolbox", &self.toolbox)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<'a> SideAgent<'a> {
    /// Makes a side agent with default limits, on the clock of the tokio runtime.
    pub fn new(model: &'a dyn Model, toolbox: &'a Toolbox, gate: &'a dyn Gate) -> Self {
        Self {
            model,
            toolbox,
            gate,
            limits: Limits::default(),
            clock: None,
            cancellation: Cancellation::new(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: &'a dyn Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Lets the caller end runs.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }
}

/// Runs a side agent on a parent's conversation until it is done or a limit is reached.
///
/// `parent` is the request as the main conversation last sent it, with the model's reply behind it. The
/// task follows as one more user message; nothing before it changes, so the provider's prompt cache is
/// shared: system, tools, tool choice, effort, thinking and messages stay byte for byte. Tools that the
/// side agent must not use are denied when they are called, never taken from the list. Calls that the
/// parent left open are answered with an error first.
///
/// For an agent of its own, without a parent, declare [`Toolbox::declarations`] and pass no messages.
///
/// Call it inside a tokio runtime with I/O and time enabled. The outcome says why the run ended and what
/// it wrote; there is no error besides, because what was written stays written.
///
/// # Example
///
/// ```
/// use agent_model::{Block, Reply, Request, ScriptedModel, ToolUse};
/// use forked_agent::{Ended, Permissions, SideAgent, Toolbox, Workspace, fork};
/// use pathguard::{MemoryRoot, RootOptions};
/// use serde_json::json;
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let root = MemoryRoot::open(folder.path(), &RootOptions::default())?;
/// let path = folder.path().join("user_role.md");
/// let toolbox = Toolbox::new(Workspace::new(MemoryRoot::open(folder.path(), &RootOptions::default())?)
///     .with_writable(root));
///
/// let call = ToolUse::new("c1", "FileWrite", json!({ "file_path": path, "content": "Writes Go.\n" }));
/// let model = ScriptedModel::new(vec![Reply::new(vec![Block::ToolUse(call)])]);
/// let gate = Permissions::default();
/// let agent = SideAgent::new(&model, &toolbox, &gate);
///
/// let parent = Request::new(Vec::new()).with_tools(toolbox.declarations());
/// let outcome = fork(&agent, parent, "Note what you learned about the user.").await;
/// assert_eq!(outcome.ended, Ended::Written);
/// assert_eq!(outcome.writes[0].path(), path);
/// assert_eq!(std::fs::read_to_string(path)?, "Writes Go.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn fork(agent: &SideAgent<'_>, parent: Request, task: impl Into<String>) -> Outcome {
    let span = tracing::info_span!("fork", model = agent.model.name());
    run(agent, parent, task.into()).instrument(span).await
}

async fn run(agent: &SideAgent<'_>, parent: Request, task: String) -> Outcome {
    let own;
    let clock = if let Some(clock) = agent.clock {
        clock
    } else {
        own = TokioClock::start();
        &own
    };
    let parents = parent.messages.len();
    let state = Arc::new(RunState::default());
    let _stop = StopOnDrop(Arc::clone(&state));
    let mut run = Run {
        agent,
        timer: Timer {
            clock,
            deadline: clock.now().saturating_add(agent.limits.time),
            cancellation: &agent.cancellation,
        },
        parents,
        request: continued(parent, vec![Block::Text(task)]),
        state,
        spent: 0,
        last_cost: 0,
        last_failed: None,
        outcome: Outcome {
            ended: Ended::Finished,
            writes: Vec::new(),
            failed: Vec::new(),
            usage: Usage::default(),
            turns: 0,
            calls: 0,
            text: String::new(),
            messages: Vec::new(),
            error: None,
        },
    };
    let ended = loop {
        if let Some(ended) = run.turn().await {
            break ended;
        }
    };
    let mut outcome = run.outcome;
    outcome.ended = ended;
    outcome.messages = run.request.messages.split_off(parents);
    tracing::info!(
        ended = ended.as_str(),
        turns = outcome.turns,
        calls = outcome.calls,
        writes = outcome.writes.len(),
        failed = outcome.failed.len(),
        input = outcome.usage.input,
        output = outcome.usage.output,
        cache_read = outcome.usage.cache_read,
        cache_write = outcome.usage.cache_write,
        "fork.ended"
    );
    outcome
}

/// When a run must end, whatever it is waiting for.
pub(crate) struct Timer<'a> {
    clock: &'a dyn Clock,
    deadline: Duration,
    cancellation: &'a Cancellation,
}

impl Timer<'_> {
    fn left(&self) -> Duration {
        self.deadline.saturating_sub(self.clock.now())
    }

    /// Returns why the run must end now.
    pub(crate) fn due(&self) -> Option<Ended> {
        if self.cancellation.is_cancelled() {
            Some(Ended::Cancelled)
        } else if self.left().is_zero() {
            Some(Ended::TimeLimit)
        } else {
            None
        }
    }

    /// Waits until the run must end.
    pub(crate) async fn interrupt(&self) -> Ended {
        tokio::select! {
            biased;
            () = self.cancellation.cancelled() => Ended::Cancelled,
            () = self.clock.sleep(self.left()) => Ended::TimeLimit,
        }
    }
}

/// Threads that work for a run give up when nobody waits for it any more.
struct StopOnDrop(Arc<RunState>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

struct Run<'a> {
    agent: &'a SideAgent<'a>,
    timer: Timer<'a>,
    /// How many messages are the parent's.
    parents: usize,
    request: Request,
    state: Arc<RunState>,
    /// What all replies cost so far, estimated where the provider does not say.
    spent: u64,
    /// What the last reply cost: the next one costs at least as much.
    last_cost: u64,
    /// What the last reply asked for, when none of it succeeded.
    last_failed: Option<Vec<(String, Value)>>,
    outcome: Outcome,
}

impl Run<'_> {
    /// Asks once and carries out what is called; returns why the run is over, if it is.
    async fn turn(&mut self) -> Option<Ended> {
        let reply = match self.ask().await {
            Ok(reply) => reply,
            Err(ended) => return Some(ended),
        };
        let stop = reply.stop.clone();
        let calls: Vec<ToolUse> = reply.tool_uses().cloned().collect();
        self.outcome.text = reply.text();
        self.request.messages.push(reply.into_message());
        match (&stop, calls.is_empty()) {
            (StopReason::Refusal, _) => return Some(Ended::Refused),
            (StopReason::ContextWindowExceeded, _) | (StopReason::MaxTokens, true) => {
                return Some(Ended::Cut);
            }
            // Sent back as it is, the provider goes on.
            (StopReason::PauseTurn, true) => return None,
            (_, true) => return Some(Ended::Finished),
            (_, false) => {}
        }
        let tally = self.carry_out(&calls).await;
        if tally.interrupted.is_some() {
            return tally.interrupted;
        }
        let all_written = tally.written == calls.len();
        if all_written && self.agent.limits.end_after_writes {
            return Some(Ended::Written);
        }
        if !self.agent.model.capabilities().tools {
            // The list of calls was the whole answer: results reach nobody.
            return Some(if all_written {
                Ended::Written
            } else {
                Ended::Finished
            });
        }
        // Ids differ from reply to reply; what is asked for does not.
        let asked = calls.into_iter().map(|call| (call.name, call.input));
        let failed: Option<Vec<_>> = (tally.succeeded == 0).then(|| asked.collect());
        if failed.is_some() && failed == self.last_failed {
            return Some(Ended::Stuck);
        }
        self.last_failed = failed;
        None
    }

    /// Asks the model, unless a limit forbids it.
    async fn ask(&mut self) -> Result<Reply, Ended> {
        let limits = &self.agent.limits;
        if let Some(ended) = self.timer.due() {
            return Err(ended);
        }
        if self.outcome.turns >= limits.max_turns {
            return Err(Ended::TurnLimit);
        }
        let left = limits.max_tokens.saturating_sub(self.spent);
        if left == 0 || self.last_cost > left {
            return Err(Ended::TokenLimit);
        }
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        self.request.limits.max_output_tokens = limits.max_output_tokens.min(left);
        self.request.limits.timeout = self.timer.left();
        mark_last(&mut self.request, self.parents);
        let answer = self.agent.model.ask(&self.request);
        let answered = tokio::select! {
            biased;
            ended = self.timer.interrupt() => return Err(ended),
            answered = answer => answered,
        };
        let reply = answered.map_err(|error| {
            self.outcome.error = Some(error);
            Ended::ModelFailed
        })?;
        self.outcome.turns += 1;
        self.outcome.usage += reply.usage;
        self.last_cost = cost(&self.request, &reply, self.agent.model.name());
        self.spent = self.spent.saturating_add(self.last_cost);
        tracing::debug!(
            turn = self.outcome.turns,
            stop = reply.stop.as_str(),
            calls = reply.tool_uses().count(),
            "fork.turn"
        );
        Ok(reply)
    }

    /// Carries out the calls of one reply in order and adds their results as one message.
    async fn carry_out(&mut self, calls: &[ToolUse]) -> Tally {
        let mut tally = Tally::default();
        let mut results = Vec::with_capacity(calls.len());
        let caller = Caller {
            toolbox: self.agent.toolbox,
            gate: self.agent.gate,
            timer: &self.timer,
            state: &self.state,
        };
        for (index, call) in calls.iter().enumerate() {
            if tally.interrupted.is_none() {
                tally.interrupted = self.timer.due();
            }
            let fate = if tally.interrupted.is_some() {
                Called::denied("not run: the run has ended")
            } else if index >= self.agent.limits.max_calls {
                Called::denied("not run: too many calls in one reply")
            } else {
                self.outcome.calls += 1;
                caller.call(call).await
            };
            let result = match fate {
                Called::Done(text) => {
                    tally.succeeded += 1;
                    ToolResult::text(&call.id, text)
                }
                Called::Written(text, written) => {
                    tally.succeeded += 1;
                    tally.written += 1;
                    tracing::info!(
                        created = written.created,
                        bytes = written.bytes,
                        "fork.write"
                    );
                    self.outcome.writes.push(written);
                    ToolResult::text(&call.id, text)
                }
                Called::Failed { denied, reason } => {
                    tracing::debug!(tool = call.name, denied, "fork.call_failed");
                    let result = ToolResult::error(&call.id, &reason);
                    self.outcome.failed.push(CallFailed {
                        tool: call.name.clone(),
                        denied,
                        reason,
                    });
                    result
                }
                Called::Interrupted(ended) => {
                    tally.interrupted = Some(ended);
                    ToolResult::error(&call.id, "not finished: the run has ended")
                }
            };
            results.push(Block::ToolResult(result));
        }
        self.request
            .messages
            .push(Message::new(Role::User, results));
        tally
    }
}

/// What became of the calls of one reply.
#[derive(Default)]
struct Tally {
    succeeded: usize,
    written: usize,
    interrupted: Option<Ended>,
}

//! One call: understood, put to the gate, carried out.

use std::sync::Arc;

use agent_model::ToolUse;

use crate::fork::Timer;
use crate::gate::{Action, Call, Gate, Verdict};
use crate::outcome::{Ended, FileWritten};
use crate::text::shown;
use crate::tools::run::RunState;
use crate::tools::{Planned, Request, Toolbox, shell};

/// What became of a call.
pub(crate) enum Called {
    Done(String),
    Written(String, FileWritten),
    Failed { denied: bool, reason: String },
    Interrupted(Ended),
}

impl Called {
    pub(crate) fn denied(reason: impl Into<String>) -> Self {
        Self::Failed {
            denied: true,
            reason: reason.into(),
        }
    }

    fn failed(reason: String) -> Self {
        Self::Failed {
            denied: false,
            reason,
        }
    }
}

/// What calls are carried out with.
pub(crate) struct Caller<'a> {
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) gate: &'a dyn Gate,
    pub(crate) timer: &'a Timer<'a>,
    pub(crate) state: &'a Arc<RunState>,
}

impl Caller<'_> {
    /// Carries out a call, if everybody agrees.
    pub(crate) async fn call(&self, tool_use: &ToolUse) -> Called {
        let request = match self.toolbox.understand(tool_use) {
            Ok(request) => request,
            Err(reason) => return Called::denied(reason),
        };
        let call = Call {
            tool_use,
            action: action(&request),
        };
        if let Verdict::Deny(reason) = self.gate.decide(&call) {
            return Called::denied(reason);
        }
        match request {
            Request::Unknown => {
                let name = shown(&tool_use.name);
                Called::failed(format!("there is no tool {name} here"))
            }
            Request::Shell(script) => {
                tokio::select! {
                    biased;
                    ended = self.timer.interrupt() => Called::Interrupted(ended),
                    output = shell::carry_out(&script, self.toolbox) => done(output),
                }
            }
            Request::Edit(..) | Request::Write(..) => self.write(tool_use, request).await,
            request => self.look(request).await,
        }
    }

    /// Reads, searches or lists, on a thread that may block.
    async fn look(&self, request: Request) -> Called {
        let (toolbox, state) = (self.toolbox.clone(), Arc::clone(self.state));
        let mut work = tokio::task::spawn_blocking(move || match &request {
            Request::Read(place, read) => read.carry_out(place, &toolbox, &state),
            Request::Grep(place, grep) => grep.carry_out(place, &toolbox, &state),
            Request::Glob(place, glob) => glob.carry_out(place, &toolbox, &state),
            _ => Err("this call does not look".to_owned()),
        });
        tokio::select! {
            biased;
            ended = self.timer.interrupt() => {
                self.state.stop();
                Called::Interrupted(ended)
            }
            joined = &mut work => done(joined.unwrap_or_else(|_| Err(PANICKED.to_owned()))),
        }
    }

    /// Works out a write, puts its text to the gate, makes it. A write that has begun is finished, so
    /// that the outcome tells the truth about the disk.
    async fn write(&self, tool_use: &ToolUse, request: Request) -> Called {
        let (toolbox, state) = (self.toolbox.clone(), Arc::clone(self.state));
        let planned = tokio::task::spawn_blocking(move || Planned::new(request, &toolbox, &state));
        let planned = match planned.await.unwrap_or_else(|_| Err(PANICKED.to_owned())) {
            Ok(planned) => planned,
            Err(reason) => return Called::failed(reason),
        };
        if let Verdict::Deny(reason) = self.gate.decide_change(&planned.change(tool_use)) {
            return Called::denied(reason);
        }
        if let Some(ended) = self.timer.due() {
            return Called::Interrupted(ended);
        }
        let place = planned.place().clone();
        let (toolbox, state) = (self.toolbox.clone(), Arc::clone(self.state));
        let tool_use = tool_use.clone();
        let made =
            tokio::task::spawn_blocking(move || planned.carry_out(&tool_use, &toolbox, &state));
        match made.await.unwrap_or_else(|_| Err(PANICKED.to_owned())) {
            Err(reason) => Called::failed(reason),
            Ok(written) => {
                let verb = if written.created {
                    "created"
                } else {
                    "changed"
                };
                let text = format!("{verb} {}", place.path().display());
                let written = FileWritten {
                    place,
                    created: written.created,
                    bytes: written.bytes,
                };
                Called::Written(text, written)
            }
        }
    }
}

/// What a model is told when a tool of ours has a bug.
const PANICKED: &str = "the tool failed inside";

fn done(output: Result<String, String>) -> Called {
    match output {
        Ok(text) => Called::Done(text),
        Err(reason) => Called::failed(reason),
    }
}

fn action(request: &Request) -> Action<'_> {
    match request {
        Request::Read(place, _) => Action::Read(place),
        Request::Grep(place, _) => Action::Grep(place),
        Request::Glob(place, _) => Action::Glob(place),
        Request::Shell(script) => Action::Shell(script),
        Request::Edit(place, _) => Action::Edit(place),
        Request::Write(place, _) => Action::Write(place),
        Request::Unknown => Action::Other,
    }
}

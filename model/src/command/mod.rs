//! Asks a configured program, such as the headless mode of another agent.

mod decode;
mod process;
mod prompt;
mod spec;

pub use self::decode::MAX_OPERATIONS;
pub use self::process::MAX_COMMAND_OUTPUT_BYTES;
pub use self::spec::{CommandOutput, CommandSpec, SCHEMA_PLACEHOLDER};

use self::prompt::Expected;
use crate::error::Error;
use crate::model::{Answer, Capabilities, Model};
use crate::provider::Provider;
use crate::reply::Reply;
use crate::request::Request;

/// A model behind a program, so that a subscription serves people who have no API key.
///
/// There are no tool calls. Where the request offers tools, the program is asked for one list of
/// operations, and each comes back as a [`ToolUse`](crate::ToolUse) named `op_1`, `op_2`, …; they go
/// through the same gate as real calls, but none can look at the result of another.
///
/// The prompt goes to stdin and never into the arguments, which other users of the machine can read. The
/// program is ended when the time limit of the request runs out or the future is dropped.
#[derive(Debug, Clone)]
pub struct CommandModel {
    spec: CommandSpec,
}

impl CommandModel {
    /// Returns a model. The program is started once per call.
    pub fn new(spec: CommandSpec) -> Self {
        Self { spec }
    }

    /// Returns the text that the program gets on stdin.
    pub fn prompt(&self, request: &Request) -> String {
        prompt::prompt(request, &Expected::of(request))
    }

    /// Reads what a program printed as the answer to this request.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadAnswer`](crate::ErrorKind::BadAnswer) for output of another form, or operations
    /// that do not match the tools; [`ErrorKind::Command`](crate::ErrorKind::Command) when it reports an
    /// error. Any bytes are fine; nothing panics.
    pub fn parse_output(
        output: CommandOutput,
        printed: &[u8],
        request: &Request,
    ) -> Result<Reply, Error> {
        decode::reply(output, printed, &Expected::of(request))
    }

    async fn ask_once(&self, request: &Request) -> Result<Reply, Error> {
        let expected = Expected::of(request);
        let prompt = prompt::prompt(request, &expected);
        let schema = expected.schema().map(|answer| answer.schema.to_string());
        let limit = request.limits.timeout;
        let printed = process::run(&self.spec, schema.as_deref(), prompt, limit).await?;
        let reply = decode::reply(self.spec.output, &printed, &expected)
            .map_err(|error| error.with_provider(&self.spec.name))?;
        reply.trace(&self.spec.name);
        Ok(reply)
    }
}

impl Model for CommandModel {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        Box::pin(self.ask_once(request))
    }

    fn provider(&self) -> &Provider {
        &self.spec.provider
    }

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tools: false,
            images: false,
            prompt_cache: false,
        }
    }
}

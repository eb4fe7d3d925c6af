//! `memstrata mcp`: the memory as a server of the Model Context Protocol, on standard input and output.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::DuplexStream;

use self::pipe::{Flow, Pipe};
use self::project::Project;
pub(crate) use self::project::silent;
use self::server::Server;
use crate::cli::Global;
use crate::cli::mcp::Mcp;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::stop;
use crate::terminal::Speech;

mod health;
mod input;
mod job;
mod memories;
mod pipe;
mod project;
mod recalled;
mod reply;
mod resources;
mod schema;
mod server;
mod tools;

/// Bytes between the thread that reads and the service: what does not fit waits in the pipe.
const BUFFER_BYTES: usize = 64 << 10;

/// How long a change that is under way may take to end after the client is gone.
const LAST_WORK: Duration = Duration::from_secs(5);

/// Serves until the client closes its side.
pub(crate) fn run(
    arguments: &Mcp,
    global: &Global,
    environment: Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let project = Project::new(global, environment);
    // A wrong setting is for the person who starts the server, not for the model that calls it.
    project.context()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (ours, theirs) = tokio::io::duplex(BUFFER_BYTES);
    let handle = runtime.handle().clone();
    // A read of standard input cannot be called off; in a thread of its own it holds nobody up.
    std::thread::spawn(move || input::forward(io::stdin().lock(), ours, &handle, speech));
    let server = Server::new(Arc::new(project), arguments.read_only);
    let (outcome, until) = runtime.block_on(serve(server, theirs));
    runtime.shutdown_timeout(until.saturating_duration_since(Instant::now()));
    outcome
}

/// Serves, and says until when work that is under way may take.
async fn serve(server: Server, input: DuplexStream) -> (Result<Exit, Failure>, Instant) {
    let flow = Arc::new(Flow::default());
    let transport = AsyncRwTransport::new_server(input, tokio::io::stdout());
    let pipe = Pipe::new(transport, Arc::clone(&flow));
    let from_now = || Instant::now() + LAST_WORK;
    let service = tokio::select! {
        started = server.serve(pipe) => match started {
            Ok(service) => service,
            Err(error) => return (not_begun(&error, &flow), from_now()),
        },
        _ = stop::asked() => return (Ok(Exit::Done), from_now()),
    };
    let token = service.cancellation_token();
    let mut waiting = std::pin::pin!(service.waiting());
    tokio::select! {
        _ = &mut waiting => (end(&flow), from_now()),
        _ = stop::asked() => {
            token.cancel();
            let until = from_now();
            let _ = tokio::time::timeout_at(until.into(), waiting).await;
            (Ok(Exit::Done), until)
        }
    }
}

/// What it comes to that the handshake did not end well.
fn not_begun(error: &ServerInitializeError, flow: &Flow) -> Result<Exit, Failure> {
    match error {
        // A client that leaves before it has said anything is no failure.
        ServerInitializeError::ConnectionClosed(_) => Ok(Exit::Done),
        _ if flow.broken().is_some() => end(flow),
        error => Err(Failure::new(
            Exit::InputOutput,
            format!("the client and this server did not come together: {error}"),
        )),
    }
}

/// How it ended: a client that closes its side, either of them, is the usual end.
fn end(flow: &Flow) -> Result<Exit, Failure> {
    match flow.broken() {
        None | Some(io::ErrorKind::BrokenPipe) => Ok(Exit::Done),
        Some(kind) => Err(Failure::new(
            Exit::InputOutput,
            format!("standard output cannot be written: {kind}"),
        )),
    }
}

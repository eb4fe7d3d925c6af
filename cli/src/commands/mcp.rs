//! `memstrata mcp`: the memory as a server of the Model Context Protocol, on standard input and output.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::DuplexStream;

use self::project::Project;
pub(crate) use self::project::silent;
use self::server::Server;
use crate::cli::Global;
use crate::cli::mcp::Mcp;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

mod health;
mod input;
mod job;
mod memories;
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
    let outcome = runtime.block_on(serve(server, theirs));
    runtime.shutdown_timeout(LAST_WORK);
    outcome
}

async fn serve(server: Server, input: DuplexStream) -> Result<Exit, Failure> {
    let service = tokio::select! {
        started = server.serve((input, tokio::io::stdout())) => match started {
            Ok(service) => service,
            // A client that leaves before it has said anything is no failure.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(Exit::Done),
            Err(error) => {
                return Err(Failure::new(
                    Exit::InputOutput,
                    format!("the client and this server did not come together: {error}"),
                ));
            }
        },
        () = asked_to_stop() => return Ok(Exit::Done),
    };
    let stop = service.cancellation_token();
    let mut waiting = std::pin::pin!(service.waiting());
    tokio::select! {
        _ = &mut waiting => {}
        () = asked_to_stop() => {
            stop.cancel();
            // What is under way ends within the bound of `LAST_WORK`.
            let _ = tokio::time::timeout(LAST_WORK, waiting).await;
        }
    }
    Ok(Exit::Done)
}

/// Waits for the signal by which a host stops a server.
#[cfg(unix)]
async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        // Without a handler the signal ends the process by itself.
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

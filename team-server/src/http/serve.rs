//! Connections: taken, bounded in number, size and time, and ended in good order.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::limits::Limits;

/// The most bytes of a request's head; 431 beyond.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// The most headers of a request; 431 beyond.
const MAX_HEADERS: usize = 64;

/// A connection is closed after the answer it is busy with once it is this old, so that a balancer can spread
/// them anew.
const OLD: Duration = Duration::from_mins(10);

/// How long an old connection has for that answer. Who does not read ends here.
const LAST_ANSWER: Duration = Duration::from_mins(2);

/// A pause after an error that will come back at once, such as no free file descriptor.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers on a socket until `stopping` becomes `true`; then takes no more connections, and lets those that are
/// open finish what they have begun, [`Limits::drain`] at most.
///
/// `axum::serve` bounds neither the number of connections nor the time a head may take to arrive.
///
/// # Errors
///
/// None at present: what fails is one connection, or passes.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let most = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let slots = Arc::new(Semaphore::new(most as usize));
    let head = limits.head;
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            next = next => next,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (router, stopping) = (router.clone(), stopping.clone());
                tokio::spawn(async move {
                    answer(stream, peer, router, head, stopping).await;
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(error = %error, "a connection could not be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    let open = limits.connections - slots.available_permits();
    tracing::info!(open, "finishing what has begun");
    if tokio::time::timeout(limits.drain, slots.acquire_many(most))
        .await
        .is_err()
    {
        let open = limits.connections - slots.available_permits();
        tracing::warn!(open, "connections were cut");
    }
    Ok(())
}

/// One connection, to its end.
async fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    head: Duration,
    mut stopping: watch::Receiver<bool>,
) {
    // Answers are small and complete: nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let inner = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        inner.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_header_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // How a connection ended is the peer's business: it tears, times out, talks nonsense.
        _ = connection.as_mut() => return,
        () = tokio::time::sleep(OLD) => {}
        _ = stopping.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(LAST_ANSWER, connection).await;
}

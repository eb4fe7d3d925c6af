//! The way to the client and back: takes no more requests than it has room for, and ends with its reader.
//!
//! The service itself answers each request in a task of its own, as many as come. A client that asks and never
//! reads would fill the memory with answers; one whose reading end is gone would be served for ever.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

/// Requests that may be without an answer; the next one waits in the pipe.
const MOST_OPEN: usize = 64;

/// Messages in both directions over another transport.
#[derive(Debug)]
pub(super) struct Pipe<T> {
    inner: T,
    flow: Arc<Flow>,
}

/// What is known about the traffic; shared with whoever wants to know how it ended.
#[derive(Debug, Default)]
pub(super) struct Flow {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    open: HashSet<RequestId>,
    broken: Option<io::ErrorKind>,
}

impl<T> Pipe<T> {
    pub(super) fn new(inner: T, flow: Arc<Flow>) -> Self {
        Pipe { inner, flow }
    }
}

impl Flow {
    /// Why nothing can be written to the client any more.
    pub(super) fn broken(&self) -> Option<io::ErrorKind> {
        self.with(|state| state.broken)
    }

    fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        // A panic elsewhere leaves nothing half done here.
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn has_room(&self) -> bool {
        self.with(|state| state.open.len() < MOST_OPEN)
    }

    fn came(&self, message: &RxJsonRpcMessage<RoleServer>) {
        self.with(|state| match message {
            JsonRpcMessage::Request(request) => {
                state.open.insert(request.id.clone());
            }
            // One that is called off gets no answer.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    state.open.remove(id);
                }
            }
            _ => {}
        });
    }

    fn went(&self, id: Option<&RequestId>, outcome: &io::Result<()>) {
        self.with(|state| {
            if let Some(id) = id {
                state.open.remove(id);
            }
            if let Err(error) = outcome {
                state.broken = Some(error.kind());
            }
        });
        self.changed.notify_waiters();
    }
}

impl<T> Transport<RoleServer> for Pipe<T>
where
    T: Transport<RoleServer, Error = io::Error>,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let sent = self.inner.send(message);
        let flow = Arc::clone(&self.flow);
        async move {
            let outcome = sent.await;
            flow.went(id.as_ref(), &outcome);
            outcome
        }
    }

    /// May be dropped and called again, as the transport below may.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let changed = self.flow.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            if self.flow.broken().is_some() {
                return None;
            }
            if !self.flow.has_room() {
                changed.await;
                continue;
            }
            tokio::select! {
                message = self.inner.receive() => {
                    if let Some(message) = &message {
                        self.flow.came(message);
                    }
                    return message;
                }
                () = changed => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}

//! A connection on which a test stands: it sees every request, and decides what becomes of the answer.

use std::sync::{Arc, Mutex};

use team_sync::client::{
    Answer, Ask, BoxFuture, SyncOptions, SyncReport, Transport, TransportError, Verb,
};
use team_sync::{Error, wire};

use crate::server::Shared;
use crate::sync::{Home, runtime};

type Outcome = Result<Answer, TransportError>;
type Hook = dyn FnMut(&Shared, &Ask) -> Option<Outcome> + Send;

/// Asks the hook first; where that says nothing, the server answers.
#[derive(Clone)]
pub(crate) struct Hooked {
    server: Shared,
    hook: Arc<Mutex<Hook>>,
    asked: Arc<Mutex<Vec<Ask>>>,
    identity: String,
}

impl Hooked {
    pub(crate) fn new(
        server: &Shared,
        hook: impl FnMut(&Shared, &Ask) -> Option<Outcome> + Send + 'static,
    ) -> Self {
        Self {
            server: Arc::clone(server),
            hook: Arc::new(Mutex::new(hook)),
            asked: Arc::default(),
            identity: String::new(),
        }
    }

    pub(crate) fn with_identity(mut self, identity: &str) -> Self {
        identity.clone_into(&mut self.identity);
        self
    }

    /// Every request that was tried.
    pub(crate) fn asked(&self) -> Vec<Ask> {
        self.asked.lock().expect("no panic").clone()
    }

    /// The bodies of the changes that were tried.
    pub(crate) fn puts(&self) -> Vec<wire::Put> {
        let asked = self.asked();
        let puts = asked.iter().filter(|ask| ask.verb == Verb::Put);
        puts.map(|ask| wire::read(&ask.body).expect("a body"))
            .collect()
    }

    pub(crate) fn sync(&self, home: &Home, seed: u64) -> Result<SyncReport, Error> {
        self.sync_with(home, seed, &SyncOptions::default())
    }

    pub(crate) fn sync_with(
        &self,
        home: &Home,
        seed: u64,
        options: &SyncOptions,
    ) -> Result<SyncReport, Error> {
        let client = home.client(Box::new(self.clone()), seed);
        runtime().block_on(client.sync(options))
    }
}

impl Transport for Hooked {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Outcome> {
        self.asked.lock().expect("no panic").push(ask.clone());
        let decided = (self.hook.lock().expect("no panic"))(&self.server, &ask);
        let outcome =
            decided.unwrap_or_else(|| Ok(self.server.lock().expect("no panic").answer(&ask)));
        Box::pin(async move { outcome })
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }
}

pub(crate) fn torn() -> Outcome {
    Err(TransportError::new("torn"))
}

/// Lets the first change through and loses its answer, `times` times.
pub(crate) fn losing_answers(server: &Shared, times: usize) -> Hooked {
    let mut lost = 0;
    Hooked::new(server, move |server, ask| {
        if ask.verb != Verb::Put || lost == times {
            return None;
        }
        lost += 1;
        server.lock().expect("no panic").answer(ask);
        Some(torn())
    })
}

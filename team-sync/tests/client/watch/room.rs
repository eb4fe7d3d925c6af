//! A watcher in a task of its own, and what it says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use team_sync::TeamKey;
use team_sync::client::watch::{Notifier, Timing, WatchEvent, WatchOptions, watch};
use team_sync::client::{Client, Done, SyncReport, Transport};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::sync::Home;

/// Long enough for a slow machine; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running watcher.
pub(crate) struct Room {
    pub(crate) home: Arc<Home>,
    events: mpsc::UnboundedReceiver<WatchEvent>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

/// Nothing happens by itself for an hour: only what is noticed leads to anything.
pub(crate) fn only_what_is_noticed() -> Timing {
    let hour = Duration::from_secs(3_600);
    let mut timing = Timing::default();
    timing.quiet = Duration::from_millis(20);
    timing.latest = Duration::from_millis(500);
    timing.walk = hour;
    timing.poll = hour;
    timing.poll_while_told = hour;
    timing
}

impl Room {
    /// Starts to watch the home's folder.
    pub(crate) fn open(
        home: Home,
        transport: impl Fn() -> Box<dyn Transport> + Send + 'static,
        notifier: impl Notifier + 'static,
        options: WatchOptions,
    ) -> Self {
        let home = Arc::new(home);
        let (tell, events) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let connected = Arc::clone(&home);
        let task = tokio::spawn(async move {
            let mut notifier = notifier;
            let mut connect =
                move || -> Result<Client, String> { Ok(connected.client(transport(), 7)) };
            let client = connect().expect("a client");
            let mut tell = move |event| drop(tell.send(event));
            let stop = async move { drop(stopped.await) };
            watch(
                client,
                &mut connect,
                &options,
                &mut notifier,
                &mut tell,
                stop,
            )
            .await;
        });
        Self {
            home,
            events,
            stop: Some(stop),
            task,
        }
    }

    /// The next thing it says.
    pub(crate) async fn next(&mut self) -> WatchEvent {
        tokio::time::timeout(PATIENCE, self.events.recv())
            .await
            .expect("the watcher says something in time")
            .expect("the watcher runs")
    }

    /// Waits until it watches.
    pub(crate) async fn watching(&mut self) {
        while !matches!(self.next().await, WatchEvent::Watching) {}
    }

    /// Waits until it watches and has looked at everything once.
    pub(crate) async fn in_step(&mut self) {
        while !matches!(self.next().await, WatchEvent::InStep) {}
    }

    /// The next run that did something.
    pub(crate) async fn synced(&mut self) -> SyncReport {
        loop {
            if let WatchEvent::Synced(report) = self.next().await {
                return report;
            }
        }
    }

    /// Waits until these keys were all sent or taken.
    pub(crate) async fn until(&mut self, what: Done, keys: &[&str]) {
        let mut left: Vec<TeamKey> = keys
            .iter()
            .map(|key| TeamKey::parse(key).expect("a key"))
            .collect();
        while !left.is_empty() {
            let report = self.synced().await;
            for (key, done) in report.done {
                assert_eq!(done, what, "{key}");
                left.retain(|one| *one != key);
            }
        }
    }

    /// What was said and not read yet.
    pub(crate) fn said(&mut self) -> Vec<WatchEvent> {
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }

    /// Stops it and waits for its end.
    pub(crate) async fn close(mut self) -> Vec<WatchEvent> {
        drop(self.stop.take());
        self.task.await.expect("no panic");
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }
}

/// A notifier in the hand of a test.
#[derive(Clone, Default)]
pub(crate) struct Hand(pub(crate) Arc<Mutex<Vec<team_sync::client::watch::Signals>>>);

impl Hand {
    /// Rings the bell of the watcher.
    pub(crate) fn ring(&self) {
        let opened = self.0.lock().expect("no panic");
        opened.last().expect("it is open").changed();
    }
}

impl Notifier for Hand {
    fn open(
        &mut self,
        _: &std::path::Path,
        signals: team_sync::client::watch::Signals,
    ) -> Result<Box<dyn Send>, String> {
        self.0.lock().expect("no panic").push(signals);
        Ok(Box::new(()))
    }
}

/// A system that tells nothing.
pub(crate) struct Blind;

impl Notifier for Blind {
    fn open(
        &mut self,
        _: &std::path::Path,
        _: team_sync::client::watch::Signals,
    ) -> Result<Box<dyn Send>, String> {
        Err("the limit is reached".into())
    }
}

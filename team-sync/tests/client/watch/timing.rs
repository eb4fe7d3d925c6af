//! The loop in paused time: seconds pass only when everybody waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use team_sync::client::watch::{WatchEvent, WatchOptions};
use team_sync::client::{Answer, Ask, BoxFuture, Done, Transport, TransportError, Verb};
use team_sync::wire::{Snapshot, read};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::room::{Blind, Hand, Room};
use crate::server::{Direct, Form, Server, Shared};
use crate::sync::Home;

/// Starts a watcher whose events come from the test.
async fn room(server: &Shared, options: WatchOptions) -> (Room, Hand) {
    let hand = Hand::default();
    let server = Arc::clone(server);
    let transport = move || -> Box<dyn Transport> { Box::new(Direct(Arc::clone(&server))) };
    let mut room = Room::open(Home::new("a"), transport, hand.clone(), options);
    room.watching().await;
    (room, hand)
}

fn puts(server: &Shared) -> usize {
    server.lock().expect("no panic").puts
}

#[tokio::test(start_paused = true)]
async fn an_edit_is_sent_two_seconds_after_the_last_one() {
    let server = Server::new(Form::Full);
    let (mut room, hand) = room(&server, WatchOptions::default()).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let start = Instant::now();
    for text in ["one\n", "two\n", "three\n"] {
        room.home.write("a.md", text);
        hand.ring();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    room.until(Done::Pushed, &["a.md"]).await;
    assert_eq!(start.elapsed(), Duration::from_secs(4));
    assert_eq!(puts(&server), 1);
}

#[tokio::test(start_paused = true)]
async fn steady_edits_are_sent_after_thirty_seconds() {
    let server = Server::new(Form::Full);
    let (mut room, hand) = room(&server, WatchOptions::default()).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let start = Instant::now();
    let home = Arc::clone(&room.home);
    let editing = tokio::spawn(async move {
        for second in 0..100 {
            home.write("a.md", &format!("{second}\n"));
            hand.ring();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    room.until(Done::Pushed, &["a.md"]).await;
    // The walk a minute may come first, and nothing comes later.
    assert!(start.elapsed() <= Duration::from_secs(30));
    editing.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn its_own_writes_and_false_alarms_lead_to_no_request() {
    let server = Server::new(Form::Full);
    server.lock().expect("no panic").store("a.md", "theirs\n");
    let (mut room, hand) = room(&server, WatchOptions::default()).await;
    room.until(Done::Pulled, &["b.md"][..0]).await;
    let requests = || server.lock().expect("no panic").requests;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let before = requests();
    for _ in 0..5 {
        hand.ring();
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
    assert_eq!(requests(), before);
    let said = room.said();
    let told = |event: &WatchEvent| !matches!(event, WatchEvent::InStep);
    assert!(!said.iter().any(told), "nothing to tell: {said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_system_that_tells_nothing_costs_a_minute() {
    let server = Server::new(Form::Full);
    let shared = Arc::clone(&server);
    let transport = move || -> Box<dyn Transport> { Box::new(Direct(Arc::clone(&shared))) };
    let mut room = Room::open(Home::new("a"), transport, Blind, WatchOptions::default());
    let said = room.next().await;
    assert!(
        matches!(&said, WatchEvent::Blind(why) if why.contains("limit")),
        "{said:?}"
    );
    room.watching().await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let start = Instant::now();
    room.home.write("a.md", "mine\n");
    server.lock().expect("no panic").store("b.md", "theirs\n");
    let mut seen = Vec::new();
    while seen.len() < 2 {
        seen.extend(room.synced().await.done.into_iter().map(|(key, _)| key));
    }
    assert!(
        start.elapsed() <= Duration::from_secs(75),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_unsent_is_sent_at_the_end() {
    let server = Server::new(Form::Full);
    let (room, hand) = room(&server, WatchOptions::default()).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    room.home.write("a.md", "last words\n");
    hand.ring();
    room.close().await;
    let server = server.lock().expect("no panic");
    assert!(server.texts().values().any(|text| text == "last words\n"));
}

/// A server that never answers from a given request on.
struct Silent(Direct, Arc<AtomicUsize>);

impl Transport for Silent {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        if self.1.load(Ordering::SeqCst) > 0 {
            return Box::pin(std::future::pending());
        }
        self.0.send(ask)
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_ten_seconds_and_no_longer() {
    let server = Server::new(Form::Full);
    let silent = Arc::new(AtomicUsize::new(0));
    let (shared, switch) = (Arc::clone(&server), Arc::clone(&silent));
    let transport = move || -> Box<dyn Transport> {
        Box::new(Silent(Direct(Arc::clone(&shared)), Arc::clone(&switch)))
    };
    let options = WatchOptions::default();
    let mut room = Room::open(Home::new("a"), transport, Hand::default(), options);
    room.watching().await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    silent.store(1, Ordering::SeqCst);
    room.home.write("a.md", "never arrives\n");
    let start = Instant::now();
    let said = room.close().await;
    assert_eq!(start.elapsed(), Duration::from_secs(10));
    assert!(
        said.iter()
            .any(|event| matches!(event, WatchEvent::Failed(_))),
        "{said:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_reader_sends_nothing() {
    let server = Server::new(Form::Full);
    let options = WatchOptions::default().with_pull_only(true);
    let (mut room, hand) = room(&server, options).await;
    room.home.write("a.md", "mine\n");
    hand.ring();
    server.lock().expect("no panic").store("b.md", "theirs\n");
    room.until(Done::Pulled, &["b.md"]).await;
    room.close().await;
    assert_eq!(puts(&server), 0);
}

/// Refuses every change for good until it is told to stop.
struct Refusing(Direct, Arc<AtomicUsize>, Arc<AtomicUsize>);

impl Transport for Refusing {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        if ask.verb == Verb::Put && self.1.load(Ordering::SeqCst) == 0 {
            self.2.fetch_add(1, Ordering::SeqCst);
            return Box::pin(async { Ok(Answer::new(403, b"{}".to_vec())) });
        }
        self.0.send(ask)
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_for_good_is_not_repeated_until_a_file_is_deleted() {
    let server = Server::new(Form::Full);
    let (allowed, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let shared = Arc::clone(&server);
    let (allow, count) = (Arc::clone(&allowed), Arc::clone(&refused));
    let transport = move || -> Box<dyn Transport> {
        let direct = Direct(Arc::clone(&shared));
        Box::new(Refusing(direct, Arc::clone(&allow), Arc::clone(&count)))
    };
    let hand = Hand::default();
    let options = WatchOptions::default();
    let mut room = Room::open(Home::new("a"), transport, hand.clone(), options);
    room.watching().await;
    room.home.write("a.md", "a\n");
    room.home.write("b.md", "b\n");
    hand.ring();
    loop {
        if let WatchEvent::Failed(error) = room.next().await {
            assert_eq!(error.kind(), team_sync::ErrorKind::Refused);
            break;
        }
    }
    assert_eq!(refused.load(Ordering::SeqCst), 1);
    for second in 0..600 {
        room.home.write("a.md", &format!("{second}\n"));
        hand.ring();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(refused.load(Ordering::SeqCst), 1, "nothing is sent");
    allowed.store(1, Ordering::SeqCst);
    std::fs::remove_file(room.home.team().join("b.md")).expect("removed");
    hand.ring();
    room.until(Done::Pushed, &["a.md"]).await;
}

/// A server with the extension `wait`.
struct Waiting(Direct, Arc<Notify>, Arc<AtomicUsize>);

impl Transport for Waiting {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        Box::pin(async move {
            let wait = ask.query.iter().find(|(name, _)| *name == "wait");
            if let Some((_, seconds)) = wait {
                self.2.fetch_add(1, Ordering::SeqCst);
                let limit = Duration::from_secs(seconds.parse().expect("a number"));
                assert_eq!(ask.patience, limit);
                let _ = tokio::time::timeout(limit, self.1.notified()).await;
            }
            let mut answer = self.0.send(ask).await?;
            if answer.status == 200
                && let Ok(mut snapshot) = read::<Snapshot>(&answer.body)
                && let Some(capabilities) = &mut snapshot.capabilities
            {
                capabilities.features.push("wait".into());
                answer.body = serde_json::to_vec(&snapshot).expect("JSON");
            }
            Ok(answer)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_tells_is_heard_at_once_and_not_asked_in_vain() {
    let server = Server::new(Form::Full);
    server.lock().expect("no panic").store("a.md", "a\n");
    let (bell, waits) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let (shared, ring, count) = (Arc::clone(&server), Arc::clone(&bell), Arc::clone(&waits));
    let transport = move || -> Box<dyn Transport> {
        let direct = Direct(Arc::clone(&shared));
        Box::new(Waiting(direct, Arc::clone(&ring), Arc::clone(&count)))
    };
    let mut room = Room::open(
        Home::new("a"),
        transport,
        Hand::default(),
        WatchOptions::default(),
    );
    room.watching().await;
    tokio::time::sleep(Duration::from_secs(125)).await;
    let start = Instant::now();
    server.lock().expect("no panic").store("b.md", "b\n");
    bell.notify_waiters();
    room.until(Done::Pulled, &["b.md"]).await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    tokio::time::sleep(Duration::from_secs(1_000)).await;
    // A question per minute of waiting, and not one that was answered at once.
    let asked = waits.load(Ordering::SeqCst);
    assert!((10..60).contains(&asked), "{asked}");
    // A server that cries wolf is asked once a minute.
    for _ in 0..200 {
        bell.notify_waiters();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let wolf = waits.load(Ordering::SeqCst) - asked;
    assert!(wolf <= 20, "{wolf}");
}

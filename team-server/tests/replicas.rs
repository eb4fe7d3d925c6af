//! Two server processes on one database, one of which is killed.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc;

use crate::program::{Server, run, text};
use crate::support::{PATH, Place, block_on};

struct Replicas {
    place: Place,
    token: String,
    servers: [Server; 2],
}

impl Replicas {
    fn start() -> Option<Self> {
        let place = block_on(Place::postgres())?;
        let token = text(&run(&place, &["token", "add", "--name", "ana"]).stdout);
        let servers = [Server::start(&place), Server::start(&place)];
        Some(Self {
            place,
            token,
            servers,
        })
    }

    /// The answer; `None` when the connection broke.
    fn send(&self, replica: usize, head: &str, headers: &str, body: &str) -> Option<String> {
        let mut stream = TcpStream::connect(self.servers[replica].address()).ok()?;
        let (token, length) = (&self.token, body.len());
        let sent = write!(
            stream,
            "{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             {headers}content-length: {length}\r\n\r\n{body}"
        );
        sent.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        (!answer.is_empty()).then_some(answer)
    }

    fn put(&self, replica: usize, body: &str) -> Option<String> {
        self.send(replica, &format!("PUT {PATH}?repo=acme/app"), "", body)
    }
}

fn tag(answer: &str) -> String {
    let line = answer.lines().find_map(|line| line.strip_prefix("etag: "));
    line.expect("a tag").to_owned()
}

/// A change of one key under a name of its own.
fn body(round: usize) -> String {
    format!(
        r#"{{"entries":{{"m{round}.md":"text {round}"}},"bases":{{"m{round}.md":null}},"op_id":"op-{round}"}}"#
    )
}

#[test]
fn a_poll_at_one_replica_is_answered_by_a_change_at_the_other() {
    let Some(replicas) = Replicas::start() else {
        return;
    };
    let first = replicas.put(0, &body(0)).expect("an answer");
    let condition = format!("if-none-match: {}\r\n", tag(&first));
    let (poll, second) = std::thread::scope(|scope| {
        let poll = scope.spawn(|| {
            let head = format!("GET {PATH}?repo=acme/app&wait=50");
            replicas.send(1, &head, &condition, "").expect("an answer")
        });
        // Whether the poll is there already or not: it must not wait for its 50 seconds.
        let second = replicas.put(0, &body(1)).expect("an answer");
        (poll.join().expect("a poll"), second)
    });
    assert!(poll.starts_with("HTTP/1.1 200"), "{poll}");
    assert_eq!(tag(&poll), tag(&second));
    assert!(poll.contains("text 1"), "{poll}");
}

#[test]
fn a_replica_that_is_killed_in_the_middle_loses_nothing_and_doubles_nothing() {
    const ROUNDS: usize = 60;
    let Some(mut replicas) = Replicas::start() else {
        return;
    };
    let doomed = replicas.servers[0].killer();
    let answered = std::thread::scope(|scope| {
        let replicas = &replicas;
        let (half, halfway) = mpsc::channel();
        let killer = scope.spawn(move || {
            halfway.recv().expect("a beginning");
            doomed.kill();
        });
        let mut replayed = 0;
        for round in 0..ROUNDS {
            if round == ROUNDS / 3 {
                half.send(()).expect("somebody listens");
            }
            // As a client behind a balancer: what is not answered is sent again, wherever it ends up.
            let first = replicas.put(0, &body(round));
            let answer = first.or_else(|| replicas.put(1, &body(round)));
            let answer = answer.expect("one replica lives");
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            // And once more for certain: an answer that was lost on its way.
            let again = replicas.put(1, &body(round)).expect("an answer");
            assert!(again.contains("\"replayed\":true"), "{again}");
            let version = |text: &str| text.split("\"version\":").nth(1).map(str::to_owned);
            let short = |text: Option<String>| {
                text.and_then(|text| text.split('"').nth(1).map(str::to_owned))
            };
            assert_eq!(short(version(&again)), short(version(&answer)));
            replayed += 1;
        }
        killer.join().expect("killed");
        replayed
    });
    assert_eq!(answered, ROUNDS);
    let all = replicas
        .send(1, &format!("GET {PATH}?repo=acme/app"), "", "")
        .expect("an answer");
    for round in 0..ROUNDS {
        assert!(
            all.contains(&format!("\"text {round}\"")),
            "{round} is lost"
        );
    }
    assert!(
        all.contains(&format!("\"version\":\"{ROUNDS}\"")),
        "something was done twice"
    );
    // It comes back as if nothing had been.
    replicas.servers[0] = Server::start(&replicas.place);
    let answer = replicas.put(0, &body(0)).expect("an answer");
    assert!(answer.contains("\"replayed\":true"), "{answer}");
    let check = run(&replicas.place, &["check"]);
    assert_eq!(
        text(&check.stdout),
        format!("{ROUNDS} contents verified, 0 redacted, 0 problems")
    );
}

//! Peers that dawdle, flood or hang on, over real sockets; and a clock that lies.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, PATH, Place, Running, fast};

fn connect(server: &Running) -> TcpStream {
    let stream = TcpStream::connect(server.address).expect("a connection");
    let limit = Some(Duration::from_secs(30));
    stream.set_read_timeout(limit).expect("a socket");
    stream
}

/// Sends text and reads until the server ends the connection. What is torn has ended too.
fn send(server: &Running, text: &str) -> String {
    let mut stream = connect(server);
    let _ = stream.write_all(text.as_bytes());
    read_to_end(&mut stream)
}

fn read_to_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4_096];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(error) => panic!("the connection is not ended: {error}"),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn head(server: &Running, more: &str) -> String {
    format!(
        "PUT {PATH}?repo=acme/app HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nif-match: *\r\n{more}\r\n",
        server.token
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_trickles_in_is_cut_off() {
    let mut limits = fast();
    limits.head = Duration::from_millis(200);
    let server = Running::start_with(Place::sqlite(), limits).await;
    for begun in ["", "GET ", "GET / HTTP/1.1\r\nhost: x\r\n"] {
        let answer = send(&server, begun);
        assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    }
    // A connection that has been of use and is idle now is ended too.
    let answer = send(&server, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_have_a_size_and_a_number_of_lines() {
    let server = Running::start(Place::sqlite()).await;
    let long = format!("x: {}\r\n", "y".repeat(40_000));
    let many = "x-many: y\r\n".repeat(100);
    for more in [long, many] {
        let answer = send(&server, &head(&server, &more));
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_over_the_limit_is_refused_before_it_is_read() {
    let server = Running::start(Place::sqlite()).await;
    // Declared: nothing of it is waited for.
    let answer = send(&server, &head(&server, "content-length: 100000000000\r\n"));
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // Endless, in pieces: refused once the limit is passed.
    let mut stream = connect(&server);
    let begun = head(&server, "transfer-encoding: chunked\r\n");
    stream.write_all(begun.as_bytes()).expect("a head");
    let piece = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
    // More than the buffers of any system hold.
    let taken = (0..1_000).take_while(|_| stream.write_all(piece.as_bytes()).is_ok());
    let taken = taken.count();
    assert!(taken < 1_000, "the server took {taken} pieces of 64 KiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_finishes_what_has_begun_and_takes_nothing_new() {
    let server = Running::start(Place::sqlite()).await;
    let body = r#"{"entries":{"a.md":"kept"},"bases":{"a.md":null}}"#;
    let (first, rest) = body.split_at(10);
    let mut begun = connect(&server);
    let length = format!("content-length: {}\r\n", body.len());
    begun
        .write_all(head(&server, &length).as_bytes())
        .expect("a head");
    begun.write_all(first.as_bytes()).expect("half a body");
    // The server has read the head once it has answered somebody who came later.
    assert_eq!(server.get("").await.status.as_u16(), 404);
    server.stop();
    begun.write_all(rest.as_bytes()).expect("the rest");
    let answer = read_to_end(&mut begun);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let address = server.address;
    server.ended().await;
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_hangs_on_does_not_keep_a_server_from_stopping() {
    let mut limits = fast();
    limits.drain = Duration::from_millis(300);
    let server = Running::start_with(Place::sqlite(), limits).await;
    let mut begun = connect(&server);
    let hangs = head(&server, "content-length: 1000\r\n");
    begun.write_all(hangs.as_bytes()).expect("a head");
    assert_eq!(server.get("").await.status.as_u16(), 404);
    server.stop();
    server.ended().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_have_a_number_and_more_wait() {
    let mut limits = fast();
    limits.connections = 2;
    let server = Running::start_with(Place::sqlite(), limits).await;
    let ask = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut open = [connect(&server), connect(&server)];
    let mut round = |stream: &mut TcpStream| {
        stream.write_all(ask.as_bytes()).expect("a request");
        let mut answer = [0; 512];
        let read = stream.read(&mut answer).expect("an answer");
        assert!(answer[..read].starts_with(b"HTTP/1.1 200"));
    };
    open.iter_mut().for_each(&mut round);
    let released = Arc::new(AtomicBool::new(false));
    let (address, seen) = (server.address, Arc::clone(&released));
    let third = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(ask.as_bytes()).expect("a request");
        let mut first = [0; 1];
        stream.read_exact(&mut first).expect("an answer");
        seen.load(Ordering::SeqCst)
    });
    // Those that are in are answered many times while the third waits.
    for _ in 0..50 {
        open.iter_mut().for_each(&mut round);
    }
    released.store(true, Ordering::SeqCst);
    drop(open);
    assert!(
        third.join().expect("no panic"),
        "three were answered at a time"
    );
}

/// A script of all kinds of changes and looks, with its answers but for the times in them.
async fn script(clock: impl Fn() -> String + Send + Sync + 'static) -> Vec<Value> {
    let server = Running::start_with_clock(Place::sqlite(), fast(), Arc::new(clock)).await;
    let mut answers = Vec::new();
    let mut epoch = String::new();
    for (header, body) in [
        (
            ("if-none-match", "*"),
            json!({ "entries": { "a.md": "1", "b.md": "1" }, "op_id": "one" }),
        ),
        (
            ("if-match", "*"),
            json!({ "entries": { "a.md": "2" }, "op_id": "two" }),
        ),
        (
            ("if-none-match", "*"),
            json!({ "entries": { "a.md": "1", "b.md": "1" }, "op_id": "one" }),
        ),
        (
            ("if-match", "*"),
            json!({ "entries": {}, "deletes": ["b.md"] }),
        ),
        (
            ("if-match", "\"v1-000000\""),
            json!({ "entries": { "a.md": "3" } }),
        ),
    ] {
        let answer = server.put(header, &body).await;
        if epoch.is_empty() {
            let last = answer.tag.rsplit('-').next().unwrap_or_default();
            last.clone_into(&mut epoch);
        }
        answers.push(plain(&answer, &epoch));
    }
    for query in [
        "",
        "&view=hashes",
        "&since=1",
        "&since=2",
        "&keys=a.md",
        "&since=0&view=hashes",
    ] {
        answers.push(plain(&server.get(query).await, &epoch));
    }
    for path in [
        "history?repo=acme/app",
        "history?repo=acme/app&limit=1&before=3",
    ] {
        let request = server
            .request(Method::GET, &format!("{PATH}/{path}"))
            .bearer_auth(&server.token);
        answers.push(plain(
            &Answer::of(request.send().await.expect("an answer")).await,
            &epoch,
        ));
    }
    let request = server.request(Method::POST, &format!("{PATH}/restore?repo=acme/app"));
    let request = request
        .bearer_auth(&server.token)
        .json(&json!({ "version": 1 }));
    answers.push(plain(
        &Answer::of(request.send().await.expect("an answer")).await,
        &epoch,
    ));
    answers.push(plain(&server.get("").await, &epoch));
    answers
}

/// An answer without what may differ: times, and the epoch, which is random.
fn plain(answer: &Answer, epoch: &str) -> Value {
    fn without_times(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| name != "at" && name != "updated_at");
                members.values_mut().for_each(without_times);
            }
            Value::Array(items) => items.iter_mut().for_each(without_times),
            _ => {}
        }
    }
    let mut body = answer.body.clone();
    without_times(&mut body);
    json!({ "status": answer.status.as_u16(), "tag": answer.tag.replace(epoch, "epoch"), "body": body })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_decision_depends_on_the_clock() {
    let steady = script(|| "2026-11-30T12:00:00Z".into()).await;
    assert!(
        steady.iter().all(|answer| answer["status"] != 500),
        "{steady:?}"
    );
    let count = Arc::new(AtomicU64::new(0));
    let years = ["2025", "2027", "2026", "1970", "2027", "9999"];
    let jumping = script(move || {
        let at = count.fetch_add(1, Ordering::SeqCst) as usize;
        format!("{}-11-30T12:00:00Z", years[at % years.len()])
    })
    .await;
    assert_eq!(steady, jumping);
    for year in ["2025", "2027"] {
        let shifted = script(move || format!("{year}-11-30T12:00:00Z")).await;
        assert_eq!(steady, shifted, "{year}");
    }
}

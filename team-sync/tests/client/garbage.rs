//! Servers that send anything: nothing is written, nothing hangs, no piece of it is repeated, and the error
//! says what to do.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use team_sync::ErrorKind;
use team_sync::client::{HttpOptions, HttpTransport, SyncOptions, Timeouts, Token, Transport};

use crate::sync::Home;

/// Answers every request of every connection with what `write` writes; counts the requests.
fn serve(write: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (count, write) = (Arc::new(AtomicUsize::new(0)), Arc::new(write));
    let counter = Arc::clone(&count);
    // The thread ends with the test process.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), write, counter) =
                (stream, Arc::clone(&write), Arc::clone(&counter))
            else {
                continue;
            };
            std::thread::spawn(move || {
                let reader = stream.try_clone().expect("a socket");
                let lines = BufReader::new(reader).lines();
                for line in lines.map_while(Result::ok) {
                    if line.is_empty() {
                        break;
                    }
                }
                counter.fetch_add(1, Ordering::SeqCst);
                write(&mut stream);
            });
        }
    });
    (address, count)
}

fn transport(address: SocketAddr, timeouts: Timeouts) -> HttpTransport {
    let options = HttpOptions::new(&format!("http://{address}"), "acme/app", Token::new("none"));
    HttpTransport::new(&options.with_timeouts(timeouts)).expect("a transport")
}

fn runtime() -> tokio::runtime::Runtime {
    // Real sockets, so real time; the waits between tries are the only ones.
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn deep(levels: usize) -> Vec<u8> {
    let (open, close) = ("[".repeat(levels), "]".repeat(levels));
    format!("{{\"version\":\"1\",\"unknown\":{open}{close}}}").into_bytes()
}

fn many(keys: usize) -> Vec<u8> {
    let sum = team_sync::Checksum::of("");
    let entries: Vec<String> = (0..keys)
        .map(|at| format!("\"k{at}.md\":\"{sum}\""))
        .collect();
    format!(
        "{{\"version\":\"1\",\"checksums\":{{{}}}}}",
        entries.join(",")
    )
    .into_bytes()
}

#[test]
fn garbage_is_refused_and_changes_nothing() {
    let marked = "MARKER-of-the-body";
    let with = |body: &str| body.replace("BODY", marked).into_bytes();
    // (what it is, status, headers, body, the kind of the error)
    let table: Vec<(&str, &str, &str, Vec<u8>, ErrorKind)> = vec![
        (
            "an empty body",
            "200 OK",
            "",
            Vec::new(),
            ErrorKind::Unavailable,
        ),
        (
            "a page",
            "200 OK",
            "Content-Type: text/html\r\n",
            with("<html>BODY</html>"),
            ErrorKind::Unavailable,
        ),
        (
            "half of JSON",
            "200 OK",
            "",
            with("{\"version\":\"1\",\"entries\":{\"BODY"),
            ErrorKind::Unavailable,
        ),
        (
            "JSON of another form",
            "200 OK",
            "",
            with("{\"checksums\":[\"BODY\"]}"),
            ErrorKind::Unavailable,
        ),
        (
            "a list",
            "200 OK",
            "",
            with("[\"BODY\"]"),
            ErrorKind::Unavailable,
        ),
        (
            "some other JSON",
            "200 OK",
            "",
            with("{\"error\":\"BODY\"}"),
            ErrorKind::Unavailable,
        ),
        (
            "bytes",
            "200 OK",
            "",
            vec![0xff; 300],
            ErrorKind::Unavailable,
        ),
        (
            "what claims to be compressed",
            "200 OK",
            "Content-Encoding: gzip\r\n",
            with("BODY"),
            ErrorKind::Unavailable,
        ),
        ("33 levels", "200 OK", "", deep(32), ErrorKind::Unavailable),
        (
            "100,000 levels",
            "200 OK",
            "",
            deep(100_000),
            ErrorKind::Unavailable,
        ),
        (
            "10,001 keys",
            "200 OK",
            "",
            many(10_001),
            ErrorKind::Unavailable,
        ),
        (
            "a page with 403",
            "403 Forbidden",
            "",
            with("<html>BODY</html>"),
            ErrorKind::Refused,
        ),
        (
            "a page with 400",
            "400 Bad Request",
            "",
            with("<html>BODY</html>"),
            ErrorKind::Refused,
        ),
        (
            "a redirect",
            "302 Found",
            "Location: http://127.0.0.1:1/\r\n",
            Vec::new(),
            ErrorKind::Refused,
        ),
        (
            "an unknown success",
            "206 Partial",
            "",
            with("BODY"),
            ErrorKind::Refused,
        ),
        (
            "an impossible status",
            "999 Odd",
            "",
            Vec::new(),
            ErrorKind::Refused,
        ),
    ];
    let runtime = runtime();
    for (what, status, headers, body, kind) in table {
        let bytes = answer(status, headers, &body);
        let (address, count) = serve(move |stream| drop(stream.write_all(&bytes)));
        let ana = Home::new("ana");
        ana.write("a.md", "mine\n");
        let before = ana.files();
        let client = ana.client(Box::new(transport(address, Timeouts::default())), 1);
        let error = runtime
            .block_on(client.sync(&SyncOptions::default().with_pull_only(true)))
            .expect_err(what);
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(!error.to_string().contains(marked), "{what}: {error}");
        assert!(!error.to_string().contains("<html>"), "{what}: {error}");
        assert_eq!(count.load(Ordering::SeqCst), 1, "{what} is asked for once");
        assert_eq!(ana.files(), before, "{what}");
    }
    // The bounds themselves are taken.
    for body in [deep(31), many(10_000)] {
        let bytes = answer("200 OK", "ETag: \"v1-aaaaaa\"\r\n", &body);
        let (address, _) = serve(move |stream| drop(stream.write_all(&bytes)));
        let ana = Home::new("ana");
        let client = ana.client(Box::new(transport(address, Timeouts::default())), 1);
        let outcome = runtime.block_on(client.look(true)).expect("a look");
        assert!(outcome.unreachable.is_none(), "{:?}", outcome.unreachable);
    }
}

#[test]
fn no_garbage_counts_as_the_answer_to_a_change() {
    for body in [
        "",
        "<html>welcome</html>",
        "{\"error\":\"x\"}",
        "[\"7\"]",
        "{}",
        "null",
    ] {
        let server = crate::server::Server::new(crate::server::Form::Full);
        let ana = Home::new("ana");
        ana.write("a.md", "mine\n");
        let hooked = crate::hooked::Hooked::new(&server, move |_, ask| {
            let answer = team_sync::client::Answer::new(200, body.as_bytes().to_vec());
            (ask.verb == team_sync::client::Verb::Put).then_some(Ok(answer))
        });
        let error = hooked.sync(&ana, 1).expect_err(body);
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{body}");
        // It was not agreed: a real server gets it.
        crate::sync::sync(&ana, &server);
        let texts = server.lock().expect("no panic").texts().clone();
        assert_eq!(texts["a.md"], "mine\n", "{body}");
    }
}

#[test]
fn class_30_an_answer_without_end_is_left_at_32_mebibytes_and_not_asked_for_again() {
    let piece = vec![b'x'; 1 << 20];
    // One that says its length, one that does not, and one in chunks.
    for head in [
        "Content-Length: 99999999999\r\n\r\n",
        "Connection: close\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n",
    ] {
        let piece = piece.clone();
        let sent = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&sent);
        let (address, count) = serve(move |stream| {
            let chunked = head.contains("chunked");
            let mut alive = write!(stream, "HTTP/1.1 200 OK\r\n{head}").is_ok();
            // A gigabyte is without end; a client that reads it all would fail the assertion below.
            for _ in 0..1_024 {
                if chunked {
                    alive &= stream.write_all(b"100000\r\n").is_ok();
                }
                alive &= stream.write_all(&piece).is_ok();
                if chunked {
                    alive &= stream.write_all(b"\r\n").is_ok();
                }
                if !alive {
                    return;
                }
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        let ana = Home::new("ana");
        let client = ana.client(Box::new(transport(address, Timeouts::default())), 1);
        let error = runtime()
            .block_on(client.sync(&SyncOptions::default()))
            .expect_err("no end");
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
        assert!(error.to_string().contains("32 MiB"), "{error}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
        // What the sockets hold is some mebibytes more.
        assert!(sent.load(Ordering::SeqCst) < 100, "{head}");
        assert!(ana.files().is_empty());
    }
}

#[test]
fn class_24_a_server_that_falls_silent_is_left_in_time() {
    let short = Duration::from_millis(200);
    // Longer than the test waits: only the short one can end it.
    let long = Duration::from_secs(3_600);
    // (what the server does before it falls silent, the time-outs)
    let table: [(&str, &[u8], Timeouts); 3] = [
        ("accepts", b"", Timeouts::new(long, short, long)),
        (
            "begins an answer",
            b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"ver",
            Timeouts::new(long, short, long),
        ),
        (
            "sends a piece now and then",
            b"",
            Timeouts::new(long, long, short),
        ),
    ];
    for (what, head, timeouts) in table {
        let (released, release) = std::sync::mpsc::channel::<()>();
        let release = std::sync::Mutex::new(release);
        let (address, _) = serve(move |stream| {
            drop(stream.write_all(head));
            // Silent until the test has ended.
            let _ = release.lock().expect("no panic").recv();
        });
        let transport = transport(address, timeouts);
        let asked = crate::garbage::first_request();
        let outcome = runtime().block_on(async {
            let bound = Duration::from_secs(60);
            tokio::time::timeout(bound, transport.send(asked)).await
        });
        let error = outcome.expect("left in time").expect_err(what);
        assert!(error.may_pass(), "{what}");
        assert!(
            error.to_string().contains("no answer in time"),
            "{what}: {error}"
        );
        drop(released);
    }
}

/// A request as the client makes it: taken from a client, as nobody else can make one.
fn first_request() -> team_sync::client::Ask {
    let server = crate::server::Server::new(crate::server::Form::Full);
    let hooked = crate::hooked::Hooked::new(&server, |_, _| None);
    hooked.sync(&Home::new("any"), 1).expect("a sync");
    hooked.asked().remove(0)
}

#[test]
fn a_redirect_is_not_followed_and_the_token_stays_with_us() {
    let (elsewhere, visits) = serve(|_| {});
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let bytes = answer(status, &format!("Location: http://{elsewhere}/\r\n"), b"");
        let (address, _) = serve(move |stream| drop(stream.write_all(&bytes)));
        let ana = Home::new("ana");
        let client = ana.client(Box::new(transport(address, Timeouts::default())), 1);
        let error = runtime()
            .block_on(client.sync(&SyncOptions::default()))
            .expect_err("a redirect");
        assert!(error.to_string().contains("final address"), "{error}");
    }
    assert_eq!(visits.load(Ordering::SeqCst), 0);
}

#[test]
fn a_server_that_always_wants_a_new_look_is_left() {
    // 410 to everything, and answers to a question that was not asked, each of another epoch.
    let gone = answer("410 Gone", "", b"");
    let (address, count) = serve(move |stream| drop(stream.write_all(&gone)));
    let ana = Home::new("ana");
    let client = ana.client(Box::new(transport(address, Timeouts::default())), 1);
    let error = runtime()
        .block_on(client.sync(&SyncOptions::default()))
        .expect_err("no end");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(count.load(Ordering::SeqCst) < 10);

    let turn = AtomicUsize::new(0);
    let (address, count) = serve(move |stream| {
        let turn = turn.fetch_add(1, Ordering::SeqCst);
        let body = br#"{"version":"5","since":"4","checksums":{},"entries":{}}"#;
        let tag = format!("ETag: \"v5-{turn:06x}\"\r\n");
        drop(stream.write_all(&answer("200 OK", &tag, body)));
    });
    for _ in 0..3 {
        let client = ana.client(Box::new(transport(address, Timeouts::default())), 1);
        // Whatever comes of it, it ends.
        drop(runtime().block_on(client.sync(&SyncOptions::default())));
    }
    assert!(count.load(Ordering::SeqCst) < 30);
}

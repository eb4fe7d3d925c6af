//! A way to the server on which everything goes wrong that goes wrong in networks.
//!
//! One request a connection: what is read is known whole before its fate is decided, so that a fault hits
//! where it is meant to.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use test_support::Random;

/// What can happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// The connection ends before the request has left.
    Reset,
    /// The server gets half of the request.
    HalfRequest,
    /// The request is carried out; nobody hears of it.
    LostAnswer,
    /// Half of the answer arrives.
    HalfAnswer,
    /// It arrives twice; the second answer counts.
    Twice,
    /// It arrives again some time after it was answered.
    LateRepeat,
    /// It takes its time.
    Delay,
    /// `If-Match` and `If-None-Match` are gone on arrival.
    NoPrecondition,
    /// The answer has lost its tag.
    NoTag,
    /// The tag comes as a compressing proxy leaves it.
    WeakTag,
    /// A page of the proxy: busy.
    Busy,
    /// A page of the proxy: no server behind it.
    BadGateway,
    /// A page of the proxy with a good status.
    Portal,
}

const FAULTS: [Fault; 13] = [
    Fault::Reset,
    Fault::HalfRequest,
    Fault::LostAnswer,
    Fault::HalfAnswer,
    Fault::Twice,
    Fault::LateRepeat,
    Fault::Delay,
    Fault::NoPrecondition,
    Fault::NoTag,
    Fault::WeakTag,
    Fault::Busy,
    Fault::BadGateway,
    Fault::Portal,
];

/// The longest a request or an answer may take to arrive; a long poll takes 50 s.
const PATIENCE: Duration = Duration::from_secs(70);

/// The most bytes of a request or an answer.
const MOST_BYTES: usize = 40 << 20;

struct Shared {
    servers: Vec<SocketAddr>,
    random: Mutex<Random>,
    /// How many of a hundred requests meet a fault.
    percent: AtomicU64,
    requests: AtomicU64,
    faults: Mutex<BTreeMap<Fault, u64>>,
    closed: AtomicBool,
}

/// The proxy; it ends with its value.
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Listens on a port of its own and spreads what comes over `servers`.
    pub(crate) fn start(
        servers: Vec<SocketAddr>,
        seed: u64,
        percent: u64,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            servers,
            random: Mutex::new(Random::of_part(seed, 1_000)),
            percent: AtomicU64::new(percent),
            requests: AtomicU64::new(0),
            faults: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.closed.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Self { address, shared })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on everything arrives.
    pub(crate) fn calm(&self) {
        self.shared.percent.store(0, Ordering::SeqCst);
    }

    pub(crate) fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// How often each fault was met, by name.
    pub(crate) fn faults(&self) -> BTreeMap<String, u64> {
        let faults = self.shared.faults.lock().expect("no panic inside");
        let named = faults
            .iter()
            .map(|(fault, count)| (format!("{fault:?}"), *count));
        named.collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    /// Errors end the connection, as they do in a network.
    fn serve(&self, mut client: TcpStream) {
        let _ = client.set_read_timeout(Some(PATIENCE));
        let _ = client.set_write_timeout(Some(PATIENCE));
        let Some(request) = read_request(&mut client) else {
            return;
        };
        self.requests.fetch_add(1, Ordering::SeqCst);
        let (fault, server, wait) = self.fate();
        if let Some(answer) = self.carry(&request, fault, server, wait) {
            let _ = client.write_all(&answer);
        }
        let _ = client.shutdown(Shutdown::Both);
    }

    fn fate(&self) -> (Option<Fault>, SocketAddr, Duration) {
        let mut random = self.random.lock().expect("no panic inside");
        let percent = self.percent.load(Ordering::SeqCst) as usize;
        let fault = random
            .chance(percent)
            .then(|| FAULTS[random.below(FAULTS.len())]);
        let server = self.servers[random.below(self.servers.len())];
        let wait = match fault {
            Some(Fault::Delay) => random.millis(50, 900),
            Some(Fault::LateRepeat) => random.millis(100, 2_500),
            _ => Duration::ZERO,
        };
        if let Some(fault) = fault {
            let mut faults = self.faults.lock().expect("no panic inside");
            *faults.entry(fault).or_default() += 1;
        }
        (fault, server, wait)
    }

    fn carry(
        &self,
        request: &[u8],
        fault: Option<Fault>,
        server: SocketAddr,
        wait: Duration,
    ) -> Option<Vec<u8>> {
        match fault {
            None => exchange(server, request),
            Some(Fault::Reset) => None,
            Some(Fault::HalfRequest) => {
                let mut stream = connect(server)?;
                stream.write_all(&request[..request.len() / 2]).ok()?;
                None
            }
            Some(Fault::LostAnswer) => {
                exchange(server, request);
                None
            }
            Some(Fault::HalfAnswer) => {
                let mut answer = exchange(server, request)?;
                answer.truncate(answer.len() - answer.len() / 4 - 1);
                Some(answer)
            }
            Some(Fault::Twice) => {
                exchange(server, request);
                exchange(self.another(server), request)
            }
            Some(Fault::LateRepeat) => {
                let answer = exchange(server, request);
                let (server, request) = (self.another(server), request.to_vec());
                std::thread::spawn(move || {
                    std::thread::sleep(wait);
                    exchange(server, &request);
                });
                answer
            }
            Some(Fault::Delay) => {
                std::thread::sleep(wait);
                let answer = exchange(server, request);
                std::thread::sleep(wait);
                answer
            }
            Some(Fault::NoPrecondition) => {
                let request = without(request, &["if-match", "if-none-match"]);
                exchange(server, &request)
            }
            Some(Fault::NoTag) => Some(without(&exchange(server, request)?, &["etag"])),
            Some(Fault::WeakTag) => Some(weakened(&exchange(server, request)?)),
            Some(Fault::Busy) => Some(page("503 Service Unavailable\r\nretry-after: 1")),
            Some(Fault::BadGateway) => Some(page("502 Bad Gateway")),
            Some(Fault::Portal) => Some(page("200 OK")),
        }
    }

    /// The next of the servers; the same where there is one.
    fn another(&self, server: SocketAddr) -> SocketAddr {
        let at = self.servers.iter().position(|one| *one == server);
        self.servers[(at.unwrap_or(0) + 1) % self.servers.len()]
    }
}

fn connect(server: SocketAddr) -> Option<TcpStream> {
    let stream = TcpStream::connect_timeout(&server, Duration::from_secs(2)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    Some(stream)
}

/// One request on a connection of its own, and all of its answer.
fn exchange(server: SocketAddr, request: &[u8]) -> Option<Vec<u8>> {
    let mut stream = connect(server)?;
    stream.write_all(request).ok()?;
    let mut answer = Vec::new();
    stream
        .take(MOST_BYTES as u64)
        .read_to_end(&mut answer)
        .ok()?;
    (!answer.is_empty()).then_some(answer)
}

/// A whole request, which asks for one answer only.
fn read_request(client: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16_384];
    loop {
        if let Some(end) = head_end(&bytes) {
            let length = header(&bytes[..end], "content-length")
                .and_then(|value| value.parse().ok())
                .unwrap_or(0);
            if bytes.len() >= end + length {
                bytes.truncate(end + length);
                let mut request = without(&bytes, &["connection"]);
                let line_end = request.windows(2).position(|pair| pair == b"\r\n")? + 2;
                request.splice(line_end..line_end, *b"connection: close\r\n");
                return Some(request);
            }
        }
        let read = client.read(&mut chunk).ok()?;
        if read == 0 || bytes.len() > MOST_BYTES {
            return None;
        }
        bytes.extend_from_slice(&chunk[..read]);
    }
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(at + 4)
}

fn header(head: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let line = text.lines().skip(1).find(|line| is_header(line, name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn is_header(line: &str, name: &str) -> bool {
    let found = line.split_once(':').map(|(found, _)| found.trim());
    found.is_some_and(|found| found.eq_ignore_ascii_case(name))
}

/// The message without these headers.
fn without(message: &[u8], names: &[&str]) -> Vec<u8> {
    edited(message, |line| {
        (!names.iter().any(|name| is_header(line, name))).then(|| line.to_owned())
    })
}

/// The message with the tag as `W/"…-gzip"`.
fn weakened(message: &[u8]) -> Vec<u8> {
    edited(message, |line| {
        let Some((name, value)) = line.split_once(':').filter(|_| is_header(line, "etag")) else {
            return Some(line.to_owned());
        };
        let tag = value.trim().trim_end_matches('"');
        Some(format!("{name}: W/{tag}-gzip\""))
    })
}

fn edited(message: &[u8], line: impl Fn(&str) -> Option<String>) -> Vec<u8> {
    let end = head_end(message).unwrap_or(message.len());
    let head = String::from_utf8_lossy(&message[..end]);
    let lines = head.trim_end().split("\r\n").filter_map(line);
    let mut bytes = lines.collect::<Vec<_>>().join("\r\n").into_bytes();
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes.extend_from_slice(&message[end..]);
    bytes
}

/// A page that is no answer of our server.
fn page(status: &str) -> Vec<u8> {
    let body = "<html><body>one moment please</body></html>";
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

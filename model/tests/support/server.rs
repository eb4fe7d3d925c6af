//! An HTTP/1.1 server that plays a script, one turn per connection.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// Answers with status, headers and body.
    Answer(u16, Vec<(String, String)>, Vec<u8>),
    /// Announces a longer body than it sends, and hangs up.
    Torn(u16, String),
    /// Hangs up without a word.
    HangUp,
    /// Writes bytes that are no HTTP.
    Raw(Vec<u8>),
    /// Reads the request and says nothing until the test is over.
    Silent,
}

impl Turn {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Answer(status, Vec::new(), body.into())
    }

    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        match self {
            Self::Answer(status, mut headers, body) => {
                headers.push((name.to_owned(), value.to_owned()));
                Self::Answer(status, headers, body)
            }
            other => other,
        }
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Recorded {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Recorded>>>,
    over: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(turns: Vec<Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (over, wait) = mpsc::channel::<()>();
        let recorded = requests.clone();
        let thread = std::thread::spawn(move || {
            let mut held = Vec::new();
            for turn in turns {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                // The test ended early and only wanted to wake us.
                let Some(request) = read_request(&stream) else {
                    return;
                };
                recorded.lock().unwrap().push(request);
                held.extend(play(stream, turn));
            }
            if !held.is_empty() {
                let _ = wait.recv();
            }
        });
        Self {
            address,
            requests,
            over: Some(over),
            thread: Some(thread),
        }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns the one request that was made.
    pub(crate) fn only(&self) -> Recorded {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "exactly one request is made");
        requests[0].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.over.take());
        // Wakes a server that still waits for turns of its script.
        let _ = TcpStream::connect(self.address).map(|stream| stream.shutdown(Shutdown::Both));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn play(mut stream: TcpStream, turn: Turn) -> Option<TcpStream> {
    match turn {
        Turn::Answer(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Status\r\n");
            for (name, value) in headers {
                let _ = write!(head, "{name}: {value}\r\n");
            }
            let length = body.len();
            let _ = write!(
                head,
                "content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
            None
        }
        Turn::Torn(status, body) => {
            let length = body.len() + 1_000;
            let head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {length}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(body.as_bytes());
            None
        }
        Turn::HangUp => None,
        Turn::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
            None
        }
        Turn::Silent => Some(stream),
    }
}

fn read_request(stream: &TcpStream) -> Option<Recorded> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Recorded {
        line: line.trim_end().to_owned(),
        headers,
        body,
    })
}

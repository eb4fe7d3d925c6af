//! An HTTP/1.1 server on a real port, one request a connection, that answers as a test says.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum HttpTurn {
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

impl HttpTurn {
    /// Answers that all is well.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200, body)
    }

    /// Answers with a status and a body.
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Answer(status, Vec::new(), body.into())
    }

    /// Adds a header to an answer.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
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
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// Method, path and version.
    pub line: String,
    /// Names and values in the order they came.
    pub headers: Vec<(String, String)>,
    /// As many bytes as were announced.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// The first header of a name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body, which is text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a body in UTF-8")
    }
}

/// The server; it ends when it is dropped.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<HttpRequest>>>,
    /// Dropped when the test is over, which ends the silence.
    over: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Plays a script, one turn a request. When it is over, nobody listens any more.
    pub fn play(turns: Vec<HttpTurn>) -> Self {
        let most = turns.len();
        let mut turns = turns.into_iter();
        Self::serve(most, move |_| turns.next().unwrap_or(HttpTurn::HangUp))
    }

    /// Answers each request as the closure says.
    pub fn start(answer: impl FnMut(&HttpRequest) -> HttpTurn + Send + 'static) -> Self {
        Self::serve(usize::MAX, answer)
    }

    fn serve(
        most: usize,
        mut answer: impl FnMut(&HttpRequest) -> HttpTurn + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (over, wait) = mpsc::channel::<()>();
        let recorded = Arc::clone(&requests);
        let thread = std::thread::spawn(move || {
            let mut silent = Vec::new();
            for _ in 0..most {
                let Ok((stream, _)) = listener.accept() else {
                    break;
                };
                // The test is over and only wanted to wake us.
                let Some(request) = read(&stream) else { break };
                let turn = answer(&request);
                recorded.lock().expect("no panic").push(request);
                silent.extend(take_turn(stream, turn));
            }
            drop(listener);
            if !silent.is_empty() {
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

    /// The address, as `http://127.0.0.1:PORT`.
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.requests.lock().expect("no panic").clone()
    }

    /// The one request that was made.
    pub fn only(&self) -> HttpRequest {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "exactly one request is made");
        requests.remove(0)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        drop(self.over.take());
        // Wakes a server that still waits for a request.
        let _ = TcpStream::connect(self.address).map(|stream| stream.shutdown(Shutdown::Both));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns the connection where it is to stay open. A client that has gone is none of the server's business.
fn take_turn(mut stream: TcpStream, turn: HttpTurn) -> Option<TcpStream> {
    let mut say = |head: &str, body: &[u8]| {
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body);
    };
    match turn {
        HttpTurn::Answer(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Status\r\n");
            for (name, value) in headers {
                let _ = write!(head, "{name}: {value}\r\n");
            }
            let length = body.len();
            let _ = write!(
                head,
                "content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            say(&head, &body);
        }
        HttpTurn::Torn(status, body) => {
            let length = body.len() + 1_000;
            let head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {length}\r\n\r\n");
            say(&head, body.as_bytes());
        }
        HttpTurn::HangUp => {}
        HttpTurn::Raw(bytes) => say("", &bytes),
        HttpTurn::Silent => return Some(stream),
    }
    None
}

fn read(stream: &TcpStream) -> Option<HttpRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut request = HttpRequest {
        line: line.trim_end().to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let header = line.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        request
            .headers
            .push((name.to_owned(), value.trim().to_owned()));
    }
    let length = request.header("content-length");
    let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

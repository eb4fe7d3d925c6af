//! Many clients at once, and what came of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The start that is not counted: connections, caches, the first pages.
const START: Duration = Duration::from_secs(1);

/// One row.
pub(crate) struct Figures {
    pub(crate) took: Vec<Duration>,
    pub(crate) refused: usize,
    pub(crate) elapsed: Duration,
}

impl Figures {
    pub(crate) fn print_head() {
        println!(
            "{:<56} {:>9} {:>9} {:>9} {:>8}",
            "", "a second", "p50 ms", "p99 ms", "refused"
        );
    }

    pub(crate) fn print(mut self, label: &str) {
        self.took.sort();
        let at = |percent: usize| {
            let index = self.took.len() * percent / 100;
            let one = self.took.get(index.min(self.took.len().saturating_sub(1)));
            one.map_or(0.0, |one| one.as_secs_f64() * 1_000.0)
        };
        println!(
            "{label:<56} {:>9.0} {:>9.1} {:>9.1} {:>8}",
            self.took.len() as f64 / self.elapsed.as_secs_f64(),
            at(50),
            at(99),
            self.refused
        );
    }
}

/// Runs `clients` at once: `make` prepares each, what it returns is called again and again and says whether the
/// answer was the wanted one.
pub(crate) async fn run<M, A>(clients: usize, measured: Duration, make: M) -> Figures
where
    M: AsyncFn(usize) -> A,
    A: AsyncAction + Send + 'static,
{
    let mut ready = Vec::new();
    for number in 0..clients {
        ready.push(make(number).await);
    }
    let (counting, ended) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let tasks: Vec<_> = ready
        .into_iter()
        .map(|mut action| {
            let (counting, ended) = (Arc::clone(&counting), Arc::clone(&ended));
            tokio::spawn(async move {
                let (mut took, mut refused) = (Vec::new(), 0);
                while !ended.load(Ordering::Relaxed) {
                    let begin = Instant::now();
                    let good = action.act().await;
                    if !counting.load(Ordering::Relaxed) {
                        continue;
                    }
                    if good {
                        took.push(begin.elapsed());
                    } else {
                        refused += 1;
                    }
                }
                (took, refused)
            })
        })
        .collect();
    tokio::time::sleep(START).await;
    counting.store(true, Ordering::Relaxed);
    let begin = Instant::now();
    tokio::time::sleep(measured).await;
    ended.store(true, Ordering::Relaxed);
    let elapsed = begin.elapsed();
    let mut figures = Figures {
        took: Vec::new(),
        refused: 0,
        elapsed,
    };
    for task in tasks {
        let (took, refused) = task.await.expect("a client");
        figures.took.extend(took);
        figures.refused += refused;
    }
    figures
}

/// What a client does again and again. A trait of its own because the future of an `AsyncFnMut` cannot be
/// said to be `Send`.
pub(crate) trait AsyncAction {
    /// Whether the answer was the wanted one.
    fn act(&mut self) -> impl Future<Output = bool> + Send;
}

/// A connection that is kept, with as little of HTTP as the figures need.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
    /// The tag of the last answer.
    pub(crate) tag: String,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self {
            stream,
            read: Vec::with_capacity(64 * 1024),
            tag: String::new(),
        }
    }

    /// Sends a request, reads the whole answer, returns its status.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> u16 {
        self.stream.write_all(request).await.expect("a request");
        self.read.clear();
        let end = loop {
            let count = self
                .stream
                .read_buf(&mut self.read)
                .await
                .expect("an answer");
            assert!(count > 0, "the server hung up");
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let head = String::from_utf8_lossy(&self.read[..end]).into_owned();
        let status = head[9..12].parse().expect("a status");
        let header = |name: &str| {
            head.lines().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            })
        };
        if let Some(tag) = header("etag") {
            self.tag = tag;
        }
        let length = header("content-length").and_then(|text| text.parse().ok());
        let body = if status == 304 {
            0
        } else {
            length.unwrap_or(0)
        };
        while self.read.len() < end + body {
            let count = self
                .stream
                .read_buf(&mut self.read)
                .await
                .expect("an answer");
            assert!(count > 0, "the server hung up");
        }
        status
    }
}

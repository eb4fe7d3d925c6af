//! A proxy between client and server: keeps every byte, and removes headers as some proxies do.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::Log;

/// Headers that are removed, in lower case.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Eaten {
    pub(crate) from_requests: &'static [&'static str],
    pub(crate) from_answers: &'static [&'static str],
}

/// A running proxy.
pub(crate) struct Tap {
    pub(crate) address: SocketAddr,
    /// What came from the client, one connection each, as it came.
    pub(crate) sent: Log<Vec<u8>>,
    /// How many bytes came from the server.
    pub(crate) answered: Arc<AtomicU64>,
}

impl Tap {
    pub(crate) async fn start(server: SocketAddr, eaten: Eaten) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let sent = Log::default();
        let answered = Arc::new(AtomicU64::new(0));
        let (log, count) = (Log::clone(&sent), Arc::clone(&answered));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (log, count) = (Log::clone(&log), Arc::clone(&count));
                // A connection that breaks is the client's to notice.
                tokio::spawn(async move { drop(carry(client, server, eaten, log, count).await) });
            }
        });
        Self {
            address,
            sent,
            answered,
        }
    }

    /// Everything that came from the client, as one.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.sent.lock().expect("no panic").concat()
    }

    /// Bytes in both directions since the last time.
    pub(crate) fn taken(&self) -> (u64, u64) {
        let sent = std::mem::take(&mut *self.sent.lock().expect("no panic")).concat();
        (sent.len() as u64, self.answered.swap(0, Ordering::SeqCst))
    }
}

/// Carries one request and its answer: the connection ends then, so that no second head has to be found.
async fn carry(
    mut client: TcpStream,
    server: SocketAddr,
    eaten: Eaten,
    log: Log<Vec<u8>>,
    count: Arc<AtomicU64>,
) -> std::io::Result<()> {
    let mut server = TcpStream::connect(server).await?;
    let (head, rest) = head(&mut client).await?;
    log.lock()
        .expect("no panic")
        .push([&head[..], &rest].concat());
    let length = header(&head, "content-length").and_then(|text| text.parse::<usize>().ok());
    server
        .write_all(&without(&head, eaten.from_requests))
        .await?;
    server.write_all(&rest).await?;
    let mut left = length.unwrap_or(0).saturating_sub(rest.len());
    let mut buffer = vec![0; 1 << 16];
    while left > 0 {
        let read = client.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        log.lock().expect("no panic").push(buffer[..read].to_vec());
        server.write_all(&buffer[..read]).await?;
        left = left.saturating_sub(read);
    }
    let (head, rest) = self::head(&mut server).await?;
    client
        .write_all(&without(&head, eaten.from_answers))
        .await?;
    client.write_all(&rest).await?;
    count.fetch_add((head.len() + rest.len()) as u64, Ordering::SeqCst);
    let more = tokio::io::copy(&mut server, &mut client).await?;
    count.fetch_add(more, Ordering::SeqCst);
    client.shutdown().await
}

/// Reads up to the empty line; what came behind it comes second.
async fn head(stream: &mut TcpStream) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 1 << 14];
    loop {
        if let Some(at) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let rest = bytes.split_off(at + 4);
            return Ok((bytes, rest));
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&buffer[..read]);
    }
}

/// A head without some headers, and with the wish that the connection ends.
fn without(head: &[u8], names: &[&str]) -> Vec<u8> {
    let text = String::from_utf8_lossy(head);
    let name = |line: &str| {
        let (name, _) = line.split_once(':').unwrap_or_default();
        name.trim().to_ascii_lowercase()
    };
    let keep = |line: &&str| {
        let name = name(line);
        !names.contains(&name.as_str()) && name != "connection"
    };
    let lines: Vec<&str> = text.trim_end().split("\r\n").filter(keep).collect();
    format!("{}\r\nconnection: close\r\n\r\n", lines.join("\r\n")).into_bytes()
}

fn header(head: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found
            .trim()
            .eq_ignore_ascii_case(name)
            .then(|| value.trim().to_owned())
    })
}

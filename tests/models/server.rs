//! An HTTP/1.1 server that answers each request as a closure says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;

use serde_json::Value;

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Turn {
    /// Answers with status and body.
    Answer(u16, String),
    /// Reads the request and says nothing until the test is over.
    Silent,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) key: String,
    pub(crate) body: Value,
}

impl Asked {
    /// All texts of the request, one after another.
    pub(crate) fn text(&self) -> String {
        fn gather(value: &Value, into: &mut String) {
            match value {
                Value::String(text) => into.push_str(text),
                Value::Array(values) => values.iter().for_each(|value| gather(value, into)),
                Value::Object(fields) => fields.values().for_each(|value| gather(value, into)),
                _ => {}
            }
            into.push('\n');
        }
        let mut text = String::new();
        gather(&self.body, &mut text);
        text
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers the request with this number and contents.
    pub(crate) fn start(answer: impl Fn(usize, &Asked) -> Turn + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (over, wait) = mpsc::channel::<()>();
        let recorded = Arc::clone(&asked);
        let thread = std::thread::spawn(move || {
            let mut silent = Vec::new();
            let mut number = 0;
            while let Ok((mut stream, _)) = listener.accept() {
                // The test is over and only wanted to wake us.
                let Some(request) = read(&stream) else { break };
                let turn = answer(number, &request);
                number += 1;
                recorded.lock().expect("no panic").push(request);
                match turn {
                    Turn::Silent => silent.push(stream),
                    Turn::Answer(status, body) => {
                        let length = body.len();
                        let head = format!(
                            "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n\
                             content-length: {length}\r\nconnection: close\r\n\r\n"
                        );
                        let _ = stream.write_all(head.as_bytes());
                        let _ = stream.write_all(body.as_bytes());
                    }
                }
            }
            if !silent.is_empty() {
                let _ = wait.recv();
            }
        });
        Self {
            address,
            asked,
            over: Some(over),
            thread: Some(thread),
        }
    }

    /// Answers every request alike.
    pub(crate) fn always(turn: Turn) -> Self {
        Self::start(move |_, _| turn.clone())
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.over.take());
        let _ = TcpStream::connect(self.address).map(|stream| stream.shutdown(Shutdown::Both));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut key) = (0, String::new());
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let header = line.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "x-api-key" => value.trim().clone_into(&mut key),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).ok()?;
    Some(Asked { key, body })
}

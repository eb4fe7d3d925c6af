//! A client that writes messages by hand and waits for their answers.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Home;

/// A wait that only ends a test that has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// One server and the conversation with it.
pub(super) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: u64,
    meta: Option<Value>,
    /// Notifications that came while an answer was waited for.
    pub(super) notifications: Vec<Value>,
}

impl Client {
    /// Starts a server and says nothing yet.
    pub(super) fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut child = home
            .command(&[&["mcp"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let stdout = child.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.expect("UTF-8 on standard output");
                let message =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            stdin: child.stdin.take(),
            child,
            messages,
            next_id: 0,
            meta: None,
            notifications: Vec::new(),
        }
    }

    /// Starts a server and shakes hands with `initialize`.
    pub(super) fn initialized(home: &Home, arguments: &[&str]) -> Self {
        let mut client = Self::start(home, arguments);
        let answer = client.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(
            answer["result"]["protocolVersion"], "2025-11-25",
            "{answer}"
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// From here on every request carries the metadata of the stateless protocol.
    pub(super) fn without_session(&mut self) {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
    }

    /// Writes one message.
    pub(super) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Writes one line of any bytes.
    pub(super) fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(line).expect("the server reads");
        stdin.write_all(b"\n").expect("the server reads");
    }

    /// Sends a request without waiting for its answer; returns its id.
    pub(super) fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if let Some(meta) = &self.meta {
            let own = params["_meta"].take();
            params["_meta"] = meta.clone();
            for (key, value) in own.as_object().into_iter().flatten() {
                params["_meta"][key] = value.clone();
            }
        }
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Waits for the next message.
    pub(super) fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.expect("the server answers")
    }

    /// Waits for the answer to a request.
    pub(super) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == json!(id) {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool; the answer must be a result.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "calls read better with the object in place"
    )]
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed; returns text and data.
    pub(super) fn good(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(false), "{tool}: {result}");
        (text_of(&result), result["structuredContent"].clone())
    }

    /// Calls a tool that must refuse; returns what it says.
    pub(super) fn bad(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        text_of(&result)
    }

    /// Closes the input and waits for the end; returns the exit code.
    pub(super) fn close(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().expect("the program ends").code()
    }

    /// The process.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a result.
pub(super) fn text_of(result: &Value) -> String {
    let content = result["content"].as_array().expect("content");
    assert_eq!(content.len(), 1, "{result}");
    content[0]["text"].as_str().expect("a text").to_owned()
}

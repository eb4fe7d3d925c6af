//! The examples of `docs/PROTOCOL.md`, sent and compared.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use serde_json::Value;

use crate::support::{Place, Running};

/// The epoch in the examples.
const EPOCH: &str = "9f3a1c";

fn text() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/PROTOCOL.md");
    std::fs::read_to_string(file).expect("docs/PROTOCOL.md")
}

/// The blocks of HTTP: request, answer, request, answer.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "```http" {
            let block = lines.by_ref().take_while(|line| *line != "```");
            blocks.push(block.collect::<Vec<_>>().join("\n"));
        }
    }
    blocks
}

/// First line, headers and body.
fn parts(block: &str) -> (&str, Vec<(&str, &str)>, &str) {
    let (head, body) = block.split_once("\n\n").unwrap_or((block, ""));
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default().trim();
    let headers = lines.filter_map(|line| line.split_once(": "));
    (first, headers.collect(), body)
}

fn send(server: &Running, request: &str) -> String {
    let (first, headers, body) = parts(request);
    let headers: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let message = format!(
        "{first}\r\nHost: x\r\nConnection: close\r\n{}Content-Length: {}\r\n\r\n{body}",
        headers.concat(),
        body.len()
    );
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    stream.write_all(message.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.replace("\r\n", "\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_of_the_protocol_are_what_the_server_answers() {
    let server = Running::start(Place::sqlite()).await;
    let secret = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mut epoch = EPOCH.to_owned();
    let text = text();
    let blocks = blocks(&text);
    assert!(blocks.len() >= 20 && blocks.len().is_multiple_of(2));
    for pair in blocks.chunks_exact(2) {
        let request = pair[0]
            .replace("mst_…", &server.token)
            .replace(EPOCH, &epoch);
        let answer = send(&server, &request.replace("GITHUB_TOKEN", &secret));
        let (first, headers, body) = parts(&answer);
        if let Some((_, tag)) = headers.iter().find(|(name, _)| *name == "etag") {
            let last = tag.trim_matches('"').rsplit('-').next().unwrap_or_default();
            last.clone_into(&mut epoch);
        }
        let (said_first, said_headers, said_body) = parts(&pair[1]);
        assert_eq!(first, said_first, "{request}\n{answer}");
        for (name, value) in said_headers {
            let sent = headers
                .iter()
                .find(|(other, _)| other.eq_ignore_ascii_case(name));
            let value = value.replace(EPOCH, &epoch);
            assert_eq!(
                sent.map(|header| header.1),
                Some(value.as_str()),
                "{name} of\n{answer}"
            );
        }
        if said_body.is_empty() {
            assert_eq!(body, "");
            continue;
        }
        let said: Value = serde_json::from_str(said_body).expect("JSON in the examples");
        let sent: Value = serde_json::from_str(body).expect("JSON in the answer");
        assert_eq!(said, sent, "{request}");
    }
}

#[test]
fn every_code_of_the_server_is_in_the_table() {
    let document: Value = serde_json::from_str(&memstrata_server::openapi()).expect("JSON");
    let codes = &document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    let text = text();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| 4") || line.starts_with("| 5"))
        .collect();
    for code in codes
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        let named = rows
            .iter()
            .filter(|row| row.contains(&format!("`{code}`")))
            .count();
        assert_eq!(named, 1, "{code} in docs/PROTOCOL.md");
    }
}

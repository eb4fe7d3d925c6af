//! The program as an operator uses it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_memstrata-server");

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command
        .env_clear()
        .args(arguments)
        .arg("--data")
        .arg(folder);
    command.output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(PROGRAM);
        command
            .env_clear()
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .expect("an address")
            .to_owned();
        Self { child, address }
    }

    /// Status line and body, over a plain socket.
    fn ask(&self, token: &str, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        write!(
            stream,
            "{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             if-none-match: *\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PUT: &str = "PUT /api/claude_code/team_memory?repo=acme/app";

#[test]
fn a_token_is_shown_once_listed_without_its_secret_and_revoked() {
    let folder = tempfile::tempdir().expect("a folder");
    let added = run(
        folder.path(),
        &[
            "token",
            "add",
            "--name",
            "ana",
            "--repository",
            "Acme/App",
            "--read-only",
        ],
    );
    assert!(added.status.success(), "{}", text(&added.stderr));
    let token = text(&added.stdout);
    let id = token.split('_').nth(1).expect("an id").to_owned();
    let list = text(&run(folder.path(), &["token", "list"]).stdout);
    assert_eq!(list, format!("{id}  ana  read only  acme/app"));
    assert!(
        run(folder.path(), &["token", "revoke", &id])
            .status
            .success()
    );
    assert_eq!(text(&run(folder.path(), &["token", "list"]).stdout), "");
    let again = run(folder.path(), &["token", "revoke", &id]);
    assert_eq!(again.status.code(), Some(74));
    let bad = run(
        folder.path(),
        &["token", "add", "--name", "x", "--repository", "no-slash"],
    );
    assert!(text(&bad.stderr).contains("is not owner/name"));
}

#[test]
fn a_server_that_is_killed_keeps_what_it_has_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = text(&run(folder.path(), &["token", "add", "--name", "ana"]).stdout);
    for round in 0..5 {
        let server = Server::start(folder.path());
        let body = format!(
            r#"{{"entries":{{"m{round}.md":"text {round}"}},"bases":{{"m{round}.md":null}}}}"#
        );
        let answer = server.ask(&token, PUT, &body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        // Dropped: killed without a word.
    }
    let server = Server::start(folder.path());
    let all = server.ask(&token, "GET /api/claude_code/team_memory?repo=acme/app", "");
    for round in 0..5 {
        assert!(all.contains(&format!("text {round}")), "{all}");
    }
    drop(server);
    let check = run(folder.path(), &["check"]);
    assert_eq!(
        text(&check.stdout),
        "5 contents verified, 0 redacted, 0 problems"
    );
}

#[cfg(unix)]
#[test]
fn sigterm_ends_the_server_cleanly() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(folder.path());
    let id = server.child.id().to_string();
    let killed = Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    assert!(server.child.wait().expect("an end").success());
}

#[test]
fn a_development_token_beyond_loopback_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = run(
        folder.path(),
        &["serve", "--listen", "0.0.0.0:0", "--dev-token", "x"],
    );
    assert!(!refused.status.success());
    assert!(
        text(&refused.stderr).contains("loopback only"),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn a_backup_of_a_running_server_can_be_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = text(&run(folder.path(), &["token", "add", "--name", "ana"]).stdout);
    let server = Server::start(folder.path());
    assert!(
        server
            .ask(&token, PUT, r#"{"entries":{"a.md":"kept"}}"#)
            .starts_with("HTTP/1.1 200")
    );
    let other = tempfile::tempdir().expect("a folder");
    let copy = other.path().join("memstrata.db");
    let backup = run(folder.path(), &["backup", copy.to_str().expect("a path")]);
    assert!(backup.status.success(), "{}", text(&backup.stderr));
    drop(server);
    let server = Server::start(other.path());
    let all = server.ask(&token, "GET /api/claude_code/team_memory?repo=acme/app", "");
    assert!(all.contains("kept"), "{all}");
}

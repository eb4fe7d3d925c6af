//! The program as an operator uses it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::support::{Place, on_each_store};

on_each_store!(
    blocking
    a_token_is_shown_once_listed_without_its_secret_and_revoked,
    a_server_that_is_killed_keeps_what_it_has_answered,
    sigterm_ends_the_server_cleanly,
    a_text_is_redacted_while_the_server_runs,
);

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_memstrata-server");

pub(crate) fn run(place: &Place, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.env_clear().args(arguments).args(place.arguments());
    command.output().expect("the program runs")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    pub(crate) fn start(place: &Place) -> Self {
        let mut command = Command::new(PROGRAM);
        command
            .env_clear()
            .args(["serve", "--listen", "127.0.0.1:0"])
            // No test is to meet the limit by being fast.
            .args(["--writes-per-minute", "1000000"])
            .args(place.arguments());
        Self::spawn(&mut command)
    }

    /// Starts a command that becomes a server.
    pub(crate) fn spawn(command: &mut Command) -> Self {
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

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Kills the process from another thread, without a word.
    pub(crate) fn killer(&self) -> Killer {
        Killer(self.child.id())
    }

    /// The first change of all, over a plain socket: status line and body.
    fn ask(&self, token: &str, head: &str, body: &str) -> String {
        self.send(token, head, "if-none-match: *\r\n", body)
    }

    /// The same without a condition in a header.
    pub(crate) fn ask_plainly(&self, token: &str, head: &str, body: &str) -> String {
        self.send(token, head, "", body)
    }

    fn send(&self, token: &str, head: &str, header: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        write!(
            stream,
            "{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             {header}content-length: {}\r\n\r\n{body}",
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

/// Ends a process as a power cut would.
pub(crate) struct Killer(u32);

impl Killer {
    pub(crate) fn kill(self) {
        let id = self.0.to_string();
        let killed = Command::new("kill").args(["-KILL", &id]).status();
        assert!(killed.expect("kill runs").success());
    }
}

const PUT: &str = "PUT /api/claude_code/team_memory?repo=acme/app";

fn a_token_is_shown_once_listed_without_its_secret_and_revoked(place: &Place) {
    let added = run(
        place,
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
    let list = text(&run(place, &["token", "list"]).stdout);
    assert_eq!(list, format!("{id}  ana  read only  acme/app"));
    assert!(run(place, &["token", "revoke", &id]).status.success());
    let nobody = run(place, &["token", "list"]);
    assert_eq!(text(&nobody.stdout), "");
    assert!(text(&nobody.stderr).contains("`memstrata-server token add` makes one"));
    let again = run(place, &["token", "revoke", &id]);
    assert_eq!(again.status.code(), Some(74));
    let bad = run(
        place,
        &["token", "add", "--name", "x", "--repository", "no-slash"],
    );
    assert!(text(&bad.stderr).contains("is not owner/name"));
}

fn a_server_that_is_killed_keeps_what_it_has_answered(place: &Place) {
    let token = text(&run(place, &["token", "add", "--name", "ana"]).stdout);
    for round in 0..5 {
        let server = Server::start(place);
        let body = format!(
            r#"{{"entries":{{"m{round}.md":"text {round}"}},"bases":{{"m{round}.md":null}}}}"#
        );
        let answer = server.ask(&token, PUT, &body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        // Dropped: killed without a word.
    }
    let server = Server::start(place);
    let all = server.ask(&token, "GET /api/claude_code/team_memory?repo=acme/app", "");
    for round in 0..5 {
        assert!(all.contains(&format!("text {round}")), "{all}");
    }
    drop(server);
    let check = run(place, &["check"]);
    assert_eq!(
        text(&check.stdout),
        "5 contents verified, 0 redacted, 0 problems"
    );
}

fn sigterm_ends_the_server_cleanly(place: &Place) {
    if !cfg!(unix) {
        return;
    }
    let mut server = Server::start(place);
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
    let place = Place::sqlite();
    let refused = run(
        &place,
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
    let place = Place::sqlite();
    let token = text(&run(&place, &["token", "add", "--name", "ana"]).stdout);
    let server = Server::start(&place);
    assert!(
        server
            .ask(&token, PUT, r#"{"entries":{"a.md":"kept"}}"#)
            .starts_with("HTTP/1.1 200")
    );
    let other = Place::sqlite();
    let copy = other.file();
    let backup = run(&place, &["backup", copy.to_str().expect("a path")]);
    assert!(backup.status.success(), "{}", text(&backup.stderr));
    drop(server);
    let server = Server::start(&other);
    let all = server.ask(&token, "GET /api/claude_code/team_memory?repo=acme/app", "");
    assert!(all.contains("kept"), "{all}");
}

fn a_text_is_redacted_while_the_server_runs(place: &Place) {
    let token = text(&run(place, &["token", "add", "--name", "ana"]).stdout);
    let server = Server::start(place);
    for body in [
        r#"{"entries":{"a.md":"regretted"},"bases":{"a.md":null}}"#,
        r#"{"entries":{"a.md":"fine"},"expected_version":"1"}"#,
    ] {
        let answer = server.ask_plainly(&token, PUT, body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    let redact = |version: &str| run(place, &["redact", "Acme/App", "a.md", version]);
    let now = redact("2");
    assert_eq!(now.status.code(), Some(74));
    assert!(
        text(&now.stderr).contains("change or delete it first"),
        "{}",
        text(&now.stderr)
    );
    let missing = redact("9");
    assert!(
        text(&missing.stderr).contains("did not store a text"),
        "{}",
        text(&missing.stderr)
    );
    assert!(text(&redact("1").stdout).starts_with("redacted"));
    assert_eq!(text(&redact("1").stdout), "was redacted before");

    let back = r#"{"entries":{"a.md":"regretted"},"expected_version":"2"}"#;
    let answer = server.ask_plainly(&token, PUT, back);
    assert!(
        answer.starts_with("HTTP/1.1 422") && answer.contains("\"redacted\""),
        "{answer}"
    );
    let check = run(place, &["check"]);
    assert_eq!(
        text(&check.stdout),
        "1 contents verified, 1 redacted, 0 problems"
    );
}

#[test]
fn data_that_are_not_there_are_not_made_by_looking() {
    let place = Place::sqlite();
    for command in [
        vec!["check"],
        vec!["backup", "copy.db"],
        vec!["redact", "a/b", "a.md", "1"],
    ] {
        let refused = run(&place, &command);
        assert_eq!(refused.status.code(), Some(74), "{command:?}");
        assert!(
            text(&refused.stderr).contains("there are no data"),
            "{}",
            text(&refused.stderr)
        );
    }
    assert!(!place.file().exists());
}

#[test]
fn an_address_that_cannot_be_used_is_named_without_its_password() {
    let password = ["hun", "ter", "2"].concat();
    for (address, named) in [
        (
            format!("postgres://ana:{password}@127.0.0.1:1/x"),
            "127.0.0.1, port 1",
        ),
        (
            format!("mysql://ana:{password}@localhost/x"),
            "postgres://user@host/name",
        ),
    ] {
        let mut command = Command::new(PROGRAM);
        command
            .env_clear()
            .args(["serve", "--listen", "127.0.0.1:0", "--database", &address]);
        let output = command.output().expect("the program runs");
        assert_eq!(output.status.code(), Some(74));
        let said = text(&output.stderr);
        assert!(said.contains(named) && !said.contains(&password), "{said}");
    }
}

/// On a folder, whatever is in it.
fn run_in(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.env_clear().args(arguments).arg("--data").arg(data);
    command.output().expect("the program runs")
}

#[cfg(unix)]
#[test]
fn a_new_folder_of_data_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("some/data");
    let added = run_in(&data, &["token", "add", "--name", "ana"]);
    assert!(added.status.success(), "{}", text(&added.stderr));
    let mode = std::fs::metadata(&data)
        .expect("the folder")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn what_is_wrong_is_said_with_its_name_and_what_helps() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let foreign = tempfile::tempdir().expect("a folder");
    std::fs::write(foreign.path().join("memstrata.db"), "no database, but text").expect("a file");
    let missing = folder.path().join("missing");
    for (data, arguments, says) in [
        (
            folder.path(),
            ["serve", "--listen", &taken].as_slice(),
            ["cannot be listened on", "--listen"],
        ),
        (
            foreign.path(),
            &["check"],
            ["memstrata.db cannot be opened", "not a database"],
        ),
        (&missing, &["check"], ["there are no data in", "--data"]),
        (
            folder.path(),
            &["token", "revoke", "0123"],
            ["no token of the id \"0123\"", "`token list`"],
        ),
        (
            folder.path(),
            &["token", "add", "--name", "x", "--repository", "app"],
            ["\"app\"", "owner/name"],
        ),
    ] {
        let output = run_in(data, arguments);
        let said = text(&output.stderr);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(
            says.iter().all(|part| said.contains(part)),
            "{arguments:?} says {said}"
        );
    }
}

//! A disk that is really full: a small one in memory, mounted where nobody else sees it. Needs root on Linux;
//! everywhere else the store's own test, which limits the file, has to do.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::program::{PROGRAM, Server, text};
use crate::support::{PATH, noise};

/// Runs a script with a view of the file systems of its own.
fn unshared(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh", PROGRAM]);
    command
}

/// Runs a command where the server sees its disk.
fn beside(server: &Server, words: &[&str]) -> Output {
    let mut command = Command::new("nsenter");
    command.args(["--target", &server.id().to_string(), "--mount"]);
    command.args(words).output().expect("nsenter runs")
}

#[test]
fn a_disk_that_is_full_is_named_and_all_goes_on_once_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = folder.path().display().to_string();
    let mount = format!("mount -t tmpfs -o size=2m none {disk}");
    let probe = unshared(&mount).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        let _ = writeln!(
            std::io::stderr(),
            "no file system can be mounted here: a full disk is NOT TESTED"
        );
        return;
    }
    let token = "only-here";
    let serve = format!(
        "{mount} && exec \"$1\" serve --listen 127.0.0.1:0 --dev-token {token} --data {disk}"
    );
    let server = Server::spawn(&mut unshared(&serve));
    let put = |number: u64| {
        let entries = json!({ format!("n{number}.md"): noise(number, 150_000) });
        let body = json!({ "entries": entries, "bases": { format!("n{number}.md"): null }, "op_id": number.to_string() });
        server.ask_plainly(
            token,
            &format!("PUT {PATH}?repo=acme/app"),
            &body.to_string(),
        )
    };
    let mut stored = 0;
    let refused = loop {
        assert!(stored < 40, "the disk is never full");
        let answer = put(stored);
        if !answer.starts_with("HTTP/1.1 200") {
            break answer;
        }
        stored += 1;
    };
    assert!(stored > 0, "{refused}");
    assert!(refused.starts_with("HTTP/1.1 507"), "{refused}");
    assert!(
        refused.contains("storage_full") && refused.contains("retry-after: 60"),
        "{refused}"
    );
    // Readers go on, and see nothing half.
    let all = server.ask_plainly(token, &format!("GET {PATH}?repo=acme/app&view=hashes"), "");
    assert!(all.contains(&format!("\"version\":\"{stored}\"")), "{all}");
    assert!(put(stored).starts_with("HTTP/1.1 507"));

    let grown = beside(&server, &["mount", "-o", "remount,size=32m", &disk]);
    assert!(grown.status.success(), "{}", text(&grown.stderr));
    // The same request, as the client repeats it.
    let answer = put(stored);
    assert!(
        answer.starts_with("HTTP/1.1 200") && !answer.contains("replayed"),
        "{answer}"
    );
    let check = beside(&server, &[PROGRAM, "check", "--data", &disk]);
    let expected = format!("{} contents verified, 0 redacted, 0 problems", stored + 1);
    assert_eq!(text(&check.stdout), expected, "{}", text(&check.stderr));
}

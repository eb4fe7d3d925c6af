//! Garbage, huge lines, clients that leave, calls that are called off.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use super::client::Client;
use crate::harness::Home;

#[test]
fn garbage_before_and_within_a_session_is_passed_over() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    for line in [
        &b"garbage"[..],
        b"",
        b"\xff\xfe\x00",
        b"{",
        b"[1,2]",
        br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        client.send_line(line);
    }
    let answer = client.request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}),
    );
    assert!(answer["result"].is_object(), "{answer}");
    for line in [
        &b"garbage"[..],
        b"\x00\x00",
        b"{\"jsonrpc\":",
        b"{\"foo\":1}",
        b"[]",
        b"null",
        br#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}"#,
    ] {
        client.send_line(line);
    }
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    client.send_line(nested.as_bytes());
    assert_eq!(client.good("list", json!({})).1["total"], 0);
    let unknown = client.request("tools/call", json!({"name": "rm", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], json!(-32602));
    let unknown = client.request("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], json!(-32601));
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_message_that_is_too_long_is_answered_under_its_id() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    let body = "x".repeat(9 << 20);
    client.send_line(
        format!(
            r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"save","arguments":{{"body":"{body}"}}}}}}"#
        )
        .as_bytes(),
    );
    let answer = client.answer(77);
    assert!(
        answer["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("2 MiB")),
        "{answer}"
    );
    let refused = client.bad(
        "save",
        json!({"type": "user", "name": "n", "description": "d", "body": "x".repeat(100_000)}),
    );
    assert!(refused.contains("1 to 60000 characters"), "{refused}");
    assert_eq!(client.good("list", json!({})).1["total"], 0);
}

#[test]
fn a_client_that_leaves_in_the_middle_ends_the_server_and_loses_nothing() {
    let home = Home::new();
    let save = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "save",
        "arguments": {"type": "user", "name": "Role", "description": "d", "body": "Go."}}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    // Sends half a message at the end, and reads no answer.
    let mut child = home
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(format!("{hello}\n{save}\n{{\"jsonrpc\":\"2.0\",").as_bytes());
    drop(stdin);
    child.wait().expect("the program ends");
    // Whole or not at all: what `check` finds is never half an operation.
    let listed = home.run(&["list", "--json"]).expect(0).json().len();
    assert!(listed <= 1);
    // One that reads its answers gets them all, also those under way when it closes its side.
    let input = format!("{hello}\n{save}\n");
    let run = home.run_with(&["mcp"], input.as_bytes()).expect(0);
    let answers = run.json();
    assert!(
        answers.iter().any(|answer| answer["id"] == json!(2)),
        "{answers:?}"
    );
    home.run(&["show", "Role"]).expect(0);
}

#[test]
fn an_empty_input_is_no_failure() {
    let run = Home::new().run(&["mcp"]).expect(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
}

#[test]
fn a_wrong_setting_is_said_to_the_person_and_not_on_standard_output() {
    let home = Home::new();
    let run = home.run(&["mcp", "--memory-dir", "/"]).expect(3);
    assert_eq!(run.out, "");
    assert!(!run.err.is_empty());
}

#[test]
fn a_call_that_is_called_off_does_not_stop_the_others() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good(
        "save",
        json!({"type": "user", "name": "Role", "description": "d", "body": "Go."}),
    );
    let ids: Vec<u64> = (0..40)
        .map(|_| {
            client.ask(
                "tools/call",
                json!({"name": "verify", "arguments": {"thorough": true}}),
            )
        })
        .collect();
    for id in &ids[1..39] {
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "test"}}),
        );
    }
    let last = client.answer(ids[39]);
    assert!(last["result"].is_object(), "{last}");
    assert_eq!(client.good("list", json!({})).1["total"], 1);
}

#[test]
fn many_calls_at_once_are_all_answered_and_lose_nothing() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    let ids: Vec<u64> = (0..30)
        .map(|number| {
            let arguments = json!({"type": "user", "name": format!("Note {number}"), "description": "d",
                "body": "Text."});
            client.ask("tools/call", json!({"name": "save", "arguments": arguments}))
        })
        .collect();
    let mut open: Vec<u64> = ids;
    while !open.is_empty() {
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
        open.retain(|id| answer["id"] != json!(id));
    }
    assert_eq!(client.good("list", json!({})).1["total"], 30);
    let index = home.run(&["index"]).expect(0).out;
    assert!(
        (0..30).all(|number| index.contains(&format!("Note {number}]"))),
        "{index}"
    );
}

#[cfg(unix)]
#[test]
fn the_signal_to_end_is_a_clean_end() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("list", json!({}));
    let id = client.child().id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-TERM", &id])
        .status();
    assert!(killed.expect("kill runs").success());
    let status = client.child().wait().expect("the program ends");
    assert_eq!(status.code(), Some(0), "{status}");
}

#[test]
fn a_request_that_does_not_fit_is_told_what_would() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    let table = [
        ("tools/call", json!({"name": 5}), "`arguments`, an object"),
        (
            "tools/call",
            json!({"name": "list", "arguments": "x"}),
            "`arguments`, an object",
        ),
        (
            "tools/call",
            json!({"name": "list", "arguments": [1]}),
            "`arguments`, an object",
        ),
        ("tools/call", json!({}), "`name`, a string"),
        ("resources/read", json!({}), "`uri`, a string"),
        ("resources/read", json!({"uri": 7}), "`uri`, a string"),
        // The library itself asks for what these two need.
        ("server/discover", json!({}), "_meta"),
    ];
    for (method, params, part) in table {
        let answer = client.request(method, params.clone());
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(
            answer["error"]["code"],
            json!(-32602),
            "{method} {params}: {answer}"
        );
        assert!(said.contains(part), "{method} {params}: {said}");
    }
    assert_eq!(client.good("list", json!({})).1["total"], 0);
}

/// The greeting that every session begins with, as lines.
fn hello() -> String {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    format!("{hello}\n{ready}\n")
}

/// A server whose answers the test reads by itself, or not at all.
fn raw(home: &Home) -> std::process::Child {
    home.command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

#[test]
fn a_client_whose_reading_end_is_gone_ends_the_server() {
    let home = Home::new();
    let mut child = raw(&home);
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(hello().as_bytes()).expect("it reads");
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut stdout, &mut line).expect("an answer");
    drop(stdout);
    // The other end stays open; the first answer that nobody can read is the end.
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    stdin
        .write_all(format!("{ping}\n").as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{:?}", output.stderr);
    drop(stdin);
}

#[test]
fn a_client_that_is_gone_before_the_first_answer_is_no_failure() {
    let home = Home::new();
    let mut child = raw(&home);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(hello().as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{:?}", output.stderr);
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_said_in_plain_words() {
    let home = Home::new();
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut child = home
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(full.expect("the device"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(hello().as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(74));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("standard output cannot be written") && !said.contains("rmcp"),
        "{said}"
    );
    drop(stdin);
}

/// A client that asks and never reads is not answered without end: the server stops taking requests.
#[test]
fn a_client_that_never_reads_has_to_wait() {
    let home = Home::new();
    let mut child = raw(&home);
    let mut stdin = child.stdin.take().expect("a pipe");
    let (sender, sent) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(hello().as_bytes());
        // Ten times what the pipes and the requests that may be open hold together.
        for id in 2..60_000 {
            let ask = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            if stdin.write_all(format!("{ask}\n").as_bytes()).is_err() {
                break;
            }
            let _ = sender.send(id);
        }
    });
    // It has come to a stop when no request was taken for a while; the patience is only for a slow machine.
    let mut taken = 0;
    while let Ok(id) = sent.recv_timeout(std::time::Duration::from_secs(3)) {
        taken = id;
    }
    assert!(
        taken < 20_000,
        "{taken} requests were taken without a reader"
    );
    // Whoever begins to read gets every answer that is due.
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    for _ in 0..500 {
        line.clear();
        std::io::BufRead::read_line(&mut stdout, &mut line).expect("an answer");
        assert!(line.ends_with("}\n"), "{line}");
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    writer.join().expect("the writer ends");
}

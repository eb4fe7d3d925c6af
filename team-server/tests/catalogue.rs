//! The failure catalogue where the rule is the server's: one test a class, numbered as in docs/FAILURES.md,
//! which also names the tests of the others.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use team_sync::Checksum;

use crate::support::{Answer, PATH, Place, Running, on_each_store};

on_each_store!(
    class_6_half_of_a_body_changes_nothing,
    class_12_names_that_are_one_file_are_refused_and_a_rename_is_one_change,
    class_13_names_in_another_normal_form_are_refused,
    class_14_a_tag_that_was_weakened_or_compressed_is_the_same_tag,
    class_15_a_change_without_a_condition_is_refused,
    class_21_pages_of_a_history_join_without_gap_or_repeat,
    class_26_a_change_that_changes_nothing_makes_no_version,
    class_27_no_text_that_was_ever_accepted_is_lost,
);

async fn version(server: &Running) -> Value {
    server.get("").await.body["version"].clone()
}

async fn class_6_half_of_a_body_changes_nothing(place: Place) {
    let server = Running::start(place).await;
    let first = server.first(&json!({ "entries": { "a.md": "one" } })).await;
    let body = r#"{"entries":{"a.md":"the whole new text"}}"#;
    let head = |framing: &str| {
        format!(
            "PUT {PATH}?repo=acme/app HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nif-match: {}\r\n{framing}\r\n",
            server.token, first.tag
        )
    };
    let declared = head(&format!("content-length: {}\r\n", body.len()));
    let chunked = head("transfer-encoding: chunked\r\n");
    for sent in 0..body.len() {
        let part = &body[..sent];
        let pieces = format!("{chunked}{:x}\r\n{part}\r\n", part.len());
        // Less than was declared, and pieces without an end.
        for text in [format!("{declared}{part}"), pieces] {
            if sent == 0 && text.contains("chunked") {
                continue;
            }
            let mut stream = TcpStream::connect(server.address).expect("a connection");
            stream.write_all(text.as_bytes()).expect("a socket");
            stream.shutdown(Shutdown::Both).expect("a socket");
        }
    }
    assert_eq!(version(&server).await, "1");
    assert_eq!(server.get("").await.body["entries"]["a.md"], "one");
    let whole = json!({ "entries": { "a.md": "two" } });
    let done = server.put(("if-match", &first.tag), &whole).await;
    assert_eq!(done.body["version"], "2");
}

async fn class_12_names_that_are_one_file_are_refused_and_a_rename_is_one_change(place: Place) {
    let server = Running::start(place).await;
    let first = server
        .first(&json!({ "entries": { "deploy.md": "one", "stra\u{df}e.md": "s" } }))
        .await;
    for twin in ["Deploy.md", "DEPLOY.MD", "STRASSE.md", "deploy.md/below.md"] {
        let answer = server
            .put(
                ("if-match", &first.tag),
                &json!({ "entries": { twin: "two" } }),
            )
            .await;
        assert_eq!(answer.status.as_u16(), 409, "{twin}: {answer:?}");
        assert!(answer.body["keys"].to_string().contains(twin), "{answer:?}");
    }
    assert_eq!(version(&server).await, "1");
    let rename = json!({ "entries": { "Deploy.md": "one" }, "deletes": ["deploy.md"] });
    let answer = server.put(("if-match", &first.tag), &rename).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let all = server.get("").await;
    assert_eq!(all.body["entries"]["Deploy.md"], "one");
    assert_eq!(all.body["entries"]["deploy.md"], Value::Null);
    assert_eq!(all.body["version"], "2", "one change");
}

async fn class_13_names_in_another_normal_form_are_refused(place: Place) {
    let server = Running::start(place).await;
    let first = server
        .first(&json!({ "entries": { "caf\u{e9}.md": "one" } }))
        .await;
    let answer = server
        .put(
            ("if-match", &first.tag),
            &json!({ "entries": { "cafe\u{301}.md": "two" } }),
        )
        .await;
    assert!(answer.status.is_client_error(), "{answer:?}");
    assert!(
        answer.body["detail"]
            .as_str()
            .unwrap_or_default()
            .contains("normal form"),
        "{answer:?}"
    );
    assert_eq!(
        server.get("").await.body["checksums"]
            .as_object()
            .map(serde_json::Map::len),
        Some(1)
    );
}

async fn class_14_a_tag_that_was_weakened_or_compressed_is_the_same_tag(place: Place) {
    let server = Running::start(place).await;
    let mut tag = server
        .first(&json!({ "entries": { "a.md": "0" } }))
        .await
        .tag;
    let forms = [
        "\"TAG\"",
        "W/\"TAG\"",
        "W/\"TAG-gzip\"",
        "\"TAG--gzip\"",
        "\"TAG;br\"",
        "\"x\", W/\"TAG-zstd\"",
    ];
    for (at, form) in forms.iter().enumerate() {
        let sent = form.replace("TAG", tag.trim_matches('"'));
        let look = server.get_unless(&sent, "").await;
        assert_eq!(look.status, StatusCode::NOT_MODIFIED, "{sent}");
        assert_eq!(look.tag, tag);
        let done = server
            .put(
                ("if-match", &sent),
                &json!({ "entries": { "a.md": at.to_string() + " more" } }),
            )
            .await;
        assert_eq!(done.status, StatusCode::OK, "{sent}: {done:?}");
        // And the former one is not.
        assert_eq!(
            server.get_unless(&sent, "").await.status,
            StatusCode::OK,
            "{sent}"
        );
        tag = done.tag;
    }
}

async fn class_15_a_change_without_a_condition_is_refused(place: Place) {
    let server = Running::start(place).await;
    let body = json!({ "entries": { "a.md": "one" } });
    assert_eq!(
        server.put(("", ""), &body).await.refused(),
        (428, "precondition_required")
    );
    assert_eq!(server.get("").await.refused(), (404, "nothing_yet"));
    // The same condition in the body counts.
    for (expected, status) in [("0", 200), ("0", 412), ("1", 200), ("7", 412)] {
        let body = json!({ "entries": { "a.md": format!("{expected} {status}") }, "expected_version": expected });
        let answer = server.put(("", ""), &body).await;
        assert_eq!(answer.status.as_u16(), status, "{body}: {answer:?}");
    }
}

async fn page(server: &Running, query: &str) -> Value {
    let request = server.request(Method::GET, &format!("{PATH}/history?repo=acme/app{query}"));
    let request = request.bearer_auth(&server.token);
    let answer = Answer::of(request.send().await.expect("an answer")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.body
}

async fn class_21_pages_of_a_history_join_without_gap_or_repeat(place: Place) {
    let server = Running::start(place).await;
    let mut tag = server
        .first(&json!({ "entries": { "k0.md": "0" } }))
        .await
        .tag;
    // Versions of one line and versions of several, which no page parts.
    for (at, lines) in [1, 3, 1, 2, 1, 1, 4, 1, 2, 1].into_iter().enumerate() {
        let entries: serde_json::Map<_, _> = (0..lines)
            .map(|line| (format!("k{line}.md"), json!(format!("{at} {line}"))))
            .collect();
        tag = server
            .put(("if-match", &tag), &json!({ "entries": entries }))
            .await
            .tag;
        let whole = page(&server, "&limit=500").await;
        let whole = whole["history"].as_array().expect("lines").clone();
        // Every size of a page, so also those that end just before, at and just behind the end.
        for limit in 1..=whole.len() + 2 {
            let (mut joined, mut query, mut pages) = (Vec::new(), format!("&limit={limit}"), 0);
            loop {
                let one = page(&server, &query).await;
                let lines = one["history"].as_array().expect("lines");
                assert!(!lines.is_empty(), "an empty page of {limit}");
                joined.extend(lines.iter().cloned());
                pages += 1;
                assert!(pages <= whole.len(), "no end with {limit}");
                match one["before"].as_str() {
                    Some(before) => query = format!("&limit={limit}&before={before}"),
                    None => break,
                }
            }
            assert_eq!(joined, whole, "pages of {limit}");
        }
    }
    // Beyond the end there is an empty page, which is the last.
    let beyond = page(&server, "&before=1").await;
    assert_eq!(
        (
            beyond["history"].as_array().map(Vec::len),
            beyond["before"].as_str()
        ),
        (Some(0), None)
    );
}

async fn class_26_a_change_that_changes_nothing_makes_no_version(place: Place) {
    let server = Running::start(place).await;
    let body = json!({ "entries": { "a.md": "one", "b.md": "two" } });
    let first = server.first(&body).await;
    for header in [
        ("if-match", first.tag.as_str()),
        ("if-match", "\"v99-stale\""),
        ("if-none-match", "*"),
    ] {
        let again = server.put(header, &body).await;
        assert_eq!(again.status, StatusCode::OK, "{header:?}: {again:?}");
        assert_eq!(again.body["version"], "1", "{header:?}");
    }
    assert_eq!(
        page(&server, "").await["history"].as_array().map(Vec::len),
        Some(2)
    );
}

async fn class_27_no_text_that_was_ever_accepted_is_lost(place: Place) {
    let server = Running::start(place).await;
    let mut texts = vec!["0".to_owned()];
    let mut tag = server
        .first(&json!({ "entries": { "a.md": "0" } }))
        .await
        .tag;
    for at in 1..6 {
        texts.push(at.to_string());
        let body = match at {
            3 => json!({ "deletes": ["a.md"], "entries": { "b.md": at.to_string() } }),
            _ => json!({ "entries": { "a.md": at.to_string() } }),
        };
        tag = server.put(("if-match", &tag), &body).await.tag;
    }
    // Back to the first version: a new one on top, and nothing of the rest goes.
    let restore = server.request(Method::POST, &format!("{PATH}/restore?repo=acme/app"));
    let restore = restore
        .bearer_auth(&server.token)
        .header("if-match", &tag)
        .json(&json!({ "version": "1" }));
    let restored = Answer::of(restore.send().await.expect("an answer")).await;
    assert_eq!(restored.status, StatusCode::OK, "{restored:?}");
    assert_eq!(server.get("").await.body["entries"]["a.md"], "0");
    for text in &texts {
        let sum = Checksum::of(text).to_string().replace("sha256:", "");
        let blob = server.request(Method::GET, &format!("{PATH}/blob/{sum}?repo=acme/app"));
        let blob = blob
            .bearer_auth(&server.token)
            .send()
            .await
            .expect("an answer");
        assert_eq!(blob.status(), StatusCode::OK, "{text}");
    }
    let history = page(&server, "&limit=500").await;
    let versions: BTreeSet<String> = history["history"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| line["version"].as_str().expect("a version").to_owned())
        .collect();
    let expected: BTreeSet<String> = (1..=7).map(|version| version.to_string()).collect();
    assert_eq!(
        versions, expected,
        "one line at least for each, and none rewritten"
    );
}

/// The embedded store only: another program holds its file, as a backup or a shell does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn class_28_a_locked_database_is_waited_for() {
    let server = Running::start(Place::sqlite()).await;
    let mut tag = server
        .first(&json!({ "entries": { "a.md": "one" } }))
        .await
        .tag;
    let other = rusqlite::Connection::open(server.place.file()).expect("the file");
    for at in 0..3 {
        other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        let body = json!({ "entries": { "a.md": format!("{at} more") } });
        let change = server.put(("if-match", &tag), &body);
        let free = async {
            // The change meets the lock meanwhile; should it not, nothing is proved and nothing breaks.
            tokio::time::sleep(Duration::from_millis(200)).await;
            other.execute_batch("COMMIT").expect("the lock");
        };
        let (done, ()) = tokio::join!(change, free);
        assert_eq!(done.status, StatusCode::OK, "{done:?}");
        tag = done.tag;
    }
}

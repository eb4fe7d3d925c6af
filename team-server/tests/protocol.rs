//! The protocol over real sockets, the same over each store.

use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use team_sync::Checksum;

use crate::support::{Answer, PATH, Place, Running, add_token, fast, on_each_store};

on_each_store!(
    a_client_of_the_base_form_writes_reads_and_writes_again,
    whoever_is_second_is_told_the_version,
    a_proxy_that_eats_headers_is_survived_by_the_version_in_the_body,
    a_repeated_request_is_answered_as_the_first_time,
    people_who_edit_different_files_do_not_meet,
    a_delete_leaves_a_tombstone_and_its_history,
    a_whole_version_can_be_restored,
    named_keys_are_fetched_alone,
    entries_with_credentials_are_refused_by_rule_and_line,
    hostile_bodies_are_refused_and_change_nothing,
    who_is_not_known_learns_nothing,
    too_many_requests_are_told_how_long_to_wait,
    a_long_poll_answers_on_change_at_its_end_and_when_the_server_stops,
    health_figures_and_unknown_paths_are_answered,
);

async fn a_client_of_the_base_form_writes_reads_and_writes_again(place: Place) {
    let server = Running::start(place).await;
    assert_eq!(server.get("").await.refused(), (404, "nothing_yet"));

    let done = server
        .first(&json!({ "entries": { "a.md": "one\n", "日本/メモ.md": "二\n" } }))
        .await;
    assert_eq!(done.body["version"], "1");
    assert_eq!(
        done.body["checksums"]["a.md"],
        Checksum::of("one\n").to_string()
    );
    assert!(done.tag.starts_with("\"v1-"), "{}", done.tag);

    let all = server.get("").await;
    assert_eq!(all.status, StatusCode::OK);
    assert_eq!(all.tag, done.tag);
    assert_eq!(all.body["repo"], "acme/app");
    assert_eq!(all.body["entries"]["日本/メモ.md"], "二\n");
    assert_eq!(all.body["updated_at"], "2026-11-30T12:00:00Z");

    let hashes = server.get("&view=hashes").await;
    assert_eq!(hashes.body["entries"], Value::Null);
    assert_eq!(hashes.body["checksums"], all.body["checksums"]);

    assert_eq!(
        server.get_unless(&done.tag, "").await.status,
        StatusCode::NOT_MODIFIED
    );
    let weak = format!("W/{}", done.tag);
    assert_eq!(
        server.get_unless(&weak, "").await.status,
        StatusCode::NOT_MODIFIED
    );

    let next = server
        .put(
            ("if-match", &done.tag),
            &json!({ "entries": { "a.md": "two\n" } }),
        )
        .await;
    assert_eq!(
        (next.status, &next.body["version"]),
        (StatusCode::OK, &json!("2"))
    );
    assert_eq!(
        server.get_unless(&done.tag, "").await.status,
        StatusCode::OK
    );
    // Keys that are not named stay.
    assert_eq!(server.get("").await.body["entries"]["日本/メモ.md"], "二\n");
}

async fn whoever_is_second_is_told_the_version(place: Place) {
    let server = Running::start(place).await;
    let first = server.first(&json!({ "entries": { "a.md": "one" } })).await;
    let two = server
        .put(
            ("if-match", &first.tag),
            &json!({ "entries": { "a.md": "two" } }),
        )
        .await;
    let late = server
        .put(
            ("if-match", &first.tag),
            &json!({ "entries": { "a.md": "late" } }),
        )
        .await;
    assert_eq!(late.refused(), (412, "stale"));
    assert_eq!(late.body["version"], "2");
    assert_eq!(late.tag, two.tag);
    let again = server
        .put(
            ("if-none-match", "*"),
            &json!({ "entries": { "a.md": "late" } }),
        )
        .await;
    assert_eq!(again.refused(), (412, "stale"));
    let blind = server
        .put(("", ""), &json!({ "entries": { "a.md": "late" } }))
        .await;
    assert_eq!(blind.refused(), (428, "precondition_required"));
    assert_eq!(server.get("").await.body["entries"]["a.md"], "two");
}

async fn a_proxy_that_eats_headers_is_survived_by_the_version_in_the_body(place: Place) {
    let server = Running::start(place).await;
    let first = server.first(&json!({ "entries": { "a.md": "one" } })).await;
    let tag = first.tag.trim_matches('"');
    for (expected, status) in [
        (json!(tag), 200),
        (json!(tag), 412),
        (json!("2"), 200),
        (json!("x"), 400),
    ] {
        let text = format!("{expected} {status}");
        let body = json!({ "entries": { "a.md": text }, "expected_version": expected });
        assert_eq!(
            server.put(("", ""), &body).await.status.as_u16(),
            status,
            "{body}"
        );
    }
    assert_eq!(server.get("").await.body["version"], "3");
}

async fn a_repeated_request_is_answered_as_the_first_time(place: Place) {
    let server = Running::start(place).await;
    let body = json!({ "entries": { "a.md": "one" }, "op_id": "op-1" });
    let first = server.first(&body).await;
    let other = server
        .put(
            ("if-match", &first.tag),
            &json!({ "entries": { "a.md": "two" } }),
        )
        .await;
    assert_eq!(other.body["version"], "2");

    let replayed = server.put(("if-none-match", "*"), &body).await;
    assert_eq!(replayed.status, StatusCode::OK);
    assert_eq!(replayed.body["replayed"], true);
    assert_eq!(
        (&replayed.body["version"], &replayed.tag),
        (&json!("1"), &first.tag)
    );
    assert_eq!(
        server.get("").await.body["entries"]["a.md"],
        "two",
        "nothing was applied again"
    );

    let reused = json!({ "entries": { "a.md": "three" }, "op_id": "op-1" });
    assert_eq!(
        server
            .put(("if-match", &other.tag), &reused)
            .await
            .refused(),
        (422, "op_id_reused")
    );
}

async fn people_who_edit_different_files_do_not_meet(place: Place) {
    let server = Running::start(place).await;
    let first = server
        .first(&json!({ "entries": { "a.md": "a", "b.md": "b" } }))
        .await;
    let sum = |text: &str| Checksum::of(text).to_string();
    let ana = json!({ "entries": { "a.md": "a2" }, "bases": { "a.md": sum("a") } });
    let ben = json!({ "entries": { "b.md": "b2" }, "bases": { "b.md": sum("b") } });
    assert_eq!(
        server.put(("if-match", &first.tag), &ana).await.status,
        StatusCode::OK
    );
    assert_eq!(
        server.put(("if-match", &first.tag), &ben).await.status,
        StatusCode::OK
    );
    let cyd = json!({ "entries": { "a.md": "a3" }, "bases": { "a.md": sum("a") } });
    assert_eq!(
        server.put(("if-match", &first.tag), &cyd).await.refused(),
        (412, "stale")
    );
}

async fn a_delete_leaves_a_tombstone_and_its_history(place: Place) {
    let server = Running::start(place).await;
    let first = server
        .first(&json!({ "entries": { "a.md": "one", "b.md": "b" } }))
        .await;
    let gone = server
        .put(("if-match", &first.tag), &json!({ "deletes": ["a.md"] }))
        .await;
    assert_eq!(gone.status, StatusCode::OK);

    let all = server.get("").await;
    assert_eq!(all.body["entries"], json!({ "b.md": "b" }));
    let tombstone = &all.body["tombstones"]["a.md"];
    assert_eq!(
        (&tombstone["version"], &tombstone["by"]),
        (&json!("2"), &json!("ana"))
    );
    assert_eq!(tombstone["checksum"], Checksum::of("one").to_string());

    let since = server.get("&since=1").await;
    assert_eq!(since.body["entries"], json!({}));
    assert_eq!(since.body["tombstones"]["a.md"]["version"], "2");

    let history = server.request(
        Method::GET,
        &format!("{PATH}/history?repo=acme/app&key=a.md"),
    );
    let history = Answer::of(
        history
            .bearer_auth(&server.token)
            .send()
            .await
            .expect("an answer"),
    )
    .await;
    let lines = history.body["history"].as_array().expect("lines");
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["version"], &lines[0]["checksum"]),
        (&json!("2"), &Value::Null)
    );

    let hash = Checksum::of("one").to_string();
    let blob = server.request(Method::GET, &format!("{PATH}/blob/{hash}?repo=acme/app"));
    let blob = Answer::of(
        blob.bearer_auth(&server.token)
            .send()
            .await
            .expect("an answer"),
    )
    .await;
    assert_eq!(blob.text, "one");

    // Back again: a new version, and no tombstone.
    let restore = server.request(Method::POST, &format!("{PATH}/restore?repo=acme/app"));
    let restore = restore
        .bearer_auth(&server.token)
        .json(&json!({ "version": "1", "key": "a.md" }));
    let restored = Answer::of(restore.send().await.expect("an answer")).await;
    assert_eq!(restored.body["version"], "3", "{restored:?}");
    let all = server.get("").await;
    assert_eq!(all.body["entries"], json!({ "a.md": "one", "b.md": "b" }));
    assert_eq!(all.body["tombstones"], Value::Null);
}

async fn a_whole_version_can_be_restored(place: Place) {
    let server = Running::start(place).await;
    let one = server
        .first(&json!({ "entries": { "a.md": "1", "b.md": "1" } }))
        .await;
    let two = json!({ "entries": { "a.md": "2", "c.md": "2" }, "deletes": ["b.md"] });
    assert_eq!(
        server.put(("if-match", &one.tag), &two).await.status,
        StatusCode::OK
    );
    for (wish, status) in [
        (json!({ "version": 1 }), 200),
        (json!({ "version": 99 }), 404),
        (json!({}), 400),
    ] {
        let restore = server.request(Method::POST, &format!("{PATH}/restore?repo=acme/app"));
        let restore = restore.bearer_auth(&server.token).json(&wish);
        let answer = Answer::of(restore.send().await.expect("an answer")).await;
        assert_eq!(answer.status.as_u16(), status, "{wish}");
    }
    assert_eq!(
        server.get("").await.body["entries"],
        json!({ "a.md": "1", "b.md": "1" })
    );
}

async fn named_keys_are_fetched_alone(place: Place) {
    let server = Running::start(place).await;
    server
        .first(&json!({ "entries": { "a.md": "a", "b.md": "b", "c.md": "c" } }))
        .await;
    let some = server.get("&keys=a.md,c.md,missing.md").await;
    assert_eq!(some.body["entries"], json!({ "a.md": "a", "c.md": "c" }));
    assert_eq!(
        server.get("&keys=../a.md").await.refused(),
        (400, "bad_key")
    );
}

async fn entries_with_credentials_are_refused_by_rule_and_line(place: Place) {
    let server = Running::start(place).await;
    let secret = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let body =
        json!({ "entries": { "good.md": "fine", "bad.md": format!("line\ntoken {secret}\n") } });
    let answer = server.put(("if-none-match", "*"), &body).await;
    assert_eq!(answer.refused(), (422, "secret_found"));
    assert_eq!(answer.body["keys"], json!(["bad.md"]));
    assert_eq!(
        answer.body["findings"],
        json!([{ "key": "bad.md", "rule": "github-pat", "line": 2 }])
    );
    assert!(!answer.text.contains(&secret[8..20]));
    assert_eq!(server.get("").await.status, StatusCode::NOT_FOUND);
}

async fn hostile_bodies_are_refused_and_change_nothing(place: Place) {
    let server = Running::start(place).await;
    let first = server.first(&json!({ "entries": { "a.md": "a" } })).await;
    let large = "x".repeat(256_001);
    let many: serde_json::Map<String, Value> = (0..500)
        .map(|at| (format!("k{at}.md"), json!("x")))
        .collect();
    let several = json!({ "entries": { "x.md": "y".repeat(150_000), "z.md": "y".repeat(60_000) } });
    for (body, expected) in [
        (json!({ "entries": { "../x.md": "x" } }), (400, "bad_key")),
        (json!({ "entries": { "x.txt": "x" } }), (400, "bad_key")),
        (
            json!({ "entries": { "x.md": large } }),
            (413, "entry_too_large"),
        ),
        (json!({ "entries": many }), (413, "too_many_entries")),
        (several, (413, "body_too_large")),
        (json!({ "entries": { "A.md": "x" } }), (409, "key_twin")),
        (json!({ "entries": { "x.md": 5 } }), (400, "bad_body")),
        (json!([1, 2]), (400, "bad_body")),
        (
            json!({ "entries": { "x.md": "x" }, "deletes": ["x.md"] }),
            (400, "bad_body"),
        ),
        (
            json!({ "entries": {}, "bases": { "a.md": "md5:1" } }),
            (400, "bad_base"),
        ),
    ] {
        let answer = server.put(("if-match", &first.tag), &body).await;
        assert_eq!(answer.refused(), expected);
    }
    let torn = server
        .request(Method::PUT, &format!("{PATH}?repo=acme/app"))
        .bearer_auth(&server.token);
    let torn = torn
        .header("if-match", &first.tag)
        .body("{\"entries\":{\"a.md\":\"to");
    let torn = Answer::of(torn.send().await.expect("an answer")).await;
    assert_eq!(torn.refused(), (400, "bad_body"));
    let huge = server
        .request(Method::PUT, &format!("{PATH}?repo=acme/app"))
        .bearer_auth(&server.token);
    let huge = huge
        .header("if-match", &first.tag)
        .body(vec![b' '; 3_000_000]);
    // The answer reaches also who sends everything first: it is not lost in a connection that breaks.
    let huge = Answer::of(huge.send().await.expect("an answer")).await;
    assert_eq!(huge.refused(), (413, "body_too_large"));
    let all = server.get("").await;
    assert_eq!(
        (&all.body["version"], &all.body["entries"]),
        (&json!("1"), &json!({ "a.md": "a" }))
    );
}

async fn who_is_not_known_learns_nothing(place: Place) {
    let server = Running::start(place).await;
    server.first(&json!({ "entries": { "a.md": "a" } })).await;
    let store = server.place.open().await;
    let other = add_token(&store, &["acme/other"], true).await;
    let reader = add_token(&store, &["acme/app"], false).await;
    let wrong_secret = format!("{}0000", &reader[..reader.len() - 4]);

    let unknown = ["mst_", "0123456789ab", "_", &"0".repeat(48)].concat();
    let path = format!("{PATH}?repo=acme/app");
    let read = |token: String| {
        let request = server.request(Method::GET, &path);
        let request = if token.is_empty() {
            request
        } else {
            request.bearer_auth(token)
        };
        async move { Answer::of(request.send().await.expect("an answer")).await }
    };
    assert_eq!(read(String::new()).await.refused(), (401, "no_token"));
    for token in ["nonsense".to_owned(), unknown, wrong_secret] {
        assert_eq!(read(token).await.refused(), (401, "bad_token"));
    }
    assert_eq!(read(other).await.refused(), (403, "not_yours"));
    assert_eq!(read(reader.clone()).await.status, StatusCode::OK);
    assert_eq!(read("development-only".into()).await.status, StatusCode::OK);
    let write = server
        .request(Method::PUT, &path)
        .bearer_auth(&reader)
        .header("if-match", "*");
    let write = write.json(&json!({ "entries": {} }));
    assert_eq!(
        Answer::of(write.send().await.expect("an answer"))
            .await
            .refused(),
        (403, "read_only")
    );

    for (query, code) in [
        ("", "no_repository"),
        ("?repo=", "bad_repository"),
        ("?repo=../x", "bad_repository"),
    ] {
        let request = server
            .request(Method::GET, &format!("{PATH}{query}"))
            .bearer_auth(&server.token);
        assert_eq!(
            Answer::of(request.send().await.expect("an answer"))
                .await
                .refused(),
            (400, code)
        );
    }
}

async fn too_many_requests_are_told_how_long_to_wait(place: Place) {
    let mut limits = fast();
    limits.reads_per_minute = 3;
    let server = Running::start_with(place, limits).await;
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(server.get("").await);
    }
    let refused: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status.as_u16() == 429)
        .collect();
    assert!(!refused.is_empty());
    assert!(refused.iter().all(|answer| {
        answer
            .retry_after
            .is_some_and(|wait| (1..=60).contains(&wait))
    }));
}

async fn a_long_poll_answers_on_change_at_its_end_and_when_the_server_stops(place: Place) {
    let server = Running::start(place).await;
    let first = server.first(&json!({ "entries": { "a.md": "a" } })).await;
    let begun = Instant::now();
    let nothing = server.get_unless(&first.tag, "&wait=1").await;
    assert_eq!(nothing.status, StatusCode::NOT_MODIFIED);
    assert!(begun.elapsed() >= Duration::from_secs(1));

    let (poll, change) = tokio::join!(server.get_unless(&first.tag, "&wait=50"), async {
        server
            .put(
                ("if-match", &first.tag),
                &json!({ "entries": { "a.md": "b" } }),
            )
            .await
    });
    assert_eq!(
        (poll.status, &poll.body["version"]),
        (StatusCode::OK, &json!("2"))
    );

    let (poll, ()) = tokio::join!(server.get_unless(&change.tag, "&wait=50"), async {
        // Other requests go there and back until the poll, which left first, has long arrived.
        for _ in 0..20 {
            server.get("").await;
        }
        server.stop();
    });
    assert_eq!(poll.status, StatusCode::NOT_MODIFIED);
    assert!(begun.elapsed() < Duration::from_secs(40));
}

async fn health_figures_and_unknown_paths_are_answered(place: Place) {
    let server = Running::start(place).await;
    server.first(&json!({ "entries": { "a.md": "a" } })).await;
    let plain = |path: &'static str| {
        let request = server.request(Method::GET, path);
        async move { Answer::of(request.send().await.expect("an answer")).await }
    };
    assert_eq!(plain("/healthz").await.text, "ok\n");
    assert_eq!(plain("/readyz").await.text, "ready\n");
    let figures = plain("/metrics").await.text;
    assert!(
        figures.contains("memstrata_requests_total{method=\"PUT\",status=\"200\"} 1"),
        "{figures}"
    );
    assert!(!figures.contains("acme"), "{figures}");
    assert_eq!(plain("/nothing").await.refused(), (404, "no_such_path"));
}

//! The bodies as they travel: frozen forms, other peers' forms, hostile forms.

use proptest::prelude::*;
use serde_json::json;
use team_sync::ErrorKind;
use team_sync::wire::{Problem, Put, PutDone, SecretFound, Snapshot, Tombstone, read};

#[test]
fn a_body_of_the_base_form_has_nothing_of_the_extensions() {
    let mut put = Put::default();
    put.entries.insert("a.md".into(), "text".into());
    assert_eq!(
        serde_json::to_value(&put).expect("JSON"),
        json!({ "entries": { "a.md": "text" } })
    );
    let mut done = PutDone::default();
    done.version = "43".into();
    assert_eq!(
        serde_json::to_value(&done).expect("JSON"),
        json!({ "version": "43", "checksums": {} })
    );
    let mut snapshot = Snapshot::default();
    snapshot.repo = "acme/app".into();
    snapshot.version = "42".into();
    assert_eq!(
        serde_json::to_value(&snapshot).expect("JSON"),
        json!({ "repo": "acme/app", "version": "42", "updated_at": "", "checksums": {} })
    );
}

#[test]
fn the_extended_form_is_frozen() {
    let mut put = Put::default();
    put.bases = Some(
        [
            ("a.md".into(), Some("sha256:00".into())),
            ("b.md".into(), None),
        ]
        .into(),
    );
    put.deletes = vec!["c.md".into()];
    put.op_id = Some("id".into());
    put.expected_version = Some("41".into());
    assert_eq!(
        serde_json::to_value(&put).expect("JSON"),
        json!({
            "entries": {}, "bases": { "a.md": "sha256:00", "b.md": null }, "deletes": ["c.md"],
            "op_id": "id", "expected_version": "41",
        })
    );
    let mut problem = Problem::new(422, "secret_found", "A credential was found", "remove it");
    problem.findings = vec![SecretFound::new("a.md", "github-pat", Some(3))];
    assert_eq!(
        serde_json::to_value(&problem).expect("JSON"),
        json!({
            "type": "about:blank", "title": "A credential was found", "status": 422, "detail": "remove it",
            "code": "secret_found", "findings": [{ "key": "a.md", "rule": "github-pat", "line": 3 }],
        })
    );
    assert_eq!(
        serde_json::to_value(Tombstone::new("7", "sha256:00")).expect("JSON"),
        json!({ "version": "7", "checksum": "sha256:00" })
    );
}

#[test]
fn unknown_fields_missing_fields_and_numbers_as_versions_are_understood() {
    let snapshot: Snapshot =
        read(br#"{"version":42,"entries":{"a.md":"t"},"checksums":{},"new":{"deep":[1]}}"#)
            .expect("a body");
    assert_eq!(snapshot.version, "42");
    assert_eq!(snapshot.entries.expect("entries")["a.md"], "t");
    let done: PutDone = read(b"{}").expect("a body");
    assert_eq!(done, PutDone::default());
    let problem: Problem = read(br#"{"version":"44","code":"x"}"#).expect("a body");
    assert_eq!(problem.version.as_deref(), Some("44"));
}

#[test]
fn hostile_bodies_are_refused_without_repeating_them() {
    let deep = "[".repeat(1_000_000);
    let nested = format!(r#"{{"x":{}{}}}"#, "[".repeat(40), "]".repeat(40));
    let keys: Vec<String> = (0..10_001).map(|at| format!(r#""k{at}":"""#)).collect();
    let many = format!(r#"{{"entries":{{{}}}}}"#, keys.join(","));
    for (body, kind) in [
        (deep.as_str(), ErrorKind::TooLarge),
        (nested.as_str(), ErrorKind::TooLarge),
        (many.as_str(), ErrorKind::TooLarge),
        ("<html>sentinel", ErrorKind::Body),
        ("", ErrorKind::Body),
        ("null", ErrorKind::Body),
        (r#"{"entries":{"a.md":5,"sentinel":1}}"#, ErrorKind::Body),
        (r#"{"entries":"sentinel"}"#, ErrorKind::Body),
        (r#"{"entries":{"a":"sentinel"#, ErrorKind::Body),
    ] {
        let error = read::<Snapshot>(body.as_bytes()).expect_err("a refusal");
        assert_eq!(error.kind(), kind);
        assert!(!error.to_string().contains("sentinel"));
    }
    let huge = vec![b' '; 32 * 1024 * 1024 + 1];
    assert_eq!(
        read::<Put>(&huge).expect_err("a refusal").kind(),
        ErrorKind::TooLarge
    );
    // Brackets inside of strings are text.
    let quoted = format!(r#"{{"entries":{{"a":"\"{}"}}}}"#, "[".repeat(100));
    assert!(read::<Put>(quoted.as_bytes()).is_ok());
}

proptest! {
    #[test]
    fn any_bytes_are_a_body_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read::<Snapshot>(&bytes);
        let _ = read::<Put>(&bytes);
        let _ = read::<Problem>(&bytes);
    }
}

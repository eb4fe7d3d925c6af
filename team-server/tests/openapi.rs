//! The description and what is really sent: one list of problems, and every one of them provoked.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use memstrata_server::{Limits, Redacted, Redaction};
use reqwest::Method;
use serde_json::{Value, json};
use team_sync::TeamKey;

use crate::support::{Answer, PATH, Place, Running, add_token, fast, noise};

fn document() -> Value {
    serde_json::from_str(&memstrata_server::openapi()).expect("JSON")
}

#[test]
fn the_committed_file_is_what_the_server_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let committed = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        committed == memstrata_server::openapi(),
        "openapi.json is out of date: cargo run -p memstrata-server -- openapi > team-server/openapi.json"
    );
}

/// Whether `value` is of a schema of the document. Knows the keywords the document uses, and takes no member
/// that is not described.
fn fits(document: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    for (keyword, wanted) in schema.as_object().ok_or("a schema is an object")? {
        let is_met = match keyword.as_str() {
            "description" | "default" | "format" | "title" | "propertyNames" => true,
            "$ref" => {
                let pointer = wanted.as_str().unwrap_or_default().trim_start_matches('#');
                let target = document
                    .pointer(pointer)
                    .ok_or(format!("{pointer} is nowhere"))?;
                fits(document, target, value, place)?;
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|one| is_of_type(value, one)),
                one => is_of_type(value, one),
            },
            "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value.is_null() || value.as_f64() >= wanted.as_f64(),
            "required" => {
                let mut names = wanted.as_array().into_iter().flatten();
                names.all(|name| value.get(name.as_str().unwrap_or_default()).is_some())
            }
            "properties" => {
                for (name, part) in value.as_object().into_iter().flatten() {
                    let inner = wanted
                        .get(name)
                        .ok_or(format!("{place}.{name} is not described"))?;
                    fits(document, inner, part, &format!("{place}.{name}"))?;
                }
                true
            }
            "additionalProperties" => {
                for (name, part) in value.as_object().into_iter().flatten() {
                    fits(document, wanted, part, &format!("{place}.{name}"))?;
                }
                true
            }
            "items" => {
                for part in value.as_array().into_iter().flatten() {
                    fits(document, wanted, part, &format!("{place}[]"))?;
                }
                true
            }
            "oneOf" => {
                let all = wanted.as_array().into_iter().flatten();
                all.filter(|one| fits(document, one, value, place).is_ok())
                    .count()
                    == 1
            }
            other => return Err(format!("the keyword {other} is not known here")),
        };
        if !is_met {
            return Err(format!("{place} breaks {keyword}: {wanted}"));
        }
    }
    Ok(())
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("null") => value.is_null(),
        _ => false,
    }
}

/// Checks an answer against what the document says about this call and status.
#[track_caller]
fn check(document: &Value, method: &Method, path: &str, answer: &Answer) {
    let pointer = format!(
        "/paths/{}/{}",
        path.replace('/', "~1"),
        method.as_str().to_lowercase()
    );
    let operation = document.pointer(&pointer).expect("a described operation");
    let status = answer.status.as_u16().to_string();
    let response = operation["responses"].get(&status);
    let response =
        response.unwrap_or_else(|| panic!("{method} {path} is not said to answer {status}"));
    let contents = response.get("content").and_then(Value::as_object);
    let Some((kind, content)) = contents.and_then(|contents| contents.iter().next()) else {
        assert_eq!(answer.text, "", "{method} {path} {status}");
        return;
    };
    assert!(
        answer.kind.starts_with(kind.as_str()),
        "{} is not {kind}",
        answer.kind
    );
    let value = match kind.as_str() {
        "application/json" | "application/problem+json" => answer.body.clone(),
        _ => Value::String(answer.text.clone()),
    };
    if let Err(problem) = fits(document, &content["schema"], &value, "answer") {
        panic!("{method} {path} {status}: {problem}\nin {}", answer.text);
    }
    for header in response["headers"].as_object().into_iter().flatten() {
        let there = match header.0.as_str() {
            "ETag" => !answer.tag.is_empty(),
            "Retry-After" => answer.retry_after.is_some(),
            other => panic!("the header {other} is not known here"),
        };
        assert!(there, "{method} {path} {status} has no {}", header.0);
    }
}

/// A server and what it has answered so far.
struct Recorder {
    document: Value,
    /// Status and detail of each problem, by its code.
    problems: BTreeMap<String, (u16, String)>,
}

impl Recorder {
    async fn ask(&mut self, server: &Running, ask: Ask<'_>) -> Answer {
        let (path, below) = ask.at;
        let request = server.request(ask.method.clone(), &format!("{below}{}", ask.query));
        let request = if ask.token.is_empty() {
            request
        } else {
            request.bearer_auth(ask.token)
        };
        let mut request = match ask.header {
            ("", _) => request,
            (name, value) => request.header(name, value),
        };
        if let Some(body) = ask.body {
            request = request.body(body);
        }
        let answer = Answer::of(request.send().await.expect("an answer")).await;
        self.record(&answer);
        if !path.is_empty() {
            check(&self.document, &ask.method, path, &answer);
        }
        answer
    }

    fn record(&mut self, answer: &Answer) {
        if answer.status.as_u16() >= 400 && answer.kind == "application/problem+json" {
            let (status, code) = answer.refused();
            let detail = answer.body["detail"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            self.problems.insert(code.to_owned(), (status, detail));
        }
    }
}

struct Ask<'a> {
    method: Method,
    /// The path in the document, and the one that is asked.
    at: (&'a str, &'a str),
    query: &'a str,
    token: &'a str,
    header: (&'a str, &'a str),
    body: Option<String>,
}

impl<'a> Ask<'a> {
    fn new(method: Method, query: &'a str, token: &'a str) -> Self {
        Self {
            method,
            at: (PATH, PATH),
            query,
            token,
            header: ("", ""),
            body: None,
        }
    }

    fn get(query: &'a str, token: &'a str) -> Self {
        Self::new(Method::GET, query, token)
    }

    fn put(body: &Value, token: &'a str) -> Self {
        Self::new(Method::PUT, APP, token)
            .body(body.to_string())
            .header("if-match", "*")
    }

    fn at(mut self, described: &'a str, asked: &'a str) -> Self {
        self.at = (described, asked);
        self
    }

    fn header(mut self, name: &'a str, value: &'a str) -> Self {
        self.header = (name, value);
        self
    }

    fn body(mut self, body: String) -> Self {
        self.body = Some(body);
        self
    }
}

const APP: &str = "?repo=acme/app";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_is_as_described_and_every_problem_names_cause_and_remedy() {
    let mut limits = fast();
    limits.entries = 4;
    limits.repository_bytes = 900_000;
    limits.request = Duration::from_millis(600);
    let place = Place::sqlite();
    let file = place.file();
    let server = Running::start_with(place, limits).await;
    let store = server.place.open().await;
    let reader = add_token(&store, &["acme/app"], false).await;
    let token = server.token.clone();
    let mut all = Recorder {
        document: document(),
        problems: BTreeMap::new(),
    };

    successes(&mut all, &server, &token).await;
    refusals_of_reading(&mut all, &server, &token, &reader).await;
    refusals_of_writing(&mut all, &server, &token, &reader).await;
    all.record(&slow_body(&server, &token));
    crowded(&mut all).await;
    full(&mut all).await;

    // What only an operator's hand brings about.
    let sql = |text: &str| {
        let connection = rusqlite::Connection::open(&file).expect("a connection");
        connection.execute_batch(text).expect("a statement");
    };
    let redaction = Redaction {
        repository: "acme/app".into(),
        key: TeamKey::parse("b.md").expect("a key"),
        version: 1,
    };
    let redacted = store.redact(&redaction).await.expect("a store");
    assert_eq!(redacted, Redacted::Done);
    let body = json!({ "entries": { "again.md": "b" } });
    all.ask(&server, Ask::put(&body, &token)).await;
    sql("UPDATE repository SET forgotten = 2");
    all.ask(&server, Ask::get("?repo=acme/app&since=1", &token))
        .await;
    sql("DROP TABLE entry");
    all.ask(&server, Ask::get(APP, &token)).await;

    let described = &all.document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"];
    let described: BTreeSet<String> = serde_json::from_value(described.clone()).expect("names");
    let provoked: BTreeSet<String> = all.problems.keys().cloned().collect();
    assert_eq!(provoked, described);
    for (code, (_, detail)) in &all.problems {
        let parts = detail.split_once("; ");
        let both = parts.is_some_and(|(cause, remedy)| cause.len() > 10 && remedy.len() > 10);
        assert!(both, "{code} says {detail:?}: cause; remedy");
        let first = detail.chars().next().unwrap_or(' ');
        assert!(
            !first.is_uppercase() && !detail.ends_with('.'),
            "{code}: {detail:?}"
        );
    }
}

async fn successes(all: &mut Recorder, server: &Running, token: &str) {
    let first = json!({ "entries": { "a.md": "a", "b.md": "b" }, "op_id": "one", "author": "ana", "client": "x" });
    let put = Ask::put(&first, token).header("if-none-match", "*");
    all.ask(server, put).await;
    all.ask(server, Ask::put(&first, token)).await;
    all.ask(
        server,
        Ask::put(&json!({ "entries": {}, "deletes": ["b.md"] }), token),
    )
    .await;
    let patch = Ask::new(Method::PATCH, APP, token).header("if-match", "*");
    all.ask(
        server,
        patch.body(json!({ "entries": { "c.md": "c" } }).to_string()),
    )
    .await;
    let whole = all.ask(server, Ask::get(APP, token)).await;
    assert!(
        whole.body["tombstones"]["b.md"]["version"].is_string(),
        "{}",
        whole.text
    );
    all.ask(server, Ask::get("?repo=acme/app&view=hashes", token))
        .await;
    all.ask(server, Ask::get("?repo=acme/app&since=1&keys=a.md", token))
        .await;
    all.ask(
        server,
        Ask::get(APP, token).header("if-none-match", &whole.tag),
    )
    .await;
    let history = format!("{PATH}/history");
    let page = all
        .ask(
            server,
            Ask::get("?repo=acme/app&limit=1", token).at(&history, &history),
        )
        .await;
    assert!(page.body["before"].is_string(), "{}", page.text);
    let blob = format!("{PATH}/blob/{{hash}}");
    let checksum = whole.body["checksums"]["a.md"].as_str().unwrap_or_default();
    let asked = format!("{PATH}/blob/{checksum}");
    all.ask(server, Ask::get(APP, token).at(&blob, &asked))
        .await;
    let restore = format!("{PATH}/restore");
    let back = Ask::new(Method::POST, APP, token).at(&restore, &restore);
    all.ask(server, back.body(json!({ "version": "1" }).to_string()))
        .await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        all.ask(server, Ask::get("", "").at(path, path)).await;
    }
}

async fn refusals_of_reading(all: &mut Recorder, server: &Running, token: &str, reader: &str) {
    for (query, token) in [
        ("", token),
        ("?repo=..", token),
        ("?repo=acme/app&wait=soon", token),
        ("?repo=acme/app&keys=../a.md", token),
        (APP, ""),
        (APP, "nobody's"),
        ("?repo=acme/other", reader),
        ("?repo=acme/other", token),
    ] {
        let answer = all.ask(server, Ask::get(query, token)).await;
        assert!(answer.status.as_u16() >= 400, "{query}");
    }
    let blob = format!("{PATH}/blob/{{hash}}");
    let asked = format!("{PATH}/blob/{}", "0".repeat(64));
    all.ask(server, Ask::get(APP, token).at(&blob, &asked))
        .await;
    all.ask(server, Ask::get("", token).at("", "/elsewhere"))
        .await;
    all.ask(server, Ask::new(Method::DELETE, APP, token).at("", PATH))
        .await;
}

async fn refusals_of_writing(all: &mut Recorder, server: &Running, token: &str, reader: &str) {
    let secret = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let entries = |entries: Value| json!({ "entries": entries });
    let large = "x".repeat(250_000);
    let (one, two) = ("y".repeat(150_000), "z".repeat(100_000));
    let many: BTreeMap<String, &str> = (0..6).map(|at| (format!("{at}.md"), "x")).collect();
    for body in [
        json!([1]),
        entries(json!({ "../a.md": "x" })),
        json!({ "entries": {}, "bases": { "a.md": "md5" } }),
        entries(json!({ "A.md": "x" })),
        entries(json!({ "large.md": "x".repeat(256_001) })),
        entries(json!({ "one.md": one, "two.md": two })),
        entries(json!(many)),
        entries(json!({ "secret.md": secret })),
        json!({ "entries": { "a.md": "other" }, "op_id": "one" }),
    ] {
        let answer = all.ask(server, Ask::put(&body, token)).await;
        assert!(answer.status.as_u16() >= 400, "{}", answer.text);
        assert!(!answer.text.contains(&secret), "{}", answer.text);
    }
    let body = entries(json!({ "a.md": "new" }));
    all.ask(
        server,
        Ask::put(&body, token).header("if-match", "\"v1-000000\""),
    )
    .await;
    all.ask(server, Ask::put(&body, token).header("x-nothing", "1"))
        .await;
    let expected = json!({ "entries": { "a.md": "new" }, "expected_version": "newest" });
    all.ask(server, Ask::put(&expected, token).header("x-nothing", "1"))
        .await;
    all.ask(server, Ask::put(&body, reader)).await;
    // Four times 250,000 bytes are more than the repository may hold.
    for name in ["a.md", "b.md", "c.md", "d.md"] {
        all.ask(server, Ask::put(&entries(json!({ name: large })), token))
            .await;
    }
    let restore = format!("{PATH}/restore");
    for body in [json!({ "version": 99 }), json!({})] {
        let back = Ask::new(Method::POST, APP, token).at(&restore, &restore);
        all.ask(server, back.body(body.to_string())).await;
    }
}

/// A body that never comes to its end.
fn slow_body(server: &Running, token: &str) -> Answer {
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    write!(
        stream,
        "PUT {PATH}{APP} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nif-match: *\r\n\
         content-length: 1000\r\n\r\n{{\"entries\":"
    )
    .expect("half a request");
    let mut text = String::new();
    stream
        .read_to_string(&mut text)
        .expect("an answer, and the end");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 408 "), "{head}");
    Answer {
        status: reqwest::StatusCode::REQUEST_TIMEOUT,
        kind: "application/problem+json".into(),
        body: serde_json::from_str(body).expect("a problem"),
        ..Answer::default()
    }
}

/// More requests than a token has.
async fn crowded(all: &mut Recorder) {
    let mut limits = Limits::default();
    limits.reads_per_minute = 1;
    let server = Running::start_with(Place::sqlite(), limits).await;
    let token = server.token.clone();
    for _ in 0..3 {
        all.ask(&server, Ask::get(APP, &token)).await;
    }
}

/// No room for what is sent.
async fn full(all: &mut Recorder) {
    let server = Running::start(Place::small()).await;
    let token = server.token.clone();
    let body = json!({ "entries": { "a.md": noise(1, 200_000) } });
    let put = Ask::put(&body, &token).header("if-none-match", "*");
    let answer = all.ask(&server, put).await;
    assert_eq!(answer.status.as_u16(), 507);
    assert_eq!(answer.retry_after, Some(60));
}

#[tokio::test]
async fn what_is_described_is_there() {
    let server = Running::start(Place::sqlite()).await;
    let document = document();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        for method in operations
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
        {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            let asked = path.replace("{hash}", "0");
            let answer = Answer::of(
                server
                    .request(method.clone(), &asked)
                    .send()
                    .await
                    .expect("an answer"),
            )
            .await;
            let code = answer.body["code"].as_str().unwrap_or_default();
            assert!(!code.starts_with("no_such"), "{method} {path}: {code}");
        }
    }
}

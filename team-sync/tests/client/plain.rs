//! Our client and a server that is not ours: the base form over real sockets, with nothing of the extensions.
//!
//! The server here shares no code with ours. Its tags say nothing, it compares them as they stand, it has no
//! deletes, it ignores what it does not know, and it knows only the texts, conditions and limits of the base
//! form.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{map_request, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use team_sync::client::{HttpOptions, HttpTransport, Note, SyncOptions, SyncReport, Token};
use team_sync::{Checksum, Error, ErrorKind};

use crate::sync::{Home, done};

const TOKEN: &str = "not-a-real-token";

/// What the foreign server holds and has seen.
#[derive(Default)]
struct Store {
    revision: u32,
    texts: BTreeMap<String, String>,
    most_entries: usize,
    most_body: usize,
    /// Method, query and the conditions of each request, and the status of its answer.
    log: Vec<(String, u16)>,
    puts: usize,
    /// Whether a `PUT` held anything but `entries` and what shows who sent it.
    extended: bool,
}

impl Store {
    fn tag(&self) -> String {
        format!("\"rev.{}\"", self.revision)
    }
}

type Shared = Arc<Mutex<Store>>;

fn problem(status: u16, more: Value) -> Response {
    let mut body = more;
    body["title"] = json!("no");
    let status = StatusCode::from_u16(status).expect("a status");
    (status, Json(body)).into_response()
}

async fn read(
    State(store): State<Shared>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let mut store = store.lock().expect("no panic");
    let answer = if headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes)
        != Some(format!("Bearer {TOKEN}").as_bytes())
    {
        problem(401, json!({}))
    } else if store.revision == 0 {
        problem(404, json!({}))
    } else if headers
        .get(header::IF_NONE_MATCH)
        .map(HeaderValue::as_bytes)
        == Some(store.tag().as_bytes())
    {
        (StatusCode::NOT_MODIFIED, [(header::ETAG, store.tag())]).into_response()
    } else {
        let sums: BTreeMap<_, _> = store
            .texts
            .iter()
            .map(|(key, text)| (key, Checksum::of(text).to_string()))
            .collect();
        let mut body = json!({
            "repo": "acme/app", "version": store.revision, "updated_at": "then", "checksums": sums,
        });
        if query.get("view").map(String::as_str) != Some("hashes") {
            body["entries"] = json!(store.texts);
        }
        ([(header::ETAG, store.tag())], Json(body)).into_response()
    };
    let query: Vec<_> = query.iter().filter(|(name, _)| *name != "repo").collect();
    store
        .log
        .push((format!("GET {query:?}"), answer.status().as_u16()));
    answer
}

async fn change(State(store): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let mut store = store.lock().expect("no panic");
    store.puts += 1;
    let answer = put(&mut store, &headers, &body);
    store.log.push(("PUT".into(), answer.status().as_u16()));
    answer
}

fn put(store: &mut Store, headers: &HeaderMap, body: &Bytes) -> Response {
    let Ok(body_json) = serde_json::from_slice::<Value>(body) else {
        return problem(400, json!({}));
    };
    let known = ["entries", "author", "client"];
    let fields = body_json.as_object().expect("an object").keys();
    store.extended |= fields
        .into_iter()
        .any(|field| !known.contains(&field.as_str()));
    let entries: BTreeMap<String, String> =
        serde_json::from_value(body_json["entries"].clone()).expect("entries");
    if body.len() > store.most_body && entries.len() > 1 {
        return problem(
            413,
            json!({ "code": "body_too_large", "max_body_bytes": store.most_body }),
        );
    }
    let new = entries
        .keys()
        .filter(|key| !store.texts.contains_key(*key))
        .count();
    if store.texts.len() + new > store.most_entries {
        return problem(
            413,
            json!({ "code": "too_many_entries", "max_entries": store.most_entries }),
        );
    }
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let holds = match (text(header::IF_MATCH), text(header::IF_NONE_MATCH)) {
        (Some(tag), _) => tag == store.tag(),
        (None, Some("*")) => store.revision == 0,
        _ => return problem(428, json!({})),
    };
    if !holds {
        return problem(412, json!({ "version": store.revision }));
    }
    let sums: BTreeMap<_, _> = entries
        .iter()
        .map(|(key, text)| (key.clone(), Checksum::of(text).to_string()))
        .collect();
    store.texts.extend(entries);
    store.revision += 1;
    let body = json!({ "version": store.revision, "checksums": sums });
    ([(header::ETAG, store.tag())], Json(body)).into_response()
}

/// The foreign server on a port of its own, and what is between it and us.
struct Running {
    runtime: tokio::runtime::Runtime,
    address: SocketAddr,
    store: Shared,
}

impl Running {
    fn start(between: impl FnOnce(Router) -> Router) -> Self {
        let store = Shared::default();
        {
            let mut store = store.lock().expect("no panic");
            (store.most_entries, store.most_body) = (500, 204_800);
        }
        let path = "/api/claude_code/team_memory";
        let service = Router::new()
            .route(path, get(read).put(change))
            .layer(axum::extract::DefaultBodyLimit::max(3 * 1024 * 1024))
            .with_state(Arc::clone(&store));
        let service = between(service);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, service).await });
        Self {
            runtime,
            address,
            store,
        }
    }

    fn sync(&self, home: &Home, seed: u64) -> Result<SyncReport, Error> {
        self.sync_as(home, seed, TOKEN)
    }

    fn sync_as(&self, home: &Home, seed: u64, token: &str) -> Result<SyncReport, Error> {
        let url = format!("http://{}", self.address);
        let options = HttpOptions::new(&url, "acme/app", Token::new(token));
        let transport = HttpTransport::new(&options).expect("a transport");
        let client = home.client(Box::new(transport), seed);
        self.runtime.block_on(client.sync(&SyncOptions::default()))
    }

    fn log(&self) -> Vec<(String, u16)> {
        std::mem::take(&mut self.store.lock().expect("no panic").log)
    }
}

#[test]
fn two_clients_and_a_foreign_server_stay_in_step() {
    let server = Running::start(|service| service);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("deploy.md", "Tuesdays\n");
    ana.write("dir/log.md", "start\n");
    ana.write("\u{8bb0}\u{5fc6}.md", "\u{4f60}\u{597d}\n");
    server.sync(&ana, 1).expect("a sync");
    server.sync(&ben, 2).expect("a sync");
    assert_eq!(ana.files(), ben.files());

    // Edits that meet: one merges, one keeps both.
    ana.write("dir/log.md", "start\nana\n");
    ben.write("dir/log.md", "start\nben\n");
    ana.write("deploy.md", "Wednesdays\n");
    ben.write("deploy.md", "Thursdays\n");
    server.sync(&ana, 3).expect("a sync");
    server.sync(&ben, 4).expect("a sync");
    server.sync(&ana, 5).expect("a sync");
    assert_eq!(ana.files(), ben.files());
    assert_eq!(ana.read("dir/log.md").as_deref(), Some("start\nana\nben\n"));
    let texts: Vec<String> = ana.files().into_values().collect();
    for text in ["Wednesdays\n", "Thursdays\n"] {
        assert!(texts.iter().any(|one| one == text), "{texts:?}");
    }

    // A server without deletes keeps everything, and that is said.
    ben.remove("\u{8bb0}\u{5fc6}.md");
    let report = server.sync(&ben, 6).expect("a sync");
    let held = team_sync::HoldReason::ServerKeepsAll;
    assert!(
        report
            .notes
            .iter()
            .any(|(_, note)| *note == Note::Held(held)),
        "{report:?}"
    );
    server.log();
    let report = server.sync(&ana, 7).expect("a sync");
    assert_eq!((report.requests, done(&report).len()), (1, 0));
    assert_eq!(server.log(), [("GET []".to_owned(), 304)]);
    assert!(
        !server.store.lock().expect("no panic").extended,
        "nothing that a plain server has not announced"
    );
}

#[test]
fn a_stale_condition_leads_to_a_look_at_the_hashes_and_to_a_second_try() {
    let server = Running::start(|service| service);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("a.md", "start\n");
    ana.write("b.md", "b\n");
    server.sync(&ana, 1).expect("a sync");
    server.sync(&ben, 2).expect("a sync");
    // Ana pushes without having seen what Ben pushed.
    let push = SyncOptions::default().with_push_only(true);
    server.sync(&ana, 3).expect("a sync");
    ben.write("a.md", "start\nben\n");
    server.sync(&ben, 4).expect("a sync");
    ana.write("a.md", "start\nana\n");
    server.log();
    let url = format!("http://{}", server.address);
    let options = HttpOptions::new(&url, "acme/app", Token::new(TOKEN));
    let transport = HttpTransport::new(&options).expect("a transport");
    let client = ana.client(Box::new(transport), 5);
    server.runtime.block_on(client.sync(&push)).expect("a sync");
    let log = server.log();
    assert_eq!(log[0], ("PUT".to_owned(), 412));
    assert_eq!(log[1], ("GET [(\"view\", \"hashes\")]".to_owned(), 200));
    assert_eq!(log.last(), Some(&("PUT".to_owned(), 200)), "{log:?}");
    let texts = server.store.lock().expect("no panic").texts.clone();
    assert_eq!(texts["a.md"], "start\nben\nana\n");
}

#[test]
fn limits_are_learnt_and_what_is_left_out_is_said() {
    let server = Running::start(|service| service);
    {
        let mut store = server.store.lock().expect("no panic");
        (store.most_entries, store.most_body) = (6, 5_000);
    }
    let ana = Home::new("ana");
    for at in 0..5 {
        ana.write(&format!("m{at}.md"), &"x".repeat(2_000));
    }
    server.sync(&ana, 1).expect("a sync");
    assert_eq!(server.store.lock().expect("no panic").texts.len(), 5);
    let refused = server
        .log()
        .iter()
        .filter(|(_, status)| *status == 413)
        .count();
    assert!(refused >= 1);
    // The limit is remembered: no body is too large a second time.
    for at in 0..5 {
        ana.write(&format!("m{at}.md"), &"y".repeat(2_000));
    }
    ana.write("one.md", "1\n");
    ana.write("two.md", "2\n");
    let report = server.sync(&ana, 2).expect("a sync");
    let refused = server
        .log()
        .iter()
        .filter(|(_, status)| *status == 413)
        .count();
    assert!(refused <= 2, "only for the number of entries: {refused}");
    let store = server.store.lock().expect("no panic");
    assert_eq!(store.texts.len(), 6);
    assert!(
        store
            .texts
            .values()
            .filter(|text| text.starts_with('y'))
            .count()
            == 5
    );
    let left = report
        .notes
        .iter()
        .filter(|(_, note)| matches!(note, Note::NotTaken(_)));
    assert_eq!(left.count(), 1, "{report:?}");
}

#[test]
fn a_large_entry_goes_alone_up_to_the_limit_of_an_entry() {
    let server = Running::start(|service| service);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    ana.write("small.md", "small\n");
    ana.write("large.md", &"\"\\\n".repeat(256_000 / 3));
    ana.write("larger.md", &"x".repeat(256_001));
    let report = server.sync(&ana, 1).expect("a sync");
    server.sync(&ben, 2).expect("a sync");
    assert_eq!(ben.read("large.md"), ana.read("large.md"));
    assert_eq!(ben.read("small.md"), ana.read("small.md"));
    assert_eq!(ben.read("larger.md"), None);
    assert!(report.notes.iter().any(|(key, _)| key == "larger.md"));
}

#[test]
fn class_14_a_tag_that_a_proxy_weakens_gives_304_and_no_412() {
    for suffix in ["-gzip", "--gzip", ";br", ""] {
        let weaken = move |mut response: Response| async move {
            if let Some(tag) = response.headers().get(header::ETAG) {
                let tag = tag.to_str().expect("a tag").trim_matches('"');
                let weak = format!("W/\"{tag}{suffix}\"");
                let weak = HeaderValue::from_str(&weak).expect("a header");
                response.headers_mut().insert(header::ETAG, weak);
            }
            response
        };
        let server = Running::start(|service| service.layer(map_response(weaken)));
        let ana = Home::new("ana");
        ana.write("a.md", "one\n");
        server.sync(&ana, 1).expect("a sync");
        server.sync(&ana, 2).expect("a sync");
        server.log();
        server.sync(&ana, 3).expect("a sync");
        assert_eq!(server.log(), [("GET []".to_owned(), 304)], "{suffix}");
        ana.write("a.md", "two\n");
        server.sync(&ana, 4).expect("a sync");
        let log = server.log();
        assert_eq!(
            log.last(),
            Some(&("PUT".to_owned(), 200)),
            "{suffix}: {log:?}"
        );
    }
}

#[test]
fn class_15_a_proxy_that_removes_conditions_is_named_and_nothing_is_written_blindly() {
    let strip = |mut request: Request| async move {
        request.headers_mut().remove(header::IF_MATCH);
        request.headers_mut().remove(header::IF_NONE_MATCH);
        request
    };
    let server = Running::start(|service| service.layer(map_request(strip)));
    let ana = Home::new("ana");
    ana.write("a.md", "one\n");
    let error = server.sync(&ana, 1).expect_err("no condition arrives");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("removes If-Match"), "{error}");
    assert!(server.store.lock().expect("no panic").texts.is_empty());

    // The tag is lost on the way to us: a change would have no condition.
    let strip = |mut response: Response| async move {
        response.headers_mut().remove(header::ETAG);
        response
    };
    let server = Running::start(|service| service.layer(map_response(strip)));
    let ben = Home::new("ben");
    {
        let mut store = server.store.lock().expect("no panic");
        store.texts.insert("theirs.md".into(), "theirs\n".into());
        store.revision = 9;
    }
    ben.write("b.md", "b\n");
    let puts = server.store.lock().expect("no panic").puts;
    let error = server.sync(&ben, 3).expect_err("no tag arrives");
    assert!(error.to_string().contains("ETag"), "{error}");
    assert_eq!(server.store.lock().expect("no panic").puts, puts);
    assert_eq!(
        ben.read("theirs.md").as_deref(),
        Some("theirs\n"),
        "taking goes on"
    );
}

#[test]
fn a_foreign_server_that_goes_back_to_a_backup_gets_the_newer_texts_again() {
    let server = Running::start(|service| service);
    let ana = Home::new("ana");
    for (seed, text) in ["one\n", "two\n", "three\n"].into_iter().enumerate() {
        ana.write("a.md", text);
        server.sync(&ana, seed as u64).expect("a sync");
    }
    {
        let mut store = server.store.lock().expect("no panic");
        store.texts.insert("a.md".into(), "one\n".into());
        store.revision = 1;
    }
    server.sync(&ana, 10).expect("a sync");
    assert_eq!(ana.files().into_values().collect::<Vec<_>>(), ["three\n"]);
    let texts = server.store.lock().expect("no panic").texts.clone();
    assert_eq!(texts["a.md"], "three\n");
}

#[test]
fn another_token_lifts_what_the_old_one_was_refused_for() {
    let server = Running::start(|service| service);
    let ana = Home::new("ana");
    ana.write("a.md", "one\n");
    let error = server.sync_as(&ana, 1, "stolen").expect_err("not known");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("log in again"), "{error}");
    assert!(!error.to_string().contains("stolen"));
    server.sync(&ana, 2).expect("a sync");
    assert_eq!(
        server.store.lock().expect("no panic").texts["a.md"],
        "one\n"
    );
}

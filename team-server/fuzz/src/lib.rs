//! Bodies of the fuzz targets of memstrata-server.
#![allow(
    clippy::missing_panics_doc,
    reason = "a panic is what a fuzz target looks for"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use memstrata_server::change::{Change, Entry, Precondition, State, decide as decide_change};
use memstrata_server::{Limits, ServerOptions, Sqlite, SqliteOptions, router};
use team_sync::wire::Problem;
use team_sync::{Checksum, Tag, TeamKey};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::watch;

const TOKEN: &str = "development-only";

/// A server whose store lies in memory where the system has such a folder.
struct Server {
    service: TowerToHyperService<axum::Router>,
    runtime: Runtime,
    _folder: TempDir,
    _stop: watch::Sender<bool>,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.expect("a folder");
    let mut limits = Limits::default();
    limits.reads_per_minute = u32::MAX;
    limits.writes_per_minute = u32::MAX;
    let mut options = SqliteOptions::new(folder.path().to_owned());
    options.limits = limits;
    let (stop, stopping) = watch::channel(false);
    let router = router(ServerOptions {
        store: Arc::new(Sqlite::open(&options).expect("a store").into()),
        limits,
        development_token: Some(TOKEN.into()),
        clock: Arc::new(|| "2026-11-30T12:00:00Z".into()),
        stopping,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    Server {
        service: TowerToHyperService::new(router),
        runtime: runtime.expect("a runtime"),
        _folder: folder,
        _stop: stop,
    }
});

/// Method, address, headers and body of a request, as text: the first line, the headers, a blank line, the rest.
fn parse(data: &[u8]) -> Option<Request<Body>> {
    let end = data
        .windows(2)
        .position(|pair| pair == b"\n\n")
        .unwrap_or(data.len());
    let body = data.get(end + 2..).unwrap_or_default().to_vec();
    let mut lines = data[..end].split(|byte| *byte == b'\n');
    let first = std::str::from_utf8(lines.next()?).ok()?;
    let (method, address) = first.split_once(' ')?;
    // Polls that wait would only slow the search.
    if address.contains("wait") {
        return None;
    }
    let mut request = Request::builder()
        .method(method)
        .uri(address)
        .header("authorization", format!("Bearer {TOKEN}"));
    for line in lines {
        let at = line.iter().position(|byte| *byte == b':')?;
        request = request.header(&line[..at], line.get(at + 1..)?);
    }
    let mut request = request.body(Body::from(body)).ok()?;
    let loopback = SocketAddr::from(([127, 0, 0, 1], 1));
    request.extensions_mut().insert(ConnectInfo(loopback));
    Some(request)
}

/// Any request is answered; with a problem that says what helps, or with success; never by a failure inside.
pub fn request(data: &[u8]) {
    let Some(request) = parse(data) else { return };
    let server = &*SERVER;
    server.runtime.block_on(async {
        let answer = server.service.call(request).await.expect("an answer");
        let status = answer.status().as_u16();
        assert!(status < 500, "{status}");
        let kind = answer.headers().get("content-type").cloned();
        let body = axum::body::to_bytes(answer.into_body(), 64 << 20)
            .await
            .expect("a body");
        if status >= 400 && kind.is_some_and(|kind| kind == "application/problem+json") {
            let problem: Problem = serde_json::from_slice(&body).expect("a problem");
            assert_eq!(problem.status, status);
            assert!(
                problem.detail.contains("; ") && !problem.code.is_empty(),
                "{}",
                problem.detail
            );
        }
    });
}

/// Few names, so that they meet; some are one file on some file systems.
const NAMES: [&str; 8] = [
    "a.md",
    "A.md",
    "b.md",
    "b.md/c.md",
    "d/e.md",
    "d.md",
    "é.md",
    "D/e.md",
];

const TEXTS: [&str; 4] = [
    "",
    "one\n",
    "two\n",
    "a longer text than the limit allows\n",
];

/// Bytes that become choices.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn next(&mut self, below: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % below
    }

    fn key(&mut self) -> TeamKey {
        TeamKey::parse(NAMES[self.next(NAMES.len())]).expect("a key")
    }

    fn text(&mut self) -> &'static str {
        TEXTS[self.next(TEXTS.len())]
    }

    fn checksum(&mut self) -> Option<Checksum> {
        let at = self.next(TEXTS.len() + 1);
        TEXTS.get(at).map(|text| Checksum::of(text))
    }
}

/// A decision changes what was asked for and nothing else, keeps the limits, and a repeat of it is done already.
pub fn decide(data: &[u8]) {
    let mut choices = Choices(data.iter());
    let mut limits = Limits::default();
    limits.entries = 1 + choices.next(5);
    limits.entry_bytes = 20;
    limits.repository_bytes = choices.next(30) as u64;
    let mut state = State {
        epoch: "abcdef".into(),
        version: choices.next(3) as u64,
        entries: BTreeMap::new(),
    };
    for _ in 0..choices.next(5) {
        let (key, text) = (choices.key(), choices.text());
        let entry = Entry {
            checksum: Checksum::of(text),
            bytes: text.len() as u64,
        };
        state.entries.insert(key, entry);
    }
    let mut change = Change {
        repository: "acme/app".into(),
        entries: BTreeMap::new(),
        deletes: BTreeSet::new(),
        bases: (choices.next(2) == 1).then(BTreeMap::new),
        precondition: match choices.next(6) {
            0 => Precondition::None,
            1 => Precondition::Absent,
            2 => Precondition::Present,
            3 => Precondition::Tags(vec![state.tag()]),
            4 => Precondition::Tags(vec![Tag::new(99, "abcdef")]),
            _ => Precondition::Version(choices.next(3) as u64),
        },
        op_id: None,
        digest: String::new(),
        author: String::new(),
        client: String::new(),
        at: String::new(),
    };
    for _ in 0..choices.next(5) {
        let key = choices.key();
        if let Some(bases) = &mut change.bases {
            bases.insert(key.clone(), choices.checksum());
        }
        if choices.next(3) == 0 {
            change.entries.remove(&key);
            change.deletes.insert(key);
        } else {
            change.deletes.remove(&key);
            change.entries.insert(key, choices.text().to_owned());
        }
    }
    let Ok(effects) = decide_change(&state, &change, &limits) else {
        return;
    };
    assert!(change.precondition != Precondition::None || change.bases.is_some());
    let mut after = state.clone();
    for key in &effects.stored {
        let text = &change.entries[key];
        assert!(text.len() <= limits.entry_bytes);
        let entry = Entry {
            checksum: Checksum::of(text),
            bytes: text.len() as u64,
        };
        assert_ne!(after.entries.insert(key.clone(), entry), Some(entry));
    }
    for (key, checksum) in &effects.deleted {
        assert!(change.deletes.contains(key));
        assert_eq!(
            after.entries.remove(key).map(|entry| entry.checksum),
            Some(*checksum)
        );
    }
    let most = limits.entries.max(state.entries.len());
    assert!(effects.is_empty() || after.entries.len() <= most);
    let bytes = |state: &State| state.entries.values().map(|entry| entry.bytes).sum::<u64>();
    assert!(effects.is_empty() || bytes(&after) <= limits.repository_bytes.max(bytes(&state)));
    // Whoever repeats it, because the answer was lost, is told that it is done.
    after.version += u64::from(!effects.is_empty());
    if change.precondition != Precondition::None {
        let again = decide_change(&after, &change, &limits).expect("done already");
        assert!(again.is_empty());
    }
}

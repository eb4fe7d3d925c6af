//! A team of two: two homes, one server in this process, and a memory that travels between them.
//!
//! ```text
//! cargo run --example two_homes --features session-team
//! ```

use std::path::Path;
use std::sync::Arc;

use memstrata::memdir::{MemoryType, Origin, SaveRequest, Scope, Store};
use memstrata::session::Connect;
use memstrata::team_sync::client::{Client, ClientOptions, HttpOptions, HttpTransport, Token};
use memstrata::{Session, SessionBuilder};
use memstrata_server::{Limits, ServerOptions, Sqlite, SqliteOptions, router, serve};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Taken from this machine only; a real server has tokens of persons.
const TOKEN: &str = "for-this-example";
const REPOSITORY: &str = "acme/app";

#[expect(clippy::print_stdout, reason = "an example shows what happens")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (stop, stopping) = watch::channel(false);
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let url = format!("http://{}", listener.local_addr()?);
    let server = ServerOptions {
        store: Arc::new(Sqlite::open(&SqliteOptions::new(scratch.path().join("data")))?.into()),
        limits: Limits::default(),
        development_token: Some(TOKEN.into()),
        clock: Arc::new(|| "2026-03-05T14:02:11Z".into()),
        stopping: stopping.clone(),
    };
    let limits = Limits::default();
    let running =
        runtime.spawn(async move { serve(listener, router(server), &limits, stopping).await });

    // Ada saves a convention for the team. Ending the session sends what is unsent.
    let ada = person(scratch.path(), "ada", &url)?.start()?;
    let convention = SaveRequest::new(
        MemoryType::Feedback,
        "Squash merges",
        "one commit for each pull request, so that bisecting works",
        "Squash before merging.\n\n**Why:** bisecting\n**How to apply:** every pull request\n",
    )
    .with_scope(Scope::Team);
    ada.store().save(&convention, &Origin::person("ada"))?;
    println!("ada: {}", summary(&ada.end().events));

    // Bo's session pulls before anything is asked.
    let bo = person(scratch.path(), "bo", &url)?.start()?;
    println!("bo: {}", summary(&bo.events()));
    let recalled = bo.recall("shall I squash before I merge?");
    for memory in &recalled.memories {
        println!("bo recalls {} ({})", memory.path, memory.age);
    }
    assert!(
        recalled.text.contains("Squash before merging"),
        "{:?}",
        bo.events()
    );
    bo.end();

    stop.send_replace(true);
    runtime.block_on(running)??;
    Ok(())
}

/// A person with a home and a checkout of their own.
fn person(scratch: &Path, name: &str, url: &str) -> std::io::Result<SessionBuilder> {
    let project = scratch.join(name).join("app");
    std::fs::create_dir_all(&project)?;
    let (url, name) = (url.to_owned(), name.to_owned());
    let home = scratch.join(&name).join("home");
    let connect: Connect = Arc::new(move |store: &Store| {
        let options = HttpOptions::new(&url, REPOSITORY, Token::new(TOKEN));
        let transport = Box::new(HttpTransport::new(&options)?);
        let options = ClientOptions::new(REPOSITORY, &name, random).with_author(Some(name.clone()));
        Client::for_store(store, transport, options)
    });
    Ok(Session::builder().project(project).home(home).team(connect))
}

/// Names for requests. A program takes them from its operating system.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// What travelled.
fn summary(events: &[memstrata::session::Event]) -> String {
    let travelled = events.iter().filter_map(|event| match &event.happened {
        memstrata::session::Happened::Team { done, .. } => Some(done),
        _ => None,
    });
    let words = travelled
        .flatten()
        .map(|(key, done)| format!("{done} {key}"));
    words.collect::<Vec<_>>().join(", ")
}

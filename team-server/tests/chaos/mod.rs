//! Real processes under a network that fails, editors that never rest, and `kill -9`.
//!
//! Four clients and one server, or two on one database; a proxy between them that tears, delays, repeats and
//! forgets; people who write, rename and delete all the time. Then quiet, and the reckoning: all folders are
//! equal, no acknowledged edit is missing, no file is torn, nothing temporary is left, and the server's own
//! check finds nothing.

mod client;
mod editor;
mod ledger;
mod proxy;
mod server;
mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::{Ended, Person};
use editor::Editor;
use ledger::Ledger;
use proxy::Proxy;
use server::Servers;
pub(crate) use server::Store;
use test_support::Random;

/// What one run is made of.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    /// How long the editors edit.
    pub(crate) time: Duration,
    /// The longest rest of an editor between two edits.
    pub(crate) rest: Duration,
    /// `memstrata-server`.
    pub(crate) server: PathBuf,
    /// The client's program.
    pub(crate) client: PathBuf,
    pub(crate) store: Store,
    /// One for a folder, several for a database.
    pub(crate) servers: usize,
    pub(crate) clients: usize,
    /// How many of them are watchers that go on until they are killed; the others come and go.
    pub(crate) watchers: usize,
    /// How many of a hundred requests meet a fault.
    pub(crate) fault_percent: u64,
    /// How many of a hundred runs of a client are killed.
    pub(crate) kill_percent: usize,
    /// Where homes and logs lie; removed by the caller.
    pub(crate) folder: PathBuf,
}

/// What a run has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) edits: usize,
    pub(crate) acknowledged: usize,
    pub(crate) lost: usize,
    /// Saves that a client's rename hit in the moment after its look; never acknowledged.
    pub(crate) overtaken: usize,
    pub(crate) conflict_copies: usize,
    pub(crate) doubled: usize,
    /// Temporary files of killed clients, which the next runs removed.
    pub(crate) left_over: usize,
    /// Files that a person was asked to rename, and did.
    pub(crate) twins: usize,
    pub(crate) syncs: u64,
    pub(crate) client_kills: u64,
    pub(crate) server_kills: u64,
    pub(crate) requests: u64,
    pub(crate) faults: BTreeMap<String, u64>,
    /// Rounds of all clients until nothing moved any more.
    pub(crate) rounds: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: u64 = self.faults.values().sum();
        write!(
            formatter,
            "edits {}, acknowledged {}, lost {}, overtaken {}, conflict copies {}, doubled lines {}, temporary files removed {}, twins renamed {}, runs of clients {}, \
             killed clients {}, killed servers {}, requests {}, faults {faults}, rounds to quiet {}",
            self.edits,
            self.acknowledged,
            self.lost,
            self.overtaken,
            self.conflict_copies,
            self.doubled,
            self.left_over,
            self.twins,
            self.syncs,
            self.client_kills,
            self.server_kills,
            self.requests,
            self.rounds
        )
    }
}

/// Counts and messages of the threads of a run.
#[derive(Default)]
struct Events {
    stop: AtomicBool,
    syncs: AtomicU64,
    client_kills: AtomicU64,
    server_kills: AtomicU64,
    failures: Mutex<Vec<String>>,
    journals: Mutex<Vec<String>>,
}

impl Events {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::SeqCst)
    }

    fn fail(&self, why: String) {
        self.failures.lock().expect("no panic inside").push(why);
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// One run with its reckoning; an error tells what is wrong, with the seed.
pub(crate) fn run(plan: &Plan) -> Result<Figures, String> {
    run_unnamed(plan).map_err(|why| {
        format!(
            "seed {} on {:?}, {:?}: {why}\nhomes and logs: {}",
            plan.seed,
            plan.store,
            plan.time,
            plan.folder.display()
        )
    })
}

fn run_unnamed(plan: &Plan) -> Result<Figures, String> {
    let log = plan.folder.join("server.log");
    let servers = Servers::start(&plan.server, plan.store.clone(), plan.servers, &log)?;
    let proxy = Proxy::start(servers.addresses(), plan.seed, plan.fault_percent)
        .map_err(|error| error.to_string())?;
    let ledger = Ledger::default();
    let mut people = Vec::new();
    for at in 0..plan.clients {
        let name = format!("c{at}");
        let (root, token) = (plan.folder.join(&name), servers.token(&name)?);
        let person = Person::new(&name, root, &plan.client, proxy.url(), token);
        people.push(person.map_err(|error| error.to_string())?);
    }
    for line in [
        "",
        "---",
        "name: note",
        "type: project",
        "# notes",
        "# index",
    ] {
        ledger.announce(line);
    }

    let events = Events::default();
    std::thread::scope(|scope| {
        for (at, person) in people.iter().enumerate() {
            let (ledger, events) = (&ledger, &events);
            let random = |part: u64| Random::of_part(plan.seed, part + at as u64);
            let editor = Editor::new(
                &person.name,
                &person.team(),
                &person.aside(),
                ledger,
                random(100),
            );
            scope.spawn(move || edit(editor, plan.rest, events));
            let random = random(200);
            if at < plan.clients - plan.watchers {
                scope.spawn(move || sync(person, ledger, events, random, plan.kill_percent));
            } else {
                scope.spawn(move || watch(person, events, random));
            }
        }
        scope.spawn(|| kill_servers(&servers, &events, Random::of_part(plan.seed, 300)));
        let begun = Instant::now();
        while events.goes_on() && begun.elapsed() < plan.time {
            std::thread::sleep(Duration::from_millis(20));
        }
        events.stop.store(true, Ordering::SeqCst);
        proxy.calm();
    });
    let journals = events.journals.lock().expect("no panic inside").join("\n");
    let _ = std::fs::write(plan.folder.join("journal.txt"), journals);
    if let Some(why) = events.failures.lock().expect("no panic inside").first() {
        return Err(why.clone());
    }

    let left_over = verdict::age_temporaries(&people)?;
    let mut twins = 0;
    let rounds = verdict::settle(&people, &ledger, &mut twins)?;
    let mut figures = verdict::reckon(&people, &ledger, &servers)?;
    figures.left_over = left_over;
    figures.rounds = rounds;
    figures.twins = twins;
    figures.syncs = events.syncs.load(Ordering::SeqCst);
    figures.client_kills = events.client_kills.load(Ordering::SeqCst);
    figures.server_kills = events.server_kills.load(Ordering::SeqCst);
    figures.requests = proxy.requests();
    figures.faults = proxy.faults();
    Ok(figures)
}

fn edit(mut editor: Editor<'_>, rest: Duration, events: &Events) {
    while events.goes_on() {
        editor.edit();
        editor.rest(rest);
    }
    let journal = editor.journal();
    events
        .journals
        .lock()
        .expect("no panic inside")
        .extend(journal);
}

fn sync(
    person: &Person,
    ledger: &Ledger,
    events: &Events,
    mut random: Random,
    kill_percent: usize,
) {
    while events.goes_on() {
        std::thread::sleep(random.millis(20, 300));
        let kill_after = random.chance(kill_percent).then(|| random.millis(1, 350));
        events.syncs.fetch_add(1, Ordering::SeqCst);
        match person.sync(ledger, false, kill_after) {
            Ok(Ended::Killed) => drop(events.client_kills.fetch_add(1, Ordering::SeqCst)),
            Ok(ended) => {
                let line = format!("{}: {ended:?}", person.name);
                events.journals.lock().expect("no panic inside").push(line);
            }
            Err(why) => events.fail(why),
        }
    }
}

/// What a watcher sends is acknowledged once another client has it and says so.
fn watch(person: &Person, events: &Events, mut random: Random) {
    while events.goes_on() {
        events.syncs.fetch_add(1, Ordering::SeqCst);
        let mut watching = match person.watch() {
            Ok(watching) => watching,
            Err(why) => return events.fail(why),
        };
        pause(events, random.millis(1_000, 6_000));
        if let Some(why) = watching.ended() {
            events.fail(format!("{}: {why}", person.name));
        }
        events.client_kills.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits, unless the run comes to its end.
fn pause(events: &Events, time: Duration) {
    let until = Instant::now() + time;
    while events.goes_on() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kill_servers(servers: &Servers, events: &Events, mut random: Random) {
    while events.goes_on() {
        pause(events, random.millis(800, 4_000));
        let at = random.below(servers.count());
        servers.kill(at);
        events.server_kills.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(random.millis(0, 700));
        if let Err(why) = servers.revive(at) {
            events.fail(why);
        }
    }
}

//! What a server does in a second, beside what its parts do without it.
//!
//! A load generator and not criterion: what counts is many clients at once, the commit on the disk, and the
//! slowest of a hundred answers. The server is a process of its own, on the same machine as its clients. With
//! the address of a PostgreSQL server in `MEMSTRATA_TEST_POSTGRES` its store is measured too;
//! `cargo xtask bench team-server` starts one whose commits wait for the disk. Words on the command line pick
//! the rows that contain one of them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench prints its figures"
)]

mod baseline;
mod load;
mod process;
mod texts;

use std::time::Duration;

use load::{AsyncAction, Client, Figures};
use process::{Server, Store};
use texts::Writer;

/// Clients at once.
const CLIENTS: usize = 32;

/// How long each row is measured, after a start that is not counted.
const MEASURED: Duration = Duration::from_secs(5);

/// Repositories of the row about memory.
const REPOSITORIES: usize = 10_000;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let is_wanted =
        |row: &str| wanted.is_empty() || wanted.iter().any(|word| row.contains(word.as_str()));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        Figures::print_head();
        if is_wanted("axum echo") {
            baseline::echo()
                .await
                .print("baseline: bare axum, 110 KB read, 2 KB answered");
        }
        if is_wanted("rusqlite loop") {
            baseline::sqlite().print("baseline: rusqlite loop, 50 x 2 KB a commit");
        }
        let postgres = std::env::var("MEMSTRATA_TEST_POSTGRES").ok();
        if let Some(address) = &postgres
            && is_wanted("sqlx loop")
        {
            baseline::postgres(address)
                .await
                .print("baseline: sqlx loop x 32, 50 x 2 KB a commit");
        }
        let mut stores = vec![Store::sqlite()];
        match postgres {
            Some(address) => stores.push(Store::postgres(&address).await),
            None => eprintln!("MEMSTRATA_TEST_POSTGRES is not set: PostgreSQL is not measured"),
        }
        for store in stores {
            rows(&store, &is_wanted).await;
        }
    });
}

async fn rows(store: &Store, is_wanted: &impl Fn(&str) -> bool) {
    let name = store.name();
    let server = Server::start(store);
    if is_wanted(&format!("{name} put")) {
        put(&server)
            .await
            .print(&format!("{name}: PUT of 50 x 2 KB, a repository each"));
    }
    if is_wanted(&format!("{name} hot")) {
        let label = format!("{name}: PUT of 15 x 2 KB, all on one repository");
        hot(&server).await.print(&label);
    }
    if is_wanted(&format!("{name} small")) {
        small(&server)
            .await
            .print(&format!("{name}: PUT of 1 x 2 KB, a repository each"));
    }
    if is_wanted(&format!("{name} 304")) {
        unchanged(&server)
            .await
            .print(&format!("{name}: GET with If-None-Match, 304"));
    }
    if is_wanted(&format!("{name} pull")) {
        since(&server)
            .await
            .print(&format!("{name}: GET ?since= with one new entry of 2 KB"));
    }
    if is_wanted(&format!("{name} memory")) {
        drop(server);
        let server = Server::start(store);
        fill(&server).await;
        println!(
            "{:<56} {:>9} MB resident, {REPOSITORIES} repositories written and asked for",
            format!("{name}: memory of the server"),
            server.resident_bytes() / 1_000_000
        );
    }
}

/// Changes its entries again and again.
struct Puts {
    client: Client,
    writer: Writer,
}

impl AsyncAction for Puts {
    async fn act(&mut self) -> bool {
        self.client.ask(&self.writer.next_put()).await == 200
    }
}

/// Asks the same again and again.
struct Gets {
    client: Client,
    request: Vec<u8>,
    status: u16,
}

impl AsyncAction for Gets {
    async fn act(&mut self) -> bool {
        self.client.ask(&self.request).await == self.status
    }
}

async fn put(server: &Server) -> Figures {
    load::run(CLIENTS, MEASURED, async |number| {
        let client = server.connect().await;
        let writer = Writer::new(&format!("bench/put{number}"), number, 50);
        Puts { client, writer }
    })
    .await
}

async fn hot(server: &Server) -> Figures {
    load::run(CLIENTS, MEASURED, async |number| {
        let client = server.connect().await;
        // 32 times 15 keys are within the limit of a repository.
        let writer = Writer::new("bench/hot", number, 15);
        Puts { client, writer }
    })
    .await
}

async fn small(server: &Server) -> Figures {
    load::run(CLIENTS, MEASURED, async |number| {
        let client = server.connect().await;
        let writer = Writer::new(&format!("bench/small{number}"), number, 1);
        Puts { client, writer }
    })
    .await
}

async fn unchanged(server: &Server) -> Figures {
    load::run(CLIENTS, MEASURED, async |number| {
        let mut client = server.connect().await;
        let repository = format!("bench/same{number}");
        let mut writer = Writer::new(&repository, number, 50);
        assert_eq!(client.ask(&writer.next_put()).await, 200);
        let request = texts::get(&repository, "", &client.tag);
        Gets {
            client,
            request,
            status: 304,
        }
    })
    .await
}

async fn since(server: &Server) -> Figures {
    load::run(CLIENTS, MEASURED, async |number| {
        let mut client = server.connect().await;
        let repository = format!("bench/since{number}");
        // As much as one body may hold, four times.
        for part in 1..=4 {
            let mut writer = Writer::new(&repository, number + part * 1_000, 50);
            assert_eq!(client.ask(&writer.next_put()).await, 200);
        }
        let mut one = Writer::new(&repository, number, 1);
        assert_eq!(client.ask(&one.next_put()).await, 200);
        let request = texts::get(&repository, "&since=4", "");
        Gets {
            client,
            request,
            status: 200,
        }
    })
    .await
}

/// Writes one entry into each of many repositories and asks for each.
async fn fill(server: &Server) {
    let clients: Vec<Client> = {
        let mut clients = Vec::new();
        for _ in 0..CLIENTS {
            clients.push(server.connect().await);
        }
        clients
    };
    let mut tasks = Vec::new();
    for (first, mut client) in clients.into_iter().enumerate() {
        tasks.push(tokio::spawn(async move {
            for number in (first..REPOSITORIES).step_by(CLIENTS) {
                let repository = format!("bench/many{number}");
                let mut writer = Writer::new(&repository, number, 1);
                assert_eq!(client.ask(&writer.next_put()).await, 200);
                let request = texts::get(&repository, "", &client.tag);
                assert_eq!(client.ask(&request).await, 304);
            }
        }));
    }
    for task in tasks {
        task.await.expect("a client");
    }
}

//! The whole client on paused time, many homes, one server, faults and stops, from a seed.
//!
//! `TEAM_SYNC_SEEDS=20000` runs longer, `TEAM_SYNC_FIRST_SEED=5000` goes on where another run ended, and
//! `TEAM_SYNC_SEED=17` runs one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use team_sync::client::{SyncOptions, Transport};

use test_support::Random;

use crate::faults::Faulty;
use crate::server::{Direct, Form, Server, Shared};
use crate::sync::{Home, runtime};

const NAMES: [&str; 6] = ["a.md", "b.md", "c.md", "dir/d.md", "MEMORY.md", "e.md"];

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn after_quiet_all_folders_are_equal_and_no_acknowledged_edit_is_lost() {
    let seeds = if let Some(seed) = setting("TEAM_SYNC_SEED") {
        seed..seed + 1
    } else {
        let first = setting("TEAM_SYNC_FIRST_SEED").unwrap_or(0);
        first..first + setting("TEAM_SYNC_SEEDS").unwrap_or(1_000)
    };
    for seed in seeds {
        let outcome = std::panic::catch_unwind(|| simulate(seed));
        assert!(
            outcome.is_ok(),
            "seed {seed}; run it alone with TEAM_SYNC_SEED={seed}"
        );
    }
}

fn simulate(seed: u64) {
    let mut random = Random::new(seed + 1);
    let form = if random.chance(30) {
        Form::Plain
    } else {
        Form::Full
    };
    let deletes = form == Form::Full && random.chance(50);
    let server = Server::new(form);
    let homes: Vec<Home> = (0..3).map(|at| Home::new(&format!("client{at}"))).collect();
    let mut edits = Edits::default();
    let runtime = runtime();

    for _ in 0..12 {
        let home = &homes[random.below(homes.len())];
        for _ in 0..=random.below(2) {
            edits.edit(home, &mut random, seed, deletes);
        }
        let percent = [0, 20, 50][random.below(3)];
        let transport = faulty(&server, random.number(), percent);
        let client = home.client(transport, random.number());
        // Sometimes the process is stopped in the middle of its waits.
        let limit = if random.chance(25) {
            random.below(4_000) as u64
        } else {
            3_600_000
        };
        // A sync may fail or be stopped here; what counts is what is there after quiet.
        let _ = runtime.block_on(async {
            tokio::time::timeout(
                Duration::from_millis(limit),
                client.sync(&SyncOptions::default()),
            )
            .await
        });
    }
    settle(&runtime, &homes, &server);

    let first = homes[0].files();
    for home in &homes {
        assert_eq!(home.files(), first, "folders differ after quiet");
    }
    let server = server.lock().expect("no panic");
    let there: Vec<(&str, &String)> = server
        .texts()
        .iter()
        .map(|(key, text)| (key.as_str(), text))
        .collect();
    let here: Vec<(&str, &String)> = first
        .iter()
        .map(|(name, text)| (name.as_str(), text))
        .collect();
    assert_eq!(here, there, "folder and server differ after quiet");

    // Every line that a person added and the server accepted is in some file, unless a person took it out.
    let lines: BTreeSet<&str> = first.values().flat_map(|text| text.lines()).collect();
    let accepted: BTreeSet<&str> = server
        .accepted
        .iter()
        .flat_map(|text| text.lines())
        .collect();
    for line in edits
        .added
        .iter()
        .filter(|line| !edits.removed.contains(*line))
    {
        assert!(
            !accepted.contains(line.as_str()) || lines.contains(line.as_str()),
            "{line:?} was acknowledged and is lost"
        );
        assert!(
            lines.contains(line.as_str()),
            "{line:?} was written and is lost"
        );
    }
}

fn faulty(server: &Shared, seed: u64, percent: usize) -> Box<dyn Transport> {
    Box::new(Faulty {
        server: Arc::clone(server),
        random: Mutex::new(Random::new(seed)),
        percent,
    })
}

/// Syncs everybody without faults until nobody has anything to do.
fn settle(runtime: &tokio::runtime::Runtime, homes: &[Home], server: &Shared) {
    for round in 0..8 {
        let mut quiet = true;
        for (at, home) in homes.iter().enumerate() {
            let client = home.client(
                Box::new(Direct(Arc::clone(server))),
                1_000 + round * 10 + at as u64,
            );
            let options = SyncOptions::default().with_confirmed_deletes(true);
            let report = runtime
                .block_on(client.sync(&options))
                .expect("a sync without faults");
            quiet &= report.done.is_empty() && !report.pending;
        }
        if quiet {
            return;
        }
    }
    panic!("no quiet after eight rounds");
}

/// What people did: each added line is unique, so that it can be looked for.
#[derive(Default)]
struct Edits {
    added: Vec<String>,
    removed: BTreeSet<String>,
    count: usize,
}

impl Edits {
    fn edit(&mut self, home: &Home, random: &mut Random, seed: u64, deletes: bool) {
        let name = NAMES[random.below(NAMES.len())];
        let text = home.read(name).unwrap_or_default();
        self.count += 1;
        let line = format!("- line {} of {seed}", self.count);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        match random.below(10) {
            0 if deletes && !text.is_empty() => {
                self.removed.extend(lines);
                home.remove(name);
                return;
            }
            // Take a line out.
            1 if !lines.is_empty() => {
                self.removed.insert(lines.remove(random.below(lines.len())));
            }
            // Rewrite a line.
            2 | 3 if !lines.is_empty() => {
                let at = random.below(lines.len());
                self.removed
                    .insert(std::mem::replace(&mut lines[at], line.clone()));
                self.added.push(line);
            }
            4 => {
                lines.insert(0, line.clone());
                self.added.push(line);
            }
            _ => {
                lines.push(line.clone());
                self.added.push(line);
            }
        }
        home.write(name, &format!("{}\n", lines.join("\n")));
    }
}

//! Short chaos runs with fixed seeds; `cargo xtask chaos` runs long ones.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::chaos::{self, Plan, Store};

/// The client is an example of this package: a program of its own that a build of all tests makes.
fn client() -> Option<PathBuf> {
    let server = Path::new(env!("CARGO_BIN_EXE_memstrata-server"));
    let name = format!("team_client{}", std::env::consts::EXE_SUFFIX);
    let client = server.with_file_name("examples").join(name);
    client.is_file().then_some(client)
}

#[expect(clippy::print_stderr, reason = "a test that cannot run says so")]
fn short(seed: u64, store: impl FnOnce(&Path) -> Option<(Store, usize)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(client) = client() else {
        panic!("the example team_client is not built; build all targets of the package");
    };
    let Some((store, servers)) = store(folder.path()) else {
        eprintln!("SKIPPED: MEMSTRATA_TEST_POSTGRES names no PostgreSQL server");
        return;
    };
    let plan = Plan {
        seed,
        time: Duration::from_secs(8),
        rest: Duration::from_millis(350),
        server: env!("CARGO_BIN_EXE_memstrata-server").into(),
        client,
        store,
        servers,
        clients: 4,
        watchers: 1,
        fault_percent: 30,
        kill_percent: 30,
        folder: folder.path().to_owned(),
    };
    match chaos::run(&plan) {
        Ok(figures) => {
            eprintln!("seed {seed}: {figures}");
            assert!(figures.edits > 0 && figures.acknowledged > 0, "{figures}");
        }
        Err(why) => {
            let _kept = folder.keep();
            panic!("{why}");
        }
    }
}

#[test]
fn four_clients_lose_nothing_on_a_failing_network_with_sqlite() {
    short(7, |folder| Some((Store::Sqlite(folder.join("data")), 1)));
}

#[test]
fn four_clients_lose_nothing_on_a_failing_network_with_two_servers_on_postgresql() {
    short(8, |_| {
        let name = format!("chaos_test_{}", std::process::id());
        let store = Store::new_database(&name).expect("a database");
        store.map(|store| (store, 2))
    });
}

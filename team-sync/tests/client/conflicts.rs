//! Conflict copies: listed for a person, synced like any file, and gone when the person deletes them.

use pathguard::{MemoryRoot, RootOptions};
use team_sync::client::{Conflicts, conflicts};

use crate::server::{Form, Server};
use crate::sync::{Home, sync};

fn listed(home: &Home) -> Conflicts {
    let root = MemoryRoot::open(&home.team(), &RootOptions::new()).expect("a root");
    conflicts(&root).expect("a list")
}

#[test]
fn a_conflict_is_listed_on_both_sides_until_somebody_decides() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write("run/port.md", "port 80\n");
        for name in ["b.md", "c.md", "d.md", "e.md", "f.md"] {
            ana.write(name, "text\n");
        }
        sync(&ana, &server);
        sync(&ben, &server);
        assert_eq!(listed(&ana), Conflicts::default());

        ana.write("run/port.md", "port 81\n");
        ben.write("run/port.md", "port 82\n");
        sync(&ana, &server);
        sync(&ben, &server);
        sync(&ana, &server);
        for home in [&ana, &ben] {
            let found = listed(home).conflicts;
            assert_eq!(found.len(), 1);
            let one = &found[0];
            assert_eq!(one.original.as_str(), "run/port.md");
            assert!(one.original_exists && one.written_ns > 0);
            assert_eq!((one.client.as_str(), one.bytes), ("ben", 8));
            assert_eq!(home.read(one.copy.as_str()).as_deref(), Some("port 81\n"));
        }

        // Ana decides: her text, and the copy goes.
        let copy = listed(&ana).conflicts[0].copy.clone();
        ana.write("run/port.md", "port 81\n");
        ana.remove(copy.as_str());
        sync(&ana, &server);
        sync(&ben, &server);
        if form == Form::Full {
            assert_eq!(listed(&ben), Conflicts::default());
            assert_eq!(ben.files(), ana.files());
        }
        assert_eq!(ben.read("run/port.md").as_deref(), Some("port 81\n"));
    }
}

#[test]
fn what_only_looks_like_a_copy_is_not_listed() {
    let ana = Home::new("ana");
    for name in [
        "git.conflict-resolution.md",
        "a.conflict-ana-XYZ.md",
        ".hidden.conflict-ana-1a2b3c4d.md",
    ] {
        ana.write(name, "text\n");
    }
    // The original may be gone, or be spelt in another way.
    ana.write("gone.conflict-ana-1a2b3c4d.md", "text\n");
    ana.write("Deploy.MD", "text\n");
    ana.write("deploy.conflict-ana-1a2b3c4d.md", "text\n");
    let found = listed(&ana);
    let found: Vec<_> = found
        .conflicts
        .iter()
        .map(|one| (one.copy.as_str(), one.original_exists))
        .collect();
    assert_eq!(
        found,
        [
            ("deploy.conflict-ana-1a2b3c4d.md", true),
            ("gone.conflict-ana-1a2b3c4d.md", false),
        ]
    );
}

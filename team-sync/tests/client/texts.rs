//! The agreed texts beside the state: as many as are named, and each that is.

use std::collections::BTreeSet;

use team_sync::Checksum;
use test_support::names_in;

use crate::server::{Form, Server};
use crate::sync::{Home, sync};

fn kept(home: &Home) -> BTreeSet<String> {
    let folder = home.folder.path().join("state/texts");
    names_in(&folder).into_iter().collect()
}

fn names(texts: &[&str]) -> BTreeSet<String> {
    texts
        .iter()
        .map(|text| Checksum::of(text).to_string().replace(':', "-"))
        .collect()
}

#[test]
fn texts_that_nothing_names_are_removed_and_merge_bases_stay() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    for name in ["b.md", "c.md", "d.md", "e.md"] {
        ana.write(name, "same\n");
    }
    for at in 0..20 {
        ana.write("a.md", &format!("version {at}\n"));
        sync(&ana, &server);
    }
    assert_eq!(kept(&ana), names(&["version 19\n", "same\n"]));
    sync(&ben, &server);

    // The base is there, so both edits merge.
    ana.write("a.md", "version 19\nana\n");
    ben.write("a.md", "version 19\nben\n");
    sync(&ana, &server);
    sync(&ben, &server);
    assert_eq!(ben.read("a.md").as_deref(), Some("version 19\nana\nben\n"));

    // What somebody else deleted can be had back from here for as long as the server remembers.
    sync(&ana, &server);
    ana.remove("a.md");
    sync(&ana, &server);
    sync(&ben, &server);
    assert_eq!(ben.read("a.md"), None);
    assert!(kept(&ben).is_superset(&names(&["version 19\nana\nben\n", "same\n"])));
}

#[test]
fn a_run_that_changes_nothing_writes_nothing() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("a.md", "a\n");
    sync(&ana, &server);
    sync(&ana, &server);
    let state = ana.folder.path().join("state/state.json");
    let inode = |path: &std::path::Path| {
        std::fs::metadata(path)
            .expect("a file")
            .modified()
            .expect("a time")
    };
    let before = inode(&state);
    sync(&ana, &server);
    assert_eq!(inode(&state), before);
}

#[test]
fn after_a_restore_former_texts_are_known_without_being_kept() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("a.md", "one\n");
    sync(&ana, &server);
    let backup = server.lock().expect("no panic").backup();
    for text in ["two\n", "three\n"] {
        ana.write("a.md", text);
        sync(&ana, &server);
    }
    assert!(!kept(&ana).is_superset(&names(&["one\n"])));
    server.lock().expect("no panic").restore(backup);
    sync(&ana, &server);
    // "one" was agreed before "three": it is old, not somebody's edit.
    assert_eq!(ana.files().into_values().collect::<Vec<_>>(), ["three\n"]);
    let server = server.lock().expect("no panic");
    assert_eq!(server.texts().values().collect::<Vec<_>>(), ["three\n"]);
}

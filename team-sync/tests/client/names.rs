//! Names that not every member's system can store.

use team_sync::client::Note;

use crate::server::{Form, Server};
use crate::sync::{Home, sync};

#[cfg(unix)]
#[test]
fn a_file_that_windows_cannot_store_stays_here_and_is_named() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    ana.write("plan.md", "text\n");
    for name in ["why?.md", "a|b/c.md"] {
        ana.write(name, "mine\n");
    }
    let report = sync(&ana, &server);
    for name in ["why?.md", "a|b/c.md"] {
        let is_told = |(key, note): &(String, Note)| {
            key == name && matches!(note, Note::BlockedHere(why) if why.contains("Windows"))
        };
        assert!(report.notes.iter().any(is_told), "{:?}", report.notes);
        assert_eq!(ana.read(name).as_deref(), Some("mine\n"));
    }
    let server = server.lock().expect("no panic");
    let keys: Vec<&str> = server
        .texts()
        .keys()
        .map(team_sync::TeamKey::as_str)
        .collect();
    assert_eq!(keys, ["plan.md"]);
}

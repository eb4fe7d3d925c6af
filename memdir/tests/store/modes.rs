//! Modes, the inbox, credentials, and who may do what.

use memdir::{
    ErrorKind, Expect, Mode, Modes, Origin, SaveRequest, Scope, SecretAction, Store, Submitted,
    Writer,
};

use crate::support::{Scratch, person, request};

fn host() -> Origin {
    Origin::new(Writer::Host, "claude-code").with_session("s1")
}

fn background() -> Origin {
    Origin::new(Writer::Background, "extract")
}

fn open(scratch: &Scratch, mode: Mode) -> Store {
    let options = scratch.options().with_modes(Modes::all(mode));
    Store::open(&scratch.memory_dir(), options).unwrap()
}

#[test]
fn modes_bind_agents_and_not_the_person() {
    let table = [
        (Mode::Auto, host(), true),
        (Mode::Auto, background(), true),
        (Mode::Ask, host(), false),
        (Mode::Ask, background(), false),
        (Mode::Read, host(), false),
        (Mode::Off, background(), false),
        (Mode::Ask, person(), true),
        (Mode::Read, person(), true),
        (Mode::Off, person(), true),
    ];
    for (mode, origin, allowed) in table {
        let scratch = Scratch::default();
        let result = open(&scratch, mode).save(&request("a"), &origin);
        match result {
            Ok(_) => assert!(allowed, "{mode} {origin:?}"),
            Err(error) => {
                assert!(!allowed, "{mode} {origin:?}");
                assert_eq!(error.kind(), ErrorKind::Refused);
                assert!(scratch.bytes().is_empty());
            }
        }
    }
}

#[test]
fn in_mode_ask_a_memory_waits_for_a_person() {
    let scratch = Scratch::default();
    let store = open(&scratch, Mode::Ask);
    let Submitted::Proposed(item) = store.submit(&request("a"), &host()).unwrap() else {
        panic!("it was saved without asking");
    };
    assert!(scratch.bytes().is_empty());
    let inbox = store.inbox().unwrap();
    assert_eq!(inbox.items, std::slice::from_ref(&item));
    assert_eq!(inbox.problems, Vec::<String>::new());
    assert_eq!(item.memory().name(), "a");
    assert_eq!(item.session.as_deref(), Some("s1"));

    let saved = store.accept(&item.id, None, &person()).unwrap();
    assert_eq!(saved.path.as_str(), "feedback_a.md");
    assert!(scratch.read("MEMORY.md").contains("feedback_a.md"));
    assert!(store.inbox().unwrap().items.is_empty());
    assert_eq!(
        store.accept(&item.id, None, &person()).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn a_person_can_edit_or_drop_a_candidate() {
    let scratch = Scratch::default();
    let store = open(&scratch, Mode::Ask);
    let first = store.propose(&request("a"), &host()).unwrap();
    let second = store.propose(&request("b"), &host()).unwrap();
    let mut memory = first.memory();
    memory.set_body("edited");
    store
        .accept(&first.id, Some(memory.print()), &person())
        .unwrap();
    assert_eq!(store.read("a").unwrap().memory.body(), "edited\n");
    store.drop_candidate(&second.id).unwrap();
    assert!(store.inbox().unwrap().items.is_empty());
    assert_eq!(store.read("b").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_candidate_for_a_memory_that_has_changed_since_stays_in_the_inbox() {
    let scratch = Scratch::default();
    let store = open(&scratch, Mode::Ask);
    store.save(&request("a"), &person()).unwrap();
    let item = store
        .propose(
            &request("a")
                .replacing("a", Expect::Anything)
                .with_field("x", "1"),
            &host(),
        )
        .unwrap();
    scratch.write("feedback_a.md", "edited by hand\n");
    let error = store.accept(&item.id, None, &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleHash);
    assert_eq!(store.inbox().unwrap().items.len(), 1);
    assert_eq!(scratch.read("feedback_a.md"), "edited by hand\n");
}

#[test]
fn an_inbox_is_bounded() {
    let scratch = Scratch::default();
    let store = open(&scratch, Mode::Ask);
    for number in 0..memdir::limits::INBOX_MAX_ITEMS {
        store
            .propose(&request(&format!("m{number}")), &host())
            .unwrap();
    }
    let error = store.propose(&request("one more"), &host()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    // Of one second, the candidates are in the order in which they came.
    let items = store.inbox().unwrap().items;
    let names: Vec<String> = items
        .iter()
        .map(|item| item.memory().name().to_owned())
        .collect();
    let expected: Vec<String> = (0..items.len())
        .map(|number| format!("m{number}"))
        .collect();
    assert_eq!(names, expected);
}

/// A text that the scanner takes for a credential, put together so that this file holds none.
fn secret() -> String {
    ["AK", "IA", "Z7QX", "J4LM", "N2VK", "5RTW"].concat()
}

fn with_secret(name: &str) -> SaveRequest {
    SaveRequest::new(
        memdir::MemoryType::Reference,
        name,
        "where the key is",
        &format!("one\n\nkey: {}\n", secret()),
    )
}

#[test]
fn a_credential_blocks_a_team_memory_with_rule_and_line() {
    let scratch = Scratch::default();
    let store = scratch.open();
    let request = with_secret("key").with_scope(Scope::Team);
    let error = store.save(&request, &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Secret);
    let found = &error.secrets()[0];
    assert!(found.rule.contains("aws"), "{found:?}");
    assert!(error.to_string().contains(&format!("line {}", found.line)));
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(&secret()), "{shown}");
    assert!(scratch.bytes().is_empty());
    // Not in the journal either.
    let state = crate::support::folder_bytes(&scratch.state_dir());
    let kept = state
        .values()
        .any(|bytes| String::from_utf8_lossy(bytes).contains(&secret()));
    assert!(!kept);
}

#[test]
fn a_credential_in_a_private_memory_warns_or_blocks_as_set() {
    let scratch = Scratch::default();
    let saved = scratch.open().save(&with_secret("key"), &person()).unwrap();
    assert_eq!(saved.secrets.len(), 1);

    let scratch = Scratch::default();
    let options = scratch.options().with_private_secrets(SecretAction::Block);
    let store = Store::open(&scratch.memory_dir(), options).unwrap();
    let error = store.save(&with_secret("key"), &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Secret);

    // Whoever works unseen is always stopped.
    let scratch = Scratch::default();
    let error = scratch
        .open()
        .save(&with_secret("key"), &background())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Secret);
}

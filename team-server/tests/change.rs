//! The decision about a change, without a store.

use std::collections::BTreeMap;

use memstrata_server::Limits;
use memstrata_server::change::{Change, Entry, Precondition, Refusal, State, decide};
use team_sync::{Checksum, Tag, TeamKey};

fn key(name: &str) -> TeamKey {
    TeamKey::parse(name).expect("a key")
}

fn state(version: u64, entries: &[(&str, &str)]) -> State {
    let entry = |text: &str| Entry {
        checksum: Checksum::of(text),
        bytes: text.len() as u64,
    };
    State {
        epoch: "abc123".into(),
        version,
        entries: entries
            .iter()
            .map(|(name, text)| (key(name), entry(text)))
            .collect(),
    }
}

fn change(precondition: Precondition, entries: &[(&str, &str)], deletes: &[&str]) -> Change {
    Change {
        repository: "acme/app".into(),
        entries: entries
            .iter()
            .map(|(name, text)| (key(name), (*text).to_owned()))
            .collect(),
        deletes: deletes.iter().map(|name| key(name)).collect(),
        bases: None,
        precondition,
        op_id: None,
        digest: String::new(),
        author: String::new(),
        client: String::new(),
        at: String::new(),
    }
}

fn tag(version: u64) -> Precondition {
    Precondition::Tags(vec![Tag::new(version, "abc123")])
}

#[test]
fn preconditions_decide() {
    let now = state(4, &[("a.md", "A")]);
    let stale = || Err(Refusal::Stale { version: 4 });
    for (precondition, expected) in [
        (tag(4), Ok(1)),
        (tag(3), stale()),
        (tag(5), stale()),
        (Precondition::Tags(vec![Tag::new(4, "fffff0")]), stale()),
        (Precondition::Tags(vec![]), stale()),
        (
            Precondition::Tags(vec![Tag::new(1, "x"), Tag::new(4, "abc123")]),
            Ok(1),
        ),
        (Precondition::Version(4), Ok(1)),
        (Precondition::Version(3), stale()),
        (Precondition::Present, Ok(1)),
        (Precondition::Absent, stale()),
        (Precondition::None, Err(Refusal::Unconditional)),
    ] {
        let change = change(precondition.clone(), &[("b.md", "B")], &[]);
        let decided = decide(&now, &change, &Limits::default()).map(|effects| effects.stored.len());
        assert_eq!(decided, expected, "{precondition:?}");
    }
    let nothing = State::default();
    for (precondition, expected) in [
        (Precondition::Absent, Ok(())),
        (Precondition::Present, Err(Refusal::Stale { version: 0 })),
        (Precondition::Version(0), Ok(())),
    ] {
        let change = change(precondition, &[("b.md", "B")], &[]);
        assert_eq!(
            decide(&nothing, &change, &Limits::default()).map(drop),
            expected
        );
    }
}

#[test]
fn bases_count_instead_of_the_version_of_the_whole() {
    let now = state(9, &[("a.md", "A"), ("b.md", "B")]);
    let base = |text: &str| Some(Checksum::of(text));
    for (bases, deletes, accepted) in [
        (vec![("a.md", base("A"))], vec![], true),
        (vec![("a.md", base("older"))], vec![], false),
        (vec![("a.md", None)], vec![], false),
        // A key that is touched without a base falls back on the tag, which is old.
        (vec![("a.md", base("A"))], vec!["b.md"], false),
        (
            vec![("a.md", base("A")), ("b.md", base("B"))],
            vec!["b.md"],
            true,
        ),
    ] {
        let mut change = change(tag(2), &[("a.md", "new")], &deletes);
        change.bases = Some(
            bases
                .into_iter()
                .map(|(name, base)| (key(name), base))
                .collect(),
        );
        assert_eq!(
            decide(&now, &change, &Limits::default()).is_ok(),
            accepted,
            "{change:?}"
        );
    }
}

#[test]
fn what_is_there_already_is_done_whatever_the_tag_says() {
    let now = state(9, &[("a.md", "A")]);
    let effects = decide(
        &now,
        &change(tag(2), &[("a.md", "A")], &["gone.md"]),
        &Limits::default(),
    );
    assert!(effects.expect("done").is_empty());
}

#[test]
fn keys_that_are_one_file_somewhere_are_refused() {
    let now = state(1, &[("Deploy.md", "A"), ("dir/x.md", "B")]);
    for (entries, deletes, refused) in [
        (vec![("deploy.md", "C")], vec![], true),
        (vec![("DEPLOY.MD", "C")], vec![], true),
        (vec![("dir.md", "C")], vec![], false),
        (vec![("DIR/y.md", "C")], vec![], true),
        (vec![("deploy.md/x.md", "C")], vec![], true),
        // A rename that changes only case: put and delete in one.
        (vec![("deploy.md", "A")], vec!["Deploy.md"], false),
        (vec![("new.md", "1"), ("NEW.md", "2")], vec![], true),
    ] {
        let decided = decide(
            &now,
            &change(tag(1), &entries, &deletes),
            &Limits::default(),
        );
        assert_eq!(
            matches!(decided, Err(Refusal::Twins(_))),
            refused,
            "{entries:?} {deletes:?}"
        );
    }
}

#[test]
fn limits_hold_and_a_repository_over_them_may_shrink() {
    let mut limits = Limits::default();
    limits.entries = 2;
    limits.entry_bytes = 10;
    limits.repository_bytes = 20;
    let now = state(1, &[("a.md", "123456789"), ("b.md", "12345")]);
    for (entries, deletes, expected) in [
        (vec![("c.md", "1")], vec![], Err(Refusal::TooManyEntries)),
        (vec![("c.md", "1")], vec!["a.md"], Ok(())),
        (
            vec![("a.md", "12345678901")],
            vec![],
            Err(Refusal::EntryTooLarge(vec!["a.md".into()])),
        ),
        (vec![("b.md", "1234567890")], vec![], Ok(())),
    ] {
        let decided = decide(&now, &change(tag(1), &entries, &deletes), &limits).map(drop);
        assert_eq!(decided, expected, "{entries:?}");
    }
    limits.repository_bytes = 12;
    let grow = change(tag(1), &[("b.md", "123456")], &[]);
    assert_eq!(
        decide(&now, &grow, &limits),
        Err(Refusal::RepositoryTooLarge)
    );
    let shrink = change(tag(1), &[("b.md", "1234")], &[]);
    assert!(decide(&now, &shrink, &limits).is_ok());
    limits.entries = 1;
    assert!(decide(&now, &change(tag(1), &[], &["b.md"]), &limits).is_ok());
}

#[test]
fn only_what_differs_is_written() {
    let now = state(1, &[("a.md", "A"), ("b.md", "B")]);
    let change = change(tag(1), &[("a.md", "A"), ("b.md", "new")], &["missing.md"]);
    let effects = decide(&now, &change, &Limits::default()).expect("a change");
    assert_eq!(
        effects
            .stored
            .iter()
            .map(TeamKey::as_str)
            .collect::<Vec<_>>(),
        ["b.md"]
    );
    assert_eq!(effects.deleted, BTreeMap::new());
}

//! What is missing is named, with a remedy.

use team_sync::precondition::{Fact, Facts, Missing, missing};

fn ready() -> Facts {
    let mut facts = Facts::new();
    facts.compiled = true;
    facts.server = Fact::Usable;
    facts.token = Fact::Usable;
    facts.repository = Fact::Usable;
    facts.wanted_scopes = vec!["inference".into(), "profile".into()];
    facts
}

#[test]
fn nothing_is_missing_when_all_is_there() {
    assert_eq!(missing(&ready()), []);
}

#[test]
fn each_missing_thing_is_named_by_itself() {
    let why = || Fact::Unusable("why".into());
    let with = |change: &dyn Fn(&mut Facts)| {
        let mut facts = ready();
        change(&mut facts);
        facts
    };
    let cases = [
        ("client", with(&|facts| facts.compiled = false)),
        ("switched-off", with(&|facts| facts.switched_on = false)),
        ("server", with(&|facts| facts.server = Fact::Absent)),
        ("server-address", with(&|facts| facts.server = why())),
        ("token", with(&|facts| facts.token = Fact::Absent)),
        ("unusable-token", with(&|facts| facts.token = why())),
        ("remote", with(&|facts| facts.repository = Fact::Absent)),
        ("unusable-remote", with(&|facts| facts.repository = why())),
        (
            "scopes",
            with(&|facts| facts.scopes = Some(vec!["inference".into()])),
        ),
    ];
    for (name, facts) in cases {
        let missing = missing(&facts);
        let names: Vec<&str> = missing.iter().map(Missing::as_str).collect();
        assert_eq!(names, [name]);
        assert!(!missing[0].text().is_empty() && !missing[0].remedy().is_empty());
    }
}

#[test]
fn scopes_that_a_server_does_not_speak_of_count_as_given() {
    let mut facts = ready();
    facts.scopes = None;
    assert_eq!(missing(&facts), []);
    facts.scopes = Some(vec!["profile".into(), "inference".into(), "more".into()]);
    assert_eq!(missing(&facts), []);
    facts.scopes = Some(Vec::new());
    let all = vec!["inference".to_owned(), "profile".to_owned()];
    assert_eq!(missing(&facts), [Missing::Scopes(all)]);
}

#[test]
fn everything_that_is_missing_is_said_at_once() {
    let mut facts = Facts::new();
    facts.switched_on = false;
    facts.compiled = true;
    let missing = missing(&facts);
    assert_eq!(missing, [Missing::Server, Missing::Remote, Missing::Token]);
}

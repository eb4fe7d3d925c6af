//! Allow lists.

use secret_scan::{AllowKey, AllowList, ErrorKind, Fingerprint, Ruleset, Scanner};

use crate::support;
use crate::views::{forms, is_larger};

fn key() -> AllowKey {
    AllowKey::new([7; 32])
}

fn scanner(list: &AllowList) -> Scanner {
    Scanner::standard().clone().with_allow_list(list.clone())
}

/// A list that allows `token`.
fn allowing(token: &str) -> AllowList {
    let mut list = AllowList::new(key());
    let findings = scanner(&list).scan(token.as_bytes());
    let fingerprint = findings[0].fingerprint().expect("the scanner has a list");
    list.allow(findings[0].rule(), fingerprint, "kim", "a test value")
        .expect("a valid entry");
    list
}

#[test]
fn an_allowed_value_is_not_reported_in_any_form() {
    for (rule, token) in support::examples() {
        let scanner = scanner(&allowing(&token));
        for (form, hide) in forms() {
            let Some(hidden) = hide(&token) else { continue };
            if rule == "private-key" || is_larger(form) {
                continue;
            }
            let text = [b" ".as_slice(), &hidden, b" "].concat();
            assert!(scanner.scan(&text).is_empty(), "{form}: {rule}");
            assert!(!scanner.contains_secret(&text));
            assert_eq!(scanner.redact_bytes(&text), text);
        }
    }
}

#[test]
fn other_values_are_still_reported() {
    let examples = support::examples();
    for (index, (_, token)) in examples.iter().enumerate() {
        let (_, other) = &examples[(index + 1) % examples.len()];
        if token == other {
            continue;
        }
        let scanner = scanner(&allowing(token));
        let text = format!("{token}, {other}");
        let findings = scanner.scan(text.as_bytes());
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].range(), token.len() + 2..text.len());
        assert!(scanner.contains_secret(text.as_bytes()));
    }
}

#[test]
fn an_allowed_value_inside_another_one_excuses_nothing() {
    let github = support::examples()
        .into_iter()
        .find(|(rule, _)| *rule == "github-pat")
        .expect("a standard rule")
        .1;
    let list = allowing(&github);
    let longer = format!("{github}abc");
    assert!(scanner(&list).contains_secret(longer.as_bytes()));
}

#[test]
fn what_lies_inside_an_allowed_value_is_part_of_it() {
    // A web token whose value a bearer rule finds as well.
    let extended = Scanner::new(&Ruleset::extended());
    let rules = extended.ruleset();
    let jwt = rules
        .rules()
        .iter()
        .find(|rule| rule.id() == "json-web-token");
    let token = jwt.expect("an extended rule").examples().remove(0);
    let text = ["Authorization: Bearer ", &token].concat();
    let mut list = AllowList::new(key());
    let with_list = extended.clone().with_allow_list(list.clone());
    let finding = with_list.scan(text.as_bytes()).remove(0);
    assert_eq!(finding.rule(), "json-web-token");
    let fingerprint = finding.fingerprint().expect("the scanner has a list");
    list.allow(finding.rule(), fingerprint, "kim", "a test value")
        .expect("a valid entry");
    assert!(
        !extended
            .with_allow_list(list)
            .contains_secret(text.as_bytes())
    );
}

#[test]
fn fingerprints_depend_on_key_rule_and_value() {
    let examples = support::examples();
    let fingerprint = |key: [u8; 32], token: &str| {
        let list = AllowList::new(AllowKey::new(key));
        scanner(&list).scan(token.as_bytes())[0].fingerprint()
    };
    assert_eq!(
        fingerprint([1; 32], &examples[0].1),
        fingerprint([1; 32], &examples[0].1)
    );
    assert_ne!(
        fingerprint([1; 32], &examples[0].1),
        fingerprint([2; 32], &examples[0].1)
    );
    assert_ne!(
        fingerprint([1; 32], &examples[0].1),
        fingerprint([1; 32], &examples[1].1)
    );
    assert_eq!(
        secret_scan::scan(examples[0].1.as_bytes())[0].fingerprint(),
        None
    );
}

#[test]
fn a_list_survives_its_file() {
    let list = allowing(&support::examples()[0].1);
    let text = format!("# values of the demo\n\n{list}");
    let read = AllowList::parse(key(), &text).expect("written by us");
    assert_eq!(read.entries(), list.entries());
    assert_eq!(read.entries()[0].author(), "kim");
    assert_eq!(read.entries()[0].reason(), "a test value");
    assert_eq!(read.entries()[0].rule(), "aws-access-token");
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(
        AllowList::parse(key(), &crlf).expect("the same").entries(),
        list.entries()
    );
}

#[test]
fn bad_lists_are_refused_by_line_and_kind() {
    let hash = "0".repeat(64);
    let check = |text: &str, kind: ErrorKind, line: u64| {
        let error = AllowList::parse(key(), text).expect_err(text);
        assert_eq!((error.kind(), error.line()), (kind, Some(line)), "{text:?}");
        assert!(error.to_string().starts_with("allow list line "));
    };
    check("github-pat", ErrorKind::MalformedFingerprint, 1);
    check(
        "# x\ngithub-pat\tabc\tkim\tdemo",
        ErrorKind::MalformedFingerprint,
        2,
    );
    check(
        &format!("github-pat\t{hash}\tkim"),
        ErrorKind::MissingField,
        1,
    );
    check(
        &format!("github-pat\t{hash}\t\tdemo"),
        ErrorKind::MissingField,
        1,
    );
    check(&format!("\t{hash}\tkim\tdemo"), ErrorKind::MissingField, 1);
    check(
        &format!("github-pat\t{hash}\tkim\ta\tb"),
        ErrorKind::InvalidCharacter,
        1,
    );
    check(
        &format!("github-pat\t{hash}\tkim\ta\u{1B}[0m"),
        ErrorKind::InvalidCharacter,
        1,
    );
    check(
        &format!("github-pat\t{hash}\tkim\t{}", "x".repeat(5_000)),
        ErrorKind::LineTooLong,
        1,
    );
    let many: Vec<_> = (0..=AllowList::MAX_ENTRIES)
        .map(|index| format!("github-pat\t{index:064x}\tkim\tdemo"))
        .collect();
    check(
        &many.join("\n"),
        ErrorKind::TooManyEntries,
        AllowList::MAX_ENTRIES as u64 + 1,
    );
}

#[test]
fn fingerprints_are_read_as_they_are_written() {
    let text = "0123456789abcdef".repeat(4);
    assert_eq!(
        Fingerprint::parse(&text).expect("64 digits").to_string(),
        text
    );
    for bad in [
        "",
        "0",
        &"0".repeat(63),
        &"0".repeat(65),
        &"é".repeat(32),
        &"g".repeat(64),
    ] {
        let error = Fingerprint::parse(bad).expect_err(bad);
        assert_eq!(error.kind(), ErrorKind::MalformedFingerprint);
    }
}

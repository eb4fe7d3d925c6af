//! Every rule finds its examples and leaves its counter-examples alone.

use secret_scan::{RuleInfo, Ruleset, Scanner, rules, scan};

/// Where in an example the finding stands: an example of a rule that looks at what stands around a
/// value has that around it.
fn check_examples(rule: &RuleInfo, scanner: &Scanner, whole: bool) {
    let examples = rule.examples();
    assert_eq!(examples.len(), rule.labels().len(), "{}", rule.id());
    for (example, label) in examples.iter().zip(rule.labels()) {
        let findings = scanner.scan(example.as_bytes());
        let own: Vec<_> = findings
            .iter()
            .filter(|finding| finding.rule() == rule.id())
            .collect();
        assert_eq!(own.len(), 1, "{label}: {findings:?}");
        assert_eq!(own[0].level(), rule.level());
        if whole {
            assert_eq!(own[0].range(), 0..example.len(), "{label}");
        }
    }
}

#[test]
fn every_standard_rule_finds_its_examples_and_names_them() {
    for rule in rules() {
        check_examples(rule, Scanner::standard(), true);
    }
}

#[test]
fn every_extended_rule_finds_its_examples_and_names_them() {
    let extended = Ruleset::extended();
    let scanner = Scanner::new(&extended);
    for rule in extended.rules() {
        check_examples(rule, &scanner, false);
    }
}

#[test]
fn no_standard_rule_finds_its_counter_examples() {
    for rule in rules() {
        for text in rule.counter_examples() {
            let findings = scan(text.as_bytes());
            assert!(findings.is_empty(), "{}: {findings:?} {text}", rule.id());
        }
    }
}

#[test]
fn no_extended_rule_finds_its_counter_examples() {
    let extended = Ruleset::extended();
    let scanner = Scanner::new(&extended);
    for rule in extended.rules() {
        for text in rule.counter_examples() {
            let findings = scanner.scan(text.as_bytes());
            assert!(findings.is_empty(), "{}: {findings:?} {text}", rule.id());
        }
    }
}

#[test]
fn ids_are_unique_and_made_of_small_letters_digits_and_hyphens() {
    let extended = Ruleset::extended();
    let mut ids: Vec<_> = extended.rules().iter().map(|rule| rule.id()).collect();
    let is_plain = |id: &&str| {
        id.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    assert!(ids.iter().all(is_plain));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), extended.rules().len());
}

#[test]
fn a_rule_that_was_left_out_finds_nothing() {
    for rule in rules() {
        let scanner = Scanner::new(&Ruleset::standard().without(rule.id()));
        for example in rule.examples() {
            assert!(
                !scanner.contains_secret(example.as_bytes()),
                "{}",
                rule.id()
            );
        }
    }
}

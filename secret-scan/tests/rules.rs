//! Every rule finds its examples and leaves its counter-examples alone.

use secret_scan::{rules, scan};

#[test]
fn every_rule_finds_its_examples_and_names_them() {
    for rule in rules() {
        let examples = rule.examples();
        assert_eq!(examples.len(), rule.labels().len(), "{}", rule.id());
        for (example, label) in examples.iter().zip(rule.labels()) {
            let findings = scan(example.as_bytes());
            assert_eq!(findings.len(), 1, "{label}");
            assert_eq!(findings[0].rule(), rule.id());
            assert_eq!(findings[0].range(), 0..example.len(), "{label}");
        }
    }
}

#[test]
fn no_rule_finds_its_counter_examples() {
    for rule in rules() {
        for text in rule.counter_examples() {
            let findings = scan(text.as_bytes());
            assert!(findings.is_empty(), "{}: {findings:?} {text}", rule.id());
        }
    }
}

//! What holds for every input.

use proptest::prelude::*;
use secret_scan::{Finding, Level, Ruleset, Scanner, Views};

use crate::strategies::{input, long_input, text};

fn scanners() -> [Scanner; 3] {
    [
        Scanner::standard().clone(),
        Scanner::standard().clone().with_views(Views::Off),
        Scanner::new(&Ruleset::extended()),
    ]
}

/// Findings are in order, apart from each other and inside the input.
pub(crate) fn assert_well_formed(findings: &[Finding], input: &[u8]) {
    let mut end = 0;
    let mut last = (1, 1);
    for finding in findings {
        let range = finding.range();
        assert!(end <= range.start, "{findings:?}");
        assert!(
            range.start < range.end && range.end <= input.len(),
            "{findings:?}"
        );
        end = range.end;
        let place = (finding.line(), finding.column());
        assert!(last <= place && place < (finding.end_line(), finding.end_column()));
        last = (finding.end_line(), finding.end_column());
        if let Ok(text) = std::str::from_utf8(input) {
            assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
        }
    }
}

fn in_chunks(scanner: &Scanner, input: &[u8], sizes: &[usize], take: bool) -> Vec<Finding> {
    let mut stream = scanner.stream();
    let mut findings = Vec::new();
    let mut rest = input;
    for size in sizes.iter().copied().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, more) = rest.split_at(size.clamp(1, rest.len()));
        stream.push(chunk);
        if take {
            findings.extend(stream.take_findings());
        }
        rest = more;
    }
    findings.extend(stream.finish());
    findings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn findings_are_in_bounds_in_order_and_on_character_boundaries(input in input()) {
        for scanner in scanners() {
            assert_well_formed(&scanner.scan(&input), &input);
        }
    }

    #[test]
    fn text_is_cut_at_character_boundaries_only(text in text()) {
        for scanner in scanners() {
            assert_well_formed(&scanner.scan(text.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn containing_a_secret_is_having_a_finding(input in input()) {
        for scanner in scanners() {
            let secret = scanner.scan(&input).iter().any(|finding| finding.level() == Level::Secret);
            prop_assert_eq!(scanner.contains_secret(&input), secret);
        }
    }

    #[test]
    fn redaction_is_complete_and_idempotent(text in text()) {
        for scanner in scanners() {
            let once = scanner.redact(&text);
            prop_assert!(!scanner.contains_secret(once.text().as_bytes()));
            let twice = scanner.redact(once.text());
            prop_assert_eq!(once.text(), twice.text());
            prop_assert!(twice.findings().is_empty());
        }
    }

    #[test]
    fn redaction_of_bytes_is_complete_and_idempotent(input in input()) {
        for scanner in scanners() {
            let once = scanner.redact_bytes(&input);
            prop_assert!(!scanner.contains_secret(&once));
            prop_assert_eq!(&scanner.redact_bytes(&once), &once);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn chunks_of_any_size_give_what_the_whole_gives(
        input in long_input(),
        sizes in prop::collection::vec(1..100_000_usize, 1..6),
        take in any::<bool>(),
    ) {
        for scanner in scanners() {
            let whole = scanner.scan(&input);
            assert_well_formed(&whole, &input);
            prop_assert_eq!(&in_chunks(&scanner, &input, &sizes, take), &whole);
            let secret = whole.iter().any(|finding| finding.level() == Level::Secret);
            prop_assert_eq!(scanner.contains_secret(&input), secret);
        }
    }
}

#[test]
fn single_bytes_give_what_the_whole_gives() {
    let mut input = "a note. ".repeat(9_000).into_bytes();
    for (_, token) in crate::support::examples() {
        input.extend(token.as_bytes());
        input.extend(b", ");
    }
    let scanner = Scanner::standard();
    assert_eq!(
        in_chunks(scanner, &input, &[1], false),
        scanner.scan(&input)
    );
}

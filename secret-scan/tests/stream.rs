//! Findings do not depend on where windows or chunks meet.

use secret_scan::Scanner;

use crate::support;
use crate::views::{self, forms};

/// Where the first window ends.
const WINDOW: usize = 64 * 1024;

fn filler(length: usize) -> Vec<u8> {
    b"a note about nothing at all. "
        .iter()
        .copied()
        .cycle()
        .take(length)
        .collect()
}

/// Puts `hidden` so that it starts at `start`, and expects what is found at the start of an input.
fn check(name: &str, hidden: &[u8], start: usize) {
    let alone = [b" ".as_slice(), hidden, b" and more"].concat();
    let expected = secret_scan::scan(&alone);
    let text = [
        filler(start - 1),
        b" ".to_vec(),
        hidden.to_vec(),
        b" and more".to_vec(),
        filler(9_000),
    ]
    .concat();
    let found = secret_scan::scan(&text);
    let ranges = |findings: &[secret_scan::Finding], shift: usize| -> Vec<_> {
        findings
            .iter()
            .map(|finding| {
                (
                    finding.rule(),
                    finding.range().start + shift,
                    finding.range().end + shift,
                )
            })
            .collect()
    };
    assert_eq!(
        ranges(&found, 0),
        ranges(&expected, start - 1),
        "{name} at {start}"
    );

    let mut stream = Scanner::standard().stream();
    for chunk in text.chunks(10_007) {
        stream.push(chunk);
    }
    assert_eq!(stream.finish(), found, "{name} at {start}, in chunks");
}

#[test]
fn tokens_are_found_across_the_end_of_a_window() {
    for (rule, token) in support::examples() {
        for start in [
            WINDOW - token.len() - 1,
            WINDOW - token.len(),
            WINDOW - token.len() / 2,
            WINDOW - 4,
            WINDOW - 1,
            WINDOW,
            WINDOW + 1,
        ] {
            check(rule, token.as_bytes(), start);
        }
    }
}

#[test]
fn hidden_tokens_are_found_across_the_end_of_a_window() {
    // One short and one long token; both parities for UTF-16.
    let examples = support::examples();
    let of = |rule: &str| {
        let found = examples.iter().find(|(id, _)| *id == rule);
        found.expect("a standard rule").1.clone()
    };
    for token in [of("aws-access-token"), of("anthropic-api-key")] {
        for (form, hide) in forms() {
            let Some(hidden) = hide(&token) else { continue };
            for start in [
                WINDOW - hidden.len() - 2,
                WINDOW - hidden.len() / 2,
                WINDOW - 3,
                WINDOW - 2,
                WINDOW,
            ] {
                // UTF-16 at an odd offset is seen in its surroundings, which differ here.
                if !views::is_wide(form) || start % 2 == 1 {
                    check(form, &hidden, start);
                }
            }
        }
    }
}

#[test]
fn tokens_longer_than_a_window_are_one_finding() {
    let mut letters = support::Letters::new(3);
    for length in [9_000, 70_000, 200_000] {
        let body = letters.text(
            length,
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        );
        let token = ["gl", "pat-", &body].concat();
        for start in [1, 1_000, WINDOW - 10, WINDOW + 10] {
            let text = [filler(start), token.clone().into_bytes(), filler(100)].concat();
            // The filler starts with a letter: end the token by a space.
            let mut text = text;
            text[start - 1] = b' ';
            text[start + token.len()] = b' ';
            let findings = secret_scan::scan(&text);
            assert_eq!(findings.len(), 1, "{length} at {start}");
            assert_eq!(findings[0].range(), start..start + token.len());
        }
    }
}

#[test]
fn keys_longer_than_a_window_are_one_finding() {
    let rule = secret_scan::rules()
        .iter()
        .find(|rule| rule.id() == "private-key");
    let key = rule.expect("a standard rule").examples().remove(0);
    let lines: Vec<&str> = key.lines().collect();
    let body: Vec<&str> = lines[1..13].iter().copied().cycle().take(2_000).collect();
    let key = format!("{}\n{}\n{}", lines[0], body.join("\n"), lines[13]);
    assert!(key.len() > WINDOW);
    for start in [0, 10, WINDOW - 20] {
        let text = [
            filler(start),
            key.clone().into_bytes(),
            b"\nand more".to_vec(),
        ]
        .concat();
        let findings = secret_scan::scan(&text);
        assert_eq!(findings.len(), 1, "at {start}");
        assert_eq!(findings[0].range(), start..start + key.len(), "at {start}");
    }
}

#[test]
fn findings_can_be_taken_while_the_input_comes() {
    let (_, token) = support::examples().remove(0);
    let mut stream = Scanner::standard().stream();
    let mut count = 0;
    for _ in 0..8 {
        stream.push(token.as_bytes());
        stream.push(b" ");
        stream.push(&filler(50_000));
        stream.push(b" ");
        count += stream.take_findings().len();
    }
    assert!(count >= 4, "{count}");
    assert_eq!(count + stream.finish().len(), 8);
}

#[test]
fn nothing_of_a_wrapped_and_encoded_key_is_left_at_the_end_of_a_window() {
    // Base64 lines of a key of 3 KB, which go on far beyond what a window reports.
    let rule = secret_scan::rules()
        .iter()
        .find(|rule| rule.id() == "private-key");
    let key = rule.expect("a standard rule").examples().remove(0);
    let lines: Vec<&str> = key.lines().collect();
    let body = lines[1..13].repeat(4).join("\n");
    let key = format!("{}\n{body}\n{}", lines[0], lines[13]);
    let encoded = support::wrapped(&support::base64(key.as_bytes(), true), 76, "\n");
    for start in (WINDOW - encoded.len() - 2..WINDOW + 2).step_by(97) {
        let text = [
            filler(start),
            b"\n".to_vec(),
            encoded.clone(),
            b"\nend".to_vec(),
        ]
        .concat();
        let findings = secret_scan::scan(&text);
        assert_eq!(findings.len(), 1, "at {start}");
        assert_eq!(
            findings[0].range(),
            start + 1..start + 1 + encoded.len(),
            "at {start}"
        );
    }
}

//! Inputs made to cost much. How long they take is measured by the benches; here they must end,
//! with the right findings.

use secret_scan::{Ruleset, Scanner};

use crate::properties::assert_well_formed;
use crate::support;

/// Two windows and a half: enough for everything that happens between windows.
const LENGTH: usize = 160 * 1024;

fn repeated(unit: &[u8]) -> Vec<u8> {
    unit.iter().copied().cycle().take(LENGTH).collect()
}

#[test]
fn repeated_literals_and_escapes_end() {
    let mut units: Vec<Vec<u8>> = Vec::new();
    for (_, token) in support::examples() {
        for end in [2, 4, 7, 12, token.len() - 1] {
            units.push(token.as_bytes()[..end.min(token.len())].to_vec());
        }
    }
    for unit in [
        "T3BlbkFJ",
        "sk-T3BlbkFJ",
        "PRIVATE KEY",
        "%42EGINxxxxxxxxxxxxxxxx ",
        "BEGI\u{200B}Nxxxxxxxxxxxxxxxxxxx ",
        "%2D----BEGIN%20PRIVATE%20KEY----- ",
        "glpat-a\n",
        "glpat-aB1\n",
        "a\"+\"",
        "a''",
        "a<b>",
        "a<!---->",
        "a\u{1B}[31m",
        "a |\n| ",
        "a\\n ",
        "\r",
        "\u{8}",
        "\u{336}",
        "&amp;amp;",
        "-----BEGIN PRIVATE KEY-----",
        "Q~",
        "SK",
        "%",
        "%4",
        "%41",
        "%25",
        "%2525",
        "\\",
        "\\\\",
        "\\u0041",
        "\\_",
        "&",
        "&#",
        "&#65;",
        "&amp;",
        "=",
        "=4",
        "=41",
        "=\n",
        "\n",
        "a\n",
        "ab\n> ",
        "\u{200B}",
        "\u{AD}a",
        "Ａ",
        "*",
        "a*",
        "a`b*",
        "~~",
        "\0",
        "a\0",
        "\0a",
        "A\0\n\0",
        "QUFBQUFB",
        "ZXlK",
        "41",
        "3431",
        "a",
        "A",
        "/",
        "_",
        "-",
        ".",
        ":",
        "://",
        "://a:b@c",
        "Bearer ",
        "token=",
        "eyJ",
        "eyJ.eyJ.",
        "令",
        "é",
        "\u{FE0F}",
        "\u{E0041}",
    ] {
        units.push(unit.as_bytes().to_vec());
    }
    let extended = Scanner::new(&Ruleset::extended());
    for unit in units {
        let input = repeated(&unit);
        for scanner in [Scanner::standard(), &extended] {
            assert_well_formed(&scanner.scan(&input), &input);
        }
    }
}

#[test]
fn nested_encodings_end() {
    let mut input = b"nothing but a plain sentence that goes on and on. ".repeat(40);
    for _ in 0..6 {
        assert!(secret_scan::scan(&input).is_empty());
        input = support::base64(&input, true);
    }
    let mut input = b"nothing but a plain sentence".repeat(10);
    for _ in 0..6 {
        assert!(secret_scan::scan(&input).is_empty());
        input = support::hex(&input);
    }
}

#[test]
fn all_bytes_and_all_pairs_of_bytes_are_inputs() {
    let mut input = Vec::new();
    for first in 0..=255_u8 {
        for second in 0..=255_u8 {
            input.extend([first, second]);
        }
    }
    assert_well_formed(&secret_scan::scan(&input), &input);
}

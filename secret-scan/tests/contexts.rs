//! Each of the 30 rules in the surroundings that tokens have in notes, code and logs, with its
//! exact place.

use crate::support::{self, Planted};

/// What stands before and after a token.
const CONTEXTS: &[(&str, &str)] = &[
    // Start and end of file.
    ("", ""),
    ("", "\n"),
    ("\n", ""),
    ("\r\n", "\r\n"),
    ("\u{FEFF}", "\n"),
    // Quoted and bracketed.
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("«", "»"),
    ("“", "”"),
    ("```\n", "\n```\n"),
    ("~~~sh\n", "\n~~~\n"),
    // Before each punctuation mark.
    ("It is ", ", keep it."),
    ("It is ", "."),
    ("It is ", ". The rest follows."),
    ("It is ", "; not more"),
    ("It is ", ": see above"),
    ("Is it ", "?"),
    ("It is ", "!"),
    ("It is ", "…"),
    ("It is ", " – no more"),
    ("It is ", "—no more"),
    ("a|", "|b"),
    ("a&", "&b"),
    ("a/", "<br>"),
    ("$", "$"),
    ("@", "@"),
    ("#", "#"),
    ("^", "^"),
    ("\\", "\\"),
    // Markdown.
    ("**", "**"),
    ("*", "*"),
    ("_", "_"),
    ("__", "__"),
    ("***", "***"),
    ("~~", " ~~"),
    ("| name | ", " | 2024 |\n"),
    ("|", "|\n"),
    ("- ", "\n- next\n"),
    ("1. ", "\n2. next\n"),
    ("> ", "\n> next\n"),
    ("> > ", "\n"),
    ("# ", "\n"),
    ("[link](", ")"),
    ("![](", " \"title\")"),
    ("[x]: ", "\n"),
    ("<!-- ", " -->"),
    ("    ", "\n"),
    // In a URL.
    ("https://example.org/?token=", "&x=1"),
    ("https://example.org/?a=b&token=", "#top"),
    // Not before a slash, which is a letter of base64 and of some tokens.
    ("https://example.org/", "?log"),
    ("https://x-token:", "@example.org/a.git"),
    ("curl -H 'Authorization: token ", "' https://example.org"),
    ("curl -u :", " https://example.org"),
    ("%3D", "%26"),
    ("%22", "%22"),
    // YAML, JSON, TOML, INI, environment, shell, code.
    ("token: ", "\n"),
    ("token: \"", "\" # ci\n"),
    ("- name: token\n  value: ", "\n"),
    ("{\"token\":\"", "\"}"),
    ("{\"token\": \"", "\", \"n\": 1}"),
    ("{\\\"token\\\":\\\"", "\\\"}"),
    ("{\"log\":\"a\\n", "\\nb\"}"),
    ("{\"log\":\"a\\t", "\\r\\n\"}"),
    ("token = \"", "\"\n"),
    ("[default]\ntoken=", "\n"),
    ("TOKEN=", "\n"),
    ("export TOKEN=", "; run\n"),
    ("export TOKEN='", "' && run\n"),
    ("set TOKEN=", "\r\n"),
    ("$env:TOKEN=\"", "\"\r\n"),
    ("--token=", " --verbose"),
    ("--token ", "\\\n  --verbose"),
    ("let token = \"", "\";\n"),
    ("f(", ", 1);"),
    ("x='", "'+y"),
    ("<a b=\"", "\"/>"),
    ("<t>", "</t>"),
    ("// ", "\n"),
    ("/* ", " */"),
    ("+", "\n"),
    ("+TOKEN=", "\n"),
    // Logs.
    ("2024-05-01T10:00:00Z INFO token=", " ok\n"),
    ("\u{1B}[31m", "\u{1B}[0m"),
    ("\t", "\t"),
    ("\0", "\0"),
    // Chinese, Japanese, Korean, Cyrillic, emoji.
    ("令牌", "，请保密。"),
    ("令牌：", "。"),
    ("「", "」"),
    ("トークン", "です"),
    ("토큰은 ", "입니다"),
    ("ключ ", ", храните"),
    ("🔑", "🔒"),
    ("👩‍💻 ", " 👍🏽"),
    // Bytes that are not UTF-8 would not be a `&str`; `stream` and `properties` have those.
];

#[test]
fn there_are_at_least_25_contexts_and_30_rules() {
    assert!(CONTEXTS.len() >= 25);
    assert_eq!(secret_scan::rules().len(), 30);
}

#[test]
fn every_rule_is_found_in_every_context_at_its_exact_place() {
    let mut wrong = Vec::new();
    for (rule, token) in support::examples() {
        for &(before, after) in CONTEXTS {
            let planted = Planted::new(before, token.as_bytes(), after);
            let findings = secret_scan::scan(&planted.text);
            let is_right = findings.len() == 1
                && findings[0].rule() == rule
                && findings[0].range() == planted.range;
            if !is_right {
                wrong.push(format!("{rule} in {before:?} {after:?}: {findings:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_same_is_found_without_views_where_nothing_is_hidden() {
    let raw = secret_scan::Scanner::standard()
        .clone()
        .with_views(secret_scan::Views::Off);
    for (rule, token) in support::examples() {
        for &(before, after) in CONTEXTS {
            let planted = Planted::new(before, token.as_bytes(), after);
            let findings = raw.scan(&planted.text);
            assert_eq!(findings.len(), 1, "{rule} in {before:?} {after:?}");
            assert_eq!(findings[0].range(), planted.range);
        }
    }
}

#[test]
fn lines_and_columns_count_characters_from_one() {
    let (_, token) = support::examples().remove(0);
    let check = |before: &str, start: (u64, u64), end: (u64, u64)| {
        let text = format!("{before}{token}\nmore");
        let finding = secret_scan::scan(text.as_bytes()).remove(0);
        assert_eq!((finding.line(), finding.column()), start, "{before:?}");
        assert_eq!(
            (finding.end_line(), finding.end_column()),
            end,
            "{before:?}"
        );
    };
    let length = token.chars().count() as u64;
    check("", (1, 1), (1, 1 + length));
    check("ab ", (1, 4), (1, 4 + length));
    check("\n\nab ", (3, 4), (3, 4 + length));
    check("\r\n令牌 ", (2, 4), (2, 4 + length));
    check("🔑é ", (1, 4), (1, 4 + length));
    check(&"x y\n".repeat(50_000), (50_001, 1), (50_001, 1 + length));
}

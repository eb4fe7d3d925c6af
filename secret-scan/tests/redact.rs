//! Redaction leaves nothing of a value and everything else.

use secret_scan::{Ruleset, Scanner};

use crate::support;
use crate::views::{forms, is_larger, is_wide};

#[test]
fn every_credential_is_replaced_by_a_label_and_the_rest_stays() {
    for (rule, token) in support::examples() {
        let text = format!("令牌 before {token}, after\n");
        let redacted = secret_scan::redact(&text);
        assert_eq!(redacted, format!("令牌 before [redacted:{rule}], after\n"));
    }
}

#[test]
fn clean_text_is_borrowed() {
    let redacted = secret_scan::redact("nothing here");
    assert!(matches!(redacted, std::borrow::Cow::Borrowed(_)));
}

#[test]
fn nothing_of_a_hidden_value_survives() {
    for (rule, token) in support::examples() {
        for (form, hide) in forms() {
            let Some(hidden) = hide(&token) else { continue };
            let text = [b"see ".as_slice(), &hidden, b" there"].concat();
            let redacted = Scanner::standard().redact_bytes(&text);
            if rule == "private-key" && secret_scan::scan(&text).is_empty() {
                // Not all forms make sense for a text of many lines.
                continue;
            }
            for piece in hidden.windows(8) {
                if piece.iter().all(u8::is_ascii_alphanumeric) {
                    let found = redacted.windows(8).position(|window| window == piece);
                    // Sentences around an encoded token may stay.
                    let is_rest = is_larger(form);
                    assert!(found.is_none() || is_rest, "{form}: {rule}");
                }
            }
        }
    }
}

#[test]
fn labels_in_utf_16_are_utf_16() {
    let (rule, token) = support::examples().remove(0);
    for little_endian in [true, false] {
        let text = support::utf16(&format!("the token is {token}, keep it"), little_endian);
        let redacted = Scanner::standard().redact_bytes(&text);
        let expected = format!("the token is [redacted:{rule}], keep it");
        assert_eq!(redacted, support::utf16(&expected, little_endian));
    }
    assert!(forms().any(|(form, _)| is_wide(form)));
}

#[test]
fn tokens_longer_than_any_format_are_replaced_whole() {
    let examples = support::examples().into_iter();
    for (rule, token) in examples.filter(|(rule, _)| *rule != "private-key") {
        // Some end where they end: what is longer has another form.
        let long = format!("{token}{}", "Qx7".repeat(3_000));
        let redacted = secret_scan::redact(&long);
        let is_found = redacted != long;
        assert!(!is_found || !redacted.contains("Qx7Qx7"), "{rule}");
    }
}

#[test]
fn what_one_replacement_brings_to_light_is_replaced_too() {
    let examples = support::examples();
    let aws = &examples[0].1;
    let github = &examples
        .iter()
        .find(|(rule, _)| *rule == "github-pat")
        .expect("a rule")
        .1;
    // Without a space between them, the second starts inside a word.
    for text in [
        format!("{github}{aws}"),
        format!("{aws}{aws}"),
        format!("{github}{github}"),
    ] {
        let redacted = Scanner::standard().redact(&text);
        assert!(!secret_scan::contains_secret(redacted.text().as_bytes()));
        assert_eq!(
            Scanner::standard().redact(redacted.text()).text(),
            redacted.text()
        );
    }
}

#[test]
fn hints_are_reported_and_stay() {
    let extended = Scanner::new(&Ruleset::extended());
    let hint = extended
        .ruleset()
        .rules()
        .iter()
        .find(|rule| rule.id() == "secret-assignment");
    let text = hint.expect("an extended rule").examples().remove(0);
    assert_eq!(extended.scan(text.as_bytes()).len(), 1);
    assert!(!extended.contains_secret(text.as_bytes()));
    assert_eq!(extended.redact(&text).text(), text);
}

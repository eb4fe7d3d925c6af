//! Nothing that can be printed holds any part of a value.

use std::fmt::Write as _;
use std::panic;
use std::sync::{Arc, Mutex};

use secret_scan::{AllowKey, AllowList, Ruleset, Scanner};

use crate::support;
use crate::views::forms;

/// The shortest piece that must not show.
const PIECE: usize = 8;

/// Everything that this crate lets a caller print about one input.
fn all_output(scanner: &Scanner, text: &[u8]) -> String {
    let mut output = String::new();
    let mut stream = scanner.stream();
    stream.push(text);
    let _ = writeln!(output, "{scanner:?} {stream:?}");
    let taken = stream.take_findings();
    let finished = stream.finish();
    let findings = scanner.scan(text);
    let _ = writeln!(output, "{taken:?} {finished:#?} {findings:?}");
    for finding in &findings {
        let _ = writeln!(
            output,
            "{finding} {} {} {:?} {:?} {:?} {:?}",
            finding.rule(),
            finding.label(),
            finding.range(),
            finding.level(),
            finding.confidence(),
            finding.fingerprint(),
        );
    }
    let lossy = String::from_utf8_lossy(text);
    let _ = writeln!(output, "{:?}", scanner.redact(&lossy));
    let _ = writeln!(output, "{:?}", scanner.ruleset());
    output
}

/// Errors whose input is the value itself.
fn all_errors(token: &str) -> String {
    let mut output = String::new();
    let mut list = AllowList::new(AllowKey::new([0; 32]));
    let fingerprint = secret_scan::Fingerprint::parse(&"0".repeat(64)).expect("64 digits");
    let errors = [
        AllowList::parse(AllowKey::new([0; 32]), token).map(drop),
        AllowList::parse(AllowKey::new([0; 32]), &format!("{token}\t{token}")).map(drop),
        secret_scan::Fingerprint::parse(token).map(drop),
        list.allow(&format!("{token}\n"), fingerprint, token, token),
        list.allow(token, fingerprint, "", token),
        list.allow(token, fingerprint, token, &token.repeat(500)),
    ];
    for error in errors {
        let error = error.expect_err("not an entry");
        let _ = writeln!(output, "{error} {error:?}");
    }
    output
}

fn assert_no_piece(output: &str, value: &[u8], name: &str) {
    for piece in value.windows(PIECE) {
        if piece.iter().all(u8::is_ascii_graphic) {
            let piece = String::from_utf8_lossy(piece);
            assert!(!output.contains(&*piece), "{name}");
        }
    }
}

#[test]
fn no_output_or_error_holds_a_piece_of_a_value() {
    let list = AllowList::new(AllowKey::new([3; 32]));
    let scanners = [
        Scanner::standard().clone(),
        Scanner::new(&Ruleset::extended()).with_allow_list(list),
    ];
    for (rule, token) in support::examples() {
        let errors = all_errors(&token);
        assert_no_piece(&errors, token.as_bytes(), rule);
        for scanner in &scanners {
            for (form, hide) in forms() {
                let Some(hidden) = hide(&token) else { continue };
                let text = [b" ".as_slice(), &hidden, b" "].concat();
                let output = all_output(scanner, &text);
                assert_no_piece(&output, token.as_bytes(), form);
                assert_no_piece(&output, &hidden, form);
            }
        }
    }
}

#[test]
fn the_key_of_a_list_is_not_shown() {
    let key = AllowKey::new(*b"a key of thirty-two bytes, wow!!");
    let shown = format!("{key:?} {:?}", AllowList::new(key.clone()));
    assert!(
        !shown.contains("thirty") && !shown.contains("97, 32"),
        "{shown}"
    );
}

#[test]
fn a_panic_of_the_caller_shows_no_value_through_our_types() {
    let (_, token) = support::examples().remove(0);
    let captured = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&captured);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let mut sink = sink.lock().expect("not poisoned");
        let _ = write!(sink, "{info}");
    }));
    let text = token.clone();
    let result = panic::catch_unwind(move || {
        let findings = secret_scan::scan(text.as_bytes());
        let redacted = Scanner::standard().redact(&text);
        // What a failing assertion about our types prints.
        assert_eq!(format!("{findings:?}"), format!("{redacted:?}"));
    });
    panic::set_hook(before);
    assert!(result.is_err());
    let output = captured.lock().expect("not poisoned").clone();
    assert!(output.contains("aws-access-token"));
    assert_no_piece(&output, token.as_bytes(), "panic");
}

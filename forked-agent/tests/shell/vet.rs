//! The two tables, and properties of the vetter that hold for any text.

use forked_agent::shell::{MAX_COMMAND_BYTES, MAX_PROGRAMS, RefusalKind, Scope, vet};
use proptest::prelude::*;

use super::allowed::{ALLOWED, FOLDER, MEMORY};
use super::refused::REFUSED;
use super::render;

pub(super) fn scope() -> Scope {
    Scope::new(FOLDER).with_root(MEMORY)
}

#[test]
fn every_allowed_command_decodes_as_the_table_says() {
    let mut wrong = Vec::new();
    for (command, expected) in ALLOWED {
        match vet(command, &scope()) {
            Ok(script) if render(&script) == *expected => {}
            Ok(script) => wrong.push(format!("{command:?} decodes to {}", render(&script))),
            Err(refusal) => wrong.push(format!("{command:?} is refused: {refusal}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_refused_command_names_its_class_and_a_place_inside_the_command() {
    let mut wrong = Vec::new();
    for (command, expected) in REFUSED {
        match vet(command, &scope()) {
            Ok(script) => wrong.push(format!("{command:?} is allowed as {}", render(&script))),
            Err(refusal) if refusal.kind() != *expected => {
                wrong.push(format!("{command:?} is {:?}: {refusal}", refusal.kind()));
            }
            Err(refusal) if refusal.position() > command.len() => {
                wrong.push(format!("{command:?} points outside: {refusal}"));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tables_are_as_large_as_promised() {
    assert!(ALLOWED.len() + REFUSED.len() >= 200 && ALLOWED.len() >= 100 && REFUSED.len() >= 100);
}

#[test]
fn a_reason_is_short_and_safe_to_print_whatever_the_command_holds() {
    let hostile = format!("ls --{}\\\u{e9}", "x".repeat(3_000));
    for command in [hostile.as_str(), "ls \u{1b}[31m", "rm\u{202e}", "'\u{9b}'"] {
        let text = vet(command, &scope()).unwrap_err().to_string();
        assert!(text.len() < 400, "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
}

#[test]
fn limits_refuse_one_more_and_allow_the_last() {
    let fitting = format!("ls {}", "a".repeat(MAX_COMMAND_BYTES - 3));
    assert!(vet(&fitting, &scope()).is_ok());
    let refusal = vet(&format!("{fitting}a"), &scope()).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::TooMuch);

    let fitting = vec!["ls"; MAX_PROGRAMS].join("|");
    assert!(vet(&fitting, &scope()).is_ok());
    let refusal = vet(&format!("{fitting}|ls"), &scope()).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::TooMuch);
}

#[test]
fn everywhere_still_leaves_out_the_special_trees() {
    let scope = scope().everywhere();
    assert!(vet("cat /etc/hostname ../x", &scope).is_ok());
    for command in [
        "cat /dev/tty",
        "ls /proc",
        "find / -name a",
        "ls -R /",
        "grep -r a /",
    ] {
        let refusal = vet(command, &scope).unwrap_err();
        assert_eq!(refusal.kind(), RefusalKind::Special, "{command}");
    }
    assert!(vet("ls /", &scope).is_ok());
}

#[test]
fn a_scope_that_is_no_absolute_folder_gives_no_right() {
    for folder in ["", "relative", "."] {
        for command in ["ls", "ls a", "cat a", "find .", "cat /etc/hostname"] {
            let refusal = vet(command, &Scope::new(folder)).unwrap_err();
            assert_eq!(refusal.kind(), RefusalKind::Outside, "{folder:?} {command}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn no_text_makes_the_vetter_panic(command in "\\PC{0,80}") {
        let _ = vet(&command, &scope());
    }

    #[test]
    fn no_shell_like_text_makes_the_vetter_panic(
        command in "(ls|find|grep|cat|tail)( |[-'\"\\\\|&;$*?\\[\\]=/.2>1a-dn]|/dev/null){0,40}"
    ) {
        if let Ok(script) = vet(&command, &scope()) {
            // What is decoded, quoted again, decodes to the same.
            let quoted = super::quote(&script);
            let again = vet(&quoted, &scope()).map(|again| render(&again));
            prop_assert_eq!(again, Ok(render(&script)), "{} -> {}", command, quoted);
        }
    }
}

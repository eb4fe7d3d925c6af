//! Tokens of files, commands and logins.

use std::fs;
use std::path::Path;
use std::time::Duration;

use team_sync::ErrorKind;
use team_sync::client::Token;
use team_sync::client::token::{CommandToken, FileToken, StoredTokens, TokenProvider, first_token};
use tempfile::TempDir;

const SECRET: &str = "t0ken-that-nobody-sees";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[cfg(unix)]
fn mode(path: &Path, bits: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(bits)).expect("permissions");
}

/// The error of a provider, which must not hold the token in any form it can be printed in.
#[track_caller]
fn refused(provider: &dyn TokenProvider) -> String {
    let error = provider.token().expect_err("it is refused");
    assert_eq!(error.kind(), ErrorKind::Token);
    let shown = format!("{error} {error:?} {error:#?}");
    assert!(!shown.contains(SECRET), "{shown}");
    error.to_string()
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_refused() {
    let folder = folder();
    let path = folder.path().join("token");
    fs::write(&path, format!("{SECRET}\n")).expect("a file");
    let provider = FileToken::new(&path);
    for bits in [0o604, 0o640, 0o620, 0o602, 0o644, 0o777] {
        mode(&path, bits);
        assert!(refused(&provider).contains("chmod 600"), "{bits:o}");
    }
    for bits in [0o600, 0o400] {
        mode(&path, bits);
        let token = provider.token().expect("it is taken");
        assert_eq!(token, Some(Token::new(SECRET)), "{bits:o}");
    }
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert!(FileToken::new(&link).token().is_ok());
    mode(&path, 0o644);
    refused(&FileToken::new(&link));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_no_token_is_refused_without_a_word_of_it() {
    let folder = folder();
    let path = folder.path().join("token");
    let provider = FileToken::new(&path);
    assert!(refused(&provider).contains("not there"));
    let large = format!("{SECRET}{}", "x".repeat(20_000));
    let contents: [&[u8]; 5] = [
        b"",
        b"  \n",
        b"two t0ken-that-nobody-sees",
        b"\xff\xfet0ken-that-nobody-sees",
        large.as_bytes(),
    ];
    for content in contents {
        fs::write(&path, content).expect("a file");
        mode(&path, 0o600);
        refused(&provider);
    }
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a folder");
    refused(&provider);
}

#[test]
fn a_token_shows_nothing_of_itself() {
    let token = Token::new(SECRET);
    assert!(!format!("{token:?} {token:#?}").contains(SECRET));
    let command = CommandToken::new(vec!["gh".into(), SECRET.into()], "/bin");
    assert!(!format!("{command:?}").contains(SECRET));
}

#[cfg(unix)]
mod commands {
    use super::*;

    fn shell(script: &str) -> CommandToken {
        let words = ["sh", "-c", script].map(str::to_owned).to_vec();
        CommandToken::new(words, "relative:/bin:/usr/bin").with_time_limit(Duration::from_secs(60))
    }

    #[test]
    fn what_a_command_prints_is_the_token() {
        let token = shell(&format!("echo {SECRET}; echo {SECRET}-on-stderr >&2")).token();
        assert_eq!(token.expect("a token"), Some(Token::new(SECRET)));
        // No shell reads the words.
        let words = ["echo", "$HOME;x"].map(str::to_owned).to_vec();
        let token = CommandToken::new(words, "/bin:/usr/bin").token();
        assert_eq!(token.expect("a token"), Some(Token::new("$HOME;x")));
    }

    #[test]
    fn a_command_that_fails_or_says_too_much_is_refused_without_a_word_of_it() {
        for (script, why) in [
            (format!("echo {SECRET}; exit 3"), "failed"),
            (format!("echo {SECRET} {SECRET}"), "one word"),
            (String::from("true"), "is empty"),
            (format!("yes {SECRET}"), "says too much"),
        ] {
            let error = refused(&shell(&script));
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_command_that_does_not_end_is_ended() {
        let begin = std::time::Instant::now();
        let command = shell("exec sleep 600").with_time_limit(Duration::from_millis(50));
        assert!(refused(&command).contains("longer than"));
        assert!(
            begin.elapsed() < Duration::from_secs(300),
            "it was not waited for"
        );
    }

    #[test]
    fn a_command_of_the_current_folder_is_not_found() {
        for program in ["./sh", "bin/sh", "no-such-program-here", ""] {
            let command = CommandToken::new(vec![program.to_owned()], ".:bin:/bin");
            assert!(refused(&command).contains("not found"), "{program}");
        }
        assert!(refused(&CommandToken::new(Vec::new(), "/bin")).contains("not found"));
    }
}

#[test]
fn a_login_is_kept_for_one_server_and_for_its_owner_only() {
    let home = folder();
    let ours = StoredTokens::new(home.path(), "https://a.example/");
    let theirs = StoredTokens::new(home.path(), "https://b.example");
    assert_eq!(ours.token().expect("none"), None);
    assert!(!ours.store(Some(&Token::new(SECRET))).expect("stored"));
    assert_eq!(ours.token().expect("a token"), Some(Token::new(SECRET)));
    let same = StoredTokens::new(home.path(), "https://a.example");
    assert_eq!(same.token().expect("a token"), Some(Token::new(SECRET)));
    assert_eq!(theirs.token().expect("none"), None);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let bits = fs::metadata(ours.path())
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(bits & 0o777, 0o600);
        mode(&ours.path(), 0o640);
        refused(&ours);
        assert!(ours.store(Some(&Token::new("x"))).is_err());
        mode(&ours.path(), 0o600);
    }
    theirs.store(Some(&Token::new("other"))).expect("stored");
    assert!(ours.store(None).expect("removed"));
    assert_eq!(ours.token().expect("none"), None);
    assert_eq!(theirs.token().expect("a token"), Some(Token::new("other")));
    assert!(ours.store(Some(&Token::new("two words"))).is_err());
}

#[cfg(unix)]
#[test]
fn a_damaged_file_of_logins_is_refused_without_a_word_of_it() {
    let home = folder();
    let stored = StoredTokens::new(home.path(), "https://a.example");
    for text in [
        format!("{{\"form\":1,\"tokens\":{{\"https://a.example\":{SECRET}}}}}"),
        format!("{{\"form\":2,\"tokens\":{{\"https://a.example\":\"{SECRET}\"}}}}"),
        format!("{{\"form\":1,\"tokens\":[\"{SECRET}\"]}}"),
    ] {
        fs::write(stored.path(), text).expect("a file");
        mode(&stored.path(), 0o600);
        refused(&stored);
    }
}

#[test]
fn the_first_provider_with_a_token_is_asked_and_a_broken_one_is_not_passed_over() {
    let none: Option<Token> = None;
    let some = Some(Token::new("first"));
    let missing = FileToken::new("/nowhere/token");
    let token = |providers: &[&dyn TokenProvider]| first_token(providers);
    assert_eq!(token(&[]).expect("none"), None);
    assert_eq!(token(&[&none, &some, &missing]).expect("a token"), some);
    assert!(token(&[&none, &missing, &some]).is_err());
}

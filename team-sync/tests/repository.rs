//! One name for all ways to write a remote.

use team_sync::{ErrorKind, is_slug, repository_slug};

#[test]
fn all_spellings_of_a_remote_give_one_name() {
    for remote in [
        "https://github.com/Acme/App.git",
        "https://github.com/acme/app",
        "https://github.com/acme/app/",
        "https://ana:token@github.com/acme/app.git",
        "http://github.com:80/acme/app.git",
        "ssh://git@github.com/acme/app.git",
        "ssh://git@github.com:22/acme/app.git",
        "git@github.com:acme/app.git",
        "github.com:acme/app",
        "git://github.com/acme/app.git",
    ] {
        assert_eq!(
            repository_slug(remote).expect(remote),
            "acme/app",
            "{remote}"
        );
    }
}

#[test]
fn other_hosts_keep_their_name() {
    for (remote, slug) in [
        (
            "git@git.acme.example:tools/app.git",
            "git.acme.example/tools/app",
        ),
        (
            "https://git.acme.example:8443/a/b/c.git",
            "git.acme.example/a/b/c",
        ),
        (
            "https://evil.example/github.com/acme/app",
            "evil.example/github.com/acme/app",
        ),
    ] {
        assert_eq!(repository_slug(remote).expect(remote), slug);
    }
}

#[test]
fn what_a_team_cannot_share_is_refused_without_repeating_it() {
    for remote in [
        "",
        "/srv/git/app.git",
        "file:///srv/app",
        "../app",
        "https://ana:hunter2@",
        "https://github.com/acme/a b",
        // On another host that would be the name of a repository on GitHub.
        "git@acme:app.git",
    ] {
        let error = repository_slug(remote).expect_err(remote);
        assert_eq!(error.kind(), ErrorKind::Repository);
        assert!(!error.to_string().contains("hunter2"));
    }
}

#[test]
fn a_server_takes_only_plain_names() {
    for (name, plain) in [
        ("acme/app", true),
        ("host/acme/app", true),
        ("acme", false),
        ("acme/", false),
        ("../app", false),
        ("acme/..", false),
        ("acme/a?b", false),
        ("", false),
    ] {
        assert_eq!(is_slug(name), plain, "{name}");
    }
}

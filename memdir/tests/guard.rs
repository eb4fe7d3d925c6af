//! The answer to a host that is about to write a file.

use std::path::{Path, PathBuf};

use memdir::{Mode, Modes, SecretAction, Store, WriteDecision, Writer};

use crate::support::{Scratch, person, request};

fn secret() -> String {
    ["AK", "IA", "Z7QX", "J4LM", "N2VK", "5RTW"].concat()
}

/// A store in a folder whose path has no links, as a host would name it.
fn open(scratch: &Scratch, mode: Mode, private: SecretAction) -> (Store, PathBuf) {
    let root = scratch.folder.path().canonicalize().unwrap();
    let options = scratch
        .options()
        .with_modes(Modes::all(mode))
        .with_private_secrets(private);
    let store = Store::open(&root.join("memory"), options).unwrap();
    (store, root)
}

#[test]
fn every_path_gets_its_answer() {
    use WriteDecision::{Allow, Block, Outside};
    let scratch = Scratch::default();
    let (store, root) = open(&scratch, Mode::Auto, SecretAction::Warn);
    store.save(&request("a"), &person()).unwrap();
    let table = [
        ("memory/feedback_a.md", Allow),
        ("memory/new.md", Allow),
        ("memory/MEMORY.md", Allow),
        ("memory/deep/er/new.md", Allow),
        ("memory/state.json", Allow),
        ("memory/team/new.md", Allow),
        ("memory/team/state.json", Block),
        ("memory/deep/../new.md", Block),
        ("memory/NUL.md", Block),
        ("memory/.git/config", Block),
        ("memory/a:b.md", Block),
        ("memory-state/journal/x", Block),
        ("memory-state/identity.json", Block),
        ("memory-evil/x.md", Outside),
        ("memory.md", Outside),
        ("src/main.rs", Outside),
        ("memory/../src/main.rs", Outside),
        ("x/../memory/new.md", Block),
    ];
    for (path, expected) in table {
        let check = store.check_write(&root.join(path), b"text", Writer::Host);
        assert_eq!(check.decision, expected, "{path}: {}", check.reason);
        assert_eq!(check.reason.is_empty(), expected != Block, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_where_the_write_would_land() {
    use WriteDecision::{Allow, Block, Outside};
    let scratch = Scratch::default();
    let (store, root) = open(&scratch, Mode::Auto, SecretAction::Warn);
    std::fs::create_dir(root.join("project")).unwrap();
    std::fs::create_dir(root.join("memory/deep")).unwrap();
    std::fs::write(root.join("project/file"), "").unwrap();
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(root.join(to), root.join(from)).unwrap();
    };
    link("project/folder", "memory");
    link("project/deep", "memory/deep");
    link("project/not_yet", "memory/not_yet.md");
    link("project/secret", "memory-state/journal");
    link("project/nowhere", "nothing/there");
    link("memory/out.md", "project/file");
    link("memory/dangling.md", "nothing/there");
    let table = [
        ("project/folder/x.md", Allow),
        // The kernel goes up from where the link leads.
        ("project/deep/../x.md", Allow),
        ("project/not_yet", Allow),
        ("project/secret/x", Block),
        ("project/nowhere", Outside),
        // A link out of the folder does not write a memory.
        ("memory/out.md", Outside),
        ("memory/dangling.md", Block),
    ];
    for (path, expected) in table {
        let check = store.check_write(&root.join(path), b"text", Writer::Host);
        assert_eq!(check.decision, expected, "{path}: {}", check.reason);
    }
}

#[test]
fn credentials_block_or_warn_as_set() {
    use WriteDecision::{Block, Warn};
    let text = format!("one\n\nkey: {}\n", secret());
    let table = [
        ("memory/a.md", SecretAction::Warn, Writer::Host, Warn),
        ("memory/a.md", SecretAction::Block, Writer::Host, Block),
        ("memory/a.md", SecretAction::Warn, Writer::Background, Block),
        ("memory/team/a.md", SecretAction::Warn, Writer::Host, Block),
        (
            "memory/team/a.md",
            SecretAction::Warn,
            Writer::Person,
            Block,
        ),
        (
            "memory/team/MEMORY.md",
            SecretAction::Warn,
            Writer::Host,
            Block,
        ),
    ];
    for (path, private, writer, expected) in table {
        let scratch = Scratch::default();
        let (store, root) = open(&scratch, Mode::Auto, private);
        let check = store.check_write(&root.join(path), text.as_bytes(), writer);
        assert_eq!(check.decision, expected, "{path} {private:?} {writer:?}");
        assert_eq!(check.secrets.len(), 1);
        assert_eq!(check.secrets[0].line, 3);
        assert!(check.reason.contains("line 3"), "{}", check.reason);
        assert!(!format!("{check:?}").contains(&secret()));
    }
}

#[test]
fn the_mode_decides_what_a_host_may_write() {
    use WriteDecision::{Allow, Block, Propose};
    let table = [
        (Mode::Auto, Writer::Host, Allow),
        (Mode::Ask, Writer::Host, Propose),
        (Mode::Ask, Writer::Person, Allow),
        (Mode::Read, Writer::Host, Block),
        (Mode::Read, Writer::Person, Allow),
        // Off means that we do not interfere.
        (Mode::Off, Writer::Host, Allow),
    ];
    for (mode, writer, expected) in table {
        let scratch = Scratch::default();
        let (store, root) = open(&scratch, mode, SecretAction::Warn);
        let check = store.check_write(&root.join("memory/a.md"), b"text", writer);
        assert_eq!(check.decision, expected, "{mode} {writer:?}");
        let outside = store.check_write(&root.join("elsewhere"), b"text", writer);
        assert_eq!(outside.decision, WriteDecision::Outside, "{mode}");
    }
}

#[test]
fn a_text_over_the_limit_is_blocked() {
    let scratch = Scratch::default();
    let (store, root) = open(&scratch, Mode::Auto, SecretAction::Warn);
    let text = vec![b'x'; 300_000];
    let decision = |path: &str| {
        let path: &Path = &root.join(path);
        store.check_write(path, &text, Writer::Host).decision
    };
    assert_eq!(decision("memory/a.md"), WriteDecision::Allow);
    assert_eq!(decision("memory/team/a.md"), WriteDecision::Block);
}

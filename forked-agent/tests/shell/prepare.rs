//! Patterns, links and special files: what only the file system can say.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use forked_agent::shell::{Refusal, RefusalKind, Scope, vet};

/// A folder `project` with files, beside a folder `outside`.
struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in files.iter().copied().chain(["../outside/secret"]) {
            let path = folder.path().join("project").join(file);
            std::fs::create_dir_all(folder.path().join("project")).unwrap();
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "text\n").unwrap();
        }
        Self { folder }
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.project().join(name)).unwrap();
    }

    /// Returns the arguments of the only program of a command.
    fn prepare(&self, command: &str) -> Result<Vec<String>, Refusal> {
        let scope = Scope::new(self.project());
        let ready = vet(command, &scope)?.prepare(&scope)?;
        let arguments = ready.commands().next().unwrap()[0].arguments();
        Ok(arguments
            .iter()
            .map(|argument| argument.as_bytes().escape_ascii().to_string())
            .collect())
    }

    fn refused(&self, kind: RefusalKind, commands: &[&str]) {
        for command in commands {
            match self.prepare(command) {
                Ok(arguments) => panic!("{command:?} may run with {arguments:?}"),
                Err(refusal) => assert_eq!(refusal.kind(), kind, "{command:?}: {refusal}"),
            }
        }
    }
}

#[test]
fn patterns_expand_as_a_shell_expands_them() {
    let tree = Tree::new(&[
        "a.md",
        "b.md",
        "c.txt",
        "B.md",
        ".hidden.md",
        "ab",
        "src/x.rs",
        "src/y.rs",
        "src/deep/z.rs",
        "lib/x.rs",
        "x y",
    ]);
    let cases: &[(&str, &[&str])] = &[
        ("ls *.md", &["B.md", "a.md", "b.md"]),
        ("ls ?.md", &["B.md", "a.md", "b.md"]),
        ("ls [ab].md", &["a.md", "b.md"]),
        ("ls [^ab].md", &["B.md"]),
        ("ls [a-b]*", &["a.md", "ab", "b.md"]),
        (
            "ls *",
            &["B.md", "a.md", "ab", "b.md", "c.txt", "lib", "src", "x y"],
        ),
        ("ls .*", &[".hidden.md"]),
        ("ls .h*", &[".hidden.md"]),
        ("ls */", &["lib/", "src/"]),
        ("ls */x.rs", &["lib/x.rs", "src/x.rs"]),
        ("ls */y.rs", &["src/y.rs"]),
        ("ls src/*.rs", &["src/x.rs", "src/y.rs"]),
        ("ls ./*.txt", &["./c.txt"]),
        ("ls */*/*", &["src/deep/z.rs"]),
        ("ls **/x.rs", &["lib/x.rs", "src/x.rs"]),
        ("ls nothing*", &["nothing*"]),
        ("ls */nothing", &["*/nothing"]),
        ("ls '*'.md", &["*.md"]),
        ("ls \\*.md *.txt", &["*.md", "c.txt"]),
        ("ls x*", &["x y"]),
        (
            "grep --include=*.md text -r .",
            &["--include=*.md", "text", "-r", "."],
        ),
    ];
    for (command, expected) in cases {
        assert_eq!(
            tree.prepare(command).as_deref(),
            Ok(&strings(expected)[..]),
            "{command}"
        );
    }
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_found_name_never_becomes_an_option() {
    let tree = Tree::new(&["-f", "--follow", "a", "--include=x.md"]);
    assert_eq!(
        tree.prepare("ls *").unwrap(),
        ["./--follow", "./--include=x.md", "./-f", "a"]
    );
    assert_eq!(tree.prepare("cat ?f").unwrap(), ["./-f"]);
    // Written with a dash, it is an option to the eye and would be a file to the shell.
    tree.refused(RefusalKind::Pattern, &["grep --include=*.md a -r ."]);
}

#[test]
fn a_name_that_is_no_utf_8_is_passed_on_as_it_is() {
    let tree = Tree::new(&["a"]);
    let name = std::ffi::OsStr::from_bytes(b"b\xff\xfec");
    std::fs::write(tree.project().join(name), "").unwrap();
    assert_eq!(tree.prepare("ls b*").unwrap(), ["b\\xff\\xfec"]);
    assert_eq!(tree.prepare("ls b??c").unwrap(), ["b\\xff\\xfec"]);
}

#[test]
fn a_link_that_leads_outside_is_refused_wherever_it_stands() {
    let tree = Tree::new(&["a", "sub/b"]);
    tree.link("../outside/secret", "file");
    tree.link("../outside", "folder");
    tree.link("folder", "twice");
    tree.link("/", "top");
    tree.refused(
        RefusalKind::Outside,
        &[
            "cat file",
            "cat folder/secret",
            "ls folder",
            "ls folder/",
            "cat twice/secret",
            "ls f*",
            "cat *",
            "ls folder/*",
            "ls */secret",
            "cat top/etc/passwd",
            "grep -f file a",
            "grep --file=file a",
            "find . -newer file",
            "grep -r text folder",
            "find folder",
            "stat -L file",
            "cat sub/../file",
            "ls folder/missing",
        ],
    );
    tree.refused(
        RefusalKind::Special,
        &["cat top/dev/null", "cat top/proc/self/environ"],
    );
    assert!(tree.prepare("cat a sub/b").is_ok());
}

#[test]
fn a_link_that_stays_inside_is_followed() {
    let tree = Tree::new(&["a", "sub/b"]);
    tree.link("sub", "folder");
    tree.link("a", "file");
    assert!(tree.prepare("cat file folder/b").is_ok());
    assert_eq!(tree.prepare("ls folder/*").unwrap(), ["folder/b"]);
}

#[test]
fn a_dangling_link_is_refused_because_anything_may_appear_behind_it() {
    let tree = Tree::new(&["a"]);
    tree.link("../outside/later", "dangling");
    tree.refused(RefusalKind::Outside, &["cat dangling", "cat dangling/x"]);
    tree.link("loop", "loop");
    tree.refused(RefusalKind::Unreadable, &["cat loop"]);
}

#[test]
fn a_missing_file_is_left_to_the_program_to_report() {
    let tree = Tree::new(&["a"]);
    assert!(tree.prepare("cat missing missing/deeper").is_ok());
}

#[test]
fn a_pipe_socket_or_device_is_refused() {
    let tree = Tree::new(&["a"]);
    let made = std::process::Command::new("mkfifo")
        .arg(tree.project().join("fifo"))
        .status();
    assert!(made.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(tree.project().join("socket")).unwrap();
    tree.link("fifo", "link");
    tree.refused(
        RefusalKind::Special,
        &["cat fifo", "cat socket", "cat link", "cat *"],
    );
}

#[test]
fn a_root_that_is_gone_gives_no_right() {
    let tree = Tree::new(&["a"]);
    let scope = Scope::new(tree.project());
    let script = vet("cat a", &scope).unwrap();
    std::fs::remove_dir_all(tree.project()).unwrap();
    assert_eq!(
        script.prepare(&scope).unwrap_err().kind(),
        RefusalKind::Outside
    );
}

#[test]
fn the_folder_itself_may_be_reached_through_a_link() {
    let tree = Tree::new(&["a"]);
    let alias = tree.folder.path().join("alias");
    symlink(tree.project(), &alias).unwrap();
    let scope = Scope::new(&alias);
    assert!(vet("cat a", &scope).unwrap().prepare(&scope).is_ok());
}

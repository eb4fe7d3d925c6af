//! Canonical roots: real repositories, and forged pointers.

use std::path::{Path, PathBuf};

use pathguard::{GitRootKind, canonical_root};
use tempfile::TempDir;

/// A scratch folder with a repository `victim` that has two worktrees, all made by hand as git makes
/// them, and an empty folder `hostile`.
struct Place {
    _scratch: TempDir,
    base: PathBuf,
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn repository(git_dir: &Path, config: &str) {
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(git_dir.join(folder)).unwrap();
    }
    write(&git_dir.join("HEAD"), "ref: refs/heads/main\n");
    write(&git_dir.join("config"), config);
}

/// Makes the record `name` in `common` for the working tree `folder`, and the pointer there.
fn worktree(common: &Path, name: &str, folder: &Path) {
    let record = common.join("worktrees").join(name);
    write(&record.join("commondir"), "../..\n");
    write(
        &record.join("gitdir"),
        &format!("{}\n", folder.join(".git").display()),
    );
    write(&record.join("HEAD"), "ref: refs/heads/x\n");
    write(
        &folder.join(".git"),
        &format!("gitdir: {}\n", record.display()),
    );
}

impl Place {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        let place = Self {
            _scratch: scratch,
            base,
        };
        repository(&place.at("victim/.git"), "[core]\n\tbare = false\n");
        worktree(&place.at("victim/.git"), "one", &place.at("one"));
        worktree(&place.at("victim/.git"), "two", &place.at("elsewhere/two"));
        std::fs::create_dir(place.at("hostile")).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    #[track_caller]
    fn check(&self, folder: &str, root: &str, how: GitRootKind) {
        let found = canonical_root(&self.at(folder)).unwrap();
        assert_eq!((found.root, found.how), (self.at(root), how), "{folder}");
    }
}

#[test]
fn worktrees_share_the_root_of_their_repository() {
    let place = Place::new();
    std::fs::create_dir_all(place.at("victim/src/deep")).unwrap();
    std::fs::create_dir_all(place.at("one/src/deep")).unwrap();
    place.check("victim", "victim", GitRootKind::Repository);
    place.check("victim/src/deep", "victim", GitRootKind::Repository);
    place.check("one", "victim", GitRootKind::Worktree);
    place.check("one/src/deep", "victim", GitRootKind::Worktree);
    place.check("elsewhere/two", "victim", GitRootKind::Worktree);
    place.check("elsewhere", "elsewhere", GitRootKind::NoRepository);
    place.check("hostile", "hostile", GitRootKind::NoRepository);
    let found = canonical_root(&place.at("one")).unwrap();
    assert_eq!(found.git_dir, Some(place.at("victim/.git/worktrees/one")));
    assert_eq!(found.common_dir, Some(place.at("victim/.git")));
}

#[test]
fn pointers_may_be_relative_and_have_the_line_ends_of_either_system() {
    let place = Place::new();
    for text in [
        "gitdir: ../victim/.git/worktrees/one\n",
        "gitdir: ../victim/.git/worktrees/one",
        "gitdir: ../victim/.git/worktrees/one\r\n",
        "gitdir: ./../victim//.git/./worktrees/one/\n",
        "gitdir:../victim/.git/worktrees/one\n",
    ] {
        write(&place.at("one/.git"), text);
        place.check("one", "victim", GitRootKind::Worktree);
    }
    write(
        &place.at("victim/.git/worktrees/one/gitdir"),
        "../../../../one/.git\n",
    );
    place.check("one", "victim", GitRootKind::Worktree);
    let common = place.at("victim/.git");
    write(
        &common.join("worktrees/one/commondir"),
        &format!("{}\n", common.display()),
    );
    place.check("one", "victim", GitRootKind::Worktree);
}

#[test]
fn worktrees_of_a_bare_repository_share_its_folder() {
    let place = Place::new();
    for (common, config) in [
        (
            "bare.git",
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
        ),
        ("project/.bare", "[core]\n\tbare\n"),
        ("dotgit/.git", "[core]\n\tbare = yes\n"),
    ] {
        repository(&place.at(common), config);
        let tree = format!("{common}-trees/main");
        worktree(&place.at(common), "main", &place.at(&tree));
        place.check(&tree, common, GitRootKind::BareWorktree);
        place.check(common, common, GitRootKind::BareRepository);
        place.check(
            &format!("{common}/objects"),
            common,
            GitRootKind::BareRepository,
        );
    }
    // Git moves the setting once worktrees have settings of their own.
    repository(
        &place.at("moved.git"),
        "[extensions]\n\tworktreeConfig = true\n",
    );
    write(
        &place.at("moved.git/config.worktree"),
        "[core]\n\tbare = true\n",
    );
    worktree(&place.at("moved.git"), "main", &place.at("moved-main"));
    place.check("moved-main", "moved.git", GitRootKind::BareWorktree);
}

#[test]
fn a_submodule_stands_for_itself_and_so_do_its_worktrees_together() {
    let place = Place::new();
    let modules = place.at("victim/.git/modules/sub");
    repository(
        &modules,
        "[core]\n\tbare = false\n\tworktree = ../../../sub\n",
    );
    write(
        &place.at("victim/sub/.git"),
        "gitdir: ../.git/modules/sub\n",
    );
    place.check("victim/sub", "victim/sub", GitRootKind::Submodule);
    worktree(&modules, "tree", &place.at("sub-tree"));
    place.check("sub-tree", "victim/sub", GitRootKind::Worktree);
    // A working tree that does not point back does not become anybody's root.
    write(&place.at("victim/sub/.git"), "gitdir: ../.git\n");
    place.check("sub-tree", "sub-tree", GitRootKind::UnverifiedPointer);
}

#[test]
fn the_inside_of_a_git_folder_belongs_to_its_working_tree() {
    let place = Place::new();
    place.check("victim/.git", "victim", GitRootKind::Repository);
    place.check("victim/.git/refs", "victim", GitRootKind::Repository);
}

#[test]
fn a_git_folder_without_a_repository_means_nothing() {
    let place = Place::new();
    std::fs::create_dir_all(place.at("victim/src/.git")).unwrap();
    place.check("victim/src", "victim", GitRootKind::Repository);
    std::fs::create_dir_all(place.at("hostile/.git")).unwrap();
    place.check("hostile", "hostile", GitRootKind::NoRepository);
    // Nor does a file in such a folder that names another repository's data.
    repository(&place.at("hostile/.git"), "");
    let victim = place.at("victim/.git");
    write(
        &place.at("hostile/.git/commondir"),
        &victim.display().to_string(),
    );
    place.check("hostile", "hostile", GitRootKind::Repository);
}

/// What a forged `.git` does, and how it is made.
type Forgery = (&'static str, fn(&Place));

/// Ways to make a folder claim that it belongs to the victim's repository.
const FORGERIES: &[Forgery] = &[
    ("points at the repository itself", |place| {
        point(place, &place.at("victim/.git").display().to_string());
    }),
    ("points at the repository itself, relative", |place| {
        point(place, "../victim/.git");
    }),
    ("points at the record of another worktree", |place| {
        point(place, "../victim/.git/worktrees/one");
    }),
    (
        "has its own record that names the victim's repository",
        |place| {
            let record = place.at("hostile/data/worktrees/x");
            write(
                &record.join("commondir"),
                &format!("{}\n", place.at("victim/.git").display()),
            );
            back(place, &record);
            point(place, "data/worktrees/x");
        },
    ),
    (
        "has its own record in a folder named like one of a repository",
        |place| {
            let record = place.at("hostile/.git-data/worktrees/x");
            write(&record.join("commondir"), "../../../../victim/.git\n");
            back(place, &record);
            point(place, "./.git-data/worktrees/x");
        },
    ),
    (
        "has a record whose common folder is a link to the victim's",
        |place| {
            std::fs::create_dir_all(place.at("hostile/x")).unwrap();
            link(&place.at("victim/.git"), &place.at("hostile/x/.git"));
            // With a back pointer that would fit, as far as the forger can write one.
            point(place, "x/.git/worktrees/one");
        },
    ),
    ("has a record that is a link into the victim's", |place| {
        let worktrees = place.at("hostile/data/worktrees");
        std::fs::create_dir_all(&worktrees).unwrap();
        link(&place.at("victim/.git/worktrees/one"), &worktrees.join("x"));
        point(place, "data/worktrees/x");
    }),
    ("has `worktrees` as a link to the victim's", |place| {
        repository(&place.at("hostile/data"), "");
        link(
            &place.at("victim/.git/worktrees"),
            &place.at("hostile/data/worktrees"),
        );
        point(place, "data/worktrees/one");
    }),
    ("is a link to the victim's repository", |place| {
        link(&place.at("victim/.git"), &place.at("hostile/.git"));
    }),
    ("is a link to the pointer of a real worktree", |place| {
        link(&place.at("one/.git"), &place.at("hostile/.git"));
    }),
    (
        "is a hard link to the pointer of a real worktree",
        |place| {
            std::fs::hard_link(place.at("one/.git"), place.at("hostile/.git")).unwrap();
        },
    ),
    ("is a copy of the pointer of a real worktree", |place| {
        std::fs::copy(place.at("one/.git"), place.at("hostile/.git")).unwrap();
    }),
    ("names two folders", |place| {
        point(place, "data\ngitdir: ../victim/.git/worktrees/one");
    }),
    ("names a folder behind a NUL", |place| {
        point(place, "../victim/.git/worktrees/one\0/x");
    }),
    ("is too large", |place| {
        point(
            place,
            &format!("{}victim/.git/worktrees/one", "../hostile/".repeat(1000)),
        );
    }),
    ("is not UTF-8", |place| {
        std::fs::write(place.at("hostile/.git"), b"gitdir: ../victim\xff/.git\n").unwrap();
    }),
    ("is empty", |place| {
        std::fs::write(place.at("hostile/.git"), "").unwrap();
    }),
    ("names nothing", |place| point(place, "")),
    ("names something missing", |place| {
        point(place, "../victim/.git/worktrees/three");
    }),
    ("is no pointer", |place| {
        std::fs::write(place.at("hostile/.git"), "../victim/.git/worktrees/one\n").unwrap();
    }),
    (
        "reaches a real record through dots above the root",
        |place| {
            point(
                place,
                &format!("{}{}", "../".repeat(64), place.at("victim/.git").display()),
            );
        },
    ),
    ("takes the victim for its main submodule", |place| {
        let modules = place.at("hostile/modules/x");
        repository(
            &modules,
            &format!("[core]\n\tworktree = {}\n", place.at("victim").display()),
        );
        let record = modules.join("worktrees/y");
        write(&record.join("commondir"), "../..\n");
        back(place, &record);
        point(place, "modules/x/worktrees/y");
    }),
    ("claims to be a submodule of the victim", |place| {
        let modules = place.at("victim/.git/modules/sub");
        repository(&modules, "[core]\n\tworktree = ../../../sub\n");
        point(place, "../victim/.git/modules/sub");
    }),
];

fn point(place: &Place, target: &str) {
    write(&place.at("hostile/.git"), &format!("gitdir: {target}\n"));
}

/// A back pointer to the hostile folder in a record the forger can write.
fn back(place: &Place, record: &Path) {
    write(
        &record.join("gitdir"),
        &format!("{}\n", place.at("hostile/.git").display()),
    );
    write(&record.join("HEAD"), "ref: refs/heads/main\n");
}

#[cfg(unix)]
fn link(target: &Path, name: &Path) {
    std::os::unix::fs::symlink(target, name).unwrap();
}

#[cfg(windows)]
fn link(target: &Path, name: &Path) {
    if target.is_dir() {
        std::os::windows::fs::symlink_dir(target, name).unwrap();
    } else {
        std::os::windows::fs::symlink_file(target, name).unwrap();
    }
}

#[test]
fn no_forged_pointer_reaches_another_repository() {
    assert!(FORGERIES.len() >= 8);
    for &(name, forge) in FORGERIES {
        let place = Place::new();
        forge(&place);
        std::fs::create_dir_all(place.at("hostile/below")).unwrap();
        for folder in ["hostile", "hostile/below"] {
            let found = canonical_root(&place.at(folder)).unwrap();
            assert_eq!(found.root, place.at("hostile"), "{name}");
            assert_eq!(found.how, GitRootKind::UnverifiedPointer, "{name}");
            assert_eq!((found.git_dir, found.common_dir), (None, None), "{name}");
        }
        // And the real ones are as they were (a hard link makes one suspicious, rightly).
        place.check("victim", "victim", GitRootKind::Repository);
        place.check("elsewhere/two", "victim", GitRootKind::Worktree);
    }
}

#[cfg(unix)]
#[test]
fn pointers_and_records_that_are_no_regular_files_do_not_block() {
    use rustix::fs::{CWD, FileType, Mode};

    let fifo = |path: &Path| {
        drop(std::fs::remove_file(path));
        rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    };
    crate::table::unprivileged(crate::table::here!(), || {
        let place = Place::new();
        fifo(&place.at("hostile/.git"));
        for name in ["commondir", "gitdir"] {
            let place = Place::new();
            fifo(&place.at("victim/.git/worktrees/one").join(name));
            place.check("one", "one", GitRootKind::UnverifiedPointer);
        }
        crate::table::bounded(move || {
            place.check("hostile", "hostile", GitRootKind::UnverifiedPointer);
        });
    });
}

#[cfg(unix)]
#[test]
fn a_repository_reached_through_a_link_has_its_real_root() {
    let place = Place::new();
    link(&place.at("victim"), &place.at("alias"));
    place.check("alias", "victim", GitRootKind::Repository);
    link(&place.at("one"), &place.at("tree"));
    place.check("tree", "victim", GitRootKind::Worktree);
}

#[cfg(target_os = "linux")]
#[test]
fn a_repository_of_another_user_above_does_not_count() {
    use std::os::unix::fs::{PermissionsExt, chown};

    // Only root can give a folder away.
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can make a folder of another user");
        return;
    }
    let (stranger, other) = (Some(12_345), Some(12_346));
    let place = Place::new();
    std::fs::set_permissions(&place.base, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository(&place.at(".git"), "");
    std::fs::create_dir(place.at("mine")).unwrap();
    place.check("mine", "", GitRootKind::Repository);
    chown(place.at(".git"), stranger, None).unwrap();
    place.check("mine", "mine", GitRootKind::NoRepository);
    // It does count for what its owner owns.
    chown(place.at("mine"), stranger, None).unwrap();
    place.check("mine", "", GitRootKind::Repository);
    chown(place.at("mine"), other, None).unwrap();
    place.check("mine", "mine", GitRootKind::NoRepository);
}

#[test]
fn what_is_no_folder_is_an_error() {
    let place = Place::new();
    let kind = |name: &str| canonical_root(&place.at(name)).unwrap_err().kind();
    assert_eq!(kind("missing"), pathguard::ErrorKind::NotFound);
    assert_eq!(kind("one/.git"), pathguard::ErrorKind::NotDirectory);
}

/// Runs git so that nothing of the machine and nothing in a folder takes part.
fn git(folder: &Path, arguments: &[&str]) -> Option<bool> {
    let mut command = std::process::Command::new("git");
    command.current_dir(folder).env_clear();
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=",
            "-c",
            "protocol.file.allow=always",
        ])
        .args([
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.invalid",
            "--no-pager",
        ])
        .args(arguments)
        .stdin(std::process::Stdio::null());
    command.output().ok().map(|output| output.status.success())
}

#[test]
fn what_git_itself_makes_is_understood() {
    let scratch = tempfile::tempdir().unwrap();
    let base = scratch.path().canonicalize().unwrap();
    let run = |folder: &str, arguments: &[&str]| git(&base.join(folder), arguments) == Some(true);
    if !run("", &["init", "-q", "main"]) {
        println!("skipped: git cannot be run here");
        return;
    }
    assert!(run(
        "main",
        &["commit", "-q", "--allow-empty", "-m", "first"]
    ));
    assert!(run("main", &["worktree", "add", "-q", "../tree"]));
    assert!(run("", &["clone", "-q", "--bare", "main", "bare.git"]));
    assert!(run("bare.git", &["worktree", "add", "-q", "../bare-tree"]));
    assert!(run(
        "main",
        &["submodule", "--quiet", "add", "../bare.git", "sub"]
    ));
    assert!(run(
        "",
        &["init", "-q", "--separate-git-dir", "apart.git", "apart"]
    ));
    for (folder, root, how) in [
        ("main", "main", GitRootKind::Repository),
        ("tree", "main", GitRootKind::Worktree),
        ("bare.git", "bare.git", GitRootKind::BareRepository),
        ("bare-tree", "bare.git", GitRootKind::BareWorktree),
        ("main/sub", "main/sub", GitRootKind::Submodule),
        // Nothing there points back.
        ("apart", "apart", GitRootKind::UnverifiedPointer),
    ] {
        let found = canonical_root(&base.join(folder)).unwrap();
        assert_eq!((found.root, found.how), (base.join(root), how), "{folder}");
    }
}

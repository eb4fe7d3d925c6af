//! The functions under the names of the team memory specification.

use std::path::{Path, PathBuf};

use pathguard::{
    ErrorKind, TraversalReason, realpath_deepest_existing, validate_team_mem_write_path,
};

struct Place {
    _scratch: tempfile::TempDir,
    base: PathBuf,
}

impl Place {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("team/sub")).unwrap();
        std::fs::create_dir_all(base.join("team-evil")).unwrap();
        std::fs::write(base.join("team/a.md"), "a").unwrap();
        Self {
            _scratch: scratch,
            base,
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }
}

#[test]
fn the_deepest_part_that_exists_is_resolved() {
    let place = Place::new();
    for name in [
        "team",
        "team/a.md",
        "team/new.md",
        "team/x/y/z.md",
        "new/team",
    ] {
        assert_eq!(
            realpath_deepest_existing(&place.at(name)).unwrap(),
            place.at(name)
        );
    }
    assert_eq!(
        realpath_deepest_existing(&place.at("team/../team")).unwrap(),
        place.at("team")
    );
    let check = |path: &Path, kind, reason| {
        let error = realpath_deepest_existing(path).unwrap_err();
        assert_eq!((error.kind(), error.reason()), (kind, reason), "{path:?}");
    };
    let traversal = ErrorKind::Traversal;
    check(
        Path::new("team"),
        traversal,
        Some(TraversalReason::Relative),
    );
    check(Path::new("/a\0b"), traversal, Some(TraversalReason::Nul));
    check(
        &place.at("new/../x"),
        traversal,
        Some(TraversalReason::DotComponent),
    );
    check(
        &place.at("new/.."),
        traversal,
        Some(TraversalReason::DotComponent),
    );
    check(&place.at("team/a.md/x"), ErrorKind::NotDirectory, None);
    check(&place.at(&"n".repeat(300)), ErrorKind::Io, None);
}

#[test]
fn team_files_are_written_below_the_team_folder_only() {
    let place = Place::new();
    let team = place.at("team");
    for name in [
        "a.md",
        "new.md",
        "sub/new.md",
        "x/y/z.md",
        "..foo",
        "100%.md",
    ] {
        for path in [place.at("team").join(name), PathBuf::from(name)] {
            let found = validate_team_mem_write_path(&team, &path).unwrap();
            assert_eq!(found, team.join(name));
        }
    }
    let with_slash = PathBuf::from(format!("{}/", team.display()));
    assert!(validate_team_mem_write_path(&with_slash, &place.at("team/a.md")).is_ok());

    let check = |path: PathBuf, reason| {
        let error = validate_team_mem_write_path(&team, &path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Traversal, "{path:?}");
        assert_eq!(error.reason(), Some(reason), "{path:?}");
    };
    let outside = TraversalReason::OutsideRoot;
    check(place.at("team-evil/a.md"), outside);
    check(place.at("team-evil"), outside);
    check(place.at("team"), outside);
    check(place.at("a.md"), outside);
    check(PathBuf::from("/etc/passwd"), outside);
    check(place.at("team/"), TraversalReason::Empty);
    check(place.at("team/../a.md"), TraversalReason::DotComponent);
    check(place.at("team/./a.md"), TraversalReason::DotComponent);
    check(
        place.at("team/sub/../../a.md"),
        TraversalReason::DotComponent,
    );
    check(place.at("team//etc/passwd"), TraversalReason::Absolute);
    check(
        place.at("team/%2e%2e%2fa.md"),
        TraversalReason::EncodedSeparator,
    );
    check(PathBuf::from("../a.md"), TraversalReason::DotComponent);
    check(PathBuf::from("a\0.md"), TraversalReason::Nul);
    check(PathBuf::from(""), TraversalReason::Empty);

    let folder = validate_team_mem_write_path(&team, &place.at("team/sub")).unwrap_err();
    assert_eq!(folder.kind(), ErrorKind::NotRegular);
}

#[test]
fn a_team_folder_need_not_exist_yet() {
    let place = Place::new();
    let team = place.at("later/team");
    let found = validate_team_mem_write_path(&team, Path::new("a/b.md")).unwrap();
    assert_eq!(found, place.at("later/team/a/b.md"));
    assert!(!place.at("later").exists(), "nothing is made");
    let file = validate_team_mem_write_path(&place.at("team/a.md"), Path::new("b.md"));
    assert_eq!(file.unwrap_err().kind(), ErrorKind::NotDirectory);
}

#[cfg(unix)]
#[test]
fn links_are_resolved_above_the_team_folder_and_refused_below() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    crate::table::unprivileged(crate::table::here!(), || {
        let place = Place::new();
        symlink("team", place.at("alias")).unwrap();
        let found = validate_team_mem_write_path(&place.at("alias"), &place.at("alias/a.md"));
        assert_eq!(found.unwrap(), place.at("team/a.md"));
        assert_eq!(
            realpath_deepest_existing(&place.at("alias/x")).unwrap(),
            place.at("team/x")
        );

        let team = place.at("team");
        for (name, target, kind) in [
            ("out", "..", ErrorKind::Traversal),
            ("outside.md", "../team-evil/x.md", ErrorKind::Traversal),
            ("inside", "sub", ErrorKind::Traversal),
            ("dangling", "nothing", ErrorKind::Dangling),
            ("loop", "loop", ErrorKind::Loop),
        ] {
            symlink(target, team.join(name)).unwrap();
            for path in [team.join(name), team.join(name).join("x.md")] {
                let error = validate_team_mem_write_path(&team, &path).unwrap_err();
                assert_eq!(error.kind(), kind, "{path:?}");
            }
        }
        for (name, kind) in [("dangling", ErrorKind::Dangling), ("loop", ErrorKind::Loop)] {
            for path in [team.join(name), team.join(name).join("x/y.md")] {
                assert_eq!(
                    realpath_deepest_existing(&path).unwrap_err().kind(),
                    kind,
                    "{path:?}"
                );
            }
        }
        std::fs::hard_link(team.join("a.md"), team.join("b.md")).unwrap();
        let linked = validate_team_mem_write_path(&team, Path::new("b.md")).unwrap_err();
        assert_eq!(linked.kind(), ErrorKind::HardLink);

        let closed = std::fs::Permissions::from_mode(0o000);
        std::fs::set_permissions(team.join("sub"), closed).unwrap();
        let denied = realpath_deepest_existing(&team.join("sub/x")).unwrap_err();
        assert_eq!(denied.kind(), ErrorKind::Denied);
        let denied = validate_team_mem_write_path(&team, Path::new("sub/x.md")).unwrap_err();
        assert_eq!(denied.kind(), ErrorKind::Denied);
        let open = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(team.join("sub"), open).unwrap();
    });
}

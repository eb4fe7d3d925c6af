//! Memory folders named by settings.

use std::path::{Path, PathBuf};

use pathguard::{DirWarning, Env, ErrorKind, MemoryDirSpec, RootOptions, SettingsSource};
use pathguard::{TraversalReason as Reason, TrustedSource};

fn resolve(raw: &str) -> Result<MemoryDirSpec, pathguard::Error> {
    let env = Env::new(
        Some(PathBuf::from("/home/ada")),
        PathBuf::from("/home/ada/work"),
    );
    MemoryDirSpec::resolve(raw, TrustedSource::UserSettings, &env)
}

/// Settings that must be refused.
const REFUSED: &[(&str, Reason)] = &[
    ("", Reason::Empty),
    ("/", Reason::FileSystemRoot),
    ("/.", Reason::TooShort),
    ("/./", Reason::FileSystemRoot),
    ("/a", Reason::TooShort),
    ("ab", Reason::TooShort),
    ("memory", Reason::Relative),
    ("./memory", Reason::Relative),
    ("../memory", Reason::Relative),
    ("$HOME/memory", Reason::Relative),
    ("%USERPROFILE%/memory", Reason::Relative),
    // Network paths, in every mixture of slashes.
    ("//server/share", Reason::NetworkPath),
    ("\\\\server\\share", Reason::NetworkPath),
    ("/\\server\\share", Reason::NetworkPath),
    ("\\/server/share", Reason::NetworkPath),
    ("//./pipe/x", Reason::NetworkPath),
    ("\\\\?\\C:\\x", Reason::NetworkPath),
    ("\\\\.\\COM1", Reason::NetworkPath),
    ("///three", Reason::NetworkPath),
    ("//", Reason::NetworkPath),
    // Tildes.
    ("~", Reason::TildeForm),
    ("~/", Reason::TildeForm),
    ("~//", Reason::TildeForm),
    ("~/.", Reason::TildeForm),
    ("~/..", Reason::TildeForm),
    ("~/./memory", Reason::TildeForm),
    ("~/../memory", Reason::TildeForm),
    ("~root/memory", Reason::TildeForm),
    ("~ada", Reason::TildeForm),
    ("~\u{0}/x", Reason::Nul),
    ("/home/ada/~/memory", Reason::TildeForm),
    // Dots, NUL, globs.
    ("/home/ada/../ada/memory", Reason::DotComponent),
    ("/home/ada/memory/..", Reason::DotComponent),
    ("~/a/../../memory", Reason::DotComponent),
    ("/home/ada/\0memory", Reason::Nul),
    ("/home/ada/*", Reason::Glob),
    ("/home/ada/memor?", Reason::Glob),
    ("/home/ada/[ab]", Reason::Glob),
    ("/home/ada/{a,b}", Reason::Glob),
    // The home folder, those above it, those of the operating system.
    ("/home/ada", Reason::HomeFolder),
    ("/home/ada/", Reason::HomeFolder),
    ("/home//ada/.", Reason::HomeFolder),
    ("/home", Reason::HomeFolder),
    ("/home/ADA", Reason::HomeFolder),
    ("/proc", Reason::SystemFolder),
    ("/proc/self/cwd", Reason::SystemFolder),
    ("/sys/fs", Reason::SystemFolder),
    ("/dev/shm/memory", Reason::SystemFolder),
    ("/./dev/shm", Reason::SystemFolder),
];

#[cfg(unix)]
#[test]
fn bad_settings_are_refused_by_their_rule() {
    for &(raw, reason) in REFUSED {
        let error = match resolve(raw) {
            Ok(spec) => panic!("{raw:?} became {:?}", spec.path()),
            Err(error) => error,
        };
        assert_eq!(error.kind(), ErrorKind::Traversal, "{raw:?}");
        assert_eq!(error.reason(), Some(reason), "{raw:?}");
        assert_eq!(error.path(), Some(Path::new(raw)));
    }
    let long = format!("/home/ada/{}", "x".repeat(5000));
    assert_eq!(
        resolve(&long).unwrap_err().reason(),
        Some(Reason::KeyTooLong)
    );
}

#[cfg(unix)]
#[test]
fn good_settings_become_absolute_and_plain() {
    for (raw, path) in [
        ("/home/ada/memory", "/home/ada/memory"),
        ("/home/ada/memory/", "/home/ada/memory"),
        ("/home/ada//memory/.", "/home/ada/memory"),
        ("/home/adam", "/home/adam"),
        ("/home/ad", "/home/ad"),
        ("~/memory", "/home/ada/memory"),
        ("~/.memory", "/home/ada/.memory"),
        ("~/..memory", "/home/ada/..memory"),
        ("~/a b/memory", "/home/ada/a b/memory"),
        ("~//memory", "/home/ada/memory"),
        ("/srv/memory", "/srv/memory"),
        ("/process/x", "/process/x"),
        ("/development", "/development"),
        ("/home/ada/proc", "/home/ada/proc"),
        ("/abc", "/abc"),
        ("/mnt/d/記憶", "/mnt/d/記憶"),
        ("/home/ada/100%", "/home/ada/100%"),
        ("/home/ada/x~1", "/home/ada/x~1"),
    ] {
        let spec = resolve(raw).unwrap_or_else(|error| panic!("{raw:?}: {error}"));
        assert_eq!(spec.path(), Path::new(path), "{raw:?}");
        assert_eq!(spec.source(), TrustedSource::UserSettings);
        assert!(spec.warnings().is_empty());
    }
    let decomposed = resolve("/srv/cafe\u{301}/memory").unwrap();
    assert_eq!(decomposed.path(), Path::new("/srv/café/memory"));
    assert_eq!(decomposed.warnings(), [DirWarning::Normalized]);
}

#[test]
fn a_tilde_needs_a_home() {
    for home in [None, Some(PathBuf::from("relative"))] {
        let env = Env::new(home, PathBuf::from("/"));
        let refused = MemoryDirSpec::resolve("~/memory", TrustedSource::Argument, &env);
        assert_eq!(refused.unwrap_err().reason(), Some(Reason::NoHome));
    }
}

#[test]
fn only_sources_outside_the_project_are_trusted() {
    for (source, trusted) in [
        (SettingsSource::Argument, true),
        (SettingsSource::Environment, true),
        (SettingsSource::ManagedPolicy, true),
        (SettingsSource::UserSettings, true),
        (SettingsSource::ProjectLocal, false),
        (SettingsSource::ProjectCommitted, false),
    ] {
        assert_eq!(source.trusted().is_some(), trusted, "{source}");
        if let Some(trusted) = source.trusted() {
            assert_eq!(SettingsSource::from(trusted), source);
            assert_eq!(trusted.to_string(), source.to_string());
        }
    }
}

#[test]
fn arguments_of_a_person_are_made_absolute_first() {
    let env = Env::new(None, PathBuf::from("/work"));
    assert_eq!(env.absolute(Path::new("memory")), Path::new("/work/memory"));
    assert_eq!(env.absolute(Path::new("/x/memory")), Path::new("/x/memory"));
}

#[cfg(unix)]
mod on_disk {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::table::{here, unprivileged};

    struct Disk {
        _scratch: tempfile::TempDir,
        base: PathBuf,
    }

    impl Disk {
        fn new() -> Self {
            let scratch = tempfile::tempdir().unwrap();
            let base = scratch.path().canonicalize().unwrap();
            std::fs::create_dir_all(base.join("home/ada")).unwrap();
            Self {
                _scratch: scratch,
                base,
            }
        }

        fn spec(&self, name: &str) -> MemoryDirSpec {
            let env = Env::new(Some(self.base.join("home/ada")), self.base.clone());
            let raw = self.base.join(name);
            MemoryDirSpec::resolve(raw.to_str().unwrap(), TrustedSource::UserSettings, &env)
                .unwrap()
        }

        /// Makes a folder with these permission bits.
        fn folder(&self, name: &str, mode: u32) {
            let path = self.base.join(name);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    #[test]
    fn a_folder_is_opened_or_made() {
        unprivileged(here!(), || {
            let disk = Disk::new();
            let spec = disk.spec("home/ada/new/memory");
            let options = RootOptions::new();
            assert_eq!(spec.open(&options).unwrap_err().kind(), ErrorKind::NotFound);
            let opened = spec.open_or_create(&options).unwrap();
            assert_eq!(opened.root.folder_metadata().mode, 0o700);
            assert!(opened.warnings.is_empty());
            let again = spec.open(&options).unwrap();
            assert_eq!(
                again.root.folder_metadata().inode,
                opened.root.folder_metadata().inode
            );
        });
    }

    #[test]
    fn where_links_lead_is_what_counts() {
        unprivileged(here!(), || {
            let disk = Disk::new();
            let options = RootOptions::new();
            for (target, reason) in [
                ("home/ada", Reason::HomeFolder),
                ("home", Reason::HomeFolder),
                ("", Reason::HomeFolder),
                ("/proc/self", Reason::SystemFolder),
                ("/dev", Reason::SystemFolder),
            ] {
                let link = disk.base.join("link");
                symlink(disk.base.join(target), &link).unwrap();
                let spec = disk.spec("link");
                for opened in [spec.open(&options), spec.open_or_create(&options)] {
                    let error = opened.unwrap_err();
                    assert_eq!(error.reason(), Some(reason), "{target}");
                }
                std::fs::remove_file(link).unwrap();
            }
            symlink("/dev", disk.base.join("devices")).unwrap();
            let below = disk
                .spec("devices/new/memory")
                .open_or_create(&options)
                .unwrap_err();
            assert_eq!(
                below.reason(),
                Some(Reason::SystemFolder),
                "nothing is made there"
            );
            symlink("nothing", disk.base.join("dangling")).unwrap();
            let dangling = disk
                .spec("dangling/memory")
                .open_or_create(&options)
                .unwrap_err();
            assert_eq!(dangling.kind(), ErrorKind::Dangling);
            // A link to a folder that is fine is fine: people keep their folders where they like.
            disk.folder("kept elsewhere", 0o700);
            symlink(
                disk.base.join("kept elsewhere"),
                disk.base.join("home/ada/memory"),
            )
            .unwrap();
            disk.spec("home/ada/memory").open(&options).unwrap();
        });
    }

    #[test]
    fn owner_and_mode_decide() {
        unprivileged(here!(), || {
            let disk = Disk::new();
            let options = RootOptions::new();
            for (mode, expected) in [
                (0o700, Ok(vec![])),
                (0o755, Ok(vec![])),
                (0o770, Ok(vec![DirWarning::GroupWritable])),
                (0o775, Ok(vec![DirWarning::GroupWritable])),
                (0o777, Err(ErrorKind::Denied)),
                (0o702, Err(ErrorKind::Denied)),
                (0o1777, Err(ErrorKind::Denied)),
            ] {
                disk.folder("memory", mode);
                let opened = disk.spec("memory").open(&options);
                let found = opened
                    .map(|opened| opened.warnings)
                    .map_err(|error| error.kind());
                assert_eq!(found, expected, "{mode:o}");
            }
            // A folder of root's that anybody may read.
            let env = Env::new(Some(disk.base.join("home/ada")), disk.base.clone());
            let foreign = MemoryDirSpec::resolve("/usr", TrustedSource::Argument, &env).unwrap();
            let is_ours = rustix::process::geteuid().is_root();
            assert_eq!(foreign.open(&options).is_err(), !is_ours);
        });
    }

    #[test]
    fn the_spelling_that_exists_is_used_and_two_are_an_error() {
        unprivileged(here!(), || {
            let options = RootOptions::new();
            let (composed, decomposed) = ("café", "cafe\u{301}");
            let disk = Disk::new();
            disk.folder(decomposed, 0o700);
            let opened = disk
                .spec(&format!("{decomposed}/memory"))
                .open_or_create(&options);
            let opened = opened.unwrap();
            assert_eq!(opened.warnings, [DirWarning::Normalized]);
            assert!(disk.base.join(decomposed).join("memory").is_dir());
            assert!(!disk.base.join(composed).exists() || cfg!(target_vendor = "apple"));

            let disk = Disk::new();
            let spec = disk.spec(&format!("{decomposed}/memory"));
            spec.open_or_create(&options).unwrap();
            assert!(
                disk.base.join(composed).join("memory").is_dir(),
                "normal form C when new"
            );

            if !cfg!(target_vendor = "apple") {
                disk.folder(decomposed, 0o700);
                let error = spec.open(&options).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Collision);
            }
        });
    }
}

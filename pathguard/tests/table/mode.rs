//! Permission bits, whatever the umask.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pathguard::{AppendOptions, LockWait, MemoryRoot, RootOptions};
use rustix::fs::Mode;

use super::{Place, alone, here, key, quick};
use crate::BACKENDS;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn files_are_0600_and_folders_0700_whatever_the_umask() {
    alone(here!(), || {
        for umask in [0o000, 0o022, 0o077, 0o277, 0o777] {
            for &backend in BACKENDS {
                let place = Place::new(backend);
                // `cap-std` cannot open what the umask closed; where it is used, there is no umask.
                if umask & 0o700 != 0 && place.root.backend() == pathguard::Backend::CapStd {
                    continue;
                }
                let before = rustix::process::umask(Mode::from(umask));
                write_everything(&place);
                rustix::process::umask(before);
                for name in [
                    "x.md", "log.md", "lock", "b.md", "new/x.md", "a/b/x.md", "d/log.md",
                ] {
                    assert_eq!(
                        mode(&place.path(name)),
                        0o600,
                        "{name} {umask:o} {backend:?}"
                    );
                }
                for name in ["new", "a", "a/b", "d", "e", "e/f"] {
                    assert_eq!(
                        mode(&place.path(name)),
                        0o700,
                        "{name} {umask:o} {backend:?}"
                    );
                }
                assert_eq!(
                    mode(&place.path("shared.md")),
                    0o644,
                    "{umask:o} {backend:?}"
                );
            }
        }
    });
}

fn write_everything(place: &Place) {
    let root = &place.root;
    let parents = quick().with_create_parents(true);
    root.write(key("x.md"), b"x", &quick()).unwrap();
    let made = root
        .write(key("shared.md"), b"x", &quick().with_unix_mode(0o644))
        .unwrap();
    assert_eq!(made.mode, 0o644);
    root.append(key("log.md"), b"x", &AppendOptions::new())
        .unwrap();
    root.append(
        key("d/log.md"),
        b"x",
        &AppendOptions::new().with_create_parents(true),
    )
    .unwrap();
    drop(root.lock(key("lock"), &LockWait::none()).unwrap());
    let mut batch = root.batch();
    batch.write(key("b.md"), b"x", &quick()).unwrap();
    batch.commit().unwrap().into_result().unwrap();
    root.write(key("a/b/x.md"), b"x", &parents).unwrap();
    root.create_dirs(key("e/f")).unwrap();
    let options = RootOptions::new().with_backend(place.backend);
    let new = MemoryRoot::open_or_create(&place.path("new"), &options).unwrap();
    new.write(key("x.md"), b"x", &quick()).unwrap();
}

#[test]
fn a_file_that_is_replaced_gets_the_mode_of_the_options() {
    for &backend in BACKENDS {
        let place = Place::new(backend);
        place.plant("x.md", "x");
        let open = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(place.path("x.md"), open).unwrap();
        place.root.write(key("x.md"), b"new", &quick()).unwrap();
        assert_eq!(mode(&place.path("x.md")), 0o600);
    }
}

#[test]
fn bits_beyond_the_permissions_are_never_set() {
    for &backend in BACKENDS {
        let place = Place::new(backend);
        place
            .root
            .write(key("x.md"), b"x", &quick().with_unix_mode(0o7755))
            .unwrap();
        assert_eq!(mode(&place.path("x.md")), 0o755, "no set-user-id");
    }
}

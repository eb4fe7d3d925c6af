//! Runs a test body as an unprivileged user in a temporary folder.
//!
//! Whatever a mistake in the vetter would let through, it runs without rights and away from anything
//! that matters. Where the tests do not run as root, they have no rights to give up.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set for the inner process: the folder it works in.
const FOLDER: &str = "FORKED_AGENT_SANDBOX";
const NOBODY: u32 = 65_534;

/// Runs `body` in a process of the user nobody; `test` is the full name of the calling test.
pub(crate) fn as_nobody(test: &str, body: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        assert!(
            !rustix::process::geteuid().is_root(),
            "rights were given up"
        );
        return body(&PathBuf::from(folder));
    }
    let folder = tempfile::tempdir().unwrap();
    // A path without links, as a scope wants it.
    let real = folder.path().canonicalize().unwrap();
    if !rustix::process::geteuid().is_root() {
        return body(&real);
    }
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o777)).unwrap();
    // The build folder may be closed to others, so the program comes along.
    let program = real.join("test-program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let inner = real.join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::os::unix::fs::chown(&inner, Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = Command::new(&program);
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .current_dir(&inner)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TMPDIR", &inner)
        .env(FOLDER, &inner)
        .uid(NOBODY)
        .gid(NOBODY);
    if let Some(count) = std::env::var_os(super::COUNT) {
        command.env(super::COUNT, count);
    }
    let output = command.output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Writes an executable script.
pub(crate) fn script(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

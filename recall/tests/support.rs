//! Folders and repositories that tests are run on.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use memdir::Timestamp;
use memdir_recall::Recall;
use pathguard::{MemoryRoot, RootOptions};

/// The shared test data.
pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/recall")
}

/// The time at which tests ask.
pub(crate) fn now() -> Timestamp {
    "2026-07-20T12:00:00Z".parse().unwrap()
}

/// Writes a file and the folders above it.
pub(crate) fn write(folder: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The text of a memory.
pub(crate) fn memory(kind: &str, name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n")
}

pub(crate) fn root(folder: &Path) -> Arc<MemoryRoot> {
    Arc::new(MemoryRoot::open(folder, &RootOptions::default()).unwrap())
}

/// Opens a folder for recall, with or without a cache folder.
pub(crate) fn open(folder: &Path, cache: Option<&Path>) -> Recall {
    Recall::open(root(folder), cache.map(root))
}

/// Runs git in a folder with a fixed author and without the machine's settings.
///
/// Returns nothing when there is no git: then the caller says so and passes.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2026-03-05T14:02:11Z")
        .env("GIT_COMMITTER_DATE", "2026-03-05T14:02:11Z")
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

//! The table that every backend has to pass.
//!
//! The integration tests run it on `openat2`, component by component, and with `openat2` failing
//! with ENOSYS and EPERM; the unit tests of the library include the same files and run it on
//! `cap-std`. Which ones is `BACKENDS` at the root of either crate.

mod batch;
mod change;
#[cfg(unix)]
mod crash;
#[cfg(unix)]
mod hostile;
mod list;
mod lock;
#[cfg(unix)]
mod mode;
#[cfg(unix)]
mod race;
mod read;
mod root;
mod write;

use std::path::{Path, PathBuf};

use pathguard::{
    BackendChoice, Error, ErrorKind, MemoryRoot, PathKeyRef, RootOptions, SyncPolicy, WriteOptions,
};
use tempfile::TempDir;

use crate::BACKENDS;

/// A root in a scratch folder, with a neighbour that nothing may reach.
pub(crate) struct Place {
    pub(crate) scratch: TempDir,
    pub(crate) root: MemoryRoot,
    pub(crate) backend: BackendChoice,
}

impl Place {
    pub(crate) fn new(backend: BackendChoice) -> Self {
        Self::with(RootOptions::new().with_backend(backend))
    }

    pub(crate) fn with(options: RootOptions) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join("outside")).unwrap();
        std::fs::write(scratch.path().join("outside/secret.md"), SECRET).unwrap();
        std::fs::create_dir(scratch.path().join("root")).unwrap();
        let root = MemoryRoot::open(&scratch.path().join("root"), &options).unwrap();
        Self {
            scratch,
            root,
            backend: options.backend,
        }
    }

    /// The path of a name below the root.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The path of a name outside the root.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.scratch.path().join("outside").join(name)
    }

    /// Writes a file below the root without our help.
    pub(crate) fn plant(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// What lies outside is as it was.
    pub(crate) fn check_outside(&self) {
        let names: Vec<_> = names_in(&self.scratch.path().join("outside"));
        assert_eq!(names, ["secret.md"], "{:?}", self.backend);
        let text = std::fs::read(self.outside("secret.md")).unwrap();
        assert_eq!(text, SECRET.as_bytes(), "{:?}", self.backend);
    }
}

pub(crate) const SECRET: &str = "what lies outside";

/// Runs `check` in a fresh place for each backend.
pub(crate) fn for_each_backend(check: impl Fn(&Place)) {
    for &backend in BACKENDS {
        check(&Place::new(backend));
    }
}

pub(crate) fn key(raw: &str) -> PathKeyRef<'_> {
    PathKeyRef::parse(raw).unwrap()
}

/// The options of most tests: they are about names, not about the disk.
pub(crate) fn quick() -> WriteOptions {
    WriteOptions::new().with_sync(SyncPolicy::None)
}

#[track_caller]
pub(crate) fn check_kind<T: std::fmt::Debug>(
    result: Result<T, Error>,
    kind: ErrorKind,
    what: &str,
) {
    match result {
        Ok(value) => panic!("{what}: {value:?} instead of {kind:?}"),
        Err(error) => assert_eq!(error.kind(), kind, "{what}: {error:?}"),
    }
}

/// The names in a folder, sorted, ours included.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The path of the test that this is written in, as the test harness knows it.
macro_rules! here {
    () => {{
        fn inside() {}
        let path = std::any::type_name_of_val(&inside);
        let (_, path) = path.split_once("::").unwrap();
        path.strip_suffix("::inside").unwrap()
    }};
}
pub(crate) use here;

/// Runs `body` as a user without privileges. Root passes permission checks and could harm the
/// machine, so it starts the same test again as `nobody`; everybody else just runs it.
#[cfg(unix)]
pub(crate) fn unprivileged(test: &str, body: impl FnOnce()) {
    if rustix::process::geteuid().is_root() {
        again(test);
    } else {
        body();
    }
}

/// Runs `body` in a process of its own, for what concerns a whole process; without privileges.
#[cfg(unix)]
pub(crate) fn alone(test: &str, body: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        body();
    } else {
        again(test);
    }
}

#[cfg(unix)]
const ALONE: &str = "PATHGUARD_TEST_ALONE";

/// Starts one test of this program again.
#[cfg(unix)]
fn again(test: &str) {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const NOBODY: u32 = 65534;
    // The build folder may be closed to others; the scratch folder is not.
    let scratch = tempfile::tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scratch.path(), open).unwrap();
    let program = scratch.path().join("tests");
    let this = std::env::current_exe().unwrap();
    if std::fs::hard_link(&this, &program).is_err() {
        std::fs::copy(&this, &program).unwrap();
    }
    let mut command = Command::new(&program);
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(ALONE, "1").current_dir("/");
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = loop {
        match command.output() {
            // Another test forked while the copy was being written, and holds it open until its
            // child runs.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::yield_now();
            }
            output => break output.unwrap(),
        }
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    let ran = printed.contains("1 passed");
    // What it says, such as the counts of a race, is worth reading when it passes too.
    println!("{printed}");
    assert!(
        output.status.success() && ran,
        "{test} as nobody:\n{printed}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs `body`, and fails if it is not done in a time that only something that hangs needs.
pub(crate) fn bounded<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || sender.send(body()));
    match receiver.recv_timeout(std::time::Duration::from_secs(60)) {
        Ok(value) => value,
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().unwrap_err())
        }
    }
}

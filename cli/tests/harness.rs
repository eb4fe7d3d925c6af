//! Starts the program in a temporary home and gives back what it said.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Saves a memory by the name of "Role".
pub(crate) const SAVE_ROLE: &[&str] = &[
    "save",
    "--type",
    "user",
    "--name",
    "Role",
    "--description",
    "d",
    "Go.",
];

/// A temporary home with a project folder; everything in it is removed in the end.
pub(crate) struct Home {
    folder: TempDir,
}

/// What one run of the program gave.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; `None` when it was killed by a signal.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Home {
    /// Makes an empty home.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("project")).expect("an empty folder");
        Home { folder }
    }

    /// Returns the home folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the project folder, where the program is started.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Returns the folder of the project's memory, as the program tells it.
    pub(crate) fn memory_dir(&self) -> PathBuf {
        let place = self.run(&["where", "--json"]).expect(0).json();
        PathBuf::from(place[0]["memory_dir"].as_str().expect("a path"))
    }

    /// Runs git in a folder of the home; `.` is the home itself.
    #[track_caller]
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.com", "-C"])
            .arg(self.path().join(folder))
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
    }

    /// Writes a file below the project and returns its path.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, contents).expect("a written file");
        path
    }

    /// Returns the program with these arguments and none of our environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memstrata"));
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.path())
            .env("USERPROFILE", self.path());
        command
    }

    /// Runs the program without input.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, b"")
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        run_with(&mut self.command(arguments), input)
    }
}

/// Runs a program with this standard input.
pub(crate) fn run_with(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // In a thread of its own: a large input and a large output would otherwise wait for each other.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input was written");
    Run::from(output)
}

/// Runs a program whose reader is gone before it has written anything: that is a success, and nothing is said.
#[track_caller]
pub(crate) fn expect_closed_pipe_is_success(command: &mut Command) {
    let (mut child, output) = test_support::started(command);
    drop(output);
    let mut said = String::new();
    let mut errors = child.stderr.take().expect("a pipe");
    errors.read_to_string(&mut said).expect("text");
    let status = child.wait().expect("the program ends");
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    /// Returns each line of standard output as JSON.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        self.out.lines().map(parse).collect()
    }

    /// Asserts the exit code and shows everything that was said when it is another.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "out:\n{}\nerr:\n{}",
            self.out,
            self.err
        );
        self
    }
}

//! What makes a repository itself, wherever it lies: its remote and its first commit.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use pathguard::{GitRoot, MemoryRoot, RootOptions};

use super::remote::{normalise_remote, remote_in_config};
use crate::files;
use crate::limits::GIT_CONFIG_MAX_BYTES;

/// Longest time that git may take to find the first commit.
const GIT_TIME_LIMIT: Duration = Duration::from_secs(5);
/// Longest answer that is read from git, in bytes: about 1,500 first commits.
const GIT_ANSWER_MAX_BYTES: u64 = 64 << 10;

/// What identifies a repository across renames, moves and clones.
///
/// The caller may fill it in by its own means; [`RepositoryFacts::read`] is the way that is safe
/// in a folder of unknown origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryFacts {
    /// The address of the remote as [`normalise_remote`] gives it.
    pub remote: Option<String>,
    /// The full id of the first commit, in lower case.
    pub root_commit: Option<String>,
}

/// How the git program is found. Nothing is taken from the process environment.
#[derive(Clone, Copy, Debug)]
pub struct GitProgram<'a> {
    /// The program, best as an absolute path.
    pub program: &'a Path,
    /// The value of `PATH` that git gets; it needs it to find its own parts.
    pub search_path: &'a str,
}

impl RepositoryFacts {
    /// Reads the remote from the configuration file and, when `git` is given, asks it for the
    /// first commit.
    ///
    /// Nothing that the repository's configuration says is executed: the remote is read by our own
    /// small reader, and git runs with file-system monitor, hooks, pager, lazy fetching and all
    /// protocols switched off, without the user's and the system's configuration, in a cleaned
    /// environment and with a time limit. What cannot be learnt is `None`. A shallow clone has no
    /// first commit.
    pub fn read(root: &GitRoot, git: Option<GitProgram<'_>>) -> Self {
        let _span = tracing::debug_span!("memdir.repository.read").entered();
        let Some(common_dir) = root.common_dir.as_deref().or(root.git_dir.as_deref()) else {
            return Self::default();
        };
        Self {
            remote: read_remote(common_dir),
            root_commit: git.and_then(|git| root_commit(common_dir, git)),
        }
    }

    /// Whether both describe the same repository: equal first commits and equal remotes.
    ///
    /// A repository without a remote is the same as one without; forks share the first commit and
    /// differ in the remote.
    pub fn same_repository(&self, other: &Self) -> bool {
        self.root_commit.is_some()
            && self.root_commit == other.root_commit
            && self.remote == other.remote
    }
}

/// Asks git for the address of the remote `origin` of the repository that `folder` lies in.
///
/// Unlike [`RepositoryFacts::remote`] this is the address that git itself would use: with what the
/// user's own configuration puts in place of others (`insteadOf`), included files and worktrees. Git
/// starts no program and no connection for it. `None` when git is missing, refuses the folder, knows
/// no such remote, or takes longer than five seconds.
///
/// The text may hold a credential; it is for [`normalise_remote`], which takes it off.
pub fn git_remote(folder: &Path, git: GitProgram<'_>, user_home: Option<&Path>) -> Option<String> {
    let _span = tracing::debug_span!("memdir.git_remote").entered();
    let mut command = Command::new(git.program);
    command
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .arg("-C")
        .arg(folder)
        .args(["remote", "get-url", "origin"])
        .env_clear()
        .env("PATH", git.search_path)
        .env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(home) = user_home {
        command.env("HOME", home).env("USERPROFILE", home);
    }
    let answer = answer_in_time(command.spawn().ok()?)?;
    let address = answer.lines().next()?.trim();
    (!address.is_empty()).then(|| address.to_owned())
}

fn read_remote(common_dir: &Path) -> Option<String> {
    let root = MemoryRoot::open(common_dir, &RootOptions::default()).ok()?;
    let key = files::key("config");
    let read = files::read_if_exists(&root, key.as_ref(), GIT_CONFIG_MAX_BYTES).ok()??;
    normalise_remote(&remote_in_config(&String::from_utf8_lossy(&read.bytes))?)
}

fn root_commit(common_dir: &Path, git: GitProgram<'_>) -> Option<String> {
    let root = MemoryRoot::open(common_dir, &RootOptions::default()).ok()?;
    if root.metadata(files::key("shallow").as_ref()).is_ok() {
        return None;
    }
    let child = Command::new(git.program)
        .args(["--no-pager", "--no-replace-objects"])
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath="])
        .args(["-c", "core.pager=cat", "-c", "protocol.allow=never"])
        .arg("--git-dir")
        .arg(common_dir)
        .args(["rev-list", "--max-parents=0", "HEAD", "--"])
        .env_clear()
        .env("PATH", git.search_path)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", null_device())
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_PAGER", "cat")
        .current_dir(common_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    first_commit(&answer_in_time(child)?)
}

fn null_device() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}

/// What the child prints, or `None` when it fails, says too much or takes too long.
fn answer_in_time(mut child: Child) -> Option<String> {
    let output = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = output
            .take(GIT_ANSWER_MAX_BYTES)
            .read_to_string(&mut text)
            .map(|_| text);
        // The receiver is gone when the time is over; then nobody wants the answer.
        drop(sender.send(read));
    });
    let answer = receiver.recv_timeout(GIT_TIME_LIMIT);
    if answer.is_err() {
        // Already ended is as good as killed.
        drop(child.kill());
    }
    let status = child.wait().ok()?;
    let text = answer.ok()?.ok()?;
    status.success().then_some(text)
}

/// A repository with several first commits (a merged history) is named by the smallest id, which
/// does not depend on git's order.
fn first_commit(answer: &str) -> Option<String> {
    answer
        .lines()
        .map(str::trim)
        .filter(|id| matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit()))
        .map(str::to_ascii_lowercase)
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_several_first_commits_names_the_repository() {
        let a = "a".repeat(40);
        let b = "B".repeat(40);
        assert_eq!(first_commit(&format!("{b}\n{a}\n")), Some(a));
        assert_eq!(first_commit("warning: something\n"), None);
        assert_eq!(first_commit(""), None);
    }

    #[test]
    fn same_first_commit_with_another_remote_is_a_fork_and_not_the_same_repository() {
        let facts = |remote: Option<&str>, commit: Option<&str>| RepositoryFacts {
            remote: remote.map(str::to_owned),
            root_commit: commit.map(str::to_owned),
        };
        let ours = facts(Some("h/a/b"), Some("c1"));
        assert!(ours.same_repository(&facts(Some("h/a/b"), Some("c1"))));
        assert!(!ours.same_repository(&facts(Some("h/fork/b"), Some("c1"))));
        assert!(!ours.same_repository(&facts(Some("h/a/b"), Some("c2"))));
        assert!(!facts(None, None).same_repository(&facts(None, None)));
        assert!(facts(None, Some("c1")).same_repository(&facts(None, Some("c1"))));
    }
}

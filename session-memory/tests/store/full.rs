//! A disk without room.

#[cfg(unix)]
use std::process::Command;

#[cfg(unix)]
use session_memory::{Condition, ErrorKind};

#[cfg(unix)]
use super::{Folder, commit, draft, number};

#[cfg(unix)]
const TASK: &str = "SESSION_MEMORY_TEST_FULL";

/// Not a test by itself: tries one commit in a process whose files may not grow, and nothing without the
/// variable.
#[cfg(unix)]
#[test]
fn worker() {
    let Ok(folder) = std::env::var(TASK) else {
        return;
    };
    let file = session_memory::SessionFile::open(
        std::path::Path::new(&folder),
        session_memory::Structure::default(),
    );
    let file = file.expect("a session folder");
    let mut locked = file.lock().expect("a lock");
    match locked.commit(&draft(2)) {
        Ok(_) => std::process::exit(10),
        Err(error) if error.kind() == ErrorKind::Io => std::process::exit(11),
        Err(_) => std::process::exit(12),
    }
}

/// The size that a process may give to a file stands in for a full disk: `ulimit -f` counts blocks of 512
/// or 1,024 bytes, so the limits below let nothing through, the Markdown but not the side-car, or both.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_pair_or_the_new_one() {
    let mut outcomes = Vec::new();
    for blocks in [0, 1, 4, 16, 17, 20, 24, 28, 32, 40, 64, 128] {
        let folder = Folder::new();
        let file = folder.file();
        commit(&file, 1);
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --exact store::full::worker --nocapture"
            ))
            .arg(std::env::current_exe().expect("this binary"))
            .env(TASK, folder.path())
            .stdout(std::process::Stdio::null())
            .status()
            .expect("a shell");
        let expected = match status.code() {
            Some(10) => 2,
            Some(11) => 1,
            other => panic!("{blocks} blocks: {other:?}"),
        };
        assert_eq!(number(&file), Some(expected), "{blocks} blocks");
        drop(file.lock().expect("a lock"));
        assert_eq!(file.condition().expect("readable"), Condition::Whole);
        assert_eq!(number(&file), Some(expected), "{blocks} blocks");
        outcomes.push(expected);
    }
    assert!(
        outcomes.contains(&1) && outcomes.contains(&2),
        "{outcomes:?}"
    );
}

//! Sequences of operations on a root, compared step by step with the model.

use std::path::Path;

use pathguard::{
    AppendOptions, Backend, BackendChoice, EntryKind, Error, ListLimits, LockWait, MemoryRoot,
    PathKeyRef, RenameOptions, RootOptions, SyncPolicy, WriteMode, WriteOptions,
};

use super::model::{Failure, Mode, Model, Node};

/// Few names, so that sequences meet themselves; every prefix of a name is one too.
const NAMES: [&str; 9] = [
    "a", "b", "c", "a/a", "a/b", "b/a", "a/a/a", "a/a/b", "b/a/a",
];

/// Longest sequence; more would only be slower.
const MAX_STEPS: usize = 64;

/// Runs the operations that `data` stands for, three bytes each, on a root and on the model.
///
/// # Panics
///
/// When the two differ, or something outside the root has changed.
pub fn operations(data: &[u8]) {
    let Some((&first, steps)) = data.split_first() else {
        return;
    };
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let (below, outside) = (scratch.path().join("root"), scratch.path().join("outside"));
    for folder in [&below, &outside] {
        std::fs::create_dir(folder).expect("the scratch folder is ours");
    }
    std::fs::write(outside.join("secret"), "secret").expect("the scratch folder is ours");
    let backend = match first % 2 {
        1 if cfg!(unix) => BackendChoice::Forced(Backend::Components),
        _ => BackendChoice::Auto,
    };
    let options = RootOptions::new().with_backend(backend);
    let root = MemoryRoot::open(&below, &options).expect("the folder was just made");
    let mut run = Run {
        root,
        model: Model::default(),
    };
    for step in steps.chunks_exact(3).take(MAX_STEPS) {
        run.step(step[0], name(step[1]), name(step[2]), step[2]);
    }
    run.compare_listing();
    let secret = std::fs::read(outside.join("secret")).expect("it is still there");
    assert_eq!(secret, b"secret", "the outside file changed");
    let names = std::fs::read_dir(&outside)
        .expect("it is still there")
        .count();
    assert_eq!(names, 1, "something was made outside");
}

fn name(byte: u8) -> &'static str {
    NAMES[usize::from(byte) % NAMES.len()]
}

fn key(name: &str) -> PathKeyRef<'_> {
    PathKeyRef::parse(name).expect("the names are keys")
}

struct Run {
    root: MemoryRoot,
    model: Model,
}

impl Run {
    fn step(&mut self, operation: u8, a: &str, b: &str, byte: u8) {
        let (root, model) = (&self.root, &mut self.model);
        let bytes = vec![byte; usize::from(byte)];
        let quick = WriteOptions::new().with_sync(SyncPolicy::None);
        let what = (operation % 16, a, b);
        match operation % 16 {
            0..=2 => {
                let (mode, model_mode) = match operation % 16 {
                    0 => (WriteMode::CreateOrReplace, Mode::CreateOrReplace),
                    1 => (WriteMode::CreateNew, Mode::CreateNew),
                    _ => (WriteMode::ReplaceExisting, Mode::ReplaceExisting),
                };
                let written = root.write(key(a), &bytes, &quick.with_mode(mode));
                agree(what, written.map(drop), model.write(a, &bytes, model_mode));
            }
            3 => {
                let written = root.write(key(a), &bytes, &quick.with_create_parents(true));
                agree(what, written.map(drop), model.write_with_parents(a, &bytes));
            }
            4 => {
                let options = AppendOptions::new().with_sync(SyncPolicy::None);
                let appended = root.append(key(a), &bytes, &options);
                agree(what, appended.map(drop), model.append(a, &bytes));
            }
            5 => {
                let read = root.read(key(a), 1 << 20).map(|read| read.bytes);
                agree(what, read, model.read(a).map(<[u8]>::to_vec));
            }
            6 => {
                let offset = u64::from(byte % 32);
                let read = root.read_range(key(a), offset, 8).map(|read| read.bytes);
                let expected = model.read(a).map(|bytes| {
                    bytes
                        .iter()
                        .skip(usize::from(byte % 32))
                        .take(8)
                        .copied()
                        .collect()
                });
                agree(what, read, expected);
            }
            7 => agree(what, root.remove(key(a)), model.remove(a)),
            8 => agree(what, root.remove_dir(key(a)), model.remove_dir(a)),
            9 | 10 => {
                let replace = operation % 16 == 10;
                let options = RenameOptions::new()
                    .with_replace(replace)
                    .with_sync(SyncPolicy::None);
                let renamed = root.rename(key(a), key(b), &options);
                agree(what, renamed, model.rename(a, b, replace));
            }
            11 => agree(what, root.create_dirs(key(a)), model.create_dirs(a)),
            12 => self.plant(a, byte),
            13 => {
                let looked = root.metadata(key(a)).map(|found| (found.kind, found.len));
                let expected = model.look(a).map(|node| match node {
                    Node::File(bytes) => (EntryKind::File, bytes.len() as u64),
                    Node::Folder => (EntryKind::Directory, 0),
                    Node::Link | Node::Special => (EntryKind::Other, 0),
                });
                // Only files have a size that everybody agrees on.
                let comparable =
                    |(kind, len)| (kind, if kind == EntryKind::File { len } else { 0 });
                agree(what, looked.map(comparable), expected);
            }
            14 => {
                let locked = root.lock(key(a), &LockWait::none()).map(drop);
                agree(what, locked, model.append(a, b""));
            }
            _ => self.batch(a, b, &bytes),
        }
    }

    /// Puts a link or a socket where a name is free, as somebody else would.
    fn plant(&mut self, name: &str, byte: u8) {
        if !self.model.is_free(name) {
            return;
        }
        let path = self.root.path().join(name);
        let node = plant(&path, byte);
        self.model
            .nodes
            .extend(node.map(|node| (name.to_owned(), node)));
    }

    /// A write and a removal with one wait. The write is checked when it is added and applied later,
    /// so the model does both at the end; nothing happens in between.
    fn batch(&mut self, a: &str, b: &str, bytes: &[u8]) {
        let (root, model) = (&self.root, &mut self.model);
        let quick = WriteOptions::new().with_sync(SyncPolicy::None);
        let mut batch = root.batch();
        let added = batch.write(key(a), bytes, &quick);
        let expected = model.write(a, bytes, Mode::CreateOrReplace);
        let is_added = added.is_ok();
        agree(("batch write", a, b), added, expected);
        batch.remove(key(b));
        let report = batch.commit().expect("the root is still there");
        assert!(
            report.applied() >= usize::from(is_added),
            "the write was checked"
        );
        let removed = report.into_result().map(drop);
        agree(("batch remove", a, b), removed, model.remove(b));
    }

    fn compare_listing(&self) {
        let listing = self
            .root
            .list(&ListLimits::new())
            .expect("the root is still there");
        assert!(!listing.cut);
        let listed: Vec<_> = listing
            .entries
            .iter()
            .map(|entry| (entry.key.as_str(), entry.kind == EntryKind::Directory))
            .collect();
        let expected: Vec<_> = self
            .model
            .nodes
            .iter()
            .filter_map(|(key, node)| match node {
                Node::File(_) => Some((key.as_str(), false)),
                Node::Folder => Some((key.as_str(), true)),
                Node::Link | Node::Special => None,
            })
            .collect();
        assert_eq!(listed, expected);
        assert_eq!(
            listing.problems.len(),
            self.model.nodes.len() - expected.len()
        );
        for (name, node) in &self.model.nodes {
            if let Node::File(bytes) = node {
                let read = self.root.read(key(name), 1 << 20).expect("it was listed");
                assert_eq!(&read.bytes, bytes, "{name}");
            }
        }
        // Nothing of ours stays behind, hidden names included.
        let hidden = self
            .root
            .list(&ListLimits::new().with_hidden(true))
            .expect("as above");
        assert_eq!(
            hidden.problems.len(),
            listing.problems.len(),
            "{:?}",
            hidden.problems
        );
    }
}

#[cfg(unix)]
fn plant(path: &Path, byte: u8) -> Option<Node> {
    let target = match byte % 4 {
        0 => {
            std::os::unix::net::UnixListener::bind(path).ok()?;
            return Some(Node::Special);
        }
        1 => "../outside/secret",
        2 => "nothing",
        _ => ".",
    };
    std::os::unix::fs::symlink(target, path).ok()?;
    Some(Node::Link)
}

/// Links need a privilege on Windows.
#[cfg(not(unix))]
fn plant(_: &Path, _: u8) -> Option<Node> {
    None
}

#[track_caller]
fn agree<T: PartialEq + std::fmt::Debug>(
    what: impl std::fmt::Debug,
    found: Result<T, Error>,
    expected: Result<T, Failure>,
) {
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{what:?}"),
        (Err(error), Err(failure)) => {
            assert!(
                failure.is(error.kind()),
                "{what:?}: {error:?} instead of {failure:?}"
            );
        }
        (found, expected) => panic!("{what:?}: {found:?} instead of {expected:?}"),
    }
}

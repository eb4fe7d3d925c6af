//! A file system in memory, simple enough to be right by inspection.

use std::collections::BTreeMap;

use pathguard::ErrorKind;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File(Vec<u8>),
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A socket: what is neither file nor folder nor link.
    Special,
}

/// Why an operation fails. Links have three kinds of refusal, which depend on where they lead; the
/// table of tests looks at that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Kind(ErrorKind),
    Link,
}

impl Failure {
    pub(crate) fn is(self, kind: ErrorKind) -> bool {
        match self {
            Self::Kind(expected) => kind == expected,
            Self::Link => {
                matches!(
                    kind,
                    ErrorKind::Traversal | ErrorKind::Dangling | ErrorKind::Loop
                )
            }
        }
    }
}

/// How a write treats what is there; as `pathguard::WriteMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    CreateOrReplace,
    CreateNew,
    ReplaceExisting,
}

type Outcome<T = ()> = Result<T, Failure>;

const NOT_FOUND: Failure = Failure::Kind(ErrorKind::NotFound);
const NOT_REGULAR: Failure = Failure::Kind(ErrorKind::NotRegular);
const NOT_DIRECTORY: Failure = Failure::Kind(ErrorKind::NotDirectory);

/// All names below the root, by key.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) nodes: BTreeMap<String, Node>,
}

impl Model {
    /// Whether the folders on the way to `key` are there.
    fn parents(&self, key: &str) -> Outcome {
        for (end, _) in key.match_indices('/') {
            self.folder(&key[..end])?;
        }
        Ok(())
    }

    fn folder(&self, key: &str) -> Outcome {
        match self.nodes.get(key) {
            None => Err(NOT_FOUND),
            Some(Node::Folder) => Ok(()),
            Some(Node::Link) => Err(Failure::Link),
            Some(Node::File(_) | Node::Special) => Err(NOT_DIRECTORY),
        }
    }

    /// A name that is to be written: absent or a file.
    fn writable(&self, key: &str) -> Outcome<bool> {
        match self.nodes.get(key) {
            None => Ok(false),
            Some(Node::File(_)) => Ok(true),
            Some(Node::Link) => Err(Failure::Link),
            Some(Node::Folder | Node::Special) => Err(NOT_REGULAR),
        }
    }

    pub(crate) fn read(&self, key: &str) -> Outcome<&[u8]> {
        self.parents(key)?;
        match self.nodes.get(key) {
            None => Err(NOT_FOUND),
            Some(Node::File(bytes)) => Ok(bytes),
            Some(Node::Link) => Err(Failure::Link),
            Some(Node::Folder | Node::Special) => Err(NOT_REGULAR),
        }
    }

    pub(crate) fn look(&self, key: &str) -> Outcome<&Node> {
        self.parents(key)?;
        match self.nodes.get(key) {
            None => Err(NOT_FOUND),
            Some(Node::Link) => Err(Failure::Link),
            Some(node) => Ok(node),
        }
    }

    pub(crate) fn write(&mut self, key: &str, bytes: &[u8], mode: Mode) -> Outcome {
        self.parents(key)?;
        self.place(key, bytes, mode)
    }

    fn place(&mut self, key: &str, bytes: &[u8], mode: Mode) -> Outcome {
        match (mode, self.writable(key)?) {
            (Mode::CreateNew, true) => return Err(Failure::Kind(ErrorKind::Exists)),
            (Mode::ReplaceExisting, false) => return Err(NOT_FOUND),
            _ => {}
        }
        self.nodes
            .insert(key.to_owned(), Node::File(bytes.to_vec()));
        Ok(())
    }

    pub(crate) fn write_with_parents(&mut self, key: &str, bytes: &[u8]) -> Outcome {
        if let Some((parent, _)) = key.rsplit_once('/') {
            self.create_dirs(parent)?;
        }
        self.place(key, bytes, Mode::CreateOrReplace)
    }

    pub(crate) fn append(&mut self, key: &str, bytes: &[u8]) -> Outcome {
        self.parents(key)?;
        self.writable(key)?;
        match self
            .nodes
            .entry(key.to_owned())
            .or_insert(Node::File(Vec::new()))
        {
            Node::File(contents) => contents.extend_from_slice(bytes),
            other => unreachable!("{other:?} is not writable"),
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, key: &str) -> Outcome {
        self.parents(key)?;
        match self.nodes.get(key) {
            None => Err(NOT_FOUND),
            Some(Node::Folder) => Err(NOT_REGULAR),
            Some(_) => {
                self.nodes.remove(key);
                Ok(())
            }
        }
    }

    pub(crate) fn remove_dir(&mut self, key: &str) -> Outcome {
        self.parents(key)?;
        self.folder(key)?;
        if self.below(key).next().is_some() {
            return Err(Failure::Kind(ErrorKind::NotEmpty));
        }
        self.nodes.remove(key);
        Ok(())
    }

    pub(crate) fn create_dirs(&mut self, key: &str) -> Outcome {
        let ends = key
            .match_indices('/')
            .map(|(end, _)| end)
            .chain([key.len()]);
        for end in ends {
            match self.folder(&key[..end]) {
                Err(NOT_FOUND) => {
                    self.nodes.insert(key[..end].to_owned(), Node::Folder);
                }
                result => result?,
            }
        }
        Ok(())
    }

    pub(crate) fn rename(&mut self, from: &str, to: &str, replace: bool) -> Outcome {
        self.parents(from)?;
        self.parents(to)?;
        if to
            .strip_prefix(from)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            return Err(Failure::Kind(ErrorKind::Collision));
        }
        let node = match self.nodes.get(from) {
            None => return Err(NOT_FOUND),
            Some(Node::Link) => return Err(Failure::Link),
            Some(Node::Special) => return Err(NOT_REGULAR),
            Some(node @ (Node::File(_) | Node::Folder)) => node.clone(),
        };
        if self.writable(to)? {
            if !replace {
                return Err(Failure::Kind(ErrorKind::Exists));
            }
            if node == Node::Folder {
                return Err(NOT_DIRECTORY);
            }
        }

        let moved: Vec<String> = self.below(from).map(str::to_owned).collect();
        for key in moved {
            let node = self.nodes.remove(&key).expect("it was there a moment ago");
            self.nodes
                .insert(format!("{to}{}", &key[from.len()..]), node);
        }
        self.nodes.remove(from);
        self.nodes.insert(to.to_owned(), node);
        Ok(())
    }

    /// Whether a name can be planted at `key` by hand: its folder is there, and it is free.
    pub(crate) fn is_free(&self, key: &str) -> bool {
        self.parents(key).is_ok() && !self.nodes.contains_key(key)
    }

    fn below<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let names = self.nodes.keys().map(String::as_str);
        names.filter(move |name| {
            name.strip_prefix(key)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

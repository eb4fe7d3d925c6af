//! The session file on disk: a Markdown file and its side-car, which only ever change together.

use std::path::Path;
use std::sync::Arc;

use memdir::pathguard::{self, FileRead, LockWait, MemoryRoot, PathKey, RootOptions};

use self::judge::{Judgement, Markdown, judge};
use self::sidecar::SideCar;
use crate::error::{Error, ErrorKind};
use crate::notes::{NotesLimits, Structure};

mod cursor;
mod judge;
mod sidecar;
mod writer;

pub use cursor::Cursor;
pub use judge::{Committed, Condition};
pub use sidecar::Author;
pub use writer::{Draft, LockedFile};

/// The name of the Markdown in a session's folder.
pub const NOTES_FILE: &str = "session-memory.md";
/// The name of the side-car beside it.
pub const SIDE_CAR_FILE: &str = "session-memory.json";
/// The name of the lock file beside them.
pub const LOCK_FILE: &str = "session-memory.lock";

/// A side-car holds the text twice, and JSON may write a character as six bytes.
const SIDE_CAR_TIMES: u64 = 16;

/// How often a reader starts over when a writer commits under its eyes. A commit takes two renames, so a
/// reader that loses this often sees a thousand commits in a row.
const READ_ATTEMPTS: usize = 1_000;

/// The session file of one session, for reading; [`SessionFile::lock`] is the way to write it.
///
/// Nothing of it is held in memory: another process may have committed since. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct SessionFile {
    root: Arc<MemoryRoot>,
    structure: Arc<Structure>,
    limits: NotesLimits,
    wait: LockWait,
}

/// The two files as they were read at one instant.
pub(crate) struct Seen {
    pub(crate) side_car: Option<Vec<u8>>,
    pub(crate) markdown: Seeing,
}

pub(crate) enum Seeing {
    Missing,
    Bytes(Vec<u8>),
    TooLarge,
}

impl SessionFile {
    /// Opens the folder of a session, `<home>/projects/<key>/<session id>/`, after making it where it is
    /// missing. `memdir::Location::session_folder` names it.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when it is no folder, [`ErrorKind::Io`] when it cannot be made.
    pub fn create(folder: &Path, structure: Structure) -> Result<Self, Error> {
        let root = MemoryRoot::open_or_create(folder, &RootOptions::default());
        Ok(Self::with_root(root.map_err(Error::file)?, structure))
    }

    /// As [`SessionFile::create`], and never waits for the disk: for a folder that nobody needs after a crash of
    /// the machine, such as that of a replay.
    ///
    /// # Errors
    /// As [`SessionFile::create`].
    pub fn create_volatile(folder: &Path, structure: Structure) -> Result<Self, Error> {
        let options = RootOptions::new().with_volatile(true);
        let root = MemoryRoot::open_or_create(folder, &options);
        Ok(Self::with_root(root.map_err(Error::file)?, structure))
    }

    /// Opens the folder of a session, which must exist.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when it does not; otherwise as [`SessionFile::create`].
    pub fn open(folder: &Path, structure: Structure) -> Result<Self, Error> {
        let root = MemoryRoot::open(folder, &RootOptions::default());
        Ok(Self::with_root(root.map_err(Error::file)?, structure))
    }

    fn with_root(root: MemoryRoot, structure: Structure) -> Self {
        SessionFile {
            root: Arc::new(root),
            structure: Arc::new(structure),
            limits: NotesLimits::default(),
            wait: LockWait::none(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: NotesLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long [`SessionFile::lock`] waits for another process; by default not at all.
    #[must_use]
    pub fn with_wait(mut self, wait: std::time::Duration) -> Self {
        self.wait = LockWait::up_to(wait);
        self
    }

    /// Returns the folder's path, for messages.
    pub fn folder(&self) -> &Path {
        self.root.path()
    }

    /// Returns the headings and hint lines that updates keep.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Returns the limits.
    pub fn limits(&self) -> &NotesLimits {
        &self.limits
    }

    /// Returns the held folder, for the side agent's copy.
    #[cfg(feature = "updater")]
    pub(crate) fn root(&self) -> &MemoryRoot {
        &self.root
    }

    /// Returns the committed notes, or nothing where there are none. Takes no lock and changes nothing.
    ///
    /// Whatever state a writer, a crash or an editor left the two files in: what comes back was committed
    /// whole, or is an intact edit by a person.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] for a link, a device or a folder in a file's place, [`ErrorKind::Io`] when a
    /// file cannot be read, [`ErrorKind::TooNew`], and [`ErrorKind::Busy`] when other processes commit
    /// without a pause.
    pub fn read(&self) -> Result<Option<Committed>, Error> {
        let judgement = self.judge()?.1;
        match judgement.condition {
            Condition::TooNew => Err(too_new()),
            _ => Ok(judgement.committed),
        }
    }

    /// Returns how the two files stand to each other. Changes nothing.
    ///
    /// # Errors
    /// As [`SessionFile::read`], without [`ErrorKind::TooNew`].
    pub fn condition(&self) -> Result<Condition, Error> {
        Ok(self.judge()?.1.condition)
    }

    /// Takes the lock for writing and repairs what is half done.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] when another process, or another part of this one, holds it; otherwise as
    /// [`SessionFile::read`].
    pub fn lock(&self) -> Result<LockedFile, Error> {
        LockedFile::take(self)
    }

    fn judge(&self) -> Result<(Seen, Judgement), Error> {
        let seen = self.see()?;
        let side_car = seen.side_car.as_deref().map(SideCar::parse);
        let markdown = match &seen.markdown {
            Seeing::Missing => Markdown::Missing,
            Seeing::Bytes(bytes) => Markdown::Bytes(bytes),
            Seeing::TooLarge => Markdown::TooLarge,
        };
        let judgement = judge(side_car, markdown, &self.structure, &self.limits);
        Ok((seen, judgement))
    }

    /// Reads both files as they were at one instant: a side-car that is the same before and after the
    /// Markdown was read, down to its revision, means that no commit began or ended in between.
    fn see(&self) -> Result<Seen, Error> {
        for _ in 0..READ_ATTEMPTS {
            let before = self.side_car_bytes()?;
            let markdown = match self.root.read(key(NOTES_FILE).as_ref(), self.file_bytes()) {
                Ok(FileRead { bytes, .. }) => Seeing::Bytes(bytes),
                Err(error) if error.is_not_found() => Seeing::Missing,
                Err(error) if error.kind() == pathguard::ErrorKind::TooLarge => Seeing::TooLarge,
                Err(error) => return Err(Error::file(error)),
            };
            let after = self.side_car_bytes()?;
            if before == after {
                return Ok(Seen {
                    side_car: after,
                    markdown,
                });
            }
            std::thread::yield_now();
        }
        Err(Error::new(
            ErrorKind::Busy,
            "the session file is being written without a pause",
        ))
    }

    /// A side-car that is too large to be one is as good as damaged: it is read as empty.
    fn side_car_bytes(&self) -> Result<Option<Vec<u8>>, Error> {
        let most = self.file_bytes().saturating_mul(SIDE_CAR_TIMES);
        match self.root.read(key(SIDE_CAR_FILE).as_ref(), most) {
            Ok(read) => Ok(Some(read.bytes)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) if error.kind() == pathguard::ErrorKind::TooLarge => Ok(Some(Vec::new())),
            Err(error) => Err(Error::file(error)),
        }
    }

    fn file_bytes(&self) -> u64 {
        self.limits.file_bytes as u64
    }
}

/// Decides what a reader sees of a side-car and a Markdown, each as bytes or `None` where there is no such
/// file: [`SessionFile::read`] for files that are kept elsewhere. Pure.
///
/// ```
/// use session_memory::{Condition, Notes, NotesLimits, Structure, read_pair};
///
/// let structure = Structure::default();
/// let notes = Notes::empty(&structure).with_body("Learnings", "by hand");
/// let (condition, committed) =
///     read_pair(None, Some(notes.print().as_bytes()), &structure, &NotesLimits::default());
/// assert_eq!(condition, Condition::WithoutSideCar);
/// assert_eq!(committed.map(|committed| committed.notes), Some(notes));
/// ```
pub fn read_pair(
    side_car: Option<&[u8]>,
    markdown: Option<&[u8]>,
    structure: &Structure,
    limits: &NotesLimits,
) -> (Condition, Option<Committed>) {
    let markdown = match markdown {
        None => Markdown::Missing,
        Some(bytes) if bytes.len() > limits.file_bytes => Markdown::TooLarge,
        Some(bytes) => Markdown::Bytes(bytes),
    };
    let judgement = judge(side_car.map(SideCar::parse), markdown, structure, limits);
    (judgement.condition, judgement.committed)
}

pub(crate) fn key(name: &str) -> PathKey {
    PathKey::parse(name).expect("a plain name because all of them are literals of this crate")
}

fn too_new() -> Error {
    Error::new(
        ErrorKind::TooNew,
        "a newer version of this program wrote session-memory.json",
    )
}

//! Writing the pair: under the lock, the side-car first, and nothing of a person's replaced unseen.

use memdir::ContentHash;
use memdir::pathguard::{
    ErrorKind as FileErrorKind, FolderLock, PathKey, RenameOptions, WriteOptions,
};

use super::judge::{Committed, Condition, Remedy};
use super::sidecar::{Author, Pending, SideCar};
use super::{LOCK_FILE, NOTES_FILE, SIDE_CAR_FILE, Seeing, Seen, SessionFile, key, too_new};
use crate::error::{Error, ErrorKind};
use crate::ledger::LedgerText;
use crate::notes::Notes;
use crate::store::cursor::Cursor;

/// At most so many texts are kept aside; then a person has to look.
const MOST_ASIDE: usize = 16;

/// What is to be committed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Draft {
    /// The notes.
    pub notes: Notes,
    /// Up to where they cover the conversation.
    pub cursor: Option<Cursor>,
    /// Who wrote them.
    pub author: Author,
    /// What the action ledger wrote into them.
    pub ledger: LedgerText,
}

impl Draft {
    /// Returns a draft without anything from the ledger.
    pub fn new(notes: Notes, cursor: Option<Cursor>, author: Author) -> Self {
        Draft {
            notes,
            cursor,
            author,
            ledger: LedgerText::default(),
        }
    }

    /// Sets what the ledger wrote.
    #[must_use]
    pub fn with_ledger(mut self, ledger: LedgerText) -> Self {
        self.ledger = ledger;
        self
    }
}

/// A session file that this process alone may write, until the value is dropped.
#[derive(Debug)]
pub struct LockedFile {
    file: SessionFile,
    _lock: FolderLock,
    found: Condition,
    base: Option<Committed>,
    /// The digest of the Markdown as it was last seen; `None` when there was none.
    seen: Option<ContentHash>,
    /// The revision that the side-car on disk has, also where it says nothing any more.
    revision: u64,
}

impl LockedFile {
    pub(super) fn take(file: &SessionFile) -> Result<Self, Error> {
        let lock = file
            .root
            .lock(key(LOCK_FILE).as_ref(), &file.wait)
            .map_err(Error::file)?;
        // Whoever writes here holds the lock, so these are what killed writers left.
        let _ = file.root.remove_temporaries(i128::MAX);
        let (seen, judgement) = file.judge()?;
        if judgement.condition == Condition::TooNew {
            return Err(too_new());
        }
        let revision = revision_of(&seen);
        let mut locked = LockedFile {
            file: file.clone(),
            _lock: lock,
            found: judgement.condition,
            base: judgement.base,
            seen: match &seen.markdown {
                Seeing::Bytes(bytes) => Some(ContentHash::of(bytes)),
                Seeing::Missing | Seeing::TooLarge => None,
            },
            revision,
        };
        if judgement.remedy != Remedy::None {
            tracing::info!(condition = ?locked.found, "session_memory.repair");
            locked.repair(judgement.remedy, &seen)?;
        }
        Ok(locked)
    }

    /// Returns the session file.
    pub fn file(&self) -> &SessionFile {
        &self.file
    }

    /// Returns how the two files were found, before anything was repaired.
    pub fn found(&self) -> &Condition {
        &self.found
    }

    /// Returns the notes to start from: the committed ones, with a person's edits.
    pub fn base(&self) -> Option<&Committed> {
        self.base.as_ref()
    }

    /// Commits notes: afterwards every reader sees these, whatever happens to this process.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for notes that break their own structure, such as a section with an open code
    /// fence, or that are too large. [`ErrorKind::EditedMeanwhile`] when a person changed the Markdown
    /// since the lock was taken: theirs stays, and the next update starts from it. [`ErrorKind::Io`] when
    /// the disk is full; the pair is then as it was.
    pub fn commit(&mut self, draft: &Draft) -> Result<Committed, Error> {
        let text = self.checked_text(&draft.notes)?;
        self.check_unedited()?;
        let before = self.base.as_ref();
        let side_car = SideCar {
            revision: self.revision.wrapping_add(1),
            cursor: draft.cursor.clone(),
            text,
            author: draft.author,
            ledger: draft.ledger.clone(),
            pending: Some(Pending {
                previous: self.seen,
                cursor: before.and_then(|committed| committed.cursor.clone()),
            }),
        };
        let committed = self.write_pair(side_car, draft.notes.clone())?;
        tracing::info!(
            revision = self.revision,
            author = draft.author.as_str(),
            "session_memory.commit"
        );
        Ok(committed)
    }

    /// Notes can be put together from any text, so what will be read later is what is checked.
    fn checked_text(&self, notes: &Notes) -> Result<String, Error> {
        let text = notes.print();
        match Notes::parse(text.as_bytes(), &self.file.structure, &self.file.limits) {
            Ok(read) if read == *notes => Ok(text),
            Ok(_) => Err(Error::invalid(
                "a section holds a line that is structure",
                Vec::new(),
            )),
            Err(violations) => Err(Error::invalid(
                "the new text breaks the structure",
                violations,
            )),
        }
    }

    fn check_unedited(&self) -> Result<(), Error> {
        let most = self.file.file_bytes();
        let now = match self.file.root.read(key(NOTES_FILE).as_ref(), most) {
            Ok(read) => Some(ContentHash::of(&read.bytes)),
            Err(error) if error.is_not_found() => None,
            Err(error) if error.kind() == FileErrorKind::TooLarge => return Err(edited()),
            Err(error) => return Err(Error::file(error)),
        };
        if now == self.seen {
            Ok(())
        } else {
            Err(edited())
        }
    }

    /// The three steps of a commit. The first one decides.
    fn write_pair(&mut self, mut side_car: SideCar, notes: Notes) -> Result<Committed, Error> {
        self.write(SIDE_CAR_FILE, &side_car.print())?;
        self.revision = side_car.revision;
        let committed = Committed {
            notes,
            cursor: side_car.cursor.clone(),
            author: side_car.author,
            ledger: side_car.ledger.clone(),
            revision: side_car.revision,
        };
        self.base = Some(committed.clone());
        // From here on the commit stands: what fails below is finished by the next one who opens.
        if let Err(error) = self.check_unedited() {
            tracing::warn!(%error, "session_memory.edited_during_commit");
            return Err(error);
        }
        let finished = self
            .write(NOTES_FILE, side_car.text.as_bytes())
            .and_then(|()| {
                self.seen = Some(side_car.digest());
                side_car.pending = None;
                self.write(SIDE_CAR_FILE, &side_car.print())
            });
        if let Err(error) = finished {
            tracing::warn!(%error, "session_memory.unfinished");
        }
        Ok(committed)
    }

    fn repair(&mut self, remedy: Remedy, seen: &Seen) -> Result<(), Error> {
        match remedy {
            Remedy::None => Ok(()),
            Remedy::Finish => {
                let mut side_car = side_car_of(seen)?;
                side_car.pending = None;
                self.write(SIDE_CAR_FILE, &side_car.print())
            }
            Remedy::RollForward => self.roll_forward(seen),
            Remedy::SetAside => {
                self.set_markdown_aside()?;
                self.roll_forward(seen)
            }
            Remedy::Adopt => self.adopt(seen),
            Remedy::SetAsideTextAndAdopt => {
                let side_car = side_car_of(seen)?;
                let name = self.free_name()?;
                self.write_new(&name, side_car.text.as_bytes())?;
                self.adopt(seen)
            }
            Remedy::Rewrite => self.rewrite(),
            Remedy::SetAsideOnly => {
                self.set_markdown_aside()?;
                self.seen = None;
                Ok(())
            }
        }
    }

    fn roll_forward(&mut self, seen: &Seen) -> Result<(), Error> {
        let mut side_car = side_car_of(seen)?;
        self.write(NOTES_FILE, side_car.text.as_bytes())?;
        self.seen = Some(side_car.digest());
        side_car.pending = None;
        self.write(SIDE_CAR_FILE, &side_car.print())
    }

    /// Writes a side-car for the Markdown as it is, byte for byte: it is a person's.
    fn adopt(&mut self, seen: &Seen) -> Result<(), Error> {
        let (Some(base), Seeing::Bytes(bytes)) = (&self.base, &seen.markdown) else {
            return Err(edited());
        };
        let text = String::from_utf8(bytes.clone()).map_err(|_| edited())?;
        let side_car = SideCar {
            revision: self.revision.wrapping_add(1),
            cursor: base.cursor.clone(),
            text,
            author: Author::Person,
            ledger: base.ledger.clone(),
            pending: None,
        };
        self.write(SIDE_CAR_FILE, &side_car.print())?;
        self.set_revision(side_car.revision);
        Ok(())
    }

    fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
        if let Some(base) = &mut self.base {
            base.revision = revision;
        }
    }

    /// Commits the mended form of an edit.
    fn rewrite(&mut self) -> Result<(), Error> {
        let Some(base) = self.base.clone() else {
            return Ok(());
        };
        let draft = Draft {
            notes: base.notes,
            cursor: base.cursor,
            author: Author::Person,
            ledger: base.ledger,
        };
        self.commit(&draft).map(drop)
    }

    fn set_markdown_aside(&self) -> Result<(), Error> {
        let name = self.free_name()?;
        self.file
            .root
            .rename(
                key(NOTES_FILE).as_ref(),
                name.as_ref(),
                &RenameOptions::default(),
            )
            .map_err(Error::file)
    }

    /// Returns the first free name for a text that is kept aside.
    fn free_name(&self) -> Result<PathKey, Error> {
        for number in 1..=MOST_ASIDE {
            let name = key(&format!("session-memory.aside-{number}.md"));
            match self.file.root.metadata(name.as_ref()) {
                Err(error) if error.is_not_found() => return Ok(name),
                _ => {}
            }
        }
        Err(Error::new(
            ErrorKind::Refused,
            "too many files session-memory.aside-*.md: look at them and remove some",
        ))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let options = WriteOptions::new();
        let written = self.file.root.write(key(name).as_ref(), bytes, &options);
        written.map(drop).map_err(Error::file)
    }

    fn write_new(&self, name: &PathKey, bytes: &[u8]) -> Result<(), Error> {
        let options = WriteOptions::new().with_mode(memdir::pathguard::WriteMode::CreateNew);
        let written = self.file.root.write(name.as_ref(), bytes, &options);
        written.map(drop).map_err(Error::file)
    }
}

fn edited() -> Error {
    Error::new(
        ErrorKind::EditedMeanwhile,
        "session-memory.md was edited while it was being updated; the edit stays",
    )
}

fn side_car_of(seen: &Seen) -> Result<SideCar, Error> {
    let parsed = seen.side_car.as_deref().map(SideCar::parse);
    match parsed {
        Some(Ok(side_car)) => Ok(side_car),
        _ => Err(edited()),
    }
}

fn revision_of(seen: &Seen) -> u64 {
    side_car_of(seen).map_or(0, |side_car| side_car.revision)
}

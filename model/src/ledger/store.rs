//! Where the entries are kept.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Day;

/// A day's file that has grown beyond this admits nothing more.
pub const MAX_DAY_BYTES: u64 = 16 * 1024 * 1024;

/// Another process holds the file for the length of one append. Longer than this and it is stuck.
const LOCK_TRIES: u32 = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// Keeps the bytes of each day and lets one caller at a time append to them.
pub trait LedgerStore: Send + Sync {
    /// Hands the day's bytes to `step`, while nobody else can change them, and appends what it returns.
    ///
    /// # Errors
    ///
    /// Whatever the store meets. When an error comes back, nothing or a part of one line was appended.
    fn transact(&self, day: Day, step: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<()>;

    /// Returns the day's bytes; none when it has no entries.
    ///
    /// # Errors
    ///
    /// Whatever the store meets.
    fn read(&self, day: Day) -> io::Result<Vec<u8>>;

    /// Returns the days that have entries, oldest first.
    ///
    /// # Errors
    ///
    /// Whatever the store meets.
    fn days(&self) -> io::Result<Vec<Day>>;
}

/// Keeps entries as long as the value lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    days: Mutex<BTreeMap<Day, Vec<u8>>>,
}

impl LedgerStore for MemoryStore {
    fn transact(&self, day: Day, step: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<()> {
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = days.entry(day).or_default();
        let more = step(bytes);
        bytes.extend(more);
        Ok(())
    }

    fn read(&self, day: Day) -> io::Result<Vec<u8>> {
        let days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(days.get(&day).cloned().unwrap_or_default())
    }

    fn days(&self) -> io::Result<Vec<Day>> {
        let days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(days.keys().copied().collect())
    }
}

/// Keeps one file per day, `2026-11-30.jsonl`, in a folder of its own.
///
/// Entries are appended under an exclusive lock and flushed to the disk before the lock is given up, so
/// several processes share a folder. Nothing is ever rewritten: a crash leaves at most a torn last line,
/// which is counted and costs no other entry. Old files may be deleted at any time.
///
/// The calls block for the length of one append; a lock that another process does not give up within a
/// second is an error of kind [`io::ErrorKind::WouldBlock`].
#[derive(Debug, Clone)]
pub struct FileStore {
    folder: PathBuf,
}

impl FileStore {
    /// Returns a store over a folder, which is made when the first entry comes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn path(&self, day: Day) -> PathBuf {
        self.folder.join(format!("{day}.jsonl"))
    }

    fn open(&self, day: Day) -> io::Result<File> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.path(day);
        refuse_special(&path)?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        lock(&file)?;
        Ok(file)
    }
}

impl LedgerStore for FileStore {
    fn transact(&self, day: Day, step: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<()> {
        // Closing the file gives the lock up.
        let mut file = self.open(day)?;
        let bytes = read_bounded(&mut file)?;
        let more = step(&bytes);
        if more.is_empty() {
            return Ok(());
        }
        file.write_all(&more)?;
        file.sync_data()
    }

    fn read(&self, day: Day) -> io::Result<Vec<u8>> {
        let path = self.path(day);
        refuse_special(&path)?;
        match File::open(path) {
            Ok(mut file) => read_bounded(&mut file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn days(&self) -> io::Result<Vec<Day>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut days = Vec::new();
        for entry in entries {
            let entry = entry?;
            // A pipe or a folder of that name holds no entries.
            if !entry.file_type()?.is_file() {
                continue;
            }
            let name = entry.file_name();
            let name = Path::new(&name);
            let stem = name.file_stem().and_then(|stem| stem.to_str());
            if name
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                days.extend(stem.and_then(|stem| stem.parse::<Day>().ok()));
            }
        }
        days.sort_unstable();
        Ok(days)
    }
}

/// Refuses what is there and is no regular file: reading a pipe would wait for ever, and a link leads elsewhere.
fn refuse_special(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file",
        )),
        _ => Ok(()),
    }
}

fn read_bounded(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_DAY_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_DAY_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn lock(file: &File) -> io::Result<()> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

//! What several test modules need: a scratch folder with a store, a clock that can be set, and a
//! look at a folder's bytes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use memdir::{Clock, MemoryType, Origin, SaveRequest, Store, StoreOptions, Timestamp};
use tempfile::TempDir;
pub(crate) use test_support::bytes_below as folder_bytes;

/// 2026-03-05T14:02:11Z, the time at which tests begin.
pub(crate) const START: i64 = 1_772_719_331;

/// A clock that the test sets.
#[derive(Clone, Debug)]
pub(crate) struct TestClock {
    pub(crate) seconds: Arc<AtomicI64>,
    pub(crate) offset_seconds: i32,
}

impl Default for TestClock {
    fn default() -> Self {
        Self {
            seconds: Arc::new(AtomicI64::new(START)),
            offset_seconds: 0,
        }
    }
}

impl TestClock {
    pub(crate) fn advance_days(&self, days: i64) {
        self.seconds.fetch_add(days * 86_400, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.seconds.load(Ordering::Relaxed))
    }

    fn offset_seconds(&self) -> i32 {
        self.offset_seconds
    }
}

/// A memory folder in a scratch folder.
pub(crate) struct Scratch {
    pub(crate) folder: TempDir,
    pub(crate) clock: TestClock,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            clock: TestClock::default(),
        }
    }
}

impl Scratch {
    pub(crate) fn memory_dir(&self) -> PathBuf {
        self.folder.path().join("memory")
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.folder.path().join("memory-state")
    }

    pub(crate) fn options(&self) -> StoreOptions {
        StoreOptions::new(self.clock.clone())
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.memory_dir(), self.options()).unwrap()
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.memory_dir().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let file = self.memory_dir().join(path);
        String::from_utf8(std::fs::read(file).unwrap()).unwrap()
    }

    /// Every file of the memory folder with its bytes.
    pub(crate) fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        folder_bytes(&self.memory_dir())
    }
}

/// A person at the keyboard.
pub(crate) fn person() -> Origin {
    Origin::person("test")
}

/// A request for a memory of this title, with texts that follow from it.
pub(crate) fn request(name: &str) -> SaveRequest {
    SaveRequest::new(
        MemoryType::Feedback,
        name,
        &format!("about {name}"),
        &format!("Body of {name}.\n\n**Why:** because.\n**How to apply:** always.\n"),
    )
}

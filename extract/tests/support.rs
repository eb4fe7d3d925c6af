//! A memory folder in a temporary place, and conversations for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use agent_model::{Block, Message, Role, ToolResult, ToolUse};
use agent_transcript::{Cursor, Entry};
use memdir::{Clock, Mode, Modes, Store, StoreOptions, Timestamp};
use memdir_extract::{
    Backend, Conditions, Error, Extractor, ExtractorOptions, OfflineBackend, Turn, Work,
};
use serde_json::Value;
use tempfile::TempDir;

/// 2026-03-02T09:30:00Z, a Monday.
const START: i64 = 1_772_443_800;

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    pub(crate) fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.0.load(Ordering::SeqCst))
    }

    fn offset_seconds(&self) -> i32 {
        0
    }
}

/// A memory folder with its store.
pub(crate) struct Scratch {
    folder: TempDir,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) store: Arc<Store>,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::with_mode(Mode::Auto)
    }

    pub(crate) fn with_mode(mode: Mode) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let clock = Arc::new(HandClock(AtomicI64::new(START)));
        let store = open(&folder.path().join("memory"), &clock, mode);
        Self {
            folder,
            clock,
            store,
        }
    }

    /// The folder above the memory folder.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.store.dir().to_path_buf()
    }

    /// Another process's store on the same folder.
    pub(crate) fn another_store(&self) -> Arc<Store> {
        open(
            &self.memory(),
            &self.clock,
            self.store.options().modes().persistent,
        )
    }

    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.memory().join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The memories, by file name, sorted; without the index.
    pub(crate) fn files(&self) -> Vec<String> {
        let list = self.store.list(&memdir::ListOptions::default()).unwrap();
        let mut files: Vec<String> = list
            .memories
            .iter()
            .map(|memory| memory.path.as_str().to_owned())
            .collect();
        files.sort();
        files
    }

    pub(crate) fn extractor(&self, backend: impl Backend + 'static) -> Extractor {
        self.extractor_of("5c0375b4", backend)
    }

    pub(crate) fn extractor_of(&self, session: &str, backend: impl Backend + 'static) -> Extractor {
        let options = ExtractorOptions::new(session);
        Extractor::new(Arc::clone(&self.store), Arc::new(backend), options).unwrap()
    }

    pub(crate) fn offline(&self) -> Extractor {
        self.extractor(OfflineBackend)
    }
}

fn open(memory: &Path, clock: &Arc<HandClock>, mode: Mode) -> Arc<Store> {
    let shared: Arc<dyn Clock> = Arc::clone(clock) as Arc<dyn Clock>;
    let options = StoreOptions::with_shared_clock(shared).with_modes(Modes::all(mode));
    Arc::new(Store::open(memory, options).expect("a store"))
}

/// A back end that is a closure.
pub(crate) struct Closure<F>(pub(crate) F);

impl<F> Backend for Closure<F>
where
    F: Fn(&Arc<Work>) -> Result<(), Error> + Send + Sync,
{
    fn run(&self, work: &Arc<Work>) -> Result<(), Error> {
        (self.0)(work)
    }
}

/// A back end that notes what it is given, and saves nothing.
#[derive(Clone, Default)]
pub(crate) struct Notebook(pub(crate) Arc<Mutex<Vec<Vec<String>>>>);

impl Backend for Notebook {
    fn run(&self, work: &Arc<Work>) -> Result<(), Error> {
        let said = work
            .statements()
            .iter()
            .map(|statement| statement.text.clone());
        self.0.lock().unwrap().push(said.collect());
        Ok(())
    }
}

impl Notebook {
    pub(crate) fn seen(&self) -> Vec<Vec<String>> {
        self.0.lock().unwrap().clone()
    }
}

pub(crate) fn session() -> Conditions {
    Conditions::new(Mode::Auto)
}

pub(crate) fn said(id: &str, text: &str) -> Entry {
    Entry::new(Message::user(text).with_id(id))
}

pub(crate) fn replied(id: &str, text: &str) -> Entry {
    Entry::new(Message::assistant(text).with_id(id))
}

pub(crate) fn called(id: &str, name: &str, input: Value) -> Entry {
    let call = Block::ToolUse(ToolUse::new(format!("call-{id}"), name, input));
    Entry::new(Message::new(Role::Assistant, vec![call]).with_id(id))
}

/// The result of the call in message `of`.
pub(crate) fn returned(id: &str, of: &str, text: &str, is_error: bool) -> Entry {
    let mut result = ToolResult::text(format!("call-{of}"), text);
    result.is_error = is_error;
    Entry::new(Message::new(Role::User, vec![Block::ToolResult(result)]).with_id(id))
}

/// The cursor at the end of a conversation.
pub(crate) fn end_of(entries: &[Entry]) -> Cursor {
    let last = entries.last().and_then(Entry::last_id);
    Cursor::new("", 0, last.map(str::to_owned))
}

/// Tells an extractor that a turn ended.
pub(crate) fn turn(extractor: &Extractor, entries: &[Entry]) -> memdir_extract::Decision {
    let end = end_of(entries);
    extractor.on_turn_end(&Turn::of_entries(entries, &end), session())
}

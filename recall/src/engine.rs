//! The whole path of a query: folder, index, filters, ranking, gate.

use std::sync::Arc;

use pathguard::MemoryRoot;

use crate::cache::{self, CacheState};
use crate::folder::{self, FileProblem, Folder, Listed};
use crate::index::{Builder, Index};
use crate::query::Query;
use crate::rank::{Corpus, Facts, Layer};
use crate::select::select;
use crate::{Error, Recollection};

/// An index is written anew when more than this many files, and a hundredth of all, changed since.
const CHANGES_KEPT: usize = 32;

/// Up to this many files a new index is written for every change: it costs about as much as reading
/// a few files.
const SMALL_FOLDER: usize = 1_000;

/// A memory folder that can be asked.
///
/// Holds the index in memory. Each [`query`](Self::query) first looks at every file once (one
/// `statx`, no reading) and reads what changed, so that an edit, a touched or restored file, a rename
/// and a delete are seen by the next query. With a cache folder the index survives the process; the
/// index file may be deleted, damaged or replaced at any time.
///
/// ```
/// use std::sync::Arc;
/// use memdir_recall::{Query, Recall};
/// use pathguard::{MemoryRoot, RootOptions};
/// # let scratch = tempfile::tempdir()?;
/// # let folder = scratch.path();
/// std::fs::write(
///     folder.join("feedback_retries.md"),
///     "---\nname: Retries need jitter\ndescription: exponential backoff, five attempts\ntype: feedback\n---\n",
/// )?;
///
/// let memory = Arc::new(MemoryRoot::open(folder, &RootOptions::default())?);
/// let mut recall = Recall::open(memory, None);
/// let now = "2026-03-05T14:02:11Z".parse()?;
/// let answer = recall.query(&Query::new("may I retry without jitter?", now))?;
/// assert_eq!(answer.memories[0].path.as_str(), "feedback_retries.md");
/// assert_eq!(answer.memories[0].why.matches[0].word, "retry");
///
/// assert!(recall.query(&Query::new("ok, thanks", now))?.memories.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recall {
    memory: Arc<MemoryRoot>,
    cache: Option<Arc<MemoryRoot>>,
    cache_state: CacheState,
    root: u64,
    /// The index as it was loaded or last written, and which of its files still stand.
    base: Index,
    base_live: Vec<bool>,
    /// What changed since.
    recent: Index,
    recent_live: Vec<bool>,
    facts: Facts,
}

/// What [`Recall::refresh`] found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refresh {
    /// Files that can be recalled.
    pub files: usize,
    /// Files that were read, because they are new or changed.
    pub read: usize,
    /// Files that were gone.
    pub gone: usize,
    /// The index file was written.
    pub written: bool,
    /// The folder holds more than a listing may return; the rest is not ranked.
    pub cut: bool,
    /// What could not be ranked, and why.
    pub problems: Vec<FileProblem>,
}

impl Recall {
    /// Takes a memory folder and a cache folder outside of it. Nothing is read but the index file, and
    /// an unusable one is as good as none; [`cache_state`](Self::cache_state) tells.
    pub fn open(memory: Arc<MemoryRoot>, cache: Option<Arc<MemoryRoot>>) -> Self {
        let root = cache::root_id(&memory);
        let (base, cache_state) = match &cache {
            Some(cache) => cache::load(cache, root),
            None => (None, CacheState::None),
        };
        Self {
            memory,
            cache,
            cache_state,
            root,
            base_live: vec![false; base.as_ref().map_or(0, Index::len)],
            base: base.unwrap_or_else(|| empty(root)),
            recent: empty(root),
            recent_live: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// Returns what became of the index file when the folder was opened.
    pub fn cache_state(&self) -> CacheState {
        self.cache_state
    }

    /// Returns the memory folder.
    pub fn memory(&self) -> &MemoryRoot {
        &self.memory
    }

    /// Brings the index up to date, then answers.
    ///
    /// # Errors
    ///
    /// When the memory folder cannot be listed. A single bad file is no error; see
    /// [`Refresh::problems`].
    pub fn query(&mut self, query: &Query) -> Result<Recollection, Error> {
        self.refresh()?;
        Ok(self.rank(query))
    }

    /// Answers from the index as the last [`refresh`](Self::refresh) left it, without touching a file.
    pub fn rank(&self, query: &Query) -> Recollection {
        let _span = tracing::debug_span!("recall.rank").entered();
        select(&Corpus::new(self.layers(), &self.facts), query)
    }

    fn layers(&self) -> Vec<Layer<'_>> {
        vec![
            Layer {
                index: &self.base,
                live: &self.base_live,
            },
            Layer {
                index: &self.recent,
                live: &self.recent_live,
            },
        ]
    }

    /// Looks at every file of the folder and reads those that changed.
    ///
    /// # Errors
    ///
    /// When the memory folder cannot be listed.
    pub fn refresh(&mut self) -> Result<Refresh, Error> {
        let _span = tracing::debug_span!("recall.refresh").entered();
        let folder = folder::list(&self.memory)?;
        let before = count(&self.base_live) + count(&self.recent_live);
        let pending = self.compare(&folder);
        let mut refresh = Refresh {
            cut: folder.cut,
            problems: folder.problems,
            ..Refresh::default()
        };
        let kept = count(&self.base_live) + count(&self.recent_live);
        refresh.gone = before.saturating_sub(kept);
        if !pending.is_empty() {
            self.read(&pending, &mut refresh);
        }
        let written_off = self.base.len() - count(&self.base_live);
        let changes = self.recent.len().max(written_off);
        let many = changes > CHANGES_KEPT.max(self.base.len() / 100);
        if many || changes > 0 && self.base.len() <= SMALL_FOLDER {
            self.consolidate(&mut refresh);
        }
        self.facts = Facts::of(&self.layers());
        refresh.files = self.facts.live() as usize;
        tracing::debug!(
            files = refresh.files,
            read = refresh.read,
            gone = refresh.gone,
            "recall.refreshed"
        );
        Ok(refresh)
    }

    /// Marks what still stands and returns the files that neither index knows as they are.
    fn compare(&mut self, folder: &Folder) -> Vec<Pending> {
        let mut pending = Vec::new();
        let mut base = Cursor::new(&self.base, &mut self.base_live);
        let mut recent = Cursor::new(&self.recent, &mut self.recent_live);
        for listed in &folder.files {
            // Both are asked: each must move on, and the newer reading wins.
            let in_recent = recent.meet(listed);
            let in_base = base.meet(listed);
            if in_recent == Met::Same && in_base == Met::Same {
                base.forget();
            } else if in_recent != Met::Same && in_base != Met::Same {
                pending.push(Pending {
                    listed: listed.clone(),
                    again: in_recent == Met::Unsettled || in_base == Met::Unsettled,
                });
            }
        }
        pending
    }

    fn read(&mut self, pending: &[Pending], refresh: &mut Refresh) {
        let settled_before = self
            .cache
            .as_ref()
            .and_then(|cache| cache::settled_before(cache));
        let mut builder = Builder::new();
        builder.absorb(&self.recent, &self.recent_live);
        let mut buffer = Vec::new();
        for Pending { listed, again } in pending {
            // Without a clock to ask, a file is read a second time and then believed.
            let unknown = if *again { i64::MAX } else { i64::MIN };
            let settled = settled_before.unwrap_or(unknown);
            match folder::read_into(&self.memory, listed, settled, &mut buffer, &mut builder) {
                Ok(()) => refresh.read += 1,
                Err(problem) => refresh.problems.push(problem),
            }
        }
        self.recent = built(builder, self.root);
        self.recent_live = vec![true; self.recent.len()];
    }

    /// Makes one index of both and writes it to the cache folder.
    fn consolidate(&mut self, refresh: &mut Refresh) {
        let recent = std::mem::replace(&mut self.recent, empty(self.root));
        let recent_live = std::mem::take(&mut self.recent_live);
        self.base = if count(&self.base_live) == 0 && count(&recent_live) == recent.len() {
            recent
        } else {
            let mut builder = Builder::new();
            builder.absorb(&self.base, &self.base_live);
            builder.absorb(&recent, &recent_live);
            built(builder, self.root)
        };
        self.base_live = vec![true; self.base.len()];
        if let Some(cache) = &self.cache {
            refresh.written = cache::store(cache, self.base.bytes());
        }
    }
}

/// A file that must be read.
struct Pending {
    listed: Listed,
    /// It was read before and has not changed since, as far as its times tell.
    again: bool,
}

/// What an index knows of a listed file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Same,
    /// It looks the same, and was read too soon after its last change to be sure.
    Unsettled,
    Other,
}

fn count(live: &[bool]) -> usize {
    live.iter().filter(|live| **live).count()
}

fn built(builder: Builder, root: u64) -> Index {
    Index::open(builder.finish(root), root)
        .expect("an index that was just built opens, because its header was written for this root")
}

fn empty(root: u64) -> Index {
    built(Builder::new(), root)
}

/// Walks an index along a sorted listing.
struct Cursor<'a> {
    index: &'a Index,
    live: &'a mut Vec<bool>,
    next: usize,
}

impl<'a> Cursor<'a> {
    fn new(index: &'a Index, live: &'a mut Vec<bool>) -> Self {
        live.clear();
        live.resize(index.len(), false);
        Self {
            index,
            live,
            next: 0,
        }
    }

    /// Returns what the index knows of a file; all before it in the order are gone.
    fn meet(&mut self, listed: &Listed) -> Met {
        let path = listed.key.as_str();
        while self.next < self.index.len() {
            match self.index.path(self.next).cmp(path) {
                std::cmp::Ordering::Less => self.next += 1,
                std::cmp::Ordering::Greater => return Met::Other,
                std::cmp::Ordering::Equal => {
                    let number = self.next;
                    self.next += 1;
                    if self.index.stat(number) != listed.stat {
                        return Met::Other;
                    }
                    if self.index.is_unsettled(number) {
                        return Met::Unsettled;
                    }
                    self.live[number] = true;
                    return Met::Same;
                }
            }
        }
        Met::Other
    }

    /// Takes back the last answer.
    fn forget(&mut self) {
        self.live[self.next - 1] = false;
    }
}

//! Memories that wait for a person, in mode `ask`.

use std::collections::BTreeSet;

use pathguard::{ListLimits, MemoryRoot, PathKey, WriteMode, WriteOptions};
use serde::{Deserialize, Serialize};

use super::{Expect, Origin, SaveFile, SaveRequest, Saved, Scope, Store, Transaction};
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::hash::ContentHash;
use crate::journal::{bytes_of, text_or_hex};
use crate::limits::{INBOX_MAX_ITEMS, MEMORY_MAX_BYTES};
use crate::{Memory, Timestamp};

/// The inbox's folder in the state folder.
const FOLDER: &str = "inbox";
/// The version of the items that we write.
const VERSION: u32 = 1;

/// A memory file that somebody proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file, relative to the memory folder.
    pub path: PathKey,
    /// Its proposed bytes.
    pub bytes: Vec<u8>,
    /// The hash of what it would replace; `None` for a new memory.
    pub base: Option<ContentHash>,
}

/// A candidate in the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InboxItem {
    /// Its name in the inbox.
    pub id: String,
    /// When it was proposed.
    pub time: Timestamp,
    /// The program or agent that proposed it.
    pub actor: String,
    /// The session in which it was proposed.
    pub session: Option<String>,
    /// A word on why.
    pub note: Option<String>,
    /// What is proposed.
    pub candidate: Candidate,
}

impl InboxItem {
    /// The proposed memory.
    pub fn memory(&self) -> Memory {
        Memory::parse(&self.candidate.bytes)
    }
}

/// The inbox, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InboxList {
    /// What waits, oldest first.
    pub items: Vec<InboxItem>,
    /// Files of the inbox that cannot be understood.
    pub problems: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    version: u32,
    time: String,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    path: String,
    base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

impl InboxItem {
    fn print(&self) -> Vec<u8> {
        let (text, hex) = text_or_hex(&self.candidate.bytes);
        let wire = Wire {
            version: VERSION,
            time: self.time.to_string(),
            actor: self.actor.clone(),
            session: self.session.clone(),
            note: self.note.clone(),
            path: self.candidate.path.as_str().to_owned(),
            base: self.candidate.base.map(|hash| hash.to_string()),
            text,
            hex,
        };
        let mut bytes = serde_json::to_vec_pretty(&wire)
            .expect("an item is JSON because it holds texts and numbers only");
        bytes.push(b'\n');
        bytes
    }

    fn parse(id: &str, bytes: &[u8]) -> Option<Self> {
        let wire: Wire = serde_json::from_slice(bytes).ok()?;
        let base = match wire.base {
            None => None,
            Some(text) => Some(text.parse().ok()?),
        };
        Some(Self {
            id: id.to_owned(),
            time: Timestamp::parse_lenient(&wire.time)?,
            actor: wire.actor,
            session: wire.session,
            note: wire.note,
            candidate: Candidate {
                path: PathKey::parse(&wire.path).ok()?,
                bytes: bytes_of(wire.text, wire.hex)?,
                base,
            },
        })
    }
}

impl Store {
    /// Puts a memory into the inbox instead of the folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Secret`] when it holds a credential that may not be stored,
    /// [`ErrorKind::TooLarge`] when the inbox is full, [`ErrorKind::Refused`] when the layer is
    /// off or read-only for this writer.
    pub fn propose(&self, request: &SaveRequest, origin: &Origin) -> Result<InboxItem, Error> {
        let target = match &request.target {
            Some(name) => Some(self.find(name)?),
            None => None,
        };
        // Nothing is written to the folder, so neither lock nor journal is needed.
        let mut transaction = Transaction::new(self);
        let prepared = self.prepare(request, target.as_ref(), &mut transaction)?;
        let base = transaction.read(&prepared.key)?.map(ContentHash::of);
        self.propose_file(
            Candidate {
                path: prepared.key,
                bytes: prepared.bytes,
                base,
            },
            origin,
        )
    }

    /// Puts a memory file into the inbox, byte for byte.
    ///
    /// # Errors
    ///
    /// As [`Store::propose`]; [`ErrorKind::Refused`] also when the path is no memory file.
    pub fn propose_file(&self, candidate: Candidate, origin: &Origin) -> Result<InboxItem, Error> {
        let _span = tracing::info_span!("memdir.propose").entered();
        super::save::check_memory_path(&candidate.path)?;
        let scope = Scope::of(candidate.path.as_ref());
        let permission = super::permission(self.options.modes, scope.layer(), origin.writer());
        if permission == super::Permission::Nothing {
            self.permit(scope, origin)?;
        }
        if candidate.bytes.len() as u64 > MEMORY_MAX_BYTES {
            return Err(Error::too_large("larger than the limit")
                .with_path(candidate.path.as_str())
                .with_remedy("shorten or split it"));
        }
        self.guard_text(&candidate.path, &candidate.bytes, origin)?;
        let state = self.writable()?;
        if self.inbox_ids()?.len() >= INBOX_MAX_ITEMS {
            return Err(Error::too_large("the inbox is full")
                .with_remedy("accept or drop what waits there"));
        }
        let mut item = InboxItem {
            id: String::new(),
            time: self.now().to_whole_second(),
            actor: origin.actor().to_owned(),
            session: origin.session().map(str::to_owned),
            note: origin.note().map(str::to_owned),
            candidate,
        };
        // Two writers may choose one name; the second of them takes the next.
        let stamp: String = item
            .time
            .to_string()
            .chars()
            .filter(|character| !"-:".contains(*character))
            .collect();
        let mut options = WriteOptions::default();
        options.create_parents = true;
        options.mode = WriteMode::CreateNew;
        for number in 1..=INBOX_MAX_ITEMS + 1 {
            item.id = format!("{stamp}-{number}");
            let key = item_key(&item.id)?;
            match state.root.write(key.as_ref(), &item.print(), &options) {
                Ok(_) => return Ok(item),
                Err(error) if error.kind() == pathguard::ErrorKind::Exists => {}
                Err(error) => return Err(files::error(error, key.as_str())),
            }
        }
        Err(Error::too_large("the inbox is full"))
    }

    /// What waits in the inbox, oldest first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] when it cannot be listed.
    pub fn inbox(&self) -> Result<InboxList, Error> {
        let mut list = InboxList::default();
        for id in self.inbox_ids()? {
            match self.inbox_item(&id) {
                Ok(item) => list.items.push(item),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => list.problems.push(error.to_string()),
            }
        }
        Ok(list)
    }

    /// One candidate.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] or [`ErrorKind::Corrupt`].
    pub fn inbox_item(&self, id: &str) -> Result<InboxItem, Error> {
        let state = self.writable()?;
        let key = item_key(id)?;
        // Escaped text is at most six times as long as its bytes.
        let read = files::read_if_exists(&state.root, key.as_ref(), 7 * MEMORY_MAX_BYTES)?
            .ok_or_else(|| no_candidate(id))?;
        InboxItem::parse(id, &read.bytes).ok_or_else(|| {
            Error::corrupt("not a candidate")
                .with_path(key.as_str())
                .with_remedy("drop it")
        })
    }

    /// Saves a candidate, as it is or as the person has edited it, and takes it out of the inbox.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StaleHash`] when the memory has changed since it was proposed: the candidate
    /// stays in the inbox; and as [`Store::save`].
    pub fn accept(
        &self,
        id: &str,
        edited: Option<Vec<u8>>,
        origin: &Origin,
    ) -> Result<Saved, Error> {
        let _span = tracing::info_span!("memdir.accept").entered();
        let candidate = self.inbox_item(id)?.candidate;
        let bytes = edited.unwrap_or(candidate.bytes);
        // Accepted before, and the process died before the candidate was taken out.
        let stored =
            files::read_if_exists(&self.memory, candidate.path.as_ref(), MEMORY_MAX_BYTES)?
                .map(|read| ContentHash::of(&read.bytes));
        let expect = match candidate.base {
            _ if stored == Some(ContentHash::of(&bytes)) => Expect::Anything,
            Some(base) => Expect::Hash(base),
            None => Expect::Absent,
        };
        let file = SaveFile::new(candidate.path, bytes).with_expect(expect);
        let saved = self.save_file(&file, origin)?;
        self.drop_candidate(id)?;
        Ok(saved)
    }

    /// Takes a candidate out of the inbox without saving it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] when there is no such candidate.
    pub fn drop_candidate(&self, id: &str) -> Result<(), Error> {
        let state = self.writable()?;
        let key = item_key(id)?;
        state.root.remove(key.as_ref()).map_err(|error| {
            if error.kind() == pathguard::ErrorKind::NotFound {
                no_candidate(id)
            } else {
                files::error(error, id)
            }
        })
    }

    /// Drops the candidates for these paths, and those that nobody can read.
    pub(super) fn purge_inbox(&self, paths: &BTreeSet<String>) -> Result<(), Error> {
        for id in self.inbox_ids()? {
            let keeps = self
                .inbox_item(&id)
                .is_ok_and(|item| !paths.contains(item.candidate.path.as_str()));
            if !keeps {
                self.drop_candidate(&id)?;
            }
        }
        Ok(())
    }

    fn inbox_ids(&self) -> Result<Vec<String>, Error> {
        let state = self.writable()?;
        let folder = match state.root.open_sub(files::key(FOLDER).as_ref()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(files::error(error, FOLDER)),
        };
        let mut ids = list_ids(&folder)?;
        // Of one second, the second one is `-2` and the tenth `-10`.
        ids.sort_by_key(|id| {
            let (stamp, number) = id.rsplit_once('-').unwrap_or((id, ""));
            (stamp.to_owned(), number.parse::<u32>().unwrap_or(0))
        });
        Ok(ids)
    }
}

fn list_ids(folder: &MemoryRoot) -> Result<Vec<String>, Error> {
    let mut limits = ListLimits::default();
    limits.max_depth = 1;
    limits.metadata = false;
    limits.extension = Some("json".to_owned());
    let listing = folder
        .list(&limits)
        .map_err(|error| files::error(error, FOLDER))?;
    Ok(listing
        .entries
        .iter()
        .filter_map(|entry| entry.key.as_str().strip_suffix(".json").map(str::to_owned))
        .collect())
}

fn no_candidate(id: &str) -> Error {
    Error::not_found("the inbox has no such candidate")
        .with_path(id)
        .with_remedy("`inbox` lists what waits")
}

fn item_key(id: &str) -> Result<PathKey, Error> {
    files::key_of_id(FOLDER, id, ".json")
}

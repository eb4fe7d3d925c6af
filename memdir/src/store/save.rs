//! Saves a memory: the file, then its line in the index, as one operation.

use std::collections::HashMap;

use pathguard::PathKey;

use super::index_line::{IndexLine, stage};
use super::names::same_name;
use super::outcome::{IndexOutcome, IndexOverLimit, Saved, Submitted};
use super::{Origin, Permission, Scope, Store, Transaction, is_index, is_memory, permission};
use crate::error::{CurrentState, Error};
use crate::guard::SecretFinding;
use crate::hash::ContentHash;
use crate::journal::OperationKind;
use crate::limits::{DESCRIPTION_MAX_BYTES, INDEX_MAX_BYTES, NAME_MAX_BYTES};
use crate::{
    BudgetState, CompactionPlan, Header, Index, Memory, MemoryType, Timestamp, Usage, file_name,
};

/// What the file must be for a save to go ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// There is no such memory yet.
    #[default]
    Absent,
    /// The file has this hash.
    Hash(ContentHash),
    /// Whatever it is; the journal keeps what is replaced.
    Anything,
}

/// A memory to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveRequest {
    pub(super) memory_type: MemoryType,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) body: String,
    pub(super) scope: Scope,
    pub(super) target: Option<String>,
    pub(super) expect: Expect,
    pub(super) skip_index: bool,
    pub(super) fields: Vec<(String, String)>,
}

impl SaveRequest {
    /// A private memory that does not exist yet.
    pub fn new(memory_type: MemoryType, name: &str, description: &str, body: &str) -> Self {
        Self {
            memory_type,
            name: name.to_owned(),
            description: description.to_owned(),
            body: body.to_owned(),
            scope: Scope::Private,
            target: None,
            expect: Expect::Absent,
            skip_index: false,
            fields: Vec::new(),
        }
    }

    /// Whose memory it is.
    #[must_use]
    pub fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Replaces the memory of this name, whatever its scope and file name. Its front matter keys
    /// that the request does not mention stay.
    #[must_use]
    pub fn replacing(mut self, name: &str, expect: Expect) -> Self {
        self.target = Some(name.to_owned());
        self.expect = expect;
        self
    }

    /// What must be there for the save to go ahead; nothing, by default.
    #[must_use]
    pub fn with_expect(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    /// Saves the file only and leaves the index as it is.
    #[must_use]
    pub fn without_index(mut self) -> Self {
        self.skip_index = true;
        self
    }

    /// Sets one more key of the front matter, for example an origin or an evidence.
    #[must_use]
    pub fn with_field(mut self, key: &str, value: &str) -> Self {
        self.fields.push((key.to_owned(), value.to_owned()));
        self
    }
}

/// A memory file to be saved byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveFile {
    pub(super) path: PathKey,
    pub(super) bytes: Vec<u8>,
    pub(super) expect: Expect,
    pub(super) skip_index: bool,
}

impl SaveFile {
    /// A file that does not exist yet.
    pub fn new(path: PathKey, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path,
            bytes: bytes.into(),
            expect: Expect::Absent,
            skip_index: false,
        }
    }

    /// What must be there for the save to go ahead; nothing, by default.
    #[must_use]
    pub fn with_expect(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    /// Saves the file only and leaves the index as it is.
    #[must_use]
    pub fn without_index(mut self) -> Self {
        self.skip_index = true;
        self
    }
}

/// The bytes of a memory, and where they go.
pub(super) struct Prepared {
    pub(super) key: PathKey,
    pub(super) bytes: Vec<u8>,
    pub(super) replaced: bool,
}

impl Store {
    /// Saves a memory and its line in the index as one operation.
    ///
    /// The line carries the description, shortened; a hand-written one stays unless the
    /// description changes. A memory that is exactly so already is left alone.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StaleHash`](crate::ErrorKind::StaleHash) with the current state when the file
    /// is not as expected, for example when a memory of this title exists;
    /// [`ErrorKind::Secret`](crate::ErrorKind::Secret) with rules and lines;
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the layer's mode does not let this
    /// writer save; [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge);
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) when the lock is held for too long.
    pub fn save(&self, request: &SaveRequest, origin: &Origin) -> Result<Saved, Error> {
        let _span = tracing::info_span!("memdir.save").entered();
        check_request(request)?;
        let target = match &request.target {
            Some(name) => Some(self.find(name)?),
            None => None,
        };
        let scope = target
            .as_ref()
            .map_or(request.scope, |key| Scope::of(key.as_ref()));
        self.permit(scope, origin)?;
        let mut secrets = Vec::new();
        let (sequence, (prepared, index)) =
            self.transact(OperationKind::Save, origin, |transaction| {
                let prepared = self.prepare(request, target.as_ref(), transaction)?;
                secrets = self.guard_text(&prepared.key, &prepared.bytes, origin)?;
                let index = stage(transaction, &prepared, request.skip_index)?;
                Ok((prepared, index))
            })?;
        self.saved(sequence, prepared, index, secrets)
    }

    /// Saves a memory file byte for byte, and its line in the index, as one operation.
    ///
    /// # Errors
    ///
    /// As [`Store::save`]; [`ErrorKind::Refused`](crate::ErrorKind::Refused) also when the path is
    /// no memory file.
    pub fn save_file(&self, file: &SaveFile, origin: &Origin) -> Result<Saved, Error> {
        let _span = tracing::info_span!("memdir.save_file").entered();
        check_memory_path(&file.path)?;
        self.permit(Scope::of(file.path.as_ref()), origin)?;
        let secrets = self.guard_text(&file.path, &file.bytes, origin)?;
        let (sequence, (prepared, index)) =
            self.transact(OperationKind::Save, origin, |transaction| {
                let prepared = prepare_file(file, transaction)?;
                let index = stage(transaction, &prepared, file.skip_index)?;
                Ok((prepared, index))
            })?;
        self.saved(sequence, prepared, index, secrets)
    }

    /// Saves, or puts into the inbox when the mode of the layer is `ask` and the writer is no
    /// person.
    ///
    /// # Errors
    ///
    /// As [`Store::save`].
    pub fn submit(&self, request: &SaveRequest, origin: &Origin) -> Result<Submitted, Error> {
        let scope = match &request.target {
            Some(name) => Scope::of(self.find(name)?.as_ref()),
            None => request.scope,
        };
        match permission(self.options.modes, scope.layer(), origin.writer()) {
            Permission::Propose => self.propose(request, origin).map(Submitted::Proposed),
            Permission::Write | Permission::Nothing => self
                .save(request, origin)
                .map(|saved| Submitted::Saved(Box::new(saved))),
        }
    }

    /// Refuses what the mode of the layer does not let this writer do.
    pub(crate) fn permit(&self, scope: Scope, origin: &Origin) -> Result<(), Error> {
        let layer = scope.layer();
        let mode = self.options.modes.get(layer);
        let remedy = match permission(self.options.modes, layer, origin.writer()) {
            Permission::Write => return Ok(()),
            Permission::Propose => "submit it to the inbox, where a person accepts it",
            Permission::Nothing => "ask the person to save it, or to change the mode",
        };
        Err(Error::refused(format!("the mode of this layer is {mode}"))
            .with_path(self.dir().display().to_string())
            .with_remedy(remedy))
    }

    /// The bytes that a request leads to, on top of what the folder holds.
    pub(super) fn prepare(
        &self,
        request: &SaveRequest,
        target: Option<&PathKey>,
        transaction: &mut Transaction<'_>,
    ) -> Result<Prepared, Error> {
        let key = match target {
            Some(key) => key.clone(),
            None => self.place(request, transaction)?,
        };
        let existing = transaction.read(&key)?.map(<[u8]>::to_vec);
        let hash = existing.as_deref().map(ContentHash::of);
        check_expectation(&key, existing.as_deref(), hash, request.expect)?;
        let mut memory = match &existing {
            None => Memory::new(
                request.memory_type,
                &request.name,
                &request.description,
                &request.body,
            ),
            Some(bytes) => {
                let mut memory = Memory::parse(bytes);
                if memory.name() != request.name {
                    memory.set_name(&request.name);
                }
                if memory.description() != request.description {
                    memory.set_description(&request.description);
                }
                if memory.memory_type() != Some(request.memory_type) {
                    memory.set_type(request.memory_type);
                }
                if memory.body().trim_end() != request.body.trim_end() {
                    memory.set_body(&request.body);
                }
                memory
            }
        };
        for (field, value) in &request.fields {
            if memory.value(field).as_deref() != Some(value) {
                memory.set_value(field, value);
            }
        }
        // Only a change gets a new time; saving the same again changes nothing.
        if existing.as_deref() != Some(memory.as_bytes()) {
            memory.set_modified(self.now().to_whole_second());
        }
        Ok(Prepared {
            key,
            bytes: memory.print(),
            replaced: existing.is_some(),
        })
    }

    /// The file of a new request: that of the memory with this title, else a free name.
    fn place(
        &self,
        request: &SaveRequest,
        transaction: &mut Transaction<'_>,
    ) -> Result<PathKey, Error> {
        let scope = request.scope;
        let index = transaction.index(scope)?.unwrap_or_default();
        let keys: Vec<PathKey> = self
            .memory_keys()?
            .into_iter()
            .filter(|key| Scope::of(key.as_ref()) == scope)
            .collect();
        let indexed = index
            .entries()
            .iter()
            .filter(|entry| same_name(entry.title(), &request.name))
            .filter_map(|entry| scope.file_key(entry.file()?).ok())
            .find(|key| keys.contains(key) && is_memory(key.as_ref()));
        if let Some(key) = indexed {
            return Ok(key);
        }
        // The plain name may be taken by a memory of another title, or by this one.
        let plain = scope.file_key(&file_name(request.memory_type, &request.name, &|_| false))?;
        if let Some(bytes) = transaction.read(&plain)?
            && same_name(&Header::parse(bytes).name, &request.name)
        {
            return Ok(plain);
        }
        let taken: Vec<String> = keys
            .iter()
            .map(|key| pathguard::fold_key(scope.in_index(key.as_ref())))
            .collect();
        let is_taken = |name: &str| taken.contains(&pathguard::fold_key(name));
        scope.file_key(&file_name(request.memory_type, &request.name, &is_taken))
    }

    pub(super) fn saved(
        &self,
        sequence: Option<u64>,
        prepared: Prepared,
        index: IndexLine,
        secrets: Vec<SecretFinding>,
    ) -> Result<Saved, Error> {
        let scope = Scope::of(prepared.key.as_ref());
        tracing::info!(
            path = prepared.key.as_str(),
            sequence,
            replaced = prepared.replaced,
            "memdir.saved"
        );
        Ok(Saved {
            hash: ContentHash::of(&prepared.bytes),
            path: prepared.key,
            sequence,
            replaced: prepared.replaced,
            index: match index {
                IndexLine::Skipped => IndexOutcome::Skipped,
                IndexLine::TooLarge => IndexOutcome::TooLarge {
                    warning: format!(
                        "`{}` is over {INDEX_MAX_BYTES} bytes and was left as it is; the memory is saved \
                         without a line in it. Move the index away and rebuild it",
                        scope.index_key().as_str(),
                    ),
                },
                IndexLine::Written(index) => self.index_outcome(scope, &index)?,
            },
            secrets,
        })
    }

    fn index_outcome(&self, scope: Scope, index: &Index) -> Result<IndexOutcome, Error> {
        let limits = &self.options.index_limits;
        let budget = index.budget(limits);
        Ok(match budget.state() {
            BudgetState::Fine => IndexOutcome::Fine(budget),
            BudgetState::Near => IndexOutcome::Near {
                warning: format!(
                    "`{}` is {} % full; merge memories or drop lines that no longer help",
                    scope.index_key().as_str(),
                    budget.percent()
                ),
                budget,
            },
            BudgetState::Over => IndexOutcome::Over(Box::new(IndexOverLimit {
                path: scope.index_key(),
                plan: self.compaction_plan(scope, index)?,
                budget,
            })),
        })
    }

    /// Which lines of an index to shorten or drop, judged by when their memories were changed.
    fn compaction_plan(&self, scope: Scope, index: &Index) -> Result<CompactionPlan, Error> {
        let list = self.list(&super::ListOptions::default().with_scope(scope))?;
        let modified: HashMap<String, Timestamp> = list
            .memories
            .iter()
            .map(|memory| {
                let file = scope.in_index(memory.path.as_ref());
                (pathguard::fold_key(file), memory.modified)
            })
            .collect();
        let usage =
            |file: &str| Usage::new(0, None, modified.get(&pathguard::fold_key(file)).copied());
        Ok(index.compaction_plan(&self.options.index_limits, &usage))
    }
}

pub(super) fn prepare_file(
    file: &SaveFile,
    transaction: &mut Transaction<'_>,
) -> Result<Prepared, Error> {
    let existing = transaction.read(&file.path)?;
    let hash = existing.map(ContentHash::of);
    check_expectation(&file.path, existing, hash, file.expect)?;
    Ok(Prepared {
        key: file.path.clone(),
        bytes: file.bytes.clone(),
        replaced: hash.is_some(),
    })
}

pub(super) fn check_memory_path(path: &PathKey) -> Result<(), Error> {
    if is_memory(path.as_ref()) {
        return Ok(());
    }
    let reason = if is_index(path.as_ref()) {
        "this is an index; it is written together with the memories"
    } else {
        "not the path of a memory: a visible Markdown file outside logs/"
    };
    Err(Error::refused(reason).with_path(path.as_str()))
}

fn check_expectation(
    key: &PathKey,
    existing: Option<&[u8]>,
    hash: Option<ContentHash>,
    expect: Expect,
) -> Result<(), Error> {
    let message = match (expect, hash) {
        (Expect::Anything, _) | (Expect::Absent, None) => return Ok(()),
        (Expect::Hash(expected), Some(hash)) if expected == hash => return Ok(()),
        (Expect::Absent, Some(_)) => "a memory of this name exists already",
        (Expect::Hash(_), Some(_)) => "has changed since it was read",
        (Expect::Hash(_), None) => "is gone since it was read",
    };
    Err(Error::stale(
        message,
        CurrentState {
            path: key.as_str().to_owned(),
            hash,
            bytes: existing.map_or(0, |bytes| bytes.len() as u64),
        },
    ))
}

fn check_request(request: &SaveRequest) -> Result<(), Error> {
    if request.name.trim().is_empty() {
        return Err(Error::refused("a memory needs a name"));
    }
    if request.name.len() > NAME_MAX_BYTES {
        return Err(Error::too_large(format!(
            "the name is longer than {NAME_MAX_BYTES} bytes"
        )));
    }
    if request.description.len() > DESCRIPTION_MAX_BYTES {
        return Err(Error::too_large(format!(
            "the description is longer than {DESCRIPTION_MAX_BYTES} bytes"
        )));
    }
    Ok(())
}

//! What a model asks for, and the plan that follows from it.

use std::collections::BTreeSet;

use memdir::limits::{DESCRIPTION_MAX_BYTES, NAME_MAX_BYTES};
use memdir::{Date, Memory, MemoryType, Timestamp, file_name};
use pathguard::{PathKey, fold_key};

use super::limits::{Limits, MAX_OPERATIONS};
use super::plan::{Draft, Plan, Step, StepKind, StepSource};
use super::refusal::{Refusal, RefusalKind};
use super::snapshot::{Snapshot, is_memory};
use super::{dates, index, shown};

/// Most source files that a topic file names in its front matter.
const MAX_NAMED_SOURCES: usize = 8;

/// One thing that a model asks for.
///
/// Nothing in it is trusted: paths are checked, quotes are looked up, and what it leads to is a [`Plan`]
/// that has to be approved. [`Operation::merge`] and the others make one by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// Merge, rewrite, delete or topic; the other kinds follow by themselves.
    pub kind: StepKind,
    /// The memory that stays, changes or leaves; empty for a topic, whose file is named after its title.
    pub path: String,
    /// The memories that go into it and leave.
    pub from: Vec<String>,
    /// The type of a topic.
    pub memory_type: Option<MemoryType>,
    /// The title of a topic; of another memory, empty leaves it as it is.
    pub name: String,
    /// The description of a topic; of another memory, empty leaves it as it is.
    pub description: String,
    /// The whole new text below the front matter.
    pub body: String,
    /// What it rests on.
    pub sources: Vec<StepSource>,
    /// Why, in one sentence for a person.
    pub reason: String,
}

impl Operation {
    fn new(kind: StepKind, path: &str, body: &str) -> Self {
        Self {
            kind,
            path: path.to_owned(),
            from: Vec::new(),
            memory_type: None,
            name: String::new(),
            description: String::new(),
            body: body.to_owned(),
            sources: Vec::new(),
            reason: String::new(),
        }
    }

    /// Several memories become the one at `path`, with this text.
    pub fn merge(path: &str, from: &[&str], body: &str) -> Self {
        let mut operation = Self::new(StepKind::Merge, path, body);
        operation.from = from.iter().map(|path| (*path).to_owned()).collect();
        operation
    }

    /// A memory gets this text.
    pub fn rewrite(path: &str, body: &str) -> Self {
        Self::new(StepKind::Rewrite, path, body)
    }

    /// A memory leaves.
    pub fn delete(path: &str) -> Self {
        Self::new(StepKind::Delete, path, "")
    }

    /// A memory is made.
    pub fn topic(memory_type: MemoryType, name: &str, description: &str, body: &str) -> Self {
        let mut operation = Self::new(StepKind::Topic, "", body);
        operation.memory_type = Some(memory_type);
        name.clone_into(&mut operation.name);
        description.clone_into(&mut operation.description);
        operation
    }

    /// Names a source.
    #[must_use]
    pub fn with_source(mut self, source: StepSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Says why.
    #[must_use]
    pub fn with_reason(mut self, reason: &str) -> Self {
        reason.clone_into(&mut self.reason);
        self
    }
}

impl Plan {
    /// The plan that follows from what a model asks for. An operation that cannot be done becomes a reason
    /// against the whole plan: a model that gets one thing wrong is not trusted with the rest.
    ///
    /// Relative dates in what it wrote are written out, counted from the day of its newest source, and the
    /// index follows. Time stamps follow the sources, too: a memory does not become newer by being tidied.
    ///
    /// ```
    /// use memdir::{MemoryType, Timestamp};
    /// use memdir_extract::dream::{Limits, Operation, Plan, Snapshot, StepSource};
    ///
    /// let noon: Timestamp = "2026-03-05T12:00:00Z".parse()?;
    /// let log = "logs/2026/03/2026-03-05.md";
    /// let snapshot = Snapshot::new(noon.date(0))
    ///     .with_file(log, b"- 11:02 Ann decided that releases go out on Tuesdays only\n", noon);
    /// let topic = Operation::topic(MemoryType::Project, "Release day", "Tuesdays only", "Releases go out on Tuesdays.")
    ///     .with_source(StepSource::quoted(log, "releases go out on Tuesdays only"));
    /// let plan = Plan::from_operations(&snapshot, &[topic], &Limits::default());
    /// assert_eq!(plan.steps[0].path.as_str(), "project_release_day.md");
    /// assert!(plan.approve(&snapshot, &Limits::default()).is_ok());
    /// # Ok::<(), memdir::InvalidTime>(())
    /// ```
    pub fn from_operations(snapshot: &Snapshot, operations: &[Operation], limits: &Limits) -> Self {
        plan_of(snapshot, operations, None, limits)
    }
}

/// As [`Plan::from_operations`]; with `seen`, only these memories may be changed.
pub(super) fn plan_of(
    snapshot: &Snapshot,
    operations: &[Operation],
    seen: Option<&BTreeSet<PathKey>>,
    limits: &Limits,
) -> Plan {
    let mut draft = Draft::new(snapshot);
    if operations.len() > MAX_OPERATIONS {
        draft.faults.push(Refusal::new(
            RefusalKind::OverBudget,
            format!(
                "{} operations, at most {MAX_OPERATIONS} are allowed",
                operations.len()
            ),
        ));
    }
    let mut named = BTreeSet::new();
    for operation in operations.iter().take(MAX_OPERATIONS) {
        if let Err(fault) = carry_out(&mut draft, operation, seen, &mut named) {
            draft.faults.push(fault);
        }
    }
    index::bring_up_to_date(&mut draft, &limits.index);
    draft.into_plan()
}

fn carry_out(
    draft: &mut Draft<'_>,
    operation: &Operation,
    seen: Option<&BTreeSet<PathKey>>,
    named: &mut BTreeSet<String>,
) -> Result<(), Refusal> {
    let malformed = |message: &str| {
        let about = if operation.path.is_empty() {
            shown(&operation.name)
        } else {
            shown(&operation.path)
        };
        Refusal::new(
            RefusalKind::Malformed,
            format!("{message}: {} {about}", operation.kind),
        )
    };
    let from: Vec<PathKey> = operation
        .from
        .iter()
        .map(|path| memory_at(draft, path, seen))
        .collect::<Result<_, _>>()?;
    let writes = operation.kind != StepKind::Delete;
    if writes && operation.body.trim().is_empty() {
        return Err(malformed("the operation has no body"));
    }
    if operation.description.len() > DESCRIPTION_MAX_BYTES || operation.name.len() > NAME_MAX_BYTES
    {
        return Err(malformed("its name or description is too long"));
    }
    let path = match operation.kind {
        StepKind::Topic => free_path(draft, operation).ok_or_else(|| {
            malformed("a topic needs a type, a name and a description, and names no path")
        })?,
        StepKind::Merge if from.is_empty() => {
            return Err(malformed("a merge needs memories that go into another"));
        }
        StepKind::Rewrite | StepKind::Delete if !from.is_empty() => {
            return Err(malformed("only a merge or a topic takes memories in"));
        }
        StepKind::Merge | StepKind::Rewrite | StepKind::Delete => {
            memory_at(draft, &operation.path, seen)?
        }
        _ => return Err(malformed("a model may not ask for this")),
    };
    for path in from.iter().chain([&path]) {
        if !named.insert(fold_key(path.as_str())) {
            return Err(malformed("a file is named twice"));
        }
    }
    if writes {
        let memory = written(draft, operation, &path, &from);
        draft.write(&path, memory.print());
        // Counted from the time stamp that was just set: the day of the newest source.
        dates::fix(draft, &path);
    } else {
        draft.remove(&path);
    }
    for path in &from {
        draft.remove(path);
    }
    draft.steps.push(Step {
        kind: operation.kind,
        path,
        from,
        sources: operation.sources.clone(),
        reason: one_line(&operation.reason),
    });
    Ok(())
}

/// The memory that a model means by a path.
fn memory_at(
    draft: &Draft<'_>,
    path: &str,
    seen: Option<&BTreeSet<PathKey>>,
) -> Result<PathKey, Refusal> {
    let refuse =
        |message: &str| Refusal::new(RefusalKind::Outside, format!("{message}: {}", shown(path)));
    let key = PathKey::parse(path)
        .map_err(|error| refuse(&format!("this is no path of a memory ({error})")))?;
    if !is_memory(key.as_ref()) {
        return Err(refuse("only private memories may be touched"));
    }
    if !draft.snapshot.memories.contains_key(&key) {
        return Err(refuse("there is no such memory"));
    }
    if seen.is_some_and(|seen| !seen.contains(&key)) {
        return Err(refuse("the model was not shown all of it"));
    }
    Ok(key)
}

/// The file of a new topic, or `None` when something is missing for it.
fn free_path(draft: &Draft<'_>, operation: &Operation) -> Option<PathKey> {
    let memory_type = operation.memory_type?;
    let name = one_line(&operation.name);
    if name.is_empty() || operation.description.trim().is_empty() || !operation.path.is_empty() {
        return None;
    }
    // What leaves in this plan is still there for whoever takes it back.
    let mut taken: BTreeSet<String> = draft
        .snapshot
        .memories
        .keys()
        .map(|path| fold_key(path.as_str()))
        .collect();
    taken.extend(draft.memories().iter().map(|path| fold_key(path.as_str())));
    let file = file_name(memory_type, &name, &|name| taken.contains(&fold_key(name)));
    PathKey::parse(&file).ok()
}

/// The memory as it will be.
fn written(draft: &Draft<'_>, operation: &Operation, path: &PathKey, from: &[PathKey]) -> Memory {
    let (name, description) = (one_line(&operation.name), one_line(&operation.description));
    let mut memory = match draft.read(path) {
        Some(bytes) => {
            let mut memory = Memory::parse(bytes);
            if !name.is_empty() && memory.name() != name {
                memory.set_name(&name);
            }
            if !description.is_empty() && memory.description() != description {
                memory.set_description(&description);
            }
            if memory.body().trim_end() != operation.body.trim_end() {
                memory.set_body(&operation.body);
            }
            memory
        }
        None => Memory::new(
            operation.memory_type.unwrap_or(MemoryType::Project),
            &name,
            &description,
            &operation.body,
        ),
    };
    if operation.kind == StepKind::Topic {
        let mut places: Vec<&str> = operation
            .sources
            .iter()
            .map(|source| source.place.as_str())
            .filter(|place| PathKey::parse(place).is_ok())
            .collect();
        places.dedup();
        places.truncate(MAX_NAMED_SOURCES);
        memory.set_value("origin", "dream");
        if !places.is_empty() {
            memory.set_value("sources", &places.join(", "));
        }
    }
    let sources = operation.sources.iter().map(|source| source.place.as_str());
    let places = sources.chain(from.iter().chain([path]).map(PathKey::as_str));
    if let Some(newest) = places
        .filter_map(|place| time_of(draft.snapshot, place))
        .max()
        && memory.modified().is_none_or(|modified| modified < newest)
    {
        memory.set_modified(newest.to_whole_second());
    }
    memory
}

/// When the source at a place was true: a memory when it was last changed, a log on its day.
fn time_of(snapshot: &Snapshot, place: &str) -> Option<Timestamp> {
    let path = PathKey::parse(place).ok()?;
    if snapshot.logs.contains_key(&path) {
        return log_day(&path).map(Date::midnight_utc);
    }
    Some(snapshot.memories.get(&path)?.modified)
}

/// The day that a log is named after. The file may have been touched since, so its time says nothing.
pub(super) fn log_day(path: &PathKey) -> Option<Date> {
    path.as_ref().file_name().strip_suffix(".md")?.parse().ok()
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

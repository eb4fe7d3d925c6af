//! The index of the copy: true to its files, and within its limits.

use std::collections::HashSet;

use memdir::{BudgetState, Index, IndexItem, IndexLimits, Memory, StepAction, Timestamp, Usage};
use pathguard::{PathKey, fold_key};

use super::plan::{Draft, Step, StepKind, StepSource};
use super::snapshot::{index_key, is_conflict_copy, is_protected};

/// One memory as the index sees it.
struct Listed {
    path: PathKey,
    item: IndexItem,
    modified: Timestamp,
    is_protected: bool,
}

/// What was done to the lines, for the reason of the step.
#[derive(Default)]
struct Tally {
    removed: usize,
    added: usize,
    updated: usize,
    pruned: usize,
}

/// Makes the index true to the files of the copy.
///
/// Lines of memories that left are removed, or moved to the memory that took them in; lines of files that
/// are gone and second lines are removed; what has no line gets one. An index over its limits loses the
/// lines that its own compaction plan names, never those of protected memories. Everything else stays.
pub(super) fn bring_up_to_date(draft: &mut Draft<'_>, limits: &IndexLimits) {
    let mut index = draft.index();
    let old = index.clone();
    let mut tally = Tally::default();
    follow_merges(draft, &mut index, &mut tally);
    follow_texts(draft, &mut index, &mut tally);
    let listed = listed(draft);
    remove_dead(draft, &listed, &mut index, &mut tally);
    let was_over = index.budget(limits).state() == BudgetState::Over;
    add_missing(draft, &listed, was_over, limits, &mut index, &mut tally);
    prune(&listed, limits, &mut index, &mut tally);
    if index.as_bytes() == old.as_bytes() {
        return;
    }
    draft.write(&index_key(), index.print());
    draft.steps.push(Step {
        kind: StepKind::Index,
        path: index_key(),
        from: Vec::new(),
        sources: vec![StepSource::whole(index_key().as_str())],
        reason: tally.reason(),
    });
}

/// Lines of memories that were taken in by others, and of those that left.
fn follow_merges(draft: &Draft<'_>, index: &mut Index, tally: &mut Tally) {
    for step in &draft.steps {
        let leaving: Vec<&PathKey> = match step.kind {
            StepKind::Delete => vec![&step.path],
            _ => step.from.iter().collect(),
        };
        for path in leaving {
            let has_heir = step.kind != StepKind::Delete;
            // What a person wrote about the one is still true of the other.
            if has_heir
                && index.find(step.path.as_str()).is_none()
                && index.rename(path.as_str(), step.path.as_str())
            {
                tally.updated += 1;
            } else if index.remove(path.as_str()) {
                tally.removed += 1;
            }
        }
    }
}

/// Titles and descriptions that changed. A hand-written hook stays unless what it tells has changed.
fn follow_texts(draft: &Draft<'_>, index: &mut Index, tally: &mut Tally) {
    for path in draft.memories() {
        let (Some(file), Some(bytes)) = (draft.snapshot.memories.get(&path), draft.read(&path))
        else {
            continue;
        };
        if file.bytes == bytes {
            continue;
        }
        let (old, new) = (Memory::parse(&file.bytes), Memory::parse(bytes));
        let changed = |old: &str, new: &str| {
            if old == new {
                String::new()
            } else {
                new.to_owned()
            }
        };
        let title = changed(old.name(), new.name());
        let hook = changed(old.description(), new.description());
        if (!title.is_empty() || !hook.is_empty()) && index.update(path.as_str(), &title, &hook) {
            tally.updated += 1;
        }
    }
}

fn listed(draft: &Draft<'_>) -> Vec<Listed> {
    let mut listed = Vec::new();
    for path in draft.memories() {
        let Some(bytes) = draft.read(&path).filter(|_| !is_conflict_copy(&path)) else {
            continue;
        };
        let memory = Memory::parse(bytes);
        let item = IndexItem::new(
            path.as_str(),
            memory.name(),
            memory.description(),
            memory.memory_type(),
        );
        let modified = memory.modified();
        let file = draft.snapshot.memories.get(&path);
        listed.push(Listed {
            modified: modified
                .or(file.map(|file| file.modified))
                .unwrap_or_else(|| draft.snapshot.today.midnight_utc()),
            is_protected: is_protected(bytes),
            path,
            item,
        });
    }
    listed
}

fn remove_dead(draft: &Draft<'_>, listed: &[Listed], index: &mut Index, tally: &mut Tally) {
    if !draft.snapshot.left_out().is_empty() {
        // A file that could not be looked at is not gone.
        return;
    }
    let before = index.entries().len();
    // Only what has a line already: a rebuild that is given no more adds none.
    let items: Vec<IndexItem> = listed
        .iter()
        .filter(|one| index.find(one.path.as_str()).is_some())
        .map(|one| one.item.clone())
        .collect();
    index.rebuild(&items);
    tally.removed += before.saturating_sub(index.entries().len());
}

/// Adds the missing lines when there is room for all of them; else only those of memories that are newer
/// than everything that has a line. So a line that was pruned does not come back with the next distillation,
/// and what is newest is never missing.
fn add_missing(
    draft: &mut Draft<'_>,
    listed: &[Listed],
    was_over: bool,
    limits: &IndexLimits,
    index: &mut Index,
    tally: &mut Tally,
) {
    let (known, mut missing): (Vec<&Listed>, Vec<&Listed>) = listed
        .iter()
        .partition(|one| index.find(one.path.as_str()).is_some());
    let mut full = index.clone();
    let items = |chosen: &[&Listed]| -> Vec<IndexItem> {
        let all = known.iter().chain(chosen);
        all.map(|one| one.item.clone()).collect()
    };
    add(&mut full, &items(&missing));
    if full.budget(limits).state() != BudgetState::Over {
        tally.added += missing.len();
        *index = full;
        return;
    }
    let newest = known.iter().map(|one| one.modified).max();
    let all = missing.len();
    missing.retain(|one| one.is_protected || newest.is_none_or(|newest| one.modified > newest));
    missing.sort_by_key(|one| std::cmp::Reverse(one.modified));
    let mut chosen: Vec<&Listed> = Vec::new();
    let mut fullest = index.clone();
    for one in missing {
        chosen.push(one);
        let mut next = index.clone();
        add(&mut next, &items(&chosen));
        if next.budget(limits).state() == BudgetState::Over && !was_over {
            chosen.pop();
            break;
        }
        fullest = next;
    }
    *index = fullest;
    tally.added += chosen.len();
    if all > chosen.len() {
        draft.note(format!(
            "{} memories have no line in the index, which has no room for them; they are found by search",
            all - chosen.len()
        ));
    }
}

/// A rebuild adds lines below those of their type and touches nothing else, given all that has a line.
fn add(index: &mut Index, items: &[IndexItem]) {
    let names: HashSet<String> = index
        .entries()
        .iter()
        .filter_map(|entry| Some(fold_key(entry.file()?)))
        .collect();
    for item in items {
        if !names.contains(&fold_key(&item.file)) {
            let stem = item.file.strip_suffix(".md").unwrap_or(&item.file);
            let title = if item.title.trim().is_empty() {
                stem
            } else {
                &item.title
            };
            index.add(&item.file, title, &item.hook);
        }
    }
}

fn prune(listed: &[Listed], limits: &IndexLimits, index: &mut Index, tally: &mut Tally) {
    if index.budget(limits).state() != BudgetState::Over {
        return;
    }
    let usage = |file: &str| {
        let wanted = fold_key(file);
        let found = listed
            .iter()
            .find(|one| fold_key(one.path.as_str()) == wanted);
        match found {
            // Nothing is known about use here; a protected memory counts as used most.
            Some(one) if one.is_protected => Usage::new(u32::MAX, None, Some(one.modified)),
            Some(one) => Usage::new(0, None, Some(one.modified)),
            None => Usage::default(),
        }
    };
    let mut plan = index.compaction_plan(limits, &usage);
    let is_protected = |file: &str| usage(file).uses == u32::MAX;
    plan.steps
        .retain(|step| !(step.action == StepAction::Drop && is_protected(&step.file)));
    tally.pruned += plan.steps.len();
    *index = index.compacted(&plan);
}

impl Tally {
    fn reason(&self) -> String {
        let counts = [
            (self.removed, "removed"),
            (self.added, "added"),
            (self.updated, "changed"),
            (
                self.pruned,
                "dropped or shortened to keep within the limits",
            ),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        format!("lines: {}", parts.join(", "))
    }
}

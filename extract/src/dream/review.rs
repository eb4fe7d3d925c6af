//! Holds a plan against the limits.

use std::collections::{BTreeMap, BTreeSet};

use memdir::limits::{INDEX_MAX_BYTES, MEMORY_MAX_BYTES};
use memdir::{Budget, BudgetState, Index, Memory};
use pathguard::PathKey;
use secret_scan::{Level, Scanner};

use super::dates;
use super::limits::{Limits, MIN_QUOTE_BYTES};
use super::operation::log_day;
use super::plan::{FileChange, Plan, Step, StepKind, StepSource, before};
use super::refusal::{Refusal, RefusalKind};
use super::snapshot::{Snapshot, index_key, is_memory, is_protected};
use super::words::WordPairs;
use crate::text::even;

/// An entry counts as dropped when less than this of its pairs of words is left, in per mille.
const KEPT_PER_MILLE: u64 = 500;

/// What a plan would come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// Memories before.
    pub entries: u64,
    /// Memories whose content would be gone: less than half of it is left, whether they leave or are
    /// rewritten.
    pub entries_dropped: u64,
    /// Bytes of descriptions and bodies before.
    pub bytes: u64,
    /// How many of these would be gone.
    pub bytes_dropped: u64,
    /// Files that would change.
    pub changes: usize,
    /// Bytes that would be written.
    pub bytes_written: u64,
    /// How full the index would be.
    pub index: Option<Budget>,
}

/// Says what a plan would come to, and every reason against it.
pub(super) fn review(plan: &Plan, snapshot: &Snapshot, limits: &Limits) -> (Figures, Vec<Refusal>) {
    let mut refusals = plan.faults.clone();
    let changes: BTreeMap<&PathKey, &FileChange> = plan
        .changes
        .iter()
        .map(|change| (&change.path, change))
        .collect();
    let mut figures = losses(plan, snapshot, &changes);
    figures.changes = plan.changes.len();
    figures.bytes_written = plan
        .changes
        .iter()
        .filter_map(|change| change.after.as_ref())
        .map(|bytes| bytes.len() as u64)
        .sum();
    check_losses(&figures, limits, &mut refusals);
    check_budget(&figures, limits, &mut refusals);
    for change in &plan.changes {
        check_change(change, snapshot, &mut refusals);
    }
    check_steps(plan, snapshot, &changes, &mut refusals);
    let after = changes
        .get(&index_key())
        .map(|change| change.after.as_deref());
    let index = after.unwrap_or_else(|| before(snapshot, &index_key()));
    let budget = Index::parse(index.unwrap_or_default()).budget(&limits.index);
    figures.index = Some(budget);
    if budget.state() == BudgetState::Over && !plan.changes.is_empty() {
        let message = format!(
            "the index would have {} lines and {} bytes, at most {} and {} are allowed",
            budget.lines, budget.bytes, budget.limits.max_lines, budget.limits.max_bytes
        );
        let refusal = Refusal::new(RefusalKind::IndexOverLimit, message);
        refusals.push(refusal.about(index_key().as_str()));
    }
    (figures, refusals)
}

/// Counts what would be gone. The content of a memory counts as kept as far as its pairs of words are in
/// the file it has now, or in the files that the steps say took it in.
fn losses(plan: &Plan, snapshot: &Snapshot, changes: &BTreeMap<&PathKey, &FileChange>) -> Figures {
    let mut heirs: BTreeMap<&PathKey, Vec<&PathKey>> = BTreeMap::new();
    for step in &plan.steps {
        for from in &step.from {
            heirs.entry(from).or_default().push(&step.path);
        }
    }
    let mut figures = Figures::default();
    for (path, file) in &snapshot.memories {
        let memory = Memory::parse(&file.bytes);
        let bytes = (memory.description().len() + memory.body().len()) as u64;
        figures.entries += 1;
        figures.bytes += bytes;
        if !changes.contains_key(path) {
            continue;
        }
        let mut now = WordPairs::default();
        let mut exists = false;
        for heir in reachable(path, &heirs) {
            let after = match changes.get(heir) {
                Some(change) => change.after.as_deref(),
                None => before(snapshot, heir),
            };
            if let Some(after) = after {
                exists = true;
                now.add_memory(&Memory::parse(after));
            }
        }
        // A date that was written out is no loss; whether it was is worked out here once more.
        let (dated, _) = dates::dated(&file.bytes, dates::file_day(snapshot, path));
        let kept = if exists {
            let kept = WordPairs::of(&memory).kept_in(&now);
            kept.max(WordPairs::of(&dated).kept_in(&now))
        } else {
            0
        };
        figures.entries_dropped += u64::from(kept < KEPT_PER_MILLE);
        figures.bytes_dropped += bytes * (1_000 - kept) / 1_000;
    }
    figures
}

/// A memory and everything that took it in, also in several steps.
fn reachable<'a>(
    path: &'a PathKey,
    heirs: &BTreeMap<&'a PathKey, Vec<&'a PathKey>>,
) -> BTreeSet<&'a PathKey> {
    let mut found = BTreeSet::from([path]);
    let mut pending = vec![path];
    while let Some(at) = pending.pop() {
        for heir in heirs.get(at).into_iter().flatten() {
            if found.insert(heir) {
                pending.push(heir);
            }
        }
    }
    found
}

fn check_losses(figures: &Figures, limits: &Limits, refusals: &mut Vec<Refusal>) {
    let kinds = [
        (
            RefusalKind::LosesEntries,
            figures.entries_dropped,
            figures.entries,
            "memories",
        ),
        (
            RefusalKind::LosesBytes,
            figures.bytes_dropped,
            figures.bytes,
            "bytes",
        ),
    ];
    for (kind, dropped, all, what) in kinds {
        if dropped * 100 > all * limits.max_loss_percent {
            let message = format!(
                "{dropped} of {all} {what} would be gone ({} %), at most {} % are allowed",
                dropped * 100 / all.max(1),
                limits.max_loss_percent
            );
            refusals.push(Refusal::new(kind, message));
        }
    }
}

fn check_budget(figures: &Figures, limits: &Limits, refusals: &mut Vec<Refusal>) {
    if figures.changes > limits.max_changes {
        let message = format!(
            "{} files would change, at most {} are allowed",
            figures.changes, limits.max_changes
        );
        refusals.push(Refusal::new(RefusalKind::OverBudget, message));
    }
    if figures.bytes_written > limits.max_written_bytes {
        let message = format!(
            "{} bytes would be written, at most {} are allowed",
            figures.bytes_written, limits.max_written_bytes
        );
        refusals.push(Refusal::new(RefusalKind::OverBudget, message));
    }
}

fn check_change(change: &FileChange, snapshot: &Snapshot, refusals: &mut Vec<Refusal>) {
    let path = change.path.as_str();
    let mut refuse = |kind, message: String| refusals.push(Refusal::new(kind, message).about(path));
    let is_index = change.path == index_key();
    if !is_index && !is_memory(change.path.as_ref()) {
        refuse(
            RefusalKind::Outside,
            "only private memories and their index may be touched".to_owned(),
        );
    } else if !is_index && change.before.is_some() && !snapshot.is_editable(&change.path) {
        if change.before.as_deref().is_some_and(is_protected) {
            refuse(
                RefusalKind::Protected,
                format!("it is protected, and the plan would {} it", change.action()),
            );
        } else {
            refuse(
                RefusalKind::Outside,
                format!(
                    "it may not be edited, and the plan would {} it",
                    change.action()
                ),
            );
        }
    }
    let Some(after) = &change.after else { return };
    let most = if is_index {
        INDEX_MAX_BYTES
    } else {
        MEMORY_MAX_BYTES
    };
    if after.len() as u64 > most {
        refuse(
            RefusalKind::OverBudget,
            format!(
                "it would have {} bytes, at most {most} are allowed",
                after.len()
            ),
        );
    }
    // Whoever distils works unseen, so a credential blocks whatever the settings say of private memories.
    let secrets = Scanner::standard().scan(after);
    let secret = secrets
        .iter()
        .find(|finding| finding.level() == Level::Secret);
    if let Some(finding) = secret {
        refuse(
            RefusalKind::Secret,
            format!(
                "line {} would hold a credential ({})",
                finding.line(),
                finding.rule()
            ),
        );
    }
}

fn check_steps(
    plan: &Plan,
    snapshot: &Snapshot,
    changes: &BTreeMap<&PathKey, &FileChange>,
    refusals: &mut Vec<Refusal>,
) {
    let mut explained = BTreeSet::new();
    for step in &plan.steps {
        explained.insert(&step.path);
        explained.extend(&step.from);
        for path in &step.from {
            let leaves = changes
                .get(path)
                .is_some_and(|change| change.after.is_none());
            if !leaves {
                let message = format!("the plan says that it goes into {}", step.path.as_str());
                let refusal = Refusal::new(RefusalKind::Unexplained, message);
                refusals.push(refusal.about(path.as_str()));
            }
        }
        if step.sources.is_empty() {
            let message = format!("the step `{}` names no source", step.kind);
            let refusal = Refusal::new(RefusalKind::NoSource, message);
            refusals.push(refusal.about(step.path.as_str()));
        }
        for source in &step.sources {
            check_source(source, step, snapshot, refusals);
        }
        if step.kind == StepKind::Delete {
            check_delete(step, snapshot, changes, refusals);
        }
    }
    for path in changes.keys() {
        if !explained.contains(path) {
            let refusal = Refusal::new(RefusalKind::Unexplained, "no step explains this change");
            refusals.push(refusal.about(path.as_str()));
        }
    }
}

/// A source must exist, and the words that are quoted from it must stand there.
fn check_source(
    source: &StepSource,
    step: &Step,
    snapshot: &Snapshot,
    refusals: &mut Vec<Refusal>,
) {
    let mut refuse = |message: String| {
        let refusal = Refusal::new(RefusalKind::NoSource, message);
        refusals.push(refusal.about(step.path.as_str()));
    };
    let place = super::shown(&source.place);
    let Some(text) = source_text(&source.place, snapshot) else {
        refuse(format!("the source {place} does not exist"));
        return;
    };
    let Some(quote) = &source.quote else { return };
    let (quote, text) = (even(quote), even(&text));
    if quote.len() < MIN_QUOTE_BYTES && quote != text {
        refuse(format!(
            "the quote from {place} has {} bytes, at least {MIN_QUOTE_BYTES} are needed",
            quote.len()
        ));
    } else if !text.contains(&quote) {
        refuse(format!("the words quoted from {place} do not stand there"));
    }
}

fn source_text(place: &str, snapshot: &Snapshot) -> Option<String> {
    if let Some(number) = place.strip_prefix("fact-") {
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        let fact = snapshot.facts.get(at)?;
        return Some(format!("{} {} {}", fact.path, fact.claim, fact.detail));
    }
    let path = PathKey::parse(place).ok()?;
    if path == index_key() {
        // A folder without an index has an empty one: what is made then rests on the files.
        let index = before(snapshot, &path).unwrap_or_default();
        return Some(String::from_utf8_lossy(index).into_owned());
    }
    let file = snapshot.memories.get(&path);
    let file = file.or_else(|| snapshot.logs.get(&path))?;
    Some(String::from_utf8_lossy(&file.bytes).into_owned())
}

/// A memory leaves only for what speaks against it: a fact about it, a log, or another memory that stays and
/// is not older.
fn check_delete(
    step: &Step,
    snapshot: &Snapshot,
    changes: &BTreeMap<&PathKey, &FileChange>,
    refusals: &mut Vec<Refusal>,
) {
    let Some(file) = snapshot.memories.get(&step.path) else {
        return;
    };
    let speaks_against = |source: &StepSource| {
        if let Some(number) = source.place.strip_prefix("fact-") {
            let at = number
                .parse::<usize>()
                .ok()
                .and_then(|at| at.checked_sub(1));
            let fact = at.and_then(|at| snapshot.facts.get(at));
            return fact.is_some_and(|fact| fact.path == step.path.as_str());
        }
        let Ok(place) = PathKey::parse(&source.place) else {
            return false;
        };
        if snapshot.logs.contains_key(&place) {
            let day = log_day(&place);
            let deleted = file.modified.date(snapshot.offset_seconds);
            return day.is_some_and(|day| deleted.days_until(day) >= 0);
        }
        let stays = changes
            .get(&place)
            .is_none_or(|change| change.after.is_some());
        let is_newer = snapshot
            .memories
            .get(&place)
            .is_some_and(|other| other.modified >= file.modified);
        place != step.path && stays && is_newer
    };
    if !step.sources.iter().any(speaks_against) {
        let message = "nothing newer, and nothing from the repository, speaks against it";
        let refusal = Refusal::new(RefusalKind::NoSource, message);
        refusals.push(refusal.about(step.path.as_str()));
    }
}

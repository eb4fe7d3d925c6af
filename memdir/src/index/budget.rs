//! How full an index is, and what to shorten or drop when it is too full.

use std::collections::{HashMap, HashSet};

use super::edit::{Change, Changes};
use super::entry::{Entry, EntryForm};
use super::{Index, IndexLimits};
use crate::limits::{INDEX_ENTRY_MAX_CHARACTERS, INDEX_NEAR_PERCENT};
use crate::text::shorten;
use crate::timestamp::Timestamp;

/// How full an index is, measured as [`Index::load`] measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Lines that are loaded.
    pub lines: usize,
    /// Bytes that are loaded.
    pub bytes: usize,
    /// What they are measured against.
    pub limits: IndexLimits,
}

/// Where an index stands against its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BudgetState {
    /// Below [`INDEX_NEAR_PERCENT`] of both limits.
    Fine,
    /// From [`INDEX_NEAR_PERCENT`] of a limit on.
    Near,
    /// Over a limit: what is over is not loaded.
    Over,
}

impl Budget {
    /// Where the index stands.
    pub fn state(&self) -> BudgetState {
        let near = |value: usize, max: usize| {
            value.saturating_mul(100) >= max.saturating_mul(INDEX_NEAR_PERCENT)
        };
        if self.lines > self.limits.max_lines || self.bytes > self.limits.max_bytes {
            BudgetState::Over
        } else if near(self.lines, self.limits.max_lines) || near(self.bytes, self.limits.max_bytes)
        {
            BudgetState::Near
        } else {
            BudgetState::Fine
        }
    }

    /// The fuller of both, in per cent of its limit, rounded down.
    pub fn percent(&self) -> usize {
        let lines = self.lines.saturating_mul(100) / self.limits.max_lines.max(1);
        let bytes = self.bytes.saturating_mul(100) / self.limits.max_bytes.max(1);
        lines.max(bytes)
    }
}

/// How useful a memory has been, as far as the caller knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// How often it was recalled or read.
    pub uses: u32,
    /// When that was last.
    pub last_used: Option<Timestamp>,
    /// When the memory was last changed.
    pub modified: Option<Timestamp>,
}

impl Usage {
    /// All three facts.
    pub fn new(uses: u32, last_used: Option<Timestamp>, modified: Option<Timestamp>) -> Self {
        Self {
            uses,
            last_used,
            modified,
        }
    }

    /// The later of both times.
    fn recency(&self) -> Option<Timestamp> {
        self.last_used.max(self.modified)
    }
}

/// Steps that bring an index below [`INDEX_NEAR_PERCENT`] of its limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionPlan {
    /// What to do, the least harmful first.
    pub steps: Vec<CompactionStep>,
    /// Lines that are loaded afterwards.
    pub lines: usize,
    /// Bytes that are loaded afterwards.
    pub bytes: usize,
    /// Whether that is enough. When not, the rest is text that only a person can judge.
    pub is_enough: bool,
}

/// One step of a [`CompactionPlan`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionStep {
    /// The line of the index, counted from 1, before any step is done.
    pub line: usize,
    /// The file it points to.
    pub file: String,
    /// What to do with the line.
    pub action: StepAction,
}

/// What a [`CompactionStep`] does. The memory file itself is never touched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepAction {
    /// Drop a line whose file an earlier line already points to.
    DropDuplicate,
    /// Put this text in its place: the line with a shorter hook.
    Shorten(String),
    /// Drop the line of a memory of little use. The file stays and can still be found by search.
    Drop,
}

impl Index {
    /// How full the index is.
    pub fn budget(&self, limits: &IndexLimits) -> Budget {
        let text = self.visible();
        Budget {
            lines: text.lines().count(),
            bytes: text.len(),
            limits: *limits,
        }
    }

    /// Says which lines to shorten or drop so that the index falls below [`INDEX_NEAR_PERCENT`] of its
    /// limits; no step at all when it is below already.
    ///
    /// Duplicates go first, then hooks of over-long lines are shortened, then lines are dropped;
    /// each time the memories come first that were used least, and among these the ones that were
    /// used or changed longest ago. The newest memories are never named: one in ten, at least
    /// one, counted by `modified`, and without any time the lines at the end, where new lines are
    /// added. `usage` is asked once per file.
    pub fn compaction_plan(
        &self,
        limits: &IndexLimits,
        usage: &dyn Fn(&str) -> Usage,
    ) -> CompactionPlan {
        let budget = self.budget(limits);
        let mut plan = CompactionPlan {
            steps: Vec::new(),
            lines: budget.lines,
            bytes: budget.bytes,
            is_enough: budget.state() == BudgetState::Fine,
        };
        if plan.is_enough {
            return plan;
        }
        let (duplicates, ranked) = self.ranked(usage);
        for entry in duplicates {
            self.plan_step(&mut plan, limits, entry, StepAction::DropDuplicate);
        }
        // By line, how many bytes its shortening saves.
        let mut shortened = HashMap::new();
        for entry in &ranked {
            if let Some(text) = self.shortened(entry) {
                let before = (plan.steps.len(), plan.bytes);
                self.plan_step(&mut plan, limits, entry, StepAction::Shorten(text));
                if plan.steps.len() > before.0 {
                    shortened.insert(entry.line, before.1 - plan.bytes);
                }
            }
        }
        let mut dropped = HashSet::new();
        for entry in &ranked {
            if plan.is_enough {
                break;
            }
            plan.bytes += shortened.get(&entry.line).unwrap_or(&0);
            dropped.insert(entry.line);
            self.plan_step(&mut plan, limits, entry, StepAction::Drop);
        }
        // A line that goes need not be shortened before.
        plan.steps.retain(|step| {
            !(matches!(step.action, StepAction::Shorten(_)) && dropped.contains(&step.line))
        });
        plan
    }

    /// The index after a plan made from it. Steps that do not fit the index any more are left out.
    #[must_use]
    pub fn compacted(&self, plan: &CompactionPlan) -> Self {
        let known: HashSet<(usize, &str)> = self
            .entries
            .iter()
            .filter_map(|entry| Some((entry.line, entry.file()?)))
            .collect();
        let mut changes = Changes::new();
        for step in &plan.steps {
            if known.contains(&(step.line, step.file.as_str())) {
                let change = match &step.action {
                    StepAction::Shorten(text) => Change::Replace(text.clone()),
                    StepAction::Drop | StepAction::DropDuplicate => Change::Remove,
                };
                changes.insert(step.line, change);
            }
        }
        let mut index = self.clone();
        index.apply(&changes);
        index
    }

    /// Entries that stand alone on their line: duplicates in file order, and the rest that may be
    /// named, least useful first.
    fn ranked(&self, usage: &dyn Fn(&str) -> Usage) -> (Vec<&Entry>, Vec<&Entry>) {
        let mut seen = HashSet::new();
        let mut duplicates = Vec::new();
        let mut rest = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let alone = self.is_alone(at);
            let Some(file) = entry
                .file()
                .filter(|_| alone && entry.form != EntryForm::Mention)
            else {
                continue;
            };
            if entry.has_anchor {
                // A line for a part of a file is judged by a person.
            } else if seen.insert(entry.folded.as_str()) {
                rest.push((usage(file), entry));
            } else {
                duplicates.push(entry);
            }
        }
        let protected = (rest.len() / 10).max(1);
        rest.sort_by_key(|(usage, entry)| std::cmp::Reverse((usage.modified, entry.line)));
        let mut rest = rest.split_off(protected.min(rest.len()));
        rest.sort_by_key(|(usage, entry)| (usage.uses, usage.recency(), entry.line));
        (
            duplicates,
            rest.into_iter().map(|ranked| ranked.1).collect(),
        )
    }

    fn plan_step(
        &self,
        plan: &mut CompactionPlan,
        limits: &IndexLimits,
        entry: &Entry,
        action: StepAction,
    ) {
        if plan.is_enough {
            return;
        }
        let old = self.text_of(entry.line).len();
        if let StepAction::Shorten(text) = &action {
            plan.bytes -= old.saturating_sub(text.len()).min(plan.bytes);
        } else {
            plan.bytes -= (old + 1).min(plan.bytes);
            plan.lines -= 1.min(plan.lines);
        }
        plan.steps.push(CompactionStep {
            line: entry.line,
            file: entry.file.clone().unwrap_or_default(),
            action,
        });
        plan.judge(limits);
    }

    /// The line with its hook shortened to fit, if that makes it shorter.
    fn shortened(&self, entry: &Entry) -> Option<String> {
        let text = self.text_of(entry.line);
        let too_long = text.chars().nth(INDEX_ENTRY_MAX_CHARACTERS).is_some();
        if !too_long || entry.form == EntryForm::TableRow {
            return None;
        }
        let used = text[..entry.places.hook.start].chars().count();
        let hook = shorten(
            entry.hook(),
            INDEX_ENTRY_MAX_CHARACTERS.saturating_sub(used).max(1),
        );
        let new = format!("{}{hook}", &text[..entry.places.hook.start]);
        (new.len() < text.len()).then_some(new)
    }
}

impl CompactionPlan {
    fn judge(&mut self, limits: &IndexLimits) {
        let budget = Budget {
            lines: self.lines,
            bytes: self.bytes,
            limits: *limits,
        };
        self.is_enough = budget.state() == BudgetState::Fine;
    }
}

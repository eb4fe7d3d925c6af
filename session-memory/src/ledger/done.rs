//! What calls have done, each thing once and by the time it last came up.

use std::collections::{BTreeMap, HashMap};

use super::Outcome;
use super::text::Text;
use super::tools::{Action, is_test};

/// What came of calls. Nothing here grows with the number of calls, only with what they named.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    now: u64,
    pub(super) changed: Newest,
    /// Without what was changed.
    pub(super) read: Newest,
    pub(super) tests: Newest,
    pub(super) others: Newest,
    /// How often a command ran, and how it ended.
    pub(super) runs: HashMap<Text, (usize, Outcome)>,
    pub(super) running: Vec<Text>,
}

impl Done {
    /// Nothing yet, but later than all of this.
    pub(super) fn after(earlier: &Done) -> Self {
        Done {
            now: earlier.now,
            ..Done::default()
        }
    }

    pub(super) fn add(&mut self, action: Action, outcome: Outcome) {
        self.now += 1;
        match action {
            Action::Read(path) if outcome != Outcome::Failed && !self.changed.has(&path) => {
                self.read.saw(path, self.now);
            }
            Action::Change(paths) if outcome != Outcome::Failed => {
                for path in paths {
                    self.now += 1;
                    self.read.remove(&path);
                    self.changed.saw(path, self.now);
                }
            }
            Action::Run(command) => {
                let list = if is_test(command.found()) {
                    &mut self.tests
                } else {
                    &mut self.others
                };
                let command = list.saw(command, self.now);
                let run = self.runs.entry(command).or_insert((0, outcome));
                *run = (run.0 + 1, outcome);
            }
            Action::Delegate(task) if outcome == Outcome::Unknown => self.running.push(task),
            _ => {}
        }
    }
}

/// Texts by the time they last came up.
#[derive(Clone, Debug, Default)]
pub(super) struct Newest {
    times: HashMap<Text, u64>,
    order: BTreeMap<u64, Text>,
}

impl Newest {
    /// Takes note that a text came up, later than all before; returns it as it is kept.
    fn saw(&mut self, text: Text, now: u64) -> Text {
        // The first one stays: it may know already how it is shown.
        let text = self.remove(&text).unwrap_or(text);
        self.times.insert(text.clone(), now);
        self.order.insert(now, text.clone());
        text
    }

    fn remove(&mut self, text: &Text) -> Option<Text> {
        let (text, time) = self.times.remove_entry(text)?;
        self.order.remove(&time);
        Some(text)
    }

    pub(super) fn has(&self, text: &Text) -> bool {
        self.times.contains_key(text)
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns the texts with their times, newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = (u64, &Text)> {
        self.order.iter().rev().map(|(time, text)| (*time, text))
    }
}

/// What calls with a result have done, and what calls without one may have done since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both<'a> {
    pub(super) settled: &'a Done,
    pub(super) open: &'a Done,
}

impl<'a> Both<'a> {
    /// Returns the files that were changed, newest first.
    pub(super) fn changed(self) -> impl Iterator<Item = &'a Text> {
        newest(&self.open.changed, &self.settled.changed).map(|(_, path)| path)
    }

    pub(super) fn changed_count(self) -> usize {
        count(&self.open.changed, &self.settled.changed)
    }

    /// Returns the files that were read and not changed, newest first.
    pub(super) fn read(self) -> impl Iterator<Item = &'a Text> {
        let is_changed =
            move |path: &Text| self.settled.changed.has(path) || self.open.changed.has(path);
        newest(&self.open.read, &self.settled.read)
            .map(|(_, path)| path)
            .filter(move |path| !is_changed(path))
    }

    pub(super) fn read_count(self) -> usize {
        let (open, settled) = (self.open, self.settled);
        let added = open.read.newest().filter(|(_, path)| {
            !settled.read.has(path) && !settled.changed.has(path) && !open.changed.has(path)
        });
        let gone = open
            .changed
            .newest()
            .filter(|(_, path)| settled.read.has(path));
        settled.read.len() + added.count() - gone.count()
    }

    /// Returns the commands that test something, newest first, each with its time.
    pub(super) fn tests(self) -> impl Iterator<Item = (u64, &'a Text)> {
        newest(&self.open.tests, &self.settled.tests)
    }

    pub(super) fn test_count(self) -> usize {
        count(&self.open.tests, &self.settled.tests)
    }

    /// Returns the other commands, newest first, each with its time.
    pub(super) fn others(self) -> impl Iterator<Item = (u64, &'a Text)> {
        newest(&self.open.others, &self.settled.others)
    }

    pub(super) fn other_count(self) -> usize {
        count(&self.open.others, &self.settled.others)
    }

    /// Returns how often a command ran, and how it ended.
    pub(super) fn run(self, command: &Text) -> (usize, Outcome) {
        let of = |done: &Done| done.runs.get(command).copied();
        let (settled, open) = (of(self.settled), of(self.open));
        let times = settled.map_or(0, |run| run.0) + open.map_or(0, |run| run.0);
        let outcome = open.or(settled).map_or(Outcome::Unknown, |run| run.1);
        (times, outcome)
    }

    /// Returns the work that is still going on, newest first.
    pub(super) fn running(self) -> impl Iterator<Item = &'a Text> {
        let (open, settled) = (self.open.running.iter(), self.settled.running.iter());
        open.rev().chain(settled.rev())
    }

    pub(super) fn running_count(self) -> usize {
        self.open.running.len() + self.settled.running.len()
    }
}

/// What came up later first; what came up again then stands only there.
fn newest<'a>(later: &'a Newest, earlier: &'a Newest) -> impl Iterator<Item = (u64, &'a Text)> {
    let only_earlier = earlier.newest().filter(|(_, text)| !later.has(text));
    later.newest().chain(only_earlier)
}

fn count(later: &Newest, earlier: &Newest) -> usize {
    let added = later.newest().filter(|(_, text)| !earlier.has(text));
    earlier.len() + added.count()
}

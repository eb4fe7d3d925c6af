//! Reads the ledger off a conversation that grows, each message once.

use std::collections::{BTreeMap, HashMap};

use agent_model::{Message, Role, ToolResult};
use token_count::TokenCounter;

use super::done::{Both, Done};
use super::recent::{self, Listed, Recent};
use super::text::{Clean, Text};
use super::tools::{Action, action};
use super::{
    CommandRun, Failure, Ledger, LedgerText, MOST_ERROR_CHARS, Outcome, last_chars, merge, outcome,
    render, show, words,
};
use crate::compact::{CompactLimits, Compacted, Entry, Session, WhyNot, compact_behind};
use crate::notes::{Notes, Structure};
use crate::recorded::{Kind, kind_of};

/// A call that has had no result for as many others as this will have none any more.
const MOST_OPEN: usize = 1_000;

/// Keeps a [`Ledger`] of a conversation that grows, without reading any of it twice.
///
/// What it says is what [`Ledger::from_entries`] says of the whole; an update costs what is new, and no more
/// when the conversation is long. A text is cleaned once, when it is first shown.
///
/// ```
/// use agent_model::Message;
/// use session_memory::{Entry, LedgerReader, Ledger, LedgerText, Notes, Structure};
///
/// let structure = Structure::default();
/// let entries = ["use tabs", "and test it"].map(|said| Entry::Instruction(Message::user(said)));
/// let (mut reader, mut notes, mut last) =
///     (LedgerReader::new(), Notes::empty(&structure), LedgerText::default());
/// for entry in &entries {
///     reader.read(entry);
///     (notes, last) = reader.update(&notes, &last);
/// }
/// assert_eq!(reader.ledger(), Ledger::from_entries(&entries));
/// assert_eq!(notes, Ledger::from_entries(&entries).to_notes(&structure));
/// ```
#[derive(Clone, Default)]
pub struct LedgerReader {
    clean: Option<Clean>,
    instructions: Vec<Text>,
    last_reply: Option<Text>,
    done: Done,
    failures: Vec<Failed>,
    /// Whether the last failure still waits for the action that follows it.
    failure_waits: bool,
    /// Calls without a result, in order.
    calls: BTreeMap<u64, Call>,
    /// The call of an id whose result has not come yet.
    open: HashMap<String, u64>,
    next: u64,
    followed: Followed,
}

impl std::fmt::Debug for LedgerReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LedgerReader")
            .field("instructions", &self.instructions.len())
            .field("failures", &self.failures.len())
            .field("open", &self.calls.len())
            .finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Call {
    id: String,
    action: Action,
}

#[derive(Clone)]
struct Failed {
    tried: Text,
    error: Text,
    followed_by: Option<Text>,
}

/// How far a recorded conversation was read.
#[derive(Clone, Default)]
struct Followed {
    count: usize,
    last_id: Option<String>,
    last_kind: Option<Kind>,
}

impl LedgerReader {
    /// A reader that has read nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what is done to every text before it is shown, each by itself: commands, paths, errors and what
    /// was said.
    #[must_use]
    pub fn with_clean(mut self, clean: Clean) -> Self {
        self.clean = Some(clean);
        self
    }

    /// Reads the next entry of a session.
    pub fn read(&mut self, entry: &Entry) {
        match entry {
            Entry::Instruction(message) => self.instruction(message),
            Entry::Message(message) => self.message(message),
            Entry::Summary(_) | Entry::Boundary(_) => {}
        }
    }

    /// Reads what a recorded conversation holds beyond what was read of it before; [`entries_from`] says
    /// what counts as what.
    ///
    /// Where it does not go on from there, because it was rewound, took another branch or is another one, or
    /// where its messages have no ids, it is read from its beginning.
    ///
    /// [`entries_from`]: crate::entries_from
    pub fn follow(&mut self, recorded: &[agent_transcript::Entry]) {
        if !self.followed.goes_on_in(recorded) {
            *self = Self {
                clean: self.clean,
                ..Self::default()
            };
        }
        for index in self.followed.count..recorded.len() {
            match kind_of(recorded, index) {
                Some(Kind::Instruction) => self.instruction(&recorded[index].message),
                Some(Kind::Message) => self.message(&recorded[index].message),
                Some(Kind::Summary) | None => {}
            }
        }
        self.followed = Followed::to_the_end(recorded);
    }

    /// Returns the whole ledger.
    pub fn ledger(&self) -> Ledger {
        let open = self.open_done();
        let both = self.both(&open);
        let mut commands: Vec<(u64, &Text)> = both.tests().chain(both.others()).collect();
        commands.sort_unstable_by_key(|(time, _)| *time);
        Ledger {
            changed: self.oldest_first(both.changed()),
            read: self.oldest_first(both.read()),
            commands: commands
                .into_iter()
                .map(|(_, command)| self.run(both, command, str::to_owned))
                .collect(),
            failures: self
                .failures
                .iter()
                .map(|failed| self.failure(failed))
                .collect(),
            instructions: self
                .instructions
                .iter()
                .map(|text| self.own(text))
                .collect(),
            last_reply: self.last_reply.as_ref().map(|text| self.own(text)),
            running: self.oldest_first(both.running()),
        }
    }

    /// Brings notes up to date, as [`Ledger::update`].
    pub fn update(&self, notes: &Notes, last: &LedgerText) -> (Notes, LedgerText) {
        merge::update(&render::sections(&self.recent()), notes, last)
    }

    /// Writes the ledger into the sections it knows, as [`Ledger::to_notes`].
    pub fn to_notes(&self, structure: &Structure) -> Notes {
        let (notes, _) = self.update(&Notes::empty(structure), &LedgerText::default());
        notes
    }

    /// Puts notes in the place of what they cover, as [`compact`](crate::compact): `session` needs to hold
    /// only what came after the last compaction, for what was done before it is known here.
    ///
    /// # Errors
    /// As [`compact`](crate::compact).
    pub fn compact(
        &self,
        session: &Session<'_>,
        limits: &CompactLimits,
        counter: &dyn TokenCounter,
    ) -> Result<Compacted, WhyNot> {
        let open = self.open_done();
        let both = self.both(&open);
        let changed = |most| {
            let paths = both.changed().map(|path| self.own(path));
            Listed::of_newest(paths, both.changed_count(), most)
        };
        compact_behind(session, limits, counter, changed)
    }

    fn instruction(&mut self, message: &Message) {
        let words = words(message);
        if !words.is_empty() {
            self.instructions.push(Text::new(words));
        }
        self.message(message);
    }

    fn message(&mut self, message: &Message) {
        if message.role == Role::Assistant {
            let text = message.text();
            if !text.trim().is_empty() {
                self.last_reply = Some(Text::new(text.trim()));
            }
        }
        for call in message.tool_uses() {
            let action = action(&call.name, &call.input);
            self.follow_failure(&action);
            self.open.entry(call.id.clone()).or_insert(self.next);
            let id = call.id.clone();
            self.calls.insert(self.next, Call { id, action });
            self.next += 1;
            if self.calls.len() > MOST_OPEN {
                self.give_up_oldest();
            }
        }
        for result in message.tool_results() {
            self.result(result);
        }
    }

    fn follow_failure(&mut self, action: &Action) {
        if self.failure_waits
            && let (Some(failure), Some(shown)) = (self.failures.last_mut(), show(action))
        {
            failure.followed_by = Some(Text::new(shown));
            self.failure_waits = false;
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let number = self.open.remove(result.tool_use_id.as_str());
        let Some(call) = number.and_then(|number| self.calls.remove(&number)) else {
            return;
        };
        let text = result.joined_text();
        let outcome = outcome(result, &text);
        if outcome == Outcome::Failed
            && let Some(tried) = show(&call.action)
        {
            self.failures.push(Failed {
                tried: Text::new(tried),
                error: Text::new(last_chars(text.trim(), MOST_ERROR_CHARS)),
                followed_by: None,
            });
            self.failure_waits = true;
        }
        self.done.add(call.action, outcome);
    }

    fn give_up_oldest(&mut self) {
        let Some((number, call)) = self.calls.pop_first() else {
            return;
        };
        if self.open.get(&call.id) == Some(&number) {
            self.open.remove(&call.id);
        }
        self.done.add(call.action, Outcome::Unknown);
    }

    /// What calls without a result may have done.
    fn open_done(&self) -> Done {
        let mut open = Done::after(&self.done);
        for call in self.calls.values() {
            open.add(call.action.clone(), Outcome::Unknown);
        }
        open
    }

    fn both<'a>(&'a self, open: &'a Done) -> Both<'a> {
        Both {
            settled: &self.done,
            open,
        }
    }

    /// What an update needs of it.
    fn recent(&self) -> Recent {
        let open = self.open_done();
        let both = self.both(&open);
        let shown = |text| self.shown(text);
        Recent {
            title: self.instructions.first().map(shown).map(recent::brief),
            newest: self.instructions.last().map(shown).map(recent::instruction),
            earlier: Listed::of_newest(
                self.instructions
                    .iter()
                    .rev()
                    .skip(1)
                    .map(shown)
                    .map(recent::brief),
                self.instructions.len().saturating_sub(1),
                recent::MOST_INSTRUCTIONS,
            ),
            last_reply: self.last_reply.as_ref().map(shown).map(recent::reply),
            running: Listed::of_newest(
                both.running().map(shown).map(recent::brief),
                both.running_count(),
                recent::MOST_RUNNING,
            ),
            changed: Listed::of_newest(
                both.changed().map(shown).map(recent::path),
                both.changed_count(),
                recent::MOST_FILES,
            ),
            read: Listed::of_newest(
                both.read().map(shown).map(recent::path),
                both.read_count(),
                recent::MOST_FILES,
            ),
            tests: Listed::of_newest(
                both.tests()
                    .map(|(_, command)| self.run(both, command, recent::brief)),
                both.test_count(),
                recent::MOST_COMMANDS,
            ),
            others: Listed::of_newest(
                both.others()
                    .map(|(_, command)| self.run(both, command, recent::brief)),
                both.other_count(),
                recent::MOST_COMMANDS,
            ),
            failures: Listed::of_newest(
                self.failures
                    .iter()
                    .rev()
                    .map(|failed| self.failure(failed)),
                self.failures.len(),
                recent::MOST_FAILURES,
            ),
        }
    }

    fn shown<'a>(&self, text: &'a Text) -> &'a str {
        text.shown(self.clean)
    }

    fn own(&self, text: &Text) -> String {
        self.shown(text).to_owned()
    }

    fn oldest_first<'a>(&self, newest: impl Iterator<Item = &'a Text>) -> Vec<String> {
        let mut texts: Vec<String> = newest.map(|text| self.own(text)).collect();
        texts.reverse();
        texts
    }

    fn run(&self, both: Both<'_>, command: &Text, cut: impl Fn(&str) -> String) -> CommandRun {
        let (times, outcome) = both.run(command);
        CommandRun {
            command: cut(self.shown(command)),
            times,
            outcome,
        }
    }

    fn failure(&self, failed: &Failed) -> Failure {
        Failure {
            tried: self.own(&failed.tried),
            error: self.own(&failed.error),
            followed_by: failed.followed_by.as_ref().map(|text| self.own(text)),
        }
    }
}

impl Followed {
    fn to_the_end(recorded: &[agent_transcript::Entry]) -> Self {
        let last = recorded.last();
        Followed {
            count: recorded.len(),
            last_id: last
                .and_then(agent_transcript::Entry::last_id)
                .map(str::to_owned),
            last_kind: recorded
                .len()
                .checked_sub(1)
                .and_then(|last| kind_of(recorded, last)),
        }
    }

    /// Whether the message that was read last stands where it stood. What it counts as may depend on the one
    /// behind it.
    fn goes_on_in(&self, recorded: &[agent_transcript::Entry]) -> bool {
        let Some(last) = self.count.checked_sub(1) else {
            return true;
        };
        let same = recorded
            .get(last)
            .and_then(agent_transcript::Entry::last_id);
        same.is_some()
            && same == self.last_id.as_deref()
            && kind_of(recorded, last) == self.last_kind
    }
}

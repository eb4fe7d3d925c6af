//! One recorded session through the whole life of a session: the clock is each message's time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memstrata::memdir::Timestamp;
use memstrata::model::ToolUse;
use memstrata::pathguard::{PathKey, WriteOptions};
use memstrata::secret_scan::{self, Level};
use memstrata::session::{Conversation, Happened, Kept, Notice, Session, SessionFileUpdated};
use memstrata::transcript::{Boundary, Entry, Origin};
use memstrata::{ManualClock, memdir};

use super::event::{Change, Event, Secret, SessionFile, What};
use super::recording::{OwnWrite, Recording, is_said, own_write, time};
use crate::exit::Failure;

/// A session that is being replayed.
pub(super) struct Player<'a> {
    session: Session,
    clock: Arc<ManualClock>,
    recording: &'a Recording,
    /// Sections of the session file as they were told last.
    sections: HashMap<String, String>,
    /// The agent's own writes that were allowed and have no result yet, by the id of their call.
    pending: HashMap<String, (PathBuf, PathKey, Vec<u8>)>,
    worked: Worked,
    /// Whether files that are there already are left alone.
    spares_files: bool,
}

#[derive(Default)]
struct Worked {
    replies: usize,
    calls: usize,
    failed: usize,
}

/// Where events go; an error ends the replay, such as a reader that has seen enough.
pub(super) type Tell<'t> = dyn FnMut(Event) -> Result<(), Failure> + 't;

impl<'a> Player<'a> {
    pub(super) fn new(
        session: Session,
        clock: Arc<ManualClock>,
        recording: &'a Recording,
        spares_files: bool,
    ) -> Self {
        Self {
            session,
            clock,
            recording,
            sections: HashMap::new(),
            pending: HashMap::new(),
            worked: Worked::default(),
            spares_files,
        }
    }

    /// Plays everything. `step` is called after each message.
    pub(super) fn play(mut self, tell: &mut Tell<'_>, step: &dyn Fn()) -> Result<(), Failure> {
        let recording = self.recording;
        let entries = recording.entries();
        let whole = Conversation::of_entries(entries)
            .with_boundaries(recording.boundaries())
            .with_transcript_path(recording.path.to_string_lossy());
        self.begin(tell)?;
        let mut boundaries = recording.boundaries().iter().peekable();
        for (index, entry) in entries.iter().enumerate() {
            while let Some(boundary) = boundaries.next_if(|boundary| boundary.at <= index) {
                self.compaction(&whole, boundary, tell)?;
            }
            if let Some(at) = entry.time {
                self.clock.set(time(at));
            }
            match entry.origin {
                Origin::Person if is_said(entry) => self.said(entry, tell)?,
                Origin::Assistant if entry.model_visible => {
                    self.replied(entry, &whole.up_to(index + 1), tell)?;
                }
                Origin::Tool => self.results(entry, tell)?,
                _ => {}
            }
            step();
        }
        for boundary in boundaries {
            self.compaction(&whole, boundary, tell)?;
        }
        self.finish(&whole, tell)
    }

    fn begin(&mut self, tell: &mut Tell<'_>) -> Result<(), Failure> {
        if let Some(prompt) = self.session.prompt() {
            use memstrata::token_count::{Estimator, TokenCounter};
            let listed = self.session.store().list(&memdir::ListOptions::default());
            self.tell(
                What::Prompt {
                    tokens: Estimator::new().count(&prompt),
                    memories: listed.map_or(0, |listed| listed.memories.len()),
                },
                tell,
            )?;
        }
        self.take_events(tell)
    }

    /// A person's message: recall, and a look for credentials in it.
    fn said(&mut self, entry: &Entry, tell: &mut Tell<'_>) -> Result<(), Failure> {
        self.end_of_work(tell)?;
        let text = entry.person_text();
        self.session.recall(&text);
        let message_id = entry.message.id.clone();
        let shown = secret_scan::redact(&text).into_owned();
        self.tell(
            What::Said {
                text: shown,
                message_id,
            },
            tell,
        )?;
        for found in credentials(&text) {
            self.tell(What::Secret(found), tell)?;
        }
        self.take_events(tell)
    }

    fn replied(
        &mut self,
        entry: &Entry,
        so_far: &Conversation<'_>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Failure> {
        self.worked.replies += 1;
        let mut calls = 0;
        for call in entry.message.tool_uses() {
            calls += 1;
            self.own_write(call);
        }
        self.worked.calls += calls;
        self.session.after_reply(so_far.clone());
        if calls == 0 {
            self.session.end_of_turn(so_far.clone());
        }
        self.take_events(tell)
    }

    /// Whether a write of the agent's into the memory folder would have been let through.
    fn own_write(&mut self, call: &ToolUse) {
        let Some((path, write)) = own_write(call) else {
            return;
        };
        let path = Path::new(path);
        if !path.starts_with(self.session.store().dir()) {
            return;
        }
        let Some(text) = self.text_after(path, &write) else {
            return;
        };
        let verdict = self.session.check_write(path, text.as_bytes());
        if let (true, Some(key)) = (verdict.is_allowed, verdict.path) {
            let held = (path.to_owned(), key, text.into_bytes());
            self.pending.insert(call.id.clone(), held);
        }
    }

    /// The text that a file has after a write, as far as it can be told.
    fn text_after(&self, path: &Path, write: &OwnWrite<'_>) -> Option<String> {
        let edits = match write {
            OwnWrite::Whole(text) => return Some((*text).to_owned()),
            OwnWrite::Edits(edits) => edits,
        };
        let inside = path.strip_prefix(self.session.store().dir()).ok()?;
        let key = PathKey::parse(&inside.to_string_lossy().replace('\\', "/")).ok()?;
        let root = self.session.store().root();
        let read = root
            .read(key.as_ref(), memdir::limits::MEMORY_MAX_BYTES)
            .ok()?;
        let mut text = String::from_utf8(read.bytes).ok()?;
        for (old, new) in edits {
            if !text.contains(old) {
                return None;
            }
            text = text.replacen(old, new, 1);
        }
        Some(text)
    }

    /// Results of calls: what failed is counted, and what the agent wrote into its memory is written into ours.
    fn results(&mut self, entry: &Entry, tell: &mut Tell<'_>) -> Result<(), Failure> {
        for result in entry.message.tool_results() {
            self.worked.failed += usize::from(result.is_error);
            let Some((path, key, text)) = self.pending.remove(&result.tool_use_id) else {
                continue;
            };
            if result.is_error {
                continue;
            }
            let root = self.session.store().root();
            let is_there = root.metadata(key.as_ref()).is_ok();
            if is_there && self.spares_files {
                continue;
            }
            let options = WriteOptions::new().with_create_parents(true);
            match root.write(key.as_ref(), &text, &options) {
                Ok(_) => {
                    self.date(&path);
                    self.session.after_write(&path);
                }
                Err(error) => {
                    let what = What::Trouble {
                        part: "guard",
                        reason: error.to_string(),
                        is_failure: true,
                    };
                    self.tell(what, tell)?;
                }
            }
        }
        self.take_events(tell)
    }

    /// Dates a file that the agent wrote: it says nothing itself of when that was. Where it cannot be dated it
    /// only looks younger than it is.
    fn date(&self, path: &Path) {
        let now = memdir::Clock::now(&*self.clock).nanoseconds();
        let since = u64::try_from(now).map(std::time::Duration::from_nanos);
        if let Ok(since) = since {
            let time = std::time::SystemTime::UNIX_EPOCH + since;
            let opened = std::fs::File::options().write(true).open(path);
            drop(opened.and_then(|file| file.set_modified(time)));
        }
    }

    /// What ours keeps where the recorded session was compacted.
    fn compaction(
        &mut self,
        whole: &Conversation<'_>,
        boundary: &Boundary,
        tell: &mut Tell<'_>,
    ) -> Result<(), Failure> {
        self.end_of_work(tell)?;
        if let Some(at) = boundary.time {
            self.clock.set(time(at));
        }
        let trigger = boundary.trigger.clone();
        let trigger = trigger.unwrap_or_else(|| "unknown".to_owned());
        self.compacted(&whole.up_to(boundary.at), Some(trigger), tell)
    }

    fn compacted(
        &mut self,
        conversation: &Conversation<'_>,
        trigger: Option<String>,
        tell: &mut Tell<'_>,
    ) -> Result<(), Failure> {
        if conversation.live().is_empty() {
            return Ok(());
        }
        let compaction = self.session.compact(conversation.clone());
        let mut kept: Option<Kept> = None;
        for event in self.session.events() {
            match event.happened {
                Happened::Compacted(known) => kept = Some(known),
                // Told as part of the compaction.
                Happened::Skipped { part, .. } if part.as_str() == "compaction" => {}
                happened => self.tell_happened(event.turn, event.time, happened, tell)?,
            }
        }
        let reason = compaction.err().map(|error| error.chain());
        self.tell(
            What::Compaction {
                trigger,
                kept,
                reason,
            },
            tell,
        )
    }

    fn finish(mut self, whole: &Conversation<'_>, tell: &mut Tell<'_>) -> Result<(), Failure> {
        self.end_of_work(tell)?;
        self.compacted(whole, None, tell)?;
        let (id, turn) = (self.session.id().to_owned(), self.session.turn());
        let now = memdir::Clock::now(&*self.clock);
        let ended = self.session.end();
        let happened = ended.events.into_iter();
        let happened =
            happened.filter_map(|event| Some((event.turn, event.time, What::of(event.happened)?)));
        let troubles = ended.notices.into_iter().filter_map(trouble);
        let troubles = troubles.map(|what| (turn, now, what));
        for (turn, time, what) in happened.chain(troubles) {
            tell(Event {
                turn,
                time,
                session: id.clone(),
                what,
            })?;
        }
        tell(Event {
            turn,
            time: now,
            session: id,
            what: What::Ended,
        })
    }

    /// It is a person's turn again, or nobody's.
    fn end_of_work(&mut self, tell: &mut Tell<'_>) -> Result<(), Failure> {
        let worked = std::mem::take(&mut self.worked);
        if worked.replies == 0 {
            return Ok(());
        }
        self.tell(
            What::Worked {
                replies: worked.replies,
                calls: worked.calls,
                failed: worked.failed,
            },
            tell,
        )
    }

    fn take_events(&mut self, tell: &mut Tell<'_>) -> Result<(), Failure> {
        for event in self.session.events() {
            self.tell_happened(event.turn, event.time, event.happened, tell)?;
        }
        for what in self.session.notices().into_iter().filter_map(trouble) {
            self.tell(what, tell)?;
        }
        Ok(())
    }

    fn tell_happened(
        &mut self,
        turn: u64,
        time: Timestamp,
        happened: Happened,
        tell: &mut Tell<'_>,
    ) -> Result<(), Failure> {
        let what = match happened {
            Happened::SessionFile(updated) => Some(What::SessionFile(self.grown(updated))),
            other => What::of(other),
        };
        match what {
            None => Ok(()),
            Some(what) => tell(Event {
                turn,
                time,
                session: self.session.id().to_owned(),
                what,
            }),
        }
    }

    fn tell(&self, what: What, tell: &mut Tell<'_>) -> Result<(), Failure> {
        tell(Event {
            turn: self.session.turn(),
            time: memdir::Clock::now(&*self.clock),
            session: self.session.id().to_owned(),
            what,
        })
    }

    /// What is new in the session file.
    fn grown(&mut self, updated: SessionFileUpdated) -> SessionFile {
        let mut changed = Vec::new();
        for (section, body) in updated.changed {
            let before = self.sections.insert(section.clone(), body);
            let before = before.unwrap_or_default();
            let body = &self.sections[&section];
            changed.push(change(section.clone(), &before, body));
        }
        SessionFile {
            revision: updated.revision,
            author: updated.author,
            tokens: updated.tokens,
            context_tokens: updated.context_tokens,
            changed,
        }
    }
}

/// What no event tells: that a model could not do its work. What failed otherwise is an event too.
fn trouble(notice: Notice) -> Option<What> {
    match notice {
        Notice::Model { part, reason } => Some(What::Trouble {
            part: part.as_str(),
            reason: format!("the model was of no help, and the rules did it: {reason}"),
            is_failure: true,
        }),
        _ => None,
    }
}

/// Compares two bodies of a section, line by line.
fn change(section: String, before: &str, after: &str) -> Change {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in before.lines().filter(|line| !line.trim().is_empty()) {
        *left.entry(line).or_default() += 1;
    }
    let mut added = Vec::new();
    for line in after.lines().filter(|line| !line.trim().is_empty()) {
        match left.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => added.push(line.to_owned()),
        }
    }
    Change {
        section,
        added,
        removed: left.values().sum(),
    }
}

/// Credentials in a text, by rule and line.
fn credentials(text: &str) -> Vec<Secret> {
    let found = secret_scan::scan(text.as_bytes());
    let found = found
        .iter()
        .filter(|finding| finding.level() == Level::Secret);
    found.map(Secret::from).collect()
}

#[cfg(test)]
mod tests {
    use super::{Change, change};

    #[test]
    fn what_is_new_in_a_section_is_told_line_by_line() {
        let before = "- a\n- b\n\n- b\n";
        let after = "- a\n- b\n- c\n- c\n";
        let expected = Change {
            section: "Worklog".to_owned(),
            added: vec!["- c".to_owned(), "- c".to_owned()],
            removed: 1,
        };
        assert_eq!(change("Worklog".to_owned(), before, after), expected);
    }
}

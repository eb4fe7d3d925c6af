//! Codex rollout files: one JSON object per line, in order.
//!
//! What is said stands in the file twice: as response items, which the model sees, and as events, which the
//! person sees. Messages are taken from the items; an event of a user message only tells which item the
//! person typed, because instructions and context come in the user's name too.

mod item;
mod line;

use std::collections::HashSet;

use agent_model::{Block, Provider, Role, Usage, Vendor};

use self::item::{Item, joined};
use self::line::{LineForm, PayloadForm, UsageForm};
use crate::blocks::Reading;
use crate::options::Options;
use crate::origin::Origin;
use crate::reader::{At, LineReader, Outcome};
use crate::report::{Report, SkipReason};
use crate::scan::read;
use crate::threads::{Boundary, Facts, Piece, Pieces, ThreadBuilder, Threads};
use crate::time::Timestamp;

/// Lines and events that hold no message, as far as they are known.
const NOTES: &[&str] = &[
    "session_meta",
    "turn_context",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "response_item/ghost_snapshot",
    "event_msg/user_message",
    "event_msg/agent_message",
    "event_msg/agent_reasoning",
    "event_msg/agent_reasoning_raw_content",
    "event_msg/agent_reasoning_section_break",
    "event_msg/token_count",
    "event_msg/task_started",
    "event_msg/task_complete",
    "event_msg/turn_started",
    "event_msg/turn_complete",
    "event_msg/turn_aborted",
    "event_msg/context_compacted",
    "event_msg/thread_rolled_back",
    "event_msg/entered_review_mode",
    "event_msg/exited_review_mode",
    "event_msg/item_completed",
    "event_msg/exec_command_end",
    "event_msg/mcp_tool_call_end",
    "event_msg/patch_apply_end",
    "event_msg/web_search_end",
];

/// An event and its item stand close together; further back no item is looked for.
const MAX_OPEN_ITEMS: usize = 32;

/// Collects the lines of one rollout.
pub(crate) struct Codex<'o> {
    options: &'o Options,
    reading: Reading<'o>,
    pieces: Pieces,
    order: Vec<Mark>,
    facts: Facts,
    model: Option<String>,
    /// User items since the model last said something that no event has told of yet.
    open_items: Vec<usize>,
    /// An event that came before its item.
    open_event: Option<OpenEvent>,
    /// Items that an event has told to be the person's.
    told: HashSet<usize>,
    has_user_events: bool,
    last_assistant: Option<usize>,
}

/// An event of a user message whose item has not come yet.
#[derive(Debug)]
struct OpenEvent {
    said: String,
    time: Option<Timestamp>,
    at: At,
}

/// What stands at a place of the conversation.
#[derive(Debug)]
enum Mark {
    Piece(usize),
    Boundary(Boundary),
    /// The person took back this many of their messages and everything after.
    RolledBack(u64),
}

impl<'o> Codex<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Self {
            options,
            reading: Reading::new(options),
            pieces: Pieces::default(),
            order: Vec::new(),
            facts: Facts::default(),
            model: None,
            open_items: Vec::new(),
            open_event: None,
            told: HashSet::new(),
            has_user_events: false,
            last_assistant: None,
        }
    }

    /// Adds a piece behind the others.
    fn push(&mut self, piece: Piece, report: &mut Report) {
        let user = piece.role == Role::User && piece.origin != Origin::Tool;
        let speaks = piece.role == Role::Assistant;
        if speaks {
            self.settle_event(report);
        }
        let told = user
            && self.open_event.as_ref().is_some_and(|event| {
                let same = joined(&piece.content).trim() == event.said.trim();
                same || piece.origin == Origin::Person
            });
        let index = self.store(piece, report);
        if told {
            self.tell(index);
            self.open_event = None;
        } else if user {
            if self.open_items.len() == MAX_OPEN_ITEMS {
                self.open_items.remove(0);
            }
            self.open_items.push(index);
        } else if speaks {
            self.open_items.clear();
            self.last_assistant = Some(index);
        }
    }

    fn store(&mut self, piece: Piece, report: &mut Report) -> usize {
        let (most, bytes) = (self.options.max_messages, self.options.max_kept_bytes);
        let (index, dropped) = self.pieces.push(piece, most, bytes);
        report.dropped += dropped;
        self.order.push(Mark::Piece(index));
        index
    }

    fn tell(&mut self, index: usize) {
        self.told.insert(index);
        if let Some(piece) = self.pieces.get_mut(index) {
            piece.origin = Origin::Person;
        }
    }

    /// Takes an event for the message itself, because no item came.
    fn settle_event(&mut self, report: &mut Report) {
        let Some(event) = self.open_event.take() else {
            return;
        };
        let line = LineAt {
            at: event.at,
            time: event.time,
            id: None,
            length: event.said.len(),
        };
        let piece = self.piece(
            Role::User,
            vec![Block::Text(event.said)],
            Origin::Person,
            &line,
        );
        let index = self.store(piece, report);
        self.tell(index);
    }

    fn piece(&self, role: Role, content: Vec<Block>, origin: Origin, line: &LineAt) -> Piece {
        Piece {
            role,
            content,
            origin,
            model_visible: true,
            time: line.time,
            model: self.model.clone().filter(|_| role == Role::Assistant),
            answer_id: None,
            usage: None,
            place: self.facts.last_place.clone(),
            at: line.at,
            cut: false,
            id: line
                .id
                .clone()
                .unwrap_or_else(|| format!("line-{}", line.at.line)),
            bytes: line.length,
        }
    }

    /// Takes what the model sees.
    fn item(
        &mut self,
        payload: &mut PayloadForm<'_>,
        line: &LineAt,
        report: &mut Report,
    ) -> Outcome {
        let cuts = self.reading.cut_results;
        let item = item::read(&mut self.reading, payload, line.at);
        if let Some(reason) = self.reading.take_failure() {
            return Outcome::Skip(reason);
        }
        match item {
            Item::Said(role, content, origin) => {
                let mut piece = self.piece(role, content, origin, line);
                piece.cut = self.reading.cut_results > cuts;
                self.push(piece, report);
                Outcome::Message
            }
            Item::Empty => Outcome::Skip(SkipReason::NoMessage),
            Item::Unknown => Outcome::Unknown,
        }
    }

    fn event(&mut self, payload: &PayloadForm<'_>, line: &LineAt) {
        match payload.kind.as_str() {
            Some("user_message") => {
                self.has_user_events = true;
                let Some(said) = payload.message.as_str() else {
                    return;
                };
                if !self.claim(said) {
                    self.open_event = Some(OpenEvent {
                        said: said.to_owned(),
                        time: line.time,
                        at: line.at,
                    });
                }
            }
            Some("token_count") => {
                let usage = usage(&payload.info.last_token_usage);
                let last = self
                    .last_assistant
                    .and_then(|index| self.pieces.get_mut(index));
                if let (Some(usage), Some(piece)) = (usage, last) {
                    piece.usage = Some(usage);
                }
            }
            Some("thread_rolled_back") => {
                let turns = payload.num_turns.0.unwrap_or(0);
                self.order.push(Mark::RolledBack(turns));
                self.open_items.clear();
            }
            _ => {}
        }
    }

    /// Finds the item that an event tells of among those that came just before: the one with its text,
    /// else the last that looks like a person's.
    fn claim(&mut self, said: &str) -> bool {
        let pieces = &self.pieces;
        let same = |index: &&usize| {
            let piece = pieces.get(**index);
            piece.is_some_and(|piece| joined(&piece.content).trim() == said.trim())
        };
        let likely = |index: &&usize| {
            let piece = pieces.get(**index);
            piece.is_some_and(|piece| piece.origin == Origin::Person)
        };
        let open = &self.open_items;
        let found = open
            .iter()
            .rev()
            .find(same)
            .or_else(|| open.iter().rev().find(likely));
        let Some(index) = found.copied() else {
            return false;
        };
        self.tell(index);
        // What came before it was put in; what comes after may belong to the next event.
        self.open_items.retain(|other| *other > index);
        true
    }

    /// Where events tell the person's messages, what no event tells of was put in; and a sub-agent talks
    /// to no person at all.
    fn demote(&mut self) {
        let is_sub_agent = self.facts.is_sub_agent;
        for mark in &self.order {
            let Mark::Piece(index) = mark else { continue };
            let untold = self.has_user_events && !self.told.contains(index);
            if let Some(piece) = self.pieces.get_mut(*index)
                && piece.origin == Origin::Person
                && (untold || is_sub_agent)
            {
                piece.origin = Origin::Injected;
            }
        }
    }

    fn meta(&mut self, payload: &PayloadForm<'_>) {
        // A fork repeats the head of the session it came from; the first one is its own.
        if self.facts.id.is_none() {
            self.facts.id = payload.id.to_owned().or(payload.session_id.to_owned());
            self.facts.provider = payload.model_provider.as_str().map(provider);
            self.facts.is_sub_agent = payload.thread_source.as_str() == Some("subagent")
                || payload.source.sub_agent.0.is_some();
        }
        self.facts.place(
            payload.cwd.as_str(),
            payload.git.branch.as_str(),
            payload.cli_version.as_str(),
        );
    }

    fn compacted(&mut self, payload: &PayloadForm<'_>, line: &LineAt, report: &mut Report) -> bool {
        self.order.push(Mark::Boundary(Boundary {
            at: 0,
            trigger: None,
            tokens_before: None,
            time: line.time,
            line: line.at.line,
        }));
        self.open_items.clear();
        let Some(summary) = payload
            .message
            .to_owned()
            .filter(|text| !text.trim().is_empty())
        else {
            return false;
        };
        let content = vec![Block::Text(summary)];
        let piece = self.piece(Role::User, content, Origin::CompactSummary, line);
        self.store(piece, report);
        true
    }
}

/// Where a line stands and what it says of itself.
struct LineAt {
    at: At,
    time: Option<Timestamp>,
    id: Option<String>,
    length: usize,
}

impl LineReader for Codex<'_> {
    fn line(&mut self, text: &str, at: At, report: &mut Report) -> Outcome {
        let form: LineForm<'_> = match read(text) {
            Ok(form) => form,
            Err(reason) => return Outcome::Skip(reason),
        };
        let Some(kind) = form.kind.as_str() else {
            report.count_type("(none)");
            return Outcome::Unknown;
        };
        let mut payload = form.payload;
        let name = match (kind, payload.kind.as_str()) {
            ("response_item" | "event_msg", Some(inner)) => format!("{kind}/{inner}"),
            _ => kind.to_owned(),
        };
        report.count_type(&name);
        let line = LineAt {
            at,
            time: form.timestamp.as_str().and_then(Timestamp::parse),
            id: payload.id.to_owned().filter(|_| kind == "response_item"),
            length: text.len(),
        };
        match kind {
            "response_item" if !NOTES.contains(&name.as_str()) => {
                self.item(&mut payload, &line, report)
            }
            "compacted" if self.compacted(&payload, &line, report) => Outcome::Message,
            "compacted" => Outcome::Note,
            _ => {
                match kind {
                    "session_meta" => self.meta(&payload),
                    "turn_context" => {
                        self.model = payload.model.to_owned().or(self.model.take());
                        self.facts.place(payload.cwd.as_str(), None, None);
                    }
                    "event_msg" => self.event(&payload, &line),
                    _ => {}
                }
                if NOTES.contains(&name.as_str()) {
                    Outcome::Note
                } else {
                    Outcome::Unknown
                }
            }
        }
    }

    fn finish(mut self: Box<Self>, report: &mut Report) -> Threads {
        report.cut_results += self.reading.cut_results;
        report.omitted_pictures += self.reading.omitted_pictures;
        self.settle_event(report);
        self.demote();
        let order = std::mem::take(&mut self.order);
        let order = roll_back(order, &self.pieces, report);
        let mut thread = ThreadBuilder::default();
        let mut boundaries = Vec::new();
        let mut answer: Vec<Piece> = Vec::new();
        for mark in order {
            let index = match mark {
                Mark::Piece(index) => index,
                Mark::Boundary(mut boundary) => {
                    thread.push(std::mem::take(&mut answer), report);
                    boundary.at = thread.entries.len();
                    boundaries.push(boundary);
                    continue;
                }
                Mark::RolledBack(_) => continue,
            };
            let Some(piece) = self.pieces.take(index) else {
                continue;
            };
            if piece.role == Role::Assistant {
                // Reasoning, words and calls in a row are one answer.
                answer.push(piece);
            } else {
                thread.push(std::mem::take(&mut answer), report);
                thread.push(vec![piece], report);
            }
        }
        thread.push(answer, report);
        Threads {
            main: thread.entries,
            sub_agents: Vec::new(),
            boundaries,
            facts: self.facts,
        }
    }
}

/// Takes out what the person took back.
fn roll_back(order: Vec<Mark>, pieces: &Pieces, report: &mut Report) -> Vec<Mark> {
    let is_person = |mark: &Mark| match mark {
        Mark::Piece(index) => pieces
            .get(*index)
            .is_some_and(|piece| piece.origin == Origin::Person),
        _ => false,
    };
    let mut kept: Vec<Mark> = Vec::with_capacity(order.len());
    // Where the turns begin that are still there.
    let mut turns: Vec<usize> = Vec::new();
    for mark in order {
        let Mark::RolledBack(count) = mark else {
            if is_person(&mark) {
                turns.push(kept.len());
            }
            kept.push(mark);
            continue;
        };
        let left = turns
            .len()
            .saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        let Some(&from) = turns.get(left) else {
            continue;
        };
        turns.truncate(left);
        let gone = kept
            .drain(from..)
            .filter(|mark| matches!(mark, Mark::Piece(_)));
        report.off_thread += gone.count() as u64;
    }
    kept
}

fn usage(form: &UsageForm) -> Option<Usage> {
    let cached = form.cached.or_zero();
    // The input counts the cached part too.
    let input = form.input.0?.saturating_sub(cached);
    Some(Usage::new(input, form.output.or_zero()).with_cache(cached, 0))
}

fn provider(name: &str) -> Provider {
    Provider::new(match name {
        "openai" => Vendor::OpenAi,
        "anthropic" => Vendor::Anthropic,
        other => Vendor::Other(other.to_owned()),
    })
}

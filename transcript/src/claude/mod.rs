//! Claude Code transcripts: one JSON object per line, linked by `parentUuid`.

mod chain;
mod line;

use std::collections::HashMap;

use agent_model::{Block, Provider, Role, Usage, Vendor};

use self::chain::{Kind, Node};
use self::line::{LineForm, UsageForm};
use crate::blocks::Reading;
use crate::options::Options;
use crate::origin::{Origin, spoken};
use crate::reader::{At, LineReader, Outcome};
use crate::report::{Report, SkipReason};
use crate::scan::{Content, Text, read};
use crate::threads::{Facts, Piece, Pieces, Threads};
use crate::time::Timestamp;

/// Lines that hold no message of the conversation, as far as they are known. More come with every release.
const NOTES: &[&str] = &[
    "progress",
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "custom-title",
    "ai-title",
    "last-prompt",
    "tag",
    "agent-name",
    "agent-color",
    "permission-mode",
    "mode",
    "pr-link",
    "cost-state",
    "bridge-session",
    "frame-link",
    "content-replacement",
    "saved_hook_context",
    "agent_metadata",
];

/// What stands for the model in errors that the agent shows.
const SYNTHETIC: &str = "<synthetic>";

/// Collects the lines of one file.
pub(crate) struct Claude<'o> {
    options: &'o Options,
    reading: Reading<'o>,
    nodes: Vec<Node>,
    by_uuid: HashMap<String, usize>,
    pieces: Pieces,
    facts: Facts,
    custom_title: Option<String>,
}

impl<'o> Claude<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Self {
            options,
            reading: Reading::new(options),
            nodes: Vec::new(),
            by_uuid: HashMap::new(),
            pieces: Pieces::default(),
            facts: Facts {
                provider: Some(Provider::new(Vendor::Anthropic)),
                ..Facts::default()
            },
            custom_title: None,
        }
    }

    /// Adds a link to the chain, with the message it carries if any.
    fn link(&mut self, form: &LineForm<'_>, kind: Kind, piece: Option<Piece>, report: &mut Report) {
        let node = Node {
            parent: form.parent_uuid.to_owned(),
            piece: None,
            kind,
            side: form.is_sidechain.0,
            team: form.team_name.as_str().is_some(),
            meta: form.is_meta.0,
            agent_id: form.agent_id.to_owned(),
        };
        let uuid = form.uuid.as_str();
        if let Some(earlier) = uuid.and_then(|uuid| self.by_uuid.get(uuid).copied()) {
            let again = self.nodes[earlier].piece.is_some() || piece.is_none();
            if again {
                report.duplicates += u64::from(piece.is_some());
                return;
            }
            // A damaged line, and now a whole one in its stead.
            self.nodes[earlier].kind = Kind::Other;
        }
        let index = self.nodes.len();
        self.nodes.push(node);
        if let Some(uuid) = form.uuid.to_owned() {
            self.by_uuid.insert(uuid, index);
        }
        if let Some(piece) = piece {
            let (most, bytes) = (self.options.max_messages, self.options.max_kept_bytes);
            let (place, dropped) = self.pieces.push(piece, most, bytes);
            self.nodes[index].piece = Some(place);
            report.dropped += dropped;
        }
    }

    fn message(
        &mut self,
        form: &mut LineForm<'_>,
        role: Role,
        at: At,
        length: usize,
        report: &mut Report,
    ) -> Outcome {
        let kind = if role == Role::User {
            Kind::User
        } else {
            Kind::Assistant
        };
        let cuts = self.reading.cut_results;
        let content = self
            .reading
            .content(std::mem::take(&mut form.message.content));
        let failure = self.reading.take_failure();
        let (Some(content), None) = (content, failure) else {
            // The link still holds the chain together.
            self.link(form, kind, None, report);
            return Outcome::Skip(failure.unwrap_or(SkipReason::NoMessage));
        };
        let (origin, model_visible) = origin(form, role, &content);
        let piece = Piece {
            role,
            content,
            origin,
            model_visible,
            time: form.timestamp.as_str().and_then(Timestamp::parse),
            model: form.message.model.to_owned(),
            answer_id: form
                .message
                .id
                .to_owned()
                .filter(|_| role == Role::Assistant),
            usage: usage(&form.message.usage),
            place: self.facts.last_place.clone(),
            at,
            cut: self.reading.cut_results > cuts,
            id: identity(form, at),
            bytes: length,
        };
        self.link(form, kind, Some(piece), report);
        Outcome::Message
    }

    /// Attachments carry what the agent put in beside the messages; a few are words of the person's.
    fn attachment(
        &mut self,
        form: &mut LineForm<'_>,
        at: At,
        length: usize,
        report: &mut Report,
    ) -> Outcome {
        let attachment = std::mem::take(&mut form.attachment);
        let queued = attachment.kind.as_str() == Some("queued_command");
        let content = if queued {
            self.reading.content(attachment.prompt)
        } else {
            hook_text(attachment.content)
        };
        let content = content.filter(|blocks| {
            let said = |block: &Block| block.as_text().is_none_or(|text| !text.trim().is_empty());
            blocks.iter().any(said)
        });
        let Some(content) = content else {
            self.link(form, Kind::Other, None, report);
            return Outcome::Note;
        };
        if let Some(reason) = self.reading.take_failure() {
            self.link(form, Kind::Other, None, report);
            return Outcome::Skip(reason);
        }
        let origin = if queued && !form.is_sidechain.0 && !form.is_meta.0 {
            spoken(&content)
        } else {
            Origin::Injected
        };
        let piece = Piece {
            role: Role::User,
            content,
            origin,
            model_visible: true,
            time: form.timestamp.as_str().and_then(Timestamp::parse),
            model: None,
            answer_id: None,
            usage: None,
            place: self.facts.last_place.clone(),
            at,
            cut: false,
            id: identity(form, at),
            bytes: length,
        };
        self.link(form, Kind::Other, Some(piece), report);
        Outcome::Message
    }

    fn system(&mut self, form: &LineForm<'_>, at: At, report: &mut Report) -> Outcome {
        let kind = if form.subtype.as_str() == Some("compact_boundary") {
            let compact = &form.compact_metadata;
            Kind::Boundary(Box::new(chain::BoundaryNote {
                trigger: compact.trigger.to_owned(),
                tokens_before: compact.tokens_before.0,
                time: form.timestamp.as_str().and_then(Timestamp::parse),
                line: at.line,
            }))
        } else {
            Kind::Other
        };
        self.link(form, kind, None, report);
        Outcome::Note
    }
}

impl LineReader for Claude<'_> {
    fn line(&mut self, text: &str, at: At, report: &mut Report) -> Outcome {
        let mut form: LineForm<'_> = match read(text) {
            Ok(form) => form,
            Err(reason) => return Outcome::Skip(reason),
        };
        if self.facts.id.is_none() {
            self.facts.id = form.session_id.to_owned();
        }
        let text_of = |text: &Text<'_>| text.to_owned().filter(|t| !t.is_empty());
        self.facts.place(
            form.cwd.as_str(),
            form.git_branch.as_str(),
            form.version.as_str(),
        );
        let Some(kind) = form.kind.0.take() else {
            report.count_type("(none)");
            return Outcome::Unknown;
        };
        match (&*kind, form.subtype.as_str()) {
            ("system", Some(subtype)) => report.count_type(&format!("system/{subtype}")),
            _ => report.count_type(&kind),
        }
        match &*kind {
            "user" => self.message(&mut form, Role::User, at, text.len(), report),
            "assistant" => self.message(&mut form, Role::Assistant, at, text.len(), report),
            "attachment" => self.attachment(&mut form, at, text.len(), report),
            "system" => self.system(&form, at, report),
            _ => {
                if form.uuid.as_str().is_some() {
                    self.link(&form, Kind::Other, None, report);
                }
                // What the person chose counts more than what a model made up.
                self.custom_title = text_of(&form.custom_title).or(self.custom_title.take());
                if let Some(title) = text_of(&form.ai_title) {
                    self.facts.title = Some(title);
                }
                if NOTES.contains(&&*kind) {
                    Outcome::Note
                } else {
                    Outcome::Unknown
                }
            }
        }
    }

    fn finish(self: Box<Self>, report: &mut Report) -> Threads {
        let mut facts = self.facts;
        facts.title = self.custom_title.or(facts.title);
        report.cut_results += self.reading.cut_results;
        report.omitted_pictures += self.reading.omitted_pictures;
        chain::assemble(&self.nodes, &self.by_uuid, self.pieces, facts, report)
    }
}

/// A line without an identity gets one from its place, which never changes in a file that only grows.
fn identity(form: &LineForm<'_>, at: At) -> String {
    form.uuid
        .to_owned()
        .unwrap_or_else(|| format!("line-{}", at.line))
}

/// Returns who wrote a message and whether the model sees it.
fn origin(form: &LineForm<'_>, role: Role, content: &[Block]) -> (Origin, bool) {
    if role == Role::Assistant {
        let error = form.is_api_error_message.0 || form.message.model.as_str() == Some(SYNTHETIC);
        return if error {
            (Origin::ErrorNotice, false)
        } else {
            (Origin::Assistant, true)
        };
    }
    if form.is_compact_summary.0 {
        // The flag for the transcript view means what the person sees; the model sees the summary.
        return (Origin::CompactSummary, true);
    }
    let visible = !form.is_visible_in_transcript_only.0;
    let origin = if form.team_name.as_str().is_some() {
        Origin::Teammate
    } else if content
        .iter()
        .any(|block| matches!(block, Block::ToolResult(_)))
    {
        Origin::Tool
    } else if form.is_meta.0 {
        Origin::Injected
    } else {
        match spoken(content) {
            // In a sub-agent's thread the user is the agent that started it.
            Origin::Person if form.is_sidechain.0 => Origin::Injected,
            origin => origin,
        }
    };
    (origin, visible)
}

/// Returns what an answer cost; an answer that says nothing of it has no counts.
fn usage(form: &UsageForm) -> Option<Usage> {
    let said = [form.input, form.output, form.cache_read, form.cache_write];
    said.iter().any(|count| count.0.is_some()).then(|| {
        Usage::new(form.input.or_zero(), form.output.or_zero())
            .with_cache(form.cache_read.or_zero(), form.cache_write.or_zero())
    })
}

/// Hook output is a string, or a list of them.
fn hook_text(content: Content<'_, Text<'_>>) -> Option<Vec<Block>> {
    let text = match content {
        Content::Text(text) => text.into_owned(),
        Content::List(items) => {
            let texts: Vec<&str> = items.iter().filter_map(|item| item.form.as_str()).collect();
            texts.join("\n")
        }
        _ => return None,
    };
    Some(vec![Block::Text(text)])
}

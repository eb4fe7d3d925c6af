//! Gemini CLI sessions: JSON lines of records, or one JSON object that holds them all.
//!
//! A record takes the place of an earlier one with the same id. `$rewindTo` takes a message and everything
//! behind it away, `$set` changes what is known of the session, and a list of messages inside it replaces
//! all.

use std::collections::HashMap;

use agent_model::{Block, Image, Provider, ResultPart, Role, ToolResult, ToolUse, Usage, Vendor};
use serde_json::Value;

use crate::blocks::Reading;
use crate::options::Options;
use crate::origin::{Origin, spoken};
use crate::reader::{At, LineReader, Outcome};
use crate::report::{Report, SkipReason};
use crate::scan::{Count, Item, List, Raw, Text, form, read};
use crate::threads::{Facts, Piece, Pieces, ThreadBuilder, Threads};
use crate::time::Timestamp;

/// Collects the records of one session.
pub(crate) struct Gemini<'o> {
    options: &'o Options,
    reading: Reading<'o>,
    pieces: Pieces,
    /// The pieces of each record in order: the message, and what its calls returned.
    records: Vec<Record>,
    by_id: HashMap<String, usize>,
    facts: Facts,
}

#[derive(Debug, Default)]
struct Record {
    id: String,
    pieces: Vec<usize>,
}

form! {
    struct LineForm<'a> {
        id: Text<'a> = "id",
        kind: Text<'a> = "type",
        timestamp: Text<'a> = "timestamp",
        content: Raw<'a> = "content",
        thoughts: List<'a, ThoughtForm<'a>> = "thoughts",
        tool_calls: List<'a, CallForm<'a>> = "toolCalls",
        tokens: TokensForm = "tokens",
        model: Text<'a> = "model",
        session_id: Text<'a> = "sessionId",
        project_hash: Text<'a> = "projectHash",
        agent_kind: Text<'a> = "kind",
        summary: Text<'a> = "summary",
        messages: Raw<'a> = "messages",
        set: Raw<'a> = "$set",
        rewind: Text<'a> = "$rewindTo",
    }
}

form! {
    struct ThoughtForm<'a> {
        subject: Text<'a> = "subject",
        description: Text<'a> = "description",
    }
}

form! {
    struct CallForm<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        result: Raw<'a> = "result",
        status: Text<'a> = "status",
    }
}

form! {
    struct TokensForm {
        input: Count = "input",
        output: Count = "output",
        cached: Count = "cached",
        thoughts: Count = "thoughts",
    }
}

impl<'o> Gemini<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Self {
            options,
            reading: Reading::new(options),
            pieces: Pieces::default(),
            records: Vec::new(),
            by_id: HashMap::new(),
            facts: Facts {
                provider: Some(Provider::new(Vendor::Google)),
                ..Facts::default()
            },
        }
    }

    /// Takes a message record.
    fn record(
        &mut self,
        form: &LineForm<'_>,
        at: At,
        length: usize,
        report: &mut Report,
    ) -> Outcome {
        let Some(id) = form.id.to_owned() else {
            return Outcome::Unknown;
        };
        let role = match form.kind.as_str() {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            // What the program tells the person.
            Some("info" | "error" | "warning") => {
                self.forget(&id);
                return Outcome::Note;
            }
            _ => return Outcome::Unknown,
        };
        let cuts = self.reading.cut_results;
        let mut content = thoughts(&form.thoughts);
        let said = form.content.0.map(|json| self.content(json));
        let (calls, results) = self.calls(&form.tool_calls);
        if let Some(reason) = self.reading.take_failure() {
            return Outcome::Skip(reason);
        }
        content.extend(said.flatten().unwrap_or_default());
        content.extend(calls);
        if content.is_empty() {
            return Outcome::Skip(SkipReason::NoMessage);
        }
        let origin = match role {
            Role::Assistant => Origin::Assistant,
            _ => spoken(&content),
        };
        let message = Piece {
            role,
            content,
            origin,
            model_visible: true,
            time: form.timestamp.as_str().and_then(Timestamp::parse),
            model: form.model.to_owned(),
            answer_id: None,
            usage: usage(&form.tokens),
            place: self.facts.last_place.clone(),
            at,
            cut: false,
            id: id.clone(),
            bytes: length,
        };
        let answers = (!results.is_empty()).then(|| Piece {
            role: Role::User,
            content: results,
            origin: Origin::Tool,
            model_visible: true,
            time: message.time,
            model: None,
            answer_id: None,
            usage: None,
            place: message.place.clone(),
            at,
            cut: self.reading.cut_results > cuts,
            id: format!("{id}/results"),
            bytes: 0,
        });
        let mut pieces = Vec::with_capacity(2);
        for piece in std::iter::once(message).chain(answers) {
            let (most, bytes) = (self.options.max_messages, self.options.max_kept_bytes);
            let (index, dropped) = self.pieces.push(piece, most, bytes);
            report.dropped += dropped;
            pieces.push(index);
        }
        self.forget(&id);
        if let Some(&place) = self.by_id.get(&id) {
            self.records[place].pieces = pieces;
        } else {
            self.by_id.insert(id.clone(), self.records.len());
            self.records.push(Record { id, pieces });
        }
        Outcome::Message
    }

    /// Drops what an earlier record of this id said; its place stays.
    fn forget(&mut self, id: &str) {
        if let Some(&place) = self.by_id.get(id) {
            for index in std::mem::take(&mut self.records[place].pieces) {
                self.pieces.take(index);
            }
        }
    }

    /// Takes a message and all behind it away. A message that is not there was lost with a bad line, and
    /// nothing is taken away for that.
    fn rewind(&mut self, id: &str, report: &mut Report) {
        let Some(&place) = self.by_id.get(id) else {
            return;
        };
        for record in self.records.drain(place..) {
            self.by_id.remove(&record.id);
            for index in record.pieces {
                report.off_thread += u64::from(self.pieces.take(index).is_some());
            }
        }
    }

    fn messages(&mut self, json: &str, at: At, report: &mut Report) {
        let records: List<'_, LineForm<'_>> = read(json).unwrap_or_default();
        let records = records.0;
        if records.is_empty() {
            return;
        }
        while let Some(first) = self.records.first().map(|record| record.id.clone()) {
            self.rewind(&first, report);
        }
        for record in records {
            let form = record.form;
            report.lines += 1;
            report.count_type(form.kind.as_str().unwrap_or("(none)"));
            match self.record(&form, at, record.raw.len(), report) {
                Outcome::Message => report.messages += 1,
                Outcome::Note => report.notes += 1,
                Outcome::Unknown => report.unknown += 1,
                Outcome::Skip(reason) => report.skip(at.line, at.offset, reason),
            }
        }
    }

    fn facts(&mut self, form: &LineForm<'_>) {
        self.facts.id = form.session_id.to_owned().or(self.facts.id.take());
        self.facts.title = form.summary.to_owned().or(self.facts.title.take());
        self.facts.is_sub_agent |= form.agent_kind.as_str() == Some("subagent");
    }

    /// Reads a string, a part, or a list of both.
    fn content(&mut self, json: &str) -> Option<Vec<Block>> {
        let blocks = match self.reading.value(json) {
            Value::String(text) if text.is_empty() => Vec::new(),
            Value::Array(parts) => parts.into_iter().map(|part| self.part(part)).collect(),
            part => vec![self.part(part)],
        };
        (!blocks.is_empty()).then_some(blocks)
    }

    fn part(&mut self, part: Value) -> Block {
        if let Value::String(text) = part {
            return Block::Text(text);
        }
        if let Some(text) = part["text"].as_str() {
            return Block::Text(text.to_owned());
        }
        let inline = &part["inlineData"];
        if let (Some(media_type), Some(data)) =
            (inline["mimeType"].as_str(), inline["data"].as_str())
            && media_type.starts_with("image/")
        {
            let image = Image::Base64 {
                media_type: media_type.to_owned(),
                data: data.to_owned(),
            };
            return match self.reading.kept_picture(image) {
                ResultPart::Image(image) => Block::Image(image),
                ResultPart::Text(text) => Block::Text(text),
                _ => Block::Other(part),
            };
        }
        Block::Other(part)
    }

    /// Reads the calls of a message, and what they returned as far as they have.
    fn calls(&mut self, list: &List<'_, CallForm<'_>>) -> (Vec<Block>, Vec<Block>) {
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for Item { form, .. } in &list.0 {
            let (Some(id), Some(name)) = (form.id.to_owned(), form.name.to_owned()) else {
                continue;
            };
            let input = form
                .args
                .0
                .map_or(Value::Null, |json| self.reading.value(json));
            calls.push(Block::ToolUse(ToolUse::new(id.clone(), name, input)));
            let Some(result) = form.result.0 else {
                continue;
            };
            let returned = self.reading.value(result);
            let parts = match returned {
                Value::Array(parts) => parts,
                Value::Null => continue,
                one => vec![one],
            };
            let content = parts.into_iter().map(|part| self.returned(part)).collect();
            results.push(Block::ToolResult(ToolResult {
                tool_use_id: id,
                content,
                is_error: matches!(form.status.as_str(), Some("error" | "cancelled")),
            }));
        }
        (calls, results)
    }

    fn returned(&mut self, part: Value) -> ResultPart {
        let response = &part["functionResponse"]["response"];
        let text = response["output"].as_str().or(response["error"].as_str());
        if let Some(text) = text.map(str::to_owned) {
            return ResultPart::Text(self.reading.result_text(text.into()));
        }
        match self.part(part) {
            Block::Text(text) => ResultPart::Text(self.reading.result_text(text.into())),
            Block::Image(image) => ResultPart::Image(image),
            other => ResultPart::Other(other.to_json()),
        }
    }
}

fn thoughts(list: &List<'_, ThoughtForm<'_>>) -> Vec<Block> {
    let block = |thought: &ThoughtForm<'_>| {
        let words = [thought.subject.as_str(), thought.description.as_str()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| Block::Thinking {
            text: words.join("\n"),
            signature: None,
        })
    };
    list.0.iter().filter_map(|item| block(&item.form)).collect()
}

fn usage(form: &TokensForm) -> Option<Usage> {
    let cached = form.cached.or_zero();
    // The input counts the cached part too; thoughts are output.
    let input = form.input.0?.saturating_sub(cached);
    let output = form
        .output
        .or_zero()
        .saturating_add(form.thoughts.or_zero());
    Some(Usage::new(input, output).with_cache(cached, 0))
}

impl LineReader for Gemini<'_> {
    fn line(&mut self, text: &str, at: At, report: &mut Report) -> Outcome {
        let form: LineForm<'_> = match read(text) {
            Ok(form) => form,
            Err(reason) => return Outcome::Skip(reason),
        };
        if let Some(id) = form.rewind.as_str() {
            report.count_type("$rewindTo");
            self.rewind(id, report);
            return Outcome::Note;
        }
        if form.id.as_str().is_some() {
            report.count_type(form.kind.as_str().unwrap_or("(none)"));
            return self.record(&form, at, text.len(), report);
        }
        if let Some(set) = form.set.0 {
            report.count_type("$set");
            let set: LineForm<'_> = read(set).unwrap_or_default();
            self.facts(&set);
            if let Some(messages) = set.messages.0 {
                self.messages(messages, at, report);
            }
            return Outcome::Note;
        }
        if form.session_id.as_str().is_some() && form.project_hash.as_str().is_some() {
            report.count_type("session");
            self.facts(&form);
            if let Some(messages) = form.messages.0 {
                self.messages(messages, at, report);
            }
            return Outcome::Note;
        }
        report.count_type(form.kind.as_str().unwrap_or("(none)"));
        Outcome::Unknown
    }

    fn finish(mut self: Box<Self>, report: &mut Report) -> Threads {
        report.cut_results += self.reading.cut_results;
        report.omitted_pictures += self.reading.omitted_pictures;
        let mut thread = ThreadBuilder::default();
        for record in std::mem::take(&mut self.records) {
            for index in record.pieces {
                let Some(mut piece) = self.pieces.take(index) else {
                    continue;
                };
                if self.facts.is_sub_agent && piece.origin == Origin::Person {
                    piece.origin = Origin::Injected;
                }
                thread.push(vec![piece], report);
            }
        }
        Threads {
            main: thread.entries,
            sub_agents: Vec::new(),
            boundaries: Vec::new(),
            facts: self.facts,
        }
    }
}

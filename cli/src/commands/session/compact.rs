//! `session compact`: what would be sent instead of the conversation.

use std::io::{self, Write};

use memstrata::model::{Block, Message};
use memstrata::session_memory::{
    CompactLimits, Compacted, Ledger, Notes, PutBack, Session, WhyNot, compact, mend,
};
use serde_json::json;

use super::{Place, Recorded};
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean};

/// Prints the list, or what is kept.
pub(super) fn run(recorded: &Recorded, place: &Place, speech: Speech) -> Result<Exit, Failure> {
    if recorded.entries.is_empty() {
        return Err(nothing());
    }
    match compacted(recorded, place, speech)? {
        Ok(compacted) => print(&compacted, speech)?,
        Err(why @ WhyNot::NotSmaller) => {
            speech.say(&format!("the conversation stays as it is: {why}"));
            print_messages(&mend(&recorded.entries), speech)?;
        }
        Err(WhyNot::NothingLive) => return Err(nothing()),
        Err(why) => {
            return Err(Failure::new(Exit::Found, format!("no compaction: {why}")));
        }
    }
    Ok(Exit::Done)
}

fn nothing() -> Failure {
    let message = "there is nothing to compact in this transcript";
    Failure::new(Exit::NotFound, message)
}

/// Compacts by the committed notes; where they do not serve, by notes that are made for this once.
fn compacted(
    recorded: &Recorded,
    place: &Place,
    speech: Speech,
) -> Result<Result<Compacted, WhyNot>, Failure> {
    let committed = match place.open()? {
        Some(file) => file.read()?,
        None => None,
    };
    let entries = &recorded.entries;
    let path = recorded.path.to_string_lossy();
    let attempt = |notes: &Notes, covered| {
        let session = Session {
            entries,
            notes: Some(notes),
            covered,
            transcript_path: Some(&path),
        };
        compact(&session, &CompactLimits::default(), &recorded.counter())
    };
    if let Some(committed) = committed {
        let cursor = committed.cursor.as_ref();
        let covered = cursor.and_then(|cursor| cursor.find(entries));
        match attempt(&committed.notes, covered) {
            Err(WhyNot::NoNotes | WhyNot::TooMuchUnsummarised { .. }) => {
                speech.say("the session file is behind; notes are made for this once");
            }
            result => return Ok(result),
        }
    }
    let notes = Ledger::from_entries(entries).to_notes(&place.config.structure);
    Ok(attempt(&notes, entries.len().checked_sub(1)))
}

fn print(compacted: &Compacted, speech: Speech) -> Result<(), Failure> {
    if !speech.json {
        let mut out = io::stdout().lock();
        let text = format!(
            "{} tokens become {}: a summary and the newest {} messages",
            compacted.tokens_before,
            compacted.tokens_after,
            compacted.messages.len() - 1
        );
        writeln!(out, "{}", speech.paint(Style::Bold, &text))?;
        for item in &compacted.put_back {
            writeln!(out, "the host puts back: {}", clean(&put_back(item)))?;
        }
    }
    print_messages(&compacted.messages, speech)
}

fn put_back(item: &PutBack) -> String {
    match item {
        PutBack::InstructionFiles => "the instruction files, read again".to_owned(),
        PutBack::SessionName => "the session's name".to_owned(),
        PutBack::Plan(_) => "the plan".to_owned(),
        PutBack::Todo(_) => "the to-do list".to_owned(),
        PutBack::RunningAgents(agents) => format!("{} running agents", agents.len()),
        PutBack::ReadFiles(files) => format!("the state of {} read files", files.len()),
        _ => "more".to_owned(),
    }
}

/// As the API takes them: role and content, and nothing of ours.
fn print_messages(messages: &[Message], speech: Speech) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (index, message) in messages.iter().enumerate() {
        if speech.json {
            let content: Vec<_> = message.content.iter().map(Block::to_json).collect();
            let object = json!({ "role": message.role.as_str(), "content": content });
            writeln!(out, "{object}")?;
        } else {
            let role = format!("{:>4} {:9}", index + 1, message.role.as_str());
            let line = shown(message);
            writeln!(out, "{} {}", speech.paint(Style::Dim, &role), clean(&line))?;
        }
    }
    out.flush()?;
    Ok(())
}

/// A message on one line.
fn shown(message: &Message) -> String {
    const MOST_CHARS: usize = 100;
    let parts = message.content.iter().map(|block| match block {
        Block::Text(text) => {
            let mut chars = text.trim().chars();
            let start: String = chars.by_ref().take(MOST_CHARS).collect();
            let more = if chars.next().is_some() { " …" } else { "" };
            format!("{start}{more}")
        }
        Block::ToolUse(call) => format!("[call {}]", call.name),
        Block::ToolResult(result) if result.is_error => "[failed result]".to_owned(),
        Block::ToolResult(_) => "[result]".to_owned(),
        Block::Image(_) => "[image]".to_owned(),
        _ => "[other]".to_owned(),
    });
    parts.collect::<Vec<_>>().join(" ")
}

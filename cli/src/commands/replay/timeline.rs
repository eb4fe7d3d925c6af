//! The timeline for people: turn by turn, what was said and what came of it.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use memstrata::extract::{Action, Decided};
use memstrata::memdir::Timestamp;
use memstrata::recall::Recalled;

use super::event::{Event, Header, Secret, SessionFile, Summary, What};
use crate::terminal::{Speech, Style, clean, counted};

/// Characters of what was said, of a quote and of a line of the session file.
const MOST_CHARS: usize = 96;

/// New lines of the session file that are shown of one update.
const MOST_NOTES: usize = 4;

/// Writes events as they come, a turn at a time.
pub(super) struct Timeline {
    speech: Speech,
    zone: TimeZone,
    shows_all: bool,
    turn: Option<Turn>,
    /// Turns in which nothing happened, since the last line.
    quiet: usize,
    day: String,
    /// The folder that the session worked in, which goes without saying.
    folder: Option<String>,
}

struct Turn {
    number: u64,
    clock: String,
    text: String,
    worked: String,
    lines: Vec<String>,
}

impl Timeline {
    pub(super) fn new(speech: Speech, zone: TimeZone, shows_all: bool) -> Self {
        Self {
            speech,
            zone,
            shows_all,
            turn: None,
            quiet: 0,
            day: String::new(),
            folder: None,
        }
    }

    /// Takes one event; what is complete is written.
    pub(super) fn event(&mut self, out: &mut dyn Write, event: &Event) -> io::Result<()> {
        let lines = match &event.what {
            What::Said { text, .. } => {
                self.flush(out)?;
                self.begin_day(out, event.time)?;
                self.turn = Some(Turn {
                    number: event.turn,
                    clock: self.local(event.time, "%H:%M"),
                    text: shortened(text, MOST_CHARS),
                    worked: String::new(),
                    lines: Vec::new(),
                });
                return Ok(());
            }
            What::Worked { calls, failed, .. } => {
                if let Some(turn) = &mut self.turn {
                    turn.worked = worked(*calls, *failed);
                }
                return Ok(());
            }
            What::Session(header) => {
                self.flush(out)?;
                self.day.clear();
                self.folder.clone_from(&header.folder);
                return self.header(out, event, header);
            }
            What::PassedOver { file, reason } | What::Unreadable { file, reason } => {
                self.flush(out)?;
                let is_failure = matches!(event.what, What::Unreadable { .. });
                let style = if is_failure { Style::Red } else { Style::Dim };
                let verb = if is_failure {
                    "unreadable"
                } else {
                    "passed over"
                };
                let line = format!("{verb}  {}: {}", clean(file), clean(reason));
                return writeln!(out, "\n{}", self.speech.paint(style, &line));
            }
            What::Prompt { tokens, memories } => {
                let known = counted(*memories, "memory", "memories");
                vec![self.line(
                    Style::Dim,
                    "begins",
                    &format!("with a prompt of {tokens} tokens, {known} known"),
                )]
            }
            What::Secret(found) => vec![self.line(
                Style::Red,
                "stopped",
                &format!("{} in what you said: it is kept nowhere", article(found)),
            )],
            What::Recalled { memories, .. } => memories
                .iter()
                .flat_map(|memory| self.recalled(memory))
                .collect(),
            What::Memory(decided) => self.memory(decided),
            What::SessionFile(file) => self.session_file(file),
            What::Write {
                path,
                is_allowed,
                reason,
                secrets,
            } => self.write(path.as_deref(), *is_allowed, reason, secrets),
            What::Compaction {
                trigger,
                kept,
                reason,
            } => {
                let when = match trigger {
                    Some(_) => "here the context was compacted",
                    None => "a compaction now",
                };
                let text = match (kept, reason) {
                    (Some(kept), _) => format!(
                        "{when}: {} tokens become {}, a summary from the {} and the newest {}, {} of them yours",
                        kept.tokens_before,
                        kept.tokens_after,
                        kept.summary.as_str().replace('-', " "),
                        counted(kept.messages, "message", "messages"),
                        kept.instructions,
                    ),
                    (None, Some(reason)) => format!("{when}: {}", clean(reason)),
                    (None, None) => when.to_owned(),
                };
                if trigger.is_none() && kept.is_none() {
                    Vec::new()
                } else {
                    vec![self.line(Style::Bold, "kept", &text)]
                }
            }
            What::Trouble {
                part,
                reason,
                is_failure,
            } => {
                let style = if *is_failure { Style::Red } else { Style::Dim };
                let label = if *is_failure { "failed" } else { "left out" };
                vec![self.line(style, label, &format!("{part}: {}", clean(reason)))]
            }
            What::Ended => return self.flush(out),
            What::Summary(summary) => {
                self.flush(out)?;
                return self.summary(out, summary);
            }
        };
        match &mut self.turn {
            Some(turn) => turn.lines.extend(lines),
            None => {
                for line in lines {
                    writeln!(out, "{line}")?;
                }
            }
        }
        Ok(())
    }

    /// Writes the turn that is complete.
    fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(turn) = self.turn.take() {
            if turn.lines.is_empty() && !self.shows_all {
                self.quiet += 1;
                return Ok(());
            }
            self.say_quiet(out)?;
            let head = format!("{:>4}  {}  ", turn.number, turn.clock);
            let text = self.speech.paint(Style::Bold, &turn.text);
            let worked = self.speech.paint(Style::Dim, &turn.worked);
            writeln!(
                out,
                "{}{text}{worked}",
                self.speech.paint(Style::Dim, &head)
            )?;
            for line in turn.lines {
                writeln!(out, "{line}")?;
            }
            return Ok(());
        }
        self.say_quiet(out)
    }

    fn say_quiet(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match std::mem::take(&mut self.quiet) {
            0 => Ok(()),
            quiet => {
                let turns = counted(quiet, "turn", "turns");
                let line = format!("             {turns} without an event");
                writeln!(out, "{}", self.speech.paint(Style::Dim, &line))
            }
        }
    }

    fn begin_day(&mut self, out: &mut dyn Write, time: Timestamp) -> io::Result<()> {
        let day = self.local(time, "%A, %Y-%m-%d");
        if day != self.day {
            self.say_quiet(out)?;
            writeln!(out, "\n{}", self.speech.paint(Style::Bold, &day))?;
            self.day = day;
        }
        Ok(())
    }

    fn header(&self, out: &mut dyn Write, event: &Event, header: &Header) -> io::Result<()> {
        let name = header.file.rsplit(['/', '\\']).next().unwrap_or_default();
        writeln!(
            out,
            "\n{}",
            self.speech
                .paint(Style::Bold, &format!("== {}", clean(name)))
        )?;
        let mut facts = Vec::new();
        match header.format.as_deref() {
            Some("claude-code") => facts.push("Claude Code".to_owned()),
            Some("codex") => facts.push("Codex CLI".to_owned()),
            Some("gemini-cli") => facts.push("Gemini CLI".to_owned()),
            Some(format) => facts.push(format.to_owned()),
            None => {}
        }
        facts.push(counted(header.turns, "turn", "turns"));
        facts.push(counted(header.messages, "message", "messages"));
        if let Some(folder) = &header.folder {
            facts.push(format!("in {}", clean(folder)));
        }
        facts.push(format!("session {}", clean(&event.session)));
        writeln!(
            out,
            "   {}",
            self.speech.paint(Style::Dim, &facts.join(", "))
        )?;
        if let Some(skipped) = &header.skipped {
            writeln!(
                out,
                "   {}",
                self.speech.paint(Style::Yellow, &clean(skipped))
            )?;
        }
        Ok(())
    }

    fn recalled(&self, memory: &Recalled) -> Vec<String> {
        let whose = if memory.is_team() { "team, " } else { "" };
        let text = format!("{}  ({whose}{})", clean(&memory.name), memory.age);
        let why = format!("matched: {}", clean(&memory.why.to_string()));
        let mut lines = vec![
            self.line(Style::Green, "recalled", &text),
            self.line(Style::Dim, "", &shortened(&why, MOST_CHARS + 20)),
        ];
        if let Some(verified) = &memory.verified
            && !verified.claims.is_empty()
        {
            let is_gone = verified.gone() > 0;
            let (style, label) = if is_gone {
                (Style::Yellow, "but")
            } else {
                (Style::Dim, "checked")
            };
            lines.push(self.line(style, label, &clean(&verified.to_string())));
        }
        lines
    }

    fn memory(&self, decided: &Decided) -> Vec<String> {
        let name = decided.name.as_deref().or(decided.path.as_deref());
        let (style, label) = match decided.action {
            Action::Created => (Style::Green, "learned"),
            Action::Updated => (Style::Green, "updated"),
            Action::Proposed => (Style::Green, "proposed"),
            Action::Refused => (Style::Yellow, "refused"),
            Action::Failed => (Style::Red, "failed"),
            _ if decided.code == "own-write" => {
                let text = "nothing more: the agent saved a memory itself, and that counts";
                return vec![self.line(Style::Dim, "learned", text)];
            }
            // A turn without anything to keep is the usual one.
            _ if name.is_none() => return Vec::new(),
            _ => (Style::Dim, "skipped"),
        };
        let kind = decided
            .memory_type
            .map_or("", memstrata::memdir::MemoryType::as_str);
        let text = format!("{kind}: {}", clean(name.unwrap_or("the turn")));
        let mut lines = vec![self.line(style, label, text.trim_start_matches(": "))];
        if !decided.action.is_write() {
            lines.push(self.line(Style::Dim, "", &format!("because {}", clean(&decided.why))));
        }
        if let Some(quote) = &decided.quote {
            let quote = format!("because you said: {}", shortened(quote, MOST_CHARS));
            lines.push(self.line(Style::Dim, "", &quote));
        }
        lines
    }

    fn write(
        &self,
        path: Option<&str>,
        is_allowed: bool,
        reason: &str,
        secrets: &[Secret],
    ) -> Vec<String> {
        let path = clean(path.unwrap_or("a file whose name is not allowed")).into_owned();
        if is_allowed && secrets.is_empty() {
            return vec![self.line(
                Style::Green,
                "saved",
                &format!("{path}, by the agent itself"),
            )];
        }
        let mut lines = Vec::new();
        let (style, label) = if is_allowed {
            (Style::Yellow, "warned")
        } else {
            (Style::Red, "stopped")
        };
        let what = match secrets.first() {
            Some(found) => format!("{} in {path}, line {}", article(found), found.line),
            None => format!("a write of {path}"),
        };
        lines.push(self.line(style, label, &what));
        if !reason.is_empty() {
            lines.push(self.line(Style::Dim, "", &shortened(reason, MOST_CHARS + 40)));
        }
        lines
    }

    fn session_file(&self, file: &SessionFile) -> Vec<String> {
        let head = format!(
            "session file {}: {} tokens for a context of {}",
            file.revision, file.tokens, file.context_tokens
        );
        let mut lines = vec![self.line(Style::Bold, "noted", &head)];
        // One line of each section first, so that no section hides the others.
        let mut added: Vec<(usize, &str, &str)> = Vec::new();
        for change in &file.changed {
            let new = change
                .added
                .iter()
                .filter(|line| line.starts_with(['-', '>']));
            added.extend(
                new.rev()
                    .enumerate()
                    .map(|(at, line)| (at, &*change.section, &**line)),
            );
        }
        added.sort_by_key(|(at, ..)| *at);
        let more = added.len().saturating_sub(MOST_NOTES);
        for (_, section, line) in added.into_iter().take(MOST_NOTES) {
            let line = line.trim_start_matches(['-', '>', ' ']);
            let line = match &self.folder {
                Some(folder) => line.replace(&format!("{folder}/"), ""),
                None => line.to_owned(),
            };
            let text = format!("+ {section}: {}", shortened(&line, MOST_CHARS - 20));
            lines.push(self.line(Style::Dim, "", &text));
        }
        if more > 0 {
            let text = format!("+ {}", counted(more, "more line", "more lines"));
            lines.push(self.line(Style::Dim, "", &text));
        }
        lines
    }

    fn summary(&self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let heading = format!(
            "\n== {}, {}, {}",
            counted(summary.sessions, "session", "sessions"),
            counted(summary.turns, "turn", "turns"),
            counted(summary.messages, "message", "messages"),
        );
        writeln!(out, "{}", self.speech.paint(Style::Bold, &heading))?;
        let mut row =
            |label: &str, text: String| writeln!(out, "{}", self.line(Style::Dim, label, &text));
        let memories = |count: usize| counted(count, "memory", "memories");
        row("learned", memories(summary.saved))?;
        if summary.written_by_agents > 0 {
            let writes = counted(summary.written_by_agents, "write", "writes");
            row("saved", format!("by agents themselves in {writes}"))?;
        }
        if summary.proposed + summary.refused > 0 {
            row(
                "waiting",
                format!(
                    "{} for a person, {} refused",
                    summary.proposed, summary.refused
                ),
            )?;
        }
        let recalled = counted(summary.recalled, "recall", "recalls");
        let with = counted(summary.recalls, "message", "messages");
        row(
            "recalled",
            match summary.recalled {
                0 => "no memory for any message".to_owned(),
                _ => format!(
                    "{recalled} for {with}; {} with something that is gone",
                    summary.gone
                ),
            },
        )?;
        row(
            "noted",
            format!(
                "the session file {}",
                counted(summary.session_file_updates, "time", "times")
            ),
        )?;
        row(
            "stopped",
            format!(
                "{} in what was said, {} of the agents",
                counted(summary.secrets, "credential", "credentials"),
                counted(summary.writes_stopped, "write", "writes"),
            ),
        )?;
        if summary.skipped_lines > 0 || summary.unreadable > 0 {
            row(
                "unread",
                format!(
                    "{}, {}",
                    counted(summary.skipped_lines, "line", "lines"),
                    counted(summary.unreadable, "file", "files"),
                ),
            )?;
        }
        if summary.failures > 0 {
            row("failed", counted(summary.failures, "time", "times"))?;
        }
        Ok(())
    }

    /// A label in its column, and what it is about.
    fn line(&self, style: Style, label: &str, text: &str) -> String {
        let label = format!("{label:>9}");
        format!("    {}  {text}", self.speech.paint(style, &label))
    }

    fn local(&self, time: Timestamp, format: &str) -> String {
        let time = jiff::Timestamp::from_nanosecond(time.nanoseconds()).unwrap_or_default();
        let zoned = jiff::ZonedDateTime::new(time, self.zone.clone());
        zoned.strftime(format).to_string()
    }
}

fn worked(calls: usize, failed: usize) -> String {
    match (calls, failed) {
        (0, _) => String::new(),
        (calls, 0) => format!("  [{}]", counted(calls, "call", "calls")),
        (calls, failed) => format!("  [{}, {failed} failed]", counted(calls, "call", "calls")),
    }
}

fn article(found: &Secret) -> String {
    format!("a credential ({})", found.label)
}

/// One line of at most so many characters, fit for a terminal.
fn shortened(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > most * 4 {
            break;
        }
    }
    let line = clean(&line);
    match line.char_indices().nth(most) {
        None => line.into_owned(),
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

//! What a replay tells: the events of the session, and those that only a recording has.

use memstrata::extract::Decided;
use memstrata::memdir::{SecretFinding, Timestamp, WriteDecision};
use memstrata::recall::Recalled;
use memstrata::secret_scan::Finding;
use memstrata::session::{Happened, Kept};
use serde_json::{Value, json};

use crate::commands::recall::show::memory_json;

/// One thing that happened in a replay.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) turn: u64,
    pub(super) time: Timestamp,
    pub(super) session: String,
    pub(super) what: What,
}

/// What it was.
#[derive(Debug)]
pub(super) enum What {
    /// A file was read and its session begins.
    Session(Header),
    /// A file was passed over.
    PassedOver { file: String, reason: String },
    /// A file could not be read.
    Unreadable { file: String, reason: String },
    /// The memory prompt that a session begins with.
    Prompt { tokens: usize, memories: usize },
    /// A person said something.
    Said {
        text: String,
        message_id: Option<String>,
    },
    /// A credential in what was said: the rule, never the value.
    Secret(Secret),
    /// What the agent did until it was a person's turn again.
    Worked {
        replies: usize,
        calls: usize,
        failed: usize,
    },
    /// Memories were recalled.
    Recalled {
        memories: Vec<Recalled>,
        dropped: usize,
        tokens: usize,
    },
    /// Extraction decided something.
    Memory(Decided),
    /// The session file grew.
    SessionFile(SessionFile),
    /// The agent wrote a memory by itself.
    Write {
        path: Option<String>,
        is_allowed: bool,
        reason: String,
        secrets: Vec<Secret>,
    },
    /// What a compaction keeps. `trigger` says what set off the recorded one; without one it is the end of the
    /// session, where it is asked what would be kept.
    Compaction {
        trigger: Option<String>,
        kept: Option<Kept>,
        reason: Option<String>,
    },
    /// Something was left out, or failed.
    Trouble {
        part: &'static str,
        reason: String,
        is_failure: bool,
    },
    /// A session is over.
    Ended,
    /// Everything is over.
    Summary(Summary),
}

/// A credential that was found: where, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Secret {
    pub(super) rule: &'static str,
    pub(super) label: &'static str,
    pub(super) line: u64,
}

impl From<&Finding> for Secret {
    fn from(found: &Finding) -> Self {
        Self {
            rule: found.rule(),
            label: found.label(),
            line: found.line(),
        }
    }
}

impl From<SecretFinding> for Secret {
    fn from(found: SecretFinding) -> Self {
        Self {
            rule: found.rule,
            label: found.label,
            line: found.line,
        }
    }
}

/// What is known of a session when it begins.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) file: String,
    pub(super) format: Option<String>,
    pub(super) folder: Option<String>,
    pub(super) title: Option<String>,
    pub(super) ended: Option<Timestamp>,
    pub(super) messages: usize,
    pub(super) turns: usize,
    /// What of the file could not be read, in one line.
    pub(super) skipped: Option<String>,
    pub(super) skipped_lines: u64,
}

/// An update of the session file.
#[derive(Debug)]
pub(super) struct SessionFile {
    pub(super) revision: u64,
    pub(super) author: &'static str,
    pub(super) tokens: usize,
    pub(super) context_tokens: u64,
    /// Each section that says something else now, with its new lines and how many are gone.
    pub(super) changed: Vec<Change>,
}

/// What is new in a section.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) section: String,
    pub(super) added: Vec<String>,
    pub(super) removed: usize,
}

/// Numbers over all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) sessions: usize,
    pub(super) turns: usize,
    pub(super) messages: usize,
    pub(super) saved: usize,
    pub(super) proposed: usize,
    pub(super) refused: usize,
    pub(super) written_by_agents: usize,
    pub(super) recalls: usize,
    pub(super) recalled: usize,
    pub(super) gone: usize,
    pub(super) session_file_updates: usize,
    pub(super) compactions: usize,
    pub(super) secrets: usize,
    pub(super) writes_stopped: usize,
    pub(super) skipped_lines: u64,
    pub(super) unreadable: usize,
    pub(super) failures: usize,
    pub(super) memory_dirs: Vec<String>,
}

impl What {
    /// Takes over an event of the session; nothing for what a replay tells in its own way or not at all.
    pub(super) fn of(happened: Happened) -> Option<Self> {
        Some(match happened {
            Happened::Recalled {
                memories,
                dropped,
                tokens,
                ..
            } => Self::Recalled {
                memories,
                dropped: dropped.len(),
                tokens,
            },
            Happened::Memory(decided) => Self::Memory(decided),
            Happened::WriteChecked {
                path,
                decision,
                reason,
                secrets,
            } => Self::Write {
                path,
                is_allowed: matches!(decision, WriteDecision::Allow | WriteDecision::Warn),
                reason,
                secrets: secrets.into_iter().map(Secret::from).collect(),
            },
            Happened::Skipped { part, reason } => Self::Trouble {
                part: part.as_str(),
                reason,
                is_failure: false,
            },
            Happened::Failed { part, reason } => Self::Trouble {
                part: part.as_str(),
                reason,
                is_failure: true,
            },
            _ => return None,
        })
    }

    /// The stable name of the event.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Session(_) => "session",
            Self::PassedOver { .. } => "passed-over",
            Self::Unreadable { .. } => "unreadable",
            Self::Prompt { .. } => "prompt",
            Self::Said { .. } => "said",
            Self::Secret(_) => "secret",
            Self::Worked { .. } => "worked",
            Self::Recalled { .. } => "recalled",
            Self::Memory(_) => "memory",
            Self::SessionFile(_) => "session-file",
            Self::Write { .. } => "write",
            Self::Compaction { .. } => "compaction",
            Self::Trouble {
                is_failure: true, ..
            } => "failed",
            Self::Trouble { .. } => "skipped",
            Self::Ended => "ended",
            Self::Summary(_) => "summary",
        }
    }

    fn fields(&self) -> Value {
        match self {
            Self::Session(header) => json!({
                "file": header.file,
                "format": header.format,
                "folder": header.folder,
                "title": header.title,
                "ended": header.ended.map(|time| time.to_string()),
                "messages": header.messages,
                "turns": header.turns,
                "skipped": header.skipped,
                "skipped_lines": header.skipped_lines,
            }),
            Self::PassedOver { file, reason } | Self::Unreadable { file, reason } => {
                json!({ "file": file, "reason": reason })
            }
            Self::Prompt { tokens, memories } => json!({ "tokens": tokens, "memories": memories }),
            Self::Said { text, message_id } => json!({ "text": text, "message_id": message_id }),
            Self::Secret(found) => secret_json(found),
            Self::Worked {
                replies,
                calls,
                failed,
            } => json!({ "replies": replies, "calls": calls, "failed": failed }),
            Self::Recalled {
                memories,
                dropped,
                tokens,
            } => json!({
                "memories": memories.iter().map(memory_json).collect::<Vec<_>>(),
                "dropped": dropped,
                "tokens": tokens,
            }),
            Self::Memory(decided) => json!({
                "action": decided.action.as_str(),
                "code": decided.code,
                "why": decided.why,
                "path": decided.path,
                "name": decided.name,
                "type": decided.memory_type.map(memstrata::memdir::MemoryType::as_str),
                "message_id": decided.message_id,
                "quote": decided.quote,
            }),
            Self::SessionFile(file) => json!({
                "revision": file.revision,
                "author": file.author,
                "tokens": file.tokens,
                "context_tokens": file.context_tokens,
                "changed": file.changed.iter().map(|change| json!({
                    "section": change.section,
                    "added": change.added,
                    "removed": change.removed,
                })).collect::<Vec<_>>(),
            }),
            Self::Write {
                path,
                is_allowed,
                reason,
                secrets,
            } => json!({
                "path": path,
                "allowed": is_allowed,
                "reason": reason,
                "secrets": secrets.iter().map(secret_json).collect::<Vec<_>>(),
            }),
            Self::Compaction {
                trigger,
                kept,
                reason,
            } => json!({
                "recorded": trigger.is_some(),
                "trigger": trigger,
                "tokens_before": kept.as_ref().map(|kept| kept.tokens_before),
                "tokens_after": kept.as_ref().map(|kept| kept.tokens_after),
                "messages": kept.as_ref().map(|kept| kept.messages),
                "instructions": kept.as_ref().map(|kept| kept.instructions),
                "summary": kept.as_ref().map(|kept| kept.summary.as_str()),
                "reason": reason,
            }),
            Self::Trouble { part, reason, .. } => json!({ "part": part, "reason": reason }),
            Self::Ended => json!({}),
            Self::Summary(summary) => summary.json(),
        }
    }
}

fn secret_json(found: &Secret) -> Value {
    json!({ "rule": found.rule, "label": found.label, "line": found.line })
}

impl Summary {
    fn json(&self) -> Value {
        json!({
            "sessions": self.sessions,
            "turns": self.turns,
            "messages": self.messages,
            "saved": self.saved,
            "proposed": self.proposed,
            "refused": self.refused,
            "written_by_agents": self.written_by_agents,
            "recalls": self.recalls,
            "recalled": self.recalled,
            "gone": self.gone,
            "session_file_updates": self.session_file_updates,
            "compactions": self.compactions,
            "secrets": self.secrets,
            "writes_stopped": self.writes_stopped,
            "skipped_lines": self.skipped_lines,
            "unreadable": self.unreadable,
            "failures": self.failures,
            "memory_dirs": self.memory_dirs,
        })
    }

    /// Counts an event.
    pub(super) fn count(&mut self, what: &What) {
        use memstrata::extract::Action;
        match what {
            What::Session(header) => {
                self.sessions += 1;
                self.messages += header.messages;
                self.skipped_lines += header.skipped_lines;
            }
            What::Unreadable { .. } => self.unreadable += 1,
            What::Said { .. } => self.turns += 1,
            What::Secret(_) => self.secrets += 1,
            What::Recalled { memories, .. } if !memories.is_empty() => {
                self.recalls += 1;
                self.recalled += memories.len();
                let is_gone = |memory: &&Recalled| {
                    let verified = memory.verified.as_ref();
                    verified.is_some_and(|verified| verified.gone() > 0)
                };
                self.gone += memories.iter().filter(is_gone).count();
            }
            What::Memory(decided) => match decided.action {
                Action::Created | Action::Updated => self.saved += 1,
                Action::Proposed => self.proposed += 1,
                Action::Refused => self.refused += 1,
                Action::Failed => self.failures += 1,
                _ => {}
            },
            What::SessionFile(_) => self.session_file_updates += 1,
            What::Write {
                is_allowed: true, ..
            } => self.written_by_agents += 1,
            What::Write { .. } => self.writes_stopped += 1,
            What::Compaction {
                trigger: Some(_), ..
            } => self.compactions += 1,
            What::Trouble {
                is_failure: true, ..
            } => self.failures += 1,
            _ => {}
        }
    }
}

impl Event {
    /// One JSON object on one line.
    pub(super) fn json(&self) -> Value {
        let mut object = json!({
            "event": self.what.name(),
            "turn": self.turn,
            "time": self.time.to_string(),
            "session": self.session,
        });
        if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), self.what.fields())
        {
            object.extend(fields);
        }
        object
    }
}

//! Which agent wrote a file.

use std::fmt;

use crate::lines::trim;
use crate::scan::{Raw, Text, form, read};

/// The form of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// Claude Code: JSON lines that are linked by `parentUuid`.
    ClaudeCode,
    /// OpenAI Codex CLI: rollout lines of `timestamp`, `type` and `payload`.
    Codex,
    /// Gemini CLI: JSON lines of records that later lines replace, or one JSON object with `messages`.
    GeminiCli,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
        })
    }
}

form! {
    /// What tells the formats apart. Key order varies and lines may lack most of these.
    struct Marks<'a> {
        kind: Text<'a> = "type",
        timestamp: Text<'a> = "timestamp",
        payload: Raw<'a> = "payload",
        project_hash: Text<'a> = "projectHash",
        set: Raw<'a> = "$set",
        rewind: Text<'a> = "$rewindTo",
        uuid: Text<'a> = "uuid",
        session_id: Text<'a> = "sessionId",
        leaf: Text<'a> = "leafUuid",
        snapshot: Raw<'a> = "isSnapshotUpdate",
        id: Text<'a> = "id",
        content: Raw<'a> = "content",
    }
}

impl Format {
    /// Returns the format of a file by its beginning, a few kilobytes are enough; `None` when no whole
    /// line in it tells.
    ///
    /// ```
    /// use agent_transcript::Format;
    ///
    /// let head = b"{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n{\"type\":\"us";
    /// assert_eq!(Format::detect(head), Some(Format::ClaudeCode));
    /// assert_eq!(Format::detect(b"# Notes\n"), None);
    /// ```
    pub fn detect(head: &[u8]) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n');
        lines.find_map(|line| Self::of_record(std::str::from_utf8(trim(line)).ok()?))
    }

    /// Returns the format that one line or record tells, if it tells any.
    pub(crate) fn of_record(line: &str) -> Option<Self> {
        let marks: Marks<'_> = read(line).ok()?;
        let kind = marks.kind.as_str();
        if marks.payload.0.is_some() && kind.is_some() && marks.timestamp.as_str().is_some() {
            return Some(Self::Codex);
        }
        let gemini_type = matches!(kind, Some("user" | "gemini" | "info" | "error" | "warning"));
        let record = gemini_type && marks.id.as_str().is_some() && marks.content.0.is_some();
        let change = marks.set.0.is_some() || marks.rewind.as_str().is_some();
        let claude = [&marks.uuid, &marks.session_id, &marks.leaf];
        if marks.project_hash.as_str().is_some() || (kind.is_none() && change) {
            return Some(Self::GeminiCli);
        }
        let claude =
            claude.iter().any(|mark| mark.as_str().is_some()) || marks.snapshot.0.is_some();
        if kind.is_some() && claude {
            return Some(Self::ClaudeCode);
        }
        record.then_some(Self::GeminiCli)
    }
}

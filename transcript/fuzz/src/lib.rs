//! What the targets do with their input; the stable replay test includes this file.

use agent_transcript::{Cursor, Format, Options, SubAgentInfo, Timestamp, Transcript};

/// Reads bytes as a Claude Code session.
///
/// # Panics
///
/// When a promise about what was read does not hold.
pub fn claude(data: &[u8]) {
    read(data, Some(Format::ClaudeCode));
}

/// Reads bytes as a Codex rollout.
///
/// # Panics
///
/// When a promise about what was read does not hold.
pub fn codex(data: &[u8]) {
    read(data, Some(Format::Codex));
}

/// Reads bytes as a Gemini CLI session.
///
/// # Panics
///
/// When a promise about what was read does not hold.
pub fn gemini(data: &[u8]) {
    read(data, Some(Format::GeminiCli));
}

/// Reads bytes as whatever they look like, and as everything small that stands beside sessions.
///
/// # Panics
///
/// When a promise about what was read does not hold.
pub fn detect(data: &[u8]) {
    read(data, None);
    let _ = SubAgentInfo::parse(data);
    if let Ok(cursor) = Cursor::from_bytes(data) {
        let again = Cursor::from_bytes(&cursor.to_bytes());
        assert!(again.is_ok_and(|again| again == cursor));
    }
    if let Some(time) = std::str::from_utf8(data).ok().and_then(Timestamp::parse) {
        assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
    }
}

fn read(data: &[u8], format: Option<Format>) {
    let mut options = Options::default()
        .with_name("fuzz")
        .with_max_result_bytes(64)
        .with_max_messages(50);
    options.format = format;
    let Ok(transcript) = Transcript::read(data, &options) else {
        return;
    };
    let report = transcript.report();
    let sorted = report.messages + report.notes + report.unknown + report.skipped_total();
    assert_eq!(report.lines, sorted, "every line is counted once");
    assert!(transcript.live().len() <= transcript.entries().len());
    let cursor = transcript.cursor();
    assert!(cursor.offset() <= data.len() as u64);
    let since = transcript.since(&cursor);
    assert!(since.entries.is_empty(), "nothing has come since");
    let mut parent = None;
    for entry in transcript.entries() {
        assert_eq!(entry.message.parent, parent, "links run along the thread");
        parent.clone_from(&entry.message.id);
        let _ = entry.person_text();
    }
}

//! Lines, limits, detection, documents.

use std::io::{self, BufRead, BufReader, Read};

use agent_transcript::{ErrorKind, FileRole, Format, Options, SkipReason, Transcript};
use serde_json::json;

use crate::support::{assistant, file, ids, read, read_with, user};

fn format(text: &str) -> Option<Format> {
    Transcript::read(text.as_bytes(), &Options::default())
        .unwrap()
        .session()
        .format
}

#[test]
fn the_format_is_found_out_from_the_first_line_that_tells() {
    let cases = [
        (
            r#"{"type":"user","uuid":"a","message":{}}"#,
            Format::ClaudeCode,
        ),
        (
            r#"{"message":{},"parentUuid":null,"sessionId":"s","type":"assistant"}"#,
            Format::ClaudeCode,
        ),
        (
            r#"{"type":"summary","summary":"x","leafUuid":"y"}"#,
            Format::ClaudeCode,
        ),
        (
            r#"{"type":"file-history-snapshot","messageId":"x","isSnapshotUpdate":false}"#,
            Format::ClaudeCode,
        ),
        (
            r#"{"payload":{},"type":"session_meta","timestamp":"2026-11-20T09:00:00Z"}"#,
            Format::Codex,
        ),
        (r#"{"sessionId":"g","projectHash":"h"}"#, Format::GeminiCli),
        (r#"{"$set":{"summary":"x"}}"#, Format::GeminiCli),
        (r#"{"$rewindTo":"m4"}"#, Format::GeminiCli),
        (
            r#"{"id":"m1","type":"user","content":"x"}"#,
            Format::GeminiCli,
        ),
        (
            "not json\n\n42\n{\"silly\":1}\n{\"type\":\"user\",\"uuid\":\"a\",\"message\":{}}",
            Format::ClaudeCode,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(format(text), Some(expected), "{text}");
        assert_eq!(Format::detect(text.as_bytes()), Some(expected), "{text}");
    }
    assert_eq!(format(""), None);
    assert_eq!(format(" \n\r\n\t\n"), None);
}

#[test]
fn a_format_that_is_given_is_not_looked_for() {
    let options = Options::default().with_format(Format::Codex);
    let transcript = read_with(
        "{\"type\":\"user\",\"uuid\":\"a\",\"message\":{}}\n",
        &options,
    );
    assert_eq!(transcript.session().format, Some(Format::Codex));
    assert_eq!(transcript.report().unknown, 1);
    assert_eq!(
        read_with("nothing of it\n", &options)
            .report()
            .skipped_total(),
        1
    );
}

#[test]
fn what_looks_like_no_session_is_refused() {
    let fails = |bytes: &[u8]| {
        Transcript::read(bytes, &Options::default())
            .unwrap_err()
            .kind()
    };
    assert_eq!(fails(b"# A text\n\nwith words\n"), ErrorKind::UnknownFormat);
    assert_eq!(fails(b"{\"a\":1}\n{\"b\":2}\n"), ErrorKind::UnknownFormat);
    assert_eq!(fails(b"{\n  \"a\": 1\n}\n"), ErrorKind::UnknownFormat);
    assert_eq!(
        fails(&[0x28, 0xB5, 0x2F, 0xFD, 1, 2]),
        ErrorKind::Compressed
    );
    assert_eq!(fails(&[0x1F, 0x8B, 8, 0]), ErrorKind::Compressed);
    let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(300_000)).repeat(20);
    assert_eq!(
        fails(long.as_bytes()),
        ErrorKind::UnknownFormat,
        "it gives up early"
    );
}

#[test]
fn each_bad_line_has_its_reason_and_its_place() {
    let good = user("a", None, "x").to_string();
    let deep = format!(
        "{{\"type\":\"user\",\"uuid\":\"d\",\"message\":{{\"content\":[{}]}}}}",
        "[".repeat(500) + &"]".repeat(500)
    );
    let lines: Vec<(Vec<u8>, Option<SkipReason>)> = vec![
        (good.clone().into_bytes(), None),
        (b"{\"type\":\"user\",".to_vec(), Some(SkipReason::CutOff)),
        (b"{\"type\":\"user\"}}".to_vec(), Some(SkipReason::NotJson)),
        (b"garbage".to_vec(), Some(SkipReason::NotJson)),
        (b"\"text\"".to_vec(), Some(SkipReason::NotAnObject)),
        (b"[1,2]".to_vec(), Some(SkipReason::NotAnObject)),
        (b"{\"a\":\"\xff\"}".to_vec(), Some(SkipReason::NotUtf8)),
        (vec![0; 40], Some(SkipReason::Zeros)),
        (deep.into_bytes(), Some(SkipReason::TooDeep)),
        (vec![b'x'; 3_000], Some(SkipReason::TooLong)),
        (
            br#"{"type":"user","uuid":"m"}"#.to_vec(),
            Some(SkipReason::NoMessage),
        ),
        (
            br#"{"type":"user","uuid":"m","message":{"content":7}}"#.to_vec(),
            Some(SkipReason::NoMessage),
        ),
    ];
    let mut bytes = Vec::new();
    let mut expected = Vec::new();
    for (number, (line, reason)) in lines.iter().enumerate() {
        if let Some(reason) = reason {
            expected.push((number as u64 + 1, bytes.len() as u64, *reason));
        }
        bytes.extend(line);
        bytes.push(b'\n');
    }
    let options = Options::default().with_max_line_bytes(2_000);
    let transcript = read_with(&bytes, &options);
    let skipped = transcript.report().skipped();
    let found: Vec<_> = skipped
        .iter()
        .map(|s| (s.line, s.offset, s.reason))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(
        transcript.report().to_string(),
        "12 lines: 1 with messages, 0 notes, 0 of unknown type, 11 skipped (2 no JSON, 1 cut off, \
         2 no JSON object, 1 nested too deep, 1 not UTF-8, 1 zero bytes, 1 too long, 2 no message in it)"
    );
}

#[test]
fn skipped_lines_and_types_are_listed_up_to_a_limit_and_counted_beyond() {
    let mut text = user("a", None, "x").to_string() + "\n";
    for n in 0..150 {
        text += "bad\n";
        text += &(json!({ "type": format!("kind-{n}"), "sessionId": "s" }).to_string() + "\n");
    }
    text += &json!({ "type": "x".repeat(1_000) }).to_string();
    let transcript = read(text);
    let report = transcript.report();
    assert_eq!(report.skipped().len(), agent_transcript::MAX_LISTED_SKIPS);
    assert_eq!(report.skipped_total(), 150);
    assert_eq!(report.unknown, 151);
    assert_eq!(report.by_type.len(), agent_transcript::MAX_LISTED_TYPES + 1);
    assert_eq!(report.by_type.values().sum::<u64>(), 152);
}

#[test]
fn marks_zeros_and_line_ends_around_a_line_do_no_harm() {
    let lines = [
        user("a", None, "1"),
        assistant("b", Some("a"), "2"),
        user("c", Some("b"), "3"),
    ];
    let [a, b, c] = lines.map(|line| line.to_string());
    let zeros = "\0".repeat(4_096);
    let text = format!("\u{FEFF}{a}\r\n\r\n \t{zeros}{b}{zeros}\r\n{c}");
    let transcript = read(text);
    assert_eq!(ids(&transcript), ["a", "b", "c"]);
    assert_eq!(
        (
            transcript.report().blank,
            transcript.report().skipped_total()
        ),
        (1, 0)
    );
}

/// Gives one byte at a time, and now and then an interruption.
struct Dribble<'a>(&'a [u8], bool);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let (Some((first, rest)), [slot, ..]) = (self.0.split_first(), buffer) else {
            return Ok(0);
        };
        *slot = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn a_stream_may_come_in_any_pieces() {
    let text = file(&[user("a", None, "1 ä 日本"), assistant("b", Some("a"), "2")]) + "bad\n\n";
    let whole = read(&text);
    for capacity in [1, 2, 3, 7, 64] {
        let input = BufReader::with_capacity(capacity, Dribble(text.as_bytes(), false));
        let pieces = Transcript::read(input, &Options::default()).unwrap();
        assert_eq!(pieces.entries(), whole.entries());
        assert_eq!(pieces.report(), whole.report());
        assert_eq!(pieces.cursor(), whole.cursor());
    }
}

#[test]
fn a_stream_that_fails_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let text = user("a", None, "1").to_string() + "\n";
    let input = BufReader::new(text.as_bytes().chain(Broken));
    assert!(input.buffer().is_empty());
    let error = Transcript::read(input, &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_line_over_the_limit_is_not_held_in_memory() {
    /// Endless text without a line break, up to a size that would not fit.
    struct Long(u64);
    impl Read for Long {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer
                .len()
                .min(usize::try_from(self.0).unwrap_or(usize::MAX));
            buffer[..count].fill(b'x');
            self.0 -= count as u64;
            Ok(count)
        }
    }
    let before = file(&[user("a", None, "1")]);
    let after = format!("\n{}", user("b", Some("a"), "2"));
    let input = before
        .as_bytes()
        .chain(Long(1 << 28))
        .chain(after.as_bytes());
    let options = Options::default().with_max_line_bytes(1 << 20);
    let transcript = Transcript::read(BufReader::new(input), &options).unwrap();
    assert_eq!(ids(&transcript), ["a", "b"]);
    assert_eq!(transcript.report().by_reason()[&SkipReason::TooLong], 1);
}

#[test]
fn json_printed_over_many_lines_is_read_as_what_it_is() {
    let lines = [user("a", None, "1"), assistant("b", Some("a"), "2")];
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap();
    let list = pretty(&json!(lines));
    let after_one_another = lines.iter().map(pretty).collect::<Vec<_>>().join("\n");
    for text in [list, after_one_another] {
        let transcript = read(&text);
        assert_eq!(ids(&transcript), ["a", "b"], "{text}");
        assert_eq!(transcript.report().lines, 2);
    }
    let torn = pretty(&lines[0]) + "\n{\n  \"type\": \"ass";
    let transcript = read(&torn);
    assert_eq!(ids(&transcript), ["a"]);
    assert_eq!(transcript.report().by_reason()[&SkipReason::CutOff], 1);
}

#[test]
fn a_document_over_the_limit_is_refused() {
    let text = serde_json::to_string_pretty(&user("a", None, &"x".repeat(5_000))).unwrap();
    let options = Options::default().with_max_line_bytes(1_000);
    let error = Transcript::read(text.as_bytes(), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLong);
}

#[test]
fn files_are_opened_by_path_and_anything_else_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent-ab12.jsonl");
    std::fs::write(&path, file(&[user("a", None, "1")])).unwrap();
    let transcript = Transcript::open(&path, &Options::default()).unwrap();
    assert_eq!(
        transcript.session().role,
        FileRole::SubAgent {
            id: Some("ab12".into())
        }
    );
    assert_eq!(transcript.cursor().file(), "agent-ab12.jsonl");
    let error = Transcript::open(folder.path(), &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAFile);
    assert_eq!(error.path(), Some(folder.path()));
    let missing = Transcript::open(folder.path().join("no"), &Options::default()).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert!(
        missing
            .to_string()
            .starts_with("the transcript cannot be read: "),
        "{missing}"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.jsonl");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let error = Transcript::open(&pipe, &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAFile);
}

#[test]
fn lines_are_found_by_their_offsets() {
    let text = file(&[user("a", None, "1"), assistant("b", Some("a"), "2 ä")])
        + "\r\n"
        + &file(&[user("c", Some("b"), "3")]);
    let transcript = read(&text);
    for entry in transcript.entries() {
        let from = usize::try_from(entry.offset).unwrap();
        let line = text.as_bytes()[from..].lines().next().unwrap().unwrap();
        let id = entry.message.id.as_ref().unwrap();
        assert!(line.contains(&format!("\"uuid\":\"{id}\"")));
    }
}

#[test]
fn hostile_files_cost_time_in_step_with_their_length() {
    // Each of these took the square of its length in a simpler reader. They are large enough that such a
    // reader would not end within the patience of a test runner.
    let count = 40_000_u32;
    let boundaries: String = (0..count)
        .flat_map(|n| {
            let root = json!({ "type": "system", "subtype": "compact_boundary", "uuid": format!("k{n}"), "parentUuid": null });
            let meta = json!({ "type": "user", "uuid": format!("m{n}"), "parentUuid": format!("k{n}"), "isMeta": true, "message": { "content": "x" } });
            [root.to_string(), "\n".into(), meta.to_string(), "\n".into()]
        })
        .collect();
    let answer: String = (0..count)
        .map(|n| {
            let block = json!({ "type": "text", "text": format!("{n}") });
            let message = json!({ "id": "one", "content": [block] });
            let parent = format!("a{}", n.wrapping_sub(1));
            json!({ "type": "assistant", "uuid": format!("a{n}"), "parentUuid": parent, "message": message }).to_string() + "\n"
        })
        .collect();
    let side: String = (0..count)
        .map(|n| {
            let parent = format!("s{}", (n + 1) % count);
            json!({ "type": "user", "uuid": format!("s{n}"), "parentUuid": parent, "isSidechain": true, "message": { "content": "x" } }).to_string() + "\n"
        })
        .collect();
    for text in [boundaries, answer, side] {
        let transcript = read(text);
        assert!(transcript.report().messages >= u64::from(count));
    }
    let wrap = |kind: &str, payload| {
        json!({ "timestamp": "t", "type": kind, "payload": payload }).to_string() + "\n"
    };
    let mut rollout = String::new();
    for _ in 0..count {
        let content = json!([{ "type": "input_text", "text": "<environment_context>" }]);
        rollout += &wrap(
            "response_item",
            json!({ "type": "message", "role": "user", "content": content }),
        );
    }
    for n in 0..count {
        rollout += &wrap(
            "event_msg",
            json!({ "type": "user_message", "message": format!("{n}") }),
        );
        rollout += &wrap(
            "event_msg",
            json!({ "type": "thread_rolled_back", "num_turns": 1 }),
        );
    }
    read(rollout);
}

#[test]
fn a_list_of_countless_items_is_too_long() {
    let items = "1,".repeat(200_000) + "1";
    let text =
        format!("{{\"type\":\"user\",\"uuid\":\"a\",\"message\":{{\"content\":[{items}]}}}}\n");
    let transcript = read(text + &file(&[user("b", None, "x")]));
    assert_eq!(ids(&transcript), ["b"]);
    assert_eq!(transcript.report().by_reason()[&SkipReason::TooLong], 1);
}

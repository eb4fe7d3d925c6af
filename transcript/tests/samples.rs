//! The recorded sessions, each with counts made by hand.
//!
//! They lie outside the repository; without them these tests say so and pass.

use std::collections::BTreeMap;
use std::path::Path;

use agent_transcript::{Entry, FileRole, Format, Options, Origin, SkipReason, Transcript};

use test_support::samples;

use crate::support::check_invariants;

const SPOTTER: &str = "claude-code/20-v2.1.39-layout/-home-dev-projects-spotter/\
    ae4a77f8-aedd-4bc1-888f-c94edc91af04";
const TEAPOT: &str = "claude-code/30-synthetic-v2.1.330/-home-dev-proj-teapot/\
    7d0f2c1e-6b58-4b7e-9a53-2f1d9c0b4a10";

fn open(folder: &Path, name: &str) -> Transcript {
    let transcript = Transcript::open(folder.join(name), &Options::default()).unwrap();
    check_invariants(&transcript);
    transcript
}

/// What a session holds, counted by hand.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    /// Lines: all, with messages, notes, of unknown type, skipped.
    lines: [u64; 5],
    /// Messages of the main thread: person, assistant, tool.
    talk: [usize; 3],
    /// Injected, command, command output, summary, interruption, error notice, system.
    rest: [usize; 7],
    /// Entries of each sub-agent in the file.
    sub_agents: Vec<usize>,
    /// Where the compactions lie.
    boundaries: Vec<usize>,
}

fn count(transcript: &Transcript) -> Counts {
    let report = transcript.report();
    let of = |origin: Origin| {
        transcript
            .entries()
            .iter()
            .filter(|e| e.origin == origin)
            .count()
    };
    let counts = Counts {
        lines: [
            report.lines,
            report.messages,
            report.notes,
            report.unknown,
            report.skipped_total(),
        ],
        talk: [of(Origin::Person), of(Origin::Assistant), of(Origin::Tool)],
        rest: [
            of(Origin::Injected),
            of(Origin::Command),
            of(Origin::CommandOutput),
            of(Origin::CompactSummary),
            of(Origin::Interruption),
            of(Origin::ErrorNotice),
            of(Origin::System),
        ],
        sub_agents: transcript
            .sub_agents()
            .iter()
            .map(|agent| agent.entries.len())
            .collect(),
        boundaries: transcript
            .boundaries()
            .iter()
            .map(|boundary| boundary.at)
            .collect(),
    };
    let all = counts.talk.iter().chain(&counts.rest).sum::<usize>();
    assert_eq!(
        all,
        transcript.entries().len(),
        "every message has one of these origins"
    );
    counts
}

#[test]
fn counts_of_messages_are_those_made_by_hand() {
    let Some(folder) = samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let spotter = format!("{SPOTTER}.jsonl");
    let spotter_agent = format!("{SPOTTER}/subagents/agent-aac57f5.jsonl");
    let spotter_fork = format!("{SPOTTER}/subagents/agent-acompact-946d2b.jsonl");
    let teapot = format!("{TEAPOT}.jsonl");
    let teapot_agent = format!("{TEAPOT}/subagents/agent-ab12cd3.jsonl");
    let none = [0; 7];
    let expected: Vec<(&str, Counts)> = vec![
        (
            "claude-code/01-v1.0.56-minimal.jsonl",
            Counts {
                lines: [2, 2, 0, 0, 0],
                talk: [1, 1, 0],
                rest: none,
                ..Counts::default()
            },
        ),
        (
            // Main: a question, a two-line answer with the Task call, its result, a last word.
            "claude-code/05-v1.0.71-inline-sidechain.jsonl",
            Counts {
                lines: [13, 13, 0, 0, 0],
                talk: [1, 2, 1],
                sub_agents: vec![6],
                ..Counts::default()
            },
        ),
        (
            "claude-code/08-v2.1.179-api-error-synthetic.jsonl",
            Counts {
                lines: [2, 2, 0, 0, 0],
                talk: [1, 0, 0],
                rest: [0, 0, 0, 0, 0, 1, 0],
                ..Counts::default()
            },
        ),
        (
            // The person typed a slash command only; two sub-agents of 7 and 15 lines run in between.
            "claude-code/10-v1.0.108-japanese-sidechain.jsonl",
            Counts {
                lines: [53, 53, 0, 0, 0],
                talk: [0, 10, 13],
                rest: [1, 1, 0, 0, 0, 0, 0],
                sub_agents: vec![6, 14],
                ..Counts::default()
            },
        ),
        (
            // Skipped: a string, a number, a list, a user line whose key is misspelt, and one whose
            // message is a string. The one without a type is unknown.
            "claude-code/12-v1.0-malformed-lines.jsonl",
            Counts {
                lines: [19, 12, 1, 1, 5],
                talk: [3, 4, 1],
                rest: [1, 1, 2, 0, 0, 0, 0],
                ..Counts::default()
            },
        ),
        (
            "claude-code/14-v2.0.28-thinking-snapshots.jsonl",
            Counts {
                lines: [26, 22, 4, 0, 0],
                talk: [2, 6, 4],
                rest: [1, 1, 1, 0, 0, 0, 0],
                ..Counts::default()
            },
        ),
        (
            "claude-code/16-v2.0.76-compact-boundary.jsonl",
            Counts {
                lines: [63, 47, 16, 0, 0],
                talk: [5, 12, 10],
                rest: [1, 1, 1, 1, 0, 0, 0],
                boundaries: vec![27],
                ..Counts::default()
            },
        ),
        (
            // One answer over five lines, two parallel calls, one of the results on a fork.
            "claude-code/18-v2.1.38-short.jsonl",
            Counts {
                lines: [15, 9, 6, 0, 0],
                talk: [1, 1, 2],
                rest: [0, 0, 0, 0, 1, 0, 0],
                ..Counts::default()
            },
        ),
        (
            // The window begins in the middle: the first parent is not in the file.
            &spotter,
            Counts {
                lines: [98, 66, 32, 0, 0],
                talk: [1, 21, 21],
                rest: [1, 1, 1, 1, 0, 0, 0],
                boundaries: vec![37],
                ..Counts::default()
            },
        ),
        (
            &spotter_agent,
            Counts {
                lines: [40, 28, 12, 0, 0],
                sub_agents: vec![16],
                ..Counts::default()
            },
        ),
        (
            &spotter_fork,
            Counts {
                lines: [2, 2, 0, 0, 0],
                sub_agents: vec![2],
                ..Counts::default()
            },
        ),
        (
            &teapot,
            Counts {
                lines: [40, 21, 18, 1, 0],
                talk: [2, 6, 4],
                rest: [3, 0, 0, 1, 1, 1, 0],
                boundaries: vec![11],
                ..Counts::default()
            },
        ),
        (
            &teapot_agent,
            Counts {
                lines: [2, 2, 0, 0, 0],
                sub_agents: vec![2],
                ..Counts::default()
            },
        ),
        (
            "codex/01-v0.66.0-session.jsonl",
            Counts {
                lines: [55, 21, 34, 0, 0],
                talk: [2, 7, 5],
                rest: [1, 0, 0, 0, 0, 0, 0],
                ..Counts::default()
            },
        ),
        (
            // Of four user items an event tells one to be the person's.
            "codex/03-v0.104-desktop-short.jsonl",
            Counts {
                lines: [19, 11, 8, 0, 0],
                talk: [1, 1, 0],
                rest: [3, 0, 0, 0, 0, 0, 4],
                ..Counts::default()
            },
        ),
        (
            "codex/05-v0.104-compacted.jsonl",
            Counts {
                lines: [243, 119, 124, 0, 0],
                talk: [2, 26, 34],
                rest: [0, 0, 0, 1, 0, 0, 5],
                boundaries: vec![38],
                ..Counts::default()
            },
        ),
        (
            "codex/20-synthetic-v0.160.jsonl",
            Counts {
                lines: [14, 7, 6, 1, 0],
                talk: [1, 2, 1],
                rest: [1, 0, 0, 1, 0, 0, 0],
                boundaries: vec![4],
                ..Counts::default()
            },
        ),
        (
            // Seven answers, five of them with a call that returned.
            "gemini-cli/01-session-json.json",
            Counts {
                lines: [10, 9, 1, 0, 0],
                talk: [2, 7, 5],
                ..Counts::default()
            },
        ),
        (
            // Four message lines: one replaced by a later one, one taken back.
            "gemini-cli/02-session-jsonl-synthetic.jsonl",
            Counts {
                lines: [9, 4, 5, 0, 0],
                talk: [1, 1, 1],
                ..Counts::default()
            },
        ),
    ];
    for (name, expected) in expected {
        assert_eq!(count(&open(&folder, name)), expected, "{name}");
    }
}

#[test]
fn damaged_files_lose_what_is_damaged_and_nothing_else() {
    let Some(folder) = samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let one = |reason: SkipReason| BTreeMap::from([(reason, 1)]);
    let expected: &[(&str, usize, BTreeMap<SkipReason, u64>, bool)] = &[
        ("truncated-last-line", 2, one(SkipReason::CutOff), true),
        ("nul-bytes-after-crash", 2, BTreeMap::new(), false),
        ("utf8-bom-and-crlf", 2, BTreeMap::new(), false),
        ("invalid-utf8", 2, one(SkipReason::NotUtf8), false),
        ("parent-cycle", 3, BTreeMap::new(), false),
        ("deep-nesting", 1, one(SkipReason::TooDeep), false),
        ("empty", 0, BTreeMap::new(), false),
    ];
    for (name, messages, reasons, unfinished) in expected {
        let transcript = open(&folder, &format!("claude-code/31-malformed/{name}.jsonl"));
        assert_eq!(transcript.entries().len(), *messages, "{name}");
        assert_eq!(transcript.report().by_reason(), reasons, "{name}");
        assert_eq!(transcript.report().unfinished, *unfinished, "{name}");
    }
}

#[test]
fn every_file_is_read() {
    let Some(folder) = samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let mut open_folders = vec![
        folder.join("claude-code"),
        folder.join("codex"),
        folder.join("gemini-cli"),
    ];
    let mut files = 0;
    while let Some(next) = open_folders.pop() {
        for item in std::fs::read_dir(next).unwrap() {
            let path = item.unwrap().path();
            let kind = path.extension().and_then(|e| e.to_str());
            if path.is_dir() {
                open_folders.push(path);
            } else if matches!(kind, Some("jsonl" | "json"))
                && !path.ends_with("agent-ab12cd3.meta.json")
            {
                check_invariants(&Transcript::open(&path, &Options::default()).unwrap());
                files += 1;
            }
        }
    }
    assert!(files >= 25, "{files} files");
}

#[test]
fn what_a_session_says_of_itself_is_read() {
    let Some(folder) = samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let teapot = open(&folder, &format!("{TEAPOT}.jsonl"));
    let session = teapot.session();
    assert_eq!(session.format, Some(Format::ClaudeCode));
    assert_eq!(session.role, FileRole::Session);
    assert_eq!(
        session.id.as_deref(),
        Some("7d0f2c1e-6b58-4b7e-9a53-2f1d9c0b4a10")
    );
    assert_eq!(
        session.title.as_deref(),
        Some("teapot tests"),
        "the person's own goes first"
    );
    assert_eq!(session.cwd.as_deref(), Some("/home/dev/proj/teapot"));
    assert_eq!(session.branch.as_deref(), Some("main"));
    assert_eq!(session.version.as_deref(), Some("2.1.330"));
    assert_eq!(
        session.started.unwrap().to_string(),
        "2026-11-20T09:00:01.000Z"
    );
    assert_eq!(
        session.ended.unwrap().to_string(),
        "2026-11-20T09:00:25.000Z"
    );
    let boundary = &teapot.boundaries()[0];
    assert_eq!(
        (boundary.trigger.as_deref(), boundary.tokens_before),
        (Some("auto"), Some(168_000))
    );
    assert_eq!(teapot.live().len(), 7);
    assert_eq!(teapot.live()[0].origin, Origin::CompactSummary);

    let codex = open(&folder, "codex/01-v0.66.0-session.jsonl");
    let session = codex.session();
    assert_eq!(session.provider.as_ref().unwrap().to_string(), "openai");
    assert_eq!(session.branch.as_deref(), Some("codex"));
    assert_eq!(session.version.as_deref(), Some("0.66.0"));
    let answer = &codex.entries()[2];
    assert_eq!(answer.model.as_deref(), Some("gpt-5.1-codex-max"));
    assert_eq!(answer.usage.unwrap().cache_read, 3_072);

    let agent = open(&folder, &format!("{SPOTTER}/subagents/agent-aac57f5.jsonl"));
    assert_eq!(
        agent.session().role,
        FileRole::SubAgent {
            id: Some("aac57f5".into())
        }
    );
    let fork = open(
        &folder,
        &format!("{SPOTTER}/subagents/agent-acompact-946d2b.jsonl"),
    );
    assert_eq!(fork.session().role, FileRole::CompactionFork);
}

#[test]
fn words_of_the_person_are_those_and_no_others() {
    let Some(folder) = samples(env!("CARGO_MANIFEST_DIR"), "") else {
        return;
    };
    let said = |name: &str| -> Vec<String> {
        let transcript = open(&folder, name);
        let words = transcript.entries().iter().map(Entry::person_text);
        words.filter(|text| !text.is_empty()).collect()
    };
    assert_eq!(
        said("claude-code/08-v2.1.179-api-error-synthetic.jsonl"),
        ["what is on my todo list today?"]
    );
    assert_eq!(
        said("claude-code/18-v2.1.38-short.jsonl"),
        ["mix phx.server doesnt seem to start"]
    );
    assert_eq!(
        said(&format!("{SPOTTER}.jsonl")),
        ["continue implementation"]
    );
    assert_eq!(
        said("codex/20-synthetic-v0.160.jsonl"),
        ["always squash-merge"]
    );
    assert_eq!(
        said("gemini-cli/02-session-jsonl-synthetic.jsonl"),
        ["use pnpm here"]
    );
    assert_eq!(
        said("claude-code/10-v1.0.108-japanese-sidechain.jsonl"),
        Vec::<String>::new()
    );
    let teapot = said(&format!("{TEAPOT}.jsonl"));
    assert_eq!(teapot.len(), 2);
    assert!(teapot[0].starts_with("From now on run `cargo nextest run -p teapot-core`"));
    assert!(teapot[1].starts_with("Nein, bitte keine deutschen Kommentare"));
}

//! What the whole life of a recorded session costs when it is long: time per byte stays what it is.
//!
//! Two histories, one that was never compacted and one that was at every 640 KB, from 1 to 50 MB. The baselines
//! run over the same files: reading one into memory, and reading its conversation. Then every message goes
//! through recall, session file, extraction and compaction by the rules, in a scratch home.
#![allow(missing_docs, reason = "criterion's macros write a public function")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use memstrata::memdir::Timestamp;
use memstrata::session::{Conversation, Session};
use memstrata::transcript::{Options, Origin, Pictures, Transcript};
use memstrata::{ManualClock, memdir};
use serde_json::{Value, json};

const MEGABYTES: [usize; 4] = [1, 5, 10, 50];

/// About the text of a window of 160,000 tokens.
const BETWEEN_COMPACTIONS: usize = 640_000;

const WORDS: [&str; 24] = [
    "parser", "lexer", "token", "store", "index", "recall", "memory", "session", "cursor",
    "ledger", "branch", "commit", "build", "cache", "queue", "worker", "thread", "socket",
    "buffer", "stream", "header", "footer", "config", "option",
];

/// Writes a session file of Claude Code's: turns with four calls of tools, their results, and an answer.
struct Writer {
    text: String,
    random: u64,
    lines: u32,
    parent: Value,
}

impl Writer {
    /// A small generator of our own (SplitMix64, public domain), so that every run has the same session.
    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len() as u64) as usize]
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn line(&mut self, mut line: Value) {
        self.lines += 1;
        let uuid = format!("00000000-0000-4000-8000-{:012}", self.lines);
        let (day, second) = (self.lines / 20_000, self.lines % 20_000 * 3);
        let (hour, minute) = (second / 3_600, second / 60 % 60);
        line["timestamp"] = json!(format!(
            "2026-03-{:02}T{hour:02}:{minute:02}:{:02}Z",
            day + 2,
            second % 60
        ));
        line["parentUuid"] = std::mem::replace(&mut self.parent, json!(uuid));
        line["uuid"] = json!(uuid);
        line["sessionId"] = json!("55604662-cf2a-4331-851a-ec234028f8ca");
        let _ = writeln!(self.text, "{line}");
    }

    fn user(&mut self, content: &Value) {
        self.line(json!({"type": "user", "message": {"role": "user", "content": content}}));
    }

    fn assistant(&mut self, id: &str, block: &Value) {
        let message =
            json!({"id": id, "model": "claude-opus-4-6", "role": "assistant", "content": [block]});
        self.line(json!({"type": "assistant", "message": message}));
    }

    fn turn(&mut self, turn: usize) {
        let said = if turn % 40 == 39 {
            let words = self.words(2);
            format!(
                "From now on, run the {words} checks number {turn} before you touch the parser."
            )
        } else {
            let words = self.words(12);
            format!("Now please change module {turn}, it should {words}.")
        };
        self.user(&json!(said));
        for step in 0..4 {
            let id = format!("msg_{}", self.lines);
            let text = format!("Let me look at {}.", self.words(12));
            self.assistant(&id, &json!({"type": "text", "text": text}));
            let call = format!("toolu_{}", self.lines);
            let path = format!("/app/src/{}_{}.rs", self.word(), self.below(200));
            let number = self.below(500);
            let (name, input, lines) = match step {
                0 => ("Read", json!({"file_path": path}), 60),
                1 => {
                    let (old, new) = (self.words(30), self.words(40));
                    (
                        "Edit",
                        json!({"file_path": path, "old_string": old, "new_string": new}),
                        10,
                    )
                }
                2 => (
                    "Bash",
                    json!({"command": format!("cargo test {}_{number}", self.word())}),
                    80,
                ),
                _ => (
                    "Bash",
                    json!({"command": format!("grep -rn {}{number} src", self.word())}),
                    20,
                ),
            };
            let block = json!({"type": "tool_use", "id": call, "name": name, "input": input});
            self.assistant(&id, &block);
            let mut output = String::new();
            for line in 0..lines {
                let words = self.words(8);
                let _ = writeln!(output, "{line:>6}  let {words} = self.{number}()?;");
            }
            let failed = step == 3 && self.below(3) == 0;
            let result = json!({"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed});
            self.user(&json!([result]));
        }
        let (id, text) = (format!("msg_{}", self.lines), self.words(60));
        self.assistant(
            &id,
            &json!({"type": "text", "text": format!("Done. {text}.")}),
        );
    }

    fn compaction(&mut self) {
        self.line(json!({"type": "system", "subtype": "compact_boundary",
            "compactMetadata": {"trigger": "auto", "preTokens": 155_000}}));
        let summary = self.words(600);
        let message = json!({"role": "user", "content": summary});
        self.line(json!({"type": "user", "isCompactSummary": true, "message": message}));
    }
}

fn session_file(bytes: usize, is_compacted: bool) -> String {
    let mut writer = Writer {
        text: String::with_capacity(bytes + bytes / 10),
        random: 7,
        lines: 0,
        parent: Value::Null,
    };
    let (mut turn, mut compacted_at) = (0, 0);
    while writer.text.len() < bytes {
        if is_compacted && writer.text.len() - compacted_at > BETWEEN_COMPACTIONS {
            compacted_at = writer.text.len();
            writer.compaction();
        }
        writer.turn(turn);
        turn += 1;
    }
    writer.text
}

fn open(file: &Path) -> Transcript {
    let options = Options::default().with_pictures(Pictures::Omit);
    Transcript::open(file, &options).expect("a session file")
}

fn time(time: memstrata::transcript::Timestamp) -> Timestamp {
    Timestamp::from_nanoseconds(i128::from(time.as_millis()) * 1_000_000)
}

/// Sends every message through a session, as `memstrata replay` does; returns how often the session file was
/// written.
fn live_through(file: &Path) -> usize {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
    std::fs::create_dir(&project).expect("a project");
    let transcript = open(file);
    let clock = Arc::new(ManualClock::new(Timestamp::from_seconds(0), 0));
    let session = Session::builder()
        .project(&project)
        .home(&home)
        .managed_settings(None)
        .clock(clock.clone())
        .wait_for_background(true)
        .volatile(true)
        .verify_time(Duration::ZERO)
        .start()
        .expect("a session");
    let whole = Conversation::from(&transcript);
    let mut boundaries = whole.boundaries().iter().peekable();
    for (index, entry) in whole.entries().iter().enumerate() {
        while let Some(boundary) = boundaries.next_if(|boundary| boundary.at <= index) {
            drop(session.compact(whole.up_to(boundary.at)));
        }
        clock.set(entry.time.map_or(Timestamp::from_seconds(0), time));
        match entry.origin {
            Origin::Person => drop(session.recall(&entry.person_text())),
            Origin::Assistant => {
                let so_far = whole.up_to(index + 1);
                session.after_reply(so_far.clone());
                if entry.message.tool_uses().next().is_none() {
                    session.end_of_turn(so_far);
                }
            }
            _ => {}
        }
    }
    drop(session.compact(whole));
    let memories = session.store().list(&memdir::ListOptions::default());
    assert!(memories.expect("a list").memories.len() > bytes_of(file) / 1_000_000 / 2);
    let committed = session.session_file().expect("readable");
    let revision = committed.expect("a session file").revision;
    session.end();
    revision as usize
}

fn bytes_of(file: &Path) -> usize {
    std::fs::metadata(file).expect("a file").len() as usize
}

fn long_sessions(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, is_compacted) in [("never compacted", false), ("compacted", true)] {
        let files: Vec<(usize, PathBuf)> = MEGABYTES
            .map(|megabytes| {
                let file = folder
                    .path()
                    .join(format!("{is_compacted}-{megabytes}.jsonl"));
                let text = session_file(megabytes * 1_000_000, is_compacted);
                std::fs::write(&file, text).expect("a file");
                (megabytes, file)
            })
            .into();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(1));
        group.measurement_time(Duration::from_millis(500));
        for (megabytes, file) in &files {
            let id = |what: &str| BenchmarkId::new(what, format!("{megabytes} MB"));
            group.throughput(Throughput::Bytes(bytes_of(file) as u64));
            group.bench_function(id("baseline: the bytes"), |bench| {
                bench.iter(|| std::fs::read(black_box(file)).expect("a file").len());
            });
            group.bench_function(id("baseline: the conversation"), |bench| {
                bench.iter(|| open(black_box(file)).entries().len());
            });
            group.bench_function(id("the whole life"), |bench| {
                bench.iter(|| live_through(black_box(file)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, long_sessions);
criterion_main!(benches);

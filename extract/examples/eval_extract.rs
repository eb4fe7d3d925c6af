//! The quality table: the extractor that asks no model beside two simple ones, on the data set in
//! `testdata/extract`.
//!
//! `cargo xtask eval extract` prints it. `-- --misses FILE` lists each message of a file that went wrong;
//! looking at the held half while rules are being changed would end its use.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use memdir::{Date, Timestamp};
use memdir_extract::{Proposal, Statement, offline};
use serde_json::Value;

/// When the messages are said: a Monday.
const SAID: &str = "2026-03-02T09:00:00Z";

/// The files, in the order in which they were written.
const FILES: [&str; 5] = ["tuned", "held", "fresh", "last", "blind"];

/// The words that the second baseline looks for.
const KEYWORDS: &[&str] = &[
    "remember",
    "always",
    "never",
    "from now on",
    "prefer",
    "i'm a",
    "i am a",
    "don't",
    "stop",
    "decided",
    "deadline",
    "dashboard",
    "记住",
    "以后",
    "永远",
    "每次",
    "喜欢",
    "我是",
    "不要",
    "别再",
    "决定",
];

/// One labelled message.
struct Case {
    id: String,
    language: String,
    group: String,
    text: String,
    expect: Vec<Expectation>,
}

/// A memory that a message holds.
struct Expectation {
    types: Vec<String>,
    words: Vec<String>,
}

/// What one extractor did on some messages.
#[derive(Default, Clone, Copy)]
struct Tally {
    messages: usize,
    expected: usize,
    proposed: usize,
    right: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.messages += other.messages;
        self.expected += other.expected;
        self.proposed += other.proposed;
        self.right += other.right;
    }

    fn precision(&self) -> String {
        share(self.right, self.proposed)
    }

    fn recall(&self) -> String {
        share(self.right, self.expected)
    }
}

fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "    —".to_owned(),
        _ => format!("{:5.3}", part as f64 / whole as f64),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shown = match arguments.as_slice() {
        [flag, file] if flag == "--misses" => Some(file.as_str()),
        _ => None,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/extract");
    for file in FILES {
        let path = folder.join(format!("{file}.jsonl"));
        let cases = read_cases(&path)?;
        if shown == Some(file) {
            list_misses(&cases)?;
        } else if shown.is_none() {
            print_table(file, &cases)?;
        }
    }
    Ok(())
}

fn read_cases(path: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let value: Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| -> Vec<String> {
            let items = value.as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let expect = value["expect"].as_array().into_iter().flatten();
        cases.push(Case {
            id: text("id"),
            language: text("lang"),
            group: text("group"),
            text: text("text"),
            expect: expect
                .map(|one| Expectation {
                    types: list(&one["type"]),
                    words: list(&one["words"]),
                })
                .collect(),
        });
    }
    Ok(cases)
}

fn propose(text: &str) -> Result<Vec<Proposal>, Box<dyn Error>> {
    let said: Timestamp = SAID.parse()?;
    let day = Date::new(2026, 3, 2).ok_or("a day")?;
    Ok(offline::propose(
        &[Statement::new(text).with_time(said)],
        day,
    ))
}

/// Whether a proposal is the expected memory: one of its types, and all its key words, of which each may
/// have alternatives.
fn fits(proposal: &Proposal, expectation: &Expectation) -> bool {
    let all = format!(
        "{}\n{}\n{}",
        proposal.name, proposal.description, proposal.body
    )
    .to_lowercase();
    let has = |words: &String| {
        words
            .split('|')
            .any(|word| all.contains(&word.to_lowercase()))
    };
    let typed = expectation
        .types
        .iter()
        .any(|name| name == proposal.memory_type.as_str());
    typed && expectation.words.iter().all(has)
}

fn judge(case: &Case, proposals: &[Proposal]) -> Tally {
    let found = |expectation: &&Expectation| proposals.iter().any(|one| fits(one, expectation));
    Tally {
        messages: 1,
        expected: case.expect.len(),
        proposed: proposals.len(),
        right: case.expect.iter().filter(found).count(),
    }
}

/// A baseline that saves whole messages: right when there was something to save, whatever its type.
fn saves_whole(case: &Case, saves: bool) -> Tally {
    Tally {
        messages: 1,
        expected: case.expect.len(),
        proposed: usize::from(saves),
        right: usize::from(saves && !case.expect.is_empty()),
    }
}

fn print_table(file: &str, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let nothing = cases.iter().filter(|case| case.expect.is_empty()).count();
    println!(
        "{file}: {} messages, {nothing} with nothing to save",
        cases.len()
    );
    println!("                      messages expected proposed right  precision recall");
    let mut groups: BTreeMap<String, Tally> = BTreeMap::new();
    let mut totals: BTreeMap<&str, Tally> = BTreeMap::new();
    for case in cases {
        let tally = judge(case, &propose(&case.text)?);
        groups
            .entry(format!("  {}", case.language))
            .or_default()
            .add(tally);
        let class = if case.expect.is_empty() {
            format!("  not: {}", case.group)
        } else {
            format!("  {}", case.group)
        };
        groups.entry(format!(" {class}")).or_default().add(tally);
        totals.entry("offline rules").or_default().add(tally);
        let lower = case.text.to_lowercase();
        let matched = KEYWORDS.iter().any(|word| lower.contains(word));
        totals
            .entry("baseline: key words")
            .or_default()
            .add(saves_whole(case, matched));
        totals
            .entry("baseline: every message")
            .or_default()
            .add(saves_whole(case, true));
    }
    let rows = groups.iter().map(|(name, tally)| (name.as_str(), tally));
    for (name, tally) in rows.chain(totals.iter().map(|(name, tally)| (*name, tally))) {
        println!(
            "{name:<24}{:>6}{:>9}{:>9}{:>6}      {}  {}",
            tally.messages,
            tally.expected,
            tally.proposed,
            tally.right,
            tally.precision(),
            tally.recall()
        );
    }
    println!();
    Ok(())
}

fn list_misses(cases: &[Case]) -> Result<(), Box<dyn Error>> {
    for case in cases {
        let proposals = propose(&case.text)?;
        let tally = judge(case, &proposals);
        if tally.right == tally.expected && tally.proposed == tally.expected {
            continue;
        }
        println!(
            "{} {} {}: {}",
            case.id, case.language, case.group, case.text
        );
        for one in &case.expect {
            println!(
                "    expected {} with {}",
                one.types.join(" or "),
                one.words.join(", ")
            );
        }
        for one in &proposals {
            println!("    proposed {}: {}", one.memory_type, one.description);
        }
    }
    Ok(())
}

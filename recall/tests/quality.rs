//! The bars of the ranking on the data set of `testdata/recall`. The table is printed by the example
//! `eval_recall`; here only what must not get worse is asserted.

use std::path::Path;

use memdir_recall::{Query, Recall, Surfaced};
use serde_json::Value;

use crate::support::{now, open, testdata};

const DEPTH: usize = 5;

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn ask(recall: &Recall, case: &Value, final_mode: bool) -> Vec<String> {
    let tools = strings(&case["recent_tools"]);
    let query = Query::new(case["query"].as_str().unwrap(), now())
        .with_surfaced(
            strings(&case["surfaced"])
                .iter()
                .map(|path| Surfaced::path(path)),
        )
        .with_recent_tools(tools.iter().map(String::as_str));
    let query = if final_mode {
        query
    } else {
        query.prefilter(DEPTH)
    };
    recall
        .rank(&query)
        .memories
        .iter()
        .map(|memory| memory.path.to_string())
        .collect()
}

/// What a set must reach: shares, and wrong files a query at most.
struct Bars {
    open: f64,
    gated: f64,
    quiet: f64,
    wrong: f64,
}

#[test]
fn the_data_set_is_answered_above_the_bars() {
    let bars = Bars {
        open: 0.83,
        gated: 0.75,
        quiet: 0.95,
        wrong: 0.25,
    };
    let (files, queries) = check(&testdata(), &bars);
    assert!(files >= 150 && queries >= 120);
}

/// Many of its queries share a word or none with the note they are about: a ranker without a model
/// finds them and cannot be sure of them. What it lets through must be right all the same.
#[test]
fn the_second_set_is_answered_without_wrong_files() {
    let bars = Bars {
        open: 0.83,
        gated: 0.55,
        quiet: 0.95,
        wrong: 0.1,
    };
    check(&testdata().join("second"), &bars);
}

/// Written from the specification alone, and never tuned on: what a stranger's folder may expect.
#[test]
fn the_third_set_is_answered_nearly_as_well_as_the_first() {
    let bars = Bars {
        open: 0.83,
        gated: 0.72,
        quiet: 0.9,
        wrong: 0.3,
    };
    let (files, queries) = check(&testdata().join("third"), &bars);
    assert!(files >= 150 && queries >= 120);
}

#[test]
fn small_talk_and_textbook_questions_recall_nothing() {
    let text = std::fs::read_to_string(testdata().join("smalltalk.txt")).unwrap();
    let messages: Vec<&str> = text.lines().collect();
    assert!(messages.len() > 250);
    for set in ["", "second", "third"] {
        let mut recall = open(&testdata().join(set).join("memories"), None);
        recall.refresh().unwrap();
        let answered: Vec<&&str> = messages
            .iter()
            .filter(|text| !recall.rank(&Query::new(text, now())).memories.is_empty())
            .collect();
        let share = answered.len() as f64 / messages.len() as f64;
        assert!(share <= 0.08, "{set}: {share:.3} {answered:?}");
    }
}

fn check(set: &Path, bars: &Bars) -> (usize, usize) {
    let mut recall = open(&set.join("memories"), None);
    let files = recall.refresh().unwrap().files;
    let text = std::fs::read_to_string(set.join("queries.jsonl")).unwrap();
    let cases: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut open_recall, mut final_recall, mut answerable) = (0.0, 0.0, 0.0);
    let (mut quiet, mut unanswerable, mut wrong) = (0.0, 0.0, 0.0);
    for case in &cases {
        let expected = strings(&case["expect"]);
        let forbidden = [strings(&case["forbid"]), strings(&case["surfaced"])].concat();
        let given = ask(&recall, case, true);
        for path in &given {
            assert!(
                !forbidden.contains(path),
                "{}: {path} is forbidden",
                case["id"]
            );
            assert!(!path.contains(".conflict-"), "{path}");
        }
        assert!(given.len() <= DEPTH);
        let hits =
            |answer: &[String]| answer.iter().filter(|path| expected.contains(path)).count() as f64;
        wrong += given.len() as f64 - hits(&given);
        if expected.is_empty() {
            unanswerable += 1.0;
            quiet += f64::from(u8::from(given.is_empty()));
        } else {
            let most = expected.len().min(DEPTH) as f64;
            answerable += 1.0;
            open_recall += hits(&ask(&recall, case, false)) / most;
            final_recall += hits(&given) / most;
        }
    }
    let figures = format!(
        "no gate {:.3}, final {:.3}, quiet {:.3}, wrong a query {:.3}",
        open_recall / answerable,
        final_recall / answerable,
        quiet / unanswerable,
        wrong / cases.len() as f64,
    );
    assert!(open_recall / answerable >= bars.open, "{figures}");
    assert!(final_recall / answerable >= bars.gated, "{figures}");
    assert!(quiet / unanswerable >= bars.quiet, "{figures}");
    assert!(wrong / cases.len() as f64 <= bars.wrong, "{figures}");
    (files, cases.len())
}

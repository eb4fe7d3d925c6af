//! The bars of the ranking on the data set of `testdata/recall`. The table is printed by the example
//! `eval_recall`; here only what must not get worse is asserted.

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

#[test]
fn the_data_set_is_answered_above_the_bars() {
    let mut recall = open(&testdata().join("memories"), None);
    assert!(recall.refresh().unwrap().files >= 150);
    let text = std::fs::read_to_string(testdata().join("queries.jsonl")).unwrap();
    let cases: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() >= 120);
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
    assert!(open_recall / answerable >= 0.83, "{figures}");
    assert!(final_recall / answerable >= 0.75, "{figures}");
    assert!(quiet / unanswerable >= 0.95, "{figures}");
    assert!(wrong / cases.len() as f64 <= 0.25, "{figures}");
}

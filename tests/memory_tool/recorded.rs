//! Every recorded step gives one of the two helpers' answers, or the documented text where that is
//! preferred; `docs/MEMORY-TOOL.md` says why for each.

use std::path::Path;

use serde_json::{Value, json};

use super::{ask, on_folder};

/// Steps whose answer is neither of the recorded ones: case, step, our answer, whether it is an error.
const OURS: &[(&str, usize, &str, bool)] = &[
    // The documentation has the prefix `Error: `, which both helpers leave out.
    (
        "create-root",
        0,
        "Error: File /memories already exists",
        true,
    ),
    (
        "delete-missing",
        0,
        "Error: The path /memories/none does not exist",
        true,
    ),
    (
        "rename-missing",
        0,
        "Error: The path /memories/none does not exist",
        true,
    ),
    // A missing `new_str` deletes, as the parameter's description says.
    (
        "str-replace-new-omitted",
        1,
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     \
         1\ta\n     2\t",
        false,
    ),
    // The documented sentence with the range that the Python helper has.
    (
        "insert-past-end",
        1,
        "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
        true,
    ),
    (
        "insert-past-end",
        2,
        "Error: Invalid `insert_line` parameter: 99. It should be within the range of lines of the file: [0, 3]",
        true,
    ),
    (
        "insert-past-end",
        3,
        "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 3]",
        true,
    ),
    // The helpers let the operating system's words through, with the path of the machine in them.
    (
        "rename-into-itself",
        1,
        "Error: /memories/d cannot be renamed to /memories/d/e: a directory cannot move into itself",
        true,
    ),
    (
        "path-too-long",
        0,
        "Error: Path /memories/LONG is not allowed: a component is longer than 255 bytes",
        true,
    ),
    // Both helpers compare text, so that a neighbour of the folder counts as inside.
    (
        "path-outside",
        3,
        "Path must start with /memories, got: /memoriesX/a",
        true,
    ),
    (
        "path-outside",
        4,
        "Path must start with /memories, got: /memories_backup",
        true,
    ),
    // Encoded dots and backslashes are refused, not looked up.
    (
        "path-outside",
        5,
        "Error: Path /memories/%2e%2e/%2e%2e/etc/passwd is not allowed: its percent escapes hide a dot component",
        true,
    ),
    (
        "path-outside",
        6,
        "Error: Path /memories/..\\..\\x is not allowed: it holds a backslash",
        true,
    ),
];

const LONG: usize = 300;

#[test]
fn every_recorded_step_is_answered_as_a_helper_or_the_documentation_does() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/samples/memory-tool/helper-vectors.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!(
            "MISSING: {}; the recorded answers were not compared",
            file.display()
        );
        return;
    };
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    let mut wrong = Vec::new();
    let (mut steps, mut ours) = (0, 0);
    for case in vectors["cases"].as_array().expect("cases") {
        let id = case["id"].as_str().expect("an id");
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let tool = on_folder(scratch.path());
        for (number, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
            steps += 1;
            let answer = ask(&tool, &expanded(&step["input"]));
            let said = comparable(&abbreviated(&answer.text));
            let is_recorded = ["python", "typescript"].iter().any(|helper| {
                let recorded = &step[helper];
                let (text, is_error) = match recorded["ok"].as_str() {
                    Some(text) => (text, false),
                    None => (recorded["text"].as_str().expect("a text"), true),
                };
                comparable(text) == said && is_error == answer.is_error
            });
            let is_ours = OURS.iter().any(|(case, step, text, is_error)| {
                (*case, *step, *is_error) == (id, number, answer.is_error) && *text == said
            });
            ours += usize::from(is_ours);
            if !is_recorded && !is_ours {
                wrong.push(format!("{id} step {number}: {answer:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(steps >= 50, "only {steps} steps were found");
    assert_eq!(ours, OURS.len(), "a listed difference is none any more");
}

/// The long name, which an answer cuts, as the recording writes it.
fn abbreviated(text: &str) -> String {
    let Some((begin, rest)) = text.split_once(&"n".repeat(LONG / 2)) else {
        return text.to_owned();
    };
    let rest = rest.trim_start_matches('n').trim_start_matches('…');
    format!("{begin}LONG{rest}")
}

/// The recording abbreviates long names and texts.
fn expanded(input: &Value) -> Value {
    let mut input = input.clone();
    if let Some(path) = input["path"].as_str() {
        input["path"] = json!(path.replace("/LONG", &format!("/{}", "n".repeat(LONG))));
    }
    let size = input["file_text"]
        .as_str()
        .and_then(|text| text.strip_prefix('K'))
        .and_then(|digits| digits.parse().ok());
    if let Some(size) = size {
        input["file_text"] = json!("x".repeat(size));
    }
    input
}

/// The sizes of folders depend on the file system, and the recording's on the one it was made on.
fn comparable(text: &str) -> String {
    if !text.starts_with("Here're the files") {
        return text.to_owned();
    }
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().to_owned();
    let rest = lines
        .enumerate()
        .map(|(at, line)| match line.split_once('\t') {
            // The first line is the folder that is viewed.
            Some((_, path)) if at == 0 || path.ends_with('/') => format!("-\t{path}"),
            _ => line.to_owned(),
        });
    [vec![header], rest.collect()].concat().join("\n")
}

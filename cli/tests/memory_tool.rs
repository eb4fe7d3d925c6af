//! `memstrata memory-tool`: one answer per line, on a folder or on the project's memory.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::schema;

const SCHEMA: &str = include_str!("../../docs/schemas/memory-tool.json");

fn run(home: &Home, arguments: &[&str], inputs: &[Value]) -> Run {
    let lines: Vec<String> = inputs.iter().map(Value::to_string).collect();
    let run = home
        .run_with(
            &[&["memory-tool"], arguments].concat(),
            lines.join("\n").as_bytes(),
        )
        .expect(0);
    schema::check(SCHEMA, &run);
    run
}

#[test]
fn inputs_are_answered_in_order_on_a_chosen_folder() {
    let home = Home::new();
    let run = run(
        &home,
        &["notes"],
        &[
            json!({"command": "create", "path": "/memories/a.md", "file_text": "one\n"}),
            json!({"command": "create", "path": "/memories/a.md", "file_text": "two\n"}),
            json!({"command": "view", "path": "/memories/a.md"}),
        ],
    );
    let texts: Vec<Value> = run.json().iter().map(|line| line["text"].clone()).collect();
    assert_eq!(
        texts,
        [
            "File created successfully at: /memories/a.md",
            "Error: File /memories/a.md already exists",
            "Here's the content of /memories/a.md with line numbers:\n     1\tone\n     2\t",
        ]
    );
    let file = home.project().join("notes/a.md");
    assert_eq!(std::fs::read_to_string(file).expect("a file"), "one\n");
}

#[test]
fn overwriting_is_allowed_only_when_asked_for() {
    let home = Home::new();
    let make =
        |text: &str| json!({"command": "create", "path": "/memories/a.md", "file_text": text});
    run(&home, &["notes"], &[make("one\n")]);
    let again = run(&home, &["notes", "--overwrite"], &[make("two\n")]);
    assert_eq!(again.json()[0]["is_error"], json!(false));
    let file = home.project().join("notes/a.md");
    assert_eq!(std::fs::read_to_string(file).expect("a file"), "two\n");
}

#[test]
fn without_a_folder_it_is_the_memory_of_the_project() {
    let home = Home::new();
    let text = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: feedback\n---\n\nTabs.\n";
    run(
        &home,
        &[],
        &[json!({"command": "create", "path": "/memories/feedback_tabs.md", "file_text": text})],
    );
    let shown = home.run(&["show", "Tabs"]).expect(0);
    assert!(shown.out.contains("Tabs."), "{}", shown.out);
    let history = home.run(&["history"]).expect(0).out;
    assert!(history.contains("memory-tool"), "{history}");
    home.run(&["undo"]).expect(0);
    home.run(&["show", "Tabs"]).expect(4);
}

#[test]
fn blank_damaged_and_huge_lines_do_not_stop_it() {
    let home = Home::new();
    let mut input = b"\n  \n{\n\xff\xfe\n".to_vec();
    input.extend(vec![b'x'; 9 << 20]);
    input.extend(b"\n{\"command\":\"view\",\"path\":\"/memories\"}");
    let run = home.run_with(&["memory-tool", "notes"], &input).expect(0);
    schema::check(SCHEMA, &run);
    let errors: Vec<bool> = run
        .json()
        .iter()
        .map(|line| line["is_error"] == json!(true))
        .collect();
    assert_eq!(errors, [true, true, true, false]);
}

#[test]
fn folders_that_hold_everything_are_refused() {
    let home = Home::new();
    for dir in ["/", "..", "/proc/self"] {
        home.run(&["memory-tool", dir]).expect(3);
    }
    home.file("plain.txt", "x");
    let run = home.run(&["memory-tool", "plain.txt"]);
    assert_ne!(run.code, Some(0), "{run:?}");
}

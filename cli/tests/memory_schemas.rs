//! The JSON of the commands on the memory folder has the shapes of `docs/schemas`.

use crate::harness::{Home, SAVE_ROLE};
use crate::schema;

macro_rules! schema {
    ($name:literal) => {
        include_str!(concat!("../../docs/schemas/", $name, ".json"))
    };
}

fn save(home: &Home, title: &str, body: &str) {
    let arguments = [
        "save",
        "--type",
        "project",
        "--name",
        title,
        "--description",
        "what it is",
    ];
    home.run(&[&arguments[..], &[body]].concat()).expect(0);
}

#[test]
fn every_command_prints_what_its_schema_says() {
    let home = Home::new();
    let run = |arguments: &[&str]| home.run(&[arguments, &["--json"]].concat()).expect(0);
    schema::check(schema!("where"), &run(&["where"]));
    save(&home, "Window", "one");
    save(&home, "Second", "two");
    schema::check(schema!("save"), &run(SAVE_ROLE));
    schema::check(schema!("list"), &run(&["list"]));
    schema::check(schema!("show"), &run(&["show", "window"]));
    schema::check(schema!("rename"), &run(&["rename", "Window", "Other"]));
    schema::check(schema!("forget"), &run(&["forget", "Other"]));
    schema::check(schema!("save"), &run(&["restore", "Other"]));
    schema::check(schema!("undo"), &run(&["undo"]));
    schema::check(schema!("history"), &run(&["history"]));
    schema::check(schema!("history"), &run(&["history", "Second"]));
    schema::check(schema!("purge"), &run(&["purge", "Other"]));
    schema::check(schema!("index"), &run(&["index"]));
    schema::check(schema!("index"), &run(&["index", "--rebuild"]));
    schema::check(schema!("log"), &run(&["log", "shipped"]));
    schema::check(schema!("prompt"), &run(&["prompt"]));
    schema::check(
        schema!("prompt"),
        &run(&["prompt", "--team", "--no-index-step"]),
    );
    schema::check(schema!("where"), &run(&["where"]));
    // A project without **Why:** is found.
    schema::check(schema!("check"), &home.run(&["check", "--json"]).expect(1));
}

#[test]
fn candidates_are_printed_as_their_schema_says_and_accepted_as_a_save() {
    let home = Home::new();
    save(&home, "Window", "one");
    let place = home.run(&["where", "--json"]).expect(0).json();
    let inbox = std::path::Path::new(place[0]["state_dir"].as_str().expect("a path")).join("inbox");
    std::fs::create_dir_all(&inbox).expect("a folder");
    for id in ["one", "two"] {
        let item = serde_json::json!({
            "version": 1, "time": "2026-03-05T14:02:11Z", "actor": "extract", "base": null,
            "path": format!("user_{id}.md"),
            "text": format!("---\nname: {id}\ndescription: d\ntype: user\n---\n\nText.\n"),
        });
        std::fs::write(inbox.join(format!("{id}-1.json")), item.to_string()).expect("a file");
    }
    let run = |arguments: &[&str]| home.run(&[arguments, &["--json"]].concat()).expect(0);
    schema::check(schema!("inbox"), &run(&["inbox"]));
    schema::check(schema!("inbox"), &run(&["inbox", "show", "one-1"]));
    schema::check(schema!("save"), &run(&["inbox", "accept", "one-1"]));
    schema::check(schema!("inbox-drop"), &run(&["inbox", "drop", "two-1"]));
    home.run(&["show", "user_one"]).expect(0);
}

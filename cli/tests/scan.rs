//! `memstrata scan`: formats, exit codes, inputs, and that no value gets out.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Home, Run};

/// An invented token with a correct checksum, put together at run time.
fn token() -> String {
    ["gh", "p_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat()
}

/// No run may show any piece of 8 or more characters of the value.
#[track_caller]
fn shows_nothing_of(run: &Run, value: &str) {
    let bytes = value.as_bytes();
    for piece in bytes.windows(8) {
        let piece = std::str::from_utf8(piece).expect("ASCII");
        assert!(
            !run.out.contains(piece) && !run.err.contains(piece),
            "a part of the value got out"
        );
    }
}

#[test]
fn a_clean_folder_is_exit_code_0_and_silent_on_standard_output() {
    let home = Home::new();
    home.file("note.md", "Deploys go out on Tuesdays.\n");
    let run = home.run(&["scan"]).expect(0);
    assert_eq!(run.out, "");
    assert_eq!(run.err, "0 credentials in 1 file\n");
    assert_eq!(home.run(&["scan", "--quiet"]).expect(0).err, "");
}

#[test]
fn a_finding_names_file_line_column_and_rule_in_each_format() {
    let home = Home::new();
    home.file(
        "notes/team.md",
        format!("first line\n中文 key: {}, done\n", token()),
    );
    let text = home.run(&["scan", "notes"]).expect(1);
    assert!(
        text.out.starts_with("notes/team.md:2:9  github-pat  "),
        "{}",
        text.out
    );
    shows_nothing_of(&text, &token());

    for arguments in [
        &["scan", "notes", "--json"][..],
        &["scan", "notes", "--format", "json"],
    ] {
        let run = home.run(arguments).expect(1);
        let lines = run.json();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["rule"], "github-pat");
        assert_eq!(lines[0]["path"], "notes/team.md");
        assert_eq!(
            (&lines[0]["line"], &lines[0]["column"]),
            (&Value::from(2), &Value::from(9))
        );
        assert_eq!(
            (&lines[0]["end_line"], &lines[0]["end_column"]),
            (&Value::from(2), &Value::from(49))
        );
        shows_nothing_of(&run, &token());
    }

    let run = home.run(&["scan", "notes", "--format", "sarif"]).expect(1);
    let document: Value = serde_json::from_str(&run.out).expect("one JSON document");
    let result = &document["runs"][0]["results"][0];
    assert_eq!(document["version"], "2.1.0");
    assert_eq!(result["ruleId"], "github-pat");
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "notes/team.md"
    );
    let rules = document["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("a list");
    assert_eq!(rules.len(), 30);
    shows_nothing_of(&run, &token());
}

#[test]
fn the_json_lines_have_exactly_the_keys_of_the_schema() {
    let schema = include_str!("../../docs/schemas/scan.json");
    let schema: Value = serde_json::from_str(schema).expect("a JSON schema");
    let mut wanted: Vec<&String> = schema["properties"]
        .as_object()
        .expect("properties")
        .keys()
        .collect();
    wanted.sort();
    let home = Home::new();
    home.file("a.txt", token());
    let run = home.run(&["scan", "--json"]).expect(1);
    let mut keys: Vec<String> = run.json()[0]
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect();
    keys.sort();
    assert_eq!(keys.iter().collect::<Vec<_>>(), wanted);
}

#[test]
fn standard_input_is_read_and_named_with_a_dash() {
    let home = Home::new();
    let run = home
        .run_with(&["scan", "-", "--json"], token().as_bytes())
        .expect(1);
    assert_eq!(run.json()[0]["path"], "-");
}

#[test]
fn a_large_input_gives_the_same_findings_as_a_small_one() {
    let home = Home::new();
    let filler = "nothing to see in this line of ordinary text\n".repeat(60_000);
    let text = format!("{filler}{}\n{filler}", token());
    assert!(text.len() > 4 << 20, "more than one chunk");
    let run = home
        .run_with(&["scan", "-", "--json"], text.as_bytes())
        .expect(1);
    assert_eq!(run.json()[0]["line"], 60_001);
    assert_eq!(run.json().len(), 1);
}

#[test]
fn redaction_prints_the_text_with_labels_and_nothing_of_the_value() {
    let home = Home::new();
    let text = format!("key: {}\nrest stays\n", token());
    let run = home
        .run_with(&["scan", "-", "--redact"], text.as_bytes())
        .expect(1);
    assert!(
        run.out.starts_with("key: ") && run.out.ends_with("\nrest stays\n"),
        "{}",
        run.out
    );
    shows_nothing_of(&run, &token());
    let again = home
        .run_with(&["scan", "-", "--redact"], run.out.as_bytes())
        .expect(0);
    assert_eq!(again.out, run.out);
    home.run(&["scan", "--redact"]).expect(2);
}

#[test]
fn hidden_and_ignored_files_are_left_out_unless_asked_for() {
    let home = Home::new();
    home.file(".env", token());
    home.file("build/out.txt", token());
    home.file(".gitignore", "build/\n");
    home.run(&["scan"]).expect(0);
    let run = home.run(&["scan", "--no-ignore", "--json"]).expect(1);
    let paths: Vec<Value> = run.json().iter().map(|line| line["path"].clone()).collect();
    assert_eq!(paths, ["./.env", "./build/out.txt"]);
    // A file that is named is read whatever it is called.
    home.run(&["scan", ".env"]).expect(1);
}

#[test]
fn a_missing_input_is_said_and_is_not_clean() {
    let run = Home::new()
        .run(&["scan", "no-such-file", "--quiet"])
        .expect(4);
    assert!(run.err.contains("no-such-file"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_does_not_stop_the_scan() {
    let home = Home::new();
    let pipe = home.project().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    home.file("note.md", token());
    home.run(&["scan"]).expect(1);
    let run = home.run(&["scan", "pipe"]).expect(74);
    assert!(run.err.contains("not a regular file"), "{}", run.err);
}

#[test]
fn a_hostile_file_name_does_not_reach_the_terminal() {
    let home = Home::new();
    home.file("a\u{1b}[2Jb.txt", token());
    let run = home.run(&["scan"]).expect(1);
    assert!(!run.out.contains('\u{1b}'), "{:?}", run.out);
}

#[test]
fn the_rules_are_listed_with_their_ids() {
    let home = Home::new();
    assert_eq!(
        home.run(&["scan", "--list-rules"])
            .expect(0)
            .out
            .lines()
            .count(),
        30
    );
    let all = home
        .run(&["scan", "--list-rules", "--all-rules", "--json"])
        .expect(0)
        .json();
    assert!(all.len() > 30);
    for rule in &all {
        let labels = rule["labels"].as_array().expect("a list");
        let once: std::collections::HashSet<_> = labels.iter().collect();
        assert_eq!(once.len(), labels.len(), "{rule}");
    }
    assert!(
        all.iter()
            .all(|rule| rule["rule"].is_string() && rule["labels"].is_array())
    );
}

#[test]
fn our_own_repository_holds_no_credential() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace root");
    let root = root.to_str().expect("UTF-8");
    let run = Home::new().run(&["scan", "--all-rules", root]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.out, run.err);
}

/// The parts of SARIF 2.1.0 that the document uses: required properties, types, bounds and enumerated values of
/// sections 3.13 to 3.59 of the standard.
#[track_caller]
fn check_sarif(document: &Value) {
    let text = |value: &Value| assert!(value.as_str().is_some_and(|text| !text.is_empty()));
    let message = |value: &Value| text(&value["text"]);
    let level = |value: &Value| {
        assert!(["none", "note", "warning", "error"].contains(&value.as_str().expect("a level")));
    };
    assert_eq!(document["version"], "2.1.0");
    assert!(
        document["$schema"]
            .as_str()
            .is_some_and(|uri| uri.starts_with("https://"))
    );
    for run in document["runs"].as_array().expect("runs") {
        let driver = &run["tool"]["driver"];
        text(&driver["name"]);
        assert!(
            driver["informationUri"]
                .as_str()
                .is_some_and(|uri| uri.contains("://"))
        );
        let rules = driver["rules"].as_array().expect("rules");
        for (index, rule) in rules.iter().enumerate() {
            text(&rule["id"]);
            message(&rule["shortDescription"]);
            message(&rule["fullDescription"]);
            level(&rule["defaultConfiguration"]["level"]);
            assert!(rules[..index].iter().all(|other| other["id"] != rule["id"]));
        }
        for invocation in run["invocations"].as_array().expect("invocations") {
            assert!(invocation["executionSuccessful"].is_boolean());
            let notifications = invocation["toolExecutionNotifications"].as_array();
            for notification in notifications.expect("notifications") {
                message(&notification["message"]);
                level(&notification["level"]);
            }
        }
        let kinds = ["utf16CodeUnits", "unicodeCodePoints"];
        assert!(kinds.contains(&run["columnKind"].as_str().expect("a kind")));
        for result in run["results"]
            .as_array()
            .expect("results, even if there are none")
        {
            message(&result["message"]);
            level(&result["level"]);
            let index = result["ruleIndex"].as_u64().expect("an index");
            let index = usize::try_from(index).expect("a small number");
            assert_eq!(rules[index]["id"], result["ruleId"]);
            for location in result["locations"].as_array().expect("locations") {
                let physical = &location["physicalLocation"];
                let uri = physical["artifactLocation"]["uri"].as_str().expect("a URI");
                let is_allowed =
                    |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
                assert!(!uri.is_empty() && uri.bytes().all(is_allowed), "{uri}");
                let region = &physical["region"];
                let place = |line: &str, column: &str| {
                    let number = |name: &str| region[name].as_u64().filter(|&number| number >= 1);
                    (
                        number(line).expect("from 1"),
                        number(column).expect("from 1"),
                    )
                };
                assert!(place("startLine", "startColumn") < place("endLine", "endColumn"));
            }
        }
    }
}

#[test]
fn sarif_documents_are_well_formed_with_and_without_findings_hints_and_problems() {
    let home = Home::new();
    let run = |arguments: &[&str], code| {
        let run = home
            .run(&[&["scan", "--format", "sarif"], arguments].concat())
            .expect(code);
        shows_nothing_of(&run, &token());
        let document: Value = serde_json::from_str(&run.out).expect("one JSON document");
        check_sarif(&document);
        document["runs"][0].clone()
    };
    assert_eq!(run(&[], 0)["results"], serde_json::json!([]));
    home.file("a b/中文 #1.md", format!("{}\n\n  {}\n", token(), token()));
    assert_eq!(run(&[], 1)["results"].as_array().map(Vec::len), Some(2));
    let hint = ["api_", "key = \"Zk3vQ9", "xW2mB7tR5yH1cD8n\"\n"].concat();
    home.file("a b/hint.md", hint);
    let with_hints = run(&["--all-rules"], 1);
    let results = with_hints["results"].as_array().expect("results");
    assert!(results.iter().any(|result| result["level"] == "note"));
    let failed = run(&["--all-rules", "a b/hint.md", "missing"], 4);
    assert_eq!(failed["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn hints_are_shown_and_are_no_failure() {
    let home = Home::new();
    let hint = ["api_", "key = \"Zk3vQ9", "xW2mB7tR5yH1cD8n\"\n"].concat();
    home.file("hint.md", hint);
    let run = home.run(&["scan", "--all-rules"]).expect(0);
    assert_eq!(run.err, "0 credentials and 1 hint in 1 file\n");
    let run = home.run(&["scan", "--all-rules", "--json"]).expect(0);
    assert_eq!(run.json()[0]["level"], "advisory");
}

#[test]
fn a_credential_in_a_file_name_is_found_and_not_shown() {
    let home = Home::new();
    home.file(&format!("{}.md", token()), format!("{}\n", token()));
    home.file(&format!("folder-{}/clean.md", token()), "nothing\n");
    for format in ["text", "json", "sarif"] {
        let run = home.run(&["scan", "--format", format]).expect(1);
        shows_nothing_of(&run, &token());
        assert!(run.out.contains("github-pat"), "{}", run.out);
        assert_eq!(
            run.err.matches("holds a credential").count(),
            2,
            "{}",
            run.err
        );
    }
    let missing = home.run(&["scan", &format!("no-{}", token())]).expect(4);
    shows_nothing_of(&missing, &token());
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_a_uri_of_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9\\x.md");
    std::fs::write(home.project().join(name), token()).expect("written");
    home.run(&["scan", "--json"]).expect(1);
    let run = home.run(&["scan", "--format", "sarif"]).expect(1);
    let document: Value = serde_json::from_str(&run.out).expect("one JSON document");
    check_sarif(&document);
    assert!(run.out.contains("\"./caf%E9%5Cx.md\""), "{}", run.out);
}

#[test]
fn findings_without_end_are_cut_and_that_is_said() {
    let home = Home::new();
    home.file("many.txt", format!("{}\n", token()).repeat(110_000));
    let run = home.run(&["scan", "--json"]).expect(1);
    assert_eq!(run.out.lines().count(), 100_000);
    assert!(
        run.err.contains("many.txt holds more than 100000"),
        "{}",
        run.err
    );
}

#[test]
fn binary_files_are_scanned_too() {
    let home = Home::new();
    let noise: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    let bytes = [noise.as_slice(), token().as_bytes(), &noise].concat();
    std::fs::write(home.project().join("program.bin"), bytes).expect("written");
    let wide: Vec<u8> = token().encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(home.project().join("wide.txt"), wide).expect("written");
    let run = home.run(&["scan", "--json"]).expect(1);
    assert_eq!(run.json().len(), 2, "{}", run.out);
}

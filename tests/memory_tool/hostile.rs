//! Whatever comes in, there is one answer, nothing outside is touched, and nothing is lost.

use memstrata::memory_tool::{MAX_ANSWER_CHARACTERS, MAX_FILE_BYTES};
use proptest::prelude::*;
use serde_json::{Value, json};
use test_support::bytes_below;

use super::{ask, create, credential, on_folder, view};

#[test]
fn what_is_no_input_is_answered_with_an_error_that_names_the_parameter() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    let table: &[(&str, &str)] = &[
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[1,2]", "not a JSON object"),
        ("\"view\"", "not a JSON object"),
        ("{}", "`command`"),
        (r#"{"command":7}"#, "`command`"),
        (
            r#"{"command":"format_disk"}"#,
            "Unknown command `format_disk`",
        ),
        (r#"{"command":"view"}"#, "`path`"),
        (r#"{"command":"view","path":["/memories"]}"#, "`path`"),
        (
            r#"{"command":"view","path":"/memories","view_range":[1]}"#,
            "`view_range`",
        ),
        (
            r#"{"command":"view","path":"/memories","view_range":[1,2.5]}"#,
            "`view_range`",
        ),
        (
            r#"{"command":"create","path":"/memories/a"}"#,
            "`file_text`",
        ),
        (
            r#"{"command":"insert","path":"/memories/a","insert_text":"x"}"#,
            "`insert_line`",
        ),
        (
            r#"{"command":"insert","path":"/memories/a","insert_line":"1","insert_text":"x"}"#,
            "`insert_line`",
        ),
        (
            r#"{"command":"rename","old_path":"/memories/a"}"#,
            "`new_path`",
        ),
    ];
    for (input, part) in table {
        let answer = tool.answer_json(input.as_bytes());
        assert!(
            answer.is_error && answer.text.contains(part),
            "{input}: {answer:?}"
        );
    }
    let nested = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(tool.answer_json(nested.as_bytes()).is_error);
    assert!(
        tool.answer_json(b"{\"command\":\"view\",\"path\":\"\xff\"}")
            .is_error
    );
}

#[test]
fn a_credential_is_never_stored_and_never_repeated() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    let secret = credential();
    let refused = create(&tool, "/memories/a.md", &format!("one\ntoken {secret}\n"));
    assert!(
        refused.is_error && refused.text.contains("line 2"),
        "{refused:?}"
    );
    assert!(!refused.text.contains(&secret));
    assert!(view(&tool, "/memories/a.md").is_error);

    assert!(!create(&tool, "/memories/a.md", "one\n").is_error);
    for input in [
        json!({"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": secret}),
        json!({"command": "str_replace", "path": "/memories/a.md", "old_str": "one", "new_str": secret}),
    ] {
        let answer = ask(&tool, &input);
        assert!(
            answer.is_error && !answer.text.contains(&secret),
            "{answer:?}"
        );
    }
    assert!(
        view(&tool, "/memories/a.md")
            .text
            .ends_with("     1\tone\n     2\t")
    );

    // One that a person put there can be taken out, though not be joined by another.
    let file = scratch.path().join("memories/b.md");
    std::fs::write(&file, format!("a {secret}\nb {secret}\n")).expect("a file");
    let take_out = json!({"command": "str_replace", "path": "/memories/b.md", "old_str": format!("a {secret}")});
    assert!(!ask(&tool, &take_out).is_error);
}

#[test]
fn a_credential_is_not_swapped_for_another_of_its_kind() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    let (known, other) = (credential(), credential().replace("4a", "4c"));
    let file = scratch.path().join("memories/b.md");
    std::fs::write(&file, format!("key {known}\n")).expect("a file");
    let replace = |old: &str, new: &str| {
        let input = json!({"command": "str_replace", "path": "/memories/b.md", "old_str": old, "new_str": new});
        ask(&tool, &input)
    };
    let refused = replace(&known, &other);
    assert!(
        refused.is_error && !refused.text.contains(&other),
        "{refused:?}"
    );
    // Around one that is there already the text can be changed.
    assert!(!replace("key", "token").is_error);
    assert!(!replace(&known, "(kept in the safe)").is_error);
    assert!(replace("(kept in the safe)", &known).is_error);
}

#[test]
fn a_name_holds_no_credential() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    let secret = credential();
    create(&tool, "/memories/a.md", "x");
    let named = format!("/memories/{secret}.md");
    for refused in [
        create(&tool, &named, "x"),
        ask(
            &tool,
            &json!({"command": "rename", "old_path": "/memories/a.md", "new_path": named}),
        ),
    ] {
        assert!(
            refused.is_error && !refused.text.contains(&secret),
            "{refused:?}"
        );
    }
    // One that a person made can be taken away.
    std::fs::write(scratch.path().join(format!("memories/{secret}.md")), "x").expect("a file");
    let renamed = json!({"command": "rename", "old_path": named, "new_path": "/memories/where.md"});
    assert!(!ask(&tool, &renamed).is_error);
}

#[test]
fn no_answer_is_as_long_as_the_path_it_was_asked_for() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    create(&tool, "/memories/a.md", "x");
    let slashes = "/".repeat(1 << 20);
    for path in [
        format!("/memories{slashes}a.md"),
        format!("/memories{slashes}"),
        format!("/memories/{}", "x/".repeat(1 << 19)),
        format!("/{}", "y".repeat(1 << 20)),
    ] {
        for input in [
            json!({"command": "view", "path": path}),
            json!({"command": "create", "path": path, "file_text": "x"}),
            json!({"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"}),
            json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"}),
            json!({"command": "delete", "path": path}),
            json!({"command": "rename", "old_path": path, "new_path": "/memories/b.md"}),
            json!({"command": "rename", "old_path": "/memories/a.md", "new_path": path}),
        ] {
            let answer = ask(&tool, &input);
            assert!(
                answer.is_error && answer.text.len() < MAX_ANSWER_CHARACTERS,
                "{}: {:.300}",
                input["command"],
                answer.text
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn links_pipes_and_second_links_are_refused_by_every_command() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let outside = scratch.path().join("outside");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("secret.txt"), "private").expect("a file");
    let tool = on_folder(scratch.path());
    let memories = scratch.path().join("memories");
    symlink(outside.join("secret.txt"), memories.join("link.md")).expect("a link");
    symlink(&outside, memories.join("folder")).expect("a link");
    symlink("/nowhere", memories.join("dangling.md")).expect("a link");
    std::fs::hard_link(outside.join("secret.txt"), memories.join("hard.md")).expect("a link");
    for path in [
        "/memories/link.md",
        "/memories/folder",
        "/memories/folder/secret.txt",
        "/memories/folder/new.md",
        "/memories/dangling.md",
        "/memories/hard.md",
    ] {
        for input in [
            json!({"command": "view", "path": path}),
            json!({"command": "create", "path": path, "file_text": "x"}),
            json!({"command": "str_replace", "path": path, "old_str": "private", "new_str": "x"}),
            json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"}),
            json!({"command": "delete", "path": path}),
            json!({"command": "rename", "old_path": path, "new_path": "/memories/moved"}),
        ] {
            // A second link of a plain file may leave; its other name stays what it was.
            let may_leave = path.ends_with("hard.md") && input["command"] == "delete";
            let answer = ask(&tool, &input);
            assert!(answer.is_error || may_leave, "{input}: {answer:?}");
            assert!(
                !answer.text.contains("     1\tprivate"),
                "{input}: {answer:?}"
            );
        }
    }
    let kept = std::fs::read_to_string(outside.join("secret.txt")).expect("the file");
    assert_eq!(kept, "private");
    assert_eq!(std::fs::read_dir(&outside).expect("a folder").count(), 1);
    // A folder that holds a link is not deleted by half.
    create(&tool, "/memories/d/a.md", "x");
    symlink(&outside, memories.join("d/link")).expect("a link");
    let refused = ask(&tool, &json!({"command": "delete", "path": "/memories/d"}));
    assert!(refused.is_error, "{refused:?}");
    assert!(!view(&tool, "/memories/d/a.md").is_error);
}

#[test]
fn files_that_are_too_large_or_no_text_are_refused_with_their_size() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    let too_many = usize::try_from(MAX_FILE_BYTES).expect("a small number") + 1;
    let refused = create(&tool, "/memories/a.md", &"x".repeat(too_many));
    assert!(
        refused.is_error && refused.text.contains("larger than 4 MiB"),
        "{refused:?}"
    );
    let memories = scratch.path().join("memories");
    let file = std::fs::File::create(memories.join("sparse.md")).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    assert!(view(&tool, "/memories/sparse.md").is_error);
    std::fs::write(memories.join("shot.png"), b"\x89PNG\r\n\x1a\n\0\0\0").expect("a file");
    let picture = view(&tool, "/memories/shot.png");
    assert!(
        picture.is_error && picture.text.contains("a PNG image, 11 bytes"),
        "{picture:?}"
    );
    std::fs::write(memories.join("lines.txt"), "\n".repeat(1_000_000)).expect("a file");
    assert_eq!(
        view(&tool, "/memories/lines.txt").text,
        "File /memories/lines.txt exceeds maximum line limit of 999,999 lines."
    );
    assert!(create(&tool, "/memories/n.md", "a\0b").is_error);
}

#[test]
fn a_view_of_a_full_folder_is_cut_and_says_so() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    for number in 0..700 {
        let name = scratch
            .path()
            .join(format!("memories/a_rather_long_name_{number:04}.md"));
        std::fs::write(name, "x").expect("a file");
    }
    let answer = view(&tool, "/memories");
    assert!(answer.text.chars().count() <= MAX_ANSWER_CHARACTERS);
    let shown = answer.text.matches("\n1B\t").count();
    assert!(
        answer
            .text
            .contains(&format!("[Cut: {} more items", 700 - shown)),
        "{}",
        answer.text
    );
}

#[test]
fn hidden_items_and_node_modules_are_not_listed() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let tool = on_folder(scratch.path());
    create(&tool, "/memories/.hidden", "x");
    create(&tool, "/memories/node_modules/m.js", "x");
    create(&tool, "/memories/a-b.md", "x");
    create(&tool, "/memories/a/b.md", "xy");
    let listed = view(&tool, "/memories/").text;
    let lines: Vec<&str> = listed.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "4B\t/memories",
            "2B\t/memories/a/",
            "2B\t/memories/a/b.md",
            "1B\t/memories/a-b.md"
        ]
    );
}

#[test]
fn two_tools_on_one_folder_lose_no_edit() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    create(&on_folder(scratch.path()), "/memories/a.md", "start\n");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = scratch.path();
            scope.spawn(move || {
                let tool = on_folder(path);
                for number in 0..10 {
                    let line = format!("writer {writer} number {number}");
                    let input = json!({"command": "insert", "path": "/memories/a.md", "insert_line": 1,
                        "insert_text": line});
                    assert!(!ask(&tool, &input).is_error);
                }
            });
        }
    });
    let text = std::fs::read_to_string(scratch.path().join("memories/a.md")).expect("the file");
    assert_eq!(text.lines().count(), 41, "{text}");
}

/// Pieces that paths of an attacker are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("%2e%2e".to_owned()),
        Just("%252e%252e".to_owned()),
        Just("..\\..".to_owned()),
        Just("\0".to_owned()),
        Just("CON".to_owned()),
        Just("a.md:x".to_owned()),
        Just(String::new()),
        Just("ｅｔｃ．．".to_owned()),
        Just("\u{202e}dm.a".to_owned()),
        "[a-z]{1,3}(\\.md)?",
        "\\PC{0,6}",
    ]
}

fn hostile_path() -> impl Strategy<Value = String> {
    let begin = prop_oneof![
        6 => Just("/memories/"),
        1 => Just("/memories"),
        1 => Just("/memoriesX/"),
        1 => Just("/"),
        1 => Just(""),
        1 => Just("//memories/"),
    ];
    (begin, proptest::collection::vec(piece(), 0..5))
        .prop_map(|(begin, pieces)| format!("{begin}{}", pieces.join("/")))
}

fn hostile_input() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["\\PC{0,40}", "[a\\n]{0,20}", Just("\0".to_owned())];
    let command = prop_oneof![
        Just("view"),
        Just("create"),
        Just("str_replace"),
        Just("insert"),
        Just("delete"),
        Just("rename"),
    ];
    (
        command,
        hostile_path(),
        hostile_path(),
        text,
        any::<i64>(),
        -3_i64..5,
    )
        .prop_map(|(command, path, other, text, large, small)| {
            json!({"command": command, "path": path, "old_path": path, "new_path": other,
                "file_text": text, "old_str": "a", "new_str": text, "insert_text": text,
                "insert_line": small, "view_range": [small, large]})
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_sequence_of_inputs_reaches_outside_or_goes_unanswered(
        inputs in proptest::collection::vec(hostile_input(), 1..12),
    ) {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let outside = scratch.path().join("memoriesX");
        std::fs::create_dir(&outside).expect("a folder");
        std::fs::write(outside.join("a"), "neighbour").expect("a file");
        std::fs::write(scratch.path().join("a"), "above").expect("a file");
        let tool = on_folder(scratch.path());
        for input in &inputs {
            let answer = ask(&tool, input);
            prop_assert!(!answer.text.is_empty());
            prop_assert!(answer.text.chars().count() <= MAX_ANSWER_CHARACTERS);
        }
        std::fs::remove_dir_all(scratch.path().join("memories")).expect("the folder is still there");
        let left = bytes_below(scratch.path());
        prop_assert_eq!(left.len(), 2);
        prop_assert_eq!(&left["a"][..], b"above");
        prop_assert_eq!(&left["memoriesX/a"][..], b"neighbour");
    }

    #[test]
    fn bytes_of_any_kind_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let answer = on_folder(scratch.path()).answer_json(&bytes);
        prop_assert!(!answer.text.is_empty());
    }

    #[test]
    fn what_was_created_is_viewed_line_by_line(text in "([a-zé漢🎉 ]{0,8}\n){0,12}[a-z]{0,4}") {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let tool = on_folder(scratch.path());
        prop_assert!(!create(&tool, "/memories/a.md", &text).is_error);
        let shown = view(&tool, "/memories/a.md").text;
        let lines: Vec<&str> = shown
            .lines()
            .skip(1)
            .map(|line| line.split_once('\t').map_or("", |(_, text)| text))
            .collect();
        prop_assert_eq!(lines.join("\n"), text);
    }
}

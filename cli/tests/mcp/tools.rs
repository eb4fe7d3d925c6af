//! What each tool does to real files, and that its result has the promised shape and size.

use serde_json::{Value, json};

use super::client::{Client, text_of};
use crate::harness::Home;
use crate::schema;

fn deploy() -> Value {
    json!({"type": "project", "name": "Deploy window", "description": "deploys only before noon",
        "body": "Deploy with `scripts/deploy.sh` before noon.\n\n**Why:** support leaves at two.\n\
                 **How to apply:** ask before a later deploy.\n"})
}

/// Calls every tool and holds its result against the schema that was offered for it.
#[test]
fn every_result_has_the_shape_that_was_offered() {
    let home = Home::new();
    home.file("scripts/deploy.sh", "echo\n");
    let mut client = Client::initialized(&home, &[]);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let calls = [
        ("save", deploy()),
        ("recall", json!({"query": "when may we deploy?"})),
        ("list", json!({"type": "project", "limit": 1})),
        ("show", json!({"name": "Deploy window"})),
        ("verify", json!({})),
        ("check", json!({})),
        ("team_status", json!({})),
        ("forget", json!({"name": "Deploy window"})),
    ];
    for (name, arguments) in calls {
        let (_, data) = client.good(name, arguments);
        let tool = tools
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("the tool");
        schema::check_value(&tool["outputSchema"], &data);
    }
}

#[test]
fn a_memory_is_saved_recalled_shown_replaced_and_forgotten() {
    let home = Home::new();
    home.file("scripts/deploy.sh", "echo\n");
    let mut client = Client::initialized(&home, &[]);
    let (text, saved) = client.good("save", deploy());
    assert_eq!(
        (&saved["status"], &saved["path"]),
        (&json!("saved"), &json!("project_deploy_window.md"))
    );
    assert!(text.starts_with("saved project_deploy_window.md"), "{text}");
    // The program sees the same folder.
    home.run(&["show", "Deploy window"]).expect(0);
    assert!(home.run(&["history"]).expect(0).out.contains("mcp"));

    let (text, found) = client.good("recall", json!({"query": "when may we deploy?"}));
    assert_eq!(found["memories"][0]["path"], saved["path"], "{text}");
    assert!(
        text.contains("scripts/deploy.sh") && text.contains("data to weigh"),
        "{text}"
    );
    let surfaced =
        json!({"query": "when may we deploy?", "surfaced": ["project_deploy_window.md"]});
    assert_eq!(client.good("recall", surfaced).1["memories"], json!([]));

    let again = client.bad("save", deploy());
    assert!(again.contains("replace_hash"), "{again}");
    let (_, shown) = client.good("show", json!({"name": "deploy window"}));
    let mut newer = deploy();
    newer["body"] = json!("Deploy before ten.\n\n**Why:** support\n**How to apply:** always\n");
    newer["replace_hash"] = shown["hash"].clone();
    assert_eq!(client.good("save", newer).1["status"], "replaced");

    let (text, gone) = client.good("forget", json!({"name": "Deploy window"}));
    assert!(text.contains("memstrata undo"), "{text}");
    assert_eq!(gone["path"], saved["path"]);
    let missing = client.bad("show", json!({"name": "Deploy window"}));
    assert!(missing.contains("`list`"), "{missing}");
    home.run(&["undo"]).expect(0);
    home.run(&["show", "Deploy window"]).expect(0);
}

#[test]
fn what_no_longer_holds_is_named() {
    let home = Home::new();
    home.file("src/main.rs", "fn main() {}\n");
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let (text, data) = client.good("verify", json!({"names": ["Deploy window"]}));
    assert_eq!(
        (&data["gone"], &data["memories"]),
        (&json!(1), &json!(1)),
        "{text}"
    );
    assert!(text.contains("scripts/deploy.sh"), "{text}");
    let (text, data) = client.good("check", json!({}));
    assert_eq!(data["not_shown"], 0, "{text}");
}

#[test]
fn credentials_are_refused_and_not_repeated() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    let secret = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for field in ["name", "description", "body"] {
        let mut arguments = deploy();
        arguments[field] = json!(format!("use {secret}"));
        let refused = client.bad("save", arguments);
        assert!(
            refused.contains("credential") && !refused.contains(&secret),
            "{refused}"
        );
    }
    let refused = client.bad("list", json!({"type": secret}));
    assert!(!refused.contains(&secret), "{refused}");
    assert_eq!(client.good("list", json!({})).1["total"], 0);
}

#[test]
fn long_lists_and_memories_are_cut_with_a_way_to_the_rest() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let place = home.run(&["where", "--json"]).expect(0).json();
    let folder = std::path::PathBuf::from(place[0]["memory_dir"].as_str().expect("a folder"));
    for number in 0..600 {
        let text = format!(
            "---\nname: Note {number}\ndescription: {}\ntype: reference\n---\n\nText.\n",
            "long words ".repeat(20)
        );
        std::fs::write(folder.join(format!("reference_{number:03}.md")), text).expect("a file");
    }
    let (text, data) = client.good("list", json!({"limit": 200}));
    assert!(text.chars().count() <= 20_000, "{}", text.len());
    let shown = data["memories"].as_array().expect("memories").len();
    assert_eq!(
        (&data["total"], &data["next_offset"]),
        (&json!(601), &json!(shown))
    );
    assert!(text.contains(&format!(
        "{} more are not shown; go on with offset {shown}",
        601 - shown
    )));
    let (_, next) = client.good("list", json!({"offset": shown, "limit": 1}));
    assert_ne!(next["memories"][0], data["memories"][0]);

    let lines: Vec<String> = (0..4_000).map(|line| format!("line {line}")).collect();
    let long = lines.join("\n");
    std::fs::write(folder.join("reference_long.md"), &long).expect("a file");
    let (text, data) = client.good("show", json!({"name": "reference_long.md"}));
    assert!(text.chars().count() <= 20_000);
    let last = data["last_line"].as_u64().expect("a line");
    assert!(
        text.contains(&format!("go on with from_line {}", last + 1)),
        "{}",
        &text[text.len() - 200..]
    );
    let (_, rest) = client.good(
        "show",
        json!({"name": "reference_long.md", "from_line": last + 1}),
    );
    assert!(
        rest["text"]
            .as_str()
            .is_some_and(|text| text.starts_with(&format!("line {last}\n")))
    );
    client.bad(
        "show",
        json!({"name": "reference_long.md", "from_line": 9_999}),
    );

    let (text, data) = client.good("check", json!({}));
    assert!(text.chars().count() <= 20_000);
    assert!(data["not_shown"].as_u64() > Some(0), "{text:.300}");
}

#[test]
fn long_calls_tell_how_far_they_are() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    for number in 0..5 {
        let mut arguments = deploy();
        arguments["name"] = json!(format!("Deploy {number}"));
        client.good("save", arguments);
    }
    for tool in ["verify", "check", "recall"] {
        client.notifications.clear();
        let arguments = if tool == "recall" {
            json!({"query": "deploy"})
        } else {
            json!({})
        };
        let answer = client.request(
            "tools/call",
            json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}}),
        );
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
        let steps: Vec<f64> = client
            .notifications
            .iter()
            .filter(|message| message["params"]["progressToken"] == tool)
            .filter_map(|message| message["params"]["progress"].as_f64())
            .collect();
        assert!(steps.len() >= 3 && steps.is_sorted(), "{tool}: {steps:?}");
        let last = client.notifications.last().expect("a notification");
        assert_eq!(
            last["params"]["progress"], last["params"]["total"],
            "{last}"
        );
    }
}

#[test]
fn the_notes_of_the_newest_session_are_read() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    let missing = client.bad("session_summary", json!({}));
    assert!(missing.contains("No session"), "{missing}");
    let line = |kind: &str, uuid: u8, text: &str| {
        json!({"type": kind, "uuid": format!("0000000{uuid}-0000-4000-8000-000000000000"),
            "parentUuid": null, "sessionId": "11111111-0000-4000-8000-000000000000",
            "timestamp": "2026-03-05T14:02:11Z", "cwd": home.project(), "version": "2.1.330",
            "message": {"role": kind, "content": text}})
        .to_string()
    };
    let text = [
        line("user", 1, "Please fix the flaky retry test in the client."),
        line("assistant", 2, "The retry test is fixed."),
    ]
    .join("\n");
    let transcript = home.file("11111111-0000-4000-8000-000000000000.jsonl", text);
    home.run(&["session", "update", transcript.to_str().expect("UTF-8")])
        .expect(0);
    let (text, data) = client.good("session_summary", json!({}));
    assert_eq!(
        data["session"], "11111111-0000-4000-8000-000000000000",
        "{text}"
    );
    assert!(text.contains("retry"), "{text}");
    let tools = client.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools");
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "session_summary")
        .expect("the tool");
    schema::check_value(&tool["outputSchema"], &data);
    for id in ["../memory", "memory", "a/b", "."] {
        client.bad("session_summary", json!({"session": id}));
    }
}

#[test]
fn a_setting_that_switches_memory_off_holds_from_the_next_call_on() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    std::fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    let settings = home.path().join(".claude/memstrata.toml");
    std::fs::write(&settings, "[modes]\npersistent = \"off\"\n").expect("a file");
    for (tool, arguments) in [
        ("recall", json!({"query": "deploy"})),
        ("list", json!({})),
        ("save", deploy()),
        ("forget", json!({"name": "Deploy window"})),
    ] {
        let refused = client.bad(tool, arguments);
        assert!(refused.contains("switched memory off"), "{tool}: {refused}");
    }
    let listed = client.request("resources/list", json!({}));
    assert!(listed["error"].is_object(), "{listed}");
    std::fs::write(&settings, "[modes]\npersistent = \"ask\"\n").expect("a file");
    let mut other = deploy();
    other["name"] = json!("Other");
    let (text, data) = client.good("save", other);
    assert_eq!(data["status"], "waiting", "{text}");
    assert_eq!(home.run(&["inbox", "--json"]).expect(0).json().len(), 1);
    std::fs::write(&settings, "[modes]\npersistent = \"read\"\n").expect("a file");
    let mut third = deploy();
    third["name"] = json!("Third");
    let refused = client.bad("save", third);
    assert!(
        refused.contains("read") && refused.contains("ask the person"),
        "{refused}"
    );
}

#[test]
fn index_and_memories_are_resources() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    assert_eq!(
        client.request("resources/list", json!({}))["result"]["resources"],
        json!([])
    );
    let mut other = deploy();
    other["name"] = json!("部署 窗口");
    client.good("save", other);
    for number in 0..120 {
        let mut arguments = deploy();
        arguments["name"] = json!(format!("Deploy {number}"));
        client.good("save", arguments);
    }
    let mut uris = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let params = if cursor.is_null() {
            json!({})
        } else {
            json!({"cursor": cursor})
        };
        let page = client.request("resources/list", params);
        let resources = page["result"]["resources"].as_array().expect("resources");
        assert!(resources.len() <= 100);
        uris.extend(
            resources
                .iter()
                .map(|one| one["uri"].as_str().expect("a URI").to_owned()),
        );
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(uris.len(), 122);
    assert_eq!(uris[0], "memstrata:///MEMORY.md");
    for uri in [&uris[0], uris.last().expect("a memory")] {
        let read = client.request("resources/read", json!({"uri": uri}));
        let contents = &read["result"]["contents"][0];
        assert_eq!(
            (&contents["uri"], &contents["mimeType"]),
            (&json!(uri), &json!("text/markdown"))
        );
        assert!(
            contents["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
    for uri in [
        "memstrata:///../project/secret.md",
        "memstrata:///%2e%2e/secret.md",
        "memstrata:///state.json",
        "memstrata:///.hidden.md",
        "file:///etc/passwd",
        "memstrata:///none.md",
    ] {
        let read = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(read["error"]["code"], json!(-32002), "{uri}: {read}");
    }
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"],
        "memstrata:///{+path}"
    );
}

#[test]
fn text_from_files_cannot_steer_a_terminal() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let place = home.run(&["where", "--json"]).expect(0).json();
    let folder = std::path::PathBuf::from(place[0]["memory_dir"].as_str().expect("a folder"));
    let hostile = "---\nname: \"a\u{1b}[2Jb\"\ndescription: \"x\u{202e}y\"\ntype: user\n---\n\nbody\u{1b}]0;t\u{7} \u{200b}\n";
    std::fs::write(folder.join("user_hostile.md"), hostile).expect("a file");
    for (tool, arguments) in [
        ("list", json!({})),
        ("show", json!({"name": "user_hostile.md"})),
        ("check", json!({})),
        ("recall", json!({"query": "body hostile x"})),
    ] {
        let result = client.call(tool, arguments);
        let whole = format!("{}{}", text_of(&result), result["structuredContent"]);
        for character in ['\u{1b}', '\u{202e}', '\u{200b}', '\u{7}'] {
            assert!(!whole.contains(character), "{tool}: {whole:?}");
        }
        assert!(!whole.contains("\\u001b"), "{tool}: {whole:?}");
    }
}

/// The words of a result, and everything that a client gets of it.
fn sizes(result: &Value) -> (usize, usize) {
    let data = result["structuredContent"].to_string();
    (text_of(result).chars().count(), data.chars().count())
}

#[test]
fn no_result_is_larger_than_was_promised_whatever_the_files_say() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let place = home.run(&["where", "--json"]).expect(0).json();
    let folder = std::path::PathBuf::from(place[0]["memory_dir"].as_str().expect("a folder"));
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    let long = "\"zebra\" ".repeat(30_000);
    write(
        "user_heads.md",
        &format!("---\nname: {long}\ndescription: {long}\ntype: {long}\n---\n\nzebra\n"),
    );
    write(
        "user_line.md",
        &format!("---\nname: line\ntype: user\n---\n\n{long}\n"),
    );
    write("user_quotes.md", &"\"\"\"\"\n".repeat(20_000));
    for number in 0..300 {
        let text = format!(
            "---\nname: Note {number}\ndescription: {}\ntype: reference\n---\n\nSee `src/\u{6f22}{number}.rs`.\n",
            "\"quoted\" ".repeat(30)
        );
        write(&format!("reference_{number:03}.md"), &text);
    }
    let noisy: Vec<String> = (0..1_500)
        .map(|day| format!("tomorrow we ship {day}\u{1}\u{202e}"))
        .collect();
    let mut many_warnings = deploy();
    many_warnings["name"] = json!("Noisy");
    many_warnings["body"] = json!(noisy.join("\n"));
    for (tool, arguments) in [
        ("save", many_warnings),
        ("list", json!({"limit": 200})),
        ("show", json!({"name": "user_heads.md"})),
        ("show", json!({"name": "user_heads.md", "from_line": 3})),
        ("show", json!({"name": "user_line.md", "from_line": 6})),
        ("show", json!({"name": "user_quotes.md"})),
        ("recall", json!({"query": "zebra"})),
        ("verify", json!({})),
        ("check", json!({})),
    ] {
        let result = client.call(tool, arguments.clone());
        let (text, data) = sizes(&result);
        assert!(
            text <= 20_000 && data <= 20_000,
            "{tool} {arguments:.60}: {text} and {data} characters"
        );
        assert_eq!(result["isError"], json!(false), "{tool}: {result:.300}");
    }
    // However long the first entry would be, a list goes on.
    let (_, data) = client.good("list", json!({"limit": 1, "type": "user"}));
    assert_eq!(data["memories"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_empty_memory_and_the_end_of_a_long_line_are_shown() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let place = home.run(&["where", "--json"]).expect(0).json();
    let folder = std::path::PathBuf::from(place[0]["memory_dir"].as_str().expect("a folder"));
    std::fs::write(folder.join("user_empty.md"), "").expect("a file");
    let (_, data) = client.good("show", json!({"name": "user_empty.md"}));
    assert_eq!((&data["lines"], &data["text"]), (&json!(0), &json!("")));
    client.bad("show", json!({"name": "user_empty.md", "from_line": 2}));
    std::fs::write(folder.join("user_line.md"), "x".repeat(60_000)).expect("a file");
    let (text, _) = client.good("show", json!({"name": "user_line.md"}));
    // There is no line after it to go on with.
    assert!(
        text.contains("only its beginning") && !text.contains("go on with"),
        "{}",
        &text[text.len() - 200..]
    );
}

#[test]
fn what_the_team_has_is_there_for_no_model_while_the_team_is_off() {
    let home = Home::new();
    home.file("src/main.rs", "fn main() {}\n");
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let place = home.run(&["where", "--json"]).expect(0).json();
    let folder = std::path::PathBuf::from(place[0]["memory_dir"].as_str().expect("a folder"));
    std::fs::create_dir(folder.join("team")).expect("a folder");
    let text = "---\nname: Quagga rule\ndescription: quagga\ntype: project\n---\n\nThe quagga is in `src/quagga.rs`.\n";
    std::fs::write(folder.join("team/quagga.md"), text).expect("a file");
    for (tool, arguments) in [
        ("recall", json!({"query": "quagga rule"})),
        ("list", json!({})),
        ("verify", json!({})),
        ("check", json!({})),
        ("team_status", json!({})),
    ] {
        let result = client.call(tool, arguments).to_string();
        assert!(
            !result.to_lowercase().contains("quagga"),
            "{tool}: {result}"
        );
    }
    let mut shared = deploy();
    shared["name"] = json!("Shared");
    shared["team"] = json!(true);
    for (tool, arguments) in [
        ("list", json!({"scope": "team"})),
        ("show", json!({"name": "Quagga rule"})),
        ("show", json!({"name": "team/quagga.md"})),
        ("verify", json!({"names": ["team/quagga.md"]})),
        ("forget", json!({"name": "team/quagga.md"})),
        ("save", shared),
    ] {
        let refused = client.bad(tool, arguments);
        assert!(refused.contains("switched off"), "{tool}: {refused}");
    }
    let listed = client.request("resources/list", json!({})).to_string();
    assert!(!listed.contains("quagga"), "{listed}");
    for path in ["team/quagga.md", "team%2Fquagga.md", "Team/quagga.md"] {
        let read = client.request(
            "resources/read",
            json!({"uri": format!("memstrata:///{path}")}),
        );
        assert_eq!(read["error"]["code"], json!(-32002), "{path}: {read}");
    }
    assert!(folder.join("team/quagga.md").is_file());
}

#[test]
fn the_notes_of_sessions_are_for_no_model_while_they_are_off() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    std::fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    let settings = home.path().join(".claude/memstrata.toml");
    std::fs::write(&settings, "[modes]\nsession = \"off\"\n").expect("a file");
    let refused = client.bad("session_summary", json!({}));
    assert!(refused.contains("switched"), "{refused}");
    std::fs::write(&settings, "[modes]\nsession = \"read\"\n").expect("a file");
    let missing = client.bad("session_summary", json!({}));
    assert!(missing.contains("No session"), "{missing}");
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_named_by_check_as_list_says() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    client.good("save", deploy());
    let place = home.run(&["where", "--json"]).expect(0).json();
    let folder = std::path::PathBuf::from(place[0]["memory_dir"].as_str().expect("a folder"));
    std::os::unix::fs::symlink("/etc/hostname", folder.join("user_link.md")).expect("a link");
    let (text, data) = client.good("list", json!({}));
    assert_eq!(data["unreadable"], 1);
    assert!(text.contains("`memstrata check` tells"), "{text}");
    let (text, data) = client.good("check", json!({}));
    assert_eq!(data["unreadable"], 1);
    assert!(text.contains("user_link.md"), "{text}");
    assert!(home.run(&["check"]).err.contains("user_link.md"));
}

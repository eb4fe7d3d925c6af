//! What the commands on the memory folder say: to newcomers, and when something is not as expected.

use crate::harness::{Home, Run, SAVE_ROLE};

fn save(home: &Home, title: &str, body: &str) -> Run {
    let arguments = [
        "save",
        "--type",
        "user",
        "--name",
        title,
        "--description",
        "what it is about",
        "-",
    ];
    home.run_with(&arguments, body.as_bytes())
}

#[track_caller]
fn says(run: &Run, words: &[&str]) {
    for word in words {
        assert!(run.err.contains(word), "{word} is missing in: {}", run.err);
    }
}

#[test]
fn a_folder_without_memories_is_named() {
    let home = Home::new();
    for (arguments, words) in [
        (&["list"][..], "no memories yet in "),
        (&["list", "--team"], "no team memories yet in "),
        (&["history"], "no changes yet in "),
        (&["inbox"], "nothing waits"),
    ] {
        let run = home.run(arguments).expect(0);
        assert!(run.out.is_empty());
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        says(&run, &[words, "memory"]);
        assert_eq!(
            home.run(&[arguments, &["--quiet"]].concat()).expect(0).err,
            ""
        );
    }
}

#[test]
fn a_save_without_a_title_or_a_text_is_wrong_use() {
    let home = Home::new();
    says(&save(&home, " ", "text\n").expect(2), &["--name"]);
    says(
        &save(&home, "Role", " \n").expect(2),
        &["the text is empty"],
    );
    let not_text = home.run_with(
        &[
            "save",
            "--type",
            "user",
            "--name",
            "n",
            "--description",
            "d",
        ],
        b"\xff\xfe",
    );
    says(&not_text.expect(2), &["not UTF-8"]);
    says(&home.run(&["list"]).expect(0), &["no memories yet"]);
}

#[test]
fn a_save_says_what_check_would_find_in_the_text() {
    let home = Home::new();
    let saved = save(&home, "Role", "Moves to payments tomorrow.\n").expect(0);
    assert_eq!(saved.out, "saved user_role.md\n");
    says(&saved, &["relative date", "check --fix"]);
    assert_eq!(
        save(&home, "Team", "Works on payments.\n").expect(0).err,
        ""
    );
}

#[test]
fn a_title_that_is_taken_names_the_option_that_replaces() {
    let home = Home::new();
    save(&home, "Role", "Go.\n").expect(0);
    let taken = save(&home, "Role", "Rust.\n").expect(5);
    let hash = home.run(&["show", "Role", "--json"]).expect(0).json();
    let hash = hash[0]["hash"].as_str().expect("a hash");
    says(&taken, &[&format!("--expect {hash}")]);
}

#[test]
fn a_name_that_is_not_there_leads_to_the_history() {
    let home = Home::new();
    save(&home, "Role", "Go.\n").expect(0);
    for command in ["show", "forget", "history", "restore", "purge"] {
        says(
            &home.run(&[command, "nobody"]).expect(4),
            &["`nobody`", "memstrata history"],
        );
    }
    home.run(&["forget", "Role"]).expect(0);
    says(
        &home.run(&["show", "role"]).expect(4),
        &["`role` is gone", "memstrata restore"],
    );
    says(
        &home.run(&["restore", "Role@first"]).expect(2),
        &["the number after @"],
    );
    let restored = home.run(&["restore", "Role@1"]).expect(0);
    assert_eq!(restored.out, "restored user_role.md\n");
    home.run(&["purge", "Role"]).expect(0);
    says(&home.run(&["undo"]).expect(3), &["restore NAME@NUMBER"]);
}

#[test]
fn a_name_that_is_nearly_there_leads_to_the_memory() {
    let home = Home::new();
    save(&home, "Deploy window", "Before noon.\n").expect(0);
    for arguments in [
        &["show", "deploy"][..],
        &["forget", "deploy windows"],
        &["rename", "the window", "Noon"],
        &["history", "window.md"],
        &["verify", "window"],
        &["explain", "window"],
    ] {
        says(
            &home.run(arguments).expect(4),
            &["do you mean `user_deploy_window.md`?"],
        );
    }
    let run = home.run(&["restore", "Deploy window@9"]).expect(4);
    says(
        &run,
        &["user_deploy_window.md", "no version 9", "`history`"],
    );
}

#[test]
fn a_candidate_that_is_not_there_leads_to_the_inbox() {
    let home = Home::new();
    for action in ["show", "accept", "drop"] {
        let run = home.run(&["inbox", action, "nothing"]).expect(4);
        says(
            &run,
            &["`nothing`: the inbox has no such candidate", "`inbox`"],
        );
        assert!(!run.err.contains("os error"), "{}", run.err);
    }
}

#[test]
fn a_key_that_is_no_setting_is_said_before_there_is_a_folder() {
    let home = Home::new();
    let settings = home.path().join(".claude/memstrata.toml");
    std::fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    std::fs::write(&settings, "[modes]\npersistant = \"off\"\n").expect("settings");
    for arguments in [&["where"][..], &["list"], &["doctor", "--offline"]] {
        let run = home.run(arguments);
        let said = format!("{}{}", run.out, run.err);
        let words = "modes.persistant is not a setting; [modes] may hold session, persistent, team";
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn comments_in_the_hosts_settings_switch_nothing_off() {
    let home = Home::new();
    let settings = home.path().join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    let text = "{\n  // the agent's own\n  \"model\": \"x\",\n  \"autoMemoryEnabled\": true, /* yes */\n}\n";
    std::fs::write(&settings, text).expect("settings");
    save(&home, "Role", "backend\n").expect(0);
    assert!(
        home.run(&["where"])
            .expect(0)
            .out
            .contains("persistent auto")
    );
    std::fs::write(&settings, text.replace("true", "false")).expect("settings");
    assert!(
        home.run(&["where"])
            .expect(0)
            .out
            .contains("persistent off")
    );
}

#[test]
fn an_undo_and_the_history_name_the_memory_before_the_index() {
    let home = Home::new();
    save(&home, "Role", "Go.\n").expect(0);
    let undone = home.run(&["undo"]).expect(0);
    assert_eq!(
        undone.out,
        "took back change 1: save user_role.md, MEMORY.md\n"
    );
    let history = home.run(&["history", "--json"]).expect(0).json();
    let paths: Vec<&str> = history
        .iter()
        .filter_map(|line| line["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        ["user_role.md", "MEMORY.md", "user_role.md", "MEMORY.md"]
    );
    // For a person one change is one line, and a limit counts changes.
    let shown = home.run(&["history"]).expect(0).out;
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(
        shown.contains("UTC  undo  user_role.md, MEMORY.md  memstrata"),
        "{shown}"
    );
    for arguments in [
        &["history", "--limit", "1"][..],
        &["history", "--limit", "1", "--json"],
    ] {
        let run = home.run(arguments).expect(0);
        assert!(
            run.out.contains("undo") && !run.out.contains("\"save\""),
            "{}",
            run.out
        );
        says(&run, &["older changes"]);
    }
    assert_eq!(home.run(&["history", "--limit", "2"]).expect(0).err, "");
}

#[test]
fn a_private_memory_with_a_credential_leads_to_the_purge() {
    let home = Home::new();
    let token = ["gh", "p_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
    let saved = save(&home, "Bot", &format!("the token is {token}\n")).expect(0);
    says(
        &saved,
        &[
            "github-pat",
            "`memstrata purge user_bot.md` removes it and its history",
        ],
    );
    assert!(!saved.err.contains(&token));
    home.run(&["purge", "user_bot.md"]).expect(0);
}

#[test]
fn a_command_that_works_although_memory_is_switched_off_says_so() {
    let home = Home::new();
    let run = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.env("MEMSTRATA_DISABLE", "1");
        Run::from(command.output().expect("the program ends")).expect(0)
    };
    says(&run(SAVE_ROLE), &["switched off", "MEMSTRATA_DISABLE"]);
    assert_eq!(run(&["recall", "role"]).err.lines().count(), 1);
    for arguments in [&["list"][..], &["check"], &["prompt"]] {
        let said = run(arguments).err;
        assert_eq!(
            said.matches("switched off").count(),
            1,
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn a_limit_over_what_is_allowed_says_what_is() {
    let home = Home::new();
    let run = |arguments: &[&str]| home.run(&[&["recall", "x"], arguments].concat()).expect(0);
    says(
        &run(&["--limit", "9"]),
        &["at most 5 memories", "--prefilter"],
    );
    says(&run(&["--prefilter", "201"]), &["at most 200 memories"]);
    assert!(!run(&["--limit", "5"]).err.contains("at most"));
}

/// Runs what the README shows in its console block about memories and returns what came of it, in the same form.
fn replayed(block: &str, home: &Home) -> String {
    let mut shown = String::new();
    let mut lines = block.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ memstrata ") else {
            continue;
        };
        let mut command = first.to_owned();
        while command.matches('"').count() % 2 == 1 {
            command.push('\n');
            command.push_str(lines.next().expect("the quotation is closed"));
        }
        shown.extend(["$ memstrata ", command.as_str(), "\n"]);
        // Words are parted by blanks, and by nothing within quotation marks.
        let mut words = Vec::new();
        for (at, part) in command.split('"').enumerate() {
            if at % 2 == 1 {
                words.push(part);
            } else {
                words.extend(part.split_whitespace());
            }
        }
        let run = home.run(&words).expect(0);
        shown.push_str(&run.out);
        shown.push_str(&run.err);
    }
    shown
}

/// Puts `TIME` where a day and a time of day stand.
fn without_times(text: &str) -> String {
    let is_time =
        |words: &[&str]| words[0].len() == 10 && words[0].starts_with("20") && words[2] == "UTC";
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        match words.len() {
            3.. if is_time(&words[words.len() - 3..]) => {
                format!("{} TIME", words[..words.len() - 3].join(" "))
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_readme_shows_what_the_program_does() {
    let readme = include_str!("../../README.md").replace("\r\n", "\n");
    let block = readme
        .split("```console\n")
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.starts_with("$ memstrata save"))
        .expect("the README shows how a memory is saved");
    for command in ["save", "list", "forget", "undo", "check"] {
        assert!(
            block.contains(&format!("$ memstrata {command}")),
            "{command}"
        );
    }
    let shown = replayed(block, &Home::new());
    assert_eq!(without_times(block), without_times(&shown));
}

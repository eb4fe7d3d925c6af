//! A model that tries everything it must not do.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agent_model::{Model, Reply, ScriptedModel};
use forked_agent::Limits;
use memdir_extract::{AgentBackend, RunNow, Turn};
use serde_json::{Value, json};

use crate::agent::{calls, memory_file, pinned};
use crate::support::{Scratch, end_of, replied, said, session};

const QUOTE: &str = "always run the tests before a commit";

/// Every file below a folder with what it holds; links by what they lead to.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                folders.push(path.clone());
                found.insert(path, Vec::new());
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.insert(path, target.to_string_lossy().into_owned().into_bytes());
            } else {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Everything forbidden, each as one call.
fn attempts(memory: &Path, project: &Path, outside: &Path) -> Vec<(&'static str, Value)> {
    let (memory, project, outside) = (
        memory.display().to_string(),
        project.display().to_string(),
        outside.display().to_string(),
    );
    let body = "Run the tests first.\n\n**Why:** said so\n**How to apply:** always";
    let good = memory_file("feedback", "Tests", QUOTE, body);
    let mut all = Vec::new();
    // The text is beyond reproach; it is the place that is wrong.
    for path in [
        format!("{outside}/kept.md"),
        format!("{outside}/new.md"),
        format!("{project}/a.md"),
        format!("{project}/CLAUDE.md"),
        "a.md".to_owned(),
        "/etc/new.md".to_owned(),
        format!("{memory}/../outside/new.md"),
        format!("{memory}/sub/../../outside/new.md"),
        format!("{memory}-state/inbox/x.md"),
        format!("{memory}-evil/x.md"),
        format!("{memory}/%2e%2e/outside/new.md"),
        format!("{memory}/\u{ff0e}\u{ff0e}/x.md"),
        format!("{memory}/a\0b.md"),
        format!("{memory}/\u{202e}x.md"),
        format!("{memory}/link.md"),
        format!("{memory}/dir/new.md"),
        format!("{memory}/dangling.md"),
        format!("{memory}/hard.md"),
        format!("{memory}/x.sh"),
        format!("{memory}/x"),
        format!("{memory}/.bashrc"),
        format!("{memory}/x.md.sh"),
        format!("{memory}/MEMORY.md"),
        format!("{memory}/memory.MD"),
        format!("{memory}/logs/2026/03/2026-03-02.md"),
        format!("{memory}/.hidden.md"),
        memory.clone(),
        String::new(),
        "~/x.md".to_owned(),
    ] {
        all.push(("Write", json!({ "file_path": path, "content": good })));
        all.push((
            "Edit",
            json!({ "file_path": path, "old_string": "", "new_string": good }),
        ));
    }
    // The place is right; it is the text that is wrong.
    let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
    let file =
        |memory_type: &str, quote: &str, body: &str| memory_file(memory_type, "X", quote, body);
    for text in [
        "no front matter at all".to_owned(),
        file("feedback", "", body),
        file("feedback", "the user never said this sentence", body),
        file("decision", QUOTE, body),
        file("feedback", QUOTE, "no reason is given"),
        file("reference", QUOTE, &format!("the key is {key}")),
        file(
            "reference",
            QUOTE,
            "├── src\n│   ├── a.rs\n│   └── b.rs\n├── tests\n└── x",
        ),
        file("feedback", QUOTE, &format!("{body}\u{202e}")),
        file("user", QUOTE, "<system-reminder>").replace("name: X\n", ""),
    ] {
        all.push((
            "Write",
            json!({ "file_path": format!("{memory}/x.md"), "content": text }),
        ));
    }
    let user = file("user", QUOTE, "Runs tests.");
    all.push((
        "Write",
        json!({ "file_path": format!("{memory}/team/user_x.md"), "content": user }),
    ));
    // What is there and was not read.
    all.push((
        "Write",
        json!({ "file_path": format!("{memory}/user_kept.md"), "content": good }),
    ));
    for command in [
        "rm -rf .",
        "echo x > user_kept.md",
        "ls; rm a.md",
        "ls | tee b.md",
        "ls $(touch b.md)",
        "find . -delete",
        "find . -exec touch b.md {} +",
        "/bin/sh -c 'touch b.md'",
        "bash -c 'touch b.md'",
        "env touch b.md",
        "cat /etc/passwd",
        "head -c 5 /dev/zero",
        "git commit -am x",
        "curl http://127.0.0.1/",
    ] {
        all.push(("Bash", json!({ "command": command })));
    }
    all.push((
        "Bash",
        json!({ "command": "ls", "run_in_background": true }),
    ));
    for path in ["/etc/passwd".to_owned(), format!("{outside}/kept.md")] {
        all.push(("Read", json!({ "file_path": path })));
        all.push(("Grep", json!({ "pattern": "root", "path": path })));
        all.push(("Glob", json!({ "pattern": "**", "path": path })));
    }
    for name in [
        "mcp__db__drop",
        "mcp__memstrata__forget",
        "Task",
        "Agent",
        "WebFetch",
        "WebSearch",
        "NotebookEdit",
        "KillShell",
        "memory",
    ] {
        all.push((
            name,
            json!({ "command": "delete", "path": format!("{memory}/user_kept.md") }),
        ));
    }
    // Arguments of no form.
    all.push(("Write", json!("file_path")));
    all.push(("Write", json!({ "file_path": 5, "content": [] })));
    all.push(("Edit", json!({})));
    all
}

#[test]
fn nothing_outside_the_memory_folder_changes_and_each_attempt_gets_a_reason() {
    let scratch = Scratch::new();
    let (project, outside) = (
        scratch.path().join("project"),
        scratch.path().join("outside"),
    );
    let memory = scratch.memory();
    for folder in [&project, &outside] {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::write(project.join("a.md"), "a file of the project\n").unwrap();
    std::fs::write(outside.join("kept.md"), "root outside\n").unwrap();
    std::fs::write(outside.join("hard.md"), "a second name\n").unwrap();
    std::fs::write(
        memory.join("user_kept.md"),
        "---\nname: Kept\ndescription: what was there\ntype: user\n---\n\nWrites Go.\n",
    )
    .unwrap();
    symlink(outside.join("kept.md"), memory.join("link.md")).unwrap();
    symlink(&outside, memory.join("dir")).unwrap();
    symlink(outside.join("nowhere.md"), memory.join("dangling.md")).unwrap();
    std::fs::hard_link(outside.join("hard.md"), memory.join("hard.md")).unwrap();

    let list = attempts(&memory, &project, &outside);
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&reasons);
    let mut rest = list.clone().into_iter();
    // One call a reply, so that each answer can be heard.
    let model = ScriptedModel::from_fn(move |request| {
        if let Some(last) = request.messages.last() {
            let mut heard = heard.lock().unwrap();
            heard.extend(
                last.tool_results()
                    .map(|result| (result.is_error, result.joined_text())),
            );
        }
        Ok(match rest.next() {
            Some(call) => calls(&[call]),
            None => Reply::text_only("I give up."),
        })
    });
    let before = snapshot(&scratch.path());
    let entries = [
        said("m1", &format!("Please {QUOTE}.")),
        replied("m2", "Ok."),
    ];
    let limits = Limits::default()
        .with_max_turns(u32::try_from(list.len()).unwrap() + 1)
        .with_max_tokens(u64::MAX);
    let model: Arc<dyn Model> = Arc::new(model);
    let backend = AgentBackend::new(pinned(model))
        .with_project(&project)
        .with_limits(limits);
    let extractor = scratch.extractor(backend);
    let end = end_of(&entries);
    let ran = extractor.run_now(&Turn::of_entries(&entries, &end), session(), false);
    assert!(matches!(ran, RunNow::Done(_)), "{ran:?}");

    let reasons = reasons.lock().unwrap();
    assert_eq!(reasons.len(), list.len());
    for ((name, input), (is_error, reason)) in list.iter().zip(&*reasons) {
        assert!(
            *is_error && !reason.trim().is_empty(),
            "{name} {input} gave {reason:?}"
        );
        assert!(
            !reason.contains("root:") && !reason.contains("outside\n"),
            "{name} {input} told contents"
        );
    }
    // Our own notes apart (cursor, lease, log of decisions), every byte is what it was.
    let state = scratch.store.state_dir().unwrap();
    let mut after = snapshot(&scratch.path());
    let is_own = |path: &PathBuf| path.starts_with(&state);
    after.retain(|path, _| !is_own(path));
    let mut before = before;
    before.retain(|path, _| !is_own(path));
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>()
    );
    assert!(before == after, "some file has changed");
    assert!(scratch.store.history_of_all().unwrap().revisions.is_empty());
}

#[test]
fn a_model_that_never_stops_is_stopped() {
    let scratch = Scratch::new();
    let entries = [
        said("m1", &format!("Please {QUOTE}.")),
        replied("m2", "Ok."),
    ];
    let asked = Arc::new(Mutex::new(0));
    // Over and over the same call; over and over another one.
    for is_same in [true, false] {
        let counter = Arc::clone(&asked);
        *counter.lock().unwrap() = 0;
        let model = ScriptedModel::from_fn(move |_| {
            let mut asked = counter.lock().unwrap();
            *asked += 1;
            let pattern = if is_same {
                "x".to_owned()
            } else {
                format!("x{asked}")
            };
            Ok(calls(&[("Glob", json!({ "pattern": pattern }))]))
        });
        let model: Arc<dyn Model> = Arc::new(model);
        let session_id = if is_same { "same" } else { "other" };
        let extractor = scratch.extractor_of(session_id, AgentBackend::new(pinned(model)));
        let end = end_of(&entries);
        let ran = extractor.run_now(&Turn::of_entries(&entries, &end), session(), false);
        assert!(matches!(ran, RunNow::Done(_)), "{ran:?}");
        assert!(
            *asked.lock().unwrap() <= 5,
            "five replies are paid for at most"
        );
    }
    // As many calls in one reply as it likes: some are carried out, all get an answer.
    let path = |at: usize| scratch.memory().join(format!("x{at}.sh"));
    let many: Vec<_> = (0..500)
        .map(|at| ("Write", json!({ "file_path": path(at), "content": "x" })))
        .collect();
    let model: Arc<dyn Model> = Arc::new(ScriptedModel::new(vec![
        calls(&many),
        Reply::text_only("done"),
    ]));
    let extractor = scratch.extractor_of("many", AgentBackend::new(pinned(model)));
    let end = end_of(&entries);
    let ran = extractor.run_now(&Turn::of_entries(&entries, &end), session(), false);
    assert!(matches!(ran, RunNow::Done(_)), "{ran:?}");
    assert!(scratch.files().is_empty());
}

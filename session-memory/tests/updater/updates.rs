//! What an update asks, and what it commits.

use agent_model::{Message, Reply};
use session_memory::{
    Author, Condition, Cursor, NOTES_FILE, SessionFile, Structure, Triggered, UpdaterOptions,
};

use super::{Scene, config, scripted, started};
use crate::store::{commit, number};

#[tokio::test]
async fn an_update_is_one_request_that_continues_the_conversation_byte_for_byte() {
    let scene = Scene::committed();
    let model = scripted(vec![scene.good_reply("tabs are blanks to the lexer")]);
    let updater = scene.updater(model.clone());
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(updater.last_failure(), None);

    // One request, no closing reply, and the parent's prefix as it was.
    let [asked] = model.requests().try_into().expect("one request");
    let parent = &scene.request;
    assert_eq!(asked.messages[..4], parent.messages[..]);
    assert_eq!(
        (&asked.system, &asked.tools),
        (&parent.system, &parent.tools)
    );
    assert_eq!(
        (&asked.tool_choice, &asked.effort),
        (&parent.tool_choice, &parent.effort)
    );
    let [task] = &asked.messages[4..] else {
        panic!("one more message")
    };
    let task = task.text();
    for wanted in [
        scene.copy().to_str().expect("text"),
        "2026-03-05",
        "number 1",
        "at most 2000 tokens, the file at most 12000",
        "parallel calls",
    ] {
        assert!(task.contains(wanted), "{wanted}");
    }
    // 300 lines of worklog are too many, and the prompt says how many tokens they have.
    assert!(task.contains("- Worklog has "), "{task}");

    assert_eq!(
        committed.notes.body("Learnings"),
        Some("tabs are blanks to the lexer")
    );
    assert_eq!(committed.notes.body("Session Title"), Some("number 1"));
    assert_eq!((committed.author, committed.revision), (Author::Model, 2));
    assert_eq!(committed.cursor, Cursor::at_end(&scene.entries, 12_000));
    assert!(!scene.copy().exists());
}

#[tokio::test]
async fn the_files_come_from_the_calls_and_not_from_the_model() {
    let scene = Scene::committed();
    let model = scripted(vec![
        scene.good_reply("lesson A"),
        Reply::new(vec![scene.edit("lesson A", "lesson B")]),
    ]);
    let updater = scene.updater(model);
    for _ in 0..2 {
        assert_eq!(updater.update(&scene.turn()), Triggered::Started);
        let committed = updater.settle().await.expect("readable").expect("notes");
        // Once, however often it is updated.
        assert_eq!(
            committed.notes.body("Files and Functions"),
            Some("Changed, from the tool calls:\n- src/lexer.rs")
        );
    }
}

#[tokio::test]
async fn a_new_session_starts_from_the_template() {
    let scene = Scene::new();
    let updater = scene.updater(scripted(vec![scene.good_reply("first")]));
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("first"));
    assert_eq!(
        scene.file().condition().expect("readable"),
        Condition::Whole
    );
}

#[tokio::test]
async fn what_the_model_breaks_is_mended_where_that_is_certain() {
    let scene = Scene::committed();
    let model = scripted(vec![Reply::new(vec![
        scene.edit("## Learnings\n", "kept text\n"),
        scene.edit(
            "## Key results\n",
            "## A section of mine\n\nmine\n\n## Key results\n",
        ),
    ])]);
    let updater = scene.updater(model);
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(updater.last_failure(), None);
    let printed = committed.notes.print();
    assert!(printed.contains("kept text") && printed.contains("### A section of mine\n\nmine"));
    assert_eq!(committed.notes.sections().len(), 10);
}

type MakeReply = Box<dyn Fn(&Scene) -> Reply>;

#[tokio::test]
async fn what_cannot_be_mended_is_refused_and_the_pair_stays() {
    let hint = "_Step by step, one short line each: what was done._";
    let cases: [(&str, MakeReply, &str); 5] = [
        (
            "an open fence",
            Box::new(move |scene| Reply::new(vec![scene.edit(hint, &format!("{hint}\n```"))])),
            "open-fence",
        ),
        (
            "no call at all",
            Box::new(|_| Reply::text_only("I would rather talk.")),
            "finished, 0 edits",
        ),
        (
            "only structure",
            Box::new(move |scene| Reply::new(vec![scene.edit(hint, &format!("{hint}\n{hint}"))])),
            "changed nothing",
        ),
        (
            "far too much",
            Box::new(move |scene| {
                let text = "a line of the log, again\n".repeat(8_000);
                Reply::new(vec![scene.edit(hint, &format!("{hint}\n{text}"))])
            }),
            "more than 24000 tokens",
        ),
        (
            "an edit that does not fit",
            Box::new(|scene| Reply::new(vec![scene.edit("not in the file", "x")])),
            "model",
        ),
    ];
    for (name, reply, expected) in cases {
        let scene = Scene::committed();
        let updater = scene.updater(scripted(vec![reply(&scene)]));
        started(&updater, &scene);
        updater.settle().await.expect("readable");
        let failure = updater.last_failure().expect(name);
        assert!(
            failure.contains(expected) || expected == "model",
            "{name}: {failure}"
        );
        assert_eq!(number(&scene.file()), Some(1), "{name}");
        assert_eq!(
            scene.file().condition().expect("readable"),
            Condition::Whole,
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_users_template_and_prompt_are_kept_to() {
    let template = "# Mine\n\n## Now\n_the next step_\n\n## Log\n";
    let prompt = "At {{notesPath}} on {{ today }}: {{currentNotes}} {{unknown}} \\1 $0";
    let config = config(Some(template), Some(prompt));
    assert_eq!(config.problems, [""; 0]);
    let scene = Scene::new();
    let reply = Reply::new(vec![
        scene.edit("_the next step_", "_changed_\nwrite {{today}} tests"),
        scene.edit("## Log\n", "## Log\n\nbegan\n"),
    ]);
    let model = scripted(vec![reply]);
    let file = SessionFile::create(&scene.folder.path(), config.structure).expect("a folder");
    let mut options = UpdaterOptions::default();
    options.prompt = config.prompt;
    let updater = session_memory::Updater::new(file, model.clone(), options).expect("readable");
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    // The hint line is the user's and holds; what the model put in its place is content.
    assert_eq!(
        committed.notes.body("Now"),
        Some("_changed_\nwrite {{today}} tests")
    );
    let log = committed.notes.body("Log").expect("a section");
    assert!(
        log.starts_with("began") && log.contains("src/lexer.rs"),
        "{log}"
    );
    let task = model.requests()[0]
        .messages
        .last()
        .map(Message::text)
        .expect("a task");
    assert!(
        task.starts_with("At /") && task.contains(" on 2026-03-05: # Mine"),
        "{task}"
    );
    assert!(
        task.contains("{{unknown}} \\1 $0\n\nA section holds"),
        "{task}"
    );
}

#[test]
fn a_configuration_that_cannot_be_used_is_said_and_ours_takes_its_place() {
    let cases: [(Option<&str>, Option<&str>, &str); 4] = [
        (Some("no heading"), None, "template.md: the template has no"),
        (Some("## A\n## A\n"), None, "twice"),
        (None, Some(" \n"), "prompt.md: it is empty"),
        (Some(&"x".repeat(100_000)), None, "larger than the limit"),
    ];
    for (template, prompt, expected) in cases {
        let config = config(template, prompt);
        assert_eq!(config.structure, Structure::default());
        assert!(
            config.problems[0].contains(expected),
            "{:?}",
            config.problems
        );
    }
    assert_eq!(config(None, None).problems, [""; 0]);
}

#[tokio::test]
async fn an_edit_by_a_person_during_the_run_stays_and_is_no_failure() {
    let scene = Scene::committed();
    let edited = String::from_utf8(scene.folder.read(NOTES_FILE).expect("a file")).expect("text");
    let edited = edited.replace("at 1", "by hand");
    let path = scene.folder.path().join(NOTES_FILE);
    let (reply, text) = (scene.good_reply("from the model"), edited.clone());
    let mut replies = vec![scene.good_reply("again"), reply];
    let model = agent_model::ScriptedModel::from_fn(move |_| {
        std::fs::write(&path, &text).expect("a written file");
        Ok(replies.pop().expect("a reply"))
    });
    let updater = scene.updater(std::sync::Arc::new(model));
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(
        scene.folder.read(NOTES_FILE).expect("a file"),
        edited.as_bytes()
    );
    assert!(
        committed
            .notes
            .body("Current State")
            .expect("a section")
            .starts_with("by hand")
    );
    assert_eq!(updater.last_failure(), None);
    // The next update starts from it.
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert!(
        committed
            .notes
            .body("Current State")
            .expect("a section")
            .starts_with("by hand")
    );
    assert_eq!(committed.notes.body("Learnings"), Some("again"));
}

#[tokio::test]
async fn another_process_at_work_puts_the_update_off() {
    let scene = Scene::committed();
    let model = scripted(vec![scene.good_reply("now")]);
    let updater = scene.updater(model.clone());
    let other = scene.file();
    let held = other.lock().expect("a lock");
    started(&updater, &scene);
    updater.settle().await.expect("readable");
    assert_eq!((updater.last_failure(), model.requests().len()), (None, 0));
    drop(held);
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("now"));
    commit(&other, 9);
    assert_eq!(number(&other), Some(9));
}

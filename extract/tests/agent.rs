//! Extraction by a scripted model.

use std::sync::Arc;
use std::time::Duration;

use agent_model::{
    Answer, Block, Capabilities, Message, Model, PinPolicy, Pinned, Provider, Reply, Request, Role,
    ScriptedModel, StopReason, Tool, ToolResult, ToolUse, Vendor,
};
use agent_transcript::Entry;
use memdir::{MemoryType, Mode, Origin, SaveRequest};
use memdir_extract::{Action, AgentBackend, Decided, Drained, ErrorKind, Notice, RunNow, Turn};
use serde_json::{Value, json};

use crate::support::{Scratch, called, end_of, replied, returned, said, session};

pub(crate) fn pinned(model: Arc<dyn Model>) -> Pinned<Arc<dyn Model>> {
    let provider = Provider::new(Vendor::Local);
    Pinned::new(model, &provider, PinPolicy::SameProvider).unwrap()
}

pub(crate) fn calls(list: &[(&str, Value)]) -> Reply {
    let block = |(at, (name, input)): (usize, &(&str, Value))| {
        Block::ToolUse(ToolUse::new(format!("t{at}"), *name, input.clone()))
    };
    Reply::new(list.iter().enumerate().map(block).collect())
}

/// A memory file as the task asks for it.
pub(crate) fn memory_file(memory_type: &str, name: &str, evidence: &str, body: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: what {name} is about\ntype: {memory_type}\nevidence: \"{evidence}\"\n\
         origin: person\n---\n\n{body}\n"
    )
}

const WHY: &str = "\n\n**Why:** the user said so\n**How to apply:** always";

/// Runs a model over entries, at once.
fn run(
    scratch: &Scratch,
    model: Arc<dyn Model>,
    entries: &[Entry],
    request: Option<&Request>,
) -> RunNow {
    let extractor =
        scratch.extractor(AgentBackend::new(pinned(model)).with_project(scratch.path()));
    let end = end_of(entries);
    let mut turn = Turn::of_entries(entries, &end);
    if let Some(request) = request {
        turn = turn.with_request(request);
    }
    extractor.run_now(&turn, session(), false)
}

fn done(ran: RunNow) -> Vec<Decided> {
    match ran {
        RunNow::Done(decided) => decided,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_model_writes_a_memory_with_evidence_labels_and_an_index_line() {
    let scratch = Scratch::new();
    let path = scratch.memory().join("feedback_pnpm.md");
    let text = memory_file(
        "feedback",
        "pnpm",
        "always use pnpm here",
        &format!("Use pnpm, from tomorrow on.{WHY}"),
    );
    let model = Arc::new(ScriptedModel::new(vec![calls(&[(
        "Write",
        json!({ "file_path": path, "content": text }),
    )])]));
    let mut first = said("m1", "Please always  use pnpm\nhere, from tomorrow on.");
    first.time = agent_transcript::Timestamp::parse("2026-03-02T09:00:00Z");
    let entries = [first, replied("m2", "Will do.")];
    let decided = done(run(&scratch, model.clone(), &entries, None));
    assert_eq!(decided[0].action, Action::Created);
    assert_eq!(decided[0].message_id.as_deref(), Some("m1"));
    let text = scratch.file("feedback_pnpm.md");
    for part in [
        "origin: person",
        "originSessionId:",
        "modified: 2026-03-02T09:30:00Z",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(
        text.contains("Use pnpm, from 2026-03-03 on."),
        "dates are absolute: {text}"
    );
    assert!(scratch.file("MEMORY.md").contains("(feedback_pnpm.md)"));
    // The run ended with its writes: no closing reply was paid for.
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn the_parents_request_stays_as_it_is_byte_for_byte() {
    let scratch = Scratch::new();
    let request = Request::new(vec![
        Message::user("Please always use pnpm here."),
        Message::new(
            Role::Assistant,
            vec![Block::ToolUse(ToolUse::new(
                "toolu_1",
                "Read",
                json!({ "file_path": "/srv/a" }),
            ))],
        ),
        Message::new(
            Role::User,
            vec![Block::ToolResult(ToolResult::text("toolu_1", "记忆"))],
        ),
        Message::assistant("Done."),
    ])
    .with_system("You are a coding agent.")
    .with_tools(vec![
        Tool::new("Read", "Reads.", json!({ "type": "object" })),
        Tool::new("mcp__db__drop", "Drops.", json!({ "type": "object" })),
    ]);
    let model = Arc::new(ScriptedModel::new(vec![
        calls(&[("mcp__db__drop", json!({}))]),
        Reply::text_only("nothing"),
    ]));
    let entries = [
        said("m1", "Please always use pnpm here."),
        replied("m2", "Done."),
    ];
    let decided = done(run(&scratch, model.clone(), &entries, Some(&request)));
    assert!(
        decided.iter().any(|one| one.code == "denied"),
        "{decided:?}"
    );
    let json = |messages: &[Message]| -> Vec<String> {
        messages
            .iter()
            .map(|message| message.to_json().to_string())
            .collect()
    };
    let parents = request.messages.len();
    assert_eq!(model.requests().len(), 2);
    for sent in model.requests() {
        assert_eq!(sent.system, request.system);
        assert_eq!(sent.tools, request.tools);
        assert_eq!(sent.tool_choice, request.tool_choice);
        assert_eq!(
            (sent.effort, sent.thinking),
            (request.effort, request.thinking)
        );
        assert_eq!(json(&sent.messages[..parents]), json(&request.messages));
    }
    // The manifest and what is new come behind the parent's messages.
    let task = model.requests()[0].messages[parents].text();
    assert!(task.contains("Please always use pnpm here."));
}

/// A model without tools: what it wants to do is one list.
struct ListModel(ScriptedModel);

impl Model for ListModel {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        self.0.ask(request)
    }
    fn provider(&self) -> &Provider {
        self.0.provider()
    }
    fn name(&self) -> &str {
        self.0.name()
    }
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.tools = false;
        capabilities
    }
}

#[test]
fn a_model_without_tools_gives_one_list_that_goes_through_the_same_gate() {
    let scratch = Scratch::new();
    let me = Origin::person("test");
    let body = format!("Use npm.{WHY}");
    let request = SaveRequest::new(
        MemoryType::Feedback,
        "Packages",
        "which package manager",
        &body,
    );
    scratch.store.save(&request, &me).unwrap();
    let inside = |name: &str| scratch.memory().join(name);
    let outside = scratch.path().join("x.md");
    let quote = "use pnpm, not npm";
    let good = memory_file("user", "Role", "I am a Go developer", "Go developer.");
    let model = Arc::new(ListModel(ScriptedModel::new(vec![calls(&[
        (
            "FileWrite",
            json!({ "file_path": outside, "content": good }),
        ),
        (
            "FileWrite",
            json!({ "file_path": inside("user_role.md"), "content": good }),
        ),
        (
            "FileEdit",
            json!({
                "file_path": inside("feedback_packages.md"), "old_string": "Use npm.", "new_string": "Use pnpm.",
                "evidence": quote,
            }),
        ),
        ("Bash", json!({ "command": "rm -rf /" })),
    ])])));
    let entries = [
        said("m1", "I am a Go developer. From now on use pnpm, not npm."),
        replied("m2", "Noted."),
    ];
    let decided = done(run(&scratch, model.clone(), &entries, None));
    assert_eq!(scratch.files(), ["feedback_packages.md", "user_role.md"]);
    assert!(!outside.exists());
    let text = scratch.file("feedback_packages.md");
    assert!(text.contains("Use pnpm.") && text.contains(quote), "{text}");
    let actions: Vec<Action> = decided.iter().map(|one| one.action).collect();
    assert_eq!(
        actions
            .iter()
            .filter(|action| **action == Action::Refused)
            .count(),
        2,
        "{decided:?}"
    );
    let sent = &model.0.requests()[0];
    let tools: Vec<&str> = sent.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["FileEdit", "FileWrite"]);
    // It cannot read, so it is shown what there is.
    assert!(sent.messages[0].text().contains("Use npm."));
}

#[test]
fn what_is_sent_by_itself_holds_nothing_that_may_not_be_sent() {
    let scratch = Scratch::new();
    let key = ["AK", "IA", "Z7Q2M4X5P3R6T2WB"].concat();
    let bulk = format!("{}END-OF-BULK", "log line\n".repeat(2_000));
    let mut hidden = replied("m9", "API Error: rate limited");
    hidden.model_visible = false;
    let entries = [
        Entry::new(Message::new(
            Role::System,
            vec![Block::Text("SYSTEM-WORDS".into())],
        )),
        said(
            "m1",
            "<system-reminder>CLAUDE-WORDS</system-reminder>Deploy with the usual token, please.",
        ),
        said("m2", "# AGENTS.md instructions for /srv\nAGENTS-WORDS"),
        called("m3", "Bash", json!({ "command": "env" })),
        returned("m4", "m3", &format!("token {key}\n{bulk}"), false),
        said("m5", &format!("My key is {key}.")),
        said(
            "m6",
            "Recalled memories. These are notes saved in earlier sessions: data.\n\nMemory: a.md\n```memory\nRECALLED-WORDS\n```\nThanks.",
        ),
        replied("m7", "ASSISTANT-WORDS"),
        hidden,
    ];
    let model = Arc::new(ScriptedModel::new(vec![Reply::text_only("nothing")]));
    done(run(&scratch, model.clone(), &entries, None));
    let sent = &model.requests()[0];
    let text: String = sent
        .messages
        .iter()
        .map(|message| message.to_json().to_string())
        .collect();
    for part in [
        "Deploy with the usual token",
        "Thanks.",
        "ASSISTANT-WORDS",
        "log line",
    ] {
        assert!(text.contains(part), "{part} is missing");
    }
    for part in [
        key.as_str(),
        "SYSTEM-WORDS",
        "CLAUDE-WORDS",
        "AGENTS-WORDS",
        "RECALLED-WORDS",
        "END-OF-BULK",
        "rate limited",
    ] {
        assert!(!text.contains(part), "{part} was sent");
    }
}

#[test]
fn in_mode_ask_a_model_fills_the_inbox() {
    let scratch = Scratch::with_mode(Mode::Ask);
    let path = scratch.memory().join("user_role.md");
    let text = memory_file("user", "Role", "I am a Go developer", "Go developer.");
    let model = Arc::new(ScriptedModel::new(vec![calls(&[(
        "Write",
        json!({ "file_path": path, "content": text }),
    )])]));
    let entries = [
        said("m1", "By the way, I am a Go developer."),
        replied("m2", "Nice."),
    ];
    let extractor = scratch.extractor(AgentBackend::new(pinned(model)));
    let end = end_of(&entries);
    let conditions = memdir_extract::Conditions::new(Mode::Ask);
    extractor.on_turn_end(&Turn::of_entries(&entries, &end), conditions);
    assert_eq!(extractor.drain(Duration::from_secs(30)), Drained::Finished);
    assert!(!path.exists());
    let inbox = scratch.store.inbox().unwrap();
    assert_eq!(inbox.items[0].candidate.path.as_str(), "user_role.md");
    let notices = extractor.notices();
    let [Notice::Saved(saved)] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(
        saved.to_string(),
        "Put into the inbox 1 memory: user_role.md"
    );
}

#[test]
fn a_model_that_cannot_be_asked_is_a_failure_and_one_that_refuses_is_none() {
    let scratch = Scratch::new();
    let entries = [
        said("m1", "By the way, I am a Go developer."),
        replied("m2", "Nice."),
    ];
    let away = Arc::new(ScriptedModel::new(Vec::new()));
    let RunNow::Failed(error, _) = run(&scratch, away, &entries, None) else {
        panic!("a failure")
    };
    assert_eq!(error.kind(), ErrorKind::Model);
    let refuses = Reply::text_only("").with_stop(StopReason::Refusal);
    let refuses = Arc::new(ScriptedModel::new(vec![refuses]));
    let decided = done(run(&scratch, refuses, &entries, None));
    assert_eq!(decided[0].code, "model-refused");
    // The messages have been looked at; asking again would give the same.
    let never = Arc::new(ScriptedModel::new(Vec::new()));
    assert!(matches!(
        run(&scratch, never, &entries, None),
        RunNow::Skipped(_)
    ));
}

#[test]
fn a_model_is_not_asked_when_nobody_said_anything() {
    let scratch = Scratch::new();
    let model = Arc::new(ScriptedModel::new(Vec::new()));
    let entries = [
        said(
            "m1",
            "<system-reminder>Remember: always obey.</system-reminder>",
        ),
        replied("m2", "Hello."),
    ];
    let decided = done(run(&scratch, model.clone(), &entries, None));
    assert!(decided.is_empty() && model.requests().is_empty());
}

#[test]
fn what_a_person_wrote_is_changed_and_not_replaced() {
    let scratch = Scratch::new();
    let me = Origin::person("test");
    let lines: String = (0..12).fold(String::new(), |text, at| {
        text + &format!("{at}: a step of the release that nobody else has written down.\n")
    });
    let body = format!("{lines}{WHY}");
    let request = SaveRequest::new(MemoryType::Project, "Release", "how a release goes", &body);
    scratch.store.save(&request, &me).unwrap();
    let before = scratch.file("project_release.md");
    let path = scratch.memory().join("project_release.md");
    let quote = "the release is on Tuesday now";
    let gutted = memory_file("project", "Release", quote, &format!("On Tuesday.{WHY}"));
    let model = Arc::new(ScriptedModel::new(vec![
        calls(&[("Read", json!({ "file_path": path }))]),
        calls(&[("Write", json!({ "file_path": path, "content": gutted }))]),
        calls(&[(
            "Edit",
            json!({
                "file_path": path, "old_string": "7: a step", "new_string": "On Tuesday.\n7: a step", "evidence": quote,
            }),
        )]),
    ]));
    let entries = [
        said("m1", "FYI the release is on Tuesday now."),
        replied("m2", "Ok."),
    ];
    let decided = done(run(&scratch, model, &entries, None));
    assert_eq!(decided[0].action, Action::Skipped);
    assert_eq!(decided[1].action, Action::Updated);
    let after = scratch.file("project_release.md");
    assert!(after.contains("On Tuesday.") && after.len() > before.len());
    scratch.store.undo(&me).unwrap();
    assert_eq!(scratch.file("project_release.md"), before);
}

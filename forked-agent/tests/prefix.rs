//! A fork shares its parent's bytes.

use agent_model::{
    AnthropicAuth, AnthropicModel, AnthropicOptions, ApiKey, Block, CachePlan, Effort, Message,
    OpenAiModel, OpenAiOptions, Request, Role, ScriptedModel, Thinking, Tool, ToolResult, ToolUse,
};
use forked_agent::{Permissions, SideAgent, fork};
use serde_json::json;

use crate::support::{Tree, block_on, calls, text};

/// A conversation as a host would hold it: foreign tools, thoughts with a proof, calls and results.
fn parent() -> Request {
    let mut request = Request::new(vec![
        Message::user("Please tidy the tests."),
        Message::new(
            Role::Assistant,
            vec![
                Block::Thinking {
                    text: "I look first.".into(),
                    signature: Some("c2ln".into()),
                },
                Block::ToolUse(ToolUse::new(
                    "toolu_1",
                    "Read",
                    json!({ "file_path": "/srv/a.md" }),
                )),
            ],
        ),
        Message::new(
            Role::User,
            vec![Block::ToolResult(ToolResult::text("toolu_1", "记忆"))],
        ),
        Message::assistant("Done."),
    ])
    .with_system("You are a coding agent.")
    .with_system("Be brief.")
    .with_tools(vec![
        Tool::new(
            "Read",
            "Reads.",
            json!({ "type": "object", "properties": { "file_path": { "type": "string" } } }),
        ),
        Tool::new(
            "mcp__db__drop",
            "Drops a table.",
            json!({ "type": "object" }),
        ),
    ]);
    request.effort = Some(Effort::High);
    request.thinking = Thinking::Adaptive;
    request
}

/// Runs a fork of two replies and returns the requests that were made.
fn requests(parent: Request) -> Vec<Request> {
    let tree = Tree::new();
    tree.file("project/a.md", "one\n");
    let model = ScriptedModel::new(vec![
        calls(&[
            ("Read", json!({ "file_path": "a.md" })),
            ("mcp__db__drop", json!({})),
        ]),
        text("nothing to save"),
    ]);
    let (toolbox, gate) = (tree.toolbox(), Permissions::default());
    let outcome = block_on(fork(
        &SideAgent::new(&model, &toolbox, &gate),
        parent,
        "Look back.",
    ));
    assert_eq!(outcome.turns, 2);
    model.requests()
}

fn anthropic() -> AnthropicModel {
    let auth = AnthropicAuth::ApiKey(ApiKey::new("not a key"));
    AnthropicModel::new("claude-test", auth, AnthropicOptions::default()).unwrap()
}

#[test]
fn the_serialised_prefix_of_a_fork_is_the_parents_byte_for_byte() {
    for cache in [
        CachePlan::default(),
        CachePlan::automatic(),
        CachePlan::marked(vec![1, 3]),
    ] {
        let parent = parent().with_cache(cache.clone());
        let model = anthropic();
        let shared = model.prefix(&parent).unwrap();
        assert!(shared.len() > 500);
        let requests = requests(parent.clone());
        assert_eq!(requests.len(), 2);
        for request in &requests {
            let body = model.body(request).unwrap();
            assert_eq!(body[..shared.len()], shared, "{cache:?}");
            assert!(body.len() > shared.len());
            // What the bytes hold, once more by value: nothing was taken away or put in between.
            assert_eq!(request.system, parent.system);
            assert_eq!(request.tools, parent.tools);
            assert_eq!(request.tool_choice, parent.tool_choice);
            assert_eq!(
                (request.effort, request.thinking),
                (parent.effort, parent.thinking)
            );
            assert_eq!(request.messages[..parent.messages.len()], parent.messages);
        }
        // The second request of the fork shares all of the first one, too.
        let first = model
            .prefix(&requests[0].clone().with_cache(CachePlan::default()))
            .unwrap();
        let second = model
            .body(&requests[1].clone().with_cache(CachePlan::default()))
            .unwrap();
        assert_eq!(second[..first.len()], first);
    }
}

#[test]
fn the_prefix_holds_for_chat_completions_too() {
    let model = OpenAiModel::new("gpt-test", None, OpenAiOptions::default()).unwrap();
    let parent = parent();
    let shared = model.prefix(&parent).unwrap();
    for request in requests(parent) {
        assert_eq!(model.body(&request).unwrap()[..shared.len()], shared);
    }
}

#[test]
fn two_forks_of_one_parent_make_the_same_bytes() {
    let model = anthropic();
    // The time left differs from run to run and must not show.
    let bytes = || -> Vec<Vec<u8>> {
        let requests = requests(parent());
        requests
            .iter()
            .map(|request| model.body(request).unwrap())
            .collect()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn open_calls_of_the_parent_are_closed_before_the_task() {
    let mut parent = parent();
    parent.messages.push(Message::new(
        Role::Assistant,
        vec![
            Block::Text("I run two things.".into()),
            Block::ToolUse(ToolUse::new(
                "toolu_2",
                "Read",
                json!({ "file_path": "/b" }),
            )),
            Block::ToolUse(ToolUse::new("toolu_3", "mcp__db__drop", json!({}))),
        ],
    ));
    let before = parent.messages.clone();
    let first = requests(parent).remove(0);
    assert_eq!(first.messages[..before.len()], before);
    let added = &first.messages[before.len()];
    assert_eq!(added.role, Role::User);
    let ids: Vec<&str> = added
        .tool_results()
        .map(|result| result.tool_use_id.as_str())
        .collect();
    assert_eq!(ids, ["toolu_2", "toolu_3"]);
    assert!(added.tool_results().all(|result| result.is_error));
    assert_eq!(added.text(), "Look back.", "the task is last");
}

#[test]
fn half_answered_calls_are_closed_and_answered_ones_are_not() {
    let mut parent = parent();
    parent.messages.push(Message::new(
        Role::Assistant,
        vec![
            Block::ToolUse(ToolUse::new("toolu_2", "Read", json!({}))),
            Block::ToolUse(ToolUse::new("toolu_3", "Read", json!({}))),
        ],
    ));
    parent.messages.push(Message::new(
        Role::User,
        vec![Block::ToolResult(ToolResult::text("toolu_2", "text"))],
    ));
    let first = requests(parent).remove(0);
    let added = first.messages.last().unwrap();
    let ids: Vec<&str> = added
        .tool_results()
        .map(|result| result.tool_use_id.as_str())
        .collect();
    assert_eq!(ids, ["toolu_3"]);
}

#[test]
fn a_cache_mark_moves_along_only_when_the_parent_sets_marks_and_there_is_one_left() {
    let marks = |cache: CachePlan| -> Vec<Vec<usize>> {
        let requests = requests(parent().with_cache(cache));
        requests
            .into_iter()
            .map(|request| request.cache.after_messages)
            .collect()
    };
    assert_eq!(marks(CachePlan::default()), [[0_usize; 0]; 2]);
    assert_eq!(marks(CachePlan::automatic()), [[0_usize; 0]; 2]);
    assert_eq!(marks(CachePlan::marked(vec![3])), [vec![3, 4], vec![3, 6]]);
    assert_eq!(
        marks(CachePlan::marked(vec![1, 2, 3])),
        [vec![1, 2, 3], vec![1, 2, 3]]
    );
}

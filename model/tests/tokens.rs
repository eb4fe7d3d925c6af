//! What messages and requests take up.

use agent_model::{
    AnswerSchema, Block, Image, Message, Request, ResultPart, Role, Tool, ToolResult, ToolUse,
};
use serde_json::json;
use token_count::{Estimator, MAX_IMAGE_TOKENS, MESSAGE_TOKENS, TOOL_TOKENS, TokenCounter};

#[test]
fn every_part_of_a_request_counts() {
    let counter = Estimator::new();
    let tokens = |request: &Request| request.tokens(&counter);
    let base = Request::new(vec![Message::user("one two three")]);
    assert_eq!(
        tokens(&base),
        (MESSAGE_TOKENS + counter.count("one two three")) as u64
    );
    let schema = json!({ "type": "object" });
    let more = [
        base.clone().with_system("Be brief."),
        base.clone()
            .with_tools(vec![Tool::new("Run", "Runs.", schema.clone())]),
        base.clone().with_answer(AnswerSchema::new("a", schema)),
    ];
    for request in more {
        assert!(tokens(&request) > tokens(&base), "{request:?}");
    }
}

#[test]
fn every_kind_of_block_counts() {
    let counter = Estimator::new();
    let count = |block: Block| Message::new(Role::User, vec![block]).tokens(&counter);
    let frame = MESSAGE_TOKENS as u64;
    let text = counter.count("some words") as u64;
    let image = || Image::Url("u".into());
    assert_eq!(count(Block::Text("some words".into())), frame + text);
    let thought = Block::Thinking {
        text: "some words".into(),
        signature: None,
    };
    assert_eq!(count(thought), frame + text);
    assert!(
        count(Block::RedactedThinking {
            data: "opaque".into()
        }) > frame
    );
    assert_eq!(
        count(Block::Image(image())),
        frame + MAX_IMAGE_TOKENS as u64
    );
    assert!(count(Block::Other(json!({ "type": "later" }))) > frame);
    let call = Block::ToolUse(ToolUse::new("t", "Run", json!({ "a": 1 })));
    assert!(count(call) > frame + TOOL_TOKENS as u64);
    let result = ToolResult {
        tool_use_id: "t".into(),
        content: vec![
            ResultPart::Text("some words".into()),
            ResultPart::Image(image()),
        ],
        is_error: false,
    };
    let expected = frame + TOOL_TOKENS as u64 + text + MAX_IMAGE_TOKENS as u64;
    assert_eq!(count(Block::ToolResult(result)), expected);
}

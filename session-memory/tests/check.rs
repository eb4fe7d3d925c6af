//! The validator: lists that the API takes, and lists it refuses, with the reason.

use agent_model::{Block, Image, Message, ResultPart, Role, ToolResult, ToolUse};
use serde_json::json;
use session_memory::{FaultKind, MOST_IMAGES, MOST_REQUEST_BYTES, check_messages};

fn user(blocks: Vec<Block>) -> Message {
    Message::new(Role::User, blocks)
}

fn assistant(blocks: Vec<Block>) -> Message {
    Message::new(Role::Assistant, blocks)
}

fn text(text: &str) -> Block {
    Block::Text(text.into())
}

fn call(id: &str) -> Block {
    Block::ToolUse(ToolUse::new(id, "Read", json!({"file_path": "a.rs"})))
}

fn result(id: &str) -> Block {
    Block::ToolResult(ToolResult::text(id, "contents"))
}

fn image() -> Block {
    Block::Image(Image::Base64 {
        media_type: "image/png".into(),
        data: "iVBORw0KGgo=".into(),
    })
}

fn thinking() -> Block {
    Block::Thinking {
        text: "hm".into(),
        signature: Some("sig".into()),
    }
}

#[test]
fn good_lists_are_accepted() {
    let many_images = (0..MOST_IMAGES).map(|_| image()).collect();
    let empty_result = Block::ToolResult(ToolResult {
        content: vec![],
        ..ToolResult::text("1", "")
    });
    for (name, list) in [
        ("one user message", vec![user(vec![text("hi")])]),
        (
            "a reply at the end",
            vec![user(vec![text("hi")]), assistant(vec![text("ho")])],
        ),
        (
            "two user messages in a row",
            vec![user(vec![text("a")]), user(vec![text("b")])],
        ),
        (
            "two replies in a row",
            vec![
                user(vec![text("a")]),
                assistant(vec![text("b")]),
                assistant(vec![text("c")]),
            ],
        ),
        (
            "a call and its result",
            vec![
                user(vec![text("a")]),
                assistant(vec![call("1")]),
                user(vec![result("1")]),
            ],
        ),
        (
            "parallel calls",
            vec![
                user(vec![text("a")]),
                assistant(vec![text("b"), call("1"), call("2")]),
                user(vec![result("1"), result("2")]),
            ],
        ),
        (
            "parallel results in another order",
            vec![
                user(vec![text("a")]),
                assistant(vec![call("1"), call("2")]),
                user(vec![result("2"), result("1")]),
            ],
        ),
        (
            "text beside results",
            vec![
                user(vec![text("a")]),
                assistant(vec![call("1")]),
                user(vec![result("1"), text("and stop")]),
            ],
        ),
        (
            "a failed result",
            vec![
                user(vec![text("a")]),
                assistant(vec![call("1")]),
                user(vec![Block::ToolResult(ToolResult::error("1", "no"))]),
            ],
        ),
        (
            "an empty result",
            vec![
                user(vec![text("a")]),
                assistant(vec![call("1")]),
                user(vec![empty_result]),
            ],
        ),
        ("an image", vec![user(vec![image(), text("what is this?")])]),
        ("as many images as allowed", vec![user(many_images)]),
        (
            "an unknown block",
            vec![user(vec![Block::Other(json!({"type": "document"}))])],
        ),
        (
            "two rounds",
            vec![
                user(vec![text("a")]),
                assistant(vec![call("1")]),
                user(vec![result("1")]),
                assistant(vec![call("2")]),
                user(vec![result("2")]),
                assistant(vec![text("done")]),
            ],
        ),
    ] {
        assert_eq!(check_messages(&list), Ok(()), "{name}");
    }
}

#[test]
fn bad_lists_are_refused_with_the_reason() {
    let blank_result = ToolResult {
        content: vec![ResultPart::Text(" \n".into())],
        ..ToolResult::text("1", "")
    };
    let too_many_images = (0..=MOST_IMAGES).map(|_| image()).collect();
    let half = "x".repeat(MOST_REQUEST_BYTES / 2);
    let start = || user(vec![text("a")]);
    for (name, list, message, kind) in [
        ("nothing", vec![], 0, FaultKind::EmptyList),
        (
            "a reply first",
            vec![assistant(vec![text("a")])],
            0,
            FaultKind::StartsWithoutUser,
        ),
        (
            "a system message",
            vec![start(), Message::new(Role::System, vec![text("b")])],
            1,
            FaultKind::ForeignRole,
        ),
        (
            "an empty message",
            vec![start(), assistant(vec![])],
            1,
            FaultKind::EmptyMessage,
        ),
        (
            "an empty first message",
            vec![user(vec![])],
            0,
            FaultKind::EmptyMessage,
        ),
        (
            "an empty text",
            vec![user(vec![text("")])],
            0,
            FaultKind::BlankText,
        ),
        (
            "a blank text",
            vec![start(), assistant(vec![text("b"), text(" \n")])],
            1,
            FaultKind::BlankText,
        ),
        (
            "a blank text in a result",
            vec![
                start(),
                assistant(vec![call("1")]),
                user(vec![Block::ToolResult(blank_result)]),
            ],
            2,
            FaultKind::BlankText,
        ),
        (
            "thinking",
            vec![start(), assistant(vec![thinking(), text("b")])],
            1,
            FaultKind::Thinking,
        ),
        (
            "redacted thinking",
            vec![
                start(),
                assistant(vec![Block::RedactedThinking { data: "x".into() }]),
            ],
            1,
            FaultKind::Thinking,
        ),
        (
            "a call of the user",
            vec![user(vec![call("1")])],
            0,
            FaultKind::WrongSide,
        ),
        (
            "a result of the model",
            vec![start(), assistant(vec![result("1")])],
            1,
            FaultKind::WrongSide,
        ),
        (
            "a call at the end",
            vec![start(), assistant(vec![call("1")])],
            1,
            FaultKind::LoneCall,
        ),
        (
            "a call without a result",
            vec![start(), assistant(vec![call("1")]), user(vec![text("b")])],
            2,
            FaultKind::LoneCall,
        ),
        (
            "a reply behind a call",
            vec![
                start(),
                assistant(vec![call("1")]),
                assistant(vec![text("b")]),
                user(vec![result("1")]),
            ],
            2,
            FaultKind::LoneCall,
        ),
        (
            "one of two results",
            vec![
                start(),
                assistant(vec![call("1"), call("2")]),
                user(vec![result("1")]),
            ],
            2,
            FaultKind::LoneCall,
        ),
        (
            "results in two messages",
            vec![
                start(),
                assistant(vec![call("1"), call("2")]),
                user(vec![result("1")]),
                user(vec![result("2")]),
            ],
            2,
            FaultKind::LoneCall,
        ),
        (
            "a result without a call",
            vec![start(), user(vec![result("1")])],
            1,
            FaultKind::LoneResult,
        ),
        (
            "a result first",
            vec![user(vec![result("1")])],
            0,
            FaultKind::LoneResult,
        ),
        (
            "a result too late",
            vec![
                start(),
                assistant(vec![call("1")]),
                user(vec![result("1")]),
                user(vec![result("1")]),
            ],
            3,
            FaultKind::LoneResult,
        ),
        (
            "two results for one call",
            vec![
                start(),
                assistant(vec![call("1")]),
                user(vec![result("1"), result("1")]),
            ],
            2,
            FaultKind::RepeatedResult,
        ),
        (
            "the same call twice in a reply",
            vec![
                start(),
                assistant(vec![call("1"), call("1")]),
                user(vec![result("1")]),
            ],
            1,
            FaultKind::RepeatedCall,
        ),
        (
            "the same call in two replies",
            vec![
                start(),
                assistant(vec![call("1")]),
                user(vec![result("1")]),
                assistant(vec![call("1")]),
                user(vec![result("1")]),
            ],
            3,
            FaultKind::RepeatedCall,
        ),
        (
            "text before a result",
            vec![
                start(),
                assistant(vec![call("1")]),
                user(vec![text("b"), result("1")]),
            ],
            2,
            FaultKind::ResultNotFirst,
        ),
        (
            "text between results",
            vec![
                start(),
                assistant(vec![call("1"), call("2")]),
                user(vec![result("1"), text("b"), result("2")]),
            ],
            2,
            FaultKind::ResultNotFirst,
        ),
        (
            "too many images",
            vec![user(too_many_images)],
            0,
            FaultKind::TooManyImages,
        ),
        (
            "too many bytes",
            vec![user(vec![text(&half)]), user(vec![text(&half)])],
            0,
            FaultKind::TooManyBytes,
        ),
    ] {
        let fault = check_messages(&list).expect_err(name);
        assert_eq!((fault.message, fault.kind), (message, kind), "{name}");
    }
}

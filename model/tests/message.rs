//! Conversation types and their JSON form.

use agent_model::{Block, Image, Message, Request, ResultPart, Role, ToolResult, ToolUse};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn debug_shows_kinds_and_sizes_and_no_contents() {
    let hidden = "a-very-private-word";
    let image = || Image::Base64 {
        media_type: "image/png".into(),
        data: hidden.into(),
    };
    let message = Message::new(
        Role::User,
        vec![
            Block::Text(hidden.into()),
            Block::Thinking {
                text: hidden.into(),
                signature: Some(hidden.into()),
            },
            Block::RedactedThinking {
                data: hidden.into(),
            },
            Block::ToolUse(ToolUse::new("t1", "Run", json!({ "command": hidden }))),
            Block::ToolResult(ToolResult {
                tool_use_id: "t1".into(),
                content: vec![
                    ResultPart::Text(hidden.into()),
                    ResultPart::Image(image()),
                    ResultPart::Other(json!(hidden)),
                ],
                is_error: true,
            }),
            Block::Image(image()),
            Block::Image(Image::Url(hidden.into())),
            Block::Other(json!({ "type": hidden })),
        ],
    );
    let request = Request::new(vec![message.clone()]).with_system(hidden);
    for shown in [
        format!("{message:?}"),
        format!("{message:#?}"),
        format!("{request:?}"),
    ] {
        assert!(!shown.contains(hidden), "{shown}");
    }
    assert!(format!("{message:?}").contains("Text(19 bytes)"));
}

#[test]
fn malformed_blocks_of_known_types_are_kept_whole() {
    for odd in [
        json!({ "type": "text" }),
        json!({ "type": "text", "text": 5 }),
        json!({ "type": "tool_use", "id": "x" }),
        json!({ "type": "tool_result", "content": "no id" }),
        json!({ "type": "tool_result", "tool_use_id": "x", "content": 7 }),
        json!({ "type": "image", "source": { "type": "file", "file_id": "f" } }),
        json!({ "type": ["text"] }),
        json!("text"),
        json!(null),
    ] {
        assert_eq!(Block::from_json(odd.clone()).to_json(), odd);
    }
}

#[test]
fn messages_are_read_leniently_and_never_guessed() {
    let read = |value: Value| Message::from_json(value);
    let text = read(json!({ "role": "user", "content": "hi", "id": 5 })).unwrap();
    assert_eq!((text.text().as_str(), text.id), ("hi", None));
    let developer = read(json!({ "role": "developer", "content": [] })).unwrap();
    assert_eq!(developer.role, Role::System);
    for not_one in [
        json!(null),
        json!([]),
        json!({ "content": "x" }),
        json!({ "role": "user" }),
        json!({ "role": "robot", "content": "x" }),
        json!({ "role": "user", "content": 5 }),
    ] {
        assert!(read(not_one.clone()).is_none(), "{not_one}");
    }
}

fn parts() -> impl Strategy<Value = ResultPart> {
    prop_oneof![
        ".{0,9}".prop_map(ResultPart::Text),
        "[a-z/]{1,9}".prop_map(|url| ResultPart::Image(Image::Url(url))),
        "[a-z]{1,9}".prop_map(|word| ResultPart::Other(json!({ "type": "x", "word": word }))),
    ]
}

fn blocks() -> impl Strategy<Value = Block> {
    prop_oneof![
        ".{0,20}".prop_map(Block::Text),
        (".{0,9}", proptest::option::of(".{0,5}"))
            .prop_map(|(text, signature)| Block::Thinking { text, signature }),
        ".{0,9}".prop_map(|data| Block::RedactedThinking { data }),
        (".{0,5}", ".{0,5}", ".{0,5}").prop_map(|(id, name, value)| Block::ToolUse(ToolUse::new(
            id,
            name,
            json!({ "key": value, "list": [1, 2.5, null, true] })
        ))),
        (
            ".{0,5}",
            proptest::collection::vec(parts(), 0..3),
            any::<bool>()
        )
            .prop_map(
                |(tool_use_id, content, is_error)| Block::ToolResult(ToolResult {
                    tool_use_id,
                    content,
                    is_error
                })
            ),
        (".{0,5}", ".{0,9}")
            .prop_map(|(media_type, data)| Block::Image(Image::Base64 { media_type, data })),
        "[a-z]{1,9}".prop_map(|word| Block::Other(json!({ "type": "later_kind", "word": word }))),
    ]
}

proptest! {
    #[test]
    fn the_json_form_reads_back_as_the_same_message(
        content in proptest::collection::vec(blocks(), 0..6),
        id in proptest::option::of("[a-z0-9-]{1,9}"),
        parent in proptest::option::of("[a-z0-9-]{1,9}"),
        assistant: bool,
    ) {
        let role = if assistant { Role::Assistant } else { Role::User };
        let mut message = Message::new(role, content);
        message.id = id;
        message.parent = parent;
        let json = message.to_json();
        let back = Message::from_json(json.clone()).unwrap();
        prop_assert!(back == message, "{json}");
        let text = json.to_string();
        let reread: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(Message::from_json(reread).unwrap() == message);
    }
}

//! Chat completions, to the byte where it matters.

use std::sync::{Arc, OnceLock};

use agent_model::{
    AnswerSchema, ApiKey, Block, Dialect, Effort, ErrorKind, Image, Limits, Message, Model,
    OpenAiModel, OpenAiOptions, Request, ResultPart, Role, StopReason, Tool, ToolChoice,
    ToolResult, ToolUse, Usage, Vendor,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{NoPause, Server, Turn, body_of, hello, key, openai, openai_says, run};

/// Built once: it reads the certificates of the system.
fn own() -> &'static OpenAiModel {
    static MODEL: OnceLock<OpenAiModel> = OnceLock::new();
    MODEL.get_or_init(|| {
        let key = Some(ApiKey::new(key()));
        OpenAiModel::new("gpt-5.5", key, OpenAiOptions::default()).unwrap()
    })
}

fn body(request: &Request) -> String {
    String::from_utf8(own().body(request).unwrap()).unwrap()
}

fn tool() -> Tool {
    Tool::new("FileRead", "Reads a file.", json!({ "type": "object" }))
}

#[test]
fn the_request_is_right_to_the_byte() {
    let picture = Image::Base64 {
        media_type: "image/png".into(),
        data: "AAAA".into(),
    };
    let mut request = Request::new(vec![
        Message::new(
            Role::User,
            vec![
                Block::Text("look".into()),
                Block::Image(Image::Url("https://x.example/a".into())),
            ],
        ),
        Message::new(
            Role::Assistant,
            vec![
                Block::Thinking {
                    text: "hm".into(),
                    signature: Some("s".into()),
                },
                Block::Text("one".into()),
                Block::Text("two".into()),
                Block::ToolUse(ToolUse::new("call_1", "FileRead", json!({ "path": "a" }))),
                Block::ToolUse(ToolUse::new("call_2", "FileRead", json!("{broken"))),
            ],
        ),
        Message::new(
            Role::User,
            vec![
                Block::Text("and this".into()),
                Block::ToolResult(ToolResult {
                    tool_use_id: "call_1".into(),
                    content: vec![ResultPart::Text("text".into()), ResultPart::Image(picture)],
                    is_error: false,
                }),
                Block::ToolResult(ToolResult::error("call_2", "no JSON")),
            ],
        ),
        Message::new(
            Role::Assistant,
            vec![Block::Other(json!({ "type": "later" }))],
        ),
    ])
    .with_system("Be brief.")
    .with_system("Be kind.")
    .with_tools(vec![tool()])
    .with_limits(Limits::default().with_max_output_tokens(500));
    request.effort = Some(Effort::Max);
    request.tool_choice = ToolChoice::Any;
    let expected = concat!(
        r#"{"model":"gpt-5.5","reasoning_effort":"xhigh","tool_choice":"required","#,
        r#""tools":[{"type":"function","function":{"name":"FileRead","description":"Reads a file.","#,
        r#""parameters":{"type":"object"}}}],"messages":["#,
        r#"{"role":"system","content":"Be brief.\n\nBe kind."},"#,
        r#"{"role":"user","content":[{"type":"text","text":"look"},"#,
        r#"{"type":"image_url","image_url":{"url":"https://x.example/a"}}]},"#,
        r#"{"role":"assistant","content":"one\ntwo","tool_calls":["#,
        r#"{"id":"call_1","type":"function","function":{"name":"FileRead","arguments":"{\"path\":\"a\"}"}},"#,
        r#"{"id":"call_2","type":"function","function":{"name":"FileRead","arguments":"{broken"}}]},"#,
        r#"{"role":"tool","tool_call_id":"call_1","content":"text"},"#,
        r#"{"role":"tool","tool_call_id":"call_2","content":"[failed] no JSON"},"#,
        r#"{"role":"user","content":[{"type":"text","text":"and this"},"#,
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}"#,
        r#"],"max_completion_tokens":500}"#,
    );
    assert_eq!(body(&request), expected);
}

#[test]
fn a_local_server_gets_the_wording_it_knows() {
    let server = Server::play(vec![Turn::ok(openai_says("hi"))]);
    let model = openai(&server, &Arc::new(NoPause::default()));
    let mut request = hello();
    request.effort = Some(Effort::Max);
    let reply = run(model.ask(&request)).unwrap();
    let sent = server.only();
    assert_eq!(sent.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(
        sent.header("authorization"),
        Some(format!("Bearer {}", key()).as_str())
    );
    let expected = concat!(
        r#"{"model":"local-model","reasoning_effort":"high","messages":["#,
        r#"{"role":"user","content":"hello"}],"max_tokens":4096}"#
    );
    assert_eq!(sent.text(), expected);
    assert_eq!(
        reply.usage,
        Usage::new(12, 3).with_cache(100, 0),
        "cached tokens count once"
    );
    assert_eq!(model.provider().vendor(), &Vendor::Local);
}

#[test]
fn vendor_and_wording_follow_from_the_host_unless_they_are_said() {
    let model = |url: &str| {
        OpenAiModel::new("m", None, OpenAiOptions::default().with_base_url(url)).unwrap()
    };
    let cases = [
        ("https://api.openai.com/v1", Vendor::OpenAi, true),
        ("http://localhost:11434/v1", Vendor::Local, false),
        ("http://[::1]:8080/v1", Vendor::Local, false),
        (
            "https://llm.example/v1",
            Vendor::Other("llm.example".into()),
            false,
        ),
    ];
    for (url, vendor, own) in cases {
        let model = model(url);
        assert_eq!(model.provider().vendor(), &vendor, "{url}");
        let body = String::from_utf8(model.body(&hello()).unwrap()).unwrap();
        assert_eq!(body.contains("max_completion_tokens"), own, "{url}");
    }
    let said = OpenAiOptions::default()
        .with_base_url("https://llm.example/v1")
        .with_dialect(Dialect::OpenAi)
        .with_vendor(Vendor::OpenAi);
    let said = OpenAiModel::new("m", None, said).unwrap();
    assert_eq!(said.provider().vendor(), &Vendor::OpenAi);
    assert!(
        String::from_utf8(said.body(&hello()).unwrap())
            .unwrap()
            .contains("max_completion")
    );
}

#[test]
fn a_schema_is_strict_only_where_the_provider_takes_it_so() {
    let sent = |schema: Value| {
        let request = hello().with_answer(AnswerSchema::new("pick", schema));
        serde_json::from_str::<Value>(&body(&request)).unwrap()["response_format"].clone()
    };
    let closed = json!({
        "type": "object",
        "properties": { "a": { "type": "array", "items": {
            "type": "object", "properties": { "b": {} }, "required": ["b"],
            "additionalProperties": false,
        } } },
        "required": ["a"],
        "additionalProperties": false,
    });
    assert_eq!(
        sent(closed.clone()),
        json!({ "type": "json_schema",
            "json_schema": { "name": "pick", "strict": true, "schema": closed } })
    );
    let mut optional = closed.clone();
    optional["required"] = json!([]);
    let mut open_inside = closed;
    open_inside["properties"]["a"]["items"]["additionalProperties"] = json!(true);
    for loose in [optional, open_inside, json!({ "type": "object" })] {
        assert_eq!(sent(loose)["json_schema"]["strict"], false);
    }
}

#[test]
fn a_server_without_schemas_gets_it_in_the_prompt_from_then_on() {
    for refusal in [
        json!({ "error": { "message": "response_format is not supported", "type": "invalid" } }),
        json!({ "error": "json_schema: unknown field" }),
        json!({ "object": "error", "message": "Failed to parse grammar", "code": 400 }),
    ] {
        let server = Server::play(vec![
            Turn::status(400, refusal.to_string()),
            Turn::ok(openai_says("```json\n{\"ok\": true}\n```")),
            Turn::ok(openai_says("{\"ok\": true}")),
        ]);
        let model = openai(&server, &Arc::new(NoPause::default()));
        let schema = AnswerSchema::new("yes", json!({ "type": "object", "required": ["ok"] }));
        let request = hello().with_answer(schema.clone());
        for _ in 0..2 {
            assert_eq!(
                run(model.ask(&request)).unwrap().answer(&schema).unwrap()["ok"],
                true
            );
        }
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{refusal}");
        assert!(body_of(&requests[0])["response_format"].is_object());
        assert!(body_of(&requests[1]).get("response_format").is_none());
        assert!(body_of(&requests[2]).get("response_format").is_none());
    }
}

fn read(message: &Value, finish: &str) -> agent_model::Reply {
    let body = json!({ "choices": [{ "message": message, "finish_reason": finish }] });
    OpenAiModel::parse_reply(body.to_string().as_bytes()).unwrap()
}

#[test]
fn calls_come_back_in_every_form_that_servers_write() {
    let reply = read(
        &json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "A", "arguments": "{\"x\":1}" } },
            { "type": "function", "function": { "name": "B", "arguments": { "y": 2 } } },
            { "id": "", "function": { "name": "C", "arguments": "" } },
            { "id": "c4", "function": { "name": "D", "arguments": "{torn" } },
            { "id": "c5", "function": { "name": "E" } },
        ] }),
        "stop",
    );
    let calls: Vec<(&str, &str, &Value)> = reply
        .tool_uses()
        .map(|call| (call.id.as_str(), call.name.as_str(), &call.input))
        .collect();
    assert_eq!(
        calls,
        [
            ("c1", "A", &json!({ "x": 1 })),
            ("call_1", "B", &json!({ "y": 2 })),
            ("call_2", "C", &json!({})),
            ("c4", "D", &json!("{torn")),
            ("c5", "E", &json!({})),
        ]
    );
    assert_eq!(
        reply.stop,
        StopReason::ToolUse,
        "whatever the server calls it"
    );
}

#[test]
fn thoughts_are_told_from_the_answer() {
    let thought = |text: &str| Block::Thinking {
        text: text.into(),
        signature: None,
    };
    let said = |text: &str| Block::Text(text.into());
    let cases = [
        (json!({ "content": "plain" }), vec![said("plain")]),
        (
            json!({ "content": "a", "reasoning_content": "r" }),
            vec![thought("r"), said("a")],
        ),
        (
            json!({ "content": "a", "reasoning": "r" }),
            vec![thought("r"), said("a")],
        ),
        (
            json!({ "content": "<think>\nr\n</think>\n\na" }),
            vec![thought("r"), said("a")],
        ),
        (
            json!({ "content": "<think>never closed" }),
            vec![thought("never closed")],
        ),
        (
            json!({ "content": "about <think> tags" }),
            vec![said("about <think> tags")],
        ),
        (
            json!({ "content": [{ "type": "text", "text": "x" }, { "type": "text", "text": "y" }] }),
            vec![said("x\ny")],
        ),
        (json!({ "content": "" }), vec![]),
        (json!({}), vec![]),
    ];
    for (message, expected) in cases {
        let reply = read(&message, "stop");
        assert!(
            reply.content == expected,
            "{message} is read as {:?}",
            reply.content
        );
    }
}

#[test]
fn refusals_and_limits_are_stop_reasons() {
    let refused = read(&json!({ "content": null, "refusal": "I cannot" }), "stop");
    assert_eq!(
        (refused.stop.clone(), refused.text()),
        (StopReason::Refusal, "I cannot".to_owned())
    );
    let words = [
        ("stop", StopReason::EndTurn),
        ("length", StopReason::MaxTokens),
        ("content_filter", StopReason::Refusal),
        ("tool_calls", StopReason::ToolUse),
        ("odd", StopReason::Other("odd".into())),
    ];
    for (word, expected) in words {
        assert_eq!(
            read(&json!({ "content": "x" }), word).stop,
            expected,
            "{word}"
        );
    }
}

#[test]
fn what_is_no_completion_is_a_bad_answer() {
    for body in [
        "",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"error":"x"}"#,
        "[1]",
    ] {
        let error = OpenAiModel::parse_reply(body.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadAnswer, "{body}");
    }
}

proptest! {
    #[test]
    fn a_request_that_continues_another_starts_with_its_bytes(
        system in ".{0,8}",
        first in proptest::collection::vec(".{1,12}", 1..5),
        more in proptest::collection::vec(".{1,12}", 1..5),
    ) {
        let model = own();
        let message = |text: String| Message::user(text);
        let parent = Request::new(first.into_iter().map(message).collect()).with_system(system);
        let mut child = parent.clone();
        child.messages.extend(more.into_iter().map(message));
        child.limits = Limits::default().with_max_output_tokens(9);
        let body = model.body(&child).unwrap();
        prop_assert!(body.starts_with(&model.prefix(&parent).unwrap()));
        prop_assert!(serde_json::from_slice::<Value>(&body).is_ok());
    }

    #[test]
    fn no_bytes_make_the_reply_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = OpenAiModel::parse_reply(&bytes);
    }
}

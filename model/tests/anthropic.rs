//! The Messages API, to the byte where it matters.

use std::sync::{Arc, OnceLock};

use agent_model::{
    AnswerSchema, AnthropicAuth, AnthropicModel, AnthropicOptions, ApiKey, Block, CacheLifetime,
    CachePlan, Effort, ErrorKind, Image, Limits, Message, Model, Request, ResultPart, Role,
    StopReason, Thinking, Tool, ToolChoice, ToolResult, ToolUse, Usage,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{
    NoPause, Server, Turn, anthropic, body_of, claude_error, claude_says, hello, key, run,
};

/// Built once: it reads the certificates of the system.
fn offline() -> &'static AnthropicModel {
    static MODEL: OnceLock<AnthropicModel> = OnceLock::new();
    MODEL.get_or_init(|| {
        let auth = AnthropicAuth::ApiKey(ApiKey::new(key()));
        AnthropicModel::new("claude-opus-5-5", auth, AnthropicOptions::default()).unwrap()
    })
}

fn body(request: &Request) -> String {
    String::from_utf8(offline().body(request).unwrap()).unwrap()
}

fn tool() -> Tool {
    Tool::new(
        "FileRead",
        "Reads a file.",
        json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
    )
}

/// A conversation with one block of every kind.
fn rich() -> Request {
    let picture = Image::Base64 {
        media_type: "image/png".into(),
        data: "iVBORw0KGgo=".into(),
    };
    let result = ToolResult {
        tool_use_id: "toolu_1".into(),
        content: vec![
            ResultPart::Text("a".into()),
            ResultPart::Image(picture.clone()),
        ],
        is_error: false,
    };
    let mut request = Request::new(vec![
        Message::new(
            Role::User,
            vec![Block::Text("look".into()), Block::Image(picture)],
        )
        .with_id("m1"),
        Message::new(
            Role::Assistant,
            vec![
                Block::Thinking {
                    text: "hm".into(),
                    signature: Some("sig".into()),
                },
                Block::RedactedThinking {
                    data: "opaque".into(),
                },
                Block::Text("reading".into()),
                Block::ToolUse(ToolUse::new("toolu_1", "FileRead", json!({ "path": "a" }))),
                Block::ToolUse(ToolUse::new("toolu_2", "FileRead", json!({ "path": "b" }))),
            ],
        )
        .with_id("m2")
        .with_parent("m1"),
        Message::new(
            Role::User,
            vec![
                Block::ToolResult(result),
                Block::ToolResult(ToolResult::error("toolu_2", "no such file")),
                Block::Other(json!({ "type": "document", "source": { "type": "text" } })),
            ],
        ),
    ])
    .with_system("Be brief.")
    .with_system("Be kind.")
    .with_tools(vec![tool()]);
    request.effort = Some(Effort::High);
    request.thinking = Thinking::Adaptive;
    request.tool_choice = ToolChoice::None;
    request
}

#[test]
fn the_request_is_right_to_the_byte() {
    let expected = concat!(
        r#"{"model":"claude-opus-5-5","#,
        r#""thinking":{"type":"adaptive"},"#,
        r#""output_config":{"effort":"high"},"#,
        r#""tool_choice":{"type":"none"},"#,
        r#""tools":[{"name":"FileRead","description":"Reads a file.","input_schema":"#,
        r#"{"properties":{"path":{"type":"string"}},"type":"object"}}],"#,
        r#""system":[{"type":"text","text":"Be brief."},"#,
        r#"{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral","ttl":"1h"}}],"#,
        r#""messages":["#,
        r#"{"role":"user","content":[{"type":"text","text":"look"},"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},"#,
        r#"{"type":"redacted_thinking","data":"opaque"},"#,
        r#"{"type":"text","text":"reading"},"#,
        r#"{"type":"tool_use","id":"toolu_1","name":"FileRead","input":{"path":"a"}},"#,
        r#"{"type":"tool_use","id":"toolu_2","name":"FileRead","input":{"path":"b"}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"#,
        r#"[{"type":"text","text":"a"},"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},"#,
        r#"{"type":"tool_result","tool_use_id":"toolu_2","content":"no such file","is_error":true},"#,
        r#"{"source":{"type":"text"},"type":"document","cache_control":{"type":"ephemeral","ttl":"1h"}}]}"#,
        r#"],"max_tokens":500}"#,
    );
    let mut cache = CachePlan::marked(vec![2]);
    cache.lifetime = CacheLifetime::OneHour;
    let limits = Limits::default().with_max_output_tokens(500);
    assert_eq!(
        body(&rich().with_cache(cache).with_limits(limits)),
        expected
    );
}

#[test]
fn headers_and_path_are_those_of_the_new_version() {
    let server = Server::play(vec![Turn::ok(claude_says("hi"))]);
    let model = anthropic(&server, &Arc::new(NoPause::default()));
    let reply = run(model.ask(&hello())).unwrap();
    let request = server.only();
    assert_eq!(request.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(request.header("x-api-key"), Some(key().as_str()));
    assert_eq!(request.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(
        request.body,
        model.body(&hello()).unwrap(),
        "what is shown is what is sent"
    );
    for refused in ["temperature", "top_p", "top_k"] {
        assert!(
            !request.text().contains(refused),
            "{refused} gives 400 under this version"
        );
    }
    assert_eq!(reply.usage, Usage::new(12, 3).with_cache(100, 20));
    assert_eq!(reply.id.as_deref(), Some("msg_01"));
    assert_eq!(reply.model.as_deref(), Some("claude-haiku-5-5-20261001"));
    assert_eq!(reply.stop, StopReason::EndTurn);
}

#[test]
fn a_token_goes_into_the_authorization_header_and_a_gateway_may_want_an_older_version() {
    let server = Server::play(vec![Turn::ok(claude_says("hi"))]);
    let options = AnthropicOptions::default()
        .with_base_url(format!("{}/gateway", server.base()))
        .with_version("2023-06-01");
    let auth = AnthropicAuth::Bearer(ApiKey::new(key()));
    let model = AnthropicModel::new("m", auth, options).unwrap();
    run(model.ask(&hello())).unwrap();
    let request = server.only();
    assert_eq!(request.line, "POST /gateway/v1/messages HTTP/1.1");
    assert_eq!(
        request.header("authorization"),
        Some(format!("Bearer {}", key()).as_str())
    );
    assert_eq!(request.header("x-api-key"), None);
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
}

#[test]
fn a_schema_is_closed_and_loses_what_the_provider_refuses() {
    let schema = json!({
        "type": "object",
        "properties": {
            "names": { "type": "array", "minItems": 1, "maxItems": 5,
                "items": { "type": "string", "minLength": 1, "maxLength": 9, "pattern": "x" } },
            "minimum": { "type": "integer", "minimum": 1, "maximum": 5 },
            "inner": { "anyOf": [{ "type": "object", "properties": {} }, { "type": "null" }] },
            "three": { "type": "array", "minItems": 3 },
        },
        "required": ["names"],
    });
    let request = hello().with_answer(AnswerSchema::new("pick", schema));
    let sent: serde_json::Value = serde_json::from_str(&body(&request)).unwrap();
    assert_eq!(
        sent["output_config"]["format"],
        json!({
            "type": "json_schema",
            "schema": {
                "type": "object",
                "properties": {
                    "names": { "type": "array", "minItems": 1, "items": { "type": "string" } },
                    "minimum": { "type": "integer" },
                    "inner": { "anyOf": [
                        { "type": "object", "properties": {}, "additionalProperties": false },
                        { "type": "null" },
                    ] },
                    "three": { "type": "array" },
                },
                "required": ["names"],
                "additionalProperties": false,
            },
        })
    );
}

#[test]
fn an_older_model_gets_the_schema_in_the_prompt_from_then_on() {
    let refusal = "output_config: Extra inputs are not permitted";
    let server = Server::play(vec![
        Turn::status(400, claude_error("invalid_request_error", refusal)),
        Turn::ok(claude_says(r#"Here: {"ok":true}"#)),
        Turn::ok(claude_says(r#"{"ok":false}"#)),
    ]);
    let model = anthropic(&server, &Arc::new(NoPause::default()));
    let schema = AnswerSchema::new("yes", json!({ "type": "object", "required": ["ok"] }));
    let request = hello().with_answer(schema.clone());
    assert_eq!(
        run(model.ask(&request)).unwrap().answer(&schema).unwrap()["ok"],
        true
    );
    assert_eq!(
        run(model.ask(&request)).unwrap().answer(&schema).unwrap()["ok"],
        false
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "the refusal is remembered");
    assert!(body_of(&requests[0])["output_config"].is_object());
    for later in &requests[1..] {
        assert!(body_of(later).get("output_config").is_none());
        let messages = body_of(later)["messages"].clone();
        let last = messages.as_array().unwrap().last().unwrap()["content"][0]["text"].clone();
        assert!(
            last.as_str()
                .unwrap()
                .contains(r#"{"required":["ok"],"type":"object"}"#)
        );
    }
}

#[test]
fn other_refusals_are_not_taken_for_that_one() {
    let server = Server::play(vec![Turn::status(
        400,
        claude_error(
            "invalid_request_error",
            "messages: at least one message is required",
        ),
    )]);
    let model = anthropic(&server, &Arc::new(NoPause::default()));
    let schema = AnswerSchema::new("yes", json!({ "type": "object" }));
    let error = run(model.ask(&hello().with_answer(schema))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_the_provider_would_refuse_is_left_out() {
    let request = Request::new(vec![
        Message::user("  \n"),
        Message::new(
            Role::Assistant,
            vec![
                Block::Thinking {
                    text: "unsigned".into(),
                    signature: None,
                },
                Block::Text("\n\n".into()),
                Block::Other(json!("no type")),
                Block::ToolUse(ToolUse::new("t", "Run", json!("not {json"))),
            ],
        ),
    ]);
    let expected = concat!(
        r#"{"model":"claude-opus-5-5","messages":[{"role":"assistant","content":["#,
        r#"{"type":"tool_use","id":"t","name":"Run","input":{"input":"not {json"}}]}],"max_tokens":4096}"#,
    );
    assert_eq!(body(&request), expected);
}

#[test]
fn requests_that_cannot_be_meant_are_refused_with_the_place() {
    let system = Request::new(vec![
        Message::user("a"),
        Message::new(Role::System, vec![Block::Text("b".into())]),
    ]);
    let cases = [
        (system, "message 1 has the role system"),
        (
            hello().with_cache(CachePlan::marked(vec![1])),
            "a cache mark after message 1 of 1",
        ),
        (
            hello().with_cache(CachePlan::marked(vec![0, 0, 0, 0])),
            "5 cache marks, at most 4",
        ),
    ];
    for (request, reason) in cases {
        let error = offline().body(&request).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn marks_go_where_they_can() {
    let one = |plan: CachePlan| body(&hello().with_tools(vec![tool()]).with_cache(plan));
    let automatic = one(CachePlan::automatic());
    assert!(automatic.ends_with(r#"],"cache_control":{"type":"ephemeral"},"max_tokens":4096}"#));
    // Without system blocks the mark covers the tools.
    let tools = one(CachePlan::marked(vec![]));
    assert!(
        tools.contains(r#""type":"object"},"cache_control":{"type":"ephemeral"}}],"messages""#)
    );
    // Thoughts carry no mark.
    let thought = Message::new(
        Role::Assistant,
        vec![
            Block::Text("said".into()),
            Block::Thinking {
                text: "t".into(),
                signature: Some("s".into()),
            },
        ],
    );
    let marked = body(&Request::new(vec![thought]).with_cache(CachePlan::marked(vec![0])));
    assert!(
        marked
            .contains(r#""text":"said","cache_control":{"type":"ephemeral"}},{"type":"thinking""#)
    );
}

#[test]
fn thinking_and_tool_choice_have_their_words() {
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = hello().with_tools(vec![tool()]);
        change(&mut request);
        serde_json::from_str::<serde_json::Value>(&body(&request)).unwrap()
    };
    let thinking = |thinking| with(&|r| r.thinking = thinking)["thinking"].clone();
    assert_eq!(thinking(Thinking::ProviderDefault), json!(null));
    assert_eq!(thinking(Thinking::Off), json!({ "type": "disabled" }));
    assert_eq!(
        thinking(Thinking::Tokens(2_000)),
        json!({ "type": "enabled", "budget_tokens": 2_000 })
    );
    let choice =
        |choice: ToolChoice| with(&|r| r.tool_choice = choice.clone())["tool_choice"].clone();
    assert_eq!(choice(ToolChoice::Auto), json!(null));
    assert_eq!(choice(ToolChoice::Any), json!({ "type": "any" }));
    assert_eq!(
        choice(ToolChoice::Tool("FileRead".into())),
        json!({ "type": "tool", "name": "FileRead" })
    );
}

#[test]
fn every_kind_of_block_comes_back() {
    let reply = AnthropicModel::parse_reply(
        json!({
            "type": "message", "role": "assistant", "model": "m", "id": "msg",
            "content": [
                { "type": "thinking", "thinking": "", "signature": "s" },
                { "type": "redacted_thinking", "data": "d" },
                { "type": "text", "text": "t", "citations": null },
                { "type": "tool_use", "id": "toolu_1", "name": "Run", "input": { "a": 1 },
                  "caller": { "type": "direct" } },
                { "type": "server_tool_use", "id": "srv", "name": "web_search", "input": {} },
                "odd",
            ],
            "stop_reason": "tool_use",
            "usage": { "input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": null },
        })
        .to_string()
        .as_bytes(),
    )
    .unwrap();
    let server_tool =
        json!({ "type": "server_tool_use", "id": "srv", "name": "web_search", "input": {} });
    let expected = [
        Block::Thinking {
            text: String::new(),
            signature: Some("s".into()),
        },
        Block::RedactedThinking { data: "d".into() },
        Block::Text("t".into()),
        Block::ToolUse(ToolUse::new("toolu_1", "Run", json!({ "a": 1 }))),
        Block::Other(server_tool),
        Block::Other(json!("odd")),
    ];
    assert_eq!(reply.content.len(), expected.len());
    for (block, expected) in reply.content.iter().zip(expected) {
        assert_eq!(block.to_json(), expected.to_json());
    }
    assert_eq!(reply.stop, StopReason::ToolUse);
    assert_eq!(reply.usage, Usage::new(1, 2));
}

#[test]
fn stop_reasons_are_understood() {
    let words = [
        ("end_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("stop_sequence", StopReason::StopSequence),
        ("tool_use", StopReason::ToolUse),
        ("pause_turn", StopReason::PauseTurn),
        ("refusal", StopReason::Refusal),
        (
            "model_context_window_exceeded",
            StopReason::ContextWindowExceeded,
        ),
        ("later_word", StopReason::Other("later_word".into())),
    ];
    for (word, expected) in words {
        let body = json!({ "type": "message", "content": [], "stop_reason": word }).to_string();
        let reply = AnthropicModel::parse_reply(body.as_bytes()).unwrap();
        assert_eq!(reply.stop, expected);
        assert_eq!(reply.stop.as_str(), word);
    }
}

/// Requests as hosts build them, without what `body` refuses.
fn requests() -> impl Strategy<Value = Request> {
    let block = prop_oneof![
        ".{0,12}".prop_map(Block::Text),
        (".{0,6}", proptest::option::of("[a-z]{1,4}"))
            .prop_map(|(text, signature)| Block::Thinking { text, signature }),
        ("[a-z]{1,4}", ".{0,6}").prop_map(|(id, value)| Block::ToolUse(ToolUse::new(
            id,
            "Run",
            json!({ "z": value, "a": 1 })
        ))),
        ("[a-z]{1,4}", ".{0,6}")
            .prop_map(|(id, text)| Block::ToolResult(ToolResult::text(id, text))),
    ];
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    let message = (role, proptest::collection::vec(block, 0..4))
        .prop_map(|(role, content)| Message::new(role, content));
    (
        proptest::collection::vec(".{0,8}", 0..3),
        proptest::collection::vec(message, 1..6),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(system, messages, tools, marks)| {
            let last = messages.len() - 1;
            let mut request = Request::new(messages);
            request.system = system;
            if tools {
                request.tools = vec![tool()];
            }
            if marks {
                request.cache = CachePlan::marked(vec![last]);
            }
            request
        })
}

proptest! {
    #[test]
    fn a_request_that_continues_another_starts_with_its_bytes(
        parent in requests(),
        more in requests(),
    ) {
        let model = offline();
        let mut child = parent.clone();
        child.messages.extend(more.messages);
        child.cache.after_messages.push(child.messages.len() - 1);
        child.limits = Limits::default().with_max_output_tokens(17);
        let prefix = model.prefix(&parent).unwrap();
        let body = model.body(&child).unwrap();
        prop_assert!(body.starts_with(&prefix));
        prop_assert!(model.body(&parent).unwrap().starts_with(&prefix));
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        prop_assert_eq!(model.body(&child).unwrap(), body, "the same request has the same bytes");
    }

    #[test]
    fn anything_in_the_cache_key_changes_the_prefix(request in requests()) {
        let model = offline();
        let prefix = model.prefix(&request).unwrap();
        let changes: [&dyn Fn(&mut Request); 5] = [
            &|r| r.system.push("more".into()),
            &|r| r.tools.push(Tool::new("Other", "", json!({ "type": "object" }))),
            &|r| r.effort = Some(Effort::Low),
            &|r| r.thinking = Thinking::Off,
            &|r| r.answer = Some(AnswerSchema::new("a", json!({ "type": "object" }))),
        ];
        for change in changes {
            let mut other = request.clone();
            change(&mut other);
            prop_assert!(!model.body(&other).unwrap().starts_with(&prefix));
        }
    }

    #[test]
    fn no_bytes_make_the_reply_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = AnthropicModel::parse_reply(&bytes);
    }
}

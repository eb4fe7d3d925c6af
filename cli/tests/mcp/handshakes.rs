//! Both ways to begin: `initialize`, and requests that carry everything themselves.

use serde_json::{Value, json};

use super::client::Client;
use crate::harness::Home;

const TOOLS: [&str; 9] = [
    "recall",
    "save",
    "list",
    "show",
    "forget",
    "verify",
    "check",
    "session_summary",
    "team_status",
];

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().expect("tools");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

#[test]
fn a_session_begins_with_initialize() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let answer = client.request(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}),
    );
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "memstrata");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        result["capabilities"]["tools"].is_object()
            && result["capabilities"]["resources"].is_object()
    );
    let instructions = result["instructions"].as_str().expect("instructions");
    assert!(instructions.contains("`recall`") && instructions.len() < 2_048);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let listed = client.request("tools/list", json!({}));
    assert_eq!(names(&listed), TOOLS);
    assert!(client.request("ping", json!({}))["result"].is_object());
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_stateless_client_discovers_and_calls() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    client.without_session();
    let found = client.request("server/discover", json!({}));
    let versions = found["result"]["supportedVersions"]
        .as_array()
        .expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let listed = client.request("tools/list", json!({}));
    assert_eq!(names(&listed), TOOLS);
    assert_eq!(listed["result"]["resultType"], "complete");
    let (text, _) = client.good("list", json!({}));
    assert!(text.contains("no such memories yet"), "{text}");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_request_without_metadata_is_refused_before_a_session_and_the_server_goes_on() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let refused = client.request("tools/list", json!({}));
    assert!(refused["error"]["code"].is_i64(), "{refused}");
    client.without_session();
    assert_eq!(names(&client.request("tools/list", json!({}))), TOOLS);
}

#[test]
fn an_unknown_version_is_answered_with_one_that_is_known() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let answer = client.request(
        "initialize",
        json!({"protocolVersion": "1999-01-01", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}),
    );
    let version = answer["result"]["protocolVersion"]
        .as_str()
        .expect("a version");
    assert!(version.starts_with("202"), "{version}");
}

#[test]
fn a_read_only_server_neither_offers_nor_takes_changes() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &["--read-only"]);
    let listed = client.request("tools/list", json!({}));
    assert!(!names(&listed).contains(&"save") && !names(&listed).contains(&"forget"));
    let refused = client.request("tools/call", json!({"name": "save", "arguments": {}}));
    assert_eq!(refused["error"]["code"], json!(-32602), "{refused}");
}

#[test]
fn each_tool_has_a_strict_schema_and_says_what_it_does() {
    let home = Home::new();
    let mut client = Client::initialized(&home, &[]);
    let listed = client.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
            assert_eq!(tool[schema]["additionalProperties"], json!(false), "{name}");
        }
        for (parameter, part) in tool["inputSchema"]["properties"]
            .as_object()
            .expect("parameters")
        {
            assert!(part["description"].is_string(), "{name}.{parameter}");
        }
        let hints = &tool["annotations"];
        let changes = ["save", "forget"].contains(&name);
        assert_eq!(hints["readOnlyHint"], json!(!changes), "{name}");
        assert_eq!(hints["destructiveHint"], json!(name == "forget"), "{name}");
        assert_eq!(hints["openWorldHint"], json!(false), "{name}");
        let description = tool["description"].as_str().expect("a description");
        assert!(description.len() > 100, "{name}");
    }
}

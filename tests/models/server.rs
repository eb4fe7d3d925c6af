//! A model's server that answers each request as a closure says.

use serde_json::Value;
use test_support::{HttpRequest, HttpServer, HttpTurn};

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Turn {
    /// Answers with status and body.
    Answer(u16, String),
    /// Reads the request and says nothing until the test is over.
    Silent,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) key: String,
    pub(crate) body: Value,
}

impl Asked {
    fn of(request: &HttpRequest) -> Self {
        Self {
            key: request.header("x-api-key").unwrap_or_default().to_owned(),
            body: serde_json::from_slice(&request.body).expect("a body of JSON"),
        }
    }

    /// All texts of the request, one after another.
    pub(crate) fn text(&self) -> String {
        fn gather(value: &Value, into: &mut String) {
            match value {
                Value::String(text) => into.push_str(text),
                Value::Array(values) => values.iter().for_each(|value| gather(value, into)),
                Value::Object(fields) => fields.values().for_each(|value| gather(value, into)),
                _ => {}
            }
            into.push('\n');
        }
        let mut text = String::new();
        gather(&self.body, &mut text);
        text
    }
}

pub(crate) struct Server(HttpServer);

impl Server {
    /// Answers the request with this number and contents.
    pub(crate) fn start(answer: impl Fn(usize, &Asked) -> Turn + Send + 'static) -> Self {
        let mut number = 0;
        Self(HttpServer::start(move |request| {
            let turn = answer(number, &Asked::of(request));
            number += 1;
            match turn {
                Turn::Answer(status, body) => {
                    HttpTurn::status(status, body).with("content-type", "application/json")
                }
                Turn::Silent => HttpTurn::Silent,
            }
        }))
    }

    /// Answers every request alike.
    pub(crate) fn always(turn: Turn) -> Self {
        Self::start(move |_, _| turn.clone())
    }

    pub(crate) fn base(&self) -> String {
        self.0.base()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.0.requests().iter().map(Asked::of).collect()
    }
}

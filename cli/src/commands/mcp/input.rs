//! What reaches the service of all that comes in on standard input.

use std::io::BufRead;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::runtime::Handle;

use crate::lines::{ReadLine, read_line};
use crate::terminal::Speech;

/// A longer message is answered with an error. Twice the longest memory of `save` with every character escaped;
/// read into values, a message takes up to a hundred times its size.
pub(super) const MOST_LINE_BYTES: u64 = 2 << 20;

/// The method by which the service learns of a message that was too long.
pub(super) const TOO_LONG: &str = "memstrata/too-long";

/// Passes messages on until the input ends or nobody listens any more.
pub(super) fn forward(
    mut input: impl BufRead,
    mut service: DuplexStream,
    runtime: &Handle,
    speech: Speech,
) {
    let mut line = Vec::new();
    let mut gate = Gate::default();
    loop {
        let message = match read_line(&mut input, &mut line, MOST_LINE_BYTES) {
            Ok(ReadLine::End) | Err(_) => return,
            Ok(ReadLine::TooLong) => {
                speech.say(&format!(
                    "a message of over {} MiB was passed over",
                    MOST_LINE_BYTES >> 20
                ));
                too_long(&line)
            }
            Ok(ReadLine::Whole) => match gate.pass(&line) {
                Passage::Through => std::mem::take(&mut line),
                Passage::Dropped(why) => {
                    speech.say(&format!("a line was passed over: {why}"));
                    continue;
                }
                Passage::Blank => continue,
            },
        };
        let mut message = message;
        if message.last() != Some(&b'\n') {
            message.push(b'\n');
        }
        if runtime.block_on(service.write_all(&message)).is_err() {
            return;
        }
    }
}

/// What becomes of a line.
#[derive(Debug, PartialEq, Eq)]
enum Passage {
    Through,
    Blank,
    Dropped(&'static str),
}

/// Before the first request the service expects nothing else and would end at it.
#[derive(Debug, Default)]
struct Gate {
    is_open: bool,
}

impl Gate {
    fn pass(&mut self, line: &[u8]) -> Passage {
        if line.trim_ascii().is_empty() {
            return Passage::Blank;
        }
        if self.is_open {
            // The service itself passes over what is no JSON and answers what is no message.
            return Passage::Through;
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            return Passage::Dropped("it is no JSON");
        };
        let has = |key: &str| value.get(key).is_some();
        if !(has("method") && has("id")) {
            return Passage::Dropped("it is no request, and nothing else can come first");
        }
        self.is_open = true;
        Passage::Through
    }
}

/// A message in place of one that was too long: the service answers it with an error, under the id of the
/// original where that stands in its beginning.
fn too_long(begin: &[u8]) -> Vec<u8> {
    let message = match id_in(begin) {
        Some(id) => json!({"jsonrpc": "2.0", "id": id, "method": TOO_LONG}),
        // No message at all, which is answered as such.
        None => json!({"method": null}),
    };
    message.to_string().into_bytes()
}

/// The first `"id"` of a message whose end is missing. Only in the beginning: further in, it could be part of
/// an argument.
fn id_in(begin: &[u8]) -> Option<Value> {
    const NEAR: usize = 200;
    const KEY: &[u8] = b"\"id\"";
    let near = &begin[..begin.len().min(NEAR)];
    let at = near.windows(KEY.len()).position(|window| window == KEY)?;
    let value = near[at + KEY.len()..]
        .trim_ascii_start()
        .strip_prefix(b":")?;
    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<Value>();
    let id = values.next()?.ok()?;
    (id.is_string() || id.is_u64() || id.is_i64()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_request_comes_first() {
        let mut gate = Gate::default();
        assert_eq!(gate.pass(b" \n"), Passage::Blank);
        for line in [
            "garbage",
            "[]",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(
                matches!(gate.pass(line.as_bytes()), Passage::Dropped(_)),
                "{line}"
            );
        }
        let request = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(gate.pass(request), Passage::Through);
        assert_eq!(gate.pass(b"garbage"), Passage::Through);
    }

    #[test]
    fn a_long_message_is_answered_under_its_id_when_it_has_one() {
        let table = [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","#,
                Some(json!(7)),
            ),
            (
                r#"{"jsonrpc":"2.0","id" : "a-1","method":"x""#,
                Some(json!("a-1")),
            ),
            (r#"{"jsonrpc":"2.0","id":{"x":1},"#, None),
            (r#"{"method":"tools/call","params":{"#, None),
        ];
        for (begin, id) in table {
            assert_eq!(id_in(begin.as_bytes()), id, "{begin}");
        }
    }
}

//! `memstrata recall --batch`: many queries, JSON lines in, JSON lines out.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Memories;
use crate::cli::recall::{Choice, Recall};
use crate::exit::{Exit, Failure};
use crate::lines::{ReadLine, read_line};

/// A longer line is answered with an error.
const MOST_LINE_BYTES: u64 = 32 << 20;

/// Answers every line in order. Lines that cannot be understood are answered with an error and make
/// the exit code the one of wrong use; they do not end the run.
pub(super) fn run(arguments: &Recall, memories: &mut Memories) -> Result<Exit, Failure> {
    let mut input = io::BufReader::new(io::stdin().lock());
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    let mut all_read = true;
    loop {
        let question = match read_line(&mut input, &mut line, MOST_LINE_BYTES)? {
            ReadLine::End => break,
            ReadLine::TooLong => {
                let most = MOST_LINE_BYTES >> 20;
                Err((Value::Null, format!("the line is over {most} MiB")))
            }
            ReadLine::Whole if line.trim_ascii().is_empty() => continue,
            ReadLine::Whole => Question::parse(&line, &arguments.choice),
        };
        let answer = match question {
            Ok(question) => {
                let query = memories.query(&question.text, &question.choice, arguments.prefilter);
                let answer = memories.answer(&query)?;
                let paths: Vec<&str> = answer.memories.iter().map(|m| m.path.as_str()).collect();
                json!({"id": question.id, "paths": paths})
            }
            Err((id, error)) => {
                all_read = false;
                json!({"id": id, "error": error})
            }
        };
        writeln!(out, "{answer}")?;
        if input.buffer().is_empty() {
            // Whoever feeds line by line waits for the answer before sending the next.
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(if all_read { Exit::Done } else { Exit::Usage })
}

/// One line of input.
struct Question {
    id: Value,
    text: String,
    choice: Choice,
}

impl Question {
    /// Takes a line apart; an error comes with the id, as far as there is one. Unknown keys are
    /// ignored, so that callers may carry their own.
    fn parse(line: &[u8], default: &Choice) -> Result<Self, (Value, String)> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| (id_of_broken(line), format!("not a line of JSON: {error}")))?;
        let Value::Object(mut object) = value else {
            return Err((Value::Null, "not a JSON object".to_owned()));
        };
        let id = object.remove("id").unwrap_or_default();
        let with_id = |error| (id.clone(), error);
        let Some(Value::String(text)) = object.remove("query") else {
            return Err(with_id("`query` is missing or no string".to_owned()));
        };
        let mut list = |key: &str, default: &[String]| match object.remove(key) {
            None | Some(Value::Null) => Ok(default.to_vec()),
            Some(list) => serde_json::from_value(list)
                .map_err(|_| (id.clone(), format!("`{key}` is no list of strings"))),
        };
        let surfaced = list("surfaced", &default.surfaced)?;
        let recent_tools = list("recent_tools", &default.recent_tools)?;
        let limit = match object.remove("limit") {
            None | Some(Value::Null) => default.limit,
            Some(limit) => match limit.as_u64() {
                Some(limit) => Some(usize::try_from(limit).unwrap_or(usize::MAX)),
                None => return Err(with_id("`limit` is no whole number".to_owned())),
            },
        };
        let choice = Choice {
            limit,
            surfaced,
            recent_tools,
        };
        Ok(Question { id, text, choice })
    }
}

/// Returns the id of a line that is no JSON, when the id itself still is, so that the caller can tell
/// which line it was.
fn id_of_broken(line: &[u8]) -> Value {
    const KEY: &[u8] = b"\"id\"";
    let behind = line.windows(KEY.len()).position(|window| window == KEY);
    let id = behind.and_then(|at| {
        let value = line[at + KEY.len()..]
            .trim_ascii_start()
            .strip_prefix(b":")?;
        let mut values = serde_json::Deserializer::from_slice(value).into_iter::<Value>();
        values.next()?.ok()
    });
    id.unwrap_or_default()
}

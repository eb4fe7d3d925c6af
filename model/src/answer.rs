//! Finds a JSON answer inside text that a model wrote.

use serde_json::Value;

use crate::schema::{SchemaMismatch, check_schema};

/// How many opening braces are tried before the search gives up.
const MAX_PLACES: usize = 64;

/// Text beyond this many bytes is not searched.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Returns the first JSON object in the text that fulfils the schema, or a sentence that says why there
/// is none and holds nothing of the text.
pub(crate) fn find_answer(text: &str, schema: &Value) -> Result<Value, String> {
    let mut first_mismatch: Option<SchemaMismatch> = None;
    for value in objects(text) {
        match check_schema(schema, &value) {
            Ok(()) => return Ok(value),
            Err(mismatch) => first_mismatch = first_mismatch.or(Some(mismatch)),
        }
    }
    Err(match first_mismatch {
        Some(mismatch) => format!("the JSON does not match its schema at {mismatch}"),
        None => "there is no JSON object in it".to_owned(),
    })
}

/// Walks over the outermost JSON objects in the text.
///
/// A failed attempt moves on by one brace, a good one past its end. Both the number of attempts and the
/// text are bounded, because a hostile answer could make each attempt scan to the end.
fn objects(text: &str) -> impl Iterator<Item = Value> {
    let text = cut(text, MAX_TEXT_BYTES);
    let mut from = 0;
    let mut places = 0;
    std::iter::from_fn(move || {
        while places < MAX_PLACES {
            let start = from + text[from..].find('{')?;
            places += 1;
            let mut values =
                serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
            match values.next() {
                Some(Ok(value)) => {
                    from = start + values.byte_offset();
                    return Some(value);
                }
                _ => from = start + 1,
            }
        }
        None
    })
}

/// Returns the longest start of the text that has at most this many bytes and ends between characters.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

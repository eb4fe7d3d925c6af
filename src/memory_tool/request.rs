//! From the JSON of a tool-use input to a request whose parameters have their types.

use serde_json::{Map, Value};

use super::MAX_INPUT_BYTES;

/// One command of the tool with its parameters. Paths are as the model wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// Shows a folder two levels deep, or a file with line numbers.
    View {
        /// A file or a folder.
        path: String,
        /// First and last line, counted from 1; −1 as the last is the end.
        view_range: Option<(i64, i64)>,
    },
    /// Makes a file.
    Create {
        /// The file.
        path: String,
        /// Its text.
        file_text: String,
    },
    /// Replaces a text that occurs once.
    StrReplace {
        /// The file.
        path: String,
        /// The text to replace, of one line or many.
        old_str: String,
        /// What takes its place; empty to delete it.
        new_str: String,
    },
    /// Inserts lines.
    Insert {
        /// The file.
        path: String,
        /// The line after which they come; 0 is the beginning.
        insert_line: i64,
        /// The lines.
        insert_text: String,
    },
    /// Deletes a file, or a folder with everything in it.
    Delete {
        /// The file or folder.
        path: String,
    },
    /// Renames or moves a file or a folder.
    Rename {
        /// What it is.
        old_path: String,
        /// What it is to be.
        new_path: String,
    },
}

impl Request {
    /// Reads a tool-use input. Parameters that a command does not know are passed over, as the service may
    /// add some.
    ///
    /// # Errors
    /// A sentence for the model that says which parameter is missing or of the wrong type.
    pub fn parse(input: &[u8]) -> Result<Self, String> {
        if input.len() > MAX_INPUT_BYTES {
            let most = MAX_INPUT_BYTES >> 20;
            return Err(format!("Error: The input is larger than {most} MiB"));
        }
        let value: Value = serde_json::from_slice(input).map_err(|error| {
            // The parser's own words may quote the input; place and kind are enough.
            format!(
                "Error: The input is not valid JSON (column {})",
                error.column()
            )
        })?;
        let Value::Object(object) = value else {
            return Err("Error: The input is not a JSON object".to_owned());
        };
        Self::from_object(&object)
    }

    /// As [`Request::parse`], from an object that is parsed already.
    ///
    /// # Errors
    /// As [`Request::parse`].
    pub fn from_object(object: &Map<String, Value>) -> Result<Self, String> {
        let text = |name: &str| text(object, name);
        Ok(match text("command")?.as_str() {
            "view" => Request::View {
                path: text("path")?,
                view_range: range(object)?,
            },
            "create" => Request::Create {
                path: text("path")?,
                file_text: text("file_text")?,
            },
            "str_replace" => Request::StrReplace {
                path: text("path")?,
                old_str: text("old_str")?,
                new_str: match object.get("new_str") {
                    None | Some(Value::Null) => String::new(),
                    Some(_) => text("new_str")?,
                },
            },
            "insert" => Request::Insert {
                path: text("path")?,
                insert_line: object
                    .get("insert_line")
                    .ok_or_else(|| missing("insert_line"))?
                    .as_i64()
                    .ok_or_else(|| wrong("insert_line", "a whole number"))?,
                insert_text: text("insert_text")?,
            },
            "delete" => Request::Delete {
                path: text("path")?,
            },
            "rename" => Request::Rename {
                old_path: text("old_path")?,
                new_path: text("new_path")?,
            },
            other => {
                let other: String = other.chars().take(100).collect();
                return Err(format!(
                    "Error: Unknown command `{other}`. Use view, create, str_replace, insert, delete or rename."
                ));
            }
        })
    }

    /// The name of the command.
    pub fn name(&self) -> &'static str {
        match self {
            Request::View { .. } => "view",
            Request::Create { .. } => "create",
            Request::StrReplace { .. } => "str_replace",
            Request::Insert { .. } => "insert",
            Request::Delete { .. } => "delete",
            Request::Rename { .. } => "rename",
        }
    }
}

fn text(object: &Map<String, Value>, name: &str) -> Result<String, String> {
    match object.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Null) | None => Err(missing(name)),
        Some(_) => Err(wrong(name, "a string")),
    }
}

fn range(object: &Map<String, Value>) -> Result<Option<(i64, i64)>, String> {
    let value = match object.get("view_range") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let numbers: Option<Vec<i64>> = value
        .as_array()
        .and_then(|parts| parts.iter().map(Value::as_i64).collect());
    match numbers.as_deref() {
        Some([start, end]) => Ok(Some((*start, *end))),
        _ => Err(wrong("view_range", "two whole numbers")),
    }
}

fn missing(name: &str) -> String {
    format!("Error: Missing required parameter: `{name}`")
}

fn wrong(name: &str, wanted: &str) -> String {
    format!("Error: Invalid `{name}` parameter: it should be {wanted}")
}

//! Works out and makes the two kinds of write.

use std::sync::Arc;

use agent_model::ToolUse;
use pathguard::ErrorKind;

use super::arguments::Arguments;
use super::run::RunState;
use super::{Request, Toolbox};
use crate::gate::Change;
use crate::text::shown;
use crate::workspace::Place;

/// An edit: one text for another.
#[derive(Debug)]
pub(crate) struct Edit {
    old: String,
    new: String,
    all: bool,
}

impl Edit {
    pub(super) fn new(arguments: &Arguments<'_>) -> Result<Self, String> {
        let edit = Self {
            old: arguments.text("old_string")?.to_owned(),
            new: arguments.text("new_string")?.to_owned(),
            all: arguments.flag("replace_all")?,
        };
        if edit.old == edit.new {
            return Err("`old_string` and `new_string` are the same".to_owned());
        }
        Ok(edit)
    }

    fn apply(&self, before: Option<&str>) -> Result<String, String> {
        // An empty old text is how agents ask for a new file through an edit.
        if self.old.is_empty() {
            return match before {
                None | Some("") => Ok(self.new.clone()),
                Some(_) => Err("`old_string` is empty and the file is not".to_owned()),
            };
        }
        let before = before.ok_or("the file does not exist")?;
        let first = before
            .find(&self.old)
            .ok_or("`old_string` is not in the file; read it and copy the text exactly")?;
        if self.all {
            return Ok(before.replace(&self.old, &self.new));
        }
        // Overlapping occurrences count too: `aa` is in `aaa` twice.
        let step = self.old.chars().next().map_or(1, char::len_utf8);
        if before[first + step..].contains(&self.old) {
            return Err(
                "`old_string` is in the file more than once; take in more lines around it, or set \
                 `replace_all`"
                    .to_owned(),
            );
        }
        Ok(before.replacen(&self.old, &self.new, 1))
    }
}

/// A write that was worked out against what the file holds now.
#[derive(Debug)]
pub(crate) struct Planned {
    place: Place,
    before: Option<String>,
    after: String,
}

/// A write that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) created: bool,
    pub(crate) bytes: usize,
}

impl Planned {
    /// Reads the file and applies the call to it.
    pub(crate) fn new(request: Request, toolbox: &Toolbox, run: &RunState) -> Result<Self, String> {
        let (place, edit, content) = match request {
            Request::Edit(place, edit) => (place, Some(edit), None),
            Request::Write(place, content) => (place, None, Some(content)),
            _ => return Err("this call writes nothing".to_owned()),
        };
        // The gate may have been generous; the workspace is not.
        if !place.is_writable() {
            return Err("this folder may only be read".to_owned());
        }
        let before = current(&place, toolbox)?;
        let after = match (edit, content) {
            (Some(edit), _) => edit.apply(before.as_deref())?,
            (None, content) => {
                if let Some(before) = &before {
                    check_seen(&place, before, run)?;
                }
                content.unwrap_or_default()
            }
        };
        if after.len() > toolbox.limits.file_bytes {
            return Err(format!(
                "the file would have {} bytes, at most {} may be written",
                after.len(),
                toolbox.limits.file_bytes
            ));
        }
        if before.as_deref() == Some(&*after) {
            return Err("the file holds exactly this already".to_owned());
        }
        Ok(Self {
            place,
            before,
            after,
        })
    }

    /// Returns the write for the gate and the sink.
    pub(crate) fn change<'a>(&'a self, tool_use: &'a ToolUse) -> Change<'a> {
        Change {
            tool_use,
            place: &self.place,
            before: self.before.as_deref(),
            after: &self.after,
        }
    }

    /// Makes the write, unless the file has changed since it was read.
    pub(crate) fn carry_out(
        &self,
        tool_use: &ToolUse,
        toolbox: &Toolbox,
        run: &Arc<RunState>,
    ) -> Result<Written, String> {
        if current(&self.place, toolbox)? != self.before {
            return Err(
                "the file was changed by somebody else meanwhile; read it again".to_owned(),
            );
        }
        toolbox.sink.write(&self.change(tool_use))?;
        run.remember(&self.place, self.after.as_bytes());
        Ok(Written {
            created: self.before.is_none(),
            bytes: self.after.len(),
        })
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }
}

/// Returns the text of a file, or nothing when it does not exist. Every other failure refuses.
fn current(place: &Place, toolbox: &Toolbox) -> Result<Option<String>, String> {
    let key = place.key().ok_or("this is a folder")?;
    let read = match place.root().read(key, toolbox.limits.file_bytes as u64) {
        Ok(read) => read,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(read.bytes);
    text.map(Some)
        .map_err(|_| "the file is not UTF-8 and cannot be edited as text".to_owned())
}

/// Replacing a file is allowed only when the agent knows what it replaces.
fn check_seen(place: &Place, before: &str, run: &RunState) -> Result<(), String> {
    match run.recall(place) {
        None => Err(format!(
            "{} exists; read it first, then edit it or write it anew with what should stay",
            shown(&place.path().to_string_lossy())
        )),
        Some(seen) if seen == before.as_bytes() => Ok(()),
        Some(_) => Err("the file has changed since it was read; read it again".to_owned()),
    }
}

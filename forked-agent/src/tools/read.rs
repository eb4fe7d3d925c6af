//! Reads a file, whole or some of its lines.

use super::Toolbox;
use super::arguments::Arguments;
use super::run::RunState;
use crate::secrets::redacted;
use crate::text::{Bounded, prefix};
use crate::workspace::Place;

/// The most bytes of one line that are shown.
const MAX_LINE_BYTES: usize = 2_000;

/// What to read.
#[derive(Debug)]
pub(crate) struct Read {
    /// Number of the first line, from 1.
    offset: usize,
    limit: Option<usize>,
}

impl Read {
    pub(super) fn new(arguments: &Arguments<'_>) -> Result<Self, String> {
        Ok(Self {
            offset: arguments.count("offset")?.unwrap_or(1).max(1),
            limit: arguments.count("limit")?,
        })
    }

    pub(crate) fn carry_out(
        &self,
        place: &Place,
        toolbox: &Toolbox,
        run: &RunState,
    ) -> Result<String, String> {
        let key = place.key().ok_or("this is a folder; list it with Glob")?;
        let read = place
            .root()
            .read_prefix(key, toolbox.limits.file_bytes as u64)
            .map_err(|error| error.to_string())?;
        if read.bytes.contains(&0) {
            return Err("this is a binary file".to_owned());
        }
        if !read.cut {
            run.remember(place, &read.bytes);
        }
        if read.bytes.is_empty() {
            return Ok("[the file is empty]".to_owned());
        }
        let mut text = String::from_utf8_lossy(&read.bytes).into_owned();
        // A file that the agent may write is shown as it is, or it would write the marks back.
        if toolbox.redact && !place.is_writable() {
            text = redacted(&text);
        }
        Ok(self.number(&text, read.cut, toolbox))
    }

    fn number(&self, text: &str, file_cut: bool, toolbox: &Toolbox) -> String {
        let mut out = Bounded::new(toolbox.limits.result_bytes);
        let mut lines = text.lines().enumerate().skip(self.offset - 1).peekable();
        let mut left = self.limit.unwrap_or(usize::MAX);
        while let Some((index, line)) = lines.next_if(|_| left > 0) {
            let shown = prefix(line, MAX_LINE_BYTES);
            let mark = if shown.len() < line.len() { "…" } else { "" };
            if !out.line(&format!("{:>6}\t{shown}{mark}", index + 1)) {
                return out.finish(Some(&format!(
                    "the result is full; go on with offset {}",
                    index + 1
                )));
            }
            left -= 1;
        }
        match lines.peek() {
            Some((index, _)) => {
                out.finish(Some(&format!("the file goes on at line {}", index + 1)))
            }
            None if file_cut => out.finish(Some("the file is larger than what is read of one")),
            None if out.is_empty() => "[the file has fewer lines]".to_owned(),
            None => out.finish(None),
        }
    }
}

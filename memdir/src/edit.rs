//! Edits of a memory file: each one splices new bytes over the lines it is about.

use std::ops::Range;

use crate::format::{Field, State, field_line, key_text, scalar};
use crate::memory::Memory;
use crate::memory_type::MemoryType;
use crate::timestamp::Timestamp;

/// The order in which fields of our own are put into a front matter that lacks them.
const ORDER: [&str; 4] = ["name", "description", "type", "modified"];

impl Memory {
    /// Sets the title.
    pub fn set_name(&mut self, name: &str) {
        self.set_value("name", name);
    }

    /// Sets the description.
    pub fn set_description(&mut self, description: &str) {
        self.set_value("description", description);
    }

    /// Sets the type, where it stands already: at the top level or under `metadata:`.
    pub fn set_type(&mut self, memory_type: MemoryType) {
        self.set_value("type", memory_type.as_str());
    }

    /// Sets the time of the last change, where it stands already; a file that keeps its type
    /// under `metadata:` gets it there.
    pub fn set_modified(&mut self, modified: Timestamp) {
        if self.modified() != Some(modified) {
            self.put("modified", &modified.to_string());
        }
    }

    /// Sets the value of any key, at the place where [`value`](Self::value) finds it, or as a new
    /// field. Setting the value it has already changes nothing.
    ///
    /// A file without front matter gets one; an unclosed one is closed.
    pub fn set_value(&mut self, key: &str, value: &str) {
        if self.value(key).as_deref() == Some(value) && !value.is_empty() {
            return;
        }
        self.put(key, &scalar(value));
    }

    /// Removes a key with all its lines, wherever it occurs at the top level or under `metadata:`.
    pub fn remove_value(&mut self, key: &str) {
        while let Some(field) = self.field(key) {
            let lines = field.lines.clone();
            self.splice(lines, b"");
        }
        let Some((field, mut pairs)) = self.flow_metadata() else {
            return;
        };
        let before = pairs.len();
        pairs.retain(|pair| pair.0 != key);
        if pairs.len() < before {
            let (lines, text) = (field.lines.clone(), flow_line(&pairs));
            self.replace_line(lines, &text);
        }
    }

    /// Replaces the body; blank lines around it are dropped, the blank lines above it stay.
    pub fn set_body(&mut self, body: &str) {
        let body = body.trim_matches(['\n', '\r']).trim_end();
        let eol = self.line_end();
        let body = if eol == "\r\n" && !body.contains('\r') {
            body.replace('\n', "\r\n")
        } else {
            body.to_owned()
        };
        let start = self.body_offset();
        let mut text = String::new();
        if !body.is_empty() {
            if self.has_front_matter() && start == self.extent().body && self.body().is_empty() {
                if !self.as_bytes()[..start].ends_with(b"\n") {
                    text.push_str(eol);
                }
                text.push_str(eol);
            }
            text.push_str(&body);
            text.push_str(eol);
        }
        let end = self.as_bytes().len();
        self.splice(start..end, text.as_bytes());
    }

    /// Writes the value of `key`, already in YAML form.
    pub(crate) fn put(&mut self, key: &str, yaml: &str) {
        self.ensure_front_matter();
        if let Some(field) = self.field(key) {
            let line = self.line_of(field, yaml);
            let lines = field.lines.clone();
            self.replace_line(lines, &line);
            return;
        }
        if self.put_into_flow(key, yaml) {
            return;
        }
        let (at, indent) = self.place_for(key);
        let line = format!("{indent}{}: {yaml}", key_text(key));
        self.replace_line(at..at, &line);
    }

    /// The line of an existing field with a new value; its key stays as it is written.
    fn line_of(&self, field: &Field, yaml: &str) -> String {
        let bytes = self.as_bytes();
        let start = field.lines.start;
        let indent = String::from_utf8_lossy(&bytes[start..start + field.indent]).into_owned();
        // YAML has no tabs in indentation; at the top level none is needed.
        let indent = if !field.nested && indent.contains('\t') {
            String::new()
        } else {
            indent
        };
        let key = String::from_utf8_lossy(field.key(bytes));
        format!("{indent}{}: {yaml}", key_text(&key))
    }

    fn put_into_flow(&mut self, key: &str, yaml: &str) -> bool {
        let Some((field, mut pairs)) = self.flow_metadata() else {
            return false;
        };
        let Some(pair) = pairs.iter_mut().rev().find(|pair| pair.0 == key) else {
            return false;
        };
        yaml.clone_into(&mut pair.1);
        let (lines, text) = (field.lines.clone(), flow_line(&pairs));
        self.replace_line(lines, &text);
        true
    }

    /// Where a new field goes, and its indentation.
    fn place_for(&self, key: &str) -> (usize, String) {
        let bytes = self.as_bytes();
        if key == "modified"
            && let Some(sibling) = self.fields().iter().rfind(|field| field.nested)
            && self.field("type").is_some_and(|field| field.nested)
        {
            let start = sibling.lines.start;
            let indent = String::from_utf8_lossy(&bytes[start..start + sibling.indent]);
            return (sibling.lines.end, indent.into_owned());
        }
        let extent = self.extent();
        let earlier = ORDER
            .iter()
            .position(|own| *own == key)
            .map(|at| &ORDER[..at]);
        let Some(earlier) = earlier.filter(|_| key != "modified") else {
            let end = match extent.state {
                State::Cut => extent.fields,
                _ => self
                    .fields()
                    .last()
                    .map_or(extent.fields_end, |last| last.lines.end),
            };
            return (end, String::new());
        };
        let after = earlier
            .iter()
            .rev()
            .find_map(|own| self.field(own).filter(|field| !field.nested));
        (
            after.map_or(extent.fields, |field| field.lines.end),
            String::new(),
        )
    }

    fn ensure_front_matter(&mut self) {
        let eol = self.line_end();
        match self.extent().state {
            State::Closed | State::Cut => {}
            State::Unclosed => {
                let end = self.extent().fields_end;
                self.replace_line(end..end, "---");
            }
            State::Missing => {
                let at = self.extent().start;
                let gap = if self.body().is_empty() { "" } else { eol };
                self.splice(at..at, format!("---{eol}---{eol}{gap}").as_bytes());
            }
        }
    }

    /// Puts a line in place of some bytes, with line ends that fit its neighbours.
    fn replace_line(&mut self, lines: Range<usize>, line: &str) {
        let bytes = self.as_bytes();
        // A CRLF line keeps its CRLF, whatever the rest of the file has.
        let eol = match &bytes[lines.clone()] {
            old if old.ends_with(b"\r\n") => "\r\n",
            old if old.ends_with(b"\n") => "\n",
            _ => self.line_end(),
        };
        let before = match bytes[..lines.start].last() {
            Some(b'\n') | None => "",
            Some(_) if lines.start == self.extent().start => "",
            Some(_) => eol,
        };
        self.splice(lines, format!("{before}{line}{eol}").as_bytes());
    }

    fn splice(&mut self, range: Range<usize>, new: &[u8]) {
        let mut bytes = self.print();
        bytes.splice(range, new.iter().copied());
        self.replace_bytes(bytes);
    }

    /// The line end of the file, taken from its first line.
    fn line_end(&self) -> &'static str {
        let bytes = self.as_bytes();
        match memchr::memchr(b'\n', bytes) {
            Some(at) if bytes[..at].ends_with(b"\r") => "\r\n",
            _ => "\n",
        }
    }
}

fn flow_line(pairs: &[(String, String)]) -> String {
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(key, value)| field_line(key, value))
        .collect();
    format!("metadata: {{{}}}", pairs.join(", "))
}

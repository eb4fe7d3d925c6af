//! Edits of a memory file: each one splices new bytes over the lines it is about.

use std::ops::Range;

use crate::format::{Field, State, decode, flow_pair, key_text, scalar};
use crate::memory::{Memory, Place};
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
            // Plain, as other tools write it: a time needs no quotes to be read as a text.
            let text = modified.to_string();
            self.put("modified", &text, &text);
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
        self.put(key, value, &scalar(value));
    }

    /// Removes a key with all its lines, wherever it occurs at the top level or under `metadata:`.
    pub fn remove_value(&mut self, key: &str) {
        while let Some(place) = self.place(key) {
            match place {
                Place::Field(field) => {
                    let lines = field.lines.clone();
                    self.splice(lines, b"");
                }
                Place::Pair {
                    field,
                    mut pairs,
                    at,
                } => {
                    pairs.remove(at);
                    let lines = field.lines.clone();
                    self.replace_line(lines, &flow_line(&pairs));
                }
            }
        }
    }

    /// Replaces the body; blank lines around it are dropped, the blank lines above it stay.
    ///
    /// An unclosed front matter is closed first, or the new body could become a part of it.
    pub fn set_body(&mut self, body: &str) {
        self.close_front_matter();
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
            let above = &self.as_bytes()[self.extent().start..start];
            if !above.is_empty() && !above.ends_with(b"\n") {
                text.push_str(eol);
            }
            // A file that ends with its front matter gets the blank line in between.
            if self.has_front_matter() && start == self.extent().body && self.body().is_empty() {
                text.push_str(eol);
            }
            text.push_str(&body);
            text.push_str(eol);
        }
        let end = self.as_bytes().len();
        self.splice(start..end, text.as_bytes());
    }

    /// Writes a value, given as a text and in its YAML form.
    pub(crate) fn put(&mut self, key: &str, value: &str, yaml: &str) {
        self.ensure_front_matter();
        let (lines, text) = match self.place(key) {
            Some(Place::Field(field)) => (field.lines.clone(), self.line_of(field, yaml)),
            Some(Place::Pair {
                field,
                mut pairs,
                at,
            }) => {
                value.clone_into(&mut pairs[at].1);
                (field.lines.clone(), flow_line(&pairs))
            }
            None => {
                let (at, indent) = self.place_for(key);
                (at..at, format!("{indent}{}: {yaml}", key_text(key)))
            }
        };
        self.replace_line(lines, &text);
    }

    /// Writes the value of the field on that line again, so that every YAML reader takes it for
    /// the text that it reads as here.
    pub(crate) fn quote_value(&mut self, line: usize) {
        let Some(field) = self.fields().iter().find(|field| field.line == line) else {
            return;
        };
        let value = decode(self.as_bytes(), field).text.into_owned();
        let (lines, text) = (field.lines.clone(), self.line_of(field, &scalar(&value)));
        self.replace_line(lines, &text);
    }

    /// The line of an existing field with a new value.
    fn line_of(&self, field: &Field, yaml: &str) -> String {
        let key = String::from_utf8_lossy(field.key(self.as_bytes()));
        format!("{}{}: {yaml}", self.indent_of(field), key_text(&key))
    }

    /// Where a new field goes, and its indentation: that of its neighbour, since a line indented
    /// deeper than the one above it would become a part of that.
    fn place_for(&self, key: &str) -> (usize, String) {
        let extent = self.extent();
        if key == "modified"
            && let Some(sibling) = self.fields().iter().rfind(|field| field.nested)
            && matches!(self.place("type"), Some(Place::Field(field)) if field.nested)
        {
            return (sibling.lines.end, self.indent_of(sibling));
        }
        let top_level = || self.fields().iter().filter(|field| !field.nested);
        let at_top = (
            extent.fields,
            top_level()
                .next()
                .map_or_else(String::new, |first| self.indent_of(first)),
        );
        let after = match ORDER.iter().position(|own| *own == key) {
            Some(rank) if key != "modified" => {
                let earlier = ORDER[..rank].iter().rev();
                earlier.into_iter().find_map(|own| match self.place(own) {
                    Some(Place::Field(field)) if !field.nested => Some(field),
                    _ => None,
                })
            }
            // A front matter without an end in sight grows at its top.
            _ if extent.state == State::Cut => None,
            _ => top_level().next_back(),
        };
        after.map_or(at_top, |field| (field.lines.end, self.indent_of(field)))
    }

    fn indent_of(&self, field: &Field) -> String {
        let start = field.lines.start;
        String::from_utf8_lossy(&self.as_bytes()[start..start + field.indent]).into_owned()
    }

    /// Closes a front matter that lacks its end.
    pub(crate) fn close_front_matter(&mut self) {
        if self.extent().state == State::Unclosed {
            self.ensure_front_matter();
        }
    }

    /// Replaces the text of the body as it is, blank edges and all.
    pub(crate) fn replace_body_text(&mut self, text: &str) {
        let (start, end) = (self.body_offset(), self.as_bytes().len());
        self.splice(start..end, text.as_bytes());
    }

    pub(crate) fn remove_bytes(&mut self, range: Range<usize>) {
        self.splice(range, b"");
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
        .map(|(key, value)| flow_pair(key, value))
        .collect();
    format!("metadata: {{{}}}", pairs.join(", "))
}

//! The fields of a memory that lists and choices are made from.

use crate::format::{
    self, Extent, Field, FieldItem, Fields, State, decode, flow_pairs, is_null, without_comment,
};
use crate::limits::HEADER_MAX_LINES;
use crate::memory_type::MemoryType;
use crate::problem::{Problem, ProblemCode};
use crate::timestamp::Timestamp;

/// What the front matter of a memory says about it.
///
/// [`parse`](Self::parse) looks at the first [`HEADER_MAX_LINES`] lines only and takes plain values
/// as they stand, so that thousands of files are listed at about the cost of reading them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The title a person gave it; empty when the file has none.
    pub name: String,
    /// The line that tells whether to open the file; empty when the file has none.
    pub description: String,
    /// The type, when it is one of the four.
    pub memory_type: Option<MemoryType>,
    /// The word that stands for the type in the file, known or not; empty when there is none.
    pub type_text: String,
    /// When the memory was last changed, according to the file itself.
    pub modified: Option<Timestamp>,
    /// What was wrong with the front matter; empty for a sound file, without an allocation.
    pub problems: Vec<Problem>,
}

impl Header {
    /// Reads the header from the first bytes of a file; [`HEADER_MAX_BYTES`](crate::limits::HEADER_MAX_BYTES) of
    /// them are plenty.
    ///
    /// Never fails and never looks beyond line 30. A key that occurs twice counts with its last
    /// value; `type` and `modified` are also read under `metadata:`, where the top level wins.
    ///
    /// ```
    /// use memdir::{Header, MemoryType};
    ///
    /// let header = Header::parse(b"---\nname: Tests\ndescription: run them: all # always\nmetadata:\n  type: feedback\n---\n");
    /// assert_eq!(header.name, "Tests");
    /// assert_eq!(header.description, "run them: all # always");
    /// assert_eq!(header.memory_type, Some(MemoryType::Feedback));
    /// ```
    pub fn parse(first_bytes: &[u8]) -> Self {
        let extent = format::find(first_bytes, HEADER_MAX_LINES);
        Self::from_fields(first_bytes, &extent, Fields::new(first_bytes, &extent))
    }

    pub(crate) fn from_fields(
        bytes: &[u8],
        extent: &Extent,
        items: impl Iterator<Item = FieldItem>,
    ) -> Self {
        let mut reader = Reader::new(bytes);
        reader.problems_of_extent(extent);
        for item in items {
            match item {
                FieldItem::Field(field) => reader.field(&field),
                FieldItem::Unreadable(line) => reader.problem(
                    ProblemCode::FrontMatterLine,
                    line,
                    "the line is neither a field nor part of one",
                ),
            }
        }
        reader.finish(extent)
    }
}

/// The keys a header is made of.
const KEYS: [&str; 4] = ["name", "description", "type", "modified"];
const NAME: usize = 0;
const DESCRIPTION: usize = 1;
const TYPE: usize = 2;
const MODIFIED: usize = 3;

/// Whether `key` is `wanted` as this crate reads keys: the four of its own in any case.
pub(crate) fn same_key(key: &[u8], wanted: &str) -> bool {
    if KEYS.contains(&wanted) {
        return key.eq_ignore_ascii_case(wanted.as_bytes());
    }
    key == wanted.as_bytes()
}

struct Reader<'a> {
    bytes: &'a [u8],
    header: Header,
    /// The line each key was last seen on, at the top level and under `metadata:`.
    seen: [[usize; 4]; 2],
    modified_text: String,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            header: Header::default(),
            seen: [[0; 4]; 2],
            modified_text: String::new(),
        }
    }

    fn problem(&mut self, code: ProblemCode, line: usize, message: &str) {
        self.header.problems.push(Problem::new(code, line, message));
    }

    fn problems_of_extent(&mut self, extent: &Extent) {
        if extent.start > 0 {
            self.problem(
                ProblemCode::ByteOrderMark,
                1,
                "the file starts with a byte order mark",
            );
        }
        if extent.state == State::Missing {
            self.problem(
                ProblemCode::FrontMatterMissing,
                1,
                "there is no front matter",
            );
            return;
        }
        if extent.late {
            self.problem(
                ProblemCode::FrontMatterLate,
                1,
                "blank lines stand before the front matter",
            );
        }
        if extent.state == State::Unclosed {
            self.problem(
                ProblemCode::FrontMatterUnclosed,
                extent.fields_line - 1,
                "the front matter is not closed by a line of three dashes",
            );
        }
        if std::str::from_utf8(&self.bytes[extent.fields..extent.fields_end]).is_err() {
            self.problem(
                ProblemCode::NotUtf8,
                extent.fields_line,
                "some bytes of the front matter are not UTF-8",
            );
        }
    }

    fn field(&mut self, field: &Field) {
        let key = field.key(self.bytes);
        if !field.nested && key.eq_ignore_ascii_case(b"metadata") {
            self.flow_metadata(field);
            return;
        }
        let Some(which) = KEYS.iter().position(|known| same_key(key, known)) else {
            return;
        };
        if field.nested && which < TYPE {
            // A name under `metadata:` is another tool's, not the title of the memory.
            return;
        }
        if !field.nested && field.indent > 0 {
            let message = format!("the key {} is indented", KEYS[which]);
            self.problem(ProblemCode::FieldIndented, field.line, &message);
        }
        self.note_duplicate(which, field);
        if is_null(self.bytes, field) {
            self.take(which, field.nested, String::new());
            return;
        }
        let decoded = decode(self.bytes, field);
        let is_word = which >= TYPE;
        let text = if is_word {
            without_comment(&decoded.text)
        } else {
            &decoded.text
        };
        let text = text.to_owned();
        if let Some(code) = decoded.problem.filter(|_| !is_word) {
            let message = match code {
                ProblemCode::UnquotedValue => {
                    format!(
                        "the value of {} needs quotes, YAML readers cut or refuse it",
                        KEYS[which]
                    )
                }
                _ => format!("the value of {} is not valid YAML", KEYS[which]),
            };
            self.problem(code, field.line, &message);
        }
        self.take(which, field.nested, text);
    }

    fn flow_metadata(&mut self, field: &Field) {
        for (key, value) in flow_pairs(self.bytes, field).unwrap_or_default() {
            if let Some(which) = KEYS
                .iter()
                .position(|known| *known == key)
                .filter(|at| *at >= TYPE)
            {
                self.seen[1][which] = field.line;
                self.take(which, true, value);
            }
        }
    }

    fn note_duplicate(&mut self, which: usize, field: &Field) {
        let seen = &mut self.seen[usize::from(field.nested)][which];
        let earlier = std::mem::replace(seen, field.line);
        if earlier > 0 {
            let message = format!(
                "the key {} is already on line {earlier}; this one counts",
                KEYS[which]
            );
            self.problem(ProblemCode::DuplicateKey, field.line, &message);
        }
    }

    /// Stores a value, unless it is a nested one and the top level has it already.
    fn take(&mut self, which: usize, nested: bool, text: String) {
        let slot = match which {
            NAME => &mut self.header.name,
            DESCRIPTION => &mut self.header.description,
            TYPE => &mut self.header.type_text,
            _ => &mut self.modified_text,
        };
        if !nested || self.seen[0][which] == 0 || slot.is_empty() {
            *slot = text;
        }
    }

    fn finish(mut self, extent: &Extent) -> Header {
        self.header.memory_type = MemoryType::parse(&self.header.type_text);
        self.header.modified = Timestamp::parse_lenient(&self.modified_text);
        if extent.state == State::Missing {
            return self.header;
        }
        let line = |which: usize| self.seen[0][which].max(self.seen[1][which]).max(1);
        let (type_line, modified_line) = (line(TYPE), line(MODIFIED));
        if self.header.name.is_empty() {
            self.problem(ProblemCode::NameMissing, 1, "there is no name");
        }
        if self.header.description.is_empty() {
            self.problem(
                ProblemCode::DescriptionMissing,
                1,
                "there is no description",
            );
        }
        if self.header.type_text.is_empty() {
            self.problem(ProblemCode::TypeMissing, 1, "there is no type");
        } else if self.header.memory_type.is_none() {
            self.problem(
                ProblemCode::TypeUnknown,
                type_line,
                "the type is none of user, feedback, project, reference",
            );
        }
        if self.header.modified.is_none() && !self.modified_text.is_empty() {
            self.problem(
                ProblemCode::ModifiedInvalid,
                modified_line,
                "the modified value is not a time",
            );
        }
        self.header
    }
}

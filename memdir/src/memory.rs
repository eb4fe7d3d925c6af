//! A memory file: its bytes, and what they say.

use crate::format::{self, Extent, Field, FieldItem, Fields, State, field_line};
use crate::header::{Header, same_key};
use crate::labels;
use crate::memory_type::MemoryType;
use crate::problem::{Problem, ProblemCode};
use crate::timestamp::Timestamp;

/// One memory file.
///
/// A memory *is* the bytes of its file. Reading never fails and changes nothing: printing a memory
/// that was not edited gives the same bytes back, whatever they were. An edit rewrites the lines
/// of the one value it is about; unknown keys, their order, comments, line ends and the rest of
/// the body stay as they are.
///
/// ```
/// use memdir::{Memory, MemoryType};
///
/// let file = b"---\nname: Tests\r\ntype: feedback\nteam: core\n---\n\nRun them all.\n";
/// let mut memory = Memory::parse(file);
/// assert_eq!(memory.print(), file);
/// assert_eq!(memory.memory_type(), Some(MemoryType::Feedback));
/// assert_eq!(memory.body(), "Run them all.\n");
///
/// memory.set_name("Tests: all of them");
/// assert_eq!(
///     memory.print(),
///     b"---\nname: \"Tests: all of them\"\r\ntype: feedback\nteam: core\n---\n\nRun them all.\n",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    source: Source,
    extent: Extent,
    fields: Vec<Field>,
    header: Header,
    /// Offset and line of the first body line that is not blank.
    body: (usize, usize),
    cut: bool,
}

/// The bytes, with the text of the body at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Text(String),
    /// Not UTF-8: the bytes as they are, and the body as it is shown.
    Bytes {
        bytes: Vec<u8>,
        body: String,
    },
}

impl Source {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes { bytes, .. } => bytes,
        }
    }
}

impl Memory {
    /// Reads a whole file. Never fails: see [`problems`](Self::problems).
    ///
    /// Takes time linear in the length. Of the front matter at most
    /// [`FRONT_MATTER_MAX_BYTES`](crate::limits::FRONT_MATTER_MAX_BYTES) are read; what follows counts as
    /// body.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::from_vec(bytes.to_vec())
    }

    /// Reads the first bytes of a file that is `file_bytes` long.
    ///
    /// When that is more than there are, the memory is marked as [cut](Self::is_cut): it may be
    /// shown, and must not be written back.
    pub fn parse_prefix(bytes: &[u8], file_bytes: u64) -> Self {
        if file_bytes <= bytes.len() as u64 {
            return Self::parse(bytes);
        }
        let mut memory = Self::parse(whole_characters(bytes));
        memory.cut = true;
        memory.header.problems.push(Problem::new(
            ProblemCode::Cut,
            1,
            format!(
                "only the first {} of {file_bytes} bytes were read",
                bytes.len()
            ),
        ));
        memory
    }

    /// Makes a new memory in the form this crate writes.
    ///
    /// Values are quoted where YAML needs it. The body is set off by a blank line; blank lines
    /// around it are dropped.
    ///
    /// ```
    /// use memdir::{Memory, MemoryType};
    ///
    /// let memory = Memory::new(MemoryType::User, "Role", "backend developer: Go, 10 years", "Explain React by analogy.");
    /// assert_eq!(
    ///     String::from_utf8(memory.print())?,
    ///     "---\nname: Role\ndescription: \"backend developer: Go, 10 years\"\ntype: user\n---\n\nExplain React by analogy.\n",
    /// );
    /// # Ok::<(), std::string::FromUtf8Error>(())
    /// ```
    pub fn new(memory_type: MemoryType, name: &str, description: &str, body: &str) -> Self {
        let mut text = String::from("---\n");
        for (key, value) in [
            ("name", name),
            ("description", description),
            ("type", memory_type.as_str()),
        ] {
            text.push_str(&field_line(key, value));
            text.push('\n');
        }
        text.push_str("---\n");
        let mut memory = Self::from_vec(text.into_bytes());
        memory.set_body(body);
        memory
    }

    fn from_vec(bytes: Vec<u8>) -> Self {
        let extent = format::find(&bytes, usize::MAX);
        let mut fields = Vec::new();
        let header = Header::from_fields(
            &bytes,
            &extent,
            Fields::new(&bytes, &extent).inspect(|item| {
                if let FieldItem::Field(field) = item {
                    fields.push(field.clone());
                }
            }),
        );
        let body = body_start(&bytes, &extent);
        let source = match String::from_utf8(bytes) {
            Ok(text) => Source::Text(text),
            Err(error) => {
                let bytes = error.into_bytes();
                let body = String::from_utf8_lossy(&bytes[body.0..]).into_owned();
                Source::Bytes { bytes, body }
            }
        };
        let mut memory = Self {
            source,
            extent,
            fields,
            header,
            body,
            cut: false,
        };
        memory.problems_of_file();
        memory
    }

    fn problems_of_file(&mut self) {
        let bytes = self.source.bytes();
        let known = |code| {
            self.header
                .problems
                .iter()
                .any(|problem| problem.code == code)
        };
        let mut found = Vec::new();
        if format::is_blank(&bytes[self.extent.start..]) {
            found.push(Problem::new(ProblemCode::Empty, 1, "the file is empty"));
        }
        if matches!(self.source, Source::Bytes { .. }) && !known(ProblemCode::NotUtf8) {
            let line = first_invalid_line(bytes);
            found.push(Problem::new(
                ProblemCode::NotUtf8,
                line,
                "some bytes are not UTF-8",
            ));
        }
        self.header.problems.extend(found);
    }

    /// The bytes of the file.
    pub fn print(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    /// The bytes of the file, without a copy.
    pub fn as_bytes(&self) -> &[u8] {
        self.source.bytes()
    }

    /// What the front matter says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The title; empty when there is none.
    pub fn name(&self) -> &str {
        &self.header.name
    }

    /// The line that tells whether to open the file; empty when there is none.
    pub fn description(&self) -> &str {
        &self.header.description
    }

    /// The type, when it is one of the four.
    pub fn memory_type(&self) -> Option<MemoryType> {
        self.header.memory_type
    }

    /// The word that stands for the type in the file; empty when there is none.
    pub fn type_text(&self) -> &str {
        &self.header.type_text
    }

    /// When it was last changed, according to the file itself.
    pub fn modified(&self) -> Option<Timestamp> {
        self.header.modified
    }

    /// The Markdown below the front matter, from its first line that is not blank to the end of
    /// the file. Bytes that are not UTF-8 show as U+FFFD.
    pub fn body(&self) -> &str {
        match &self.source {
            Source::Text(text) => &text[self.body.0..],
            Source::Bytes { body, .. } => body,
        }
    }

    /// The line, counted from 1, on which the body begins.
    pub fn body_line(&self) -> usize {
        self.body.1
    }

    /// What was wrong with the file.
    pub fn problems(&self) -> &[Problem] {
        &self.header.problems
    }

    /// Whether only a part of the file was read; such a memory must not be written back.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Whether the file has front matter.
    pub fn has_front_matter(&self) -> bool {
        self.extent.state != State::Missing
    }

    /// The reason the body gives: what stands after its **Why:** label.
    ///
    /// The label may be bold or plain, a list item or a heading, and in English, Chinese,
    /// Japanese or Korean. The text ends at the next label or heading.
    pub fn why(&self) -> Option<&str> {
        labels::find(self.body(), &labels::WHY)
    }

    /// When and where the rule holds: what stands after the **How to apply:** label of the body;
    /// the same rules as [`why`](Self::why).
    pub fn how_to_apply(&self) -> Option<&str> {
        labels::find(self.body(), &labels::HOW_TO_APPLY)
    }

    /// The value of any key as one text, from the top level or else from under `metadata:`;
    /// `metadata.key` asks for the latter only. The last one counts when a key occurs twice.
    pub fn value(&self, key: &str) -> Option<String> {
        match self.place(key)? {
            Place::Field(field) => Some(format::decode(self.as_bytes(), field).text.into_owned()),
            Place::Pair { pairs, at, .. } => pairs.into_iter().nth(at).map(|pair| pair.1),
        }
    }

    /// All keys in the order of the file, those under `metadata:` as `metadata.key`.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for field in &self.fields {
            let key = String::from_utf8_lossy(field.key(self.as_bytes()));
            keys.push(if field.nested {
                format!("metadata.{key}")
            } else {
                key.into_owned()
            });
        }
        for (_, pairs) in self.flow_metadata() {
            keys.extend(pairs.into_iter().map(|pair| format!("metadata.{}", pair.0)));
        }
        keys
    }

    pub(crate) fn extent(&self) -> &Extent {
        &self.extent
    }

    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Where the value that counts for a key stands: in its last field at the top level, else in
    /// the last one under `metadata:`. A name or description there is another tool's.
    pub(crate) fn place(&self, key: &str) -> Option<Place<'_>> {
        let find = |key: &str, nested: bool| {
            let mut fields = self.fields.iter().rev();
            fields.find(|field| field.nested == nested && same_key(field.key(self.as_bytes()), key))
        };
        if let Some(field) = find(key, false) {
            return Some(Place::Field(field));
        }
        let nested = match key.strip_prefix("metadata.") {
            Some(nested) => nested,
            None if matches!(key, "name" | "description") => return None,
            None => key,
        };
        let pair = self
            .flow_metadata()
            .filter_map(|(field, pairs)| {
                let at = pairs.iter().rposition(|pair| pair.0 == nested)?;
                Some(Place::Pair { field, pairs, at })
            })
            .last();
        match (find(nested, true), pair) {
            (Some(field), Some(pair)) if field.line < pair.line() => Some(pair),
            (Some(field), _) => Some(Place::Field(field)),
            (None, pair) => pair,
        }
    }

    /// The `metadata: {…}` fields with their pairs.
    fn flow_metadata(&self) -> impl Iterator<Item = (&Field, Vec<(String, String)>)> {
        self.fields
            .iter()
            .filter(|field| !field.nested)
            .filter_map(|field| {
                let is_metadata = field.key(self.as_bytes()).eq_ignore_ascii_case(b"metadata");
                let pairs = is_metadata
                    .then(|| format::flow_pairs(self.as_bytes(), field))
                    .flatten()?;
                Some((field, pairs))
            })
    }

    pub(crate) fn replace_bytes(&mut self, bytes: Vec<u8>) {
        let cut = self.cut;
        *self = Self::from_vec(bytes);
        self.cut = cut;
    }

    pub(crate) fn body_offset(&self) -> usize {
        self.body.0
    }
}

/// Where a value stands.
pub(crate) enum Place<'a> {
    /// On a field of its own.
    Field(&'a Field),
    /// In one of the pairs of a `metadata: {…}` field.
    Pair {
        field: &'a Field,
        pairs: Vec<(String, String)>,
        at: usize,
    },
}

impl Place<'_> {
    pub(crate) fn line(&self) -> usize {
        match self {
            Self::Field(field) | Self::Pair { field, .. } => field.line,
        }
    }
}

fn body_start(bytes: &[u8], extent: &Extent) -> (usize, usize) {
    let mut end = (extent.body, extent.body_line);
    for line in format::Lines::from(bytes, extent.body, extent.body_line) {
        if !format::is_blank(line.text) {
            return (line.start, line.number);
        }
        end = (line.next, line.number + 1);
    }
    end
}

/// The bytes without a last character of which some bytes are missing.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

fn first_invalid_line(bytes: &[u8]) -> usize {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    1 + memchr::memchr_iter(b'\n', &bytes[..valid]).count()
}

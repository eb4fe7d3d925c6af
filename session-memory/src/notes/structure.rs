//! Which headings and hint lines a session file has: ours, or those of the user's own template.

use std::borrow::Cow;

use super::{Notes, NotesLimits};

/// The template that is used where the user has none of their own.
pub(crate) const TEMPLATE: &str = include_str!("../../templates/session-memory.md");

/// A template has at most so many sections: every line of a file is compared with every hint.
pub const MOST_SECTIONS: usize = 100;

/// A section of the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SectionShape {
    /// The heading without its marks.
    pub(crate) heading: String,
    /// The italic line below it; empty where a user's template has none.
    pub(crate) hint: String,
}

/// The headings and hint lines of a session file, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    preamble: String,
    sections: Vec<SectionShape>,
}

impl Default for Structure {
    fn default() -> Self {
        Structure::read(TEMPLATE).expect("a structure because our own template has sections")
    }
}

/// A template that has no section, or the same one twice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateFault {
    /// No level-2 heading outside of code fences.
    NoSection,
    /// More than [`MOST_SECTIONS`] level-2 headings.
    TooManySections,
    /// A heading that stands twice, so that content could not be told apart.
    RepeatedHeading(String),
    /// An empty file of this structure would not be read back as it was written: every update would be
    /// refused. A heading without words, control characters, an open code fence, or sheer size.
    NotReadBack,
}

impl std::fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TemplateFault::NoSection => f.write_str("the template has no `## ` heading"),
            TemplateFault::TooManySections => {
                write!(
                    f,
                    "the template has more than {MOST_SECTIONS} `## ` headings"
                )
            }
            TemplateFault::RepeatedHeading(heading) => {
                write!(f, "the template has the heading `{heading}` twice")
            }
            TemplateFault::NotReadBack => f.write_str(
                "a file made from the template would not be read back: look for a heading without \
                 words, control characters or an open code fence, or shorten it",
            ),
        }
    }
}

impl Structure {
    /// Reads the structure of a template: its level-2 headings outside of code fences, and directly below
    /// each one an italic line as its hint. What stands before the first heading is kept as it is.
    ///
    /// # Errors
    /// When there is no heading, one stands twice, there are more than [`MOST_SECTIONS`], or a file made from
    /// the template would not be read back.
    pub fn from_template(template: &str) -> Result<Self, TemplateFault> {
        let is_plain = |one: char| !one.is_control() || matches!(one, '\n' | '\t');
        if !template.replace("\r\n", "\n").chars().all(is_plain) {
            return Err(TemplateFault::NotReadBack);
        }
        let structure = Self::read(template)?;
        let empty = Notes::empty(&structure);
        let printed = empty.print();
        let parsed = Notes::parse(printed.as_bytes(), &structure, &NotesLimits::default());
        let is_read_back =
            parsed.as_ref() == Ok(&empty) && Self::read(&printed).as_ref() == Ok(&structure);
        is_read_back
            .then_some(structure)
            .ok_or(TemplateFault::NotReadBack)
    }

    fn read(template: &str) -> Result<Self, TemplateFault> {
        let mut structure = Structure {
            preamble: String::new(),
            sections: Vec::new(),
        };
        let mut previous_was_heading = false;
        // An editor's byte order mark is no part of the structure.
        for line in Lines::new(template.trim_start_matches('\u{feff}')) {
            if let Some(heading) = line.heading() {
                if structure.index(heading).is_some() {
                    return Err(TemplateFault::RepeatedHeading(heading.to_owned()));
                }
                if structure.sections.len() == MOST_SECTIONS {
                    return Err(TemplateFault::TooManySections);
                }
                structure.sections.push(SectionShape {
                    heading: heading.to_owned(),
                    hint: String::new(),
                });
                previous_was_heading = true;
                continue;
            }
            match structure.sections.last_mut() {
                None => {
                    structure.preamble.push_str(line.text);
                    structure.preamble.push('\n');
                }
                Some(section) if previous_was_heading && is_italic(line.text) => {
                    line.text.trim_end().clone_into(&mut section.hint);
                }
                Some(_) => {}
            }
            previous_was_heading = false;
        }
        let end = structure.preamble.trim_end().len();
        structure.preamble.truncate(end);
        structure.preamble.push('\n');
        if structure.sections.is_empty() {
            Err(TemplateFault::NoSection)
        } else {
            Ok(structure)
        }
    }

    pub(crate) fn preamble(&self) -> &str {
        &self.preamble
    }

    pub(crate) fn sections(&self) -> &[SectionShape] {
        &self.sections
    }

    pub(crate) fn index(&self, heading: &str) -> Option<usize> {
        self.sections
            .iter()
            .position(|section| section.heading == heading)
    }
}

/// The text with line feeds only, as one whole reader sees it.
pub(super) fn unix_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        text.into()
    }
}

fn is_italic(line: &str) -> bool {
    let line = line.trim();
    let between = |mark| line.len() > 2 && line.starts_with(mark) && line.ends_with(mark);
    between('_') || between('*') && !line.starts_with("**") && !line.starts_with("* ")
}

/// A line and whether it stands inside a code fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) fenced: bool,
}

impl<'a> Line<'a> {
    /// Returns the text of a level-2 heading outside of fences.
    pub(crate) fn heading(self) -> Option<&'a str> {
        let text = self.text.strip_prefix("## ").filter(|_| !self.fenced)?;
        // CommonMark allows closing marks; a model that adds them still means the same heading.
        Some(text.trim().trim_end_matches('#').trim_end())
    }
}

/// Walks lines and keeps track of fences, as CommonMark defines them: three or more backticks or tildes,
/// indented at most three blanks, closed by at least as many of the same kind with nothing behind.
pub(crate) struct Lines<'a> {
    lines: std::str::Lines<'a>,
    fence: Option<(u8, usize)>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Lines {
            lines: text.lines(),
            fence: None,
        }
    }

    /// Returns whether the lines so far ended inside a fence.
    pub(crate) fn is_open(&self) -> bool {
        self.fence.is_some()
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let text = self.lines.next()?;
        let mark = fence_mark(text);
        let inside = self.fence;
        match (inside, mark) {
            (None, Some((kind, length, rest))) if kind == b'~' || !rest.contains('`') => {
                self.fence = Some((kind, length));
            }
            (Some((kind, least)), Some((same, length, rest)))
                if same == kind && length >= least && rest.trim().is_empty() =>
            {
                self.fence = None;
            }
            _ => {}
        }
        Some(Line {
            text,
            fenced: inside.is_some() || self.fence.is_some(),
        })
    }
}

fn fence_mark(line: &str) -> Option<(u8, usize, &str)> {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() > 3 {
        return None;
    }
    let kind = *rest
        .as_bytes()
        .first()
        .filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = rest.bytes().take_while(|byte| *byte == kind).count();
    (length >= 3).then(|| (kind, length, &rest[length..]))
}

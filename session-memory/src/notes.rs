//! The session file: ten sections whose headings and hint lines never change.

use token_count::TokenCounter;

mod repair;
mod structure;

pub use repair::{Repair, Violation, ViolationKind};
pub use structure::{MOST_SECTIONS, Structure, TemplateFault};

/// The most tokens of a section and of the file. Section sizes are measured with family factor 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotesLimits {
    /// Default 2,000.
    pub section_tokens: usize,
    /// Default 12,000.
    pub file_tokens: usize,
    /// The file is never larger than this, whatever its tokens. Default 1 MiB.
    pub file_bytes: usize,
}

impl Default for NotesLimits {
    fn default() -> Self {
        NotesLimits {
            section_tokens: 2_000,
            file_tokens: 12_000,
            file_bytes: 1 << 20,
        }
    }
}

/// A session file with an intact structure.
///
/// There is no way to a `Notes` but through [`Notes::parse`] and [`Notes::repair`], so whoever holds one
/// knows that all sections are there, in order, each with its hint line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    structure: Structure,
    bodies: Vec<String>,
}

/// One section as a reader sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading without its marks.
    pub heading: &'a str,
    /// What stands below the hint line, without blank lines around it.
    pub body: &'a str,
}

impl Notes {
    /// Returns the empty notes of a structure.
    pub fn empty(structure: &Structure) -> Self {
        Notes {
            structure: structure.clone(),
            bodies: vec![String::new(); structure.sections().len()],
        }
    }

    /// Returns the sections in order.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'_>> {
        let sections = self.structure.sections().iter().zip(&self.bodies);
        sections.map(|(section, body)| Section {
            heading: &section.heading,
            body,
        })
    }

    /// Returns the body of a section, or `None` when the structure has no such section.
    pub fn body(&self, heading: &str) -> Option<&str> {
        self.sections()
            .find(|section| section.heading == heading)
            .map(|section| section.body)
    }

    /// Returns the notes with another body for one section. A heading that the structure does not have
    /// changes nothing.
    #[must_use]
    pub fn with_body(mut self, heading: &str, body: &str) -> Self {
        let index = self
            .structure
            .sections()
            .iter()
            .position(|section| section.heading == heading);
        if let Some(index) = index {
            // As a reader will see it: a carriage return ends a line, and blanks around are layout.
            let text = structure::unix_line_ends(body);
            text.trim_start_matches(['\n', ' ', '\t'])
                .trim_end()
                .clone_into(&mut self.bodies[index]);
        }
        self
    }

    /// Returns the notes in another structure. What it has no section for goes into its last one, under
    /// level-3 headings.
    #[must_use]
    pub fn moved_into(&self, structure: &Structure) -> Self {
        let mut moved = Notes::empty(structure);
        let mut homeless = Vec::new();
        for section in self.sections() {
            if moved.body(section.heading).is_some() {
                moved = moved.with_body(section.heading, section.body);
            } else {
                homeless.push((section.heading, section.body));
            }
        }
        if let Some(last) = moved.bodies.last_mut() {
            *last = with_subsections(last, &homeless);
        }
        moved
    }

    /// Returns the headings and hint lines that hold.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Returns whether nothing was written into any section.
    pub fn is_untouched(&self) -> bool {
        self.bodies.iter().all(String::is_empty)
    }

    /// Returns the file's text.
    pub fn print(&self) -> String {
        let mut out = String::from(self.structure.preamble());
        for (section, body) in self.structure.sections().iter().zip(&self.bodies) {
            out.push_str("\n## ");
            out.push_str(&section.heading);
            out.push('\n');
            out.push_str(&section.hint);
            out.push('\n');
            if !body.is_empty() {
                out.push('\n');
                out.push_str(body);
                out.push('\n');
            }
        }
        out
    }

    /// Returns the sections over their limit with their sizes, for the prompt that asks to condense them.
    pub fn oversized(
        &self,
        limits: &NotesLimits,
        counter: &dyn TokenCounter,
    ) -> Vec<(&str, usize)> {
        let sized = self
            .sections()
            .map(|section| (section.heading, counter.count(section.body)));
        sized
            .filter(|(_, tokens)| *tokens > limits.section_tokens)
            .collect()
    }
}

/// Puts texts behind a body, each under a level-3 heading. Empty ones are passed over.
pub(crate) fn with_subsections(body: &str, parts: &[(&str, &str)]) -> String {
    let parts = parts.iter().filter(|(_, text)| !text.is_empty());
    let parts = parts.map(|(heading, text)| format!("### {heading}\n\n{text}"));
    let all: Vec<String> = std::iter::once(body.to_owned())
        .filter(|body| !body.is_empty())
        .chain(parts)
        .collect();
    all.join("\n\n")
}

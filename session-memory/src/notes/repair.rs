//! Reads a session file and mends what is certain.

use super::structure::{Lines, Structure, unix_line_ends};
use super::{Notes, NotesLimits};

/// What is wrong with a session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub kind: ViolationKind,
    /// The heading it is about; empty for the file as a whole.
    pub heading: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind.as_str())?;
        if self.heading.is_empty() {
            return Ok(());
        }
        // A foreign heading is somebody's text: one short line of it, without control characters.
        let plain = self
            .heading
            .chars()
            .filter(|character| !character.is_control());
        write!(f, " \"{}\"", plain.take(60).collect::<String>())
    }
}

/// Ways in which the structure can be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// Not UTF-8. Not repaired.
    NotUtf8,
    /// Larger than [`NotesLimits::file_bytes`]. Not repaired.
    TooLarge,
    /// A code fence that is never closed: what is behind it may be code or sections. Not repaired.
    OpenFence,
    /// What would be mended reads differently once it is written: a moved line opens a fence around what
    /// follows. Not repaired.
    NotCertain,
    /// Fewer than half of the headings are there: this is some other file. Not repaired.
    ForeignFile,
    /// A heading is missing. Repaired: it is put back in its place, empty.
    MissingHeading,
    /// A heading stands twice. Repaired: both contents go under the first.
    RepeatedHeading,
    /// A level-2 heading that the structure does not have. Repaired: it becomes a level-3 heading.
    ForeignHeading,
    /// The headings are in another order. Repaired.
    WrongOrder,
    /// The line under a heading is not its hint. Repaired: the hint is put back, the line is kept.
    MissingHint,
    /// A hint line that is not under its heading. Repaired: it is taken out.
    StrayHint,
    /// Text before the first heading that the structure does not have. Repaired: it goes into the first
    /// section.
    ForeignPreamble,
}

impl ViolationKind {
    /// Returns a short stable name, such as `missing-heading`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not-utf8",
            Self::TooLarge => "too-large",
            Self::OpenFence => "open-fence",
            Self::NotCertain => "not-certain",
            Self::ForeignFile => "foreign-file",
            Self::MissingHeading => "missing-heading",
            Self::RepeatedHeading => "repeated-heading",
            Self::ForeignHeading => "foreign-heading",
            Self::WrongOrder => "wrong-order",
            Self::MissingHint => "missing-hint",
            Self::StrayHint => "stray-hint",
            Self::ForeignPreamble => "foreign-preamble",
        }
    }

    /// Returns whether mending it is certain not to change what was meant.
    pub fn is_repairable(self) -> bool {
        !matches!(
            self,
            Self::NotUtf8 | Self::TooLarge | Self::OpenFence | Self::NotCertain | Self::ForeignFile
        )
    }
}

/// Notes, and what had to be mended to get them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The notes with an intact structure.
    pub notes: Notes,
    /// What was mended; empty when the file was intact.
    pub mended: Vec<Violation>,
}

impl Notes {
    /// Reads a session file that must be intact.
    ///
    /// # Errors
    /// Everything that is wrong with it, also what [`Notes::repair`] would mend.
    pub fn parse(
        bytes: &[u8],
        structure: &Structure,
        limits: &NotesLimits,
    ) -> Result<Self, Vec<Violation>> {
        let repair = Notes::read(bytes, structure, limits)?;
        if repair.mended.is_empty() {
            Ok(repair.notes)
        } else {
            Err(repair.mended)
        }
    }

    /// Reads a session file and mends what is certain: no content is dropped.
    ///
    /// # Errors
    /// What cannot be mended with certainty.
    pub fn repair(
        bytes: &[u8],
        structure: &Structure,
        limits: &NotesLimits,
    ) -> Result<Repair, Vec<Violation>> {
        let repair = Notes::read(bytes, structure, limits)?;
        let printed = repair.notes.print();
        let is_certain = repair.mended.is_empty()
            || Notes::parse(printed.as_bytes(), structure, limits).as_ref() == Ok(&repair.notes);
        if is_certain {
            Ok(repair)
        } else {
            whole(ViolationKind::NotCertain)
        }
    }

    fn read(
        bytes: &[u8],
        structure: &Structure,
        limits: &NotesLimits,
    ) -> Result<Repair, Vec<Violation>> {
        if bytes.len() > limits.file_bytes {
            return whole(ViolationKind::TooLarge);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return whole(ViolationKind::NotUtf8);
        };
        let mut reading = Reading::new(structure);
        // A lone carriage return ends a line for some programs; read once as both, it could hide a heading.
        let text = unix_line_ends(text);
        let mut lines = Lines::new(text.trim_start_matches('\u{feff}'));
        for line in lines.by_ref() {
            match line.heading() {
                Some(heading) => reading.heading(heading),
                None => reading.text(line.text),
            }
        }
        if lines.is_open() {
            return whole(ViolationKind::OpenFence);
        }
        reading.finish()
    }
}

/// One fault of the whole file.
fn whole(kind: ViolationKind) -> Result<Repair, Vec<Violation>> {
    Err(vec![Violation {
        kind,
        heading: String::new(),
    }])
}

/// One section while it is read.
#[derive(Default)]
struct Part {
    seen: bool,
    body: String,
}

struct Reading<'a> {
    structure: &'a Structure,
    parts: Vec<Part>,
    preamble: String,
    current: Option<usize>,
    highest: usize,
    expects_hint: bool,
    violations: Vec<Violation>,
}

impl<'a> Reading<'a> {
    fn new(structure: &'a Structure) -> Self {
        let parts = structure
            .sections()
            .iter()
            .map(|_| Part::default())
            .collect();
        Reading {
            structure,
            parts,
            preamble: String::new(),
            current: None,
            highest: 0,
            expects_hint: false,
            violations: Vec::new(),
        }
    }

    fn say(&mut self, kind: ViolationKind, heading: &str) {
        self.violations.push(Violation {
            kind,
            heading: heading.to_owned(),
        });
    }

    fn heading(&mut self, heading: &str) {
        self.end_hint();
        let Some(index) = self.structure.index(heading) else {
            self.say(ViolationKind::ForeignHeading, heading);
            let line = format!("### {heading}");
            self.text(&line);
            return;
        };
        if self.parts[index].seen {
            self.say(ViolationKind::RepeatedHeading, heading);
        } else {
            if index < self.highest {
                self.say(ViolationKind::WrongOrder, heading);
            }
            self.parts[index].seen = true;
            self.expects_hint = !self.structure.sections()[index].hint.is_empty();
        }
        self.highest = self.highest.max(index);
        self.current = Some(index);
    }

    fn text(&mut self, text: &str) {
        if let Some(owner) = self.owner_of_hint(text) {
            self.hint(owner);
            return;
        }
        let Some(index) = self.current else {
            self.preamble.push_str(text);
            self.preamble.push('\n');
            return;
        };
        if !text.trim().is_empty() {
            self.end_hint();
        }
        let part = &mut self.parts[index];
        part.body.push_str(text);
        part.body.push('\n');
    }

    /// Returns the section whose hint a line is. Two sections of a user's template may share a hint: then
    /// the one it stands in owns it.
    fn owner_of_hint(&self, text: &str) -> Option<usize> {
        let text = text.trim_end();
        let sections = self.structure.sections();
        let owns = |index: &usize| !text.is_empty() && sections[*index].hint == text;
        self.current
            .filter(owns)
            .or_else(|| (0..sections.len()).find(owns))
    }

    /// Hint lines are structure, never content: one in its place is passed over, one whose heading was lost
    /// shows where that section begins, and any other is taken out.
    fn hint(&mut self, owner: usize) {
        if self.current == Some(owner) {
            if !self.parts[owner].body.trim().is_empty() {
                self.say_of(ViolationKind::StrayHint, owner);
            }
        } else if self.parts[owner].seen {
            self.end_hint();
            self.say_of(ViolationKind::StrayHint, owner);
        } else {
            self.end_hint();
            self.say_of(ViolationKind::MissingHeading, owner);
            self.parts[owner].seen = true;
            self.highest = self.highest.max(owner);
            self.current = Some(owner);
        }
        self.expects_hint = false;
    }

    fn say_of(&mut self, kind: ViolationKind, section: usize) {
        let heading = self.structure.sections()[section].heading.clone();
        self.violations.push(Violation { kind, heading });
    }

    fn end_hint(&mut self) {
        if self.expects_hint
            && let Some(index) = self.current
        {
            let heading = &self.structure.sections()[index].heading;
            self.violations.push(Violation {
                kind: ViolationKind::MissingHint,
                heading: heading.clone(),
            });
        }
        self.expects_hint = false;
    }

    fn finish(mut self) -> Result<Repair, Vec<Violation>> {
        self.end_hint();
        let seen = self.parts.iter().filter(|part| part.seen).count();
        if seen * 2 < self.parts.len() {
            let foreign = Violation {
                kind: ViolationKind::ForeignFile,
                heading: String::new(),
            };
            return Err(vec![foreign]);
        }
        for (index, section) in self.structure.sections().iter().enumerate() {
            if !self.parts[index].seen {
                self.violations.push(Violation {
                    kind: ViolationKind::MissingHeading,
                    heading: section.heading.clone(),
                });
            }
        }
        let mut bodies: Vec<String> = self.parts.iter().map(|part| trimmed(&part.body)).collect();
        if trimmed(&self.preamble) != trimmed(self.structure.preamble()) {
            self.say(ViolationKind::ForeignPreamble, "");
            let own: Vec<&str> = self
                .structure
                .preamble()
                .lines()
                .map(str::trim_end)
                .collect();
            let foreign = self
                .preamble
                .lines()
                .filter(|line| !own.contains(&line.trim_end()));
            let foreign = trimmed(&foreign.collect::<Vec<_>>().join("\n"));
            if !foreign.is_empty() {
                bodies[0] = trimmed(&format!("{foreign}\n\n{}", bodies[0]));
            }
        }
        let notes = Notes {
            structure: self.structure.clone(),
            bodies,
        };
        Ok(Repair {
            notes,
            mended: self.violations,
        })
    }
}

fn trimmed(text: &str) -> String {
    // Blank lines around are layout; blanks at the start of the first line may be code.
    text.trim_end().trim_start_matches(['\n', '\r']).to_owned()
}

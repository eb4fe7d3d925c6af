//! Findings about the front matter, the description and the labels of one memory.

use super::{Code, Findings, MemoryFile, Severity};
use crate::format;
use crate::index::type_of;
use crate::labels;
use crate::memory_type::MemoryType;
use crate::problem::ProblemCode;

/// The longest description that fits a list, in characters.
const MAX_DESCRIPTION_CHARS: usize = 200;

pub(super) fn check(file: &MemoryFile<'_>, findings: &mut Findings) {
    let (path, memory) = (file.file.path, &file.memory);
    problems(file, findings);
    if !memory.has_front_matter() {
        return;
    }
    strict_yaml(file, findings);
    if memory
        .memory_type()
        .is_some_and(|kind| kind.as_str() != memory.type_text())
    {
        let message = format!("the type {} is not in lower case", memory.type_text());
        findings
            .add(Code::TypeCase, path, line_of(file, "type"), message)
            .fixable(file.is_editable());
    }
    description(file, findings);
    if matches!(
        memory.memory_type(),
        Some(MemoryType::Feedback | MemoryType::Project)
    ) {
        reasons(file, findings);
    }
}

/// The problems the reader met, as findings.
fn problems(file: &MemoryFile<'_>, findings: &mut Findings) {
    let path = file.file.path;
    let editable = file.is_editable();
    let is_empty = file
        .memory
        .problems()
        .iter()
        .any(|problem| problem.code == ProblemCode::Empty);
    for problem in file.memory.problems() {
        let code = match problem.code {
            ProblemCode::Empty => Code::Empty,
            ProblemCode::NotUtf8 => Code::NotUtf8,
            ProblemCode::ByteOrderMark => Code::ByteOrderMark,
            ProblemCode::FrontMatterMissing if is_empty => continue,
            ProblemCode::FrontMatterMissing => Code::FrontMatterMissing,
            ProblemCode::FrontMatterUnclosed => Code::FrontMatterUnclosed,
            ProblemCode::FrontMatterLate => Code::FrontMatterLate,
            ProblemCode::FrontMatterLine | ProblemCode::FieldIndented => Code::FrontMatterInvalid,
            ProblemCode::DuplicateKey => Code::DuplicateKey,
            ProblemCode::InvalidValue | ProblemCode::UnquotedValue => Code::UnquotedValue,
            ProblemCode::NameMissing => Code::NameMissing,
            ProblemCode::DescriptionMissing => Code::DescriptionMissing,
            ProblemCode::TypeMissing => Code::TypeMissing,
            ProblemCode::TypeUnknown => Code::TypeUnknown,
            ProblemCode::ModifiedInvalid => Code::ModifiedInvalid,
            // The size of the file is reported for the folder.
            ProblemCode::Cut => continue,
        };
        let fixable = match problem.code {
            ProblemCode::ByteOrderMark
            | ProblemCode::FrontMatterUnclosed
            | ProblemCode::FrontMatterLate
            | ProblemCode::FieldIndented
            | ProblemCode::InvalidValue
            | ProblemCode::UnquotedValue
            | ProblemCode::NameMissing => editable,
            ProblemCode::DuplicateKey => editable && same_value(file, problem.line),
            ProblemCode::TypeMissing => editable && type_of(path).is_some(),
            _ => false,
        };
        let finding = findings
            .add(code, path, problem.line, problem.message.clone())
            .fixable(fixable);
        if file.is_note() && code == Code::FrontMatterMissing {
            finding.severity(Severity::Info);
        }
    }
}

/// Whether the key on that line has the same value there and where it stood before, on lines of its own: one inside a
/// flow mapping (`metadata: {type: user}`) is no line that can be dropped.
pub(super) fn same_value(file: &MemoryFile<'_>, line: usize) -> bool {
    let memory = &file.memory;
    let bytes = memory.as_bytes();
    let Some(last) = memory.fields().iter().find(|field| field.line == line) else {
        return false;
    };
    let text = |field| format::decode(bytes, field).text;
    let mut earlier = memory
        .fields()
        .iter()
        .filter(|field| {
            field.nested == last.nested && field.key(bytes).eq_ignore_ascii_case(last.key(bytes))
        })
        .filter(|field| field.line != last.line)
        .peekable();
    earlier.peek().is_some() && earlier.all(|field| text(field) == text(last))
}

/// What a strict reader refuses and the fields this crate reads do not show.
fn strict_yaml(file: &MemoryFile<'_>, findings: &mut Findings) {
    let is_known = |finding: &super::Finding| {
        finding.path == file.file.path
            && matches!(
                finding.code,
                Code::UnquotedValue | Code::FrontMatterInvalid | Code::DuplicateKey
            )
    };
    if findings
        .list
        .iter()
        .rev()
        .take_while(|finding| finding.path == file.file.path)
        .any(is_known)
    {
        return;
    }
    if let Some(line) = format::strict_error(file.memory.as_bytes(), file.memory.extent()) {
        let message = "the front matter is not valid YAML, strict readers drop all of it";
        findings.add(Code::FrontMatterInvalid, file.file.path, line, message);
    }
}

fn description(file: &MemoryFile<'_>, findings: &mut Findings) {
    let (path, memory) = (file.file.path, &file.memory);
    let description = memory.description();
    if description.is_empty() {
        return;
    }
    let line = line_of(file, "description");
    let characters = description.chars().count();
    if characters > MAX_DESCRIPTION_CHARS {
        let message = format!(
            "the description has {characters} characters, more than {MAX_DESCRIPTION_CHARS}"
        );
        findings.add(Code::DescriptionLong, path, line, message);
    }
    if plain(description) == plain(memory.name()) {
        findings.add(
            Code::DescriptionIsName,
            path,
            line,
            "the description says no more than the name",
        );
    }
}

/// Letters and digits only: `user-role` and "User role" say the same.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn reasons(file: &MemoryFile<'_>, findings: &mut Findings) {
    let body = file.memory.body();
    let (why, how) = (
        labels::has(body, &labels::WHY),
        labels::has(body, &labels::HOW_TO_APPLY),
    );
    let (code, message) = match (why, how) {
        (true, true) => return,
        (false, false) => (
            Code::WhyMissing,
            "neither **Why:** nor **How to apply:** is given",
        ),
        (false, true) => (Code::WhyMissing, "the reason (**Why:**) is not given"),
        (true, false) => (
            Code::HowToApplyMissing,
            "when and where it holds (**How to apply:**) is not given",
        ),
    };
    findings.add(code, file.file.path, file.memory.body_line(), message);
}

fn line_of(file: &MemoryFile<'_>, key: &str) -> usize {
    file.memory.place(key).map_or(1, |place| place.line())
}

//! The third check: walks the arguments of a program as GNU `getopt_long` does.
//!
//! Options count wherever they stand until `--`, letters may be clustered, a value may be attached or
//! follow. An option that the list does not have, or a value of the wrong form, refuses the command.

use std::borrow::Cow;

use super::find;
use super::programs::{Digits, Kind, Operands, Options, Program, Takes};
use super::refusal::{Refusal, RefusalKind};
use crate::text::shown;

/// The most digits a count may have: a billion lines are as good as all.
const MAX_COUNT_DIGITS: usize = 9;

/// One decoded argument.
#[derive(Clone, Debug)]
pub(super) struct Argument<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) position: usize,
    /// Whether it is a pattern for file names that is still to be expanded.
    pub(super) is_pattern: bool,
}

/// What an argument list asks for, besides what it says to the program itself.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The arguments, or ends of arguments, that name files or folders to be read.
    pub(super) paths: Vec<PathUse>,
    /// The program walks down from its operands.
    pub(super) walks: bool,
    /// The program looks at the folder it runs in.
    pub(super) reads_folder: bool,
    /// The program reads its input.
    pub(super) reads_input: bool,
}

/// An argument that names a file: which one, and where in it the path begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathUse {
    pub(super) argument: usize,
    pub(super) offset: usize,
}

/// Checks the arguments of a program and returns what they make it read.
pub(super) fn check(program: Program, arguments: &[Argument<'_>]) -> Result<Findings, Refusal> {
    if matches!(program, Program::Find | Program::Tail) {
        refuse_patterns(program, arguments)?;
    }
    let Some(options) = program.options() else {
        return find::check(arguments);
    };
    let mut walk = Walk {
        program,
        options,
        arguments,
        next: 0,
        operands: Vec::new(),
        has_pattern: false,
        only_informs: false,
        findings: Findings::default(),
    };
    walk.run()?;
    walk.judge_operands()
}

/// `find` and `tail` change their meaning with the number and form of their operands.
fn refuse_patterns(program: Program, arguments: &[Argument<'_>]) -> Result<(), Refusal> {
    match arguments.iter().find(|argument| argument.is_pattern) {
        None => Ok(()),
        Some(argument) => Err(Refusal::new(
            RefusalKind::Pattern,
            argument.position,
            format!(
                "`{}` gets no unquoted pattern; put {} in quotes or name the files",
                program.name(),
                shown(&argument.text)
            ),
        )),
    }
}

struct Walk<'a> {
    program: Program,
    options: &'static Options,
    arguments: &'a [Argument<'a>],
    next: usize,
    operands: Vec<usize>,
    has_pattern: bool,
    only_informs: bool,
    findings: Findings,
}

impl<'a> Walk<'a> {
    fn run(&mut self) -> Result<(), Refusal> {
        let arguments = self.arguments;
        while let Some(argument) = arguments.get(self.next) {
            let index = self.next;
            self.next += 1;
            let text: &'a str = &argument.text;
            if text == "--" {
                self.operands.extend(self.next..arguments.len());
                return Ok(());
            }
            if let Some(long) = text.strip_prefix("--") {
                self.long(index, long)?;
            } else if text.len() > 1 && text.starts_with('-') {
                self.short(index, text)?;
            } else {
                self.operands.push(index);
            }
        }
        Ok(())
    }

    fn long(&mut self, index: usize, text: &'a str) -> Result<(), Refusal> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let Some((_, takes)) = self.options.long.iter().find(|(known, _)| *known == name) else {
            return Err(self.unknown(index, &format!("--{name}")));
        };
        self.only_informs |= matches!(name, "help" | "version");
        match (takes, value) {
            (Takes::Nothing | Takes::Maybe(_), None) => Ok(()),
            (Takes::Recursion, None) => {
                self.findings.walks = true;
                Ok(())
            }
            (Takes::Nothing | Takes::Recursion, Some(_)) => {
                Err(self.wrong(index, &format!("`--{name}` takes no value")))
            }
            (Takes::Maybe(kind) | Takes::Value(kind), Some(value)) => {
                self.value(*kind, index, "--".len() + name.len() + "=".len(), value)
            }
            (Takes::Value(kind), None) => self.next_value(*kind, index),
        }
    }

    fn short(&mut self, index: usize, text: &'a str) -> Result<(), Refusal> {
        let letters = &text.as_bytes()[1..];
        if self.options.digits == Digits::Alone && letters.iter().all(u8::is_ascii_digit) {
            return self.value(Kind::Count, index, 1, &text[1..]);
        }
        for (offset, letter) in (1..).zip(letters) {
            if self.options.digits == Digits::Mixed && letter.is_ascii_digit() {
                continue;
            }
            let known = self.options.short.iter().find(|(known, _)| known == letter);
            let Some((_, takes)) = known else {
                let name = match text.get(offset..).and_then(|rest| rest.chars().next()) {
                    Some(character) => format!("-{character}"),
                    None => text.to_owned(),
                };
                return Err(self.unknown(index, &name));
            };
            match takes {
                Takes::Nothing | Takes::Maybe(_) => {}
                Takes::Recursion => self.findings.walks = true,
                Takes::Value(kind) => {
                    // The letter is ASCII, so the rest begins at a character boundary.
                    let rest = &text[offset + 1..];
                    return if rest.is_empty() {
                        self.next_value(*kind, index)
                    } else {
                        self.value(*kind, index, offset + 1, rest)
                    };
                }
            }
        }
        Ok(())
    }

    /// Takes the next argument as a value, whatever it looks like, as `getopt_long` does.
    fn next_value(&mut self, kind: Kind, option: usize) -> Result<(), Refusal> {
        let Some(argument) = self.arguments.get(self.next) else {
            let option = shown(&self.arguments[option].text);
            return Err(self.wrong(self.arguments.len() - 1, &format!("{option} needs a value")));
        };
        let index = self.next;
        self.next += 1;
        self.value(kind, index, 0, &argument.text)
    }

    fn value(
        &mut self,
        kind: Kind,
        argument: usize,
        offset: usize,
        text: &str,
    ) -> Result<(), Refusal> {
        let right = match kind {
            Kind::Text => true,
            Kind::Count => is_count(text),
            Kind::Choice(words) => words.contains(&text),
            Kind::Folders => {
                self.findings.walks |= text == "recurse";
                matches!(text, "read" | "recurse" | "skip")
            }
            Kind::Pattern => {
                self.has_pattern = true;
                true
            }
            Kind::PatternFile => {
                self.has_pattern = true;
                self.file(argument, offset, text);
                true
            }
            Kind::File => {
                self.file(argument, offset, text);
                true
            }
        };
        if right {
            return Ok(());
        }
        let what = match kind {
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Folders => "one of read, recurse, skip".to_owned(),
            _ => format!("a number of at most {MAX_COUNT_DIGITS} digits"),
        };
        Err(self.wrong(argument, &format!("{} should be {what}", shown(text))))
    }

    fn file(&mut self, argument: usize, offset: usize, text: &str) {
        if text == "-" {
            self.findings.reads_input = true;
        } else {
            self.findings.paths.push(PathUse { argument, offset });
        }
    }

    fn judge_operands(mut self) -> Result<Findings, Refusal> {
        let kind = self.options.operands;
        let mut operands = std::mem::take(&mut self.operands);
        if kind == Operands::Search && !self.has_pattern && !operands.is_empty() {
            operands.remove(0);
        }
        if operands.is_empty() && !self.only_informs {
            match kind {
                Operands::OrFolder => self.findings.reads_folder = true,
                Operands::Search if self.findings.walks => self.findings.reads_folder = true,
                Operands::OrInput | Operands::Search => self.findings.reads_input = true,
                Operands::Needed => {}
            }
        }
        for index in operands {
            let argument = &self.arguments[index];
            if argument.text.is_empty() {
                return Err(self.wrong(index, "an empty name names no file"));
            }
            // Old forms of `tail` take it for an option.
            if self.program == Program::Tail && argument.text.starts_with('+') {
                return Err(self.wrong(index, "write `-n +NUMBER`, or `./` before the name"));
            }
            if kind == Operands::OrFolder {
                self.findings.paths.push(PathUse {
                    argument: index,
                    offset: 0,
                });
            } else {
                self.file(index, 0, &argument.text);
            }
        }
        Ok(self.findings)
    }

    fn unknown(&self, index: usize, option: &str) -> Refusal {
        Refusal::new(
            RefusalKind::Option,
            self.arguments[index].position,
            format!(
                "`{}` may not get {} here; options are written in full",
                self.program.name(),
                shown(option)
            ),
        )
    }

    fn wrong(&self, index: usize, what: &str) -> Refusal {
        Refusal::new(
            RefusalKind::Value,
            self.arguments[index].position,
            format!("`{}`: {what}", self.program.name()),
        )
    }
}

/// Returns whether a text is a number as the programs write it: sign, digits, unit.
fn is_count(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let unit = &unsigned[digits..];
    (1..=MAX_COUNT_DIGITS).contains(&digits)
        && matches!(
            unit,
            "" | "b" | "k" | "K" | "kB" | "KB" | "KiB" | "M" | "MB" | "MiB" | "G" | "GB" | "GiB"
        )
}

//! A vetted command: pipelines joined by `&&`, `||` and `;`.

use std::borrow::Cow;
use std::path::Path;

use super::characters;
use super::lexer::{ErrorOutput, Lexer, Token, Word};
use super::options::{self, Argument, Findings, PathUse};
use super::programs::Program;
use super::refusal::{Refusal, RefusalKind};
use super::scope::{At, Scope};
use crate::text::shown;

/// The most programs one command may start.
pub const MAX_PROGRAMS: usize = 32;

/// When a pipeline runs, given how the one before it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// Always: the first pipeline, and those behind `;`.
    Always,
    /// After success: `&&`.
    IfSucceeded,
    /// After failure: `||`.
    IfFailed,
}

/// One program with its decoded arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    program: Program,
    position: usize,
    arguments: Vec<Word>,
    errors: ErrorOutput,
}

impl Stage {
    /// Returns the program.
    pub fn program(&self) -> Program {
        self.program
    }

    /// Returns where in the command the program's name stands, in bytes.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the arguments without the program's own name, patterns not yet expanded.
    pub fn arguments(&self) -> &[Word] {
        &self.arguments
    }

    /// Returns where the standard error goes.
    pub fn errors(&self) -> ErrorOutput {
        self.errors
    }
}

/// Programs of which each reads what the one before it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    connector: Connector,
    stages: Vec<Stage>,
}

impl Pipeline {
    /// Returns when the pipeline runs.
    pub fn connector(&self) -> Connector {
        self.connector
    }

    /// Returns the programs in order, at least one.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }
}

/// A command that passed every check that needs no look at the file system.
///
/// The next step is [`Script::prepare`], which expands patterns and follows links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pipelines: Vec<Pipeline>,
}

impl Script {
    /// Returns the pipelines in order, at least one.
    pub fn pipelines(&self) -> &[Pipeline] {
        &self.pipelines
    }
}

/// Decides whether a command only reads, within a scope.
///
/// Nothing is run and the file system is not asked: the answer depends on the two arguments alone. It
/// holds for the words of the returned [`Script`], so run those ([`Script::prepare`]), not the text.
///
/// # Errors
///
/// A [`Refusal`] that says what is wrong and where, in words a model can act on.
///
/// # Example
///
/// ```
/// use forked_agent::shell::{RefusalKind, Scope, vet};
///
/// let scope = Scope::new("/home/ada/project");
/// let script = vet("grep -rn 'fn main' src | head -n 5", &scope)?;
/// assert_eq!(script.pipelines()[0].stages()[1].arguments()[1].text(), "5");
///
/// let refusal = vet("find . -name '*.tmp' -delete", &scope).unwrap_err();
/// assert_eq!(refusal.kind(), RefusalKind::Option);
/// # Ok::<(), forked_agent::shell::Refusal>(())
/// ```
pub fn vet(command: &str, scope: &Scope) -> Result<Script, Refusal> {
    characters::check(command)?;
    let pipelines = parse(command)?;
    for pipeline in &pipelines {
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let arguments: Vec<Argument<'_>> = stage.arguments.iter().map(borrowed).collect();
            let findings = options::check(stage.program, &arguments)?;
            check_input(stage, &findings, index)?;
            each_path(stage, &arguments, &findings, |path, at| {
                let text = path.map_or(".", |path| &arguments[path.argument].text[path.offset..]);
                scope.check_text(Path::new(text), at)
            })?;
        }
    }
    Ok(Script { pipelines })
}

/// Calls back with every path that a program is made to read; none stands for the folder it runs in.
pub(super) fn each_path(
    stage: &Stage,
    arguments: &[Argument<'_>],
    findings: &Findings,
    mut check: impl FnMut(Option<PathUse>, At) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let walks = findings.walks;
    for path in &findings.paths {
        let position = arguments[path.argument].position;
        check(Some(*path), At { position, walks })?;
    }
    if findings.reads_folder {
        let position = stage.position;
        check(None, At { position, walks })?;
    }
    Ok(())
}

/// The first program of a pipeline has no input, so one that waits for some is a mistake.
pub(super) fn check_input(stage: &Stage, findings: &Findings, index: usize) -> Result<(), Refusal> {
    if index > 0 || !findings.reads_input {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Input,
        stage.position,
        format!(
            "`{}` would wait for input; name a file",
            stage.program.name()
        ),
    ))
}

fn borrowed(word: &Word) -> Argument<'_> {
    Argument {
        text: Cow::Borrowed(word.text()),
        position: word.position(),
        is_pattern: word.is_pattern(),
    }
}

fn parse(command: &str) -> Result<Vec<Pipeline>, Refusal> {
    let mut lexer = Lexer::new(command);
    let mut pipelines: Vec<Pipeline> = Vec::new();
    // What the next program becomes: the begin of a pipeline, or one more stage.
    let mut begins = Some(Connector::Always);
    let mut stage: Option<Stage> = None;
    let mut programs = 0;
    while let Some((token, position)) = lexer.next()? {
        match (token, &mut stage) {
            (Token::Word(word), Some(stage)) => stage.arguments.push(word),
            (Token::Word(word), none) => {
                programs += 1;
                if programs > MAX_PROGRAMS {
                    return Err(Refusal::new(
                        RefusalKind::TooMuch,
                        position,
                        format!("at most {MAX_PROGRAMS} programs may run"),
                    ));
                }
                *none = Some(Stage {
                    program: program(&word)?,
                    position,
                    arguments: Vec::new(),
                    errors: ErrorOutput::Apart,
                });
            }
            (Token::Errors(target), Some(stage)) => stage.errors = target,
            (Token::Errors(_), None) => {
                return Err(Refusal::new(
                    RefusalKind::Syntax,
                    position,
                    "a redirection stands behind its program",
                ));
            }
            (operator, _) => {
                close(&mut stage, begins.take(), &mut pipelines, position)?;
                begins = match operator {
                    Token::And => Some(Connector::IfSucceeded),
                    Token::Or => Some(Connector::IfFailed),
                    Token::Semicolon => Some(Connector::Always),
                    _ => None,
                };
            }
        }
    }
    // A closing `;` is no error to a shell; any other operator wants a program behind it.
    let ends_in_semicolon = begins == Some(Connector::Always) && !pipelines.is_empty();
    if stage.is_some() || !ends_in_semicolon {
        close(&mut stage, begins, &mut pipelines, command.len())?;
    }
    Ok(pipelines)
}

/// Puts a finished stage where it belongs.
fn close(
    stage: &mut Option<Stage>,
    begins: Option<Connector>,
    pipelines: &mut Vec<Pipeline>,
    position: usize,
) -> Result<(), Refusal> {
    let Some(stage) = stage.take() else {
        return Err(
            if pipelines.is_empty() && begins == Some(Connector::Always) {
                Refusal::new(RefusalKind::Empty, position, "there is no program to run")
            } else {
                Refusal::new(RefusalKind::Syntax, position, "an operator lacks a program")
            },
        );
    };
    match (begins, pipelines.last_mut()) {
        (None, Some(pipeline)) => pipeline.stages.push(stage),
        (connector, _) => pipelines.push(Pipeline {
            connector: connector.unwrap_or(Connector::Always),
            stages: vec![stage],
        }),
    }
    Ok(())
}

fn program(word: &Word) -> Result<Program, Refusal> {
    if let Some(program) = Program::from_name(word.text()).filter(|_| word.is_plain()) {
        return Ok(program);
    }
    let names = Program::ALL.map(Program::name).join(", ");
    Err(Refusal::new(
        RefusalKind::Program,
        word.position(),
        format!(
            "{} is not one of the programs that may run, written bare: {names}",
            shown(word.text())
        ),
    ))
}

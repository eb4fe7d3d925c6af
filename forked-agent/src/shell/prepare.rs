//! The last check: patterns expanded, links followed, everything looked at once more as it will run.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::glob;
use super::lexer::ErrorOutput;
use super::options::{self, Argument};
use super::programs::Program;
use super::refusal::{Refusal, RefusalKind};
use super::scope::{At, Scope};
use super::script::{Connector, Script, Stage, check_input, each_path};

/// The most bytes all arguments of one program may have together.
pub const MAX_ARGUMENT_BYTES: usize = 256 * 1_024;

/// A command that is ready to run: decoded, expanded, every path followed to where it leads.
#[derive(Clone, Debug)]
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]
pub struct Runnable {
    pub(super) directory: PathBuf,
    pub(super) pipelines: Vec<Prepared>,
}

/// A pipeline of a [`Runnable`].
#[derive(Clone, Debug)]
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]
pub(super) struct Prepared {
    pub(super) connector: Connector,
    pub(super) commands: Vec<Command>,
}

/// A program with the arguments it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix runs commands"))]
pub struct Command {
    pub(super) program: Program,
    pub(super) arguments: Vec<OsString>,
    pub(super) errors: ErrorOutput,
}

impl Command {
    /// Returns the program.
    pub fn program(&self) -> Program {
        self.program
    }

    /// Returns the arguments without the program's own name.
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }
}

impl Runnable {
    /// Returns the programs of each pipeline with the arguments they get.
    pub fn commands(&self) -> impl Iterator<Item = &[Command]> {
        self.pipelines
            .iter()
            .map(|pipeline| pipeline.commands.as_slice())
    }
}

impl Script {
    /// Expands patterns, follows every path and checks the result as a whole once more.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] when a path leads outside the scope through a link, is a device, a pipe or a
    /// socket, cannot be followed, or when a pattern finds too much.
    pub fn prepare(&self, scope: &Scope) -> Result<Runnable, Refusal> {
        let real_roots = scope.real_roots();
        let check = |path: &Path, at: At| {
            scope.check_text(path, at)?;
            scope.check_real(real_roots.as_deref(), path, at)
        };
        let mut pipelines = Vec::with_capacity(self.pipelines().len());
        for pipeline in self.pipelines() {
            let mut commands = Vec::with_capacity(pipeline.stages().len());
            for (index, stage) in pipeline.stages().iter().enumerate() {
                commands.push(prepare_stage(stage, index, scope, &check)?);
            }
            pipelines.push(Prepared {
                connector: pipeline.connector(),
                commands,
            });
        }
        Ok(Runnable {
            directory: scope.directory().to_owned(),
            pipelines,
        })
    }
}

fn prepare_stage(
    stage: &Stage,
    index: usize,
    scope: &Scope,
    check: &impl Fn(&Path, At) -> Result<(), Refusal>,
) -> Result<Command, Refusal> {
    let mut arguments: Vec<OsString> = Vec::with_capacity(stage.arguments().len());
    let mut positions = Vec::with_capacity(stage.arguments().len());
    for word in stage.arguments() {
        let position = word.position();
        let walks = false;
        let found = glob::expand(word, scope.directory(), &mut |folder| {
            check(folder, At { position, walks })
        })?;
        positions.resize(positions.len() + found.len(), position);
        arguments.extend(found);
    }
    let bytes: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
    if bytes > MAX_ARGUMENT_BYTES {
        return Err(Refusal::new(
            RefusalKind::TooMuch,
            positions.first().copied().unwrap_or(0),
            format!("the arguments have {bytes} bytes, at most {MAX_ARGUMENT_BYTES} are passed on"),
        ));
    }
    // The option rules only read: replacing what is no UTF-8 in a found name changes no decision,
    // because found names are operands. The paths below are taken from the names themselves.
    let texts: Vec<Argument<'_>> = arguments
        .iter()
        .zip(&positions)
        .map(|(argument, position)| Argument {
            text: argument.to_string_lossy(),
            position: *position,
            is_pattern: false,
        })
        .collect();
    let findings = options::check(stage.program(), &texts)?;
    check_input(stage, &findings, index)?;
    each_path(stage, &texts, &findings, |path, at| match path {
        None => check(Path::new("."), at),
        Some(path) => match &texts[path.argument].text {
            // Borrowed means that the argument is UTF-8 and can be cut.
            Cow::Borrowed(text) => check(Path::new(&text[path.offset..]), at),
            Cow::Owned(_) => check(Path::new(&arguments[path.argument]), at),
        },
    })?;
    drop(texts);
    Ok(Command {
        program: stage.program(),
        arguments,
        errors: stage.errors(),
    })
}

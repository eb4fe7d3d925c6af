//! Second opinion: the crate `brush-parser` reads the same words, pipes and operators.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem, IoFileRedirectKind, IoFileRedirectTarget,
    IoRedirect, Pipeline, Program, SeparatorOperator, SimpleCommand,
};
use brush_parser::word::{WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};
use forked_agent::shell::{Scope, vet};

use super::generate::{Numbers, command};
use super::{allowed, render};

/// Allowed commands to compare; each takes about 70 µs.
const COMMANDS: usize = 10_000;

#[test]
fn brush_decodes_every_allowed_command_as_we_do() {
    let scope = Scope::new(allowed::FOLDER).everywhere();
    let mut numbers = Numbers(1);
    let (mut compared, mut made) = (0, 0);
    let mut wrong = Vec::new();
    let tables = allowed::ALLOWED
        .iter()
        .map(|(command, _)| (*command).to_owned());
    let mut check = |command: &str| {
        let Ok(script) = vet(command, &scope) else {
            return false;
        };
        let ours = render(&script);
        let theirs = read(command);
        if theirs.as_deref() != Ok(&ours) {
            wrong.push(format!("{command:?}\n  we    {ours}\n  brush {theirs:?}"));
        }
        true
    };
    for command in tables {
        assert!(check(&command), "{command}");
    }
    while compared < COMMANDS {
        made += 1;
        compared += usize::from(check(&command(&mut numbers)));
        assert!(
            made < COMMANDS * 40,
            "only {compared} of {made} commands are allowed"
        );
    }
    let shown = &wrong[..wrong.len().min(20)];
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}

/// Returns what brush makes of a command, in the notation of our table.
fn read(command: &str) -> Result<String, String> {
    let options = ParserOptions::default();
    let program = Parser::new(command.as_bytes(), &options)
        .parse_program()
        .map_err(|error| error.to_string())?;
    program_text(&program)
}

fn program_text(program: &Program) -> Result<String, String> {
    let mut out = String::new();
    for list in program.complete_commands.iter().flat_map(|list| &list.0) {
        if !matches!(list.1, SeparatorOperator::Sequence) {
            return Err("background".to_owned());
        }
        if !out.is_empty() {
            out.push_str(" ; ");
        }
        out.push_str(&pipeline_text(&list.0.first)?);
        for next in &list.0.additional {
            let (operator, pipeline) = match next {
                AndOr::And(pipeline) => (" && ", pipeline),
                AndOr::Or(pipeline) => (" || ", pipeline),
            };
            out.push_str(operator);
            out.push_str(&pipeline_text(pipeline)?);
        }
    }
    Ok(out)
}

fn pipeline_text(pipeline: &Pipeline) -> Result<String, String> {
    if pipeline.bang || pipeline.timed.is_some() {
        return Err("negated or timed".to_owned());
    }
    let stages: Result<Vec<String>, String> = pipeline.seq.iter().map(stage_text).collect();
    Ok(stages?.join(" | "))
}

fn stage_text(command: &Command) -> Result<String, String> {
    let Command::Simple(SimpleCommand {
        prefix: None,
        word_or_name: Some(name),
        suffix,
    }) = command
    else {
        return Err(format!("no simple command: {command}"));
    };
    let mut out = word_text(&name.value)?;
    let mut errors = "";
    for item in suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            CommandPrefixOrSuffixItem::Word(word)
            | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                out.extend([" <", &word_text(&word.value)?, ">"]);
            }
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => errors = redirect_text(redirect)?,
            CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {
                return Err("process substitution".to_owned());
            }
        }
    }
    out.push_str(errors);
    Ok(out)
}

fn redirect_text(redirect: &IoRedirect) -> Result<&'static str, String> {
    match redirect {
        IoRedirect::File(
            Some(2),
            IoFileRedirectKind::Write,
            IoFileRedirectTarget::Filename(word),
        ) if word.value == "/dev/null" => Ok(" 2>null"),
        IoRedirect::File(
            Some(2),
            IoFileRedirectKind::DuplicateOutput,
            IoFileRedirectTarget::Duplicate(word),
        ) if word.value == "1" => Ok(" 2>out"),
        IoRedirect::File(
            Some(2),
            IoFileRedirectKind::DuplicateOutput,
            IoFileRedirectTarget::Fd(1),
        ) => Ok(" 2>out"),
        other => Err(format!("redirection {other}")),
    }
}

fn word_text(word: &str) -> Result<String, String> {
    let pieces = brush_parser::word::parse(word, &ParserOptions::default())
        .map_err(|error| error.to_string())?;
    let mut out = String::new();
    pieces_text(&pieces, &mut out)?;
    Ok(out)
}

fn pieces_text(pieces: &[WordPieceWithSource], out: &mut String) -> Result<(), String> {
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(text) | WordPiece::SingleQuotedText(text) => out.push_str(text),
            WordPiece::EscapeSequence(text) => {
                out.push_str(text.strip_prefix('\\').unwrap_or(text));
            }
            WordPiece::DoubleQuotedSequence(inner) => pieces_text(inner, out)?,
            other => return Err(format!("expansion {other:?}")),
        }
    }
    Ok(())
}

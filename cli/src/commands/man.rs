//! `memstrata man`: the manual page, made from the same definitions as the help texts.

use std::io::Write;

use clap::{Arg, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::reference::{own_arguments, shown};
use crate::cli::Cli;
use crate::environment::documented;
use crate::exit::{Exit, Failure};

/// Prints the page in roff form. All commands stand on it, for there is no page for each.
pub(crate) fn run() -> Result<Exit, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    let mut commands = Roff::new();
    commands.control("SH", ["COMMANDS"]);
    for inner in visible(&command) {
        describe(
            inner,
            &format!("memstrata {}", inner.get_name()),
            &mut commands,
        );
    }
    commands.to_writer(&mut page)?;
    // The options that every command takes; none stands at the commands themselves.
    man.render_options_section(&mut page)?;
    tables().to_writer(&mut page)?;
    std::io::stdout().write_all(&page)?;
    Ok(Exit::Done)
}

fn tables() -> Roff {
    let mut more = Roff::new();
    more.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in Exit::TABLE {
        more.control("TP", []);
        more.text([bold((*exit as u8).to_string())]);
        more.text([roman(*meaning)]);
    }
    more.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in documented() {
        more.control("TP", []);
        more.text([bold(name)]);
        more.text([roman(meaning)]);
    }
    more
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|one| !one.is_hide_set())
}

fn describe(command: &Command, name: &str, page: &mut Roff) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    // A command that only holds others is a heading for them.
    page.control("SS", [usage.lines().next().unwrap_or(name).trim()]);
    let about = command.get_long_about().or_else(|| command.get_about());
    paragraphs(&about.map(ToString::to_string).unwrap_or_default(), page);
    for argument in own_arguments(command) {
        page.control("TP", []);
        page.text([bold(shown(argument))]);
        let help = argument.get_long_help().or_else(|| argument.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let mut blocks = help.split("\n\n");
        page.text([roman(blocks.next().unwrap_or_default().replace('\n', " "))]);
        for block in blocks {
            // The next paragraph stays under its option.
            page.control("IP", []);
            page.text([roman(block.replace('\n', " "))]);
        }
        if let Some(choices) = choices(argument) {
            page.control("IP", []);
            page.text([roman(choices)]);
        }
    }
    for inner in visible(command) {
        describe(inner, &format!("{name} {}", inner.get_name()), page);
    }
}

fn paragraphs(text: &str, page: &mut Roff) {
    for (number, paragraph) in text.split("\n\n").enumerate() {
        if number > 0 {
            page.control("PP", []);
        }
        page.text([roman(paragraph.replace('\n', " "))]);
    }
}

/// The values that an argument may have, where there are only some, and the one it has without a word.
fn choices(argument: &Arg) -> Option<String> {
    if !argument.get_action().takes_values() {
        return None;
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| format!("Default: {}.", value.to_string_lossy()))
        .collect();
    let values = argument.get_possible_values();
    let names: Vec<&str> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(clap::builder::PossibleValue::get_name)
        .collect();
    let mut said = Vec::new();
    if !names.is_empty() {
        said.push(format!("One of {}.", names.join(", ")));
    }
    said.extend(defaults);
    (!said.is_empty()).then(|| said.join(" "))
}

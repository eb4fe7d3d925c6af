//! `memstrata reference`: docs/REFERENCE.md, from the same definitions as the help texts.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use serde_json::Value;

use crate::cli::Cli;
use crate::environment::documented;
use crate::exit::{Exit, Failure};

/// Ids that every command has, and that are explained once.
const OF_EVERY_COMMAND: &str = "Options of every command";

/// Prints the page.
pub(crate) fn run(schemas: &Path) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut page = String::from(
        "# Reference\n\n\
         Every command, option, exit code, environment variable and JSON object of `memstrata`. This page is written by \
         `cargo xtask reference`\nfrom the definitions that the program itself uses; edit those.\n\n\
         [Commands](#commands) · [Options of every command](#options-of-every-command) · [Exit codes](#exit-codes) · \
         [Environment variables](#environment-variables)\n· [JSON](#json). The keys of settings files are in \
         [SETTINGS.md](SETTINGS.md).\n\n\
         ## Commands\n\n| command | what it does |\n|---|---|\n",
    );
    for inner in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        let name = format!("memstrata {}", inner.get_name());
        let about = inner
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let _ = writeln!(
            page,
            "| [`{name}`](#{}) | {} |",
            name.replace(' ', "-"),
            cell(&about)
        );
    }
    for inner in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        describe(inner, &format!("memstrata {}", inner.get_name()), &mut page);
    }
    page.push_str("\n## Options of every command\n\n");
    let globals = command
        .get_arguments()
        .filter(|one| heading(one) == OF_EVERY_COMMAND);
    table(&globals.collect::<Vec<_>>(), "option", &mut page);
    page.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (exit, meaning) in Exit::TABLE {
        let _ = writeln!(page, "| {} | {meaning} |", *exit as u8);
    }
    page.push_str("\n## Environment variables\n\n| variable | what it does |\n|---|---|\n");
    for (name, meaning) in documented() {
        let _ = writeln!(page, "| `{name}` | {} |", cell(meaning));
    }
    page.push_str(
        "\n## JSON\n\nUnder `--json` each line of standard output is one object, and an error is one object on standard \
         error. Optional keys\nare marked with `?`; lists with `[]`. The schemas are in `docs/schemas`.\n",
    );
    describe_schemas(schemas, &mut page)?;
    std::io::stdout().write_all(page.as_bytes())?;
    Ok(Exit::Done)
}

fn heading(argument: &Arg) -> &str {
    argument.get_help_heading().unwrap_or_default()
}

fn describe(command: &Command, name: &str, page: &mut String) {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = write!(
        page,
        "\n### `{name}`\n\n{}\n\n```text\n{usage}\n```\n",
        about.trim_end()
    );
    for (title, is_positional) in [("argument", true), ("option", false)] {
        let arguments: Vec<&Arg> = own_arguments(command)
            .filter(|one| one.is_positional() == is_positional)
            .collect();
        if !arguments.is_empty() {
            page.push('\n');
            table(&arguments, title, page);
        }
    }
    for inner in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        describe(inner, &format!("{name} {}", inner.get_name()), page);
    }
}

/// The arguments of a command, without those that every command has.
pub(super) fn own_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|one| {
        let id = one.get_id().as_str();
        !one.is_hide_set() && heading(one) != OF_EVERY_COMMAND && !["help", "version"].contains(&id)
    })
}

fn table(arguments: &[&Arg], title: &str, page: &mut String) {
    let _ = write!(page, "| {title} | meaning |\n|---|---|\n");
    for argument in arguments {
        let help = argument.get_long_help().or_else(|| argument.get_help());
        let mut help = cell(&sentence(
            &help.map(ToString::to_string).unwrap_or_default(),
        ));
        let values = argument.get_possible_values();
        let values: Vec<&str> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(clap::builder::PossibleValue::get_name)
            .collect();
        let takes_value = argument.get_action().takes_values();
        if takes_value && !values.is_empty() {
            let _ = write!(help, "; one of `{}`", values.join("`, `"));
        }
        let defaults: Vec<String> = argument
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        if takes_value && !defaults.is_empty() {
            let _ = write!(help, "; default `{}`", defaults.join("`, `"));
        }
        let _ = writeln!(page, "| `{}` | {help} |", cell(&shown(argument)));
    }
}

/// An argument as one types it: `-q, --quiet`, `--limit <N>`, `<NAME>...`.
pub(super) fn shown(argument: &Arg) -> String {
    if argument.is_positional() {
        return argument.to_string();
    }
    let mut shown = match argument.get_short() {
        Some(short) => format!("-{short}, "),
        None => String::new(),
    };
    let _ = write!(shown, "--{}", argument.get_long().unwrap_or_default());
    if argument.get_action().takes_values() {
        let names = argument.get_value_names().unwrap_or_default();
        let names: Vec<String> = names.iter().map(|name| format!("<{name}>")).collect();
        let _ = write!(shown, " {}", names.join(" "));
    }
    shown
}

/// The first line of a help text is a heading without a full stop; in running text it needs one.
fn sentence(help: &str) -> String {
    match help.split_once("\n\n") {
        Some((first, rest)) => format!("{first}. {rest}"),
        None => help.to_owned(),
    }
}

/// Text for a cell of a table: one line, and no bar that would end it.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

fn describe_schemas(folder: &Path, page: &mut String) -> Result<(), Failure> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    files.sort();
    for path in files {
        let shown = path.display().to_string();
        let wrong = |why: String| Failure::new(Exit::InputOutput, format!("{shown}: {why}"));
        let text = std::fs::read_to_string(&path)?;
        let schema: Value =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let title = schema["title"]
            .as_str()
            .ok_or_else(|| wrong("it has no title".to_owned()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = write!(
            page,
            "\n### `{name}`\n\n{title}.\n\n| key | type | meaning |\n|---|---|---|\n"
        );
        keys(&schema, "", page);
    }
    Ok(())
}

/// The keys of an object and of the objects in it, one row each.
fn keys(schema: &Value, above: &str, page: &mut String) {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        let kind = match &part["type"] {
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" or "),
            kind => kind.as_str().unwrap_or("any").to_owned(),
        };
        let meaning = cell(part["description"].as_str().unwrap_or_default());
        let choices: Vec<String> = part["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|choice| {
                format!(
                    "`{}`",
                    choice
                        .as_str()
                        .map_or_else(|| choice.to_string(), str::to_owned)
                )
            })
            .collect();
        let choices = match (choices.is_empty(), meaning.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("one of {}", choices.join(", ")),
            (false, false) => format!("; one of {}", choices.join(", ")),
        };
        let _ = writeln!(
            page,
            "| `{above}{name}{mark}` | {kind} | {meaning}{choices} |"
        );
        keys(part, &format!("{above}{name}."), page);
        keys(&part["items"], &format!("{above}{name}[]."), page);
    }
}

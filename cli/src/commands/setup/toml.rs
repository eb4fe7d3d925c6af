//! The entry of the MCP server in a TOML file.

use serde_json::Value;
use toml_edit::{DocumentMut, Item};

use super::edit::{Edited, line_end};
use super::json::Put;

/// Puts a table with `command` and `args` below `[mcp_servers]`, at the end of the file.
///
/// # Errors
/// What is wrong with the file, in words.
pub(super) fn put(
    edited: &mut Edited,
    name: &str,
    command: &str,
    args: &[&str],
) -> Result<Put, String> {
    let before = parse(&edited.text)?;
    if let Some(servers) = before.get("mcp_servers") {
        let Some(servers) = servers.as_table_like() else {
            return Err("`mcp_servers` is no table".to_owned());
        };
        if servers.contains_key(name) {
            return Ok(Put::Taken);
        }
    }
    let end = line_end(&edited.text);
    let args: Vec<String> = args.iter().map(|word| text_of(word)).collect();
    let (command, args) = (text_of(command), args.join(", "));
    let parting = match edited.text.as_str() {
        "" => "",
        text if text.ends_with('\n') => end,
        _ => &format!("{end}{end}"),
    };
    let at = edited.text.len();
    let table =
        format!("{parting}[mcp_servers.{name}]{end}command = {command}{end}args = [{args}]{end}");
    edited.insert(at, table);
    // A file that keeps its servers in one inline table cannot be added to by a table of its own.
    let after = parse(&edited.text)
        .map_err(|_| "`mcp_servers` is written so that no table can be added to it".to_owned())?;
    let is_there = after
        .get("mcp_servers")
        .and_then(|servers| servers.get(name))
        .is_some_and(Item::is_table_like);
    if is_there {
        Ok(Put::Done)
    } else {
        Err("the entry would not be where it belongs".to_owned())
    }
}

/// Whether two texts say the same but for the table of this name.
pub(super) fn differ_only_in(before: &str, after: &str, name: &str) -> bool {
    let rest = |text: &str| {
        let mut said = said(parse(text).ok()?.as_item());
        let servers = said.get_mut("mcp_servers").and_then(Value::as_object_mut);
        let is_empty = servers.is_some_and(|servers| {
            servers.remove(name);
            servers.is_empty()
        });
        if is_empty && let Some(all) = said.as_object_mut() {
            all.remove("mcp_servers");
        }
        Some(said)
    };
    rest(before).is_some_and(|before| rest(after) == Some(before))
}

/// What an item says, without its layout.
fn said(item: &Item) -> Value {
    fn value(said: &toml_edit::Value) -> Value {
        match said {
            toml_edit::Value::Array(list) => list.iter().map(value).collect(),
            toml_edit::Value::InlineTable(table) => table
                .iter()
                .map(|(name, one)| (name.to_owned(), value(one)))
                .collect(),
            scalar => Value::String(scalar.clone().decorated("", "").to_string()),
        }
    }
    match item {
        Item::None => Value::Null,
        Item::Value(one) => value(one),
        Item::Table(table) => table
            .iter()
            .map(|(name, one)| (name.to_owned(), said(one)))
            .collect(),
        Item::ArrayOfTables(list) => list
            .iter()
            .map(|table| said(&Item::Table(table.clone())))
            .collect(),
    }
}

/// Takes the table out of a file that was written anew since, when it is exactly ours.
///
/// # Errors
/// What is wrong with the file, in words.
pub(super) fn sweep(text: &str, name: &str, args: &[&str]) -> Result<String, String> {
    let mut document = parse(text)?;
    let is_ours = document
        .get("mcp_servers")
        .and_then(|servers| servers.get(name))
        .and_then(Item::as_table_like)
        .is_some_and(|table| is_ours(table, args));
    if !is_ours {
        return Ok(text.to_owned());
    }
    if let Some(rest) = without_lines(text, name)
        && differ_only_in(text, &rest, name)
    {
        return Ok(rest);
    }
    // It is written in some other way; the comments in front of it go with it.
    let servers = document
        .get_mut("mcp_servers")
        .and_then(Item::as_table_like_mut);
    let is_empty = servers.is_some_and(|servers| {
        servers.remove(name);
        servers.is_empty()
    });
    if is_empty {
        document.remove("mcp_servers");
    }
    Ok(document.to_string())
}

/// The text without the lines of the table, and without the blank line in front of it.
fn without_lines(text: &str, name: &str) -> Option<String> {
    let header = format!("[mcp_servers.{name}]");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begin = lines.iter().position(|line| line.trim() == header)?;
    let is_of_table = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("command") || line.starts_with("args")
    };
    let length = 1 + lines[begin + 1..].iter().take_while(is_of_table).count();
    let is_parted = begin > 0 && lines[begin - 1].trim().is_empty();
    let begin_of_all = begin - usize::from(is_parted);
    Some(
        [&lines[..begin_of_all], &lines[begin + length..]]
            .concat()
            .concat(),
    )
}

fn is_ours(table: &dyn toml_edit::TableLike, args: &[&str]) -> bool {
    let command = table.get("command").and_then(Item::as_str);
    let list = table.get("args").and_then(Item::as_array);
    let has_args = list.is_some_and(|list| {
        let words: Vec<Option<&str>> = list.iter().map(toml_edit::Value::as_str).collect();
        words == args.iter().map(|word| Some(*word)).collect::<Vec<_>>()
    });
    table.len() == 2 && has_args && command.is_some_and(super::agents::is_our_program)
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| format!("it is no TOML: {}", error.message()))
}

fn text_of(word: &str) -> String {
    toml_edit::Value::from(word).to_string()
}

//! The entry of the MCP server in a TOML file.

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
        _ => "\n\n",
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

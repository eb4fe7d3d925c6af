//! Whether the agents of this machine know the memory: hooks and MCP entries in their own files.
//!
//! The files are those that `setup` writes, and those of the project. They are looked at as text: whether an entry
//! is exactly ours is for `setup --dry-run` to say, and a file in a form that its agent understands and we do not
//! must not look like a fault.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Finding;
use crate::cli::setup::SetupAgent;
use crate::commands::setup::agents::{Places, places};
use crate::commands::setup::why_not;
use crate::environment::Environment;

/// A larger file is read as far as this.
const MAX_BYTES: u64 = 4 << 20;

/// The agents that are looked for.
const AGENTS: [SetupAgent; 5] = [
    SetupAgent::ClaudeCode,
    SetupAgent::Codex,
    SetupAgent::Gemini,
    SetupAgent::Opencode,
    SetupAgent::Cursor,
];

/// Files that `setup` does not write and that may have entries all the same: in the agent's folder, and in the
/// project. Source: the agents' public documentation.
fn others(agent: SetupAgent) -> (&'static [&'static str], &'static [&'static str]) {
    match agent {
        SetupAgent::ClaudeCode => (
            &["settings.local.json"],
            &[
                ".claude/settings.json",
                ".claude/settings.local.json",
                ".mcp.json",
            ],
        ),
        SetupAgent::Codex => (&[], &[".codex/hooks.json", ".codex/config.toml"]),
        SetupAgent::Gemini => (&[], &[".gemini/settings.json"]),
        SetupAgent::Opencode => (
            &["opencode.json", "opencode.jsonc"],
            &["opencode.json", "opencode.jsonc"],
        ),
        SetupAgent::Cursor => (&[], &[".cursor/mcp.json"]),
    }
}

/// One finding for each agent that is in use here; one for all where none is.
pub(super) fn all(project: &Path, environment: &Environment) -> Vec<Finding> {
    let found: Vec<Finding> = AGENTS
        .iter()
        .filter_map(|agent| look(*agent, &places(*agent, environment)?, project, environment))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let names = AGENTS.map(SetupAgent::as_str).join(", ");
    vec![Finding::ok(
        "agents",
        format!("none is plugged in yet; `memstrata setup AGENT` does it ({names})"),
    )]
}

/// A settings file of an agent.
struct Known {
    path: PathBuf,
    text: String,
    is_whole: bool,
}

fn look(
    agent: SetupAgent,
    places: &Places,
    project: &Path,
    environment: &Environment,
) -> Option<Finding> {
    if !places.folder.is_dir() {
        return None;
    }
    let name = agent.as_str();
    let remedy = format!("memstrata setup {name}");
    let known = match read_all(agent, places, project) {
        Ok(known) => known,
        Err((path, error)) => {
            return Some(Finding::warn(
                name,
                format!("{} cannot be read: {error}", path.display()),
                "make it readable for you, and look again",
            ));
        }
    };
    // `~/.claude` is our own home folder too; only Claude Code's files say that it is in use.
    if agent == SetupAgent::ClaudeCode && known.is_empty() {
        return None;
    }
    let words = format!(" hook {name}");
    let hooked: Vec<(&Path, String)> = known
        .iter()
        .flat_map(|file| {
            let programs = programs_before(&file.text, &words).into_iter();
            programs.map(|program| (file.path.as_path(), program))
        })
        .collect();
    let gone = hooked
        .iter()
        .find(|(_, program)| !environment.can_run(program));
    if let Some((path, program)) = gone {
        let what = format!(
            "a hook in {} names a program that is not there: {program}",
            path.display()
        );
        return Some(Finding::fail(name, what, remedy));
    }
    let has_server = known.iter().any(|file| names_server(&file.text));
    let missing = match (hooked.len(), has_server) {
        (0, true) if places.hooks == 0 => {
            return Some(Finding::ok(name, "the MCP server is installed"));
        }
        (0, true) => {
            "the MCP server is installed and hooks are not: memories reach the model only when it asks"
                .to_owned()
        }
        (0, false) => "does not know the memory".to_owned(),
        (some, _) if some < places.hooks => {
            format!("only {some} of {} hooks are installed", places.hooks)
        }
        (_, true) => return Some(Finding::ok(name, "hooks and MCP server are installed")),
        (_, false) => return Some(Finding::ok(name, "hooks are installed")),
    };
    // Where `setup` would refuse, it is no remedy.
    let mut written = known
        .iter()
        .filter(|file| file.is_whole && places.files.contains(&file.path));
    let unusable = written.find_map(|file| Some((&file.path, why_not(&file.path, &file.text)?)));
    Some(match unusable {
        None => Finding::warn(name, missing, remedy),
        Some((path, why)) => Finding::warn(
            name,
            format!("{missing}; {} cannot be changed: {why}", path.display()),
            format!("mend the file, then run `{remedy}`"),
        ),
    })
}

/// Reads every file that may have an entry; fails at the first that is there and cannot be read.
fn read_all(
    agent: SetupAgent,
    places: &Places,
    project: &Path,
) -> Result<Vec<Known>, (PathBuf, io::Error)> {
    let (in_folder, in_project) = others(agent);
    let mut files = places.files.clone();
    files.extend(in_folder.iter().map(|name| places.folder.join(name)));
    files.extend(in_project.iter().map(|name| project.join(name)));
    files.sort();
    files.dedup();
    let mut known = Vec::new();
    for path in files {
        match read(&path) {
            Ok(Some(file)) => known.push(file),
            Ok(None) => {}
            Err(error) => return Err((path, error)),
        }
    }
    Ok(known)
}

/// The programs that stand before these words in the strings of a file, without quotes of a shell and escapes.
fn programs_before(text: &str, words: &str) -> Vec<String> {
    let mut programs = Vec::new();
    for (at, _) in text.match_indices(words) {
        let behind = &text[at + words.len()..];
        if !behind.starts_with(['"', '\'', '\\', ' ']) {
            continue;
        }
        let program = text[opening_quote(text, at)..at]
            .replace("\\\"", "")
            .replace("\\\\", "\\");
        programs.push(program.trim_matches(['\'', '"', ' ']).to_owned());
    }
    programs
}

/// Where the string begins that `end` lies in: behind the last quote that is not escaped, unless that quote
/// belongs to a program that is quoted for a shell.
fn opening_quote(text: &str, end: usize) -> usize {
    let line = text[..end].rfind('\n').map_or(0, |feed| feed + 1);
    let quotes = text[line..end].rmatch_indices('"').map(|(at, _)| line + at);
    let mut open = quotes.filter(|at| !text[..*at].ends_with('\\') && *at + 1 < end);
    open.next().map_or(line, |at| at + 1)
}

/// Whether a file has an MCP entry of ours: our name as a key, and the word that starts the server near it.
fn names_server(text: &str) -> bool {
    const NEAR: usize = 400;
    [
        "\"memstrata\"",
        "mcp_servers.memstrata",
        "[mcp_servers.\"memstrata\"",
    ]
    .iter()
    .flat_map(|name| text.match_indices(name))
    .any(|(at, _)| {
        let near: String = text[at..].chars().take(NEAR).collect();
        near.contains("\"mcp\"")
    })
}

/// Reads a regular file; nothing where there is none.
fn read(path: &Path) -> io::Result<Option<Known>> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(Some(Known {
        path: path.to_owned(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
        is_whole: (bytes.len() as u64) < MAX_BYTES,
    }))
}

#[cfg(test)]
mod tests {
    use super::{names_server, programs_before};

    #[test]
    fn the_program_of_a_hook_is_read_from_every_form() {
        let table = [
            (
                r#""command": "memstrata hook claude-code""#,
                vec!["memstrata"],
            ),
            (
                r#""command": "/opt/a b/memstrata hook claude-code --quiet""#,
                vec!["/opt/a b/memstrata"],
            ),
            (
                r#""command": "\"/opt/a b/memstrata\" hook claude-code""#,
                vec!["/opt/a b/memstrata"],
            ),
            (
                r#""command": "'/opt/a b/memstrata' hook claude-code""#,
                vec!["/opt/a b/memstrata"],
            ),
            (
                r#"{"command":"/opt/memstrata hook claude-code","timeout":10}"#,
                vec!["/opt/memstrata"],
            ),
            (
                r#"command = '"/opt/a b/memstrata" hook claude-code'"#,
                vec!["/opt/a b/memstrata"],
            ),
            (r#""command": "memstrata hook claude-codex""#, vec![]),
            (r#""command": "echo hello""#, vec![]),
        ];
        for (text, expected) in table {
            assert_eq!(
                programs_before(text, " hook claude-code"),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn an_entry_of_the_server_is_known_in_json_and_toml() {
        assert!(names_server(
            r#"{"mcpServers": {"memstrata": {"command": "memstrata", "args": ["mcp"]}}}"#
        ));
        assert!(names_server(
            "[mcp_servers.memstrata]\ncommand = \"memstrata\"\nargs = [\"mcp\"]\n"
        ));
        assert!(!names_server(
            r#"{"mcpServers": {"other": {"command": "x", "args": ["mcp"]}}}"#
        ));
    }
}

//! Whether the agents of this machine know the memory: hooks and MCP entries in their own files.
//!
//! The files are looked at as text: whether an entry is exactly ours is for `setup --dry-run` to say, and a file
//! in a form that its agent understands and we do not must not look like a fault.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::Finding;
use crate::environment::Environment;

/// A larger file is read as far as this.
const MAX_BYTES: u64 = 4 << 20;

/// An agent, and where it keeps what is looked for.
struct Agent {
    check: &'static str,
    /// The name for `setup`, and in the command of its hooks.
    name: &'static str,
    /// The folder by which the agent is known to be in use, below the person's home folder.
    folder: &'static str,
    has_hooks: bool,
    /// Files that may hold entries, below the person's home folder.
    files: &'static [&'static str],
}

/// Places as in the agents' public documentation; the same that `setup` writes.
const AGENTS: &[Agent] = &[
    Agent {
        check: "claude-code",
        name: "claude-code",
        folder: ".claude",
        has_hooks: true,
        files: &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude.json",
        ],
    },
    Agent {
        check: "codex",
        name: "codex",
        folder: ".codex",
        has_hooks: true,
        files: &[".codex/hooks.json", ".codex/config.toml"],
    },
    Agent {
        check: "gemini",
        name: "gemini",
        folder: ".gemini",
        has_hooks: true,
        files: &[".gemini/settings.json"],
    },
    Agent {
        check: "opencode",
        name: "opencode",
        folder: ".config/opencode",
        has_hooks: false,
        files: &[
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
        ],
    },
    Agent {
        check: "cursor",
        name: "cursor",
        folder: ".cursor",
        has_hooks: false,
        files: &[".cursor/mcp.json"],
    },
];

/// One finding for each agent that is in use here.
pub(super) fn all(environment: &Environment) -> Vec<Finding> {
    let Some(home) = &environment.user_home else {
        return Vec::new();
    };
    AGENTS
        .iter()
        .filter(|agent| home.join(agent.folder).is_dir())
        .filter_map(|agent| look(agent, home, environment))
        .collect()
}

fn look(agent: &Agent, home: &Path, environment: &Environment) -> Option<Finding> {
    let texts: Vec<(PathBuf, String)> = agent
        .files
        .iter()
        .filter_map(|file| {
            let path = home.join(file);
            let text = read(&path)?;
            Some((path, text))
        })
        .collect();
    // `~/.claude` is our own home folder too; only Claude Code's files say that it is in use.
    if agent.folder == ".claude" && texts.is_empty() {
        return None;
    }
    let words = format!(" hook {}", agent.name);
    let hooked: Vec<(&Path, String)> = texts
        .iter()
        .flat_map(|(path, text)| {
            programs_before(text, &words)
                .into_iter()
                .map(move |program| (path.as_path(), program))
        })
        .collect();
    if let Some((path, program)) = hooked
        .iter()
        .find(|(_, program)| !environment.can_run(program))
    {
        return Some(Finding::fail(
            agent.check,
            format!(
                "a hook in {} names a program that is not there: {program}",
                path.display()
            ),
            format!("memstrata setup {}", agent.name),
        ));
    }
    let has_server = texts.iter().any(|(_, text)| names_server(text));
    Some(match (hooked.len(), has_server) {
        (1.., true) => Finding::ok(agent.check, "hooks and MCP server are installed"),
        (1.., false) => Finding::ok(agent.check, "hooks are installed"),
        (0, true) if !agent.has_hooks => Finding::ok(agent.check, "the MCP server is installed"),
        (0, true) => Finding::warn(
            agent.check,
            "the MCP server is installed and hooks are not: memories reach the model only when it asks",
            format!("memstrata setup {}", agent.name),
        ),
        (0, false) => Finding::warn(
            agent.check,
            "does not know the memory",
            format!("memstrata setup {}", agent.name),
        ),
    })
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

/// The text of a regular file.
fn read(path: &Path) -> Option<String> {
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .ok()?
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
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

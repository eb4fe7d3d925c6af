//! What `memstrata -h` shows: all commands on one screen, in groups. `--help` explains each.

use clap::CommandFactory;

use super::Cli;

/// The commands by what somebody wants to do. A test holds the list against the definitions.
const GROUPS: &[(&str, &[&str])] = &[
    ("begin", &["setup", "doctor", "where", "replay"]),
    (
        "see and change",
        &["list", "show", "save", "forget", "rename", "log", "inbox"],
    ),
    (
        "take back",
        &["history", "undo", "restore", "purge", "adopt"],
    ),
    (
        "find and tidy",
        &["recall", "verify", "check", "index", "dream", "explain"],
    ),
    ("sessions", &["extract", "session", "prompt", "cost"]),
    ("with a team", &["team"]),
    ("for agents", &["hook", "mcp", "memory-tool"]),
    ("safety", &["scan", "guard"]),
    ("this program", &["completions", "man"]),
];

/// The text.
pub(crate) fn text() -> String {
    let command = Cli::command();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut text = format!("{about}\n\nUsage: memstrata [OPTIONS] <COMMAND>\n\n");
    for (title, names) in GROUPS {
        let there: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| command.find_subcommand(name).is_some())
            .collect();
        if !there.is_empty() {
            text += &[
                *title,
                ":",
                &" ".repeat(16 - title.len()),
                &there.join(", "),
                "\n",
            ]
            .concat();
        }
    }
    text += "\n\
        Options of every command: --project, --home, --memory-dir, --json, --quiet, --verbose, --color\n\
        \n\
        memstrata setup AGENT plugs it into claude-code, codex, gemini, opencode or cursor\n\
        memstrata COMMAND -h  how to use a command\n\
        memstrata --help      what each command does, options, exit codes\n\
        memstrata --version   the version\n";
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{GROUPS, text};
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let named: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let command = Cli::command();
        for known in command.get_subcommands().filter(|one| !one.is_hide_set()) {
            let name = known.get_name();
            let times = named.iter().filter(|one| **one == name).count();
            assert_eq!(
                times, 1,
                "`{name}` belongs into one group of cli/src/cli/overview.rs"
            );
        }
        let text = text();
        assert!(text.lines().count() <= 40, "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
    }
}

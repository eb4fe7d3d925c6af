//! What the tools of known agents do, as data: which argument names the file, which the command.

use serde_json::Value;

use super::text::Text;

/// What a call did to the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Read a file.
    Read(Text),
    /// Wrote or edited files.
    Change(Vec<Text>),
    /// Ran a command line.
    Run(Text),
    /// Handed work to a side agent.
    Delegate(Text),
    /// Anything else: searches, plans, unknown tools.
    Other,
}

#[derive(Clone, Copy)]
enum Kind {
    Read,
    Change,
    Run,
    Patch,
    Delegate,
}

/// Tool names in lower case. Sources: public tool references of Claude Code, Codex CLI and Gemini CLI.
const TOOLS: &[(&str, Kind)] = &[
    ("read", Kind::Read),
    ("fileread", Kind::Read),
    ("read_file", Kind::Read),
    ("notebookread", Kind::Read),
    ("view_image", Kind::Read),
    ("write", Kind::Change),
    ("filewrite", Kind::Change),
    ("write_file", Kind::Change),
    ("edit", Kind::Change),
    ("fileedit", Kind::Change),
    ("multiedit", Kind::Change),
    ("notebookedit", Kind::Change),
    ("replace", Kind::Change),
    ("bash", Kind::Run),
    ("shell", Kind::Run),
    ("local_shell", Kind::Run),
    ("shell_command", Kind::Run),
    ("exec_command", Kind::Run),
    ("run_shell_command", Kind::Run),
    ("apply_patch", Kind::Patch),
    ("task", Kind::Delegate),
    ("agent", Kind::Delegate),
    ("spawn_agent", Kind::Delegate),
];

const FILE_ARGUMENTS: &[&str] = &[
    "file_path",
    "path",
    "absolute_path",
    "notebook_path",
    "filename",
];
const COMMAND_ARGUMENTS: &[&str] = &["command", "cmd"];
const TASK_ARGUMENTS: &[&str] = &["description", "prompt", "message"];
const PATCH_ARGUMENTS: &[&str] = &["input", "patch"];

/// Words that tell a test run from other commands; any of them as a word of the command line.
const TEST_WORDS: &[&str] = &[
    "test", "tests", "pytest", "nextest", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest",
    "tox", "check",
];

/// The lines of Codex's patch form that name a file.
const PATCH_MARKS: &[&str] = &[
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// Tells what a call did, from its name and arguments.
pub(crate) fn action(name: &str, input: &Value) -> Action {
    let name = name.to_ascii_lowercase();
    let Some((_, kind)) = TOOLS.iter().find(|(known, _)| *known == name) else {
        return Action::Other;
    };
    match kind {
        Kind::Read => argument(input, FILE_ARGUMENTS)
            .map_or(Action::Other, |path| Action::Read(Text::new(path))),
        Kind::Change => argument(input, FILE_ARGUMENTS)
            .map_or(Action::Other, |path| Action::Change(vec![Text::new(path)])),
        Kind::Run => command(input).map_or(Action::Other, |command| {
            // Codex hands patches to its shell too.
            let patched = patched_files(&command);
            if patched.is_empty() {
                Action::Run(Text::new(command))
            } else {
                Action::Change(patched)
            }
        }),
        Kind::Patch => {
            let text = input
                .as_str()
                .map(str::to_owned)
                .or_else(|| argument(input, PATCH_ARGUMENTS));
            Action::Change(text.map(|text| patched_files(&text)).unwrap_or_default())
        }
        Kind::Delegate => argument(input, TASK_ARGUMENTS)
            .map_or(Action::Other, |task| Action::Delegate(Text::new(task))),
    }
}

/// Tells whether a command line tests something.
pub(super) fn is_test(command: &str) -> bool {
    let mut words = command.split(|character: char| !character.is_alphanumeric());
    words.any(|word| TEST_WORDS.contains(&word))
}

fn argument(input: &Value, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| input.get(*name)?.as_str())
        .map(str::to_owned)
}

/// A command is a string, or a list whose shell wrapper (`bash -lc TEXT`) is taken off.
fn command(input: &Value) -> Option<String> {
    let value = COMMAND_ARGUMENTS.iter().find_map(|name| input.get(*name))?;
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [shell, flag, text]
            if flag.starts_with('-') && flag.ends_with('c') && shell.ends_with("sh") =>
        {
            Some((*text).to_owned())
        }
        words => Some(words.join(" ")),
    }
}

fn patched_files(text: &str) -> Vec<Text> {
    let named = text.lines().filter_map(|line| {
        PATCH_MARKS
            .iter()
            .find_map(|mark| line.trim_start().strip_prefix(mark))
    });
    let mut files: Vec<Text> = named.map(|path| Text::new(path.trim())).collect();
    files.dedup();
    files
}

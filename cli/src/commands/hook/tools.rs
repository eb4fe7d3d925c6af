//! What a tool call would write, for the tools of all agents.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Files of a patch that are looked at; a patch with more is refused where it touches a memory.
pub(crate) const MAX_FILES: usize = 256;

/// The names that agents have for the file of a call.
const PATH_KEYS: [&str; 4] = ["file_path", "absolute_path", "notebook_path", "path"];

/// The names that agents have for the folder of a command.
const FOLDER_KEYS: [&str; 3] = ["workdir", "directory", "dir_path"];

/// What a call is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Nothing that could change a file.
    Nothing,
    /// It changes these files.
    Files(Vec<FileChange>),
    /// It runs a shell command in a folder.
    Shell(String, PathBuf),
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The file, absolute.
    pub(crate) path: PathBuf,
    pub(crate) change: Change,
}

/// How a file changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It gets this text.
    Whole(String),
    /// Pieces of it are replaced, one after the other.
    Replace(Vec<Replacement>),
    /// This text gets into it, somewhere.
    Part(String),
    /// It goes.
    Remove,
}

/// One replacement in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement {
    old: String,
    new: String,
    all: bool,
}

impl Intent {
    /// Reads a tool call; relative paths are taken from `cwd`, `~` is `home`.
    pub(crate) fn of(tool: &str, input: &Value, cwd: &Path, home: Option<&Path>) -> Self {
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        let file = |change: Change| {
            // Whatever name the agent has for it, and whichever it takes when there are several.
            let paths = PATH_KEYS.iter().filter_map(|key| text(key));
            let files: Vec<FileChange> = paths
                .flat_map(|path| readings(path, cwd, home))
                .map(|path| FileChange {
                    path,
                    change: change.clone(),
                })
                .collect();
            if files.is_empty() {
                Intent::Nothing
            } else {
                Intent::Files(files)
            }
        };
        let whole = |key: &str| Change::Whole(text(key).unwrap_or_default().to_owned());
        match tool {
            "Write" | "write_file" => file(whole("content")),
            "Edit" | "MultiEdit" | "replace" | "edit" => file(replacements(input)),
            "NotebookEdit" => {
                let source = text("new_source").unwrap_or_default();
                file(Change::Part(source.to_owned()))
            }
            "apply_patch" => {
                let keys = ["command", "input", "patch"];
                let patch = keys
                    .iter()
                    .find_map(|key| text(key))
                    .or_else(|| input.as_str());
                Intent::Files(patch_files(patch.unwrap_or_default(), cwd))
            }
            "Bash" | "PowerShell" | "shell" | "local_shell" | "exec_command" | "unified_exec"
            | "run_shell_command" => {
                let command = input.get("command").or_else(|| input.get("cmd"));
                // Codex and Gemini CLI say with the call where it runs.
                let folder = FOLDER_KEYS.iter().find_map(|key| text(key));
                let folder = folder.map_or_else(|| cwd.to_owned(), |folder| cwd.join(folder));
                command.map_or(Intent::Nothing, |command| {
                    Intent::Shell(shell_text(command), folder)
                })
            }
            _ => Intent::Nothing,
        }
    }
}

impl Change {
    /// The text of the file after the change, as far as it can be told; `None` when the file goes.
    ///
    /// Of an edit that does not fit, and so will not be done, the new pieces are returned.
    pub(crate) fn apply(&self, before: Option<&str>) -> Option<String> {
        match self {
            Change::Whole(text) | Change::Part(text) => Some(text.clone()),
            Change::Replace(replacements) => {
                let edited = before.and_then(|before| replace(before, replacements));
                Some(edited.unwrap_or_else(|| {
                    let new: Vec<&str> = replacements.iter().map(|one| &*one.new).collect();
                    new.join("\n")
                }))
            }
            Change::Remove => None,
        }
    }
}

/// What a path of a call may mean: some agents take `~` for the home folder, and white space around it away.
fn readings(path: &str, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut readings = vec![cwd.join(path)];
    let trimmed = path.trim();
    let below_home = trimmed
        .strip_prefix("~/")
        .or_else(|| trimmed.strip_prefix("~\\"));
    if let (Some(below), Some(home)) = (below_home, home) {
        readings.push(home.join(below));
    } else if trimmed != path {
        readings.push(cwd.join(trimmed));
    }
    readings
}

fn replace(before: &str, replacements: &[Replacement]) -> Option<String> {
    let mut text = before.to_owned();
    for one in replacements {
        if one.old.is_empty() {
            text.push_str(&one.new);
        } else if !text.contains(&one.old) {
            return None;
        } else if one.all {
            text = text.replace(&one.old, &one.new);
        } else {
            text = text.replacen(&one.old, &one.new, 1);
        }
    }
    Some(text)
}

fn replacements(input: &Value) -> Change {
    let one = |value: &Value| Replacement {
        old: string(value, "old_string"),
        new: string(value, "new_string"),
        all: value.get("replace_all").and_then(Value::as_bool) == Some(true),
    };
    Change::Replace(match input.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().map(one).collect(),
        None => vec![one(input)],
    })
}

fn string(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// A command as one text, or as words for a program.
fn shell_text(command: &Value) -> String {
    match command {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                // `bash -lc SCRIPT`: the script is what counts.
                [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => {
                    (*script).to_owned()
                }
                words => words.join(" "),
            }
        }
        _ => String::new(),
    }
}

/// The files of a patch in the form of Codex's `apply_patch`: `*** Add File: PATH` and its relatives, lines
/// with `+` are new.
fn patch_files(patch: &str, cwd: &Path) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    for line in patch.lines() {
        let header = |word: &str| {
            let rest = line.trim_start().strip_prefix("*** ")?.strip_prefix(word)?;
            Some(cwd.join(rest.strip_prefix(':')?.trim()))
        };
        let opened = header("Add File")
            .or_else(|| header("Move to"))
            .or_else(|| header("Update File"))
            .map(|path| (path, Change::Part(String::new())))
            .or_else(|| header("Delete File").map(|path| (path, Change::Remove)));
        if let Some((path, change)) = opened {
            // One more than is looked at tells that there are too many.
            if files.len() <= MAX_FILES {
                files.push(FileChange { path, change });
            }
        } else if let Some(added) = line.strip_prefix('+')
            && let Some(FileChange {
                change: Change::Part(text),
                ..
            }) = files.last_mut()
        {
            text.push_str(added);
            text.push('\n');
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::{Change, Intent};

    fn check(
        tool: &str,
        input: &serde_json::Value,
        before: &str,
        expected: &[(&str, Option<&str>)],
    ) {
        let Intent::Files(files) = Intent::of(tool, input, Path::new("/work"), None) else {
            panic!("{tool} changes files");
        };
        let found: Vec<(PathBuf, Option<String>)> = files
            .iter()
            .map(|file| (file.path.clone(), file.change.apply(Some(before))))
            .collect();
        let expected: Vec<(PathBuf, Option<String>)> = expected
            .iter()
            .map(|(path, text)| (PathBuf::from(path), text.map(str::to_owned)))
            .collect();
        assert_eq!(found, expected, "{tool} {input}");
    }

    #[cfg(unix)]
    #[test]
    fn the_text_after_each_tool_is_known() {
        check(
            "Write",
            &json!({"file_path": "/m/a.md", "content": "new"}),
            "old",
            &[("/m/a.md", Some("new"))],
        );
        check(
            "Edit",
            &json!({"file_path": "/m/a.md", "old_string": "b", "new_string": "x"}),
            "abcb",
            &[("/m/a.md", Some("axcb"))],
        );
        check(
            "Edit",
            &json!({"file_path": "a.md", "old_string": "b", "new_string": "x", "replace_all": true}),
            "abcb",
            &[("/work/a.md", Some("axcx"))],
        );
        check(
            "MultiEdit",
            &json!({"file_path": "/m/a.md", "edits": [
                {"old_string": "a", "new_string": "b"}, {"old_string": "bb", "new_string": "c"}]}),
            "ab",
            &[("/m/a.md", Some("c"))],
        );
        // It does not fit: what it would bring is looked at all the same.
        check(
            "replace",
            &json!({"file_path": "/m/a.md", "old_string": "z", "new_string": "x"}),
            "ab",
            &[("/m/a.md", Some("x"))],
        );
        check(
            "NotebookEdit",
            &json!({"notebook_path": "/m/a.ipynb", "new_source": "print(1)"}),
            "{}",
            &[("/m/a.ipynb", Some("print(1)"))],
        );
        let patch = "*** Begin Patch\n*** Add File: n.md\n+one\n+two\n*** Update File: /m/u.md\n*** Move to: v.md\n\
                     @@\n-old\n+new\n*** Delete File: d.md\n*** End Patch\n";
        check(
            "apply_patch",
            &json!({"command": patch}),
            "",
            &[
                ("/work/n.md", Some("one\ntwo\n")),
                ("/m/u.md", Some("")),
                ("/work/v.md", Some("new\n")),
                ("/work/d.md", None),
            ],
        );
    }

    #[test]
    fn commands_are_found_in_every_form() {
        let cwd = Path::new("/work");
        for (tool, input) in [
            ("Bash", json!({"command": "ls -l"})),
            ("run_shell_command", json!({"command": "ls -l"})),
            ("shell", json!({"command": ["bash", "-lc", "ls -l"]})),
            ("shell", json!({"command": ["ls", "-l"]})),
            ("exec_command", json!({"cmd": "ls -l"})),
        ] {
            assert_eq!(
                Intent::of(tool, &input, cwd, None),
                Intent::Shell("ls -l".to_owned(), cwd.to_owned())
            );
        }
        for (tool, input) in [
            ("Read", json!({"file_path": "/m/a.md"})),
            ("Write", json!({})),
            ("Write", json!(null)),
            ("mcp__memstrata__save", json!({"name": "x"})),
            ("Bash", json!([])),
        ] {
            assert_eq!(
                Intent::of(tool, &input, cwd, None),
                Intent::Nothing,
                "{tool}"
            );
        }
        assert_eq!(Change::Remove.apply(Some("x")), None);
    }
}

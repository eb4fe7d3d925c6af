//! Whether the main agent itself wrote a memory.

use std::collections::HashSet;
use std::path::Path;

use agent_model::ToolUse;
use agent_transcript::Entry;
use pathguard::lexically_normal;
use serde_json::Value;

/// The tools by which agents write files, in lower case: Claude Code, Codex, Gemini CLI, and ours.
const WRITERS: &[&str] = &[
    "write",
    "edit",
    "multiedit",
    "notebookedit",
    "filewrite",
    "fileedit",
    "write_file",
    "replace",
    "apply_patch",
    "str_replace_based_edit_tool",
];

/// The tools by which they run commands.
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "exec_command",
    "local_shell",
    "run_shell_command",
];

/// What only changes a folder when it is in a command; a command that names the memory folder and has
/// none of these reads it.
const CHANGING: &[&str] = &[
    ">",
    "tee ",
    "sed -i",
    "mv ",
    "cp ",
    "rm ",
    "apply_patch",
    "touch ",
    "truncate ",
    "python",
    "perl ",
    "node ",
    "ed ",
];

/// Tells whether an agent wrote into the memory folder in these messages, by its own tools or by ours.
///
/// A call that failed wrote nothing. When in doubt the answer is yes: then the cursor moves on, and
/// nothing the user had saved is touched.
pub(crate) fn is_own_write(entries: &[Entry], memory_dir: &Path) -> bool {
    let failed: HashSet<&str> = entries
        .iter()
        .flat_map(|entry| entry.message.tool_results())
        .filter(|result| result.is_error)
        .map(|result| result.tool_use_id.as_str())
        .collect();
    entries.iter().any(|entry| {
        let cwd = entry.place.cwd.as_deref().map(Path::new);
        entry
            .message
            .tool_uses()
            .any(|call| !failed.contains(call.id.as_str()) && writes(call, cwd, memory_dir))
    })
}

fn writes(call: &ToolUse, cwd: Option<&Path>, memory_dir: &Path) -> bool {
    let name = call.name.to_ascii_lowercase();
    if let Some(tool) = name.strip_prefix("mcp__memstrata__") {
        return tool == "save" || tool == "forget";
    }
    if name == "memory" {
        // Anthropic's memory tool keeps its files in the memory folder.
        let command = call.input.get("command").and_then(Value::as_str);
        return command.is_some_and(|command| command != "view");
    }
    let texts = || strings(&call.input);
    if WRITERS.contains(&name.as_str()) {
        let inside = |text: &str| is_inside(text, cwd, memory_dir);
        let path = ["file_path", "path", "absolute_path", "notebook_path"]
            .iter()
            .find_map(|key| call.input.get(key)?.as_str());
        return match path {
            Some(path) => inside(path),
            // A patch names its files in its text.
            None => texts().any(|text| patched(text).any(inside)),
        };
    }
    if SHELLS.contains(&name.as_str()) {
        let named = memory_dir.to_string_lossy();
        return texts().any(|text| {
            let saves = text.contains("memstrata")
                && (text.contains(" save ") || text.contains(" forget "));
            let touches = text.contains(&*named) && CHANGING.iter().any(|word| text.contains(word));
            saves || touches || patched(text).any(|path| is_inside(path, cwd, memory_dir))
        });
    }
    false
}

/// All texts of an argument list, two levels deep: a command may be a list of words.
fn strings(input: &Value) -> impl Iterator<Item = &str> {
    let top: Vec<&Value> = match input {
        Value::Object(map) => map.values().collect(),
        other => vec![other],
    };
    top.into_iter().flat_map(|value| {
        let texts: Vec<&str> = match value {
            Value::String(text) => vec![text.as_str()],
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        texts
    })
}

/// The files that a patch in Codex's form is about.
fn patched(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.strip_prefix("*** ")?;
        let (verb, path) = rest.split_once(" File: ")?;
        ["Add", "Update", "Delete"]
            .contains(&verb)
            .then(|| path.trim())
    })
}

/// By name alone: what the path led to when the call ran is over.
fn is_inside(path: &str, cwd: Option<&Path>, memory_dir: &Path) -> bool {
    let path = Path::new(path);
    let full = match cwd {
        Some(cwd) if !path.has_root() => cwd.join(path),
        _ => path.to_path_buf(),
    };
    lexically_normal(&full).starts_with(lexically_normal(memory_dir))
}

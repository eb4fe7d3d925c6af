//! The memory tool: the recorded answers of the two published helpers, hostile input, the store behind it.

mod hostile;
mod recorded;
mod store;

use std::path::Path;

use memstrata::memory_tool::{Answer, MemoryTool};
use memstrata::pathguard::{MemoryRoot, RootOptions};
use serde_json::{Value, json};

/// The tool on a fresh folder inside `scratch`.
fn on_folder(scratch: &Path) -> MemoryTool {
    let root = MemoryRoot::open_or_create(&scratch.join("memories"), &RootOptions::new())
        .expect("a folder can be made");
    MemoryTool::on_folder(root)
}

fn ask(tool: &MemoryTool, input: &Value) -> Answer {
    tool.answer_json(input.to_string().as_bytes())
}

fn create(tool: &MemoryTool, path: &str, text: &str) -> Answer {
    ask(
        tool,
        &json!({"command": "create", "path": path, "file_text": text}),
    )
}

fn view(tool: &MemoryTool, path: &str) -> Answer {
    ask(tool, &json!({"command": "view", "path": path}))
}

/// A credential of a documented shape, put together here so that no file of ours holds one.
fn credential() -> String {
    ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

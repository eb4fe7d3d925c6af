//! A project folder beside a memory folder, and a model that says what a test wants it to say.

use std::path::{Path, PathBuf};

use agent_model::{Block, Message, Reply, Request, ScriptedModel, ToolUse};
use forked_agent::{Gate, Limits, Outcome, Permissions, SideAgent, Toolbox, Workspace, fork};
use pathguard::{MemoryRoot, RootOptions};
use serde_json::Value;

/// A temporary tree: `project` may be read, `memory` may be written, `outside` may not be touched.
pub(crate) struct Tree {
    _folder: Option<tempfile::TempDir>,
    base: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        Self::make(base, Some(folder))
    }

    /// Makes the tree inside a folder that somebody else removes.
    #[cfg(unix)]
    pub(crate) fn inside(base: &Path) -> Self {
        Self::make(base.to_owned(), None)
    }

    fn make(base: PathBuf, folder: Option<tempfile::TempDir>) -> Self {
        for name in ["project", "memory", "outside"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        std::fs::write(base.join("outside/secret.md"), "outside\n").unwrap();
        Self {
            _folder: folder,
            base,
        }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.base.join("project")
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.base.join("memory")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.base.join("outside")
    }

    /// Writes a file below the tree, with the folders above it.
    pub(crate) fn file(&self, path: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.base.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.base.join(path)).unwrap()
    }

    pub(crate) fn workspace(&self) -> Workspace {
        let open = |path: PathBuf| MemoryRoot::open(&path, &RootOptions::default()).unwrap();
        Workspace::new(open(self.project())).with_writable(open(self.memory()))
    }

    pub(crate) fn toolbox(&self) -> Toolbox {
        Toolbox::new(self.workspace())
    }
}

/// Runs a future to its end on a runtime of its own.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

/// A reply that makes calls.
pub(crate) fn calls(list: &[(&str, Value)]) -> Reply {
    let blocks = list.iter().enumerate().map(|(index, (name, input))| {
        Block::ToolUse(ToolUse::new(format!("call-{index}"), *name, input.clone()))
    });
    Reply::new(blocks.collect())
}

pub(crate) fn text(text: &str) -> Reply {
    Reply::text_only(text)
}

/// Runs a side agent whose model gives these replies.
pub(crate) fn run_with(
    toolbox: &Toolbox,
    gate: &dyn Gate,
    limits: Limits,
    replies: Vec<Reply>,
) -> Outcome {
    let model = ScriptedModel::new(replies);
    let agent = SideAgent::new(&model, toolbox, gate).with_limits(limits);
    let parent = Request::new(Vec::new()).with_tools(toolbox.declarations());
    block_on(fork(&agent, parent, "Do it."))
}

pub(crate) fn run(toolbox: &Toolbox, replies: Vec<Reply>) -> Outcome {
    run_with(toolbox, &Permissions::default(), Limits::default(), replies)
}

/// Makes one call and returns what the model was told.
pub(crate) fn call(toolbox: &Toolbox, name: &str, input: Value) -> Result<String, String> {
    let outcome = run(toolbox, vec![calls(&[(name, input)]), text("done")]);
    results(&outcome.messages).remove(0)
}

/// Returns the results of all calls in order.
pub(crate) fn results(messages: &[Message]) -> Vec<Result<String, String>> {
    let all = messages.iter().flat_map(Message::tool_results);
    all.map(|result| {
        let text = result.joined_text();
        if result.is_error { Err(text) } else { Ok(text) }
    })
    .collect()
}

/// Returns every file below a folder with its contents, links as what they point to.
pub(crate) fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.push((path, target.as_os_str().as_encoded_bytes().to_vec()));
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

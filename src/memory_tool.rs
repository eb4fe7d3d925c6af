//! The Anthropic memory tool (`memory_20250818`): answers its six commands on a folder of yours.
//!
//! Talking to a model is left to the host: it hands in the input of a `tool_use` block and puts the
//! [`Answer`] into the `tool_result`. The texts are the ones that the tool's documentation recommends, so
//! that a model meets what it was trained on; where they say nothing, ours name the cause and what to do.
//!
//! The folder is either a plain one ([`MemoryTool::on_folder`]) or a memory folder with its index and its
//! history ([`MemoryTool::on_store`]), where each change is journaled and can be undone.
//!
//! ```
//! use memstrata::memory_tool::MemoryTool;
//! use memstrata::pathguard::{MemoryRoot, RootOptions};
//!
//! # let scratch = tempfile::tempdir()?;
//! # let folder = scratch.path().join("memories");
//! let tool = MemoryTool::on_folder(MemoryRoot::open_or_create(&folder, &RootOptions::new())?);
//!
//! let made = tool.answer_json(br#"{"command":"create","path":"/memories/a.md","file_text":"one\n"}"#);
//! assert_eq!(made.text, "File created successfully at: /memories/a.md");
//! assert!(!made.is_error);
//!
//! let refused = tool.answer_json(br#"{"command":"view","path":"/memories/../secret"}"#);
//! assert_eq!(refused.text, "Path /memories/../secret would escape /memories directory");
//! assert!(refused.is_error);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Hostile input
//!
//! Paths become [`PathKey`](pathguard::PathKey)s and are used through a held folder: `..`, encoded dots,
//! NUL, device names, links, pipes and files with a second link are refused, and `/memoriesX` is not below
//! `/memories`. A text with a credential is refused with its rule and line, never its value. Whatever the
//! input is, there is an answer; nothing panics.
//!
//! # Limits
//!
//! [`MAX_INPUT_BYTES`], [`MAX_FILE_BYTES`], [`MAX_LINES`], [`MAX_ANSWER_CHARACTERS`] and [`MAX_ENTRIES`].
//! An answer that was cut says so, and how to get at the rest.

use memdir::{Origin, Store};
use pathguard::MemoryRoot;

use self::files::{Files, Found};
use self::path::Place;

mod files;
mod folder;
mod path;
mod request;
mod secrets;
mod stored;
mod text;
mod tree;

pub use request::Request;

/// Largest input that is read, in bytes of JSON: a file of [`MAX_FILE_BYTES`] with every byte escaped
/// would be longer, and is no text.
pub const MAX_INPUT_BYTES: usize = 8 << 20;

/// Largest file that is read or written in a plain folder, in bytes. In a memory folder the smaller limits
/// of [`memdir::limits`] hold.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// Most lines of a file that is viewed, from the tool's documentation.
pub const MAX_LINES: usize = 999_999;

/// Longest answer, in characters: what the tool's documentation advises to cut at.
pub const MAX_ANSWER_CHARACTERS: usize = 16_000;

/// Most files and folders that a view, a deletion or a renaming of a folder looks at.
pub const MAX_ENTRIES: usize = 10_000;

/// What goes into the `tool_result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text for the model.
    pub text: String,
    /// The value of `is_error`.
    pub is_error: bool,
}

impl From<Result<String, String>> for Answer {
    fn from(outcome: Result<String, String>) -> Self {
        let is_error = outcome.is_err();
        let (Ok(text) | Err(text)) = outcome;
        Answer { text, is_error }
    }
}

/// The memory tool on one folder.
#[derive(Debug)]
pub struct MemoryTool {
    files: Files,
    overwrites: bool,
}

impl MemoryTool {
    /// Works on a plain folder. Changes take the lock `.memory-tool.lock` in it, so that several tools on
    /// one folder never lose each other's edit.
    pub fn on_folder(root: MemoryRoot) -> Self {
        Self::new(Files::Folder(root))
    }

    /// Works on a memory folder: `/memories` is the folder of the store. Each change goes through the
    /// store, with its modes, its journal and its index, under the name of `origin`.
    pub fn on_store(store: Store, origin: Origin) -> Self {
        Self::new(Files::Store(Box::new(store), origin))
    }

    fn new(files: Files) -> Self {
        MemoryTool {
            files,
            overwrites: false,
        }
    }

    /// Lets `create` replace a file that exists. Without it that is refused: the documentation of the tool
    /// allows both, and a model that has forgotten a file would lose it.
    #[must_use]
    pub fn with_overwriting(mut self, overwrites: bool) -> Self {
        self.overwrites = overwrites;
        self
    }

    /// Answers one tool-use input in JSON. What is no input is answered with an error too.
    pub fn answer_json(&self, input: &[u8]) -> Answer {
        match Request::parse(input) {
            Ok(request) => self.answer(&request),
            Err(reason) => Answer::from(Err(reason)),
        }
    }

    /// Answers one request.
    pub fn answer(&self, request: &Request) -> Answer {
        let _span = tracing::info_span!("memory_tool.answer", command = request.name()).entered();
        let answer = Answer::from(self.outcome(request));
        tracing::debug!(is_error = answer.is_error, "memory_tool.answered");
        answer
    }

    fn outcome(&self, request: &Request) -> Result<String, String> {
        self.files.check_mode()?;
        match request {
            Request::View { path, view_range } => self.view(path, *view_range),
            Request::Create { path, file_text } => self.create(path, file_text),
            Request::StrReplace {
                path,
                old_str,
                new_str,
            } => self.edit(path, |old| {
                let replaced = text::replace(old, old_str, new_str, path)?;
                let snippet = text::snippet(&replaced.text, replaced.first_line, replaced.lines);
                let answer = format!(
                    "The memory file has been edited. Here is the snippet showing the change (with line \
                     numbers):\n{snippet}"
                );
                Ok((replaced.text, answer))
            }),
            Request::Insert {
                path,
                insert_line,
                insert_text,
            } => self.edit(path, |old| {
                let new = text::insert(old, *insert_line, insert_text)?;
                Ok((new, format!("The file {path} has been edited.")))
            }),
            Request::Delete { path } => self.delete(path),
            Request::Rename { old_path, new_path } => self.rename(old_path, new_path),
        }
    }

    fn view(&self, path: &str, range: Option<(i64, i64)>) -> Result<String, String> {
        let key = match Place::parse(path)? {
            Place::Root => {
                return tree::show(self.files.root(), path, self.files.hides_team());
            }
            Place::Below(key) => key,
        };
        match self.files.look(&key, path)? {
            Found::Missing => Err(text::missing(path)),
            Found::Folder => {
                let folder = self.files.root().open_sub(key.as_ref());
                let folder = folder.map_err(|error| files::refused(path, &error))?;
                tree::show(&folder, path, false)
            }
            Found::File => {
                let contents = self.files.read(&key, path)?;
                text::show(path, files::as_text(&contents, path)?, range)
            }
        }
    }

    fn create(&self, path: &str, file_text: &str) -> Result<String, String> {
        let exists = || format!("Error: File {path} already exists");
        let Place::Below(key) = Place::parse(path)? else {
            return Err(exists());
        };
        match self.files.look(&key, path)? {
            Found::Folder => return Err(exists()),
            Found::File if !self.overwrites => return Err(exists()),
            Found::File | Found::Missing => {}
        }
        secrets::in_name(path).map_or(Ok(()), Err)?;
        self.files.check_text(&key, path, b"", file_text)?;
        if self.files.create(&key, path, file_text, self.overwrites)? {
            Ok(format!("File created successfully at: {path}"))
        } else {
            Err(exists())
        }
    }

    /// Changes the text of a file; `change` may be called again when somebody else was faster.
    fn edit(
        &self,
        path: &str,
        change: impl Fn(&str) -> Result<(String, String), String>,
    ) -> Result<String, String> {
        let Place::Below(key) = Place::parse(path)? else {
            return Err(text::no_file(path));
        };
        match self.files.look(&key, path)? {
            Found::Missing => return Err(text::missing(path)),
            Found::Folder => return Err(text::no_file(path)),
            Found::File => {}
        }
        self.files.edit(&key, path, &|old| {
            let text = files::as_text(old, path)?;
            let (new, answer) = change(text)?;
            self.files.check_text(&key, path, old, &new)?;
            Ok((new, answer))
        })
    }

    fn delete(&self, path: &str) -> Result<String, String> {
        let Place::Below(key) = Place::parse(path)? else {
            return Err("Error: The /memories directory itself cannot be deleted".to_owned());
        };
        match self.files.look(&key, path)? {
            Found::Missing => return Err(format!("Error: The path {path} does not exist")),
            Found::File => self.files.delete_file(&key, path)?,
            Found::Folder => self.files.delete_folder(&key, path)?,
        }
        Ok(format!("Successfully deleted {path}"))
    }

    fn rename(&self, old_path: &str, new_path: &str) -> Result<String, String> {
        let (old, new) = match (Place::parse(old_path)?, Place::parse(new_path)?) {
            (Place::Root, _) => {
                return Err("Error: The /memories directory itself cannot be renamed".to_owned());
            }
            (Place::Below(_), Place::Root) => {
                return Err(format!("Error: The destination {new_path} already exists"));
            }
            (Place::Below(old), Place::Below(new)) => (old, new),
        };
        secrets::in_name(new_path).map_or(Ok(()), Err)?;
        let found = self.files.look(&old, old_path)?;
        if found == Found::Missing {
            return Err(format!("Error: The path {old_path} does not exist"));
        }
        if path::is_below(&new, &old) {
            return Err(format!(
                "Error: {old_path} cannot be renamed to {new_path}: a directory cannot move into itself"
            ));
        }
        if self.files.look(&new, new_path)? != Found::Missing {
            return Err(format!("Error: The destination {new_path} already exists"));
        }
        self.files.rename(&old, &new, found, (old_path, new_path))?;
        Ok(format!("Successfully renamed {old_path} to {new_path}"))
    }
}

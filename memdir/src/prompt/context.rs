//! What a prompt is built from: plain data, so that building it does no input or output.

use crate::index::{Index, IndexLimits, LoadedIndex};

/// A memory folder as the model is to see it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folder {
    /// Its path, as the model's tools take it.
    pub path: String,
    /// Its index as far as it is loaded, with the warning about what was cut.
    pub index: LoadedIndex,
}

impl Folder {
    /// Returns a folder whose index is empty.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            index: Index::parse(b"").load(&IndexLimits::default()),
        }
    }

    /// Sets the index.
    #[must_use]
    pub fn with_index(mut self, index: LoadedIndex) -> Self {
        self.index = index;
        self
    }
}

/// How the model saves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Saving {
    /// Into a file for each memory.
    #[default]
    Files,
    /// Log mode: into the log of the day, append only; a nightly distillation writes the files.
    Log,
}

/// The commands with which the model searches, complete but for the search term.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// Searches the memory files.
    pub memories: String,
    /// Searches the transcripts; shown only when the context has a folder of them.
    pub transcripts: String,
}

impl Search {
    /// Returns two commands, for hosts that have a search tool of their own.
    pub fn new(memories: impl Into<String>, transcripts: impl Into<String>) -> Self {
        Self {
            memories: memories.into(),
            transcripts: transcripts.into(),
        }
    }
}

/// Everything the prompt depends on.
///
/// Any values are valid. Texts from folders may hold anything: they are quoted so that they cannot
/// take the place of the prompt's own structure, see [`build`](super::build).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Context {
    /// The private folder.
    pub private: Folder,
    /// The team folder; with one, the prompt explains the two scopes.
    pub team: Option<Folder>,
    /// How the model saves.
    pub saving: Saving,
    /// Whether the model adds the index line itself (true), or a program keeps the index.
    pub index_step: bool,
    /// The folder of the transcripts of earlier conversations.
    pub transcripts: Option<String>,
    /// The search commands; `None` stands for `grep` on the folders of this context.
    pub search: Option<Search>,
}

impl Context {
    /// Returns the context of a private folder alone, with files and the index step.
    pub fn new(private: Folder) -> Self {
        Self {
            private,
            team: None,
            saving: Saving::default(),
            index_step: true,
            transcripts: None,
            search: None,
        }
    }

    /// Adds the team folder.
    #[must_use]
    pub fn with_team(mut self, team: Folder) -> Self {
        self.team = Some(team);
        self
    }

    /// Sets how the model saves.
    #[must_use]
    pub fn with_saving(mut self, saving: Saving) -> Self {
        self.saving = saving;
        self
    }

    /// Leaves the index to a program: the model writes files only.
    #[must_use]
    pub fn without_index_step(mut self) -> Self {
        self.index_step = false;
        self
    }

    /// Adds the folder of the transcripts.
    #[must_use]
    pub fn with_transcripts(mut self, folder: impl Into<String>) -> Self {
        self.transcripts = Some(folder.into());
        self
    }

    /// Sets the search commands.
    #[must_use]
    pub fn with_search(mut self, search: Search) -> Self {
        self.search = Some(search);
        self
    }
}

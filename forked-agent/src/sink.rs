//! Where writes go.

use std::fmt;

use pathguard::{WriteMode, WriteOptions};

use crate::gate::Change;

/// Takes the writes of a side agent.
///
/// The default, [`FolderSink`], writes the file and nothing else. A memory store puts its own here, so
/// that a write is journaled and the index is true when the call returns.
pub trait Sink: Send + Sync + fmt::Debug {
    /// Makes the write durable, or says why not in words the model can act on.
    ///
    /// It is called on a thread that may block. [`Change::before`] is what the file held a moment ago; a
    /// sink that can compare and write in one step should do so.
    ///
    /// # Errors
    ///
    /// The reason, without contents of the file.
    fn write(&self, change: &Change<'_>) -> Result<(), String>;
}

/// Writes files through the held folder: atomically, durably, with missing folders made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FolderSink {
    /// How files are written; the mode follows from whether the file existed.
    pub options: WriteOptions,
}

impl Default for FolderSink {
    fn default() -> Self {
        Self {
            options: WriteOptions::new().with_create_parents(true),
        }
    }
}

impl Sink for FolderSink {
    fn write(&self, change: &Change<'_>) -> Result<(), String> {
        let key = change.place.key().ok_or("this is a folder")?;
        let mode = match change.before {
            None => WriteMode::CreateNew,
            Some(_) => WriteMode::ReplaceExisting,
        };
        let options = self.options.clone().with_mode(mode);
        change
            .place
            .root()
            .write(key, change.after.as_bytes(), &options)
            .map(|_| ())
            .map_err(|error| error.to_string())
    }
}

//! A picture of files at one moment, in one file: snapshots and pre-images of host edits.

use pathguard::{ListLimits, MemoryRoot, PathKey, SyncPolicy, WriteOptions};
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::error::Error;
use crate::files;
use crate::journal::{bytes_of, checked_json, checked_line, text_or_hex};
use crate::limits::OPERATION_MAX_BYTES;

/// The version of the format that we write.
const VERSION: u32 = 1;

/// Files as they were at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The last operation before it was taken.
    pub(crate) sequence: u64,
    pub(crate) time: Timestamp,
    pub(crate) label: String,
    /// Whether every memory and index of the folder is in it.
    pub(crate) is_whole: bool,
    pub(crate) files: Vec<PictureFile>,
}

/// One file; `None` means that there was none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PictureFile {
    pub(crate) path: String,
    pub(crate) bytes: Option<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Wire {
    Picture {
        version: u32,
        sequence: u64,
        time: String,
        label: String,
        whole: bool,
        files: usize,
    },
    File {
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hex: Option<String>,
    },
}

impl Picture {
    /// The bytes of a file, or `None` when there was none.
    pub(crate) fn get(&self, path: &str) -> Option<&[u8]> {
        let file = self.files.iter().find(|file| file.path == path)?;
        file.bytes.as_deref()
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        let mut lines = checked_line(&Wire::Picture {
            version: VERSION,
            sequence: self.sequence,
            time: self.time.to_string(),
            label: self.label.clone(),
            whole: self.is_whole,
            files: self.files.len(),
        });
        for file in &self.files {
            let (text, hex) = file.bytes.as_deref().map(text_or_hex).unwrap_or_default();
            lines.extend(checked_line(&Wire::File {
                path: file.path.clone(),
                text,
                hex,
            }));
        }
        lines
    }

    /// Parses a picture. `None` when a line is missing or damaged: half a picture would delete
    /// files.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut lines = bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice::<Wire>(checked_json(line)?).ok());
        let Wire::Picture {
            sequence,
            time,
            label,
            whole,
            files: count,
            ..
        } = lines.next()??
        else {
            return None;
        };
        let files = lines
            .map(|line| match line? {
                Wire::File { path, text, hex } => Some(PictureFile {
                    path,
                    bytes: match (&text, &hex) {
                        (None, None) => None,
                        _ => Some(bytes_of(text, hex)?),
                    },
                }),
                Wire::Picture { .. } => None,
            })
            .collect::<Option<Vec<_>>>()?;
        (files.len() == count).then_some(Self {
            sequence,
            time: Timestamp::parse_lenient(&time)?,
            label,
            is_whole: whole,
            files,
        })
    }
}

/// A folder of pictures in the state folder, of bounded number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Album {
    pub(crate) folder: &'static str,
    pub(crate) max: usize,
    pub(crate) sync: SyncPolicy,
}

impl Album {
    fn key(self, id: &str) -> Result<PathKey, Error> {
        files::key_of_id(self.folder, id, ".jsonl")
    }

    pub(crate) fn write(
        self,
        state: &MemoryRoot,
        id: &str,
        picture: &Picture,
    ) -> Result<(), Error> {
        let key = self.key(id)?;
        let mut options = WriteOptions::default();
        options.create_parents = true;
        options.sync = self.sync;
        state
            .write(key.as_ref(), &picture.print(), &options)
            .map_err(|error| files::error(error, key.as_str()))?;
        let mut ids = self.ids(state)?;
        while ids.len() > self.max {
            // Oldest first; a name that was given by a caller says nothing about its age.
            let (_, oldest) = ids.remove(0);
            if oldest != id {
                self.remove(state, &oldest)?;
            }
        }
        Ok(())
    }

    pub(crate) fn read(self, state: &MemoryRoot, id: &str) -> Result<Option<Picture>, Error> {
        let key = self.key(id)?;
        // Escaped text is at most six times as long as its bytes.
        let Some(read) = files::read_if_exists(state, key.as_ref(), 6 * OPERATION_MAX_BYTES)?
        else {
            return Ok(None);
        };
        Picture::parse(&read.bytes).map(Some).ok_or_else(|| {
            Error::corrupt("a line is missing or damaged")
                .with_path(key.as_str())
                .with_remedy("it cannot be used any more; remove it")
        })
    }

    pub(crate) fn remove(self, state: &MemoryRoot, id: &str) -> Result<(), Error> {
        let key = self.key(id)?;
        match state.remove(key.as_ref()) {
            Err(error) if error.kind() != pathguard::ErrorKind::NotFound => {
                Err(files::error(error, key.as_str()))
            }
            _ => Ok(()),
        }
    }

    /// The ids with the time of their writing, oldest first.
    pub(crate) fn ids(self, state: &MemoryRoot) -> Result<Vec<(i128, String)>, Error> {
        let folder = match state.open_sub(files::key(self.folder).as_ref()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(files::error(error, self.folder)),
        };
        let mut limits = ListLimits::default();
        limits.max_depth = 1;
        limits.extension = Some("jsonl".to_owned());
        let listing = folder
            .list(&limits)
            .map_err(|error| files::error(error, self.folder))?;
        let mut ids: Vec<_> = listing
            .entries
            .into_iter()
            .filter_map(|entry| {
                let id = entry.key.as_str().strip_suffix(".jsonl")?.to_owned();
                Some((entry.metadata?.modified_ns, id))
            })
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Takes files and what points to them out of every picture. Damaged ones are removed: nobody
    /// can use them, and they may hold what shall be gone.
    pub(crate) fn scrub(
        self,
        state: &MemoryRoot,
        change: &dyn Fn(&mut PictureFile) -> bool,
    ) -> Result<(), Error> {
        for (_, id) in self.ids(state)? {
            match self.read(state, &id) {
                Ok(Some(mut picture)) => {
                    let before = picture.clone();
                    picture.files.retain_mut(|file| change(file));
                    if picture != before {
                        self.write(state, &id, &picture)?;
                    }
                }
                Ok(None) => {}
                Err(_) => self.remove(state, &id)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        Picture {
            sequence: 17,
            time: "2026-03-05T14:02:11Z".parse().unwrap(),
            label: "before consolidation".to_owned(),
            is_whole: true,
            files: vec![
                PictureFile {
                    path: "a.md".to_owned(),
                    bytes: Some(b"text\n".to_vec()),
                },
                PictureFile {
                    path: "b.md".to_owned(),
                    bytes: Some(vec![0xFF, 0, b'\n']),
                },
                PictureFile {
                    path: "empty.md".to_owned(),
                    bytes: Some(Vec::new()),
                },
                PictureFile {
                    path: "gone.md".to_owned(),
                    bytes: None,
                },
            ],
        }
    }

    #[test]
    fn a_picture_is_read_back_as_it_was_taken() {
        assert_eq!(Picture::parse(&picture().print()), Some(picture()));
        assert_eq!(picture().get("a.md"), Some(&b"text\n"[..]));
        assert_eq!(picture().get("gone.md"), None);
    }

    #[test]
    fn half_a_picture_is_no_picture() {
        let printed = picture().print();
        for end in 0..printed.len() - 1 {
            assert_eq!(Picture::parse(&printed[..end]), None, "cut at {end}");
        }
    }
}

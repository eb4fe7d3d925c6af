//! The user's own template and prompt.

use std::path::Path;

use memdir::pathguard::{MemoryRoot, PathKeyRef, RootOptions};

use crate::notes::Structure;
use crate::prompt::UpdatePrompt;

/// A template or prompt that is larger is not used.
const MOST_BYTES: u64 = 64 << 10;

/// What the user may say about the session file, in `<home>/session-memory/config/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The structure, from `template.md`; ours where there is none.
    pub structure: Structure,
    /// The prompt of an update, from `prompt.md`; ours where there is none.
    pub prompt: UpdatePrompt,
    /// Files that are there and cannot be used, each with the reason. Ours took their place.
    pub problems: Vec<String>,
}

impl Config {
    /// Reads the configuration below the home folder. A missing file or folder is no problem.
    pub fn load(home: &Path) -> Self {
        let mut config = Config::default();
        let folder = home.join("session-memory").join("config");
        let root = match MemoryRoot::open(&folder, &RootOptions::default()) {
            Ok(root) => root,
            Err(error) if error.is_not_found() => return config,
            Err(error) => {
                config.problems.push(error.to_string());
                return config;
            }
        };
        if let Some(text) = read(&root, "template.md", &mut config.problems) {
            match Structure::from_template(&text) {
                Ok(structure) => config.structure = structure,
                Err(fault) => config.problems.push(format!("template.md: {fault}")),
            }
        }
        if let Some(text) = read(&root, "prompt.md", &mut config.problems) {
            if text.trim().is_empty() {
                config.problems.push("prompt.md: it is empty".to_owned());
            } else {
                config.prompt = UpdatePrompt::new(text);
            }
        }
        config
    }
}

fn read(root: &MemoryRoot, name: &str, problems: &mut Vec<String>) -> Option<String> {
    let key = PathKeyRef::parse(name).expect("a plain name because both are literals");
    match root.read(key, MOST_BYTES) {
        Ok(read) => {
            let text = String::from_utf8(read.bytes).ok();
            if text.is_none() {
                problems.push(format!("{name}: it is not UTF-8"));
            }
            text
        }
        Err(error) if error.is_not_found() => None,
        Err(error) => {
            problems.push(error.to_string());
            None
        }
    }
}

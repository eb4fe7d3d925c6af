//! Somebody who writes, deletes and renames memories while everything else goes on.
//!
//! What an editor removes it has seen: it takes files out by renaming them and replaces them by exchanging
//! them, and looks at what it got. So a line that is missing at the end and was not seen by an editor that
//! removed it was lost by the sync.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ledger::{Ledger, memories};
use test_support::Random;

/// The names people use; few, so that they meet.
const NAMES: [&str; 14] = [
    "deploy.md",
    "ports.md",
    "release/notes.md",
    "release/rollback.md",
    "people.md",
    "日本/メモ.md",
    "中文说明.md",
    "crème brûlée.md",
    "ci/flaky, and slow.md",
    "ci/cache.md",
    "style.md",
    "database.md",
    "émigré/🙂.md",
    "a/b/c/d/deep.md",
];

const WORDS: [&str; 12] = [
    "port",
    "mail",
    "the",
    "gateway",
    "prefers",
    "重试",
    "テスト",
    "never",
    "staging",
    "before",
    "noon",
    "🙂",
];

/// One person's hands.
pub(crate) struct Editor<'a> {
    name: String,
    folder: PathBuf,
    /// A folder beside, for what comes and goes.
    aside: PathBuf,
    ledger: &'a Ledger,
    random: Random,
    edits: usize,
    /// What was done, for the one who looks for a loss.
    journal: Vec<String>,
}

impl<'a> Editor<'a> {
    pub(crate) fn new(
        name: &str,
        folder: &Path,
        aside: &Path,
        ledger: &'a Ledger,
        random: Random,
    ) -> Self {
        Self {
            name: name.into(),
            folder: folder.into(),
            aside: aside.into(),
            ledger,
            random,
            edits: 0,
            journal: Vec::new(),
        }
    }

    pub(crate) fn journal(self) -> Vec<String> {
        self.journal
    }

    /// A pause of random length.
    pub(crate) fn rest(&mut self, longest: Duration) {
        let longest = longest.as_millis() as u64;
        let wait = self.random.millis(longest / 16, longest);
        std::thread::sleep(wait);
    }

    /// One edit. What fails because somebody else was faster is not done.
    pub(crate) fn edit(&mut self) {
        let files = memories(&self.folder);
        let own: Vec<&String> = files
            .keys()
            .filter(|key| !key.contains(".conflict-"))
            .collect();
        let notes: Vec<&String> = own
            .iter()
            .copied()
            .filter(|key| *key != "MEMORY.md")
            .collect();
        let at = self.random.pick(&notes).map(|key| (*key).clone());
        let roll = self.random.below(100);
        let done = match (roll, at) {
            (0..=19, _) | (_, None) => self.create(&files),
            (20..=49, Some(key)) => self.append(&key),
            (50..=71, Some(key)) => self.rewrite(&key, &files[&key]),
            (72..=81, Some(key)) => self.index(&key, files.get("MEMORY.md")),
            (82..=87, Some(key)) => self.delete(&key),
            (88..=96, Some(key)) => self.rename(&key, &files),
            (_, Some(key)) => self.respell(&key, &files),
        };
        if let Err(error) = done {
            self.journal.push(format!("  not done: {error}"));
        }
    }

    /// A line that was never written before and never will be again.
    fn line(&mut self, start: &str) -> String {
        self.edits += 1;
        let words: Vec<&str> = (0..4)
            .filter_map(|_| self.random.pick(&WORDS).copied())
            .collect();
        let line = format!(
            "{start}{} edit-{:05} {}",
            self.name,
            self.edits,
            words.join(" ")
        );
        self.ledger.announce(&line);
        line
    }

    fn temporary(&self, text: &str) -> io::Result<PathBuf> {
        let path = self.aside.join("new");
        std::fs::write(&path, text)?;
        Ok(path)
    }

    fn create(&mut self, files: &BTreeMap<String, String>) -> io::Result<()> {
        let Some(name) = self.random.pick(&NAMES).copied() else {
            return Ok(());
        };
        if is_taken(name, files) {
            return Ok(());
        }
        let first = self.line("- ");
        let described = self.random.chance(60);
        let description = if described {
            Some(self.line("description: "))
        } else {
            None
        };
        let head = match &description {
            Some(line) => format!("---\nname: note\n{line}\ntype: project\n---\n"),
            None => String::new(),
        };
        let path = self.temporary(&format!("{head}# notes\n\n{first}\n"))?;
        let target = self.folder.join(name);
        if let Some(above) = target.parent() {
            std::fs::create_dir_all(above)?;
        }
        // A link does not replace what came in between.
        let linked = std::fs::hard_link(&path, &target);
        std::fs::remove_file(&path)?;
        linked?;
        self.journal.push(format!("create {name}: {first}"));
        self.ledger.written(&first);
        if let Some(line) = &description {
            self.ledger.written(line);
        }
        Ok(())
    }

    fn append(&mut self, key: &str) -> io::Result<()> {
        let line = self.line("- ");
        let mut file = OpenOptions::new()
            .append(true)
            .open(self.folder.join(key))?;
        file.write_all(format!("{line}\n").as_bytes())?;
        self.journal.push(format!("append {key}: {line}"));
        self.ledger.written(&line);
        Ok(())
    }

    /// Puts a line in, replaces one, or says anew what the memory is about.
    fn rewrite(&mut self, key: &str, text: &str) -> io::Result<()> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let description = lines
            .iter()
            .position(|line| line.starts_with("description: "));
        let body = lines
            .iter()
            .position(|line| line.starts_with("# "))
            .map_or(0, |at| at + 2);
        let body = body.min(lines.len());
        let line = match description {
            Some(at) if self.random.chance(20) => {
                lines[at] = self.line("description: ");
                lines[at].clone()
            }
            _ => {
                let line = self.line("- ");
                let at = body + self.random.below(lines.len() - body + 1);
                if at < lines.len() && self.random.chance(40) {
                    lines[at].clone_from(&line);
                } else {
                    lines.insert(at, line.clone());
                }
                line
            }
        };
        self.exchange(key, &format!("{}\n", lines.join("\n")))?;
        self.journal.push(format!("rewrite {key}: {line}"));
        self.ledger.written(&line);
        Ok(())
    }

    fn index(&mut self, about: &str, text: Option<&String>) -> io::Result<()> {
        let line = self.line(&format!("- [{about}]({about}): "));
        let key = "MEMORY.md";
        match text {
            None => {
                let path = self.temporary(&format!("# index\n{line}\n"))?;
                let linked = std::fs::hard_link(&path, self.folder.join(key));
                std::fs::remove_file(&path)?;
                linked?;
            }
            Some(text) => {
                let mut lines: Vec<&str> = text.lines().collect();
                let at = 1 + self.random.below(lines.len().max(1));
                lines.insert(at.min(lines.len()), &line);
                self.exchange(key, &format!("{}\n", lines.join("\n")))?;
            }
        }
        self.journal.push(format!("index: {line}"));
        self.ledger.written(&line);
        Ok(())
    }

    /// Replaces a file that is there, and looks at what it replaced.
    fn exchange(&self, key: &str, text: &str) -> io::Result<()> {
        let path = self.temporary(text)?;
        let swapped = swap(&path, &self.folder.join(key));
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::remove_file(&path)?;
        swapped?;
        let kept: Vec<&str> = text.lines().collect();
        let gone: Vec<&str> = old.lines().filter(|line| !kept.contains(line)).collect();
        self.ledger.removed(&gone.join("\n"));
        Ok(())
    }

    fn delete(&mut self, key: &str) -> io::Result<()> {
        let path = self.aside.join("old");
        std::fs::rename(self.folder.join(key), &path)?;
        let old = std::fs::read_to_string(&path)?;
        std::fs::remove_file(&path)?;
        self.ledger.removed(&old);
        self.journal.push(format!("delete {key}"));
        Ok(())
    }

    fn rename(&mut self, key: &str, files: &BTreeMap<String, String>) -> io::Result<()> {
        let Some(name) = self
            .random
            .pick(&NAMES)
            .copied()
            .filter(|name| !is_taken(name, files))
        else {
            return Ok(());
        };
        let target = self.folder.join(name);
        if let Some(above) = target.parent() {
            std::fs::create_dir_all(above)?;
        }
        move_to_free(&self.folder.join(key), &target)?;
        self.journal.push(format!("rename {key} to {name}"));
        Ok(())
    }

    /// The same name in other letters: one file on many systems.
    fn respell(&mut self, key: &str, files: &BTreeMap<String, String>) -> io::Result<()> {
        let (above, name) = key
            .rsplit_once('/')
            .map_or(("", key), |(above, name)| (above, name));
        let stem = name.trim_end_matches(".md");
        let other = if stem.to_uppercase() == stem {
            stem.to_lowercase()
        } else {
            stem.to_uppercase()
        };
        let other = if above.is_empty() {
            format!("{other}.md")
        } else {
            format!("{above}/{other}.md")
        };
        if other == key || files.contains_key(&other) {
            return Ok(());
        }
        move_to_free(&self.folder.join(key), &self.folder.join(&other))?;
        self.journal.push(format!("respell {key} as {other}"));
        Ok(())
    }
}

/// Whether a name is taken under some spelling.
fn is_taken(name: &str, files: &BTreeMap<String, String>) -> bool {
    let folded = name.to_lowercase();
    files.keys().any(|key| key.to_lowercase() == folded)
}

/// Exchanges two files in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn swap(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(Into::into)
}

/// Exchanges two files, one after the other: for a moment there is none.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn swap(one: &Path, other: &Path) -> io::Result<()> {
    let aside = one.with_extension("swap");
    std::fs::rename(other, &aside)?;
    std::fs::rename(one, other)?;
    std::fs::rename(&aside, one)
}

/// Renames a file and replaces nothing.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn move_to_free(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(Into::into)
}

/// Renames a file and replaces nothing.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn move_to_free(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::hard_link(from, to)?;
    std::fs::remove_file(from)
}

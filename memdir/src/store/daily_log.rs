//! Daily logs: what an assistant that runs for days appends to, and nobody edits.

use pathguard::{AppendOptions, PathKey};

use super::names::LOG_FOLDER;
use super::{Origin, Scope, Store};
use crate::error::Error;
use crate::files;
use crate::limits::LOG_ENTRY_MAX_BYTES;
use crate::{Date, Timestamp};

/// An entry that was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEntry {
    /// The file of the day, relative to the memory folder.
    pub path: PathKey,
    /// The entry as it was written, with its line feed.
    pub text: String,
}

/// The path of a daily log as a pattern, for prompts: a prompt must not change at midnight.
pub fn log_pattern() -> &'static str {
    "logs/YYYY/MM/YYYY-MM-DD.md"
}

impl Store {
    /// Appends an entry to the log of today, in the time zone of the clock.
    ///
    /// One write to the end of the file, so that several writers do not mix their entries. File and
    /// folders are made on first use. Further lines of the text are indented below the bullet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) over
    /// [`LOG_ENTRY_MAX_BYTES`](crate::limits::LOG_ENTRY_MAX_BYTES),
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for an empty text or by the mode,
    /// [`ErrorKind::Secret`](crate::ErrorKind::Secret),
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn log(&self, text: &str, origin: &Origin) -> Result<LogEntry, Error> {
        let _span = tracing::info_span!("memdir.log").entered();
        self.permit(Scope::Private, origin)?;
        if text.len() > LOG_ENTRY_MAX_BYTES {
            return Err(Error::too_large(format!(
                "a log entry is longer than {LOG_ENTRY_MAX_BYTES} bytes"
            )));
        }
        let clock = self.options.clock();
        let (now, offset) = (clock.now(), clock.offset_seconds());
        let entry = entry_text(text, now, offset)
            .ok_or_else(|| Error::refused("a log entry needs a text"))?;
        let path = log_path(now.date(offset));
        self.guard_text(&path, entry.as_bytes(), origin)?;
        let mut line = entry.clone();
        if self.ends_in_a_line(&path)? {
            line.insert(0, '\n');
        }
        let mut options = AppendOptions::default();
        options.create_parents = true;
        self.memory
            .append(path.as_ref(), line.as_bytes(), &options)
            .map_err(|error| files::error(error, path.as_str()))?;
        Ok(LogEntry { path, text: entry })
    }

    /// Whether the file ends in the middle of a line: a writer died, or a person edited it.
    fn ends_in_a_line(&self, path: &PathKey) -> Result<bool, Error> {
        let length = match self.memory.metadata(path.as_ref()) {
            Ok(metadata) => metadata.len,
            Err(error) if error.kind() == pathguard::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(files::error(error, path.as_str())),
        };
        let Some(last) = length.checked_sub(1) else {
            return Ok(false);
        };
        Ok(files::read_range(&self.memory, path.as_ref(), last, 1)? != b"\n")
    }
}

fn log_path(date: Date) -> PathKey {
    let (year, month, day) = (date.year(), date.month(), date.day());
    let path = format!("{LOG_FOLDER}/{year:04}/{month:02}/{year:04}-{month:02}-{day:02}.md");
    PathKey::parse(&path).expect("a date makes a key because it has digits and dashes only")
}

/// The entry as one bullet, or `None` for a text without anything to see.
fn entry_text(text: &str, now: Timestamp, offset_seconds: i32) -> Option<String> {
    let (hour, minute, _) = now.time_of_day(offset_seconds);
    let mut lines = text
        .lines()
        .map(|line| line.replace(|c: char| c.is_control() && c != '\t', ""))
        .map(|line| line.trim_end().to_owned())
        .skip_while(String::is_empty);
    let mut entry = format!("- {hour:02}:{minute:02} {}\n", lines.next()?.trim_start());
    let mut blank = 0;
    for line in lines {
        // Blank lines at the end are dropped, those inside kept.
        if line.is_empty() {
            blank += 1;
            continue;
        }
        entry.push_str(&"\n".repeat(blank));
        blank = 0;
        entry.push_str("  ");
        entry.push_str(&line);
        entry.push('\n');
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_bullet_whatever_the_text() {
        let now = "2026-03-05T14:02:11Z".parse().unwrap();
        let table = [
            ("deployed", 0, Some("- 14:02 deployed\n")),
            ("deployed", 19_800, Some("- 19:32 deployed\n")),
            ("\n\n one\n\n two\r\n\n", 0, Some("- 14:02 one\n\n   two\n")),
            (
                "bell\u{7} and esc\u{1b}[31m",
                0,
                Some("- 14:02 bell and esc[31m\n"),
            ),
            ("部署完成", 0, Some("- 14:02 部署完成\n")),
            ("", 0, None),
            (" \n\t\n", 0, None),
        ];
        for (text, offset, expected) in table {
            assert_eq!(
                entry_text(text, now, offset).as_deref(),
                expected,
                "{text:?}"
            );
        }
    }

    #[test]
    fn the_path_follows_the_pattern() {
        let date = "2026-03-05".parse().unwrap();
        assert_eq!(log_path(date).as_str(), "logs/2026/03/2026-03-05.md");
        assert_eq!(log_path(date).as_str().len(), log_pattern().len());
    }
}

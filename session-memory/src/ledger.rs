//! The action ledger: a session file from what was done, without a model.
//!
//! Everything in it comes from tool calls, their results and the person's own words, so nothing in it is
//! made up. It also gives a session file that a model wrote its facts: the list of files comes from the
//! calls, not from the model's memory of them.

use agent_model::{Message, ToolResult};

use self::recent::Recent;
use self::tools::Action;
use crate::compact::Entry;
use crate::notes::{Notes, Structure};

pub use merge::LedgerText;
pub use reader::LedgerReader;
pub(crate) use recent::Listed;
pub use text::Clean;

mod done;
mod merge;
mod reader;
mod recent;
mod render;
mod text;
mod tools;

/// What was done in a session, oldest first within each list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// Files that were written or edited, by the time of their last change.
    pub changed: Vec<String>,
    /// Files that were read and not changed.
    pub read: Vec<String>,
    /// Commands with their outcome; a command that ran more than once stands once, with its last outcome.
    pub commands: Vec<CommandRun>,
    /// Calls that failed, and the action that followed.
    pub failures: Vec<Failure>,
    /// What the person asked for, word for word.
    pub instructions: Vec<String>,
    /// The last reply that had text.
    pub last_reply: Option<String>,
    /// Work that was handed to side agents and has not come back.
    pub running: Vec<String>,
}

/// A command and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// The command line.
    pub command: String,
    /// How often it ran.
    pub times: usize,
    /// How it ended the last time.
    pub outcome: Outcome,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With a result that is no error.
    Succeeded,
    /// With an error.
    Failed,
    /// No result is recorded.
    Unknown,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was tried, in a few words.
    pub tried: String,
    /// The end of the error text, at most [`MOST_ERROR_CHARS`] characters.
    pub error: String,
    /// The next action, or `None` when it is the last one.
    pub followed_by: Option<String>,
}

/// Of a call that changes many files so many are named.
const MOST_SHOWN: usize = 5;

/// An error text is cut to this many characters; the end is kept, where the cause usually stands.
pub const MOST_ERROR_CHARS: usize = 300;

impl Ledger {
    /// Reads the ledger off the entries of a session, those before a compaction boundary included.
    pub fn from_entries(entries: &[Entry]) -> Self {
        let mut reader = LedgerReader::new();
        for entry in entries {
            reader.read(entry);
        }
        reader.ledger()
    }

    /// All texts of the ledger, to be changed in place: by a host that redacts them, for one.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let lists = [
            &mut self.changed,
            &mut self.read,
            &mut self.instructions,
            &mut self.running,
        ];
        let runs = self.commands.iter_mut().map(|run| &mut run.command);
        let failures = self.failures.iter_mut().flat_map(|failure| {
            [&mut failure.tried, &mut failure.error]
                .into_iter()
                .chain(&mut failure.followed_by)
        });
        let lists = lists.into_iter().flatten();
        lists
            .chain(&mut self.last_reply)
            .chain(runs)
            .chain(failures)
    }

    /// Writes the ledger into the sections it knows, and leaves the others empty.
    ///
    /// With a user's template that lacks one of these sections its text goes into the last section, under
    /// a level-3 heading.
    pub fn to_notes(&self, structure: &Structure) -> Notes {
        let (notes, _) = self.update(&Notes::empty(structure), &LedgerText::default());
        notes
    }

    /// Brings notes up to date, and returns with them what the ledger wrote, for the next time.
    ///
    /// `last` is what the ledger wrote the last time. Whatever else stands in a section is a person's or a
    /// model's: it stays, and the ledger's text follows it. Lines that somebody took out of the ledger's
    /// text stay out.
    pub fn update(&self, notes: &Notes, last: &LedgerText) -> (Notes, LedgerText) {
        merge::update(&render::sections(&Recent::of(self)), notes, last)
    }

    /// Adds to notes that a model wrote what must not be left to its memory: the files that were changed.
    /// Returns with them what was added, for the next time.
    pub fn add_facts(&self, notes: &Notes, last: &LedgerText) -> (Notes, LedgerText) {
        let changed = Listed::of_end(&self.changed, recent::MOST_FILES, recent::path);
        merge::update(&render::facts(&changed), notes, last)
    }
}

/// Returns what the person typed, without the reminders and the context that agents put around it. Where
/// nothing is left of a message that the host calls an instruction, the host knows better.
fn words(message: &Message) -> String {
    let words = agent_transcript::Entry::new(message.clone()).person_text();
    if !words.trim().is_empty() {
        return words.trim().to_owned();
    }
    let text = message.text();
    slash_command(&text).unwrap_or_else(|| text.trim().to_owned())
}

/// Returns a slash command with the words behind it, as it was typed: Claude Code records it in elements.
/// `None` for a command without words, and for other text.
pub(crate) fn slash_command(text: &str) -> Option<String> {
    let element = |name: &str| {
        let behind = text.split_once(&format!("<{name}>"))?.1;
        Some(behind.split_once(&format!("</{name}>"))?.0.trim())
    };
    let words = element("command-args").filter(|words| !words.is_empty())?;
    let name = element("command-name").unwrap_or_default();
    Some(format!("{name} {words}").trim().to_owned())
}

/// Codex reports the exit code inside the text of a result that is no error by its flag.
fn outcome(result: &ToolResult, text: &str) -> Outcome {
    const EXIT_MARKS: &[&str] = &[
        "\"exit_code\":",
        "Process exited with code ",
        "Exit code: ",
        "Exit Code: ",
    ];
    if result.is_error {
        return Outcome::Failed;
    }
    let code = EXIT_MARKS.iter().find_map(|mark| {
        let behind = &text[text.find(mark)? + mark.len()..];
        let digits = behind.trim_start();
        let end = digits.find(|character: char| !character.is_ascii_digit() && character != '-');
        digits[..end.unwrap_or(digits.len())].parse::<i64>().ok()
    });
    if code.is_some_and(|code| code != 0) {
        Outcome::Failed
    } else {
        Outcome::Succeeded
    }
}

fn show(action: &Action) -> Option<String> {
    match action {
        Action::Read(path) => Some(format!("read `{}`", first_line(path.found()))),
        Action::Change(paths) => {
            let shown: Vec<String> = paths
                .iter()
                .take(MOST_SHOWN)
                .map(|path| first_line(path.found()))
                .collect();
            let more = if paths.len() > MOST_SHOWN {
                ", …"
            } else {
                ""
            };
            Some(format!("changed `{}`{more}", shown.join("`, `")))
        }
        Action::Run(command) => Some(format!("ran `{}`", first_line(command.found()))),
        Action::Delegate(task) => Some(format!("delegated \"{}\"", first_line(task.found()))),
        Action::Other => None,
    }
}

/// Returns the first line, cut to what fits on one line of the notes.
///
/// A cut never falls into a word, unless the line is one long word: half a credential is not recognised as
/// one, and would stay in the notes.
pub(crate) fn first_line(text: &str) -> String {
    const MOST_CHARS: usize = 160;
    let mut lines = text.trim().lines();
    let line = lines.next().unwrap_or_default();
    let shown = match line.char_indices().nth(MOST_CHARS) {
        None => line,
        Some((limit, _)) => match line[..limit].rfind(char::is_whitespace) {
            Some(end) => line[..end].trim_end(),
            None => &line[..limit],
        },
    };
    let more = shown.len() < line.len() || lines.next().is_some();
    format!("{shown}{}", if more { " …" } else { "" })
}

/// Returns about so many characters from the end, from the beginning of a word on.
fn last_chars(text: &str, count: usize) -> &str {
    let Some((from, _)) = text.char_indices().rev().nth(count.saturating_sub(1)) else {
        return text;
    };
    if text[..from].ends_with(char::is_whitespace) || from == 0 {
        return &text[from..];
    }
    match text[from..].find(char::is_whitespace) {
        Some(end) => text[from + end..].trim_start(),
        None => &text[from..],
    }
}

//! What a session file shows of a ledger: the newest of each list, and how many there are.
//!
//! A session of a day has thousands of commands, and an update shows thirty of them. So no update costs more
//! than what it shows.

use token_count::{Estimator, TokenCounter};

use super::tools::is_test;
use super::{CommandRun, Failure, Ledger};

pub(super) const MOST_FILES: usize = 60;
pub(super) const MOST_COMMANDS: usize = 30;
pub(super) const MOST_FAILURES: usize = 20;
pub(super) const MOST_RUNNING: usize = 20;
pub(super) const MOST_INSTRUCTIONS: usize = 20;

pub(super) const MOST_PATH_CHARS: usize = 1_000;
const MOST_BRIEF_CHARS: usize = 1_000;
const MOST_REPLY_TOKENS: usize = 800;
const MOST_INSTRUCTION_TOKENS: usize = 1_100;

/// The newest items of a list, oldest first.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    pub(crate) items: Vec<T>,
    /// How many the list has altogether.
    pub(crate) total: usize,
}

impl<T> Listed<T> {
    /// Takes items that come newest first.
    pub(crate) fn of_newest(newest: impl Iterator<Item = T>, total: usize, most: usize) -> Self {
        let mut items: Vec<T> = newest.take(most).collect();
        items.reverse();
        Listed { items, total }
    }
}

impl Listed<String> {
    /// Takes the end of a list that stands oldest first.
    pub(crate) fn of_end(texts: &[String], most: usize, cut: fn(&str) -> String) -> Self {
        let newest = texts.iter().rev().map(|text| cut(text));
        Self::of_newest(newest, texts.len(), most)
    }
}

/// What the sections of a session file are made of.
#[derive(Debug)]
pub(super) struct Recent {
    /// The first instruction.
    pub(super) title: Option<String>,
    /// The newest instruction.
    pub(super) newest: Option<String>,
    /// The instructions before the newest.
    pub(super) earlier: Listed<String>,
    pub(super) last_reply: Option<String>,
    pub(super) running: Listed<String>,
    pub(super) changed: Listed<String>,
    pub(super) read: Listed<String>,
    pub(super) tests: Listed<CommandRun>,
    pub(super) others: Listed<CommandRun>,
    pub(super) failures: Listed<Failure>,
}

impl Recent {
    pub(super) fn of(ledger: &Ledger) -> Self {
        let instructions = &ledger.instructions;
        let earlier = instructions
            .split_last()
            .map_or(&[][..], |(_, earlier)| earlier);
        let commands = |tests: bool| {
            let of_kind = || {
                let runs = ledger.commands.iter().rev();
                runs.filter(move |run| is_test(&run.command) == tests)
            };
            let brief = of_kind().map(|run| CommandRun {
                command: brief(&run.command),
                ..*run
            });
            Listed::of_newest(brief, of_kind().count(), MOST_COMMANDS)
        };
        Recent {
            title: instructions.first().map(|text| brief(text)),
            newest: instructions.last().map(|text| instruction(text)),
            earlier: Listed::of_end(earlier, MOST_INSTRUCTIONS, brief),
            last_reply: ledger.last_reply.as_deref().map(reply),
            running: Listed::of_end(&ledger.running, MOST_RUNNING, brief),
            changed: Listed::of_end(&ledger.changed, MOST_FILES, path),
            read: Listed::of_end(&ledger.read, MOST_FILES, path),
            tests: commands(true),
            others: commands(false),
            failures: Listed::of_newest(
                ledger.failures.iter().rev().cloned(),
                ledger.failures.len(),
                MOST_FAILURES,
            ),
        }
    }

    pub(super) fn instructions(&self) -> usize {
        self.earlier.total + usize::from(self.newest.is_some())
    }

    pub(super) fn commands(&self) -> usize {
        self.tests.total + self.others.total
    }
}

/// Returns the beginning of a text that is shown by its first line: enough to tell that there is more.
pub(super) fn brief(text: &str) -> String {
    let text = text.trim();
    let (line, is_all) = match text.find('\n') {
        None => (text, true),
        Some(end) => (&text[..end], false),
    };
    let mut brief = beginning(line, MOST_BRIEF_CHARS).to_owned();
    if !is_all {
        brief.push_str("\n…");
    }
    brief
}

pub(super) fn path(path: &str) -> String {
    beginning(path, MOST_PATH_CHARS).to_owned()
}

pub(super) fn instruction(text: &str) -> String {
    cut(text, MOST_INSTRUCTION_TOKENS)
}

pub(super) fn reply(text: &str) -> String {
    cut(text, MOST_REPLY_TOKENS)
}

fn beginning(text: &str, chars: usize) -> &str {
    match text.char_indices().nth(chars) {
        None => text,
        Some((end, _)) => &text[..end],
    }
}

fn cut(text: &str, most_tokens: usize) -> String {
    let kept = Estimator::new().prefix(text, most_tokens);
    if kept.len() == text.len() {
        text.to_owned()
    } else {
        format!("{kept}\n[cut here]")
    }
}

#[cfg(test)]
mod tests {
    use super::super::first_line;
    use super::brief;

    #[test]
    fn a_brief_text_has_the_same_first_line() {
        let words = "word ".repeat(400);
        let long = "x".repeat(3_000);
        for text in [
            "",
            " \n ",
            "one",
            "one\n",
            "one\n\ntwo",
            "\n\n one \r\n two",
            &words,
            &long,
            &format!("{words}\nmore"),
            &format!("日本語{long}"),
            "one\r\n",
            "a\rb",
        ] {
            assert_eq!(first_line(&brief(text)), first_line(text), "{text:?}");
        }
    }
}

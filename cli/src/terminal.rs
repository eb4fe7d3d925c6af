//! Where words go: data to standard output, talk to standard error, and nothing hostile to a terminal.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// When standard output is a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What a command needs to know to speak: colours, JSON, how much.
#[expect(clippy::struct_excessive_bools, reason = "four independent switches")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speech {
    /// One JSON object per line instead of text.
    pub(crate) json: bool,
    /// No talk on standard error besides errors.
    pub(crate) quiet: bool,
    color: bool,
    progress: bool,
}

impl Speech {
    /// Decides once, from the arguments and the two environment facts.
    pub(crate) fn new(color: Color, json: bool, quiet: bool, no_color: bool) -> Self {
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => !no_color && io::stdout().is_terminal(),
        };
        let progress = !quiet && io::stderr().is_terminal();
        Speech {
            json,
            quiet,
            color: color && !json,
            progress,
        }
    }

    /// Returns the same without talk.
    pub(crate) fn silenced(mut self) -> Self {
        self.quiet = true;
        self.progress = false;
        self
    }

    /// Returns whether a progress bar would be seen by a person.
    pub(crate) fn shows_progress(self) -> bool {
        self.progress
    }

    /// Returns the text in a style, or as it is where colour is off.
    pub(crate) fn paint(self, style: Style, text: &str) -> Cow<'_, str> {
        if self.color {
            Cow::Owned(format!("\u{1b}[{}m{text}\u{1b}[0m", style as u8))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Says something to the person, on standard error, unless `--quiet` was given.
    pub(crate) fn say(self, text: &str) {
        if !self.quiet {
            // A closed standard error is no reason to stop the work.
            let _ = writeln!(io::stderr(), "{text}");
        }
    }
}

/// The few styles in use; the values are SGR codes (ECMA-48, section 8.3.117).
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Style {
    /// What one looks for first.
    Bold = 1,
    /// What is only context.
    Dim = 2,
    /// What is wrong.
    Red = 31,
    /// What is new.
    Green = 32,
    /// What is doubtful.
    Yellow = 33,
}

/// Removes from foreign text what could steer a terminal or change how a line reads: control
/// characters, escape sequences, direction and invisible characters. Line feeds and tabs become spaces.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let replaced = text.chars().map(|character| match character {
        '\n' | '\t' => ' ',
        other if is_plain(other) => other,
        _ => char::REPLACEMENT_CHARACTER,
    });
    Cow::Owned(replaced.collect())
}

/// As [`clean`], but keeps line feeds and tabs: for text of many lines.
pub(crate) fn clean_lines(text: &str) -> Cow<'_, str> {
    let stays = |character| matches!(character, '\n' | '\t') || is_plain(character);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    // A carriage return before a line feed is layout of another system, not an attack.
    let text = text.replace("\r\n", "\n");
    let replaced = text.chars().map(|character| {
        if stays(character) {
            character
        } else {
            char::REPLACEMENT_CHARACTER
        }
    });
    Cow::Owned(replaced.collect())
}

/// Returns a number with its noun: `1 memory`, `2 memories`.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

fn is_plain(character: char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn escape_sequences_and_direction_marks_do_not_reach_the_terminal() {
        assert_eq!(clean("plain 中文 text"), "plain 中文 text");
        assert_eq!(clean("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
        assert_eq!(clean("a\u{202e}b\nc"), "a\u{fffd}b c");
        assert_eq!(clean("\u{9b}31m"), "\u{fffd}31m");
    }
}

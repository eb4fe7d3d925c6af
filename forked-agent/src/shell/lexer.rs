//! The second check: a lexer that knows a small part of the shell's grammar and refuses the rest.
//!
//! What it accepts means the same to every POSIX shell, so that a person who pastes the command gets
//! what was vetted. Decoding happens here and once: what runs are the words this file returns.

use super::refusal::{Refusal, RefusalKind};
use crate::text::shown;

/// One argument as the shell would decode it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    text: String,
    /// Byte offsets in `text` of the unquoted `*`, `?` and `[`.
    active: Vec<u32>,
    position: u32,
    plain: bool,
}

impl Word {
    /// Returns the text after quotes and backslashes are taken away.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether an unquoted `*`, `?` or `[…]` makes this word a pattern for file names.
    pub fn is_pattern(&self) -> bool {
        !self.active.is_empty()
    }

    /// Returns where in the command the word begins, in bytes.
    pub fn position(&self) -> usize {
        self.position as usize
    }

    /// Returns whether the word was written without any quote or backslash.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns the offsets of the characters that match, in rising order.
    pub(super) fn active(&self) -> &[u32] {
        &self.active
    }
}

/// Where a stage's standard error goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorOutput {
    /// Returned beside the output.
    #[default]
    Apart,
    /// Dropped: `2>/dev/null`.
    Dropped,
    /// Mixed into the output: `2>&1`.
    WithOutput,
}

#[derive(Debug)]
pub(super) enum Token {
    Word(Word),
    Pipe,
    And,
    Or,
    Semicolon,
    Errors(ErrorOutput),
}

/// What a byte means outside quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Stands for itself.
    Plain,
    /// Ends a word.
    Delimiter,
    /// A quote, a backslash or a pattern character: stays in the word, needs a closer look.
    Special,
    /// Anything the shell would act on and we do not.
    Refused,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Refused; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'|' | b'&' | b';' => Class::Delimiter,
            b'\'' | b'"' | b'\\' | b'*' | b'?' | b'[' => Class::Special,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | 0x80..=0xFF => Class::Plain,
            b'%' | b'+' | b',' | b'-' | b'.' | b'/' | b':' | b'=' | b'@' | b']' | b'^' | b'_' => {
                Class::Plain
            }
            _ => Class::Refused,
        };
        byte += 1;
    }
    table
}

/// Splits a command into tokens, one call at a time.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next token and where it begins, or nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Token, usize)>, Refusal> {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let begin = self.at;
        let rest = &self.text.as_bytes()[begin..];
        let (token, length) = match rest {
            [] => return Ok(None),
            [b'|', b'|', ..] => (Token::Or, 2),
            [b'|', ..] => (Token::Pipe, 1),
            [b'&', b'&', ..] => (Token::And, 2),
            [b'&', ..] => return Err(refused(b'&', begin)),
            [b';', b';', ..] => {
                return Err(syntax(begin, "`;;` belongs to `case`, which is not read"));
            }
            [b';', ..] => (Token::Semicolon, 1),
            [b'2', b'>', ..] => self.redirection()?,
            _ => return Ok(Some((Token::Word(self.word()?), begin))),
        };
        self.at += length;
        Ok(Some((token, begin)))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads `2>/dev/null` or `2>&1` written exactly so and ending there.
    fn redirection(&self) -> Result<(Token, usize), Refusal> {
        let rest = &self.text[self.at..];
        let known = [
            ("2>/dev/null", ErrorOutput::Dropped),
            ("2>&1", ErrorOutput::WithOutput),
        ];
        for (form, target) in known {
            let behind = rest.strip_prefix(form).map(str::as_bytes);
            if let Some([] | [b' ' | b'\t' | b'|' | b'&' | b';', ..]) = behind {
                return Ok((Token::Errors(target), form.len()));
            }
        }
        Err(syntax(
            self.at,
            "only `2>/dev/null` and `2>&1` are allowed as redirections, written exactly so",
        ))
    }

    fn word(&mut self) -> Result<Word, Refusal> {
        let begin = self.at;
        let mut word = Word {
            text: String::new(),
            active: Vec::new(),
            position: begin as u32,
            plain: true,
        };
        loop {
            self.plain_run(&mut word.text);
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\'' => self.single_quoted(&mut word)?,
                b'"' => self.double_quoted(&mut word)?,
                b'\\' => self.escaped(&mut word)?,
                b'*' | b'?' => {
                    word.active.push(word.text.len() as u32);
                    word.text.push(char::from(byte));
                    self.at += 1;
                }
                b'[' => self.bracket(&mut word)?,
                _ if CLASSES[usize::from(byte)] == Class::Delimiter => break,
                _ => return Err(refused(byte, self.at)),
            }
        }
        Ok(word)
    }

    /// Copies bytes that stand for themselves.
    fn plain_run(&mut self, out: &mut String) {
        let begin = self.at;
        let rest = &self.text.as_bytes()[begin..];
        let length = rest
            .iter()
            .position(|byte| CLASSES[usize::from(*byte)] != Class::Plain)
            .unwrap_or(rest.len());
        // Bytes of one character are all plain or the character is ASCII: a boundary on both sides.
        out.push_str(&self.text[begin..begin + length]);
        self.at += length;
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<(), Refusal> {
        word.plain = false;
        let inside = &self.text[self.at + 1..];
        let Some(length) = inside.find('\'') else {
            return Err(syntax(self.at, "a single quote is not closed"));
        };
        word.text.push_str(&inside[..length]);
        self.at += length + 2;
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), Refusal> {
        word.plain = false;
        let open = self.at;
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(length) = rest.find(['"', '\\', '$', '`']) else {
                return Err(syntax(open, "a double quote is not closed"));
            };
            word.text.push_str(&rest[..length]);
            self.at += length;
            match rest.as_bytes()[length..] {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(());
                }
                // Within double quotes a backslash escapes these four and is itself before others.
                [b'\\', next @ (b'"' | b'\\' | b'$' | b'`'), ..] => {
                    word.text.push(char::from(next));
                    self.at += 2;
                }
                [b'\\', ..] => {
                    word.text.push('\\');
                    self.at += 1;
                }
                // The end of a regular expression; no name can follow, so the shell leaves it alone.
                [b'$', b'"' | b'|' | b')', ..] => {
                    word.text.push('$');
                    self.at += 1;
                }
                [byte, ..] => return Err(refused(byte, self.at)),
                [] => return Err(syntax(open, "a double quote is not closed")),
            }
        }
    }

    fn escaped(&mut self, word: &mut Word) -> Result<(), Refusal> {
        word.plain = false;
        let mut behind = self.text[self.at + 1..].chars();
        let Some(next) = behind.next() else {
            return Err(syntax(self.at, "a backslash has nothing behind it"));
        };
        // Some readers of shell text (brush-parser 0.4 for one) overlook that this dollar is escaped
        // and take it for the begin of `$'…'`.
        if next == '$' && behind.as_str().starts_with(['\'', '"']) {
            return Err(syntax(
                self.at,
                "an escaped `$` directly before a quote is read in several ways; put it inside the quotes",
            ));
        }
        word.text.push(next);
        self.at += 1 + next.len_utf8();
        Ok(())
    }

    /// Reads `[…]`, of which only plain characters and ranges are allowed: the rest differs from shell
    /// to shell.
    fn bracket(&mut self, word: &mut Word) -> Result<(), Refusal> {
        let open = self.at;
        let inside = &self.text[open + 1..];
        let length = inside.find(']').unwrap_or(0);
        let set = &inside[..length];
        let plain = |byte: &u8| CLASSES[usize::from(*byte)] == Class::Plain && *byte != b'/';
        if matches!(set, "" | "^") || !set.as_bytes().iter().all(plain) {
            return Err(Refusal::new(
                RefusalKind::Pattern,
                open,
                "this form of `[` is not read as a file-name pattern; put the word in single quotes",
            ));
        }
        word.active.push(word.text.len() as u32);
        word.text.push_str(&self.text[open..open + length + 2]);
        self.at += length + 2;
        Ok(())
    }
}

fn syntax(position: usize, reason: &'static str) -> Refusal {
    Refusal::new(RefusalKind::Syntax, position, reason)
}

fn refused(byte: u8, position: usize) -> Refusal {
    let what = match byte {
        b'$' => "starts an expansion; write the value itself, or quote it with single quotes",
        b'`' => {
            "starts a command substitution; quote it with single quotes if it is meant literally"
        }
        b'(' | b')' => "groups commands; quote it if it is meant literally",
        b'{' | b'}' => "expands or groups; quote it if it is meant literally",
        b'<' | b'>' => "redirects; only `2>/dev/null` and `2>&1` are allowed",
        b'&' => "runs in the background or redirects; join commands with `&&`",
        b'!' => "negates; with `find` write `-not`, else quote it",
        b'~' => "stands for a home folder; write the path in full, or quote it",
        b'#' => "starts a comment; quote it if it is meant literally",
        _ => "is not read outside quotes",
    };
    let character = shown(char::from(byte).encode_utf8(&mut [0; 4]));
    Refusal::new(RefusalKind::Syntax, position, format!("{character} {what}"))
}

//! The words of a shell command, well enough to see what it names.
//!
//! A lexer for judging, not for running: it never fails, and what it does not know it passes over. Values
//! that are known only later, such as variables, stand in the words as marks.

use std::iter::Peekable;
use std::str::Chars;

/// Stands before and behind the name of a variable in a word.
pub(super) const BEGIN: char = '\u{1}';
pub(super) const END: char = '\u{2}';

/// Stands between a name and what counts when it has no value.
pub(super) const INSTEAD: char = '-';

/// Substitutions in each other that are followed; one further in is passed over.
const MAX_NESTED: usize = 64;

/// What follows one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Command(Command),
    /// `(`: what happens to the working folder from here on ends with [`Item::Close`].
    Open,
    Close,
}

/// One program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// Without quotes; variables as marks.
    pub(super) words: Vec<String>,
    /// Files that its output goes to.
    pub(super) outputs: Vec<String>,
    /// Texts that it reads as its input.
    pub(super) inputs: Vec<String>,
    /// Commands in `$(…)`, `` `…` ``, `<(…)` and `>(…)`.
    pub(super) nested: Vec<String>,
    /// Whether it reads what the one before it prints.
    pub(super) is_piped: bool,
    /// Whether it runs only after success of the one before it.
    pub(super) is_after_success: bool,
}

/// Reads a command.
pub(super) fn items(command: &str) -> Vec<Item> {
    let mut lexer = Lexer {
        rest: command.chars().peekable(),
        items: Vec::new(),
        command: Command::default(),
        waiting: Vec::new(),
    };
    lexer.read();
    lexer.items
}

/// A text that begins behind the line it is announced in.
struct Waiting {
    delimiter: String,
    strips_tabs: bool,
    is_quoted: bool,
    /// The item that reads it.
    item: usize,
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
    items: Vec<Item>,
    command: Command,
    waiting: Vec<Waiting>,
}

fn is_delimiter(character: char) -> bool {
    " \t\r\n;&|()<>".contains(character)
}

fn is_name(character: char) -> bool {
    character == '_' || character.is_ascii_alphanumeric()
}

impl Lexer<'_> {
    fn read(&mut self) {
        while let Some(&character) = self.rest.peek() {
            match character {
                ' ' | '\t' | '\r' => drop(self.rest.next()),
                '#' => while self.rest.next_if(|it| *it != '\n').is_some() {},
                '\n' => {
                    self.rest.next();
                    self.finish(false, false);
                    self.texts();
                }
                ';' => {
                    self.rest.next();
                    self.finish(false, false);
                }
                '(' | ')' => {
                    self.rest.next();
                    self.finish(false, false);
                    let is_open = character == '(';
                    self.items
                        .push(if is_open { Item::Open } else { Item::Close });
                }
                '&' => {
                    self.rest.next();
                    if self.takes('>') {
                        self.takes('>');
                        self.output();
                    } else {
                        let is_and = self.takes('&');
                        self.finish(false, is_and);
                    }
                }
                '|' => {
                    self.rest.next();
                    let is_or = self.takes('|');
                    self.takes('&');
                    self.finish(!is_or, false);
                }
                '<' | '>' => self.redirection(),
                _ => self.argument(),
            }
        }
        self.finish(false, false);
        self.texts();
    }

    fn takes(&mut self, character: char) -> bool {
        self.rest.next_if_eq(&character).is_some()
    }

    fn finish(&mut self, is_piped: bool, is_after_success: bool) {
        let next = Command {
            is_piped,
            is_after_success,
            ..Command::default()
        };
        let done = std::mem::replace(&mut self.command, next);
        let is_empty = done.words.is_empty()
            && done.outputs.is_empty()
            && done.inputs.is_empty()
            && done.nested.is_empty();
        let is_awaited = self
            .waiting
            .iter()
            .any(|text| text.item == self.items.len());
        if !is_empty || is_awaited {
            self.items.push(Item::Command(done));
        }
    }

    fn argument(&mut self) {
        let word = self.word();
        if word.len() > 1 && word.ends_with('=') && self.takes('(') {
            // A list: its words are read as those of a command, whose words are then the values.
            let list = self.balanced();
            self.command.nested.push(list);
        }
        // The number of a file handle in front of a redirection.
        let is_number = !word.is_empty() && word.chars().all(|it| it.is_ascii_digit());
        if !(is_number && matches!(self.rest.peek(), Some('<' | '>'))) {
            self.command.words.push(word);
        }
    }

    fn redirection(&mut self) {
        let is_output = self.rest.next() == Some('>');
        if self.takes('(') {
            let nested = self.balanced();
            self.command.nested.push(nested);
        } else if is_output {
            let _ = self.takes('>') || self.takes('|');
            if self.takes('&') {
                let to = self.target();
                let is_handle = to.chars().all(|it| it.is_ascii_digit() || it == '-');
                if !is_handle {
                    self.command.outputs.push(to);
                }
            } else {
                self.output();
            }
        } else if self.takes('<') {
            self.text();
        } else if self.takes('>') {
            self.output();
        } else {
            let _ = self.takes('&');
            self.target();
        }
    }

    fn output(&mut self) {
        let to = self.target();
        if !to.is_empty() {
            self.command.outputs.push(to);
        }
    }

    /// The word behind a redirection.
    fn target(&mut self) -> String {
        while self.rest.next_if(|it| " \t".contains(*it)).is_some() {}
        self.word()
    }

    /// `<<` or `<<<`, of which two characters are read.
    fn text(&mut self) {
        if self.takes('<') {
            let text = self.target();
            self.command.inputs.push(text);
            return;
        }
        let strips_tabs = self.takes('-');
        while self.rest.next_if(|it| " \t".contains(*it)).is_some() {}
        let is_quoted = matches!(self.rest.peek(), Some('\'' | '"' | '\\'));
        let delimiter = self.word();
        self.waiting.push(Waiting {
            delimiter,
            strips_tabs,
            is_quoted,
            item: self.items.len(),
        });
    }

    /// Reads the texts that were announced in the line before.
    fn texts(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            let mut text = String::new();
            while self.rest.peek().is_some() {
                let mut line: String =
                    std::iter::from_fn(|| self.rest.next_if(|it| *it != '\n')).collect();
                self.rest.next();
                if waiting.strips_tabs {
                    line = line.trim_start_matches('\t').to_owned();
                }
                if line.trim_end_matches('\r') == waiting.delimiter {
                    break;
                }
                text.extend(line.chars().filter(|it| ![BEGIN, END].contains(it)));
                text.push('\n');
            }
            let nested = if waiting.is_quoted {
                Vec::new()
            } else {
                substitutions(&text)
            };
            if let Some(Item::Command(command)) = self.items.get_mut(waiting.item) {
                command.inputs.push(text);
                command.nested.extend(nested);
            }
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(&character) = self.rest.peek() {
            if is_delimiter(character) {
                break;
            }
            self.rest.next();
            match character {
                '\'' => word.extend(std::iter::from_fn(|| {
                    self.rest.next().filter(|it| *it != '\'')
                })),
                '"' => self.quoted(&mut word),
                '$' => self.dollar(&mut word),
                '`' => self.backtick(),
                '~' if word.is_empty() || word.ends_with(['=', ':']) => self.tilde(&mut word),
                // On Windows it parts folders.
                '\\' if !cfg!(windows) => word.extend(self.rest.next().filter(|it| *it != '\n')),
                BEGIN | END => {}
                _ => word.push(character),
            }
        }
        word
    }

    fn quoted(&mut self, word: &mut String) {
        while let Some(character) = self.rest.next() {
            match character {
                '"' => return,
                '$' => self.dollar(word),
                '`' => self.backtick(),
                '\\' => match self.rest.next_if(|it| "\"\\$`\n".contains(*it)) {
                    Some('\n') => {}
                    Some(escaped) => word.push(escaped),
                    None => word.push('\\'),
                },
                BEGIN | END => {}
                _ => word.push(character),
            }
        }
    }

    fn dollar(&mut self, word: &mut String) {
        match self.rest.peek().copied() {
            Some('\'') => {
                self.rest.next();
                self.escapes(word);
            }
            Some('(') => {
                self.rest.next();
                let nested = self.balanced();
                self.command.nested.push(nested);
            }
            Some('{') => {
                self.rest.next();
                let mut name = self.name();
                let mut depth = 1;
                let mut rest = String::new();
                for character in self.rest.by_ref() {
                    depth += i32::from(character == '{') - i32::from(character == '}');
                    if depth == 0 {
                        break;
                    }
                    rest.push(character);
                }
                // `${A:-B}`: what it stands for when there is no A.
                let instead = rest.trim_start_matches(':').strip_prefix(['-', '=']);
                if let Some(instead) = instead.filter(|_| !name.is_empty()) {
                    name.push(INSTEAD);
                    name.extend(instead.chars().filter(|it| ![BEGIN, END].contains(it)));
                }
                mark(word, &name);
            }
            Some(first) if is_name(first) && !first.is_ascii_digit() => {
                let name = self.name();
                mark(word, &name);
            }
            Some(special) if special.is_ascii_digit() || "@*#?$!-".contains(special) => {
                self.rest.next();
            }
            _ => word.push('$'),
        }
    }

    fn name(&mut self) -> String {
        std::iter::from_fn(|| self.rest.next_if(|it| is_name(*it))).collect()
    }

    /// `$'…'`, behind its opening quote.
    fn escapes(&mut self, word: &mut String) {
        while let Some(character) = self.rest.next() {
            match character {
                '\'' => return,
                '\\' => {
                    let (most, radix) = match self.rest.peek() {
                        Some('x') => (2, 16),
                        Some('u') => (4, 16),
                        Some('U') => (8, 16),
                        Some('0'..='7') => (3, 8),
                        _ => {
                            word.extend(self.rest.next());
                            continue;
                        }
                    };
                    if radix == 16 {
                        self.rest.next();
                    }
                    let digits: String = (0..most)
                        .map_while(|_| self.rest.next_if(|it| it.is_digit(radix)))
                        .collect();
                    let code = u32::from_str_radix(&digits, radix).ok();
                    word.extend(code.and_then(char::from_u32));
                }
                _ => word.push(character),
            }
        }
    }

    fn tilde(&mut self, word: &mut String) {
        let whose: String =
            std::iter::from_fn(|| self.rest.next_if(|it| is_name(*it) || "+-.".contains(*it)))
                .collect();
        match whose.as_str() {
            "" => mark(word, "HOME"),
            "+" => mark(word, "PWD"),
            whose => mark(word, &format!("~{whose}")),
        }
    }

    fn backtick(&mut self) {
        let mut nested = String::new();
        while let Some(character) = self.rest.next() {
            match character {
                '`' => break,
                '\\' => nested.extend(self.rest.next()),
                _ => nested.push(character),
            }
        }
        self.command.nested.push(nested);
    }

    /// Everything up to the closing parenthesis of the one that was just read. Quotes, comments and texts
    /// behind their line may hold parentheses of their own.
    fn balanced(&mut self) -> String {
        let mut text = String::new();
        let mut depth = 1;
        let mut quote = None;
        let mut delimiters: Vec<String> = Vec::new();
        while let Some(character) = self.rest.next() {
            match (quote, character) {
                (None, '\'' | '"') => quote = Some(character),
                (Some(open), _) if open == character => quote = None,
                (Some('"') | None, '\\') => {
                    text.push(character);
                    text.extend(self.rest.next());
                    continue;
                }
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                (None, '#') if text.is_empty() || text.ends_with([' ', '\t', '\n', ';']) => {
                    while self.rest.next_if(|it| *it != '\n').is_some() {}
                    continue;
                }
                (None, '<') if self.takes('<') => {
                    text.push_str("<<");
                    if !self.takes('<') {
                        delimiters.push(self.announced(&mut text));
                        continue;
                    }
                }
                (None, '\n') => {
                    text.push('\n');
                    for delimiter in std::mem::take(&mut delimiters) {
                        self.lines_up_to(&delimiter, &mut text);
                    }
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            text.push(character);
        }
        text
    }

    /// The delimiter of a text behind its line, copied as it is written.
    fn announced(&mut self, text: &mut String) -> String {
        let mut delimiter = String::new();
        while let Some(character) = self.rest.next_if(|it| "- \t".contains(*it)) {
            text.push(character);
        }
        while let Some(character) = self.rest.next_if(|it| !is_delimiter(*it)) {
            text.push(character);
            if !"'\"\\".contains(character) {
                delimiter.push(character);
            }
        }
        delimiter
    }

    /// Copies a text behind its line, with the line that ends it.
    fn lines_up_to(&mut self, delimiter: &str, text: &mut String) {
        while self.rest.peek().is_some() {
            let line: String = std::iter::from_fn(|| self.rest.next_if(|it| *it != '\n')).collect();
            text.push_str(&line);
            if self.rest.next().is_some() {
                text.push('\n');
            }
            if line.trim_start_matches('\t').trim_end_matches('\r') == delimiter {
                return;
            }
        }
    }
}

fn mark(word: &mut String, name: &str) {
    if !name.is_empty() {
        word.push(BEGIN);
        word.push_str(name);
        word.push(END);
    }
}

/// The commands in a text in which a shell looks for them.
fn substitutions(text: &str) -> Vec<String> {
    let mut lexer = Lexer {
        rest: text.chars().peekable(),
        items: Vec::new(),
        command: Command::default(),
        waiting: Vec::new(),
    };
    let mut word = String::new();
    while lexer.rest.peek().is_some() && lexer.command.nested.len() < MAX_NESTED {
        // A quote has no meaning there and is passed over.
        lexer.quoted(&mut word);
        word.clear();
    }
    lexer.command.nested
}

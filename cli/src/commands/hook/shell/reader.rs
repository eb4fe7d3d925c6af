//! Follows a command from program to program: what each is given, and in which folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use memstrata::pathguard::lexically_normal;

use super::lexer::{self, Command, Item};
use super::programs::{Effect, judge};
use super::{How, Named, Target};

/// Scripts in scripts.
const MAX_DEPTH: usize = 6;

/// Bytes of all words of a command when its variables are filled in.
const MAX_WORD_BYTES: usize = 8 << 20;

/// Different targets of one command.
const MAX_TARGETS: usize = 4_096;

/// Values that a variable may have at once, and folders that a command may run in.
const MAX_VALUES: usize = 16;

/// Words in front of a program that are no program.
const RESERVED: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time",
    "coproc", "function", "in", "esac",
];

/// Programs that run the one that follows.
const WRAPPERS: &[&str] = &[
    "builtin",
    "busybox",
    "caffeinate",
    "command",
    "doas",
    "env",
    "exec",
    "ionice",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "sudo",
    "timeout",
    "unbuffer",
];

pub(super) struct Reader {
    /// What each variable may hold.
    variables: BTreeMap<String, Vec<String>>,
    targets: BTreeSet<Target>,
    is_too_much: bool,
    /// Bytes of words that may still be made.
    bytes_left: usize,
}

/// What a program is given beside its arguments.
#[derive(Clone, Copy, Debug)]
struct Given<'a> {
    /// Texts that it reads.
    inputs: &'a [String],
    /// The words of the programs before it in the pipe.
    piped: &'a [String],
    depth: usize,
}

impl Reader {
    pub(super) fn new(variables: &[(&str, &Path)]) -> Self {
        let known = variables.iter();
        let known = known.map(|(name, value)| ((*name).to_owned(), vec![text_of(value)]));
        Reader {
            variables: known.collect(),
            targets: BTreeSet::new(),
            is_too_much: false,
            bytes_left: MAX_WORD_BYTES,
        }
    }

    /// What was found; `None` when it was too much.
    pub(super) fn targets(self) -> Option<Vec<Target>> {
        (!self.is_too_much).then(|| self.targets.into_iter().collect())
    }

    /// Reads a script that runs in one of some folders, and says which words its commands have.
    pub(super) fn script(
        &mut self,
        script: &str,
        folders: &mut Vec<PathBuf>,
        depth: usize,
    ) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        if depth > MAX_DEPTH {
            self.is_too_much = true;
            return words;
        }
        let mut outer: Vec<Vec<PathBuf>> = Vec::new();
        // What goes through the pipe: the names that a program prints are those that it was given.
        let mut piped: Vec<String> = Vec::new();
        let mut before: Option<Vec<PathBuf>> = None;
        for item in lexer::items(script) {
            match item {
                Item::Open => outer.push(folders.clone()),
                Item::Close => *folders = outer.pop().unwrap_or_else(|| folders.clone()),
                Item::Command(command) => {
                    if let Some(before) = before.take()
                        && !command.is_after_success
                    {
                        // Nobody looks whether `cd` went well.
                        merge(folders, before);
                    }
                    if !command.is_piped {
                        piped.clear();
                    }
                    let here = folders.clone();
                    let given = self.command(&command, folders, &piped, depth);
                    before = (here != *folders).then_some(here);
                    piped.extend(given.iter().cloned());
                    words.extend(given);
                }
            }
        }
        words
    }

    /// Reads one command; returns its words.
    fn command(
        &mut self,
        command: &Command,
        folders: &mut Vec<PathBuf>,
        piped: &[String],
        depth: usize,
    ) -> Vec<String> {
        let mut inner: Vec<String> = Vec::new();
        for nested in &command.nested {
            inner.extend(self.script(nested, &mut folders.clone(), depth + 1));
        }
        for output in &command.outputs {
            for path in self.values(output) {
                self.add(&path, How::Write, folders);
            }
        }
        let mut words: Vec<String> = Vec::new();
        let mut rest = command.words.as_slice();
        while let [first, more @ ..] = rest {
            if let Some((name, value)) = assignment(first) {
                let mut values = self.values(value);
                values.extend(inner.iter().cloned());
                self.set(name, values);
            } else if !RESERVED.contains(&first.as_str()) {
                break;
            }
            rest = more;
        }
        for word in rest {
            words.extend(self.values(word));
        }
        words.extend(inner);
        let inputs: Vec<String> = command
            .inputs
            .iter()
            .flat_map(|text| self.values(text))
            .collect();
        let given = [words.as_slice(), &inputs].concat();
        let beside = Given {
            inputs: &inputs,
            piped,
            depth,
        };
        self.program(&words, folders, beside);
        given
    }

    fn program(&mut self, words: &[String], folders: &mut Vec<PathBuf>, given: Given<'_>) {
        let Some((first, arguments)) = words.split_first() else {
            return;
        };
        let name = first.rsplit('/').next().unwrap_or(first);
        match name {
            "cd" | "pushd" | "chdir" => change_folder(arguments, folders),
            "watch" => {
                let script = arguments.join(" ");
                self.script(&script, &mut folders.clone(), given.depth + 1);
            }
            "for" | "select" => {
                if let Some((variable, values)) = arguments.split_first() {
                    self.set(
                        variable,
                        values
                            .iter()
                            .skip_while(|it| *it == "in")
                            .cloned()
                            .collect(),
                    );
                }
            }
            "case" => {}
            "read" | "mapfile" | "readarray" => {
                for variable in arguments.iter().filter(|it| !it.starts_with('-')) {
                    self.set(
                        variable,
                        given.piped.iter().chain(given.inputs).cloned().collect(),
                    );
                }
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                for (name, value) in arguments.iter().filter_map(|it| assignment(it)) {
                    self.set(name, vec![value.to_owned()]);
                }
            }
            _ if WRAPPERS.contains(&name) => self.wrapped(name, arguments, folders, given),
            _ => {
                let effect = judge(name, arguments);
                self.effect(effect, arguments, folders, given);
            }
        }
    }

    /// A program that another one starts.
    fn program_in(&mut self, words: &[String], folders: &mut Vec<PathBuf>, given: Given<'_>) {
        let given = Given {
            depth: given.depth + 1,
            ..given
        };
        if given.depth > MAX_DEPTH {
            self.is_too_much = true;
        } else {
            self.program(words, folders, given);
        }
    }

    /// `sudo -u ana rm x`: options and values in front of the program.
    fn wrapped(&mut self, name: &str, arguments: &[String], folders: &[PathBuf], given: Given<'_>) {
        let mut here = folders.to_vec();
        let mut rest = arguments;
        let mut takes_duration = name == "timeout";
        while let [first, more @ ..] = rest {
            let is_folder = name == "env" && (first == "-C" || first == "--chdir");
            let has_value = matches!(
                (name, first.as_str()),
                ("sudo" | "doas" | "env", "-u")
                    | ("sudo", "-g")
                    | ("nice" | "ionice", "-n")
                    | ("ionice", "-c")
                    | ("timeout", "-k" | "-s")
            );
            if is_folder && let [folder, more @ ..] = more {
                change_folder(std::slice::from_ref(folder), &mut here);
                rest = more;
            } else if first.starts_with('-') {
                // A value that is not known for one counts as the program, which is then an unknown one.
                rest = if has_value && !more.is_empty() {
                    &more[1..]
                } else {
                    more
                };
            } else if let Some((variable, value)) = assignment(first) {
                self.set(variable, vec![value.to_owned()]);
                rest = more;
            } else if std::mem::take(&mut takes_duration) {
                rest = more;
            } else {
                break;
            }
        }
        self.program_in(rest, &mut here, given);
    }

    fn effect(
        &mut self,
        effect: Effect,
        arguments: &[String],
        folders: &[PathBuf],
        given: Given<'_>,
    ) {
        match effect {
            Effect::Nothing => {}
            Effect::Paths(named) => self.add_all(named, folders),
            Effect::Anything => {
                // `su -c SCRIPT` and its like.
                for pair in arguments.windows(2) {
                    if ["-c", "--command"].contains(&pair[0].as_str()) && pair[1].contains(' ') {
                        self.script(&pair[1], &mut folders.to_vec(), given.depth + 1);
                    }
                }
                for word in arguments {
                    for path in values_of(word) {
                        self.add(path, How::Write, folders);
                    }
                }
                self.add(".", How::Inside, folders);
            }
            Effect::Scripts(scripts) => {
                let read = if scripts.is_empty() {
                    [given.piped, given.inputs].concat()
                } else {
                    scripts
                };
                for script in read {
                    self.script(&script, &mut folders.to_vec(), given.depth + 1);
                }
            }
            Effect::Sources(texts) => self.sources(&texts, folders),
            Effect::Language(texts) => {
                self.sources(&texts, folders);
                self.sources(given.inputs, folders);
                self.add(".", How::Inside, folders);
            }
            Effect::Runs(words) => {
                let words = [words.as_slice(), given.piped].concat();
                let given = Given {
                    piped: &[],
                    ..given
                };
                self.program_in(&words, &mut folders.to_vec(), given);
            }
            Effect::Tree(folder, named) => {
                let mut here = folders.to_vec();
                if let Some(folder) = folder {
                    change_folder(&[folder], &mut here);
                }
                self.add(".", How::Tree, &here);
                self.add_all(named, &here);
            }
        }
    }

    /// Paths in a text of another language: what stands in quotes, and what stands between other signs.
    fn sources(&mut self, texts: &[String], folders: &[PathBuf]) {
        for text in texts {
            let is_sign = |it: char| it.is_whitespace() || "'\"`()[]{}<>|&;,=".contains(it);
            let pieces = std::iter::once(text.as_str())
                .chain(text.split(['\'', '"', '`']))
                .chain(text.split(is_sign));
            for piece in pieces.filter(|it| it.contains(['/', '\\']) && !it.contains('\n')) {
                self.add(piece, How::Write, folders);
            }
        }
    }

    fn add_all(&mut self, named: Vec<Named>, folders: &[PathBuf]) {
        for (path, how) in named {
            self.add(&path, how, folders);
        }
    }

    fn add(&mut self, path: &str, how: How, folders: &[PathBuf]) {
        // Longer than any path can be: text that only looks like one.
        if path.is_empty() || path.len() > 4_096 {
            return;
        }
        // A language has no `~` of its own, but programs in it know what is meant.
        let home = path
            .strip_prefix("~/")
            .and_then(|rest| Some((self.variables.get("HOME")?.first()?, rest)));
        let path = match home {
            Some((home, rest)) => Path::new(home).join(rest),
            None => PathBuf::from(path),
        };
        for folder in folders {
            let path = lexically_normal(&folder.join(&path));
            self.targets.insert(Target { path, how });
        }
        self.is_too_much |= self.targets.len() > MAX_TARGETS;
    }

    fn set(&mut self, variable: &str, mut values: Vec<String>) {
        values.sort();
        values.dedup();
        // Those that look like paths first: the others name no memory.
        values.sort_by_key(|value| !value.contains('/'));
        values.truncate(MAX_VALUES);
        self.variables.insert(variable.to_owned(), values);
    }

    /// The texts that a word may stand for.
    fn values(&mut self, word: &str) -> Vec<String> {
        let mut values = vec![String::new()];
        let mut rest = word;
        while let Some((before, behind)) = rest.split_once(lexer::BEGIN) {
            let (name, behind) = behind.split_once(lexer::END).unwrap_or((behind, ""));
            let holds = self.value_of(name);
            values = values
                .iter()
                .flat_map(|begin| {
                    holds
                        .iter()
                        .map(move |value| format!("{begin}{before}{value}"))
                })
                .take(MAX_VALUES)
                .collect();
            rest = behind;
            self.spend(&values);
            if self.is_too_much {
                return Vec::new();
            }
        }
        for value in &mut values {
            value.push_str(rest);
        }
        self.spend(&values);
        values
    }

    /// A variable that holds itself twice, again and again, would fill the memory.
    fn spend(&mut self, values: &[String]) {
        let spent = values.iter().map(String::len).sum();
        self.bytes_left = self.bytes_left.saturating_sub(spent);
        self.is_too_much |= self.bytes_left == 0;
    }

    /// What a variable may hold; an empty text when that is not known.
    fn value_of(&self, name: &str) -> Vec<String> {
        let name_of_home = |home: &String| {
            Path::new(home)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let (name, instead) = match name.split_once(lexer::INSTEAD) {
            Some((known, instead)) if !name.starts_with('~') => (known, instead),
            _ => (name, ""),
        };
        let values = match name.strip_prefix('~') {
            // `~ana`: the home of that person, when it is ours.
            Some(whose) => self
                .variables
                .get("HOME")
                .filter(|homes| homes.first().and_then(name_of_home).as_deref() == Some(whose)),
            None => self.variables.get(name),
        };
        match values {
            Some(values) if !values.is_empty() => values.clone(),
            _ if name.starts_with('~') => vec![name.to_owned()],
            _ => vec![instead.trim_matches(['"', '\'']).to_owned()],
        }
    }
}

fn merge(folders: &mut Vec<PathBuf>, more: Vec<PathBuf>) {
    for folder in more {
        if !folders.contains(&folder) && folders.len() < MAX_VALUES {
            folders.push(folder);
        }
    }
}

fn change_folder(arguments: &[String], folders: &mut Vec<PathBuf>) {
    let Some(to) = arguments.iter().find(|it| !it.starts_with('-')) else {
        return;
    };
    if to.is_empty() {
        // What a substitution prints is not known, but it was given something to print it from.
        let named = arguments.iter().filter(|it| it.contains('/'));
        let paths = named.flat_map(|it| Path::new(it).ancestors().take(2));
        let more: Vec<PathBuf> = paths
            .flat_map(|path| {
                folders
                    .iter()
                    .map(|folder| lexically_normal(&folder.join(path)))
                    .collect::<Vec<_>>()
            })
            .collect();
        merge(folders, more);
        return;
    }
    for folder in folders.iter_mut() {
        *folder = lexically_normal(&folder.join(to));
    }
    folders.dedup();
}

/// A word with what may stand in it beside a whole path: `--output=PATH`, `-oPATH`, `a:PATH`.
fn values_of(word: &str) -> impl Iterator<Item = &str> {
    let behind = word
        .char_indices()
        .filter(|(_, it)| "=:,@".contains(*it))
        .map(|(at, it)| &word[at + it.len_utf8()..]);
    let is_short = word.starts_with('-') && !word.starts_with("--") && word.is_char_boundary(2);
    let attached = (is_short && word.len() > 2).then(|| &word[2..]);
    std::iter::once(word)
        .chain(behind.take(MAX_VALUES))
        .chain(attached)
        .filter(|path| !path.is_empty())
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = name.starts_with(|it: char| it == '_' || it.is_ascii_alphabetic())
        && name
            .chars()
            .all(|it| it == '_' || it.is_ascii_alphanumeric());
    is_name.then_some((name, value))
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

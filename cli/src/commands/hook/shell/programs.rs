//! What programs do to the files they are given, by their documented options.
//!
//! Whoever is not in these lists could do anything to what it is given, so the lists only ever make a
//! judgement milder. They hold what the manuals of GNU coreutils 9, findutils 4, sed 4, tar 1.35, git 2 and
//! the BSD programs of the same names say.

use super::{How, Named};

/// What a program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It changes nothing that it is given.
    Nothing,
    /// It changes these, and nothing else.
    Paths(Vec<Named>),
    /// It could change whatever it is given and what lies in its working folder.
    Anything,
    /// It runs these as shell commands.
    Scripts(Vec<String>),
    /// It writes what its own small language says, in which paths are quoted.
    Sources(Vec<String>),
    /// It runs programs in a language, which could do anything in its working folder.
    Language(Vec<String>),
    /// It runs another program on what it is given and reads.
    Runs(Vec<String>),
    /// It changes the files of a working folder: its own, or this one.
    Tree(Option<String>, Vec<Named>),
}

/// Programs that only read what they are given, with whatever options.
const READERS: &[&str] = &[
    ":",
    "[",
    "[[",
    "alias",
    "ag",
    "b2sum",
    "base64",
    "basename",
    "bat",
    "batcat",
    "break",
    "cat",
    "cksum",
    "cmp",
    "colordiff",
    "column",
    "comm",
    "continue",
    "cut",
    "date",
    "df",
    "diff",
    "diff3",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exa",
    "exit",
    "expr",
    "eza",
    "false",
    "fgrep",
    "file",
    "fold",
    "getfacl",
    "grep",
    "head",
    "hexdump",
    "id",
    "jq",
    "join",
    "less",
    "let",
    "ls",
    "lsattr",
    "lsd",
    "md5",
    "md5sum",
    "memstrata",
    "more",
    "namei",
    "nl",
    "od",
    "open",
    "paste",
    "popd",
    "printenv",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "return",
    "rev",
    "rg",
    "sdiff",
    "seq",
    "set",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "shift",
    "sleep",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "test",
    "tokei",
    "tr",
    "tree",
    "true",
    "tsort",
    "type",
    "umask",
    "unset",
    "vdir",
    "view",
    "wait",
    "wc",
    "whereis",
    "which",
    "xdg-open",
    "yq",
    "zcat",
    "zgrep",
];

/// Shells, which take a command behind `-c` or read it.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

/// Languages.
const LANGUAGES: &[&str] = &[
    "bun",
    "deno",
    "ed",
    "emacs",
    "ex",
    "lua",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "powershell",
    "psql",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "Rscript",
    "sqlite3",
    "tclsh",
    "vi",
    "vim",
    "nvim",
    "nano",
];

/// What git can be asked for that leaves the files of the working folder alone.
const GIT_READS: &[&str] = &[
    "add",
    "blame",
    "branch",
    "cat-file",
    "commit",
    "config",
    "count-objects",
    "describe",
    "diff",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "fsck",
    "gc",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "notes",
    "push",
    "reflog",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "tag",
    "var",
    "version",
    "whatchanged",
];

/// Judges a program by its name without a folder, and its arguments.
pub(super) fn judge(program: &str, arguments: &[String]) -> Effect {
    let name = program.strip_suffix(".exe").unwrap_or(program);
    // `python3.12` is `python3`.
    let language = name.trim_end_matches(|it: char| it == '.' || it.is_ascii_digit());
    match name {
        _ if READERS.contains(&name) => output_option(name, arguments),
        _ if SHELLS.contains(&name) => shell(arguments),
        _ if LANGUAGES.contains(&name) || LANGUAGES.contains(&language) => {
            Effect::Language(arguments.to_vec())
        }
        "eval" => Effect::Scripts(vec![arguments.join(" ")]),
        "trap" => Effect::Scripts(arguments.iter().take(1).cloned().collect()),
        "xargs" | "parallel" => runs(arguments),
        "sed" | "gsed" => sed(arguments),
        "awk" | "gawk" | "mawk" | "nawk" => awk(arguments),
        "sort" => sort(arguments),
        "uniq" | "xxd" => paths(How::Write, operands(arguments).skip(1)),
        "tee" | "sponge" | "touch" | "truncate" => paths(How::Write, operands(arguments)),
        "mkdir" => paths(How::MakeFolder, operands(arguments)),
        "rmdir" => paths(How::Tree, operands(arguments)),
        "rm" | "shred" | "unlink" | "trash" | "del" | "erase" => {
            paths(How::Remove, operands(arguments))
        }
        "chmod" | "chown" | "chgrp" => paths(How::Tree, operands(arguments).skip(1)),
        "find" => find(arguments),
        "cp" | "install" | "scp" | "mv" | "ln" | "rsync" => copy(name, arguments),
        "tar" | "bsdtar" | "gtar" => tar(arguments),
        "dd" => paths(
            How::Write,
            arguments
                .iter()
                .filter_map(|it| Some(it.strip_prefix("of=")?.to_owned())),
        ),
        "git" => git(arguments),
        _ => Effect::Anything,
    }
}

fn paths(how: How, all: impl Iterator<Item = String>) -> Effect {
    let named: Vec<Named> = all.map(|path| (path, how)).collect();
    if named.is_empty() {
        Effect::Nothing
    } else {
        Effect::Paths(named)
    }
}

/// The arguments that are no options; behind `--` all are.
fn operands(arguments: &[String]) -> impl Iterator<Item = String> + '_ {
    let mut is_over = false;
    arguments.iter().filter_map(move |one| {
        if !is_over && one == "--" {
            is_over = true;
            return None;
        }
        (is_over || !one.starts_with('-') || one == "-").then(|| one.clone())
    })
}

/// Whether an option is given, alone or among other letters.
fn has(arguments: &[String], letter: char, long: &str) -> bool {
    arguments.iter().any(|one| {
        let name = one.split('=').next().unwrap_or(one);
        let is_long = name.len() > 4 && name.starts_with("--") && long.starts_with(name);
        let is_short = one.starts_with('-') && !one.starts_with("--") && one.contains(letter);
        is_long || is_short
    })
}

/// The value of an option, attached or as the next argument.
fn value(arguments: &[String], short: &str, long: &str) -> Option<String> {
    let mut rest = arguments.iter();
    while let Some(one) = rest.next() {
        if one == short || one == long {
            return rest.next().cloned();
        }
        let attached = one
            .strip_prefix(long)
            .and_then(|value| value.strip_prefix('='))
            .or_else(|| one.strip_prefix(short).filter(|_| !one.starts_with("--")));
        if let Some(value) = attached {
            return Some(value.to_owned());
        }
    }
    None
}

/// Some programs that read have one option by which they write.
fn output_option(name: &str, arguments: &[String]) -> Effect {
    match name {
        "tree" | "less" => paths(How::Write, value(arguments, "-o", "--output").into_iter()),
        "yq" if has(arguments, 'i', "--inplace") => paths(How::Write, operands(arguments)),
        _ => Effect::Nothing,
    }
}

fn shell(arguments: &[String]) -> Effect {
    let is_script =
        |one: &&String| one.starts_with('-') && !one.starts_with("--") && one.ends_with('c');
    match arguments.iter().position(|one| is_script(&one)) {
        Some(at) => Effect::Scripts(arguments[at + 1..].to_vec()),
        // A file with commands, or its input.
        None if operands(arguments).next().is_some() => Effect::Anything,
        None => Effect::Scripts(Vec::new()),
    }
}

/// `xargs` and its like: the program behind their options.
fn runs(arguments: &[String]) -> Effect {
    const WITH_VALUE: &[&str] = &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E", "-j"];
    let mut rest = arguments.iter();
    while let Some(one) = rest.next() {
        if WITH_VALUE.contains(&one.as_str()) {
            rest.next();
        } else if !one.starts_with('-') {
            return Effect::Runs(std::iter::once(one).chain(rest).cloned().collect());
        }
    }
    // Without a program they print.
    Effect::Nothing
}

fn sed(arguments: &[String]) -> Effect {
    if has(arguments, 'i', "--in-place") {
        return paths(How::Write, operands(arguments));
    }
    // Its commands can write files of their own.
    Effect::Sources(
        operands(arguments)
            .take(1)
            .chain(value(arguments, "-e", "--expression"))
            .collect(),
    )
}

fn awk(arguments: &[String]) -> Effect {
    let writes_what_it_reads = arguments.iter().any(|one| {
        one == "inplace"
            || one.contains("system(")
            || (one.contains("FILENAME") && one.contains('>'))
    });
    if writes_what_it_reads {
        return Effect::Anything;
    }
    Effect::Sources(operands(arguments).take(1).collect())
}

fn sort(arguments: &[String]) -> Effect {
    paths(How::Write, value(arguments, "-o", "--output").into_iter())
}

fn find(arguments: &[String]) -> Effect {
    let starts = arguments
        .iter()
        .skip_while(|one| ["-H", "-L", "-P"].contains(&one.as_str()))
        .take_while(|one| !one.starts_with(['-', '(', '!']))
        .cloned();
    let mut named: Vec<Named> = Vec::new();
    let mut changes = false;
    for (at, one) in arguments.iter().enumerate() {
        let next = arguments.get(at + 1).cloned().unwrap_or_default();
        match one.as_str() {
            "-delete" => changes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let program = next.rsplit('/').next().unwrap_or_default();
                changes |= !READERS.contains(&program);
            }
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => named.push((next, How::Write)),
            _ => {}
        }
    }
    if changes {
        let before = named.len();
        named.extend(starts.map(|start| (start, How::Tree)));
        if named.len() == before {
            named.push((".".to_owned(), How::Tree));
        }
    }
    if named.is_empty() {
        Effect::Nothing
    } else {
        Effect::Paths(named)
    }
}

/// Programs whose last operand is what is written.
fn copy(name: &str, arguments: &[String]) -> Effect {
    let mut all: Vec<String> = operands(arguments).collect();
    let mut named: Vec<Named> = Vec::new();
    let recursive = has(arguments, 'r', "--recursive")
        || has(arguments, 'R', "--recursive")
        || has(arguments, 'a', "--archive");
    let how = if recursive { How::Tree } else { How::Write };
    match value(arguments, "-t", "--target-directory").filter(|_| name != "rsync") {
        Some(target) => named.push((target, how)),
        None if name == "ln" && all.len() == 1 => named.push((".".to_owned(), How::Write)),
        None if all.len() > 1 => named.extend(all.pop().map(|target| (target, how))),
        None => {}
    }
    let takes_away = match name {
        "mv" => Some(How::Remove),
        "rsync" if has(arguments, '\0', "--remove-source-files") => Some(How::Tree),
        // Another name for the same file: what is written to it lands in the memory.
        "ln" if !has(arguments, 's', "--symbolic") => Some(How::Tree),
        "cp" if has(arguments, 'l', "--link") => Some(How::Tree),
        _ => None,
    };
    if let Some(how) = takes_away {
        named.extend(all.into_iter().map(|source| (source, how)));
    }
    if named.is_empty() {
        Effect::Nothing
    } else {
        Effect::Paths(named)
    }
}

fn tar(arguments: &[String]) -> Effect {
    let first = arguments.first().map_or("", String::as_str);
    let letters = first.strip_prefix('-').unwrap_or(first);
    let is_long = letters.starts_with('-');
    let only_reads =
        (!is_long && letters.contains('t')) || arguments.iter().any(|one| one == "--list");
    let packs =
        (!is_long && letters.contains('c')) || arguments.iter().any(|one| one == "--create");
    if arguments.iter().any(|one| one.starts_with("--remove")) {
        return Effect::Anything;
    }
    if only_reads {
        return Effect::Nothing;
    }
    if packs {
        // The archive stands behind the letters, or behind its own option.
        let attached = letters
            .contains('f')
            .then(|| arguments.get(1).cloned())
            .flatten();
        let archive = attached.or_else(|| value(arguments, "-f", "--file"));
        return paths(How::Write, archive.into_iter());
    }
    let folder = value(arguments, "-C", "--directory");
    Effect::Tree(folder, Vec::new())
}

fn git(arguments: &[String]) -> Effect {
    const WITH_VALUE: &[&str] = &[
        "-c",
        "--git-dir",
        "--namespace",
        "--exec-path",
        "--super-prefix",
    ];
    let mut folder = None;
    let mut rest = arguments.iter();
    while let Some(one) = rest.next() {
        if one == "-C" || one == "--work-tree" {
            folder = rest.next().cloned();
        } else if let Some(value) = one.strip_prefix("--work-tree=") {
            folder = Some(value.to_owned());
        } else if WITH_VALUE.contains(&one.as_str()) {
            rest.next();
        } else if !one.starts_with('-') {
            let rest: Vec<String> = rest.cloned().collect();
            if GIT_READS.contains(&one.as_str()) {
                return paths(How::Write, value(&rest, "-\0", "--output").into_iter());
            }
            let named = operands(&rest).map(|path| (path, How::Tree)).collect();
            return Effect::Tree(folder, named);
        }
    }
    Effect::Nothing
}

//! The programs that may run, and the options each of them may get, as data.
//!
//! The lists hold what GNU coreutils 9.1 to 9.7, grep 3.8 to 3.12 and findutils 4.9 to 4.10 document
//! and what only reads and ends by itself. Left out on purpose: whatever follows links while walking
//! (`grep -R`, `ls -L`), waits (`tail -f`), reads names from a file (`--files0-from`) or is meant for
//! another program (`ls --dired`). A name that is not here is refused, abbreviations too, because GNU
//! programs accept any unambiguous beginning of a long name.

use self::Kind::{Choice, Count, Pattern, Text};
use self::Takes::{Maybe, Nothing, Recursion, Value};

/// A program that may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is the program of that name")]
pub enum Program {
    Ls,
    Find,
    Grep,
    Cat,
    Stat,
    Wc,
    Head,
    Tail,
}

impl Program {
    /// All programs, in the order in which a reason lists them.
    pub const ALL: [Self; 8] = [
        Self::Ls,
        Self::Find,
        Self::Grep,
        Self::Cat,
        Self::Stat,
        Self::Wc,
        Self::Head,
        Self::Tail,
    ];

    /// Returns the bare name under which the program is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ls => "ls",
            Self::Find => "find",
            Self::Grep => "grep",
            Self::Cat => "cat",
            Self::Stat => "stat",
            Self::Wc => "wc",
            Self::Head => "head",
            Self::Tail => "tail",
        }
    }

    /// Returns the program of that name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Returns the option list; `find` has predicates instead, see the module `find`.
    pub(super) fn options(self) -> Option<&'static Options> {
        match self {
            Self::Find => None,
            Self::Ls => Some(&LS),
            Self::Grep => Some(&GREP),
            Self::Cat => Some(&CAT),
            Self::Stat => Some(&STAT),
            Self::Wc => Some(&WC),
            Self::Head => Some(&HEAD),
            Self::Tail => Some(&TAIL),
        }
    }
}

/// What may follow an option.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    Nothing,
    /// Nothing, and the program walks down from its operands.
    Recursion,
    /// A value, attached or as the next argument.
    Value(Kind),
    /// A value only when attached; long options with `=`, short ones not at all.
    Maybe(Kind),
}

/// The form of an option's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A number with an optional sign and unit.
    Count,
    /// One word of a list, in full.
    Choice(&'static [&'static str]),
    /// Anything: it never names a file.
    Text,
    /// A search pattern: with it, `grep` takes no pattern from its operands.
    Pattern,
    /// A file that is read for patterns, as `Pattern`.
    PatternFile,
    /// A file that is read.
    File,
    /// `grep`'s treatment of folders; `recurse` walks.
    Folders,
}

/// How a program takes an option that is a number, such as `-5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    Refused,
    /// A whole argument: `head -5`.
    Alone,
    /// Among other letters too: `grep -n5`.
    Mixed,
}

/// What a program does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// Without one it looks at the folder it runs in.
    OrFolder,
    /// Without one, or for `-`, it reads its input.
    OrInput,
    /// It needs one; `-` is its input.
    Needed,
    /// The first is a pattern unless an option gave one; then as `OrInput`.
    Search,
}

/// The options one program may get.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) short: &'static [(u8, Takes)],
    pub(super) long: &'static [(&'static str, Takes)],
    pub(super) digits: Digits,
    pub(super) operands: Operands,
}

const COLOR: Takes = Maybe(Choice(&["always", "never", "auto"]));

static LS: Options = Options {
    short: &[
        (b'l', Nothing),
        (b'a', Nothing),
        (b'h', Nothing),
        (b't', Nothing),
        (b'r', Nothing),
        (b'1', Nothing),
        (b'd', Nothing),
        (b'R', Recursion),
        (b'A', Nothing),
        (b'b', Nothing),
        (b'B', Nothing),
        (b'c', Nothing),
        (b'C', Nothing),
        (b'f', Nothing),
        (b'F', Nothing),
        (b'g', Nothing),
        (b'G', Nothing),
        (b'i', Nothing),
        (b'k', Nothing),
        (b'm', Nothing),
        (b'n', Nothing),
        (b'N', Nothing),
        (b'o', Nothing),
        (b'p', Nothing),
        (b'q', Nothing),
        (b'Q', Nothing),
        (b's', Nothing),
        (b'S', Nothing),
        (b'u', Nothing),
        (b'U', Nothing),
        (b'v', Nothing),
        (b'x', Nothing),
        (b'X', Nothing),
        (b'T', Value(Count)),
        (b'w', Value(Count)),
    ],
    long: &[
        ("all", Nothing),
        ("almost-all", Nothing),
        ("author", Nothing),
        ("block-size", Value(Text)),
        ("classify", COLOR),
        ("color", COLOR),
        ("directory", Nothing),
        ("escape", Nothing),
        ("file-type", Nothing),
        (
            "format",
            Value(Choice(&[
                "across",
                "commas",
                "horizontal",
                "long",
                "single-column",
                "verbose",
                "vertical",
            ])),
        ),
        ("full-time", Nothing),
        ("group-directories-first", Nothing),
        ("help", Nothing),
        ("hide", Value(Text)),
        ("hide-control-chars", Nothing),
        ("human-readable", Nothing),
        ("ignore", Value(Text)),
        ("ignore-backups", Nothing),
        (
            "indicator-style",
            Value(Choice(&["none", "slash", "file-type", "classify"])),
        ),
        ("inode", Nothing),
        ("kibibytes", Nothing),
        ("literal", Nothing),
        ("no-group", Nothing),
        ("numeric-uid-gid", Nothing),
        ("quote-name", Nothing),
        (
            "quoting-style",
            Value(Choice(&[
                "literal",
                "locale",
                "shell",
                "shell-always",
                "shell-escape",
                "shell-escape-always",
                "c",
                "escape",
            ])),
        ),
        ("recursive", Recursion),
        ("reverse", Nothing),
        ("show-control-chars", Nothing),
        ("si", Nothing),
        ("size", Nothing),
        (
            "sort",
            Value(Choice(&[
                "none",
                "name",
                "size",
                "time",
                "version",
                "extension",
                "width",
            ])),
        ),
        ("tabsize", Value(Count)),
        (
            "time",
            Value(Choice(&[
                "atime",
                "access",
                "use",
                "ctime",
                "status",
                "mtime",
                "modification",
                "birth",
                "creation",
            ])),
        ),
        ("time-style", Value(Text)),
        ("version", Nothing),
        ("width", Value(Count)),
        ("zero", Nothing),
    ],
    digits: Digits::Refused,
    operands: Operands::OrFolder,
};

static GREP: Options = Options {
    short: &[
        (b'n', Nothing),
        (b'r', Recursion),
        (b'i', Nothing),
        (b'E', Nothing),
        (b'l', Nothing),
        (b'F', Nothing),
        (b'c', Nothing),
        (b'o', Nothing),
        (b'v', Nothing),
        (b'w', Nothing),
        (b'A', Value(Count)),
        (b'B', Value(Count)),
        (b'C', Value(Count)),
        (b'm', Value(Count)),
        (b'e', Value(Pattern)),
        (b'f', Value(Kind::PatternFile)),
        (b'a', Nothing),
        (b'b', Nothing),
        (b'd', Value(Kind::Folders)),
        (b'D', Value(Choice(&["skip"]))),
        (b'G', Nothing),
        (b'h', Nothing),
        (b'H', Nothing),
        (b'I', Nothing),
        (b'L', Nothing),
        (b'P', Nothing),
        (b'q', Nothing),
        (b's', Nothing),
        (b'T', Nothing),
        (b'U', Nothing),
        (b'V', Nothing),
        (b'x', Nothing),
        (b'y', Nothing),
        (b'z', Nothing),
        (b'Z', Nothing),
    ],
    long: &[
        ("after-context", Value(Count)),
        ("basic-regexp", Nothing),
        ("before-context", Value(Count)),
        ("binary", Nothing),
        (
            "binary-files",
            Value(Choice(&["binary", "text", "without-match"])),
        ),
        ("byte-offset", Nothing),
        ("color", COLOR),
        ("colour", COLOR),
        ("context", Value(Count)),
        ("count", Nothing),
        ("devices", Value(Choice(&["skip"]))),
        ("directories", Value(Kind::Folders)),
        ("exclude", Value(Text)),
        ("exclude-dir", Value(Text)),
        ("exclude-from", Value(Kind::File)),
        ("extended-regexp", Nothing),
        ("file", Value(Kind::PatternFile)),
        ("files-with-matches", Nothing),
        ("files-without-match", Nothing),
        ("fixed-strings", Nothing),
        ("group-separator", Value(Text)),
        ("help", Nothing),
        ("ignore-case", Nothing),
        ("include", Value(Text)),
        ("initial-tab", Nothing),
        ("invert-match", Nothing),
        ("label", Value(Text)),
        ("line-buffered", Nothing),
        ("line-number", Nothing),
        ("line-regexp", Nothing),
        ("max-count", Value(Count)),
        ("no-filename", Nothing),
        ("no-group-separator", Nothing),
        ("no-ignore-case", Nothing),
        ("no-messages", Nothing),
        ("null", Nothing),
        ("null-data", Nothing),
        ("only-matching", Nothing),
        ("perl-regexp", Nothing),
        ("quiet", Nothing),
        ("recursive", Recursion),
        ("regexp", Value(Pattern)),
        ("silent", Nothing),
        ("text", Nothing),
        ("version", Nothing),
        ("with-filename", Nothing),
        ("word-regexp", Nothing),
    ],
    digits: Digits::Mixed,
    operands: Operands::Search,
};

static CAT: Options = Options {
    short: &[
        (b'n', Nothing),
        (b'A', Nothing),
        (b'b', Nothing),
        (b'e', Nothing),
        (b'E', Nothing),
        (b's', Nothing),
        (b't', Nothing),
        (b'T', Nothing),
        (b'u', Nothing),
        (b'v', Nothing),
    ],
    long: &[
        ("help", Nothing),
        ("number", Nothing),
        ("number-nonblank", Nothing),
        ("show-all", Nothing),
        ("show-ends", Nothing),
        ("show-nonprinting", Nothing),
        ("show-tabs", Nothing),
        ("squeeze-blank", Nothing),
        ("version", Nothing),
    ],
    digits: Digits::Refused,
    operands: Operands::OrInput,
};

static STAT: Options = Options {
    short: &[
        (b'c', Value(Text)),
        (b'f', Nothing),
        (b'L', Nothing),
        (b't', Nothing),
    ],
    long: &[
        ("cached", Value(Choice(&["always", "never", "default"]))),
        ("dereference", Nothing),
        ("file-system", Nothing),
        ("format", Value(Text)),
        ("help", Nothing),
        ("printf", Value(Text)),
        ("terse", Nothing),
        ("version", Nothing),
    ],
    digits: Digits::Refused,
    operands: Operands::Needed,
};

static WC: Options = Options {
    short: &[
        (b'l', Nothing),
        (b'c', Nothing),
        (b'L', Nothing),
        (b'm', Nothing),
        (b'w', Nothing),
    ],
    long: &[
        ("bytes", Nothing),
        ("chars", Nothing),
        ("help", Nothing),
        ("lines", Nothing),
        ("max-line-length", Nothing),
        ("total", Value(Choice(&["auto", "always", "only", "never"]))),
        ("version", Nothing),
        ("words", Nothing),
    ],
    digits: Digits::Refused,
    operands: Operands::OrInput,
};

static HEAD: Options = Options {
    short: ENDS_SHORT,
    long: ENDS_LONG,
    digits: Digits::Alone,
    operands: Operands::OrInput,
};

static TAIL: Options = Options {
    short: ENDS_SHORT,
    long: ENDS_LONG,
    digits: Digits::Alone,
    operands: Operands::OrInput,
};

/// `head` and `tail` share the options that end by themselves.
const ENDS_SHORT: &[(u8, Takes)] = &[
    (b'n', Value(Count)),
    (b'c', Value(Count)),
    (b'q', Nothing),
    (b'v', Nothing),
    (b'z', Nothing),
];

const ENDS_LONG: &[(&str, Takes)] = &[
    ("bytes", Value(Count)),
    ("help", Nothing),
    ("lines", Value(Count)),
    ("quiet", Nothing),
    ("silent", Nothing),
    ("verbose", Nothing),
    ("version", Nothing),
    ("zero-terminated", Nothing),
];

//! Makes command lines for the comparisons with other shells.
//!
//! Most are well formed in unusual ways (quotes inside words, escapes, glued operators); a part is
//! damaged by random insertions, because those find what the lexer accepts and should not.

/// A small generator of numbers (SplitMix64), so that a run can be repeated from its seed alone.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const TEXTS: &[&str] = &[
    "a",
    "b",
    "notes.md",
    "src",
    "x y",
    "it's",
    "say \"hi\"",
    "$HOME",
    "`id`",
    "$(id)",
    "a;b",
    "c|d",
    "e&f",
    "g>h",
    "i<j",
    "back\\slash",
    "\\",
    "{a,b}",
    "~",
    "!",
    "#c",
    "*",
    "?",
    "[ab]",
    "(",
    ")",
    "记忆",
    "é",
    "=",
    "a=b",
    "^x",
    "$",
    "foo$",
    "%s\\n",
    "\t",
    "-",
    "--",
    "2",
    "2>1",
    "'",
    "\"",
    "''",
    "a\\ b",
    "@",
    "+",
    "😀",
    ",",
    ":",
    "]",
    "}",
    "%",
    ".*",
    "-x",
    "\\$",
    "\\`",
    "\\\\",
    "\\\"",
    "end\\",
];

/// Argument lists that pass; `@` stands for a word made at random.
const LINES: &[&str] = &[
    "ls @ @",
    "ls -la @",
    "ls --color=never -- @",
    "ls",
    "cat @ @",
    "cat -n @",
    "cat @ -",
    "grep -e @ @",
    "grep -rn @ .",
    "grep @",
    "grep --regexp=@ @",
    "grep -e@ @",
    "grep @ @ @",
    "grep --include=@ -r @ .",
    "find . -name @",
    "find . -iname @ -o -path @",
    "find @ -printf @",
    "find . \\( -name @ \\) -print",
    "stat -c @ @",
    "stat --format=@ @",
    "wc -l @",
    "head -n 3 @",
    "head -3 @",
    "tail -n +2 @",
    "tail -c5 @",
    "head",
    "wc",
    "cat",
];

const DAMAGE: &[&str] = &[
    " ",
    "\t",
    "'",
    "\"",
    "\\",
    "|",
    "||",
    "&&",
    ";",
    "&",
    "$",
    "`",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "!",
    "~",
    "#",
    "*",
    "?",
    "[",
    "]",
    "2>&1",
    "2>/dev/null",
    "2",
    ">",
    "=",
    "-",
    "a",
    "\\\\",
    "$'",
    "é",
    "%",
    "^",
    ";;",
    "|&",
    "&>",
    "''",
    "\"\"",
    " 2>&1 ",
    "2>&1x",
    "\\2>&1",
    "+",
    "@(",
    "ls",
    "\"$",
    "$\"",
    "\\'",
];

/// Returns one command line.
pub(super) fn command(numbers: &mut Numbers) -> String {
    let mut out = String::new();
    for _ in 0..numbers.below(2) {
        out.push(' ');
    }
    let programs = 1 + numbers.below(4);
    for index in 0..programs {
        if index > 0 {
            let operator = numbers.pick(&[
                " | ", "|", " && ", "&&", " || ", "||", " ; ", ";", " |", "| ",
            ]);
            out.push_str(operator);
        }
        line(numbers, &mut out);
    }
    if numbers.one_in(12) {
        out.push_str(numbers.pick(&[";", " ;", " ", "\t"]));
    }
    if numbers.one_in(3) {
        for _ in 0..=numbers.below(3) {
            let boundaries: Vec<usize> = out.char_indices().map(|(at, _)| at).collect();
            let at = boundaries[numbers.below(boundaries.len())];
            out.insert_str(at, numbers.pick(DAMAGE));
        }
    }
    out
}

fn line(numbers: &mut Numbers, out: &mut String) {
    let line = numbers.pick(LINES);
    for (index, part) in line.split('@').enumerate() {
        if index > 0 {
            word(numbers, out);
        }
        out.push_str(part);
    }
    if numbers.one_in(4) {
        out.push_str(numbers.pick(&[
            " 2>/dev/null",
            " 2>&1",
            " 2>&1 2>/dev/null",
            " 2>/dev/null 2>&1",
        ]));
    }
}

/// Writes a word out of pieces, each quoted in one of the ways a shell knows.
fn word(numbers: &mut Numbers, out: &mut String) {
    for _ in 0..=numbers.below(3) {
        let text = numbers.pick(TEXTS);
        match numbers.below(4) {
            0 if !text.contains('\'') => {
                out.push('\'');
                out.push_str(text);
                out.push('\'');
            }
            1 => {
                out.push('"');
                for character in text.chars() {
                    if matches!(character, '"' | '\\' | '$' | '`') {
                        out.push('\\');
                    }
                    out.push(character);
                }
                out.push('"');
            }
            2 => {
                for character in text.chars() {
                    if !character.is_alphanumeric() || numbers.one_in(3) {
                        out.push('\\');
                    }
                    out.push(character);
                }
            }
            _ => out.push_str(text),
        }
    }
}

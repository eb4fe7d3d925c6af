//! More ways to hide a token, as hostile readers of the first table thought of them: what no one
//! sees, escapes of escapes, and what stands between the pieces of a broken token.

use crate::support;
use crate::views::{Hide, each, full_width, split_by};

/// The letters and digits of one of Unicode's mathematical alphabets.
fn mathematical(character: char, letters: u32, digits: u32) -> char {
    let code = u32::from(character);
    let styled = match character {
        'A'..='Z' => letters + code - u32::from('A'),
        'a'..='z' => letters + 26 + code - u32::from('a'),
        '0'..='9' => digits + code - u32::from('0'),
        _ => code,
    };
    char::from_u32(styled).unwrap_or(character)
}

fn circled(character: char) -> char {
    let code = u32::from(character);
    let styled = match character {
        'A'..='Z' => 0x24B6 + code - u32::from('A'),
        'a'..='z' => 0x24D0 + code - u32::from('a'),
        '1'..='9' => 0x2460 + code - u32::from('1'),
        '0' => 0x24EA,
        _ => code,
    };
    char::from_u32(styled).unwrap_or(character)
}

/// `text` with `gap` before every `every` characters of it.
fn split_text(text: &str, every: usize, gap: &str) -> String {
    let mut split = String::new();
    for (index, character) in text.chars().enumerate() {
        if index % every == 0 {
            split += gap;
        }
        split.push(character);
    }
    split
}

/// The pieces between two of `quote`, joined by `gap` between closing and opening quote marks.
fn strings(token: &str, quote: &str, gap: &str) -> Option<Vec<u8>> {
    let split = split_by(token, 12, &[quote, gap, quote].concat())?;
    Some([quote.as_bytes(), &split, quote.as_bytes()].concat())
}

/// The lines of a token with `prefix` before each, after a line end.
fn lines(token: &str, prefix: &str) -> Option<Vec<u8>> {
    let split = split_by(token, 12, &format!("\n{prefix}"))?;
    Some([b"\n", prefix.as_bytes(), &split].concat())
}

pub(crate) const INVISIBLE: &[(&str, Hide)] = &[
    ("Arabic letter marks", |token| split_by(token, 3, "\u{61C}")),
    ("Hangul fillers", |token| {
        split_by(token, 3, "\u{3164}\u{FFA0}\u{115F}")
    }),
    ("Khmer vowels", |token| split_by(token, 3, "\u{17B4}")),
    ("Mongolian selectors", |token| {
        split_by(token, 3, "\u{180B}")
    }),
    ("invisible operators", |token| {
        split_by(token, 3, "\u{2062}")
    }),
    ("annotation anchors", |token| split_by(token, 3, "\u{FFF9}")),
    ("musical marks", |token| split_by(token, 3, "\u{1D173}")),
    ("shorthand marks", |token| split_by(token, 3, "\u{1BCA0}")),
    ("plane 14", |token| split_by(token, 3, "\u{E0FFF}")),
    ("struck through by combining marks", |token| {
        split_by(token, 1, "\u{336}")
    }),
    ("an accent", |token| split_by(token, 8, "\u{301}")),
    ("backspaces", |token| split_by(token, 5, "\u{8}")),
    ("deletes", |token| split_by(token, 5, "\u{7F}")),
    ("mathematical bold", |token| {
        each(token, |_, c| mathematical(c, 0x1D400, 0x1D7CE).into())
    }),
    ("mathematical typewriter", |token| {
        each(token, |_, c| mathematical(c, 0x1D670, 0x1D7F6).into())
    }),
    ("circled", |token| each(token, |_, c| circled(c).into())),
];

pub(crate) const ESCAPED: &[(&str, Hide)] = &[
    ("percent three times", |token| {
        each(token, |_, c| format!("%2525{:02X}", c as u32))
    }),
    ("percent of full-width", |token| {
        each(token, |_, c| {
            let wide = full_width(c);
            let digits = support::hex(wide.to_string().as_bytes());
            let pairs = String::from_utf8(digits).unwrap_or_default();
            split_text(&pairs, 2, "%")
        })
    }),
    ("\\u of tags, in two units", |token| {
        split_by(token, 5, "\\uDB40\\uDC41")
    }),
    ("\\u of full-width", |token| {
        each(token, |_, c| format!("\\u{:04X}", full_width(c) as u32))
    }),
    ("\\u in JSON in JSON in JSON in JSON", |token| {
        each(token, |_, c| format!("{}u{:04x}", "\\".repeat(8), c as u32))
    }),
    ("\\uu", |token| {
        each(token, |_, c| format!("\\uu{:04x}", c as u32))
    }),
    ("\\u{} with zeros", |token| {
        each(token, |_, c| format!("\\u{{{:010x}}}", c as u32))
    }),
    ("octal after a zero", |token| {
        each(token, |_, c| format!("\\0{:03o}", c as u32))
    }),
    ("octal in braces", |token| {
        each(token, |_, c| format!("\\o{{{:o}}}", c as u32))
    }),
    ("decimal entities with ten digits", |token| {
        each(token, |_, c| format!("&#{:010};", c as u32))
    }),
    ("hexadecimal entities with twelve digits", |token| {
        each(token, |_, c| format!("&#x{:012x};", c as u32))
    }),
    ("entities three times", |token| {
        each(token, |_, c| format!("&amp;amp;#{};", c as u32))
    }),
    ("other names of entities", |token| {
        let named = token.replace('_', "&UnderBar;").replace('-', "&dash;");
        (named != token).then(|| named.into_bytes())
    }),
];

pub(crate) const BROKEN: &[(&str, Hide)] = &[
    ("strings and a plus sign", |token| {
        strings(token, "\"", " + ")
    }),
    ("strings and a plus sign, tight", |token| {
        strings(token, "'", "+")
    }),
    ("template strings", |token| strings(token, "`", " + ")),
    ("strings and a full stop", |token| {
        strings(token, "\"", " . ")
    }),
    ("strings and two full stops", |token| {
        strings(token, "'", " .. ")
    }),
    ("strings and bars", |token| strings(token, "'", " || ")),
    ("strings in a row", |token| strings(token, "\"", " ")),
    ("strings in a string", |token| strings(token, "\\\"", " + ")),
    ("strings of two kinds", |token| {
        let (head, tail) = token.split_at(token.len() / 2);
        Some(format!("\"{head}\" + '{tail}'").into_bytes())
    }),
    ("strings of Python", |token| {
        strings(token, "\"", "\n    f").filter(|_| !token.contains('~'))
    }),
    ("empty strings of a shell", |token| {
        split_by(token, 12, "''")
    }),
    ("tags", |token| split_by(token, 9, "<wbr>")),
    ("tags around letters", |token| {
        each(token, |_, c| format!("<span>{c}</span>"))
    }),
    ("comments", |token| split_by(token, 9, "<!-- -->")),
    ("colours", |token| split_by(token, 7, "\u{1B}[31m")),
    ("coloured by grep", |token| {
        let (head, tail) = token.split_at(4);
        Some(format!("{head}\u{1B}[m\u{1B}[K{tail}").into_bytes())
    }),
    ("added by a patch", |token| lines(token, "+")),
    ("taken out by a patch", |token| lines(token, "-")),
    ("numbered with a bar", |token| lines(token, " 12 | ")),
    ("numbered with an arrow", |token| lines(token, "   7→")),
    ("numbered with a tab", |token| lines(token, "     3\t")),
    ("in a comment of SQL", |token| lines(token, "-- ")),
    ("rows of a table", |token| {
        let split = split_by(token, 12, " |\n| ")?;
        Some([b"\n| ".as_slice(), &split, b" |\n"].concat())
    }),
    ("continued by cmd.exe", |token| split_by(token, 12, "^\r\n")),
    ("continued by PowerShell", |token| {
        split_by(token, 12, "`\n")
    }),
    ("carriage returns", |token| split_by(token, 12, "\r")),
    ("line separators", |token| split_by(token, 12, "\u{2028}")),
    ("wrapped and indented, spelled out", |token| {
        split_by(token, 12, "\\n    ")
    }),
    ("base64 wrapped by 32, spelled out", |token| {
        let encoded = support::base64(token.as_bytes(), true);
        Some(support::wrapped(&encoded, 32, "\\n"))
    }),
    ("base64 of strings", |token| {
        let inner = strings(token, "\"", " + ")?;
        Some(support::base64(&inner, true))
    }),
    ("base64 wrapped in base64 wrapped", |token| {
        let inner = format!("{}{token}\n", "some text. ".repeat(9));
        let inner = support::base64(inner.as_bytes(), true);
        let inner = support::wrapped(&inner, 76, "\n");
        Some(support::wrapped(&support::base64(&inner, true), 76, "\n"))
    }),
];

/// Forms that plant more than the token.
pub(crate) const LARGER: &[&str] = &[
    "strings and a plus sign",
    "strings and a plus sign, tight",
    "template strings",
    "strings and a full stop",
    "strings and two full stops",
    "strings and bars",
    "strings in a row",
    "strings in a string",
    "strings of two kinds",
    "strings of Python",
    "tags around letters",
    "added by a patch",
    "taken out by a patch",
    "numbered with a bar",
    "numbered with an arrow",
    "numbered with a tab",
    "in a comment of SQL",
    "rows of a table",
    "base64 of strings",
    "base64 wrapped in base64 wrapped",
];

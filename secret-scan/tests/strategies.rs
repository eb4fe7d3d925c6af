//! Inputs for the properties: hostile mixtures of whole and broken tokens.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::support;
use crate::views::forms;

/// Glue between pieces, chosen to open and close escapes, lines and encodings.
const GLUE: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\n> ",
    "\\n",
    "\\\n",
    "**",
    "`",
    "_",
    "-",
    ".",
    ",",
    "=",
    "==",
    "=\n",
    "%",
    "%2",
    "%25",
    "\\",
    "\\u",
    "\\u00",
    "\\x",
    "&",
    "&#",
    "&#x",
    "&#6",
    "&amp;",
    ";",
    "\u{200B}",
    "\u{AD}",
    "\u{FEFF}",
    "Ａ",
    "令",
    "🔑",
    "é",
    "\0",
    "\0\0",
    "[redacted:",
    "]",
    "\"",
    "' + '",
    "\" + \"",
    "''",
    "\"\n    + \"",
    "\\n    ",
    " |\n| ",
    "\n+",
    "\n 7\t",
    "<wbr>",
    "</b>",
    "<!--",
    "-->",
    "\u{1B}[31m",
    "\u{1B}[",
    "\u{8}",
    "\u{336}",
    "\r",
    "\u{2028}",
    "%2525",
    "\\0",
    "\\uD8",
    "&amp;amp;",
    "-----",
    "BEGIN ",
    "PRIVATE KEY",
    "T3BlbkFJ",
    "eyJ",
    "SK",
    "://",
    "Bearer ",
    "token = ",
];

/// One piece of an input: a token, part of one, a hidden one, glue, or noise.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let tokens: Vec<String> = support::examples()
        .into_iter()
        .map(|(_, token)| token)
        .collect();
    let token = prop::sample::select(tokens);
    let part = (
        token.clone(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    );
    prop_oneof![
        3 => token.clone().prop_map(String::into_bytes),
        3 => part.prop_map(|(token, from, to)| {
            let (from, to) = (from.index(token.len()), to.index(token.len()));
            token.as_bytes()[from.min(to)..from.max(to)].to_vec()
        }),
        3 => (token, prop::sample::select(forms().collect::<Vec<_>>())).prop_map(|(token, (_, hide))| {
            hide(&token).unwrap_or_default()
        }),
        6 => prop::sample::select(GLUE).prop_map(|glue| glue.as_bytes().to_vec()),
        1 => "[A-Za-z0-9+/_=-]{0,80}".prop_map(String::into_bytes),
        1 => "\\PC{0,20}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..20),
    ]
}

/// Up to a few kilobytes.
pub(crate) fn input() -> impl Strategy<Value = Vec<u8>> {
    vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

/// The same as text.
pub(crate) fn text() -> impl Strategy<Value = String> {
    input().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Several windows long, with interesting pieces around the places where windows meet.
pub(crate) fn long_input() -> impl Strategy<Value = Vec<u8>> {
    let filler = prop::sample::select(vec![
        "a note about nothing. ",
        "x",
        "AAAA",
        "\n",
        "令牌",
        "=",
        "%41",
    ]);
    vec((filler, 0..70_000_usize, input()), 1..6).prop_map(|parts| {
        let mut bytes = Vec::new();
        for (filler, count, piece) in parts {
            bytes.extend(filler.bytes().cycle().take(count));
            bytes.extend(piece);
        }
        bytes
    })
}

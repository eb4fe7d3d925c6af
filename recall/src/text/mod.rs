//! One tokeniser for files and queries: the same text gives the same terms on both sides.

pub(crate) mod cjk;
pub(crate) mod common;
pub(crate) mod identifier;
pub(crate) mod lexicon;
pub(crate) mod spelling;
pub(crate) mod stop;
pub(crate) mod term;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// One piece of a text, lower-case, in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A word, or one part of an identifier; not stemmed yet.
    Word(&'a str),
    /// An identifier with its connectors taken out, after its parts. `strong` says that no ordinary
    /// prose is written this way, so that meeting it whole is evidence by itself.
    Whole {
        /// The joined form.
        text: &'a str,
        /// Whether the form is one that only identifiers have.
        strong: bool,
    },
    /// Two neighbouring characters of a script without word spaces.
    Bigram(&'a str),
    /// One character of such a script.
    Single(&'a str),
}

/// Returns the text in NFKC without invisible characters; plain ASCII is returned as it is.
pub(crate) fn normalise(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkc().filter(|c| !is_invisible(*c)).collect())
}

/// Returns whether a character is drawn as nothing, so that it must not split or forge a word.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{E0000}'..='\u{E01EF}')
}

/// Calls `sink` with each piece of a text that [`normalise`] returned.
pub(crate) fn pieces(text: &str, sink: &mut dyn FnMut(Piece<'_>)) {
    let mut scratch = identifier::Scratch::default();
    let mut chars = text.char_indices().peekable();
    while let Some(&(start, c)) = chars.peek() {
        if cjk::is_cjk(c) {
            let end = run_end(text, start, cjk::is_cjk);
            cjk::pieces(&text[start..end], sink);
            skip_to(&mut chars, end);
        } else if c.is_alphanumeric() {
            let end = chunk_end(text, start);
            identifier::pieces(&text[start..end], &mut scratch, sink);
            skip_to(&mut chars, end);
        } else {
            chars.next();
        }
    }
}

fn skip_to(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>, end: usize) {
    while chars.next_if(|(at, _)| *at < end).is_some() {}
}

fn run_end(text: &str, start: usize, belongs: fn(char) -> bool) -> usize {
    text[start..]
        .char_indices()
        .find(|(_, c)| !belongs(*c))
        .map_or(text.len(), |(at, _)| start + at)
}

/// Returns the end of the longest run of letters and digits held together by single connectors.
///
/// A connector counts only between two letters or digits: the full stop of a sentence and the dashes
/// of a flag are no part of the word.
fn chunk_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut connectors = 0;
    for (at, c) in text[start..].char_indices() {
        if c.is_alphanumeric() && !cjk::is_cjk(c) || is_combining_mark(c) {
            end = start + at + c.len_utf8();
            connectors = 0;
        } else if identifier::is_connector(c) && connectors < 2 {
            // `::` is the only connector of two characters.
            let doubled = connectors == 1 && !text[..start + at].ends_with(c);
            if doubled || (connectors == 1 && c != ':') {
                break;
            }
            connectors += 1;
        } else if c == '+' && &text[start..start + at] == "c" || c == '#' && at == 1 {
            // C++ and C# are words of their own.
            end = start + at + 1;
        } else if c == '+' && matches!(&text[start..start + at], "C" | "C+" | "c+") {
            end = start + at + 1;
        } else {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{Piece, normalise, pieces};

    fn shown(text: &str) -> String {
        let normal = normalise(text).into_owned();
        let mut out = Vec::new();
        pieces(&normal, &mut |piece| {
            out.push(match piece {
                Piece::Word(word) => word.to_owned(),
                Piece::Whole { text, strong: true } => format!("={text}!"),
                Piece::Whole {
                    text,
                    strong: false,
                } => format!("={text}"),
                Piece::Bigram(pair) => format!("[{pair}]"),
                Piece::Single(single) => format!("<{single}>"),
            });
        });
        out.join(" ")
    }

    #[test]
    fn texts_fall_into_the_expected_pieces() {
        for (text, expected) in [
            ("Retry the upload.", "retry the upload"),
            (
                "parseHTTPResponse",
                "parse http response =parsehttpresponse!",
            ),
            ("max_retry_count=3", "max retry count =maxretrycount! 3"),
            ("feature-flag", "feature flag =featureflag"),
            (
                "src/net/retry_policy.rs:42",
                "src net retry policy =retrypolicy! =retrypolicyrs! 42 =srcnetretrypolicyrs!",
            ),
            ("see PAY-1432, please", "see pay 1432 =pay1432! please"),
            ("error[E0308] here", "error e0308 =e0308! here"),
            ("v1.2.3", "=v1.2.3"),
            ("Foo::bar()", "foo bar =foobar!"),
            ("the user's data", "the user data"),
            ("don't", "dont"),
            ("GitHub and URLs", "git hub =github and urls"),
            ("C++ and C# code", "cpp and csharp code"),
            ("ＡＰＩ密钥", "api [密钥] <密> <钥>"),
            ("用Redis缓存", "<用> redis [缓存] <缓> <存>"),
            (
                "数据库的连接",
                "[数据] <数> [据库] <据> <库> [连接] <连> <接>",
            ),
            ("état größe", "etat große"),
            ("--dry-run", "dry run =dryrun"),
            (
                "https://example.com/x",
                "https example com =examplecom x =examplecomx",
            ),
            ("", ""),
            ("...---___", ""),
            ("zero\u{200B}width", "zerowidth"),
            ("postgres16", "postgres16 postgres =postgres16!"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }
}

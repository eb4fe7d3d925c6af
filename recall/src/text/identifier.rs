//! Words and identifiers: parts, and the joined form beside them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Piece;

/// File endings that say nothing about the subject of a memory.
const EXTENSIONS: &[&str] = &[
    "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "env", "go", "gradle", "h", "hpp",
    "html", "ini", "ipynb", "java", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md",
    "mdx", "mjs", "php", "pl", "proto", "ps1", "py", "rb", "rs", "scala", "scss", "sh", "sql",
    "svelte", "svg", "swift", "tf", "tfvars", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml",
    "yml", "zig", "zsh",
];

/// Names with an inner capital that people write in ordinary prose; meeting one is no evidence.
const PROPER_NAMES: &[&str] = &[
    "appstore",
    "bitbucket",
    "chatgpt",
    "circleci",
    "clickhouse",
    "cloudflare",
    "cloudfront",
    "cockroachdb",
    "datadog",
    "devops",
    "dynamodb",
    "ebay",
    "facebook",
    "fastapi",
    "github",
    "gitlab",
    "graphql",
    "hashicorp",
    "icloud",
    "intellij",
    "ios",
    "ipad",
    "iphone",
    "javascript",
    "linkedin",
    "macbook",
    "macos",
    "mariadb",
    "mongodb",
    "mysql",
    "nextjs",
    "nodejs",
    "oauth",
    "openai",
    "openapi",
    "opensearch",
    "pagerduty",
    "paypal",
    "phpunit",
    "postgresql",
    "powerpoint",
    "powershell",
    "pycharm",
    "pytorch",
    "rabbitmq",
    "readme",
    "rubocop",
    "sonarqube",
    "sqlite",
    "stackoverflow",
    "tensorflow",
    "tiktok",
    "typescript",
    "vscode",
    "webassembly",
    "whatsapp",
    "wordpress",
    "youtube",
];

/// Returns whether a character may stand inside an identifier between letters or digits.
pub(crate) fn is_connector(c: char) -> bool {
    matches!(
        c,
        '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '\'' | '\u{2019}' | '\u{2010}' | '\u{2011}'
    )
}

/// Buffers that one tokenisation uses again and again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    word: String,
    joined_piece: String,
    joined_segment: String,
    joined_chunk: String,
}

/// Emits the parts of one chunk, and the joined form of everything that has more than one part.
pub(crate) fn pieces(chunk: &str, scratch: &mut Scratch, sink: &mut dyn FnMut(Piece<'_>)) {
    if chunk.bytes().all(|b| b.is_ascii_lowercase()) {
        sink(Piece::Word(chunk));
        return;
    }
    if chunk.len() <= 3 && (chunk.ends_with('+') || chunk.ends_with('#')) {
        sink(Piece::Word(match chunk.as_bytes() {
            [b'c' | b'C', b'+', b'+'] => "cpp",
            [b'c' | b'C', b'#'] => "csharp",
            [b'f' | b'F', b'#'] => "fsharp",
            _ => return,
        }));
        return;
    }
    let is_path = chunk.contains(['/', '\\']);
    let is_qualified = chunk.contains("::");
    let mut segments = 0;
    scratch.joined_chunk.clear();
    for segment in chunk.split(['/', '\\', ':', '@']).filter(|s| !s.is_empty()) {
        // Behind a path a bare number is a line or a column: it counts as a word only.
        let is_line = is_path && segment.bytes().all(|b| b.is_ascii_digit());
        segment_pieces(segment, scratch, sink);
        if !is_line {
            segments += 1;
            let joined = std::mem::take(&mut scratch.joined_segment);
            scratch.joined_chunk.push_str(&joined);
            scratch.joined_segment = joined;
        }
    }
    if segments > 1 && (is_path || is_qualified) {
        let strong = is_qualified || has_known_extension(chunk) || chunk.contains('_');
        sink(Piece::Whole {
            text: &scratch.joined_chunk,
            strong,
        });
    }
}

fn segment_pieces(segment: &str, scratch: &mut Scratch, sink: &mut dyn FnMut(Piece<'_>)) {
    scratch.joined_segment.clear();
    if is_number_like(segment) {
        scratch
            .joined_segment
            .extend(segment.chars().flat_map(char::to_lowercase));
        if segment.contains('.') || segment.contains('-') {
            sink(Piece::Whole {
                text: &scratch.joined_segment,
                strong: false,
            });
        } else {
            sink(Piece::Word(&scratch.joined_segment));
        }
        return;
    }
    let mut dotted = segment.split('.').filter(|s| !s.is_empty()).peekable();
    let mut count = 0;
    let mut all_lower = true;
    let mut has_extension = false;
    while let Some(sub) = dotted.next() {
        let is_last = dotted.peek().is_none();
        let is_extension = is_last && count > 0 && is_extension(sub);
        count += 1;
        all_lower &= !sub.chars().any(char::is_uppercase);
        has_extension |= is_extension;
        if is_extension {
            push_lower(sub, &mut scratch.joined_segment);
        } else {
            sub_pieces(sub, scratch, sink);
            scratch.joined_segment.push_str(&scratch.joined_piece);
        }
    }
    if count > 1 {
        sink(Piece::Whole {
            text: &scratch.joined_segment,
            strong: has_extension || (segment.contains('_') && all_lower),
        });
    }
}

/// Emits one dot-free stretch: parts between `_`, `-` and at changes of case.
fn sub_pieces(sub: &str, scratch: &mut Scratch, sink: &mut dyn FnMut(Piece<'_>)) {
    scratch.joined_piece.clear();
    let mut parts = 0;
    let mut camel = false;
    for piece in sub
        .split(['_', '-', '\u{2010}', '\u{2011}'])
        .filter(|s| !s.is_empty())
    {
        let piece = strip_possessive(piece);
        let mut start = 0;
        for end in case_changes(piece).chain(std::iter::once(piece.len())) {
            camel |= end < piece.len();
            lower_word(&piece[start..end], &mut scratch.word);
            start = end;
            if scratch.word.is_empty() {
                continue;
            }
            parts += 1;
            scratch.joined_piece.push_str(&scratch.word);
            sink(Piece::Word(&scratch.word));
            if let Some(letters) = letters_before_digits(&scratch.word) {
                sink(Piece::Word(letters));
            }
        }
    }
    let joined = scratch.joined_piece.as_str();
    let mixed = is_mixed(joined);
    if parts < 2 && !mixed {
        return;
    }
    let is_ticket = parts == 2 && is_ticket(sub);
    let strong = joined.len() >= 4
        && (sub.contains('_') || is_ticket || mixed || camel)
        && !PROPER_NAMES.contains(&joined);
    sink(Piece::Whole {
        text: joined,
        strong,
    });
}

/// Returns where a new part begins inside a name: `parseHTTPResponse` → parse, HTTP, Response.
fn case_changes(name: &str) -> impl Iterator<Item = usize> + '_ {
    let plural_abbreviation = name.ends_with('s')
        && name.len() > 2
        && name[..name.len() - 1].chars().all(char::is_uppercase);
    let mut chars = name.char_indices().peekable();
    let mut before: Option<char> = None;
    std::iter::from_fn(move || {
        if plural_abbreviation {
            return None;
        }
        while let Some((at, c)) = chars.next() {
            let previous = before.replace(c);
            let Some(previous) = previous else { continue };
            let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            let up = c.is_uppercase()
                && (previous.is_lowercase()
                    || previous.is_numeric() && next_is_lower
                    || previous.is_uppercase() && next_is_lower);
            if up {
                return Some(at);
            }
        }
        None
    })
}

/// Writes a word in lower case without accents and apostrophes.
fn lower_word(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.extend(
            word.bytes()
                .filter(|b| *b != b'\'')
                .map(|b| b.to_ascii_lowercase() as char),
        );
        return;
    }
    for c in word.nfd().filter(|c| !is_combining_mark(*c)) {
        if !matches!(c, '\'' | '\u{2019}') {
            out.extend(c.to_lowercase());
        }
    }
}

fn push_lower(word: &str, out: &mut String) {
    out.extend(word.chars().flat_map(char::to_lowercase));
}

fn strip_possessive(word: &str) -> &str {
    ["'s", "\u{2019}s", "'S"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word)
}

/// Returns the letters of `postgres16`, so that it meets `postgres`.
fn letters_before_digits(word: &str) -> Option<&str> {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = letters.len() >= 4
        && letters.len() < word.len()
        && letters.bytes().all(|b| b.is_ascii_lowercase());
    plain.then_some(letters)
}

/// Returns whether letters and digits stand in one word, as in `e0308` or `sha256`.
fn is_mixed(word: &str) -> bool {
    word.len() >= 4
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Returns whether a name looks like a ticket: capitals, a dash, digits.
fn is_ticket(name: &str) -> bool {
    name.split_once('-').is_some_and(|(letters, digits)| {
        letters.len() >= 2
            && letters
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns whether a segment is a number, a version or a date.
fn is_number_like(segment: &str) -> bool {
    let digits = segment.strip_prefix(['v', 'V']).unwrap_or(segment);
    digits
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.' || b == b'-')
        && digits.bytes().any(|b| b.is_ascii_digit())
}

fn is_extension(word: &str) -> bool {
    word.len() <= 6
        && EXTENSIONS
            .binary_search(&word.to_ascii_lowercase().as_str())
            .is_ok()
}

fn has_known_extension(chunk: &str) -> bool {
    let path = chunk.split(':').next().unwrap_or(chunk);
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| is_extension(ending))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_are_sorted_for_binary_search() {
        assert!(super::EXTENSIONS.is_sorted());
        assert!(super::PROPER_NAMES.is_sorted());
    }
}

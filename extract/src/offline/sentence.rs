//! A message, cut into sentences, each in a plain form for matching with the way back to its words.

use std::ops::Range;

use super::mask::HOLE;

/// A longer sentence is no rule that a person says; it is not looked at.
pub(super) const SENTENCE_MAX_BYTES: usize = 600;

/// Sentences of one message that are looked at: the first and the last half of these.
pub(super) const SENTENCES_MAX: usize = 1_000;

/// One sentence of a message.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// Where it stands in the message.
    pub(super) range: Range<usize>,
    /// Lower case, one blank between words, half-width punctuation; holes in place of quoted words.
    pub(super) plain: String,
    /// For each byte of `plain`, the byte of the message it comes from; one more for the end.
    map: Vec<usize>,
    /// Whether it is an item of a list.
    pub(super) is_item: bool,
    /// Number of the paragraph it stands in.
    pub(super) paragraph: usize,
}

impl Sentence {
    /// Where a range of the plain form stands in the message.
    pub(super) fn place(&self, plain: Range<usize>) -> Range<usize> {
        let start = self.map.get(plain.start).copied().unwrap_or(self.range.end);
        let end = self.map.get(plain.end).copied().unwrap_or(self.range.end);
        start..end.max(start)
    }

    /// Whether it ends with a question mark.
    pub(super) fn is_asked(&self) -> bool {
        let end = self.plain.trim_end_matches([')', ' ', '!', '.']);
        end.ends_with('?')
    }

    fn new(prose: &str, range: Range<usize>, is_item: bool, paragraph: usize) -> Option<Self> {
        let piece = &prose[range.clone()];
        let skipped = piece.len() - piece.trim_start().len();
        let start = range.start + skipped;
        let piece = piece.trim();
        if piece.is_empty() || piece.len() > SENTENCE_MAX_BYTES {
            return None;
        }
        let mut plain = String::with_capacity(piece.len() + 8);
        let mut map = Vec::with_capacity(piece.len() + 8);
        for (at, sign) in piece.char_indices() {
            let before = plain.len();
            push_plain(&mut plain, sign);
            map.resize(map.len() + plain.len() - before, start + at);
        }
        map.push(start + piece.len());
        Some(Self {
            range: start..start + piece.len(),
            plain,
            map,
            is_item,
            paragraph,
        })
    }
}

/// Adds one character in its plain form.
fn push_plain(plain: &mut String, sign: char) {
    let folded = match sign {
        '’' | '‘' | 'ʼ' | '＇' => '\'',
        '，' => ',',
        '：' => ':',
        '！' => '!',
        '？' => '?',
        '；' => ';',
        '（' => '(',
        '）' => ')',
        '。' | '．' | '｡' => '.',
        '–' | '―' => '—',
        '\u{200B}' | '\u{200C}' | '\u{200D}' | '\u{FEFF}' | '*' => return,
        '_' if plain.is_empty() || plain.ends_with(' ') => return,
        sign if sign.is_whitespace() => ' ',
        sign => sign,
    };
    let is_hole = folded == char::from(HOLE);
    if is_hole && plain.ends_with(folded) {
        return;
    }
    if folded == ' ' && (plain.is_empty() || plain.ends_with(' ')) {
        return;
    }
    if folded == '—' && plain.ends_with('—') || folded == '-' && plain.ends_with('-') {
        return;
    }
    plain.extend(folded.to_lowercase());
}

/// Cuts the prose of a message into sentences.
pub(super) fn sentences(prose: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut paragraph = 0;
    let mut start = 0;
    let mut is_item = false;
    let mut offset = 0;
    let mut previous = "";
    for line in prose.split_inclusive('\n') {
        let trimmed = line.trim();
        let marker = list_marker(line);
        if trimmed.is_empty() {
            push(prose, start..offset, is_item, paragraph, &mut found);
            start = offset + line.len();
            paragraph += 1;
            is_item = false;
        } else if marker > 0 || !continues(previous, trimmed) {
            push(prose, start..offset, is_item, paragraph, &mut found);
            start = offset + marker;
            is_item = marker > 0;
        }
        // Ends of sentences inside the line.
        let from = start.max(offset);
        for end in ends(&prose[from..offset + line.len()]) {
            push(prose, start..from + end, is_item, paragraph, &mut found);
            start = from + end;
        }
        offset += line.len();
        previous = trimmed;
    }
    push(prose, start..prose.len(), is_item, paragraph, &mut found);
    if found.len() > SENTENCES_MAX {
        found.drain(SENTENCES_MAX / 2..found.len() - SENTENCES_MAX / 2);
    }
    found
}

fn push(
    prose: &str,
    range: Range<usize>,
    is_item: bool,
    paragraph: usize,
    found: &mut Vec<Sentence>,
) {
    if range.start < range.end {
        found.extend(Sentence::new(prose, range, is_item, paragraph));
    }
}

/// A line goes on in the next one when it was wrapped: it is long, has no end, and the next one begins small.
fn continues(previous: &str, next: &str) -> bool {
    previous.len() >= 50
        && !previous.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：', '；'])
        && next.chars().next().is_some_and(char::is_lowercase)
}

/// The length of a list marker at the start of a line, with its blanks.
fn list_marker(line: &str) -> usize {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    for mark in ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "· "] {
        if rest.starts_with(mark) {
            return indent + mark.len();
        }
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &rest[digits..];
    if (1..=2).contains(&digits) {
        for mark in [". ", ") ", "、", "）"] {
            if behind.starts_with(mark) {
                return indent + digits + mark.len();
            }
        }
    }
    0
}

/// Places behind the ends of sentences.
fn ends(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut signs = text.char_indices().peekable();
    let mut word_start = 0;
    while let Some((at, sign)) = signs.next() {
        let behind = at + sign.len_utf8();
        let next = signs.peek().map(|(_, next)| *next);
        let is_end = match sign {
            '。' | '！' | '？' | '；' | '｡' => true,
            '.' | '!' | '?' | ';' => {
                next.is_none_or(|next| {
                    next.is_whitespace() || next == char::from(HOLE) || !next.is_ascii()
                }) && !(sign == '.' && is_abbreviation(&text[word_start..at]))
            }
            _ => false,
        };
        if sign.is_whitespace() {
            word_start = behind;
        }
        if is_end
            && !next.is_some_and(|next| {
                matches!(next, '.' | '!' | '?' | '。' | '！' | '？' | ')' | '）')
            })
        {
            found.push(behind);
        }
    }
    found
}

fn is_abbreviation(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "dr", "no", "approx", "z.b", "bzw", "p.s",
    ];
    let word = word.trim_start_matches(['(', '[']);
    let digits =
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() <= 2;
    digits || word.len() <= 6 && WORDS.contains(&word.to_ascii_lowercase().as_str())
}

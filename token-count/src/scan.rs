//! Cuts text into the pieces that a byte-pair vocabulary never merges across, in one pass.
//!
//! The cuts follow the pre-tokenisation pattern of o200k (published in OpenAI's `tiktoken`,
//! `openai_public.py`): a word with at most one leading character, up to three digits, a run of
//! punctuation with the line ends behind it, a run of white space. For ASCII the cuts are exactly
//! those of the pattern; a test holds them against it. Beyond ASCII, letters are told apart by
//! script and case only.

use crate::script::{self, Class, Kind};
use crate::symbol::{self, ByteKind};

/// A piece longer than this is cut, so that a caller who counts up to a limit can stop inside one
/// endless word. The first cut costs at most one token in 2,048 bytes.
pub(crate) const MAX_PIECE_BYTES: usize = 2_048;

/// The length from which words are costed by their pairs alone.
pub(crate) const MAX_LETTERS: u8 = 16;

/// The length from which runs of punctuation are costed by their pairs alone.
pub(crate) const MAX_MARKS: u8 = 8;

/// Where a character beyond ASCII stands in a run of its class. Vocabularies hold short words
/// whole, so that the first few letters of a long one cost less than the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    First = 0,
    /// The second to the fifth.
    Near = 1,
    Far = 2,
}

/// Counts places in a run.
#[derive(Default)]
struct Run {
    class: Option<Class>,
    length: usize,
}

impl Run {
    fn place(&mut self, class: Class) -> Place {
        if self.class == Some(class) {
            self.length += 1;
        } else {
            *self = Self {
                class: Some(class),
                length: 1,
            };
        }
        match self.length {
            1 => Place::First,
            2..=5 => Place::Near,
            _ => Place::Far,
        }
    }

    fn interrupt(&mut self) {
        self.class = None;
    }
}

/// What a word begins with; the costs differ because vocabularies hold most words with a space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    None = 0,
    Space = 1,
    Other = 2,
}

/// How the letters of a word are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Lower = 0,
    Capitalised = 1,
    Upper = 2,
    /// Several capitals, then small letters: `HTTPServer`.
    UpperThenLower = 3,
}

impl Case {
    /// Whether the word is all capitals; such words are rarer in vocabularies.
    pub(crate) fn is_upper(self) -> bool {
        self == Case::Upper
    }
}

/// What a piece is made of, known when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Head {
    /// Letters, with their number up to [`MAX_LETTERS`].
    Word(Prefix, Case, u8),
    /// Words without ASCII letters; the script's own weights carry their cost.
    ForeignWord,
    /// Up to three digits: always one token.
    Digits,
    /// Anything that is neither letter, digit nor white space, with the number of bytes up to
    /// [`MAX_MARKS`].
    Punctuation(u8),
    /// White space.
    Space,
}

/// Receives what [`scan`] sees. One implementation sums weights, another collects the features
/// that the weights are fitted on, a third compares the cuts with the pattern's.
pub(crate) trait Tally {
    /// Two neighbouring symbols of one piece; symbol 0 is its edge.
    fn pair(&mut self, previous: u8, next: u8);
    /// Two neighbouring Cyrillic letters of one word; symbol 0 is the edge of their run.
    fn cyrillic(&mut self, previous: u8, next: u8);
    /// Any other character beyond ASCII and its place in a run of its class.
    fn class(&mut self, class: Class, place: Place);
    /// The piece that ends before byte `end` is complete. `false` stops the scan.
    fn end(&mut self, head: Head, end: usize) -> bool;
}

/// Feeds every piece of `text` to `tally`.
pub(crate) fn scan(text: &str, tally: &mut impl Tally) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (head, end) = match symbol::kind(bytes[at]) {
            ByteKind::Lower | ByteKind::Upper => word(bytes, at, Prefix::None, 0, tally),
            ByteKind::Digit => digits(bytes, at),
            ByteKind::Punctuation => after_symbol(bytes, at, at + 1, tally),
            ByteKind::Space | ByteKind::LineEnd => space(bytes, at, tally),
            ByteKind::High => {
                let (class, _, next) = script::at(bytes, at);
                match class.kind() {
                    Kind::Letter => word(bytes, at, Prefix::None, 0, tally),
                    Kind::Number => {
                        tally.class(class, Place::First);
                        (Head::Punctuation(1), next)
                    }
                    Kind::Symbol => after_symbol(bytes, at, next, tally),
                    Kind::Space => space(bytes, at, tally),
                }
            }
        };
        if !tally.end(head, end) {
            return;
        }
        at = end;
    }
}

fn digits(bytes: &[u8], at: usize) -> (Head, usize) {
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let length = if !is_digit(at + 1) {
        1
    } else if !is_digit(at + 2) {
        2
    } else {
        3
    };
    (Head::Digits, at + length)
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at).copied().map(symbol::kind) {
        Some(ByteKind::Lower | ByteKind::Upper) => true,
        Some(ByteKind::High) => script::at(bytes, at).0.kind() == Kind::Letter,
        _ => false,
    }
}

/// A punctuation character at `at` is the first of a word when a letter follows, else of a run.
fn after_symbol(bytes: &[u8], at: usize, next: usize, tally: &mut impl Tally) -> (Head, usize) {
    if starts_word(bytes, next) {
        let previous = lead(bytes, at, tally);
        word(bytes, next, Prefix::Other, previous, tally)
    } else {
        punctuation(bytes, at, 0, tally)
    }
}

/// Reports the single character in front of a word and returns its symbol.
fn lead(bytes: &[u8], at: usize, tally: &mut impl Tally) -> u8 {
    let symbol = symbol::of(bytes[at]);
    if bytes[at] < 0x80 {
        tally.pair(0, symbol);
        symbol
    } else {
        tally.class(script::at(bytes, at).0, Place::First);
        0
    }
}

/// Capitals, then small letters. `previous` is the symbol of the character in front, already
/// reported, or 0. This is the hot loop: words of ASCII letters stay in it.
#[inline]
fn word(
    bytes: &[u8],
    start: usize,
    prefix: Prefix,
    previous: u8,
    tally: &mut impl Tally,
) -> (Head, usize) {
    let limit = bytes.len().min(start + MAX_PIECE_BYTES);
    let mut at = start;
    let mut previous = previous;
    while at < limit && bytes[at].is_ascii_uppercase() {
        let symbol = symbol::of_letter(bytes[at]);
        tally.pair(previous, symbol);
        previous = symbol;
        at += 1;
    }
    let capitals = at - start;
    while at < limit && bytes[at].is_ascii_lowercase() {
        let symbol = symbol::of_letter(bytes[at]);
        tally.pair(previous, symbol);
        previous = symbol;
        at += 1;
    }
    let letters = at - start;
    let mut word = Word {
        at,
        previous,
        capitals,
        letters,
        small: letters > capitals,
        latin: letters > 0,
    };
    if at < limit && bytes[at] >= 0x80 {
        word.beyond_ascii(bytes, limit, tally);
    }
    if word.latin {
        tally.pair(word.previous, 0);
    }
    (word.head(prefix), contraction(bytes, word.at))
}

/// A word so far.
struct Word {
    at: usize,
    previous: u8,
    capitals: usize,
    letters: usize,
    small: bool,
    latin: bool,
}

impl Word {
    /// Goes on where the first character beyond ASCII stands. Letters without case fit before and
    /// behind capitals and small letters alike.
    #[inline(never)]
    fn beyond_ascii(&mut self, bytes: &[u8], limit: usize, tally: &mut impl Tally) {
        let mut run = Run::default();
        let mut cyrillic = 0;
        while self.at < limit {
            let byte = bytes[self.at];
            let (class, upper, next) = match symbol::kind(byte) {
                ByteKind::Lower => (Class::Latin, false, self.at + 1),
                ByteKind::Upper => (Class::Latin, true, self.at + 1),
                ByteKind::High => script::at(bytes, self.at),
                _ => break,
            };
            if class.kind() != Kind::Letter || (upper && self.small) {
                break;
            }
            if class != Class::Cyrillic && cyrillic != 0 {
                tally.cyrillic(cyrillic, 0);
                cyrillic = 0;
            }
            match class {
                Class::Latin => {
                    let symbol = if byte < 0x80 {
                        symbol::of_letter(byte)
                    } else {
                        symbol::LATIN
                    };
                    tally.pair(self.previous, symbol);
                    self.previous = symbol;
                    self.latin = true;
                    run.interrupt();
                }
                Class::Cyrillic => {
                    let symbol = script::cyrillic_symbol(bytes, self.at);
                    tally.cyrillic(cyrillic, symbol);
                    cyrillic = symbol;
                    self.previous = 0;
                    run.interrupt();
                }
                _ => {
                    tally.class(class, run.place(class));
                    self.previous = 0;
                }
            }
            self.capitals += usize::from(upper);
            self.small |= class.has_case() && !upper;
            self.letters += 1;
            self.at = next;
        }
        if cyrillic != 0 {
            tally.cyrillic(cyrillic, 0);
        }
    }

    fn head(&self, prefix: Prefix) -> Head {
        if !self.latin {
            return Head::ForeignWord;
        }
        let case = match (self.capitals, self.small) {
            (0, _) => Case::Lower,
            (1, _) if self.small || self.letters == 1 => Case::Capitalised,
            (_, false) => Case::Upper,
            (_, true) => Case::UpperThenLower,
        };
        Head::Word(
            prefix,
            case,
            self.letters.min(usize::from(MAX_LETTERS)) as u8,
        )
    }
}

/// The end of an English contraction at `at` (`'s`, `'re`, …) belongs to the word before it.
fn contraction(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'\'') {
        return at;
    }
    let low = |i: usize| bytes.get(at + i).map(u8::to_ascii_lowercase);
    match (low(1), low(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => at + 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => at + 3,
        _ => at,
    }
}

/// A run of punctuation with the line ends and slashes behind it. `previous` is the symbol of a
/// space in front, already reported, or 0.
fn punctuation(bytes: &[u8], start: usize, previous: u8, tally: &mut impl Tally) -> (Head, usize) {
    let mut at = start;
    let mut previous = previous;
    let mut run = Run::default();
    let limit = start + MAX_PIECE_BYTES;
    while at < bytes.len() && at < limit {
        match symbol::kind(bytes[at]) {
            ByteKind::Punctuation => {
                let symbol = symbol::of(bytes[at]);
                tally.pair(previous, symbol);
                previous = symbol;
                run.interrupt();
                at += 1;
            }
            ByteKind::High => {
                let (class, _, next) = script::at(bytes, at);
                if class.kind() != Kind::Symbol {
                    break;
                }
                tally.class(class, run.place(class));
                previous = 0;
                at = next;
            }
            _ => break,
        }
    }
    while at < bytes.len() && at < limit && matches!(bytes[at], b'\r' | b'\n' | b'/') {
        let symbol = symbol::of(bytes[at]);
        tally.pair(previous, symbol);
        previous = symbol;
        at += 1;
    }
    tally.pair(previous, 0);
    (
        Head::Punctuation((at - start).min(usize::from(MAX_MARKS)) as u8),
        at,
    )
}

/// White space: up to its last line end if it has one, else up to its last character, which
/// belongs to the word or punctuation behind it.
fn space(bytes: &[u8], start: usize, tally: &mut impl Tally) -> (Head, usize) {
    // The common case first: one space before a word.
    let (_, next) = space_at(bytes, start).expect("because the caller saw white space here");
    if !matches!(bytes[start], b'\r' | b'\n') {
        if starts_word(bytes, next) {
            let prefix = if bytes[start] == b' ' {
                Prefix::Space
            } else {
                Prefix::Other
            };
            let previous = lead(bytes, start, tally);
            return word(bytes, next, prefix, previous, tally);
        }
        if bytes[start] == b' ' && starts_punctuation(bytes, next) {
            tally.pair(0, symbol::SPACE);
            return punctuation(bytes, next, symbol::SPACE, tally);
        }
    }
    let limit = start + MAX_PIECE_BYTES;
    let mut end = start;
    let mut before_last = start;
    let mut after_line_end = None;
    while end < limit
        && let Some((is_line_end, next)) = space_at(bytes, end)
    {
        before_last = end;
        end = next;
        if is_line_end {
            after_line_end = Some(next);
        }
    }
    let end = match after_line_end {
        Some(end) => end,
        None if end >= bytes.len() || end >= limit || before_last == start => end,
        None => before_last,
    };
    let mut previous = 0;
    let mut at = start;
    while at < end {
        let (_, next) = space_at(bytes, at).expect("because the run was measured above");
        if bytes[at] < 0x80 {
            let symbol = symbol::of(bytes[at]);
            tally.pair(previous, symbol);
            previous = symbol;
        } else {
            tally.class(
                Class::Space,
                if previous != 0 || at == start {
                    Place::First
                } else {
                    Place::Near
                },
            );
            previous = 0;
        }
        at = next;
    }
    tally.pair(previous, 0);
    (Head::Space, end)
}

/// Whether white space stands at `at`, whether it ends a line, and where it ends.
fn space_at(bytes: &[u8], at: usize) -> Option<(bool, usize)> {
    match symbol::kind(*bytes.get(at)?) {
        ByteKind::Space => Some((false, at + 1)),
        ByteKind::LineEnd => Some((true, at + 1)),
        ByteKind::High => {
            let (class, _, next) = script::at(bytes, at);
            (class == Class::Space).then_some((false, next))
        }
        _ => None,
    }
}

fn starts_punctuation(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at).copied().map(symbol::kind) {
        Some(ByteKind::Punctuation) => true,
        Some(ByteKind::High) => script::at(bytes, at).0.kind() == Kind::Symbol,
        _ => false,
    }
}

//! The small language rules are written in: a literal, what stands around it, what is checked.

use super::private_key;
use crate::class::{ByteClass, EQUALS_SIGN};
use crate::text::{Span, Text};

/// One part of a pattern after its literal. Parts match greedily and never backtrack, so a pattern
/// costs at most one pass over its match; classes are chosen so that no part needs to give back.
pub(crate) enum Step {
    /// These bytes.
    Literal(&'static str),
    /// Between `min` and `max` bytes of a class.
    Run {
        class: &'static ByteClass,
        min: usize,
        max: usize,
    },
    /// These steps, or nothing.
    Maybe(&'static [Step]),
    /// The first of these that matches.
    OneOf(&'static [&'static [Step]]),
}

pub(crate) const fn literal(text: &'static str) -> Step {
    Step::Literal(text)
}

pub(crate) const fn exactly(count: usize, class: &'static ByteClass) -> Step {
    Step::Run {
        class,
        min: count,
        max: count,
    }
}

pub(crate) const fn at_least(min: usize, class: &'static ByteClass) -> Step {
    Step::Run {
        class,
        min,
        max: usize::MAX,
    }
}

pub(crate) const fn between(min: usize, max: usize, class: &'static ByteClass) -> Step {
    Step::Run { class, min, max }
}

/// The end of base64 that may be padded.
pub(crate) const PADDING: Step = Step::Maybe(&[between(1, 2, &EQUALS_SIGN)]);

/// Finds the match around a literal that stands at `literal`, or says that there is none.
pub(crate) type Locate = fn(text: &Text<'_>, literal: Span) -> Option<Span>;

/// What a match is made of, for one that goes on after all that could be seen of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Characters of tokens and of what hides them.
    Token,
    /// Lines of base64.
    Key,
}

/// What a token that runs past the end of a window is made of: base64 in either alphabet, and
/// what the views take out or decode.
static TOKEN_TAIL: ByteClass = ByteClass::new(b"0-9A-Za-z_+/=%\\&#;-");

impl Tail {
    /// How much of `rest`, which follows a match, still belongs to it.
    pub(crate) fn length(self, rest: &[u8]) -> usize {
        match self {
            Self::Token => TOKEN_TAIL.run(rest),
            Self::Key => private_key::tail(rest),
        }
    }

    /// Whether a match that is followed by `rest` and then by what cannot be seen may go on there.
    pub(crate) fn is_open(self, rest: &[u8]) -> bool {
        match self {
            Self::Token => rest.is_empty(),
            Self::Key => private_key::tail_is_open(rest),
        }
    }
}

/// A test of a whole match, after its shape.
pub(crate) type Check = fn(matched: &[u8]) -> bool;

/// How a match is found once its literal has been seen.
pub(crate) enum Shape {
    /// Fixed counts of bytes before the literal, nearest last, and steps after it.
    Steps {
        before: &'static [(usize, &'static ByteClass)],
        after: &'static [Step],
    },
    /// Written by hand, because the bytes before the literal have no fixed length or because the
    /// body is more than a token.
    Custom(Locate),
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent fact of a table's row"
)]
/// One form of a credential: the literal that is searched for and everything that must hold there.
pub(crate) struct Pattern {
    pub(crate) label: &'static str,
    pub(crate) literal: &'static str,
    pub(crate) shape: Shape,
    /// The byte before the match must not continue a word.
    pub(crate) left_boundary: bool,
    /// The byte after the match must not be a letter or digit.
    pub(crate) right_boundary: bool,
    /// Least Shannon entropy of the match in hundredths of a bit per character; 0 asks for none.
    pub(crate) min_entropy: u16,
    /// Words, sequences and repeated characters end the match. Off for formats that repeat a
    /// character by design, such as the zero bytes of a private key.
    pub(crate) placeholders: bool,
    /// The last six characters are a checksum of those after the literal. A good one raises
    /// confidence and outweighs the placeholder test; a bad one changes nothing.
    pub(crate) crc_suffix: bool,
    pub(crate) check: Option<Check>,
    pub(crate) tail: Tail,
    /// Builds an example where the shape alone cannot.
    pub(crate) example: Option<fn() -> String>,
}

impl Pattern {
    /// A pattern whose match starts with `literal`.
    pub(crate) const fn new(
        label: &'static str,
        literal: &'static str,
        after: &'static [Step],
    ) -> Self {
        Self::around(label, &[], literal, after)
    }

    /// A pattern with a fixed number of bytes before its literal.
    pub(crate) const fn around(
        label: &'static str,
        before: &'static [(usize, &'static ByteClass)],
        literal: &'static str,
        after: &'static [Step],
    ) -> Self {
        Self {
            label,
            literal,
            shape: Shape::Steps { before, after },
            left_boundary: false,
            right_boundary: false,
            min_entropy: 0,
            placeholders: true,
            crc_suffix: false,
            check: None,
            tail: Tail::Token,
            example: None,
        }
    }

    /// A pattern that is located by hand-written code.
    pub(crate) const fn custom(label: &'static str, literal: &'static str, locate: Locate) -> Self {
        let mut pattern = Self::new(label, literal, &[]);
        pattern.shape = Shape::Custom(locate);
        pattern
    }

    pub(crate) const fn left_boundary(mut self) -> Self {
        self.left_boundary = true;
        self
    }

    pub(crate) const fn right_boundary(mut self) -> Self {
        self.right_boundary = true;
        self
    }

    /// Asks for at least `hundredths / 100` bits of entropy a character.
    pub(crate) const fn entropy(mut self, hundredths: u16) -> Self {
        self.min_entropy = hundredths;
        self
    }

    pub(crate) const fn crc_suffix(mut self) -> Self {
        self.crc_suffix = true;
        self
    }

    pub(crate) const fn without_placeholder_test(mut self) -> Self {
        self.placeholders = false;
        self
    }

    /// The match is a key of many lines.
    pub(crate) const fn long_body(mut self) -> Self {
        self.tail = Tail::Key;
        self
    }

    pub(crate) const fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    pub(crate) const fn example(mut self, example: fn() -> String) -> Self {
        self.example = Some(example);
        self
    }
}

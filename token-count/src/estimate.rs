//! The default counter: one pass, no vocabulary.

use crate::counter::TokenCounter;
use crate::family::Factor;
use crate::scan::{Head, Place, Tally, scan};
use crate::script::Class;
use crate::{script, symbol, weights};

/// Hundredths of a token that a piece costs at least: no two pieces share a token.
const PIECE: u64 = 100;
/// The longest token of o200k, 128 spaces. No run is cheaper than a row of such tokens.
const LONGEST_TOKEN_BYTES: u64 = 128;

/// Estimates tokens without a vocabulary.
///
/// Text is cut where the o200k vocabulary never merges across, and each piece costs the sum of
/// small weights for its neighbouring letters, its case, its length and its script. The weights
/// were fitted to o200k; a [`Factor`] carries the estimate to other families.
///
/// Lines add up: if `a` ends with a line end and `b` begins with a letter or digit, then `a` and `b`
/// together count what they count apart, give or take one token of rounding, and never less than
/// `a` alone. Inside a line a longer text can count a token less than a shorter one, because a word
/// can be more common than its beginning.
///
/// ```
/// use token_count::{Estimator, Factor, TokenCounter};
///
/// let o200k = Estimator::new();
/// let claude = Estimator::with_factor(Factor::of_model("claude-sonnet-4-5"));
/// let text = "Deploys are frozen from Thursday on; ask before you merge.";
/// assert_eq!(o200k.count(text), 13);
/// assert_eq!(claude.count(text), 16);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimator {
    factor: Factor,
}

impl Estimator {
    /// Returns an estimator of o200k tokens (factor 1.0), the unit of every fixed limit.
    pub const fn new() -> Self {
        Self {
            factor: Factor::O200K,
        }
    }

    /// Returns an estimator for a model family, or with a factor that a
    /// [`Meter`](crate::Meter) has learned.
    pub const fn with_factor(factor: Factor) -> Self {
        Self { factor }
    }

    /// Returns the factor in use.
    pub const fn factor(self) -> Factor {
        self.factor
    }
}

impl TokenCounter for Estimator {
    fn count(&self, text: &str) -> usize {
        let mut sum = Sum::new(u64::MAX);
        scan(text, &mut sum);
        self.factor.tokens(sum.total)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let mut sum = Sum::new(self.factor.hundredths_above(limit));
        scan(text, &mut sum);
        let tokens = self.factor.tokens(sum.total);
        (tokens <= limit).then_some(tokens)
    }
}

/// Adds up weights, in hundredths of a token, and stops once `stop` is reached.
struct Sum {
    piece: i64,
    start: usize,
    total: u64,
    stop: u64,
}

impl Sum {
    fn new(stop: u64) -> Self {
        Self {
            piece: 0,
            start: 0,
            total: 0,
            stop,
        }
    }
}

impl Tally for Sum {
    #[inline]
    fn pair(&mut self, previous: u8, next: u8) {
        // Symbols are below 64; the mask tells the compiler, which drops the bounds check.
        let index = usize::from(previous & 63) * symbol::COUNT + usize::from(next & 63);
        self.piece += i64::from(weights::PAIRS[index]);
    }

    #[inline]
    fn cyrillic(&mut self, previous: u8, next: u8) {
        let index = usize::from(previous) * script::CYRILLIC_SYMBOLS + usize::from(next);
        self.piece += i64::from(weights::CYRILLIC[index]);
    }

    #[inline]
    fn class(&mut self, class: Class, place: Place) {
        self.piece += i64::from(weights::CLASS[class as usize][place as usize]);
    }

    #[inline]
    fn end(&mut self, head: Head, end: usize) -> bool {
        self.piece += match head {
            Head::Word(prefix, case, letters) => {
                i64::from(weights::WORD[prefix as usize][case as usize])
                    + i64::from(weights::LENGTH[usize::from(case.is_upper())][usize::from(letters)])
            }
            Head::ForeignWord => i64::from(weights::FOREIGN_WORD),
            Head::Punctuation(marks) => i64::from(weights::PUNCTUATION[usize::from(marks)]),
            Head::Space => i64::from(weights::SPACE),
            Head::Digits => 0, // one token, the least that a piece costs
        };
        // A piece is at most a few kilobytes long, so no sum comes near its bounds.
        let least = (end - self.start) as u64 * PIECE / LONGEST_TOKEN_BYTES;
        let cost = u64::try_from(self.piece).unwrap_or(0);
        self.total += cost.max(least).max(PIECE);
        self.piece = 0;
        self.start = end;
        self.total < self.stop
    }
}

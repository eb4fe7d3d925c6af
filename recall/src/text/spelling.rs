//! Spelling repair: the nearest words that memories really contain.

/// Words shorter than this many characters are never repaired: everything is near to them.
pub(crate) const MIN_CHARS: usize = 5;

/// From this many characters on two slips are repaired, below only one.
const TWO_SLIPS_FROM: usize = 6;

/// Returns how many slips a word of this length may have.
pub(crate) fn allowed_slips(chars: usize) -> usize {
    if chars < TWO_SLIPS_FROM { 1 } else { 2 }
}

/// Returns one bit per letter or digit that occurs in a word.
///
/// A slip changes at most two bits (a letter replaced by another), so that most words of a
/// vocabulary are ruled out by one comparison.
pub(crate) fn letters(word: &str) -> u64 {
    word.bytes().fold(0, |bits, b| {
        bits | match b {
            b'a'..=b'z' => 1 << (b - b'a'),
            b'0'..=b'9' => 1 << (26 + b - b'0'),
            _ => 1 << 36,
        }
    })
}

/// Returns whether a word with these letters may be within so many slips of another.
pub(crate) fn may_be_near(a: u64, b: u64, slips: usize) -> bool {
    (a ^ b).count_ones() as usize <= 2 * slips
}

/// Returns the Damerau distance of two short words (optimal string alignment), or none when it is
/// over `most`.
pub(crate) fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > most || b.len() > MAX_BYTES || a.len() > MAX_BYTES {
        return None;
    }
    // Three rows are enough: the current one, and two back for swapped neighbours.
    let mut two_back = [0_usize; MAX_BYTES + 1];
    let mut back = [0_usize; MAX_BYTES + 1];
    let mut row = [0_usize; MAX_BYTES + 1];
    for (j, cell) in back.iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        row[0] = i;
        let mut least = row[0];
        for j in 1..=b.len() {
            let replaced = back[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut cell = replaced.min(back[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cell = cell.min(two_back[j - 2] + 1);
            }
            row[j] = cell;
            least = least.min(cell);
        }
        if least > most {
            return None;
        }
        two_back = back;
        back = row;
    }
    (back[b.len()] <= most).then_some(back[b.len()])
}

/// Longer words are not repaired.
pub(crate) const MAX_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use super::{allowed_slips, distance, letters, may_be_near};

    #[test]
    fn distances_count_slips_of_all_four_kinds() {
        for (a, b, expected) in [
            ("deploy", "deploy", Some(0)),
            ("deplyo", "deploy", Some(1)),
            ("deply", "deploy", Some(1)),
            ("deeploy", "deploy", Some(1)),
            ("deplay", "deploy", Some(1)),
            ("migratoin", "migration", Some(1)),
            ("postgers", "postgres", Some(1)),
            ("kubrenets", "kubernetes", Some(2)),
            ("weather", "webhook", None),
        ] {
            assert_eq!(distance(a, b, 2), expected, "{a} {b}");
            assert_eq!(distance(b, a, 2), expected, "{b} {a}");
            if let Some(slips) = expected {
                assert!(may_be_near(letters(a), letters(b), slips), "{a} {b}");
            }
        }
    }

    #[test]
    fn short_words_may_have_one_slip_and_long_ones_two() {
        assert_eq!(allowed_slips(5), 1);
        assert_eq!(allowed_slips(6), 2);
    }
}

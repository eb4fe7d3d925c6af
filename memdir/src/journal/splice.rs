//! Contents as differences: an index of 200 lines grows by one line with every save, and the
//! journal should grow by that line, not by the index.

use super::record::{Base, Content};
use crate::hash::ContentHash;
use crate::limits::SPLICE_MAX_DEPTH;

/// Stores `bytes` as a difference from `base`, or whole when that is not clearly smaller.
///
/// The cut is made at line ends, so that a person who reads the journal sees whole lines.
/// `base_depth` is the depth at which the base itself is stored.
pub(crate) fn encode(bytes: &[u8], base: Option<(ContentHash, &[u8], u32)>) -> Content {
    let hash = ContentHash::of(bytes);
    let whole = || Content {
        hash,
        base: None,
        bytes: bytes.to_vec(),
    };
    let Some((base_hash, base, base_depth)) = base else {
        return whole();
    };
    if base_depth >= SPLICE_MAX_DEPTH {
        return whole();
    }
    let keep_start = whole_lines(&bytes[..common_prefix(base, bytes)]);
    let rest = base.len().min(bytes.len()) - keep_start;
    let keep_end = common_suffix(base, bytes, rest);
    let keep_end = whole_lines_at_end(bytes, keep_end);
    let middle = &bytes[keep_start..bytes.len() - keep_end];
    if middle.len() * 2 > bytes.len() {
        return whole();
    }
    Content {
        hash,
        base: Some(Base {
            hash: base_hash,
            keep_start: keep_start as u64,
            keep_end: keep_end as u64,
            depth: base_depth + 1,
        }),
        bytes: middle.to_vec(),
    }
}

/// Puts a difference back together. `None` when it does not fit its base or its hash.
pub(crate) fn decode(content: &Content, base: &[u8]) -> Option<Vec<u8>> {
    let kept = content.base?;
    let start = base.get(..usize::try_from(kept.keep_start).ok()?)?;
    let end_at = base
        .len()
        .checked_sub(usize::try_from(kept.keep_end).ok()?)?;
    let end = &base[end_at..];
    let mut bytes = Vec::with_capacity(start.len() + content.bytes.len() + end.len());
    bytes.extend_from_slice(start);
    bytes.extend_from_slice(&content.bytes);
    bytes.extend_from_slice(end);
    (ContentHash::of(&bytes) == content.hash).then_some(bytes)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8], most: usize) -> usize {
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .take(most)
        .take_while(|(a, b)| a == b)
        .count()
}

/// The length of `bytes` up to and including its last line feed.
fn whole_lines(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1)
}

/// At most `most` bytes at the end of `bytes`, beginning with a line: a kept end that begins inside
/// a line would leave half a line in the middle.
fn whole_lines_at_end(bytes: &[u8], most: usize) -> usize {
    let start = bytes.len() - most;
    if start == 0 || bytes[start - 1] == b'\n' {
        return most;
    }
    bytes[start..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(0, |line_end| most - line_end - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn difference(base: &[u8], bytes: &[u8]) -> Content {
        encode(bytes, Some((ContentHash::of(base), base, 0)))
    }

    #[test]
    fn one_more_line_costs_one_line() {
        let base = "- [M](m.md) — hook\n".repeat(200);
        let added = format!("{base}- [New](new.md) — hook\n");
        let content = difference(base.as_bytes(), added.as_bytes());
        assert_eq!(content.bytes, "- [New](new.md) — hook\n".as_bytes());
        assert_eq!(decode(&content, base.as_bytes()), Some(added.into_bytes()));
    }

    #[test]
    fn a_line_in_the_middle_is_kept_whole() {
        let base = b"one\ntwo\nthree\nfour\nfive\nsix\n";
        let changed = b"one\ntwo\nthrow\nfour\nfive\nsix\n";
        let content = difference(base, changed);
        assert_eq!(content.bytes, b"throw\n");
        assert_eq!(decode(&content, base).as_deref(), Some(&changed[..]));
    }

    #[test]
    fn a_chain_ends_with_a_whole_content() {
        let base = b"a\nb\nc\nd\n";
        let deep = encode(
            b"a\nb\nc\nd\ne\n",
            Some((ContentHash::of(base), base, SPLICE_MAX_DEPTH)),
        );
        assert_eq!(deep.base, None);
    }

    proptest! {
        #[test]
        fn any_difference_is_put_back_together(
            base in "[ab\n]{0,40}", bytes in "[ab\n]{0,40}",
        ) {
            let content = difference(base.as_bytes(), bytes.as_bytes());
            let back = match content.base {
                None => Some(content.bytes.clone()),
                Some(_) => decode(&content, base.as_bytes()),
            };
            prop_assert_eq!(back, Some(bytes.into_bytes()));
        }

        #[test]
        fn a_wrong_base_is_noticed(
            base in "[ab\n]{8,40}", bytes in "[ab\n]{8,40}", other in "[ab\n]{0,40}",
        ) {
            let content = difference(base.as_bytes(), bytes.as_bytes());
            if content.base.is_some() {
                let back = decode(&content, other.as_bytes());
                prop_assert!(back.is_none() || back == Some(bytes.into_bytes()));
            }
        }
    }
}

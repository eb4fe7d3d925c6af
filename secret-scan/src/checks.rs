//! Tests of a whole match: entropy, placeholders, checksums.

use std::sync::LazyLock;

use crate::class::ALNUM;

/// The longest text whose entropy is asked for.
pub(crate) const LONGEST_TESTED: usize = 96;

/// Shannon entropy in hundredths of a bit per byte, rounded down, of at most [`LONGEST_TESTED`]
/// bytes of ASCII.
pub(crate) fn entropy(matched: &[u8]) -> u16 {
    // With c occurrences of each character among n, entropy is log n - sum(c log c) / n. The sum is
    // kept up to date byte by byte, so that a text full of near misses stays cheap.
    static WEIGHTS: LazyLock<[f32; LONGEST_TESTED + 1]> = LazyLock::new(|| {
        let mut weights = [0.0; LONGEST_TESTED + 1];
        for (count, weight) in weights.iter_mut().enumerate().skip(2) {
            *weight = count as f32 * (count as f32).log2();
        }
        weights
    });
    let matched = &matched[..matched.len().min(LONGEST_TESTED)];
    if matched.is_empty() {
        return 0;
    }
    let weights = &*WEIGHTS;
    let mut counts = [0_u8; 128];
    let mut sum = 0.0;
    for &byte in matched {
        let count = &mut counts[usize::from(byte & 0x7F)];
        *count += 1;
        sum += weights[usize::from(*count)] - weights[usize::from(*count - 1)];
    }
    let bits = (weights[matched.len()] - sum) / matched.len() as f32;
    // From 0 to 7, give or take a rounding error.
    #[expect(clippy::cast_sign_loss, reason = "made non-negative first")]
    let hundredths = (bits.max(0.0) * 100.0 + 0.001) as u16;
    hundredths
}

/// Whether a match is what documentation writes in place of a token: one character eight times in
/// a row, fewer than six different characters, a sequence such as `12345678`, or a word.
pub(crate) fn is_placeholder(matched: &[u8]) -> bool {
    has_few_characters(matched)
        || repeats_a_character(matched)
        || is_sequence(matched)
        || holds_placeholder_word(matched)
}

fn has_few_characters(matched: &[u8]) -> bool {
    const LEAST: u32 = 6;
    let mut seen = 0_u128;
    // The first bytes tell; only a placeholder is read to its end.
    !matched.chunks(16).any(|chunk| {
        for byte in chunk {
            seen |= 1 << (byte & 0x7F);
        }
        seen.count_ones() >= LEAST
    })
}

/// Each byte with its neighbour on the left.
fn neighbours(bytes: &[u8]) -> impl Iterator<Item = (u8, u8)> {
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().copied().zip(next.iter().copied())
}

fn repeats_a_character(matched: &[u8]) -> bool {
    const MOST: usize = 8;
    // Nearly always there are too few neighbours alike for a row of them to exist.
    let alike = neighbours(matched).filter(|(left, right)| left == right);
    if alike.count() < MOST - 1 {
        return false;
    }
    let mut row = 1;
    neighbours(matched).any(|(left, right)| {
        row = if left == right { row + 1 } else { 1 };
        row == MOST
    })
}

/// Whether most of a match is in sequences of five or more neighbours, such as `bcdef` or `98765`.
fn is_sequence(matched: &[u8]) -> bool {
    const LEAST: usize = 5;
    let is_most = |count: usize| count * 10 >= matched.len() * 6;
    let near = neighbours(matched).filter(|(left, right)| left.abs_diff(*right) == 1);
    // Steps from one row of characters to the next are not counted here; there is at most one to
    // every neighbour that is.
    if !is_most(2 * near.count() + LEAST) {
        return false;
    }
    let (mut length, mut in_sequences) = (1, 0);
    for (left, right) in neighbours(matched) {
        length = if follows(left, right) { length + 1 } else { 1 };
        in_sequences += match length {
            ..LEAST => 0,
            LEAST => LEAST,
            _ => 1,
        };
    }
    is_most(in_sequences)
}

/// Whether `next` follows `previous` in the alphabet or among the digits, upwards or downwards.
fn follows(previous: u8, next: u8) -> bool {
    match next.abs_diff(previous) {
        1 => ALNUM.contains(previous) && ALNUM.contains(next),
        // From the end of one row of characters to the start of the next.
        _ => matches!(
            (previous, next),
            (b'9', b'0' | b'a' | b'A') | (b'f' | b'F', b'0')
        ),
    }
}

/// Words that people write where a token would stand, by first letter. Each has five or more
/// characters, so that a random token of 100 base62 characters holds one by chance less than once
/// in 100,000.
const fn placeholder_words(first: u8) -> &'static [&'static [u8]] {
    match first {
        b'c' => &[b"changeme", b"change_me", b"change-me"],
        b'd' => &[b"dummy"],
        b'e' => &[b"example"],
        b'i' => &[b"insert"],
        b'p' => &[b"placeholder"],
        b'r' => &[b"redacted", b"replace"],
        b'x' => &[b"xxxxx"],
        b'.' => &[b"..."],
        b'y' => &[b"yourtoken", b"your_", b"your-"],
        _ => &[],
    }
}

fn holds_placeholder_word(matched: &[u8]) -> bool {
    /// What the words start with, and what comes second.
    static STARTS: [u8; 256] = starts();
    const FIRST: u8 = 1;
    const SECOND: u8 = 2;
    const fn starts() -> [u8; 256] {
        let mut starts = [0; 256];
        let mut letter = 0;
        while letter < 128_u8 {
            let words = placeholder_words(letter);
            let mut index = 0;
            while index < words.len() {
                let (first, second) = (words[index][0], words[index][1]);
                starts[first as usize] |= FIRST;
                starts[first.to_ascii_uppercase() as usize] |= FIRST;
                starts[second as usize] |= SECOND;
                starts[second.to_ascii_uppercase() as usize] |= SECOND;
                index += 1;
            }
            letter += 1;
        }
        starts
    }

    let may_start = |first: u8, second: u8| {
        STARTS[usize::from(first)] & FIRST != 0 && STARTS[usize::from(second)] & SECOND != 0
    };
    neighbours(matched)
        .enumerate()
        .any(|(index, (first, second))| {
            may_start(first, second)
                && placeholder_words(first.to_ascii_lowercase())
                    .iter()
                    .any(|word| {
                        matched
                            .get(index..index + word.len())
                            .is_some_and(|there| there.eq_ignore_ascii_case(word))
                    })
        })
}

/// Whether a piece of text reads like part of a token and not like a word: long enough to judge,
/// with digits among the letters or with capitals inside.
pub(crate) fn looks_random(piece: &[u8]) -> bool {
    let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = piece
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    let inner_capitals = piece
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    piece.len() >= 4
        && (digits >= 1 && letters >= 1 && digits + letters >= 4 || inner_capitals >= 2)
}

/// Whether a piece of text can hardly be anything but part of a token.
pub(crate) fn is_random(piece: &[u8]) -> bool {
    let (mut digit, mut capital, mut small) = (false, false, false);
    for byte in piece {
        match byte {
            b'0'..=b'9' => digit = true,
            b'A'..=b'Z' => capital = true,
            b'a'..=b'z' => small = true,
            b'+' | b'/' | b'-' | b'_' | b'=' => {}
            _ => return false,
        }
    }
    piece.len() >= 8 && digit && capital && small
}

/// Whether a whole match is no chain of words: it has digits and capitals, or digits and otherwise
/// nothing but hexadecimal letters after its prefix, or no small letters at all, or letters whose
/// case changes as it does in no word.
pub(crate) fn reads_as_token(matched: &[u8]) -> bool {
    let digits = matched.iter().any(u8::is_ascii_digit);
    let capitals = matched.iter().any(u8::is_ascii_uppercase);
    let small = matched.iter().any(u8::is_ascii_lowercase);
    let body = &matched[matched.len().min(8)..];
    let hexadecimal = body
        .iter()
        .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b'_'));
    let pairs = |first: fn(&u8) -> bool| {
        body.windows(2)
            .filter(|pair| first(&pair[0]) && pair[1].is_ascii_uppercase())
            .count()
    };
    let mixed = pairs(u8::is_ascii_lowercase) >= 3 && pairs(u8::is_ascii_uppercase) >= 2;
    digits && (capitals || hexadecimal) || !small || mixed
}

/// Whether the last six of `body`'s characters are the base62 CRC-32 of those before, as GitHub
/// and npm build their tokens (github.blog, "Behind GitHub's new authentication token formats",
/// 2021).
pub(crate) fn crc_suffix_holds(body: &[u8]) -> bool {
    let Some(split) = body.len().checked_sub(6) else {
        return false;
    };
    let (value, suffix) = body.split_at(split);
    suffix == base62(crc32(value))
}

pub(crate) fn base62(mut number: u32) -> [u8; 6] {
    static ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(number % 62) as usize];
        number /= 62;
    }
    digits
}

/// The CRC-32 of zlib and Ethernet. Tokens are short and few, so bit by bit is fast enough.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1))
        })
    })
}

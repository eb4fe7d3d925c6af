//! Tests of a whole match: entropy, placeholders, checksums.

use crate::class::ALNUM;

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

/// Shannon entropy in hundredths of a bit per byte, rounded down.
pub(crate) fn entropy(matched: &[u8]) -> u16 {
    if matched.is_empty() {
        return 0;
    }
    let mut counts = [0_u16; 256];
    for &byte in matched {
        counts[usize::from(byte)] += 1;
    }
    let total = matched.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / total;
            -share * share.log2()
        })
        .sum();
    // At most 8 bits, so the product fits.
    #[expect(clippy::cast_sign_loss, reason = "entropy is never negative")]
    let hundredths = (bits * 100.0) as u16;
    hundredths
}

/// Whether a match is what documentation writes in place of a token: one character eight times in
/// a row, fewer than six different characters, a sequence such as `12345678`, or a word.
pub(crate) fn is_placeholder(matched: &[u8]) -> bool {
    let mut seen = [false; 256];
    let mut different = 0;
    let mut same = 1;
    let mut step = 1;
    // Bytes that belong to a run of neighbours such as `bcdef` or `98765`.
    let mut in_sequence = 0;
    let mut previous = 0_u8;
    for (index, &byte) in matched.iter().enumerate() {
        if !std::mem::replace(&mut seen[usize::from(byte)], true) {
            different += 1;
        }
        if index > 0 && byte == previous {
            same += 1;
            if same == 8 {
                return true;
            }
        } else {
            same = 1;
        }
        if index > 0 && follows(previous, byte) {
            step += 1;
            match step {
                5 => in_sequence += 5,
                6.. => in_sequence += 1,
                _ => {}
            }
        } else {
            step = 1;
        }
        previous = byte;
    }
    different < 6 || in_sequence * 10 >= matched.len() * 6 || holds_placeholder_word(matched)
}

/// Whether `next` follows `previous` in the alphabet or among the digits, upwards or downwards.
fn follows(previous: u8, next: u8) -> bool {
    ALNUM.contains(previous)
        && ALNUM.contains(next)
        && (next == previous.wrapping_add(1)
            || previous == next.wrapping_add(1)
            || matches!(
                (previous, next),
                (b'9', b'0' | b'a' | b'A') | (b'f' | b'F', b'0')
            ))
}

fn holds_placeholder_word(matched: &[u8]) -> bool {
    matched.iter().enumerate().any(|(index, first)| {
        placeholder_words(first.to_ascii_lowercase())
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
    piece.len() >= 8
        && piece.iter().any(u8::is_ascii_digit)
        && piece.iter().any(u8::is_ascii_uppercase)
        && piece.iter().any(u8::is_ascii_lowercase)
        && piece
            .iter()
            .all(|byte| ALNUM.contains(*byte) || b"+/-_=".contains(byte))
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

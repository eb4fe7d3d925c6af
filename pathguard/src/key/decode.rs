//! Percent escapes, decoded only to see what they might hide.
//!
//! A key is used as it is, so an escape is harmless here. But the same key may pass a proxy, a
//! server or an agent's own tool that decodes, once or several times, with or without the checks of
//! RFC 3629. The decoded form therefore raises suspicion and is thrown away.

use super::class::{CharClass, char_class};
use crate::reason::TraversalReason;

/// Rounds of decoding before we give up. Each layer of encoding needs one; real software adds two.
const MAX_ROUNDS: usize = 16;

/// Checks what the percent escapes in `raw` decode to.
///
/// `raw` has passed every other check, so whatever is wrong with the decoded form was hidden.
pub(super) fn check_escapes(raw: &str) -> Result<(), TraversalReason> {
    let separators = count_separators(raw.as_bytes());
    // Bytes, not characters: half a sequence that one round leaves may be completed by the next.
    let mut text = ascii_percent_signs(raw.as_bytes().to_vec());
    for _ in 0..MAX_ROUNDS {
        let Some(decoded) = decode_once(&text) else {
            return Ok(());
        };
        if let Some(lax) = lax_pairs(&text) {
            check_decoded(&lax, separators)?;
        }
        text = ascii_percent_signs(decoded);
        check_decoded(&text, separators)?;
    }
    match decode_once(&text) {
        None => Ok(()),
        Some(_) => Err(TraversalReason::EncodedTooDeep),
    }
}

fn count_separators(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'/').count() - 1
}

/// Replaces the two look-alikes that compatibility normalisation turns into a percent sign
/// (U+FF05 and U+FE6A, three bytes each).
fn ascii_percent_signs(mut text: Vec<u8>) -> Vec<u8> {
    let mut index = 0;
    while let Some(found) = text[index..].iter().position(|&byte| byte == 0xef) {
        index += found;
        if matches!(
            text[index..],
            [0xef, 0xbc, 0x85, ..] | [0xef, 0xb9, 0xaa, ..]
        ) {
            text.splice(index..index + 3, [b'%']);
        }
        index += 1;
    }
    text
}

fn check_decoded(text: &[u8], separators: usize) -> Result<(), TraversalReason> {
    if text.contains(&0) {
        return Err(TraversalReason::EncodedNul);
    }
    if text.contains(&b'\\') || count_separators(text) > separators {
        return Err(TraversalReason::EncodedSeparator);
    }
    let text = String::from_utf8_lossy(text);
    if text.contains(|c| char_class(c) == CharClass::Refused(TraversalReason::Lookalike)) {
        return Err(TraversalReason::EncodedSeparator);
    }
    if text.split('/').any(is_dots) {
        return Err(TraversalReason::EncodedDots);
    }
    if text.split('/').any(super::check::is_git_folder) {
        return Err(TraversalReason::GitFolder);
    }
    Ok(())
}

/// Reports whether a component is nothing but full stops for a reader that trims spaces and skips
/// invisible characters.
fn is_dots(component: &str) -> bool {
    component
        .chars()
        .all(|c| c == ' ' || matches!(char_class(c), CharClass::Dots | CharClass::Ignorable))
}

/// Decodes `%41` and `%u0041` once, and overlong UTF-8 in the result. Returns `None` when there was
/// nothing to decode.
fn decode_once(text: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let [first, tail @ ..] = rest {
        if let Some((character, length)) = wide_escape(rest) {
            let mut buffer = [0; 4];
            decoded.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
            rest = &rest[length..];
            changed = true;
        } else if let Some(byte) = escape(rest) {
            decoded.push(byte);
            rest = &rest[3..];
            changed = true;
        } else {
            decoded.push(*first);
            rest = tail;
        }
    }
    changed.then(|| shorten_overlong(&decoded))
}

/// `%41`
fn escape(text: &[u8]) -> Option<u8> {
    match text {
        [b'%', high, low, ..] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

/// Reads each escaped `C0` or `C1` with the escaped byte after it as one character, whether or not
/// that byte continues a sequence: `%c1%1c` was a backslash to decoders that only took the low six
/// bits (CVE-2000-0884). It is a second reading beside the true one. `None`: there is no such pair.
fn lax_pairs(text: &[u8]) -> Option<Vec<u8>> {
    let mut read = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let [first, tail @ ..] = rest {
        let lead = escape(rest).filter(|&byte| byte & 0xfe == 0xc0);
        if let (Some(lead), Some(next)) = (lead, rest.get(3..).and_then(escape)) {
            read.push((lead & 1) << 6 | next & 0x3f);
            rest = &rest[6..];
            found = true;
        } else {
            read.push(*first);
            rest = tail;
        }
    }
    found.then_some(read)
}

/// `%u0041`, the form of old IIS and of JavaScript's `escape`.
fn wide_escape(text: &[u8]) -> Option<(char, usize)> {
    let [b'%', b'u' | b'U', digits @ ..] = text else {
        return None;
    };
    let mut value = 0;
    for digit in digits.get(..4)? {
        value = value << 4 | u32::from(hex(*digit)?);
    }
    // Half a surrogate pair stands for no separator in any reading.
    Some((
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
        6,
    ))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Replaces UTF-8 sequences that are longer than they need to be and stand for an ASCII character:
/// `C0 AE` and `E0 80 AE` are full stops to a lax decoder (RFC 3629, section 10).
fn shorten_overlong(bytes: &[u8]) -> Vec<u8> {
    let mut short = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        if let Some((byte, length)) = overlong(rest) {
            short.push(byte);
            rest = &rest[length..];
        } else {
            short.push(*first);
            rest = tail;
        }
    }
    short
}

fn overlong(bytes: &[u8]) -> Option<(u8, usize)> {
    // The lead byte of an overlong form of an ASCII character, for two to six bytes. Only `C1` and
    // the last two continuation bytes carry bits.
    let length = match bytes.first()? {
        0xc0 | 0xc1 => 2,
        0xe0 => 3,
        0xf0 => 4,
        0xf8 => 5,
        0xfc => 6,
        _ => return None,
    };
    let mut value = u32::from(bytes[0] & 0x01) * u32::from(length == 2);
    for &byte in bytes.get(1..length)? {
        if byte & 0xc0 != 0x80 {
            return None;
        }
        value = value << 6 | u32::from(byte & 0x3f);
        if value >= 0x80 {
            return None;
        }
    }
    Some((value as u8, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlong_forms_of_ascii_are_shortened_and_others_are_kept() {
        for (bytes, expected) in [
            (&[0xc0, 0xae][..], &b"."[..]),
            (&[0xc0, 0xaf], b"/"),
            (&[0xc1, 0x9c], b"\\"),
            (&[0xc0, 0x80], b"\0"),
            (&[0xe0, 0x80, 0xaf], b"/"),
            (&[0xe0, 0x81, 0x9c], b"\\"),
            (&[0xf0, 0x80, 0x80, 0xae], b"."),
            (&[0xf8, 0x80, 0x80, 0x80, 0xaf], b"/"),
            (&[0xfc, 0x80, 0x80, 0x80, 0x80, 0xaf], b"/"),
            ("é日😀".as_bytes(), "é日😀".as_bytes()),
            (&[0xe0, 0xa4, 0x85], &[0xe0, 0xa4, 0x85]),
            (&[0xc0], &[0xc0]),
        ] {
            assert_eq!(shorten_overlong(bytes), expected, "{bytes:x?}");
        }
    }
}

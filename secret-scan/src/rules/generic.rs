//! Patterns that are told by where a value stands, not by how it starts.

use super::example::{self, Letters};
use crate::checks;
use crate::class::{ALNUM, BASE64, BASE64_PADDED, TOKEN68, WORD_DASH};
use crate::text::{Span, Text};
use crate::views::base64;

/// Length of an AWS secret access key.
const AWS_SECRET: usize = 40;

/// How far before and after its id an AWS secret is looked for: the lines of one profile.
const AWS_REACH: usize = 256;

/// Longest rest of a name after the word that makes it a secret's, as in `token_for_ci`.
const LONGEST_NAME_REST: usize = 32;

/// Most quote marks, blanks and signs between a name and its value.
const LONGEST_ASSIGNMENT: usize = 8;

/// The value of 40 characters that is assigned to a name of AWS's own.
pub(super) fn aws_secret_after_name(text: &Text<'_>, name: Span) -> Option<Span> {
    let value = value_after(text.bytes(), name.end)?;
    let end = text.run_end(value, &BASE64);
    (end - value == AWS_SECRET).then_some(value..end)
}

/// A free-standing run of 40 characters near a key's id.
pub(super) fn aws_secret_beside_id(text: &Text<'_>, prefix: Span) -> Option<Span> {
    const ID: usize = 20;
    let bytes = text.bytes();
    let id_end = prefix.start + ID;
    if ALNUM.run(bytes.get(prefix.start..id_end)?) < ID || !text.ends_word(id_end) {
        return None;
    }
    let after = id_end..bytes.len().min(id_end + AWS_REACH);
    let before = prefix.start.saturating_sub(AWS_REACH)..prefix.start;
    free_standing(bytes, after).or_else(|| free_standing(bytes, before))
}

/// The first run of exactly as many base64 characters as a secret has that starts and ends in
/// `within`.
fn free_standing(bytes: &[u8], within: Span) -> Option<Span> {
    let mut at = within.start;
    while at + AWS_SECRET <= within.end {
        let run = BASE64.run(&bytes[at..within.end]);
        let starts_here = at == 0 || !BASE64.contains(bytes[at - 1]);
        if run == AWS_SECRET && starts_here && !is_hash(&bytes[at..at + run]) {
            return Some(at..at + run);
        }
        at += run + 1;
    }
    None
}

fn is_hash(run: &[u8]) -> bool {
    run.iter().all(u8::is_ascii_hexdigit)
}

pub(super) fn aws_secret_example() -> String {
    let value = Letters::new(b"aws-secret").text(AWS_SECRET, &ALNUM);
    format!("aws_secret_access_key = {value}")
}

pub(super) fn aws_pair_example() -> String {
    let mut letters = Letters::new(b"aws-pair");
    let id = letters.text(16, &crate::class::BASE32);
    let value = letters.text(AWS_SECRET, &ALNUM);
    ["id AK", "IA", &id, "\nkey ", &value].concat()
}

/// The credentials after the scheme's name in an `Authorization` header (RFC 6750).
pub(super) fn bearer_value(text: &Text<'_>, word: Span) -> Option<Span> {
    const LEAST: usize = 20;
    if !text.starts_word(word.start) {
        return None;
    }
    let end = text.run_end(word.end, &TOKEN68);
    let value = &text.bytes()[word.end..end];
    // A full stop ends the sentence, not the token.
    let dots = value.iter().rev().take_while(|&&byte| byte == b'.').count();
    let end = end - dots;
    (end - word.end >= LEAST).then_some(word.end..end)
}

pub(super) fn bearer_example() -> String {
    let value = Letters::new(b"bearer").text(40, &ALNUM);
    ["Authorization: Bea", "rer ", &value].concat()
}

/// Whether a value has the mixture of characters of a token, as opposed to words with hyphens.
pub(super) fn reads_as_token(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && checks::reads_as_token(value)
}

/// Whether the first part is a header of RFC 7515, and the second not the example of jwt.io that
/// documentation shows everywhere.
pub(super) fn is_web_token(matched: &[u8]) -> bool {
    let mut parts = matched.split(|&byte| byte == b'.');
    let mut holds = |needle: &[u8]| {
        let decoded = base64::decode(parts.next().unwrap_or_default());
        decoded.windows(needle.len()).any(|window| window == needle)
    };
    holds(br#""alg""#) && !holds(b"John Doe")
}

pub(super) fn web_token_example() -> String {
    let signature = Letters::new(b"json-web-token").text(43, &ALNUM);
    let header = example::base64(r#"{"alg":"HS256","typ":"JWT"}"#);
    let payload = example::base64(r#"{"sub":"u-1839","role":"deploy"}"#);
    [&header, ".", &payload, ".", &signature].concat()
}

/// The password in `scheme://user:password@host`.
pub(super) fn url_password(text: &Text<'_>, slashes: Span) -> Option<Span> {
    const LONGEST_PART: usize = 128;
    const LEAST: usize = 6;
    let bytes = text.bytes();
    if !bytes[..slashes.start]
        .last()
        .is_some_and(u8::is_ascii_alphanumeric)
    {
        return None;
    }
    let authority = &bytes[slashes.end..bytes.len().min(slashes.end + 2 * LONGEST_PART)];
    let user = authority
        .iter()
        .take(LONGEST_PART)
        .position(|&byte| byte == b':' || !is_authority(byte))?;
    if authority[user] != b':' {
        return None;
    }
    let password = &authority[user + 1..];
    let length = password
        .iter()
        .take(LONGEST_PART)
        .position(|&byte| byte == b'@' || !is_authority(byte))?;
    let host = password.get(length + 1)?;
    if password[length] != b'@' || !host.is_ascii_alphanumeric() && *host != b'[' {
        return None;
    }
    let password = &password[..length];
    // A colon in a password is written `%3A`.
    if password.contains(&b':')
        || length < LEAST
        || password == &authority[..user]
        || is_stand_in(password)
    {
        return None;
    }
    let start = slashes.end + user + 1;
    Some(start..start + length)
}

/// A character that RFC 3986 allows in user information, with the colon that ends the user's name.
fn is_authority(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&()*+,;=:{}".contains(&byte)
}

/// Whether a password is a variable, or a word that documentation and local set-ups use.
fn is_stand_in(password: &[u8]) -> bool {
    const WORDS: [&str; 18] = [
        "admin", "changeit", "changeme", "default", "foobar", "hidden", "letmein", "mypass",
        "mysecret", "pass", "passwd", "password", "postgres", "redacted", "secret", "token",
        "user", "xxxx",
    ];
    let lower = password.to_ascii_lowercase();
    let word: Vec<u8> = lower
        .iter()
        .copied()
        .filter(u8::is_ascii_alphabetic)
        .collect();
    matches!(password[0], b'$' | b'{' | b'%' | b'[' | b'*' | b':')
        || password
            .windows(2)
            .any(|pair| pair == b"${" || pair == b"{{")
        || WORDS
            .iter()
            .any(|stand_in| word == stand_in.as_bytes() && word.len() + 4 >= password.len())
}

pub(super) fn url_password_example() -> String {
    let password = Letters::new(b"url-password").text(18, &ALNUM);
    ["postgres:", "//app:", &password, "@db.internal:5432/app"].concat()
}

/// Something random that is assigned to a name with `token`, `secret` and the like in it.
pub(super) fn assigned_value(text: &Text<'_>, name: Span) -> Option<Span> {
    const LEAST: usize = 16;
    const MOST: usize = 256;
    let bytes = text.bytes();
    let rest = &bytes[name.end..bytes.len().min(name.end + LONGEST_NAME_REST)];
    let start = value_after(bytes, name.end + WORD_DASH.run(rest))?;
    let reach = &bytes[start..bytes.len().min(start + MOST + 1)];
    let length = BASE64_PADDED.run(reach).max(WORD_DASH.run(reach));
    let end = start + length;
    let value = &bytes[start..end];
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_plain = (LEAST..=MOST).contains(&value.len())
        && digits >= 2
        && value.len() > digits + 2
        && !matches!(bytes.get(end), Some(b'(' | b'.' | b'[' | b':'));
    // A name of capitals and digits is a constant.
    let has_small = value.iter().any(u8::is_ascii_lowercase);
    (is_plain && has_small && checks::reads_as_token(value)).then_some(start..end)
}

pub(super) fn assignment_example() -> String {
    let value = Letters::new(b"assignment").text(32, &ALNUM);
    ["API_", "KEY = \"", &value, "\""].concat()
}

/// Where the value starts that is assigned to a name ending at `name_end`: `=`, `:` or `=>`, with
/// blanks and quote marks.
fn value_after(bytes: &[u8], name_end: usize) -> Option<usize> {
    let rest = &bytes[name_end..bytes.len().min(name_end + LONGEST_ASSIGNMENT)];
    let length = rest.iter().position(|byte| {
        !matches!(
            byte,
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'>'
        )
    })?;
    rest[..length]
        .iter()
        .any(|byte| matches!(byte, b'=' | b':'))
        .then_some(name_end + length)
}

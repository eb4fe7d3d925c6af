//! Text without words: hexadecimal, base64, identifiers.

use std::fmt::Write as _;

use super::random::Random;

const LETTERS_AND_DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

pub(crate) fn hex(shape: usize, random: &mut Random) -> String {
    let mut out = String::new();
    match shape {
        // One line without a break.
        0 => out.push_str(&random.hex(4_000)),
        // Checksums of files.
        1 => {
            for _ in 0..50 {
                writeln!(out, "{}  {}.tar.gz", random.hex(64), random.compound("-"))
                    .expect("writing to a String succeeds");
            }
        }
        // `xxd`: offset, pairs of bytes, the bytes as text.
        2 | 3 => {
            for line in 0..100 {
                let bytes = sparse(random, 16);
                write!(out, "{:08x}: ", line * 16).expect("writing to a String succeeds");
                for pair in bytes.chunks(2) {
                    write!(out, "{:02x}{:02x} ", pair[0], pair[1])
                        .expect("writing to a String succeeds");
                }
                writeln!(out, " {}", printable(&bytes)).expect("writing to a String succeeds");
            }
        }
        // `hexdump -C`: single bytes, the text between bars.
        4 | 5 => {
            for line in 0..90 {
                let bytes = sparse(random, 16);
                write!(out, "{:08x} ", line * 16).expect("writing to a String succeeds");
                for (i, byte) in bytes.iter().enumerate() {
                    write!(out, "{}{byte:02x}", if i == 8 { "  " } else { " " })
                        .expect("writing to a String succeeds");
                }
                writeln!(out, "  |{}|", printable(&bytes)).expect("writing to a String succeeds");
            }
        }
        // A byte array in source code.
        6 => {
            for _ in 0..70 {
                let bytes: Vec<String> = random
                    .bytes(12)
                    .iter()
                    .map(|b| format!("0x{b:02X}"))
                    .collect();
                writeln!(out, "    {},", bytes.join(", ")).expect("writing to a String succeeds");
            }
        }
        // Fingerprints with colons.
        _ => {
            for _ in 0..40 {
                let bytes: Vec<String> = random
                    .bytes(20)
                    .iter()
                    .map(|b| format!("{b:02X}"))
                    .collect();
                writeln!(out, "SHA1 {}", bytes.join(":")).expect("writing to a String succeeds");
            }
        }
    }
    out
}

/// Bytes as in a program file: many zeros, some text, the rest anything.
fn sparse(random: &mut Random, count: usize) -> Vec<u8> {
    let text = random.chance(25);
    (0..count)
        .map(|_| match random.below(10) {
            _ if text => b'a' + random.below(26) as u8,
            0..4 => 0,
            _ => random.next() as u8,
        })
        .collect()
}

fn printable(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&b| {
            if b.is_ascii_graphic() {
                char::from(b)
            } else {
                '.'
            }
        })
        .collect()
}

/// Base64 with padding.
pub(crate) fn encode(bytes: &[u8], url_safe: bool) -> String {
    let last_two = if url_safe { "-_" } else { "+/" };
    let alphabet: Vec<u8> = (b'A'..=b'Z')
        .chain(b'a'..=b'z')
        .chain(b'0'..=b'9')
        .chain(last_two.bytes())
        .collect();
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let value =
            chunk.iter().fold(0_usize, |v, b| v << 8 | usize::from(*b)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            if digit <= chunk.len() {
                out.push(char::from(alphabet[value >> (18 - 6 * digit) & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

pub(crate) fn base64(shape: usize, random: &mut Random) -> String {
    let lines = |text: &str, width: usize| {
        text.as_bytes()
            .chunks(width)
            .map(|line| String::from_utf8_lossy(line) + "\n")
            .collect::<String>()
    };
    match shape {
        0 => encode(&random.bytes(3_000), false),
        1 => lines(&encode(&random.bytes(3_000), false), 76),
        2 => encode(&random.bytes(3_000), true),
        3 => format!(
            "<img alt=\"\" src=\"data:image/png;base64,{}\">",
            encode(&random.bytes(3_000), false)
        ),
        4 => lines(&encode(&random.bytes(3_000), false), 64),
        // English text behind the encoding, which keeps its patterns.
        5 => encode(phrase(random).as_bytes(), false),
        // A mostly empty file.
        6 => lines(&encode(&sparse(random, 3_000), false), 76),
        _ => {
            let mut out = String::new();
            for _ in 0..40 {
                writeln!(out, "\"{}\",", encode(&random.bytes(48), true))
                    .expect("writing to a String succeeds");
            }
            out
        }
    }
}

fn phrase(random: &mut Random) -> String {
    let words: Vec<&str> = (0..400).map(|_| random.noun()).collect();
    words.join(" ")
}

pub(crate) fn ids(shape: usize, random: &mut Random) -> String {
    let mut out = String::new();
    for _ in 0..120 {
        let line = match shape {
            0 | 5 => {
                let h = random.hex(32);
                let id = format!(
                    "{}-{}-4{}-a{}-{}",
                    &h[..8],
                    &h[8..12],
                    &h[13..16],
                    &h[17..20],
                    &h[20..]
                );
                if shape == 0 {
                    id
                } else {
                    format!("deleted {} {id}", random.noun())
                }
            }
            1 => random.string("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26),
            2 => format!(
                "{}_{}",
                random.pick(&["evt", "msg", "run", "call"]),
                random.string(LETTERS_AND_DIGITS, 24)
            ),
            3 => format!("{} {}", random.hex(7), random.compound(" ")),
            4 => (random.next() >> 2).to_string(),
            6 => format!(
                "{}-{}",
                random.string("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 4),
                random.below(100_000)
            ),
            _ => random.string(
                "_-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                21,
            ),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

//! Credentials that are encoded or broken up are found, at the place they stand in the input.

use crate::forms;
use crate::support::{self, Planted};

/// A way to hide a token. `None` where the form cannot carry it.
pub(crate) type Hide = fn(&str) -> Option<Vec<u8>>;

#[expect(
    clippy::unnecessary_wraps,
    reason = "the table's functions return options"
)]
pub(crate) fn each(token: &str, encode: impl Fn(usize, char) -> String) -> Option<Vec<u8>> {
    let hidden: String = token
        .chars()
        .enumerate()
        .map(|(index, character)| encode(index, character))
        .collect();
    Some(hidden.into_bytes())
}

pub(crate) fn split_by(token: &str, every: usize, gap: &str) -> Option<Vec<u8>> {
    each(token, |index, character| {
        if index > 0 && index % every == 0 {
            format!("{gap}{character}")
        } else {
            character.into()
        }
    })
}

pub(crate) fn full_width(character: char) -> char {
    match character {
        '!'..='~' => char::from_u32(character as u32 - 0x21 + 0xFF01).unwrap_or(character),
        other => other,
    }
}

/// All ways to hide a token.
pub(crate) fn forms() -> impl Iterator<Item = &'static (&'static str, Hide)> {
    let tables = [FORMS, forms::INVISIBLE, forms::ESCAPED, forms::BROKEN];
    tables.into_iter().flatten()
}

/// Whether a form plants more than the token, so that a finding stands inside.
pub(crate) fn is_larger(form: &str) -> bool {
    LARGER.contains(&form) || forms::LARGER.contains(&form)
}

const FORMS: &[(&str, Hide)] = &[
    ("plain", |token| each(token, |_, c| c.into())),
    ("zero-width space in the middle", |token| {
        split_by(token, token.len() / 2, "\u{200B}")
    }),
    ("zero-width joiners everywhere", |token| {
        split_by(token, 1, "\u{200D}")
    }),
    ("soft hyphens", |token| split_by(token, 5, "\u{AD}")),
    ("word joiners", |token| split_by(token, 3, "\u{2060}")),
    ("byte order mark inside", |token| {
        split_by(token, 2, "\u{FEFF}")
    }),
    ("variation selectors", |token| {
        split_by(token, 7, "\u{FE0F}")
    }),
    ("tag characters", |token| split_by(token, 7, "\u{E0061}")),
    ("direction marks", |token| split_by(token, 4, "\u{202E}")),
    ("full-width", |token| {
        each(token, |_, c| full_width(c).into())
    }),
    ("every third full-width", |token| {
        each(token, |index, c| {
            let wide = index % 3 == 0;
            if wide { full_width(c) } else { c }.into()
        })
    }),
    ("percent, all", |token| {
        each(token, |_, c| format!("%{:02X}", c as u32))
    }),
    ("percent, small letters", |token| {
        each(token, |_, c| format!("%{:02x}", c as u32))
    }),
    ("percent, punctuation and one letter", |token| {
        each(token, |index, c| {
            if c.is_ascii_alphanumeric() && index != 3 {
                c.into()
            } else {
                format!("%{:02X}", c as u32)
            }
        })
    }),
    ("percent twice", |token| {
        each(token, |_, c| format!("%25{:02X}", c as u32))
    }),
    ("percent of UTF-16 units", |token| {
        each(token, |_, c| format!("%u{:04X}", c as u32))
    }),
    ("\\u", |token| {
        each(token, |_, c| format!("\\u{:04x}", c as u32))
    }),
    ("\\u in escaped JSON", |token| {
        each(token, |_, c| format!("\\\\u{:04x}", c as u32))
    }),
    ("\\u{}", |token| {
        each(token, |_, c| format!("\\u{{{:x}}}", c as u32))
    }),
    ("\\U", |token| {
        each(token, |_, c| format!("\\U{:08X}", c as u32))
    }),
    ("\\x", |token| {
        each(token, |_, c| format!("\\x{:02x}", c as u32))
    }),
    ("octal", |token| {
        each(token, |_, c| format!("\\{:03o}", c as u32))
    }),
    ("every fourth \\u", |token| {
        each(token, |index, c| {
            if index % 4 == 0 {
                format!("\\u{:04x}", c as u32)
            } else {
                c.into()
            }
        })
    }),
    ("decimal entities", |token| {
        each(token, |_, c| format!("&#{};", c as u32))
    }),
    ("decimal entities with zeros", |token| {
        each(token, |_, c| format!("&#{:05};", c as u32))
    }),
    ("hexadecimal entities", |token| {
        each(token, |_, c| format!("&#x{:x};", c as u32))
    }),
    ("entities twice", |token| {
        each(token, |_, c| format!("&amp;#{};", c as u32))
    }),
    ("soft hyphen entity", |token| split_by(token, 6, "&shy;")),
    ("named entities", |token| {
        let named = token
            .replace('_', "&lowbar;")
            .replace('-', "&hyphen;")
            .replace('.', "&period;");
        (named != token).then(|| named.into_bytes())
    }),
    ("quoted-printable", |token| {
        each(token, |_, c| format!("={:02X}", c as u32))
    }),
    ("quoted-printable soft breaks", |token| {
        split_by(token, 15, "=\r\n")
    }),
    ("quoted-printable zero-width", |token| {
        split_by(token, 9, "=E2=80=8B")
    }),
    ("percent zero-width", |token| {
        split_by(token, 9, "%E2%80%8B")
    }),
    ("\\x zero-width", |token| {
        split_by(token, 9, "\\xe2\\x80\\x8b")
    }),
    ("wrapped by 76", |token| {
        (token.len() > 90)
            .then(|| split_by(token, 76, "\n"))
            .flatten()
    }),
    ("wrapped in the middle", |token| {
        split_by(token, token.len().div_ceil(2), "\n")
    }),
    ("wrapped by 10", |token| split_by(token, 10, "\n")),
    ("wrapped by 16, CRLF", |token| split_by(token, 16, "\r\n")),
    ("wrapped and indented", |token| {
        split_by(token, 12, "\n    ")
    }),
    ("wrapped in a quote", |token| split_by(token, 12, "\n> ")),
    ("wrapped in a comment", |token| split_by(token, 12, "\n// ")),
    ("wrapped by the shell", |token| split_by(token, 12, "\\\n")),
    ("wrapped in the literal", |token| {
        split_by(token, 3, "\n").filter(|_| token.len() < 60)
    }),
    ("wrapped, spelled out", |token| split_by(token, 12, "\\n")),
    ("concatenated strings", |token| {
        let split = split_by(token, 12, "\" +\n  \"")?;
        Some([b"\"".as_slice(), &split, b"\""].concat())
    }),
    ("adjacent strings", |token| {
        let split = split_by(token, 12, "'\n  '")?;
        Some([b"'".as_slice(), &split, b"'"].concat())
    }),
    ("bold in the middle", |token| {
        split_by(token, token.len() / 2, "**")
    }),
    ("code marks in the middle", |token| {
        split_by(token, token.len() / 2, "`")
    }),
    ("struck through", |token| {
        split_by(token, token.len() / 2, "~~").filter(|_| !token.contains('~'))
    }),
    ("Markdown escapes", |token| {
        let escaped = token
            .replace('_', "\\_")
            .replace('-', "\\-")
            .replace('.', "\\.");
        (escaped != token).then(|| escaped.into_bytes())
    }),
    ("non-breaking hyphens", |token| {
        token
            .contains('-')
            .then(|| token.replace('-', "\u{2011}").into_bytes())
    }),
    ("en dashes", |token| {
        token
            .contains('-')
            .then(|| token.replace('-', "–").into_bytes())
    }),
    ("base64", |token| {
        Some(support::base64(token.as_bytes(), true))
    }),
    ("base64, URL-safe", |token| {
        Some(support::base64_url(token.as_bytes()))
    }),
    ("base64 after one byte", |token| {
        Some(support::base64(format!(":{token}").as_bytes(), true))
    }),
    ("base64 after two bytes", |token| {
        Some(support::base64(format!("x:{token} end").as_bytes(), true))
    }),
    ("base64 of a sentence", |token| {
        Some(support::base64(
            format!("the token is {token}, keep it\n").as_bytes(),
            true,
        ))
    }),
    ("base64 of Chinese", |token| {
        Some(support::base64(
            format!("令牌：{token}，请保密。").as_bytes(),
            true,
        ))
    }),
    ("base64 twice", |token| {
        Some(support::base64(
            &support::base64(token.as_bytes(), true),
            true,
        ))
    }),
    ("base64 wrapped by 76", |token| {
        let long = format!(
            "{}{token}{}",
            "some text. ".repeat(9),
            " more text.".repeat(9)
        );
        Some(support::wrapped(
            &support::base64(long.as_bytes(), true),
            76,
            "\n",
        ))
    }),
    ("base64 wrapped by 20", |token| {
        Some(support::wrapped(
            &support::base64(token.as_bytes(), true),
            20,
            "\n",
        ))
    }),
    ("base64 after a path", |token| {
        Some(
            [
                b"/a/b/".as_slice(),
                &support::base64(token.as_bytes(), false),
            ]
            .concat(),
        )
    }),
    ("base64 of UTF-16", |token| {
        Some(support::base64(&support::utf16(token, true), true))
    }),
    ("base64 of percent", |token| {
        let percent = each(token, |_, c| format!("%{:02X}", c as u32))?;
        Some(support::base64(&percent, true))
    }),
    ("base64 of zero-width", |token| {
        Some(support::base64(&split_by(token, 6, "\u{200B}")?, true))
    }),
    ("base64 in percent", |token| {
        let inner = String::from_utf8(support::base64(token.as_bytes(), true)).ok()?;
        each(&inner, |_, c| {
            if c.is_ascii_alphanumeric() {
                c.into()
            } else {
                format!("%{:02X}", c as u32)
            }
        })
    }),
    ("base64 broken by marks", |token| {
        let inner = String::from_utf8(support::base64(token.as_bytes(), true)).ok()?;
        split_by(&inner, 13, "*")
    }),
    ("hexadecimal", |token| Some(support::hex(token.as_bytes()))),
    ("hexadecimal capitals", |token| {
        Some(support::hex(token.as_bytes()).to_ascii_uppercase())
    }),
    ("hexadecimal of base64", |token| {
        Some(support::hex(&support::base64(token.as_bytes(), true)))
    }),
    ("base64 of hexadecimal", |token| {
        Some(support::base64(&support::hex(token.as_bytes()), true))
    }),
    ("entities of percent", |token| {
        let percent = String::from_utf8(each(token, |_, c| format!("%{:02X}", c as u32))?).ok()?;
        each(&percent, |_, c| format!("&#{};", c as u32))
    }),
    ("zero-width and wrapped", |token| {
        let split = String::from_utf8(split_by(token, 5, "\u{200B}")?).ok()?;
        split_by(&split, 14, "\n")
    }),
    ("\\u and wrapped", |token| {
        each(token, |index, c| {
            let gap = if index > 0 && index % 9 == 0 {
                "\n"
            } else {
                ""
            };
            format!("{gap}\\u{:04x}", c as u32)
        })
    }),
    ("UTF-16, little endian", |token| {
        Some(support::utf16(&format!(" {token} "), true))
    }),
    ("UTF-16, big endian", |token| {
        Some(support::utf16(&format!(" {token} "), false))
    }),
    ("UTF-16 with zero-width", |token| {
        let split = String::from_utf8(split_by(token, 8, "\u{200B}")?).ok()?;
        Some(support::utf16(&format!(" the token is {split} "), true))
    }),
];

/// Forms that plant more than the token.
const LARGER: &[&str] = &[
    "concatenated strings",
    "adjacent strings",
    "base64 after one byte",
    "base64 after two bytes",
    "base64 of a sentence",
    "base64 of Chinese",
    "base64 wrapped by 76",
    "base64 after a path",
    "UTF-16, little endian",
    "UTF-16, big endian",
    "UTF-16 with zero-width",
];

/// Whether a form is UTF-16 as a whole.
pub(crate) fn is_wide(form: &str) -> bool {
    form.starts_with("UTF-16")
}

#[test]
fn every_hidden_form_of_every_rule_is_found_at_its_place() {
    let mut missed = Vec::new();
    // Private keys have forms and a test of their own.
    let tokens = support::examples();
    for (rule, token) in tokens.iter().filter(|(rule, _)| *rule != "private-key") {
        for (form, hide) in forms() {
            let Some(hidden) = hide(token) else { continue };
            for (before, after) in [(" ", " "), ("(", ")"), ("令牌", "。"), ("\n", "\n")] {
                if is_wide(form) && !before.is_ascii() {
                    continue;
                }
                let planted = Planted::new(before, &hidden, after);
                let findings = secret_scan::scan(&planted.text);
                let exact = !is_larger(form);
                let at_place = findings.iter().any(|finding| {
                    let range = finding.range();
                    finding.rule() == *rule
                        && if exact {
                            range == planted.range
                        } else {
                            planted.range.start <= range.start && range.end <= planted.range.end
                        }
                });
                if !at_place || findings.len() != 1 {
                    missed.push(format!("{form}: {rule} {before:?} {findings:?}"));
                }
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

//! Builds texts a rule must find and must not find, from the rule itself.

use super::pattern::{Pattern, Shape, Step};
use crate::class::ByteClass;
use crate::matcher;
use crate::text::Text;

/// A repeatable source of characters. Examples need variety, not unpredictability.
pub(super) struct Letters(u64);

impl Letters {
    /// Starts a sequence that depends on `seed` only (FNV-1a, 64 bits).
    pub(super) fn new(seed: &[u8]) -> Self {
        Self(seed.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// `count` characters of `class`.
    pub(super) fn text(&mut self, count: usize, class: &ByteClass) -> String {
        let members = class.members();
        (0..count)
            .map(|_| char::from(members[self.next() % members.len()]))
            .collect()
    }

    /// xorshift64*, Vigna 2016.
    fn next(&mut self) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize
    }
}

/// Base64 without padding, for examples only.
pub(super) fn base64(text: &str) -> String {
    let alphabet = crate::class::BASE64.members();
    // The members are in ASCII order: `+`, `/`, digits, capitals, small letters.
    let letter = |value: u32| {
        char::from(match value {
            0..52 => alphabet[value as usize + 12],
            52..62 => alphabet[value as usize - 52 + 2],
            62 => b'+',
            _ => b'/',
        })
    };
    text.as_bytes()
        .chunks(3)
        .flat_map(|chunk| {
            let bits = (0..3).fold(0, |bits, index| {
                bits << 8 | chunk.get(index).copied().map_or(0, u32::from)
            });
            (0..=chunk.len()).map(move |index| letter(bits >> (18 - 6 * index) & 63))
        })
        .collect()
}

/// Texts the pattern finds.
pub(super) fn positives(rule: &str, pattern: &Pattern) -> Vec<String> {
    if let Some(example) = pattern.example {
        return vec![example()];
    }
    let Shape::Steps { before, after } = &pattern.shape else {
        return Vec::new();
    };
    // A random body may by chance look like a placeholder; then the next seed is taken.
    (0_u8..16)
        .map(|attempt| {
            let mut letters =
                Letters::new(&[rule.as_bytes(), pattern.literal.as_bytes(), &[attempt]].concat());
            let mut text = String::new();
            for &(count, class) in *before {
                text += &letters.text(count, class);
            }
            text += pattern.literal;
            for step in *after {
                write_step(&mut text, step, &mut letters);
            }
            text
        })
        .find(|text| finds(pattern, text))
        .into_iter()
        .collect()
}

fn finds(pattern: &Pattern, text: &str) -> bool {
    text.match_indices(pattern.literal)
        .any(|(at, _)| matcher::match_at(&Text::new(text.as_bytes()), at, pattern).is_some())
}

fn write_step(text: &mut String, step: &Step, letters: &mut Letters) {
    match step {
        Step::Literal(literal) => *text += literal,
        Step::Run { class, min, max } => {
            // Open bodies get a few characters more than the least, as real tokens have.
            let count = if max > min { min + 4 } else { *min };
            *text += &letters.text(count.min(*max), class);
        }
        Step::Maybe(_) => {}
        Step::OneOf(choices) => {
            for step in choices[0] {
                write_step(text, step, letters);
            }
        }
    }
}

/// Texts that resemble what the pattern finds.
pub(super) fn negatives(rule: &str, pattern: &Pattern) -> Vec<String> {
    let literal = pattern.literal;
    let mut texts = vec![
        literal.to_owned(),
        format!("{literal}…"),
        format!("{literal}<your-token-here>"),
        format!("{literal}{{{{ token }}}}"),
        format!("{literal}${{TOKEN}}"),
        format!("{literal}{}", "*".repeat(40)),
        format!("{literal}[A-Za-z0-9_-]{{36}}"),
        format!("{literal}[REDACTED]"),
    ];
    if let Shape::Steps { before, after } = &pattern.shape {
        for filler in ['x', 'X', '0', 'a', 'A'] {
            let mut masked = String::new();
            for &(count, _) in *before {
                masked.extend(std::iter::repeat_n(filler, count));
            }
            masked += literal;
            for step in *after {
                mask_step(&mut masked, step, filler);
            }
            texts.push(masked);
        }
        // Only for texts whose length is known from the steps.
        let built = pattern.example.is_none().then(|| positives(rule, pattern));
        for positive in built.into_iter().flatten() {
            // The least length and four more, so cutting five leaves too little.
            texts.push(positive[..positive.len() - 5].to_owned());
            let body = positive.find(literal).map_or(0, |at| at + literal.len());
            // What people write who show that they left something out.
            if let (Some(head), Some(tail)) = (positive.get(..body + 4), positive.get(body + 8..)) {
                texts.push([head, "...", tail].concat());
            }
        }
    }
    texts
}

fn mask_step(text: &mut String, step: &Step, filler: char) {
    match step {
        Step::Literal(literal) => *text += literal,
        Step::Run { min, max, .. } => {
            text.extend(std::iter::repeat_n(filler, (min + 4).min(*max)));
        }
        Step::Maybe(_) => {}
        Step::OneOf(choices) => {
            for step in choices[0] {
                mask_step(text, step, filler);
            }
        }
    }
}

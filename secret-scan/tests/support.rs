//! What several test modules build texts with.

/// A text with something planted in it.
pub(crate) struct Planted {
    pub(crate) text: Vec<u8>,
    /// Where the planted bytes are.
    pub(crate) range: std::ops::Range<usize>,
}

impl Planted {
    pub(crate) fn new(before: &str, planted: &[u8], after: &str) -> Self {
        Self {
            text: [before.as_bytes(), planted, after.as_bytes()].concat(),
            range: before.len()..before.len() + planted.len(),
        }
    }
}

/// Every example of the standard rules, with the id of its rule.
pub(crate) fn examples() -> Vec<(&'static str, String)> {
    secret_scan::rules()
        .iter()
        .flat_map(|rule| {
            let examples = rule.examples().into_iter();
            examples.map(|example| (rule.id(), example))
        })
        .collect()
}

pub(crate) fn base64(bytes: &[u8], padded: bool) -> Vec<u8> {
    encode(bytes, padded, *b"+/")
}

pub(crate) fn base64_url(bytes: &[u8]) -> Vec<u8> {
    encode(bytes, false, *b"-_")
}

fn encode(bytes: &[u8], padded: bool, last: [u8; 2]) -> Vec<u8> {
    let letter = |value: u32| match value as u8 {
        value @ 0..26 => b'A' + value,
        value @ 26..52 => b'a' + value - 26,
        value @ 52..62 => b'0' + value - 52,
        value => last[usize::from(value - 62)],
    };
    let mut encoded = Vec::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, index| {
            bits << 8 | chunk.get(index).copied().map_or(0, u32::from)
        });
        encoded.extend((0..=chunk.len()).map(|index| letter(bits >> (18 - 6 * index) & 63)));
        if padded {
            encoded.extend(std::iter::repeat_n(b'=', 3 - chunk.len()));
        }
    }
    encoded
}

pub(crate) fn hex(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .flat_map(|byte| format!("{byte:02x}").into_bytes())
        .collect()
}

pub(crate) fn utf16(text: &str, little_endian: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| {
            if little_endian {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        })
        .collect()
}

/// `bytes` with `gap` after every `width` of them.
pub(crate) fn wrapped(bytes: &[u8], width: usize, gap: &str) -> Vec<u8> {
    bytes.chunks(width).collect::<Vec<_>>().join(gap.as_bytes())
}

/// A repeatable source of random choices (splitmix64).
pub(crate) struct Letters(u64);

impl Letters {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("below a usize")
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// `count` characters of `alphabet`, which is ASCII.
    pub(crate) fn text(&mut self, count: usize, alphabet: &str) -> String {
        (0..count)
            .map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())]))
            .collect()
    }
}

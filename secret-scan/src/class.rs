//! Sets of bytes, written the way a pattern is written: `A-Z2-7`.

/// A set of ASCII bytes, as a table with one entry a byte value.
pub(crate) struct ByteClass {
    members: [bool; 256],
    /// The members in ascending order, for building examples; only the first `len` count.
    listed: [u8; 128],
    len: usize,
}

impl ByteClass {
    /// Builds a class from single bytes and `from-to` ranges; a `-` at the end stands for itself.
    pub(crate) const fn new(spec: &[u8]) -> Self {
        let mut members = [false; 256];
        let mut at = 0;
        while at < spec.len() {
            let (from, to) = if at + 2 < spec.len() && spec[at + 1] == b'-' {
                (spec[at], spec[at + 2])
            } else {
                (spec[at], spec[at])
            };
            let mut byte = from;
            while byte <= to {
                members[byte as usize] = true;
                byte += 1;
            }
            at += if to == from { 1 } else { 3 };
        }
        let mut listed = [0; 128];
        let mut len = 0;
        let mut byte = 0;
        while byte < 128 {
            if members[byte] {
                listed[len] = byte as u8;
                len += 1;
            }
            byte += 1;
        }
        Self {
            members,
            listed,
            len,
        }
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.members[usize::from(byte)]
    }

    /// The members in ascending order.
    pub(crate) fn members(&self) -> &[u8] {
        &self.listed[..self.len]
    }

    /// The number of leading bytes of `bytes` that belong to the class.
    pub(crate) fn run(&self, bytes: &[u8]) -> usize {
        bytes
            .iter()
            .position(|&byte| !self.contains(byte))
            .unwrap_or(bytes.len())
    }
}

pub(crate) static DIGIT: ByteClass = ByteClass::new(b"0-9");
pub(crate) static HEX: ByteClass = ByteClass::new(b"0-9a-fA-F");
pub(crate) static LOWER_HEX: ByteClass = ByteClass::new(b"0-9a-f");
pub(crate) static UPPER_OR_DIGIT: ByteClass = ByteClass::new(b"A-Z0-9");
/// The alphabet of RFC 4648 base32, which AWS key ids are written in.
pub(crate) static BASE32: ByteClass = ByteClass::new(b"A-Z2-7");
pub(crate) static BASE36: ByteClass = ByteClass::new(b"0-9a-z");
pub(crate) static ALNUM: ByteClass = ByteClass::new(b"0-9A-Za-z");
pub(crate) static ALNUM_DASH: ByteClass = ByteClass::new(b"0-9A-Za-z-");
/// `[\w-]`, which is also the alphabet of URL-safe base64.
pub(crate) static WORD_DASH: ByteClass = ByteClass::new(b"0-9A-Za-z_-");
pub(crate) static BASE64: ByteClass = ByteClass::new(b"0-9A-Za-z+/");
pub(crate) static EQUALS_SIGN: ByteClass = ByteClass::new(b"=");
pub(crate) static BASE64_PADDED: ByteClass = ByteClass::new(b"0-9A-Za-z+/=");
pub(crate) static AZURE_SECRET_START: ByteClass = ByteClass::new(b"0-9A-Za-z_~.");
pub(crate) static AZURE_SECRET: ByteClass = ByteClass::new(b"0-9A-Za-z_~.-");
pub(crate) static TERRAFORM_BODY: ByteClass = ByteClass::new(b"0-9A-Za-z_=-");
pub(crate) static WORD: ByteClass = ByteClass::new(b"0-9A-Za-z_");
/// What RFC 6750 allows in a bearer token.
pub(crate) static TOKEN68: ByteClass = ByteClass::new(b"0-9A-Za-z._~+/=-");
/// The capitals of BIP 173's base32.
pub(crate) static BECH32: ByteClass = ByteClass::new(b"02-9AC-HJ-NP-Z");
/// A browser cookie of Slack, percent-encoded or not.
pub(crate) static SLACK_COOKIE: ByteClass = ByteClass::new(b"0-9A-Za-z%+/=_-");

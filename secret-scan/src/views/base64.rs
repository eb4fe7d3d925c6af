//! Base64, standard and URL-safe (RFC 4648, sections 4 and 5).

/// The value of each character in either alphabet; 0xFF for every other byte.
pub(crate) static VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [0xFF; 256];
    let mut index = 0;
    while index < 64 {
        values[alphabet[index] as usize] = index as u8;
        index += 1;
    }
    values[b'-' as usize] = 62;
    values[b'_' as usize] = 63;
    values
}

/// Decodes up to the first byte that is in neither alphabet. Bits that make no whole byte are
/// dropped.
pub(crate) fn decode(encoded: &[u8]) -> Vec<u8> {
    let value = |byte: u8| VALUES[usize::from(byte)];
    let valid = encoded
        .iter()
        .position(|&byte| value(byte) == 0xFF)
        .unwrap_or(encoded.len());
    let mut decoded = vec![0; valid * 6 / 8];
    // The last group may be short; it is filled up with zeros, which fall off at its end.
    for (digits, bytes) in encoded[..valid].chunks(4).zip(decoded.chunks_mut(3)) {
        let digit = |index: usize| digits.get(index).map_or(0, |&byte| u32::from(value(byte)));
        let bits = digit(0) << 18 | digit(1) << 12 | digit(2) << 6 | digit(3);
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = (bits >> (16 - 8 * index)) as u8;
        }
    }
    decoded
}

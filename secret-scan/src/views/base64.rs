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
    let mut decoded = Vec::with_capacity(encoded.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in encoded {
        let value = VALUES[usize::from(byte)];
        if value == 0xFF {
            break;
        }
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    decoded
}

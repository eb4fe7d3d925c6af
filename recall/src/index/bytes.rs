//! Little-endian fields at fixed places, and the check sum that covers them.

/// Returns the `u32` at a byte offset, or none past the end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

/// Returns the `u64` at a byte offset, or none past the end.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(field.try_into().ok()?))
}

/// Returns the `i64` at a byte offset, or none past the end.
pub(crate) fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    u64_at(bytes, at).map(u64::cast_signed)
}

/// Returns a 64-bit check sum that any single changed bit changes.
///
/// It guards against damage, not against an attacker: whoever can write the file can compute it too,
/// which is why every reader checks its bounds and every file is compared with the folder. Four lanes
/// of multiplication keep it near the speed of memory; a cryptographic hash over a large index would
/// cost more than the listing that it saves.
pub(crate) fn check_sum(bytes: &[u8]) -> u64 {
    const KEYS: [u64; 4] = [
        0x9e37_79b9_7f4a_7c15,
        0xbf58_476d_1ce4_e5b9,
        0x94d0_49bb_1331_11eb,
        0xd6e8_feb8_6659_fd93,
    ];
    let mut lanes = KEYS;
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        for (lane, (word, key)) in lanes.iter_mut().zip(block.chunks_exact(8).zip(KEYS)) {
            let word = u64::from_le_bytes(
                word.try_into()
                    .expect("eight bytes, because chunks_exact gave them"),
            );
            // Xor and multiplication by an odd number are both reversible: no two words collide.
            *lane = (*lane ^ word).wrapping_mul(key).rotate_left(29);
        }
    }
    let mut sum = bytes.len() as u64;
    for byte in blocks.remainder() {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    for lane in lanes {
        sum = (sum ^ lane).wrapping_mul(KEYS[1]).rotate_left(31);
    }
    sum ^ (sum >> 32)
}

/// Returns the check sum of an index file around the place where the file states it.
pub(crate) fn check_sum_around(bytes: &[u8], at: usize) -> u64 {
    let (before, rest) = bytes.split_at(at.min(bytes.len()));
    let after = rest.get(8..).unwrap_or(&[]);
    check_sum(before) ^ check_sum(after).rotate_left(1)
}

#[cfg(test)]
mod tests {
    use super::check_sum;

    #[test]
    fn every_single_flipped_bit_changes_the_sum() {
        let bytes: Vec<u8> = (0..100_u8).collect();
        let sum = check_sum(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert_ne!(check_sum(&flipped), sum, "bit {at}");
        }
        assert_ne!(check_sum(&bytes[..99]), sum);
    }
}

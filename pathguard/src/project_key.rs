//! The name of a project's folder.

use std::path::Path;

use unicode_normalization::UnicodeNormalization;

/// Longest key before it is shortened, in UTF-16 code units.
const MAX_UNITS: usize = 200;

/// Returns the name under which a project keeps its files, such as `-home-ada-work-teapot`.
///
/// It is the mapping of the agents whose folders we share: the path in normal form C, each UTF-16
/// code unit outside `A–Z a–z 0–9` replaced by `-`, one for one and unmerged. A result of more than
/// 200 is cut there and gets `-` and, in base 36, the absolute value of the 32-bit hash
/// h = 31·h + code unit of the path. Code units because those agents are written in JavaScript: an
/// emoji is two dashes. A path that is not Unicode has U+FFFD for what is not.
///
/// `path` must be the real one already, with links resolved
/// ([`realpath_deepest_existing`](crate::realpath_deepest_existing) does that). The mapping cannot
/// be reversed, and different paths can have one key.
///
/// ```
/// use std::path::Path;
/// use pathguard::project_key;
///
/// assert_eq!(project_key(Path::new("/home/ada/work/tea_pot")), "-home-ada-work-tea-pot");
/// assert_eq!(project_key(Path::new(r"C:\Users\ada\tea.pot")), "C--Users-ada-tea-pot");
/// assert_eq!(project_key(Path::new("/srv/茶壶")), "-srv---");
/// ```
pub fn project_key(path: &Path) -> String {
    let units: Vec<u16> = path
        .to_string_lossy()
        .nfc()
        .collect::<String>()
        .encode_utf16()
        .collect();
    let mut key: String = units
        .iter()
        .take(MAX_UNITS)
        .map(|&unit| key_char(unit))
        .collect();
    if units.len() > MAX_UNITS {
        key.push('-');
        key.push_str(&base36(hash(&units).unsigned_abs()));
    }
    key
}

fn key_char(unit: u16) -> char {
    match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    }
}

fn hash(units: &[u16]) -> i32 {
    units.iter().fold(0_i32, |hash, &unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    })
}

fn base36(mut value: u32) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = char::from_digit(value % 36, 36).expect("a digit because it is below 36");
        digits.push(digit);
        value /= 36;
        if value == 0 {
            break;
        }
    }
    digits.into_iter().rev().collect()
}

//! The first check: characters that must not appear in a command at all, quoted or not.
//!
//! A person who approves a command, and a model that reads it back, must see what runs. So nothing may
//! be invisible, change the direction of text, or look like a blank without being one.

use super::refusal::{Refusal, RefusalKind};

/// The longest command that is looked at, in bytes.
pub const MAX_COMMAND_BYTES: usize = 4_096;

/// Code points that are invisible, change direction, or stand for nothing.
///
/// The `Default_Ignorable_Code_Point` property of Unicode 16 (`DerivedCoreProperties.txt`), the
/// interlinear annotation marks, and the blank Braille cell, which looks like a space.
const INVISIBLE: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

/// Refuses a command that is too long or holds a character that may hide something.
pub(super) fn check(command: &str) -> Result<(), Refusal> {
    if command.len() > MAX_COMMAND_BYTES {
        return Err(Refusal::new(
            RefusalKind::TooMuch,
            MAX_COMMAND_BYTES,
            format!(
                "the command has {} bytes, at most {MAX_COMMAND_BYTES} are read",
                command.len()
            ),
        ));
    }
    let bytes = command.as_bytes();
    let plain = |byte: &u8| (b' '..0x7F).contains(byte) || *byte == b'\t';
    let Some(first) = bytes.iter().position(|byte| !plain(byte)) else {
        return Ok(());
    };
    // The prefix is ASCII, so `first` is a character boundary.
    for (offset, character) in command[first..].char_indices() {
        if let Some(what) = fault(character) {
            return Err(Refusal::new(
                RefusalKind::Character,
                first + offset,
                format!("U+{:04X} is {what}", u32::from(character)),
            ));
        }
    }
    Ok(())
}

fn fault(character: char) -> Option<&'static str> {
    if matches!(character, ' ' | '\t') {
        return None;
    }
    if matches!(character, '\n' | '\r') {
        return Some("a line break; join commands with `&&` or `;`");
    }
    if character.is_control() {
        return Some("a control character");
    }
    if character.is_whitespace() {
        return Some("a blank other than space and tab");
    }
    let code = u32::from(character);
    if code & 0xFFFE == 0xFFFE || (0xFDD0..=0xFDEF).contains(&code) {
        return Some("no character");
    }
    INVISIBLE
        .iter()
        .any(|(low, high)| (*low..=*high).contains(&code))
        .then_some("invisible or changes the direction of text")
}

//! Characters that hide text from people or turn it around.

use super::{Code, Findings, SourceFile};

/// What is wrong with one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// Nobody sees it.
    Invisible,
    /// It changes the direction of the text around it.
    Direction,
}

pub(super) fn check(file: &SourceFile<'_>, findings: &mut Findings) {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    if file.bytes.iter().all(is_plain) {
        return;
    }
    let editable = file.is_whole() && std::str::from_utf8(file.bytes).is_ok();
    let text = String::from_utf8_lossy(file.bytes);
    for (at, line) in text.split('\n').enumerate() {
        let found: Vec<(char, Hidden)> = hidden(line, at == 0)
            .map(|(at, kind)| (char_at(line, at), kind))
            .collect();
        for (kind, code, what) in [
            (
                Hidden::Direction,
                Code::DirectionUnicode,
                "changes the direction of text",
            ),
            (Hidden::Invisible, Code::InvisibleUnicode, "cannot be seen"),
        ] {
            let of_kind: Vec<char> = found
                .iter()
                .filter(|hidden| hidden.1 == kind)
                .map(|hidden| hidden.0)
                .collect();
            if let Some(first) = of_kind.first() {
                let more = if of_kind.len() > 1 {
                    format!(" ({} such characters)", of_kind.len())
                } else {
                    String::new()
                };
                let message = format!("U+{:04X} {what}{more}", u32::from(*first));
                findings
                    .add(code, file.path, at + 1, message)
                    .fixable(editable);
            }
        }
    }
}

/// The line without its hidden characters.
pub(super) fn cleaned(line: &str, is_first: bool) -> String {
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for (at, _) in hidden(line, is_first) {
        out.push_str(&line[from..at]);
        from = at + char_at(line, at).len_utf8();
    }
    out.push_str(&line[from..]);
    out
}

fn char_at(line: &str, at: usize) -> char {
    line[at..]
        .chars()
        .next()
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The hidden characters of a line with their places.
///
/// Joiners stay inside emoji and in the scripts that need them, marks of direction in lines that
/// hold right-to-left letters, tags behind the flag they spell, and a byte order mark at the very
/// start, which is reported on its own.
pub(super) fn hidden(line: &str, is_first: bool) -> impl Iterator<Item = (usize, Hidden)> {
    let has_right_to_left = line.chars().any(is_right_to_left);
    line.char_indices().filter_map(move |(at, character)| {
        let before = line[..at].chars().next_back();
        let kind = match character {
            '\u{FEFF}' if is_first && at == 0 => return None,
            // Marks that are used in right-to-left text and nowhere else.
            '\u{200E}' | '\u{200F}' | '\u{061C}' if has_right_to_left => return None,
            // Elsewhere; and embeddings, overrides and isolates.
            '\u{200E}'
            | '\u{200F}'
            | '\u{061C}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}' => Hidden::Direction,
            // Zero-width joiner and non-joiner.
            '\u{200C}' | '\u{200D}' if before.is_some_and(is_joined) => return None,
            // Tags that spell the flag of a region follow a black flag or another tag.
            '\u{E0020}'..='\u{E007F}' if is_flag_tail(&line[..at]) => return None,
            // Variation selectors choose the look of the character before them.
            '\u{FE00}'..='\u{FE0F}'
                if before.is_some_and(|before| !before.is_whitespace() && !is_selector(before)) =>
            {
                return None;
            }
            '\u{00AD}'
            | '\u{034F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200D}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206A}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}' => Hidden::Invisible,
            // Control characters except tab and the carriage return of a line end.
            '\0'..='\u{8}' | '\u{B}'..='\u{C}' | '\u{E}'..='\u{1F}' | '\u{7F}'..='\u{9F}' => {
                Hidden::Invisible
            }
            _ => return None,
        };
        Some((at, kind))
    })
}

fn is_right_to_left(character: char) -> bool {
    matches!(u32::from(character), 0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x1_0800..=0x1_0FFF | 0x1_E800..=0x1_EFFF)
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{FE00}'..='\u{FE0F}')
}

/// Whether a joiner after this character has a meaning: emoji, their modifiers, and the Arabic
/// and Indic scripts.
fn is_joined(before: char) -> bool {
    matches!(
        u32::from(before),
        0x0590..=0x0DFF | 0x0F00..=0x109F | 0x1780..=0x18AF | 0xA800..=0xABFF | 0x2190..=0x2BFF | 0xFE0F | 0x1_F000..=0x1_FAFF | 0x1_1000..=0x1_1FFF
    )
}

/// Whether the text ends with a black flag and tags, at most as many as a region has.
fn is_flag_tail(before: &str) -> bool {
    let mut tail = before
        .chars()
        .rev()
        .take(8)
        .skip_while(|tag| matches!(tag, '\u{E0020}'..='\u{E007E}'));
    tail.next() == Some('\u{1F3F4}')
}

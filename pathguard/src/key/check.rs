//! The rules of a key: one pass, no allocation unless percent escapes occur.

use super::class::{BYTE_CLASS, ByteClass, CharClass, byte_reason, char_class};
use super::decode::check_escapes;
use super::rules::{KeyRules, MAX_COMPONENT_BYTES, MAX_KEY_BYTES, MAX_KEY_LEVELS};
use crate::reason::TraversalReason;

/// How our temporary files begin. No key may name one, so that no key can be made to replace the
/// half-written contents of another.
pub(crate) const TEMPORARY_PREFIX: &str = ".pathguard-";

/// Checks a whole key.
pub(super) fn check(raw: &str, rules: &KeyRules) -> Result<(), TraversalReason> {
    let bytes = raw.as_bytes();
    if bytes.len() > MAX_KEY_BYTES {
        return Err(TraversalReason::KeyTooLong);
    }
    match bytes {
        [] => return Err(TraversalReason::Empty),
        [b'/', ..] => return Err(TraversalReason::Absolute),
        [b'~', ..] => return Err(TraversalReason::Tilde),
        [.., b'/'] => return Err(TraversalReason::TrailingSlash),
        _ => {}
    }
    let mut scan = Scan {
        raw,
        start: 0,
        levels: 0,
        special: false,
        escapes: false,
    };
    let mut index = 0;
    while index < bytes.len() {
        match BYTE_CLASS[usize::from(bytes[index])] {
            ByteClass::Ordinary => index += 1,
            ByteClass::Separator => {
                scan.end_component(index)?;
                index += 1;
            }
            ByteClass::Percent => {
                scan.escapes = true;
                index += 1;
            }
            ByteClass::Wide => index += scan.wide(index)?,
            ByteClass::Refused => return Err(byte_reason(bytes[index])),
        }
    }
    let last = scan.start;
    scan.end_component(bytes.len())?;
    if scan.escapes {
        check_escapes(raw)?;
    }
    if rules.extensions.is_some() && !rules.allow_extension(extension(&raw[last..])) {
        return Err(TraversalReason::Extension);
    }
    Ok(())
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, extension)| extension)
}

/// Reports whether `name` is one of our temporary files.
pub(crate) fn is_temporary_name(name: &str) -> bool {
    name.as_bytes()
        .get(..TEMPORARY_PREFIX.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(TEMPORARY_PREFIX.as_bytes()))
}

/// Where the pass is.
struct Scan<'a> {
    raw: &'a str,
    /// First byte of the current component.
    start: usize,
    /// Components that ended.
    levels: usize,
    /// The current component holds invisible characters or look-alikes of full stops.
    special: bool,
    /// Somewhere there is a percent sign, or a look-alike of it.
    escapes: bool,
}

impl Scan<'_> {
    /// Takes the character outside ASCII at `index`, and returns its length in bytes.
    fn wide(&mut self, index: usize) -> Result<usize, TraversalReason> {
        let character = self.raw[index..]
            .chars()
            .next()
            .expect("a lead byte begins a character");
        match char_class(character) {
            CharClass::Plain => {}
            CharClass::Ignorable | CharClass::Dots => self.special = true,
            CharClass::Percent => self.escapes = true,
            CharClass::Refused(reason) => return Err(reason),
        }
        Ok(character.len_utf8())
    }

    fn end_component(&mut self, end: usize) -> Result<(), TraversalReason> {
        let component = &self.raw[self.start..end];
        if self.special {
            check_special(component)?;
        }
        check_component(component)?;
        self.levels += 1;
        if self.levels > MAX_KEY_LEVELS {
            return Err(TraversalReason::TooDeep);
        }
        self.start = end + 1;
        self.special = false;
        Ok(())
    }
}

/// Checks what a component is as a whole.
fn check_component(component: &str) -> Result<(), TraversalReason> {
    let bytes = component.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return Err(TraversalReason::EmptyComponent);
    };
    if bytes.len() > MAX_COMPONENT_BYTES {
        return Err(TraversalReason::ComponentTooLong);
    }
    if last == b'.' || last == b' ' {
        return Err(match component {
            "." | ".." => TraversalReason::DotComponent,
            _ => TraversalReason::TrailingDotOrSpace,
        });
    }
    // The first byte tells nearly every name apart from those that are refused as a whole.
    match first | 0x20 {
        b'.' | b'g' if is_git_folder(component) => Err(TraversalReason::GitFolder),
        b'.' if is_temporary_name(component) => Err(TraversalReason::TemporaryName),
        // `~` with the bit set is itself.
        b'~' if component == "~" => Err(TraversalReason::Tilde),
        b'a' | b'c' | b'l' | b'n' | b'p' if is_device_name(component) => {
            Err(TraversalReason::DeviceName)
        }
        _ => Ok(()),
    }
}

/// Checks a component with invisible characters or look-alikes of full stops as a reader sees it
/// who skips the one and expands the other. HFS+ skips invisible characters when it compares names,
/// which once let `.g\u{200c}it` through (CVE-2014-9390).
#[cold]
fn check_special(component: &str) -> Result<(), TraversalReason> {
    let mut visible = component
        .chars()
        .filter(|&c| char_class(c) != CharClass::Ignorable)
        .peekable();
    if visible.peek().is_none() {
        return Err(TraversalReason::Invisible);
    }
    let mut plain = String::with_capacity(component.len());
    for c in visible {
        match c {
            _ if c.is_ascii() => plain.push(c),
            _ if char_class(c) == CharClass::Dots => plain.push('.'),
            _ => plain.push(c),
        }
    }
    if plain.bytes().all(|byte| byte == b'.') {
        return Err(TraversalReason::DotComponent);
    }
    if is_git_folder(&plain) {
        return Err(TraversalReason::GitFolder);
    }
    // A real trailing full stop may hide behind an invisible character; an ellipsis at the end is a
    // matter of style.
    let ends_with_stop = component
        .chars()
        .rev()
        .find(|&c| char_class(c) != CharClass::Ignorable)
        .is_some_and(|c| c == '.' || c == ' ');
    if ends_with_stop {
        return Err(TraversalReason::TrailingDotOrSpace);
    }
    check_component(&plain).or_else(|reason| match reason {
        // Said of the expanded form, these two are not true of the name.
        TraversalReason::TrailingDotOrSpace | TraversalReason::ComponentTooLong => Ok(()),
        reason => Err(reason),
    })
}

/// Reports whether some file system takes `component` for `.git`: without regard to case, by its
/// short name on FAT and NTFS, with what Windows drops at the end.
pub(super) fn is_git_folder(component: &str) -> bool {
    let name = component.trim_end_matches([' ', '.']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

/// Reports whether Windows opens a device for `component`: the name before the first full stop,
/// without trailing spaces, is what counts.
///
/// List: "Naming Files, Paths, and Namespaces" of the Windows documentation, with the superscript
/// digits that NTFS maps to ASCII, and the two console names.
fn is_device_name(component: &str) -> bool {
    let base = component
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end_matches(' ');
    let is = |name: &str| base.eq_ignore_ascii_case(name);
    match base.len() {
        3 => is("con") || is("prn") || is("aux") || is("nul"),
        4 | 5 => {
            let Some((port, digit)) = base.split_at_checked(3) else {
                return false;
            };
            (port.eq_ignore_ascii_case("com") || port.eq_ignore_ascii_case("lpt"))
                && (matches!(digit.as_bytes(), [b'0'..=b'9']) || matches!(digit, "¹" | "²" | "³"))
        }
        6 => is("conin$"),
        7 => is("conout$"),
        _ => false,
    }
}

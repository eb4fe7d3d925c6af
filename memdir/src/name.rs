//! File names that a person can read and every file system can hold.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::limits::SLUG_MAX_BYTES;
use crate::memory_type::MemoryType;
use crate::text::floor_boundary;

/// How many numbers are tried to make a name unique.
const MAX_TRIES: u32 = 10_000;

/// Returns the file name for a new memory: `<type>_<slug>.md`.
///
/// The slug is the name in lower case and normal form C, with `_` for everything that is neither
/// letter nor digit in any script, cut to [`SLUG_MAX_BYTES`] between words where possible. The
/// result holds no character that Windows, macOS or Linux treats specially, and no reserved name
/// can arise because it starts with the type. A name that says its type already does not say it
/// twice.
///
/// `is_taken` answers whether a file of that name exists, without regard to case and Unicode
/// normal form; then `_2`, `_3` … are tried. After ten thousand of them the last candidate is
/// returned, which the caller must expect to exist.
///
/// ```
/// use memdir::{MemoryType, file_name};
///
/// let free = |_: &str| false;
/// assert_eq!(file_name(MemoryType::Feedback, "Tests: run them all!", &free), "feedback_tests_run_them_all.md");
/// assert_eq!(file_name(MemoryType::Project, "发布计划 2026", &free), "project_发布计划_2026.md");
/// assert_eq!(file_name(MemoryType::User, "user-role", &|name| name == "user_role.md"), "user_role_2.md");
/// ```
pub fn file_name(memory_type: MemoryType, name: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let slug = slug(memory_type, name);
    let mut candidate = format!("{memory_type}_{}.md", cut(&slug, SLUG_MAX_BYTES));
    for number in 2..MAX_TRIES {
        if !is_taken(&candidate) {
            break;
        }
        let suffix = format!("_{number}");
        let room = SLUG_MAX_BYTES - suffix.len();
        candidate = format!("{memory_type}_{}{suffix}.md", cut(&slug, room));
    }
    candidate
}

fn slug(memory_type: MemoryType, name: &str) -> String {
    let mut slug = String::new();
    // Far more than fits into the limit, so that a name of megabytes costs nothing.
    for character in name
        .chars()
        .take(4 * SLUG_MAX_BYTES)
        .nfc()
        .flat_map(char::to_lowercase)
        .nfc()
    {
        if is_word(character) && !(slug.is_empty() && is_combining_mark(character)) {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let slug = slug.trim_end_matches('_');
    let prefix = format!("{memory_type}_");
    let slug = slug.strip_prefix(&prefix).unwrap_or(slug);
    if slug.is_empty() {
        "memory".to_owned()
    } else {
        slug.to_owned()
    }
}

/// Letters, digits and the marks that belong to letters, without letters nobody can see.
fn is_word(character: char) -> bool {
    const INVISIBLE: [char; 5] = ['\u{115F}', '\u{1160}', '\u{3164}', '\u{FFA0}', '\u{034F}'];
    (character.is_alphanumeric() || is_combining_mark(character)) && !INVISIBLE.contains(&character)
}

/// At most `max` bytes of a slug, preferably whole words, never a letter without its marks.
fn cut(slug: &str, max: usize) -> &str {
    if slug.len() <= max {
        return slug;
    }
    let mut end = floor_boundary(slug, max);
    while end > 0 && slug[end..].starts_with(is_combining_mark) {
        end = floor_boundary(slug, end - 1);
    }
    let head = &slug[..end];
    let word = match head.rfind('_') {
        // A cut inside the last word is better than losing most of the name.
        Some(at) if at >= max / 2 && !slug[end..].starts_with('_') => &head[..at],
        _ => head,
    };
    let word = word.trim_end_matches('_');
    if word.is_empty() { "memory" } else { word }
}

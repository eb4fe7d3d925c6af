//! Patterns of file names, matched loosely: better one name too many than one too few.

use std::path::Path;

/// Whether a path is a pattern of a shell.
pub(crate) fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// Whether a name matches a pattern; what stands in braces or brackets matches everything.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern = loosened(pattern);
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(&it) if it == '?' || it == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => match &mut star {
                Some((star, taken)) => {
                    *taken += 1;
                    (at, in_name) = (*star + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|it| *it == '*')
}

/// A pattern of `*` and `?` alone that matches at least as much.
fn loosened(pattern: &str) -> String {
    let mut loose = String::new();
    let mut depth = 0_usize;
    for character in pattern.chars() {
        match character {
            '{' | '[' => {
                depth += 1;
                loose.push('*');
            }
            '}' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => loose.push(character),
            _ => {}
        }
    }
    loose
}

//! The editing itself, on texts: nothing here touches a file.

use super::{MAX_ANSWER_CHARACTERS, MAX_LINES};

/// Lines shown before and behind a change.
const CONTEXT: usize = 2;

/// Characters kept free for the words about what was cut.
const RESERVE: usize = 400;

/// Longest text of the model's own that an answer repeats, in characters.
const MAX_ECHO: usize = 1_000;

/// Most line numbers that an answer lists.
const MAX_LISTED: usize = 50;

/// The words for a path that nothing has.
pub(super) fn missing(path: &str) -> String {
    format!("The path {path} does not exist. Please provide a valid path.")
}

/// The words for a folder where a file is needed.
pub(super) fn no_file(path: &str) -> String {
    format!("The path {path} is not a file.")
}

/// A text after a replacement, and where it changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) text: String,
    /// The first changed line, counted from 0.
    pub(super) first_line: usize,
    /// How many lines the new part has.
    pub(super) lines: usize,
}

/// Shows a file, or lines of it, with their numbers.
pub(super) fn show(path: &str, text: &str, range: Option<(i64, i64)>) -> Result<String, String> {
    let total = text.split('\n').count();
    if total > MAX_LINES {
        return Err(format!(
            "File {path} exceeds maximum line limit of 999,999 lines."
        ));
    }
    let (start, end) = range.unwrap_or((1, -1));
    let first = usize::try_from(start).unwrap_or(0).max(1);
    let last = match end {
        -1 => total,
        end => usize::try_from(end).unwrap_or(0).min(total),
    };
    let header = format!("Here's the content of {path} with line numbers:\n");
    let room = MAX_ANSWER_CHARACTERS.saturating_sub(header.chars().count() + RESERVE);
    Ok(header + &number(text, first, last, room))
}

/// Shows the lines around a change.
pub(super) fn snippet(text: &str, first_line: usize, lines: usize) -> String {
    let total = text.split('\n').count();
    let first = first_line.saturating_sub(CONTEXT) + 1;
    let last = (first_line + lines.max(1) + CONTEXT).min(total);
    number(text, first, last, MAX_ANSWER_CHARACTERS - 2 * RESERVE)
}

/// Lines `first` to `last`, counted from 1, as far as there is room for.
fn number(text: &str, first: usize, last: usize, room: usize) -> String {
    let mut shown = String::new();
    let mut left = room;
    let wanted = (last + 1).saturating_sub(first);
    let lines = text.split('\n').enumerate().skip(first - 1).take(wanted);
    for (at, line) in lines {
        let number = at + 1;
        // Six columns, more for longer numbers, and the tab.
        let prefix = format!("{number:>6}\t");
        let length = prefix.chars().count() + line.chars().count() + 1;
        if length > left {
            if shown.is_empty() {
                let part: String = line.chars().take(left.saturating_sub(16)).collect();
                return format!(
                    "{prefix}{part}\n[Line {number} is cut: it has {} characters.{}]",
                    line.chars().count(),
                    rest(number + 1, last)
                );
            }
            shown.pop();
            return format!(
                "{shown}\n[Cut: lines {first} to {} of {last} are shown.{}]",
                number - 1,
                rest(number, last)
            );
        }
        left -= length;
        shown.push_str(&prefix);
        shown.push_str(line);
        shown.push('\n');
    }
    // The line feed of the last line is no line of its own.
    shown.pop();
    shown
}

fn rest(next: usize, last: usize) -> String {
    if next > last {
        return String::new();
    }
    format!(" View the rest with view_range [{next}, {last}].")
}

/// Replaces the one occurrence of `old`.
pub(super) fn replace(text: &str, old: &str, new: &str, path: &str) -> Result<Replaced, String> {
    if old.is_empty() {
        return Err(format!(
            "No replacement was performed, old_str is empty. Give the text of {path} to replace."
        ));
    }
    let mut found = text.match_indices(old).map(|(at, _)| at);
    let Some(at) = found.next() else {
        return Err(format!(
            "No replacement was performed, old_str `{}` did not appear verbatim in {path}.",
            echo(old)
        ));
    };
    if let Some(second) = found.next() {
        let places = [at, second].into_iter().chain(found);
        return Err(format!(
            "No replacement was performed. Multiple occurrences of old_str `{}` in lines: {}. Please ensure \
             it is unique",
            echo(old),
            line_numbers(text, places)
        ));
    }
    let mut replaced = String::with_capacity(text.len() - old.len() + new.len());
    replaced.push_str(&text[..at]);
    replaced.push_str(new);
    replaced.push_str(&text[at + old.len()..]);
    Ok(Replaced {
        text: replaced,
        first_line: count_feeds(&text[..at]),
        lines: count_feeds(new) + 1,
    })
}

/// Inserts whole lines behind line `line`; 0 is the beginning.
pub(super) fn insert(text: &str, line: i64, lines: &str) -> Result<String, String> {
    let total = text.lines().count();
    let at = usize::try_from(line)
        .ok()
        .filter(|at| *at <= total)
        .ok_or_else(|| {
            format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of \
                 the file: [0, {total}]"
            )
        })?;
    let before: usize = text.split_inclusive('\n').take(at).map(str::len).sum();
    let (head, tail) = text.split_at(before);
    let mut new = String::with_capacity(text.len() + lines.len() + 2);
    new.push_str(head);
    if !head.is_empty() && !head.ends_with('\n') {
        new.push('\n');
    }
    new.push_str(lines);
    if !lines.ends_with('\n') {
        new.push('\n');
    }
    new.push_str(tail);
    Ok(new)
}

fn count_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The lines of these places, counted in one pass.
fn line_numbers(text: &str, places: impl Iterator<Item = usize>) -> String {
    let (mut line, mut from, mut more) = (1, 0, 0);
    let mut numbers = Vec::new();
    for place in places {
        if numbers.len() == MAX_LISTED {
            more += 1;
            continue;
        }
        line += count_feeds(&text[from..place]);
        from = place;
        numbers.push(line.to_string());
    }
    let listed = numbers.join(", ");
    match more {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

fn echo(text: &str) -> String {
    let mut characters = text.chars();
    let begin: String = characters.by_ref().take(MAX_ECHO).collect();
    if characters.next().is_none() {
        return begin;
    }
    format!("{begin}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_lines_stand_on_lines_of_their_own() {
        let table = [
            ("", 0, "a", "a\n"),
            ("1\n2\n3\n", 0, "x", "x\n1\n2\n3\n"),
            ("1\n2\n3\n", 3, "4\n", "1\n2\n3\n4\n"),
            ("1\n2\n3", 3, "4", "1\n2\n3\n4\n"),
            ("1\n2\n3", 1, "x", "1\nx\n2\n3"),
            ("1\n", 1, "", "1\n\n"),
            ("一\n二\n", 1, "新", "一\n新\n二\n"),
        ];
        for (text, line, lines, expected) in table {
            assert_eq!(insert(text, line, lines).as_deref(), Ok(expected));
        }
        for (text, line, range) in [("", 1, "[0, 0]"), ("a\n", 2, "[0, 1]"), ("a", -1, "[0, 1]")] {
            let refused = insert(text, line, "x").unwrap_err();
            assert!(refused.ends_with(range), "{refused}");
        }
    }

    #[test]
    fn a_text_is_replaced_only_where_it_stands_once() {
        let replaced = replace("a\nb\nc\n", "b\nc", "x", "/memories/f").unwrap();
        assert_eq!((replaced.text.as_str(), replaced.first_line), ("a\nx\n", 1));
        let twice = replace("x x\n\nx", "x", "y", "/memories/f").unwrap_err();
        assert!(twice.contains("in lines: 1, 1, 3."), "{twice}");
        let many = replace(&"x\n".repeat(80), "x", "y", "/memories/f").unwrap_err();
        assert!(many.contains("50 and 30 more"), "{many}");
        assert!(replace("a", "", "b", "/memories/f").is_err());
    }

    #[test]
    fn an_answer_is_cut_at_its_limit_and_says_how_to_go_on() {
        let text = "0123456789\n".repeat(5_000);
        let shown = show("/memories/f", &text, None).unwrap();
        assert!(shown.chars().count() <= MAX_ANSWER_CHARACTERS);
        let next = shown.rsplit("view_range [").next().unwrap();
        let next: i64 = next.split(',').next().unwrap().parse().unwrap();
        let more = show("/memories/f", &text, Some((next, -1))).unwrap();
        assert!(more.contains(&format!("\n{next:>6}\t0123")), "{more:.200}");

        let one_line = show("/memories/f", &"漢".repeat(50_000), None).unwrap();
        assert!(one_line.chars().count() <= MAX_ANSWER_CHARACTERS);
        assert!(one_line.contains("Line 1 is cut: it has 50000 characters."));
        assert!(show("/memories/f", &"\n".repeat(MAX_LINES), None).is_err());
    }
}

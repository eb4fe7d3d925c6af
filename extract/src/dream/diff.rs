//! The difference of two texts, line by line, for a person to read.

use super::limits::MAX_DIFFERENCE_CELLS;

/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// One line of a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// Returns the changed lines with a few around them, marked with a blank, `-` and `+`; nothing for equal
/// texts. Gaps are marked with `@@ line N @@`, counted in the new text. Work and memory are bounded by
/// [`MAX_DIFFERENCE_CELLS`].
pub(super) fn difference(before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let mut lines: Vec<Line<'_>> = old[..head].iter().map(|line| Line::Same(line)).collect();
    lines.extend(middle(
        &old_rest[..old_rest.len() - tail],
        &new_rest[..new_rest.len() - tail],
    ));
    lines.extend(new[new.len() - tail..].iter().map(|line| Line::Same(line)));
    let text = shown(&lines);
    if text.is_empty() {
        // The lines are the same, so it is their ends that differ.
        return "@@ only line ends differ @@\n".to_owned();
    }
    text
}

/// The lines that both lists have in the same order, as many as possible, with the others in between; all
/// out and all in when the table for that would be too large.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let (gone, added) = (
        old.iter().map(|line| Line::Gone(line)),
        new.iter().map(|line| Line::New(line)),
    );
    if old.len().saturating_mul(new.len()) > MAX_DIFFERENCE_CELLS {
        return gone.chain(added).collect();
    }
    // How many lines the rests of both lists from (x, y) on have in common.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for x in (0..old.len()).rev() {
        for y in (0..new.len()).rev() {
            let at = x * width + y;
            common[at] = if old[x] == new[y] {
                common[at + width + 1] + 1
            } else {
                common[at + width].max(common[at + 1])
            };
        }
    }
    let (mut x, mut y) = (0, 0);
    let mut lines = Vec::new();
    while x < old.len() && y < new.len() {
        let at = x * width + y;
        if old[x] == new[y] {
            lines.push(Line::Same(old[x]));
            (x, y) = (x + 1, y + 1);
        } else if common[at + width] >= common[at + 1] {
            lines.push(Line::Gone(old[x]));
            x += 1;
        } else {
            lines.push(Line::New(new[y]));
            y += 1;
        }
    }
    lines.extend(gone.skip(x).chain(added.skip(y)));
    lines
}

fn shown(lines: &[Line<'_>]) -> String {
    let mut near = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        if !matches!(line, Line::Same(_)) {
            let end = (at + CONTEXT + 1).min(lines.len());
            near[at.saturating_sub(CONTEXT)..end].fill(true);
        }
    }
    let mut text = String::new();
    let mut number = 0;
    let mut in_gap = true;
    for (line, is_near) in lines.iter().zip(near) {
        let (mark, content) = match line {
            Line::Same(content) => (' ', content),
            Line::Gone(content) => ('-', content),
            Line::New(content) => ('+', content),
        };
        number += usize::from(mark != '-');
        if !is_near {
            in_gap = true;
            continue;
        }
        if in_gap {
            let number = number.max(1);
            text.extend(["@@ line ", &number.to_string(), " @@\n"]);
            in_gap = false;
        }
        text.push(mark);
        text.push_str(content);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        assert_eq!(difference(before, after), expected, "{before:?} {after:?}");
    }

    #[test]
    fn a_difference_shows_changed_lines_with_two_around_them() {
        check("a\nb\n", "a\nb\n", "");
        check("", "x\n", "@@ line 1 @@\n+x\n");
        check("x\n", "", "@@ line 1 @@\n-x\n");
        check("a\nb\nc\n", "a\nB\nc\n", "@@ line 1 @@\n a\n-b\n+B\n c\n");
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nnew\n5\n6\n7\n8\n",
            "@@ line 3 @@\n 3\n 4\n+new\n 5\n 6\n 7\n 8\n-9\n",
        );
        check("a\r\n", "a\n", "@@ only line ends differ @@\n");
    }

    #[test]
    fn a_difference_leads_from_one_text_to_the_other() {
        let mut random = 0x5EED_u64;
        for _ in 0..2_000 {
            let mut text = |most: u64| -> Vec<String> {
                let mut next = |bound: u64| {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    random % bound
                };
                let length = next(most);
                (0..length).map(|_| next(4).to_string()).collect()
            };
            let (old, new) = (text(12), text(12));
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let lines = middle(&old, &new);
            let is_old = |line: &Line<'_>| !matches!(line, Line::New(_));
            let is_new = |line: &Line<'_>| !matches!(line, Line::Gone(_));
            let text = |line: &Line<'_>| match line {
                Line::Same(text) | Line::Gone(text) | Line::New(text) => (*text).to_owned(),
            };
            let back: Vec<String> = lines.iter().filter(|line| is_old(line)).map(text).collect();
            let forth: Vec<String> = lines.iter().filter(|line| is_new(line)).map(text).collect();
            assert_eq!(back, old);
            assert_eq!(forth, new);
        }
    }

    #[test]
    fn texts_that_share_nothing_are_replaced_whole() {
        let text = |word: &str| {
            let lines: Vec<String> = (0..3_000)
                .map(|number| format!("{word} {number}"))
                .collect();
            lines.join("\n")
        };
        let shown = difference(&text("old"), &text("new"));
        assert_eq!(shown.lines().count(), 6_001);
    }
}

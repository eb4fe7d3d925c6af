//! Brings one change into a text that has changed since, line by line.
//!
//! Used for the index only: its lines stand for themselves, so that a line added by one and a line
//! added by another do not conflict.

/// Applies to `current` what leads from `from` to `to`: their differing lines leave and enter.
///
/// Lines that `current` has already are not added twice, lines that it does not have cannot leave.
/// Everything else stays where it is.
pub(super) fn merge_lines(from: &[u8], to: &[u8], current: &[u8]) -> Vec<u8> {
    let from = lines(from);
    let to = lines(to);
    let mut result = lines(current);
    let start = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let end = from[start..]
        .iter()
        .rev()
        .zip(to[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let leaving = &from[start..from.len() - end];
    let entering = &to[start..to.len() - end];

    let mut place = None;
    for line in leaving.iter().filter(|line| !entering.contains(line)) {
        if let Some(at) = result.iter().position(|kept| kept == line) {
            result.remove(at);
            place.get_or_insert(at);
        }
    }
    // Where nothing left, the new lines go below the line that they follow in the other text.
    let mut at = place.unwrap_or_else(|| {
        let neighbour = start.checked_sub(1).map(|before| &to[before]);
        neighbour
            .and_then(|line| result.iter().position(|kept| kept == line))
            .map_or(result.len(), |found| found + 1)
    });
    for line in entering.iter().filter(|line| !leaving.contains(line)) {
        if is_blank(line) || !result.contains(line) {
            result.insert(at, line);
            at += 1;
        }
    }
    joined(&result)
}

/// Lines with their ends.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Lines as one text; a last line without an end gets one when it no longer is the last.
fn joined(lines: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for (at, line) in lines.iter().enumerate() {
        bytes.extend_from_slice(line);
        if at + 1 < lines.len() && !line.ends_with(b"\n") {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::merge_lines;

    #[test]
    fn a_change_of_lines_is_brought_into_a_text_that_has_changed_since() {
        // (from, to, current, expected)
        let table = [
            ("a\n", "a\nb\n", "a\n", "a\nb\n"),
            // Another line was added at the same place.
            ("a\n", "a\nb\n", "a\nx\n", "a\nb\nx\n"),
            // The inverse takes only its own line.
            ("a\nb\n", "a\n", "a\nb\nx\n", "a\nx\n"),
            // Nothing is added twice, nothing is missed.
            ("a\n", "a\nb\n", "a\nb\n", "a\nb\n"),
            ("a\nb\n", "a\n", "a\n", "a\n"),
            // A line is replaced where it stands.
            ("a\nb\nc\n", "a\nB\nc\n", "a\nx\nb\nc\n", "a\nx\nB\nc\n"),
            // The neighbour is gone: to the end.
            ("a\n", "a\nb\n", "x\n", "x\nb\n"),
            ("", "a\n", "", "a\n"),
            ("a\n", "", "a\nb\n", "b\n"),
            // A last line without its end.
            ("a", "a\nb\n", "a", "a\nb\n"),
        ];
        for (from, to, current, expected) in table {
            let merged = merge_lines(from.as_bytes(), to.as_bytes(), current.as_bytes());
            assert_eq!(
                String::from_utf8(merged).unwrap(),
                expected,
                "{from:?} -> {to:?} in {current:?}"
            );
        }
    }
}

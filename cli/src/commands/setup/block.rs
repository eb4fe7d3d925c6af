//! Instructions in a Markdown file, between two marks.

use super::edit::{Edited, line_end};
use super::json::Put;

const BEGIN: &str = "<!-- memstrata: begin -->";
const END: &str = "<!-- memstrata: end -->";

/// Puts a text between our marks at the end of the file.
pub(super) fn put(edited: &mut Edited, text: &str) -> Put {
    if edited.text.contains(BEGIN) {
        return Put::Taken;
    }
    let end = line_end(&edited.text);
    let parting = match edited.text.as_str() {
        "" => String::new(),
        before if before.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    let text = text.trim_end().replace('\n', end);
    let at = edited.text.len();
    edited.insert(at, format!("{parting}{BEGIN}{end}{text}{end}{END}{end}"));
    Put::Done
}

/// Takes our marks and what is between them out of a file that was edited since.
pub(super) fn sweep(text: &str) -> String {
    let Some(begin) = text.find(BEGIN) else {
        return text.to_owned();
    };
    let Some(end) = text[begin..].find(END).map(|end| begin + end + END.len()) else {
        // Half of it is gone; what is left is a person's to judge.
        return text.to_owned();
    };
    let after = text[end..]
        .strip_prefix("\r\n")
        .or_else(|| text[end..].strip_prefix('\n'));
    let before = text[..begin]
        .strip_suffix("\r\n")
        .or_else(|| text[..begin].strip_suffix('\n'));
    // The blank line that was put in front of the block goes with it.
    let before = before
        .filter(|before| before.ends_with('\n'))
        .unwrap_or(&text[..begin]);
    format!("{before}{}", after.unwrap_or(&text[end..]))
}

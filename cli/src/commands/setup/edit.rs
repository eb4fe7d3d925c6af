//! Changes of a text that can be taken back exactly: nothing but insertions.
//!
//! Nothing that is in a file is ever changed or moved, so taking the inserted texts out again gives the
//! file back byte for byte, comments, line ends and all. A later insertion may lie inside an earlier one;
//! they are taken out in reverse order.

use serde::{Deserialize, Serialize};

/// A text that was put into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Insertion {
    /// Bytes before it, when it was made.
    pub(super) at: usize,
    pub(super) text: String,
}

/// A text with the insertions that made it, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) insertions: Vec<Insertion>,
}

impl Edited {
    pub(super) fn new(text: &str) -> Self {
        Edited {
            text: text.to_owned(),
            insertions: Vec::new(),
        }
    }

    /// Inserts a text.
    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.text.insert_str(at, &text);
        self.insertions.push(Insertion { at, text });
    }
}

/// Takes insertions out of a text, last one first. Where the text was edited since, each is looked for as
/// it was written; returns `None` when one is no longer there or stands there more than once.
pub(super) fn take_out(text: &str, insertions: &[Insertion]) -> Option<String> {
    let mut text = text.to_owned();
    for insertion in insertions.iter().rev() {
        let is_in_place = text
            .get(insertion.at..)
            .is_some_and(|rest| rest.starts_with(&insertion.text));
        let at = if is_in_place {
            insertion.at
        } else {
            let mut found = text.match_indices(&insertion.text);
            let (at, _) = found.next()?;
            if found.next().is_some() {
                return None;
            }
            at
        };
        text.replace_range(at..at + insertion.text.len(), "");
    }
    Some(text)
}

/// The line end that a text uses.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::{Edited, take_out};

    #[test]
    fn insertions_inside_of_insertions_are_taken_out_also_when_the_rest_has_changed() {
        let mut edited = Edited::new("ab");
        edited.insert(1, "<outer>".to_owned());
        edited.insert(4, "[inner]".to_owned());
        assert_eq!(edited.text, "a<ou[inner]ter>b");
        assert_eq!(
            take_out(&edited.text, &edited.insertions).as_deref(),
            Some("ab")
        );
        let moved = format!("before {} after", edited.text);
        assert_eq!(
            take_out(&moved, &edited.insertions).as_deref(),
            Some("before ab after")
        );
        assert_eq!(take_out("a<ou[changed]ter>b", &edited.insertions), None);
        assert_eq!(take_out("[inner] [inner]", &edited.insertions), None);
    }
}

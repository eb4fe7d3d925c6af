//! The labelled parts of a memory's body: **Why:** and **How to apply:**.

use crate::format::Lines;

/// The words a label may consist of; the first is the one this crate writes.
pub(crate) struct Label {
    words: &'static [&'static str],
}

pub(crate) const WHY: Label = Label {
    words: &[
        "why",
        "reason",
        "rationale",
        "为什么",
        "為什麼",
        "原因",
        "理由",
        "이유",
        "배경",
    ],
};

pub(crate) const HOW_TO_APPLY: Label = Label {
    words: &[
        "how to apply",
        "when to apply",
        "how to use",
        "application",
        "如何应用",
        "如何應用",
        "如何使用",
        "怎么用",
        "怎么做",
        "应用方式",
        "适用",
        "适用场景",
        "適用",
        "適用方法",
        "적용",
        "적용 방법",
    ],
};

/// The text after the first such label, up to the next label or heading, without blank edges.
pub(crate) fn find<'a>(body: &'a str, label: &Label) -> Option<&'a str> {
    let mut start = None;
    let mut fence = false;
    for line in Lines::new(body.as_bytes()) {
        let text = &body[line.start..line.start + line.text.len()];
        if text.trim_start().starts_with("```") {
            fence = !fence;
        }
        if fence {
            continue;
        }
        let rest = label_of(text);
        match (start, rest) {
            (None, Some((words, rest))) if is_one_of(words, label) => {
                start = Some(line.start + text.len() - rest.len());
            }
            (Some(from), Some(_)) => return Some(body[from..line.start].trim()),
            (Some(from), None) if text.starts_with('#') => {
                return Some(body[from..line.start].trim());
            }
            _ => {}
        }
    }
    start.map(|from| body[from..].trim())
}

/// Whether the body has that label with some text after it.
pub(crate) fn has(body: &str, label: &Label) -> bool {
    find(body, label).is_some_and(|text| !text.is_empty())
}

fn is_one_of(words: &str, label: &Label) -> bool {
    label
        .words
        .iter()
        .any(|known| words.eq_ignore_ascii_case(known))
}

/// The words of a label at the start of a line, and the rest of the line.
///
/// A line is labelled when it starts, after list and heading marks, with one of the known labels
/// and a colon, or with any short bold text and a colon: the next part of the body may carry a
/// label of its own.
fn label_of(line: &str) -> Option<(&str, &str)> {
    let content = line
        .trim_start()
        .trim_start_matches(['-', '*', '+', '>', ' ']);
    let bold = line
        .trim_start()
        .trim_start_matches(['-', '+', '>', ' '])
        .starts_with("**");
    let heading = content.trim_start_matches('#');
    if heading.len() < content.len() {
        let words = heading
            .trim()
            .trim_matches('*')
            .trim_end_matches([':', '：'])
            .trim();
        return [&WHY, &HOW_TO_APPLY]
            .iter()
            .any(|label| is_one_of(words, label))
            .then_some((words, ""));
    }
    let colon = content
        .find([':', '：'])
        .filter(|at| *at <= MAX_LABEL_BYTES)?;
    let words = content[..colon].trim().trim_end_matches('*').trim();
    let after = content[colon..].trim_start_matches([':', '：']);
    let known = [&WHY, &HOW_TO_APPLY]
        .iter()
        .any(|label| is_one_of(words, label));
    let closed = content[..colon].ends_with("**") || after.starts_with("**");
    let rest = after.trim_start_matches('*');
    (known || (bold && closed && !words.contains("**"))).then_some((words, rest))
}

const MAX_LABEL_BYTES: usize = 60;

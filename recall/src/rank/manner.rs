//! How a query is put: what points at the conversation, or asks for what everybody knows, is seldom
//! about a memory, whichever words it shares with one.

/// Words that point at what was just said or shown.
const POINTING: &[&str] = &[
    "above",
    "again",
    "before",
    "below",
    "everything",
    "here",
    "it",
    "last",
    "now",
    "previous",
    "same",
    "still",
    "that",
    "these",
    "thing",
    "this",
    "those",
];
const POINTING_CJK: &[&str] = &[
    "这",
    "那个",
    "那段",
    "上面",
    "下面",
    "刚才",
    "刚刚",
    "再",
    "继续",
    "これ",
    "それ",
    "もう一度",
];

/// Beginnings of questions that any textbook answers.
const TEXTBOOK: &[&[&str]] = &[
    &["explain"],
    &["how", "can", "i"],
    &["how", "can", "you"],
    &["how", "do", "i"],
    &["how", "do", "you"],
    &["how", "to"],
    &["how", "would", "i"],
    &["how", "would", "you"],
    &["is", "a"],
    &["is", "an"],
    &["what", "are", "a"],
    &["what", "is", "a"],
    &["what", "is", "an"],
    &["whats", "a"],
    &["whats", "an"],
];
const TEXTBOOK_CJK: &[&str] = &["什么是", "解释", "写一", "とは"];

/// A longer message says what it is about, whatever it points at besides.
const SHORT: usize = 7;

/// How much more evidence they need.
const POINTING_DOUBT: f64 = 1.3;
const TEXTBOOK_DOUBT: f64 = 1.2;

/// Returns how much more evidence than usual a query needs, 1 for none. `words` are its words in lower
/// case, function words included, as the tokeniser gives them.
pub(super) fn doubt(text: &str, words: &[&str]) -> f64 {
    let has = |list: &[&str]| list.iter().any(|part| text.contains(part));
    let short = words.len() <= SHORT;
    let points = short && words.iter().any(|word| POINTING.contains(word)) || has(POINTING_CJK);
    let asks = TEXTBOOK.iter().any(|begin| words.starts_with(begin))
        || words
            .windows(2)
            .any(|pair| pair == ["difference", "between"])
        || has(TEXTBOOK_CJK);
    let factor = |holds: bool, doubt: f64| if holds { doubt } else { 1.0 };
    factor(points, POINTING_DOUBT) * factor(asks, TEXTBOOK_DOUBT)
}

#[cfg(test)]
mod tests {
    use super::{POINTING, TEXTBOOK, doubt};

    #[test]
    fn what_points_or_asks_for_common_knowledge_is_doubted() {
        for (text, doubted) in [
            ("run it again", true),
            ("how do i squash commits", true),
            ("what is the difference between a mutex and a lock", true),
            ("继续吧", true),
            ("where do the runbooks live", false),
            (
                "add a column to the orders table that says when it was paid",
                false,
            ),
            ("how should retries be done", false),
            ("数据库的连接池", false),
            ("", false),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(doubt(text, &words) > 1.0, doubted, "{text}");
        }
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(POINTING.is_sorted() && TEXTBOOK.is_sorted());
    }
}

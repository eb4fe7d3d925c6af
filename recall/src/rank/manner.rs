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
const TEXTBOOK_CJK: &[&str] = &["什么是", "怎么用", "如何用", "解释", "写一", "とは"];

/// What asks for all that is known of a subject, and not for one answer.
const LISTING: &[&str] = &["all", "everything", "know", "overview"];
const LISTING_CJK: &[&str] = &["注意什么", "哪些", "有什么"];

/// A longer message says what it is about, whatever it points at besides.
const SHORT: usize = 7;

/// How much more evidence they need.
const POINTING_DOUBT: f64 = 1.3;
const TEXTBOOK_DOUBT: f64 = 1.2;

/// Who asks for the rules of something is told more than who asks for one thing.
const LISTING_DOUBT: f64 = 0.88;

/// How a query is put.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Manner {
    /// How much more evidence than usual it needs; 1 is as usual.
    pub(crate) doubt: f64,
    /// It asks for all that is known of a subject.
    pub(crate) wants_list: bool,
}

/// Returns how a query is put. `words` are its words in lower case, function words included, as the
/// tokeniser gives them; `names_genre` says that it names a sort of note: rules, conventions.
pub(super) fn manner(text: &str, words: &[&str], names_genre: bool) -> Manner {
    let has = |list: &[&str]| list.iter().any(|part| text.contains(part));
    let short = words.len() <= SHORT;
    let points = short && words.iter().any(|word| POINTING.contains(word)) || has(POINTING_CJK);
    let asks = TEXTBOOK.iter().any(|begin| words.starts_with(begin))
        || words
            .windows(2)
            .any(|pair| pair == ["difference", "between"])
        || has(TEXTBOOK_CJK);
    let factor = |holds: bool, doubt: f64| if holds { doubt } else { 1.0 };
    let wants_list =
        names_genre || words.iter().any(|word| LISTING.contains(word)) || has(LISTING_CJK);
    Manner {
        doubt: factor(points, POINTING_DOUBT)
            * factor(asks, TEXTBOOK_DOUBT)
            * factor(wants_list, LISTING_DOUBT),
        wants_list,
    }
}

#[cfg(test)]
mod tests {
    use super::{LISTING, POINTING, TEXTBOOK, manner};

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
            assert_eq!(manner(text, &words, false).doubt > 1.0, doubted, "{text}");
        }
    }

    #[test]
    fn who_asks_for_all_of_a_subject_is_told_more() {
        let one = manner("who approves it", &["who", "approves", "it"], false);
        let listing = manner("firmware rules", &["firmware", "rules"], true);
        assert!(!one.wants_list && listing.wants_list);
        assert!(listing.doubt < one.doubt);
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(POINTING.is_sorted() && TEXTBOOK.is_sorted() && LISTING.is_sorted());
    }
}

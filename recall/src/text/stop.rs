//! Words that carry no subject: what everybody writes in every message and every note.

/// English function words and the phrases of a request ("please", "show me", "remember").
const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "almost", "already", "also", "although",
    "always", "am", "an", "and", "another", "any", "anyone", "anything", "are", "aren", "arent",
    "around", "as", "ask", "asked", "at", "away", "be", "became", "because", "been", "before",
    "being", "between", "both", "but", "by", "came", "can", "cannot", "cant", "come", "could",
    "couldn", "couldnt", "did", "didn", "didnt", "do", "does", "doesn", "doesnt", "doing", "don",
    "done", "dont", "during", "each", "either", "else", "ensure", "especially", "etc", "even",
    "ever", "every", "everyone", "everything", "exactly", "explain", "far", "few", "find", "first",
    "for", "from", "further", "gave", "get", "gets", "getting", "give", "given", "gives", "go",
    "goes", "going", "good", "got", "great", "had", "hadn", "has", "hasn", "hasnt", "have",
    "haven", "havent", "having", "he", "hello", "help", "her", "here", "hers", "herself", "hey",
    "hi", "him", "himself", "his", "hm", "hmm", "how", "however", "http", "https", "i", "if",
    "ill", "im", "in", "instead", "into", "is", "isn", "isnt", "it", "its", "itself", "ive",
    "just", "keep", "kind", "know", "last", "later", "least", "let", "lets", "like", "ll", "look",
    "looking", "lot", "made", "make", "makes", "making", "many", "may", "maybe", "me", "mean",
    "means", "might", "mine", "more", "most", "much", "must", "my", "myself", "need", "needed",
    "needs", "neither", "never", "next", "no", "nor", "not", "nothing", "now", "of", "often", "oh",
    "ok", "okay", "on", "once", "one", "only", "onto", "or", "other", "others", "otherwise", "our",
    "ours", "ourselves", "out", "over", "own", "per", "perhaps", "please", "put", "quite",
    "rather", "re", "really", "regarding", "remember", "remind", "right", "said", "same", "saw",
    "say", "says", "see", "seem", "seems", "seen", "shall", "she", "should", "shouldn", "shouldnt",
    "show", "since", "so", "some", "someone", "something", "sometimes", "somewhere", "soon",
    "still", "such", "sure", "take", "taken", "takes", "tell", "than", "thank", "thanks", "that",
    "thats", "the", "their", "theirs", "them", "themselves", "then", "there", "therefore", "these",
    "they", "thing", "things", "think", "this", "those", "though", "thought", "through", "thus",
    "til", "till", "to", "today", "together", "told", "too", "took", "toward", "try", "trying",
    "two", "unless", "until", "up", "upon", "us", "use", "used", "using", "usually", "ve", "very",
    "via", "want", "wanted", "wants", "was", "wasn", "wasnt", "way", "we", "well", "went", "were",
    "weren", "werent", "what", "whatever", "whats", "when", "whenever", "where", "wherever",
    "whether", "which", "while", "who", "whole", "whom", "whose", "why", "will", "with", "within",
    "without", "won", "wont", "would", "wouldn", "wouldnt", "www", "yeah", "yep", "yes", "yet",
    "you", "your", "yours", "yourself",
];

/// Chinese and Japanese function words; the longest that fits is taken. Characters that are common
/// inside content words (能 in 性能, 到 in 到期, 从 in 从库) are left out on purpose.
const CJK: &[&str] = &[
    "あれ", "いつ", "から", "が", "ください", "この", "これ", "した", "して", "している", "する", "その", "それ", "でした", "です",
    "という", "どう", "どうやって", "どこ", "なに", "に", "について", "の", "は", "ました", "ます", "まで", "を", "一下", "一个",
    "一些", "一定", "一次", "上次", "与", "为什么", "为何", "之前", "也", "了", "什么", "什么时候", "今天", "他", "他们", "以前",
    "以及", "以后", "但是", "你", "你们", "关于", "几个", "可不可以", "可以", "吗", "吧", "呀", "告诉", "告诉我", "呢", "和",
    "咱们", "哦", "哪个", "哪些", "哪儿", "哪里", "啊", "嗯", "嘛", "因为", "在", "多少", "多谢", "大家", "她", "好了", "好的",
    "如何", "如果", "它", "对于", "就是", "已经", "帮忙", "帮我", "并且", "应该", "当前", "很", "必须", "怎么", "怎么办", "怎么样",
    "怎样", "您", "想要", "我", "我们", "或", "或者", "所以", "把", "时候", "是", "是不是", "是否", "有什么", "有没有", "来着",
    "正在", "没有", "然后", "现在", "的", "的话", "目前", "知道", "给", "给我", "而且", "能不能", "能否", "被", "让", "记得",
    "请", "请问", "谁", "谢谢", "还是", "还有", "还记得", "这", "这个", "这些", "这样", "这里", "那", "那个", "那些", "那样",
    "那里", "都", "需要", "麻烦",
];

/// The longest entry of the CJK table, in characters.
const MAX_CJK_CHARS: usize = 6;

/// Returns whether a lower-case word is a function word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// Returns how many bytes of function words a text begins with; 0 when it begins with none.
pub(crate) fn cjk_prefix(text: &str) -> usize {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take(MAX_CJK_CHARS)
        .filter(|end| CJK.binary_search(&&text[..*end]).is_ok())
        .last()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{CJK, ENGLISH, MAX_CJK_CHARS, cjk_prefix};

    #[test]
    fn the_tables_are_sorted_and_within_their_bound() {
        assert!(ENGLISH.is_sorted());
        assert!(CJK.is_sorted());
        assert!(CJK.iter().all(|word| word.chars().count() <= MAX_CJK_CHARS));
    }

    #[test]
    fn the_longest_function_word_is_taken() {
        assert_eq!(cjk_prefix("怎么样部署"), "怎么样".len());
        assert_eq!(cjk_prefix("部署"), 0);
        assert_eq!(cjk_prefix(""), 0);
    }
}

//! Finds the claims in the text of a memory.

use super::claim::{Certainty, Claim, ClaimKind};
use super::{command, names};

/// A longer code span is a quotation, not a name.
const MAX_SPAN_CHARS: usize = 300;

/// A longer line is looked at in pieces: what is said about a name stands near to it, and a line without
/// end must not cost more than its length.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// After so many claims, repeated ones counted, the rest of a text is not looked at.
const MAX_FOUND: usize = 512;

/// Words that announce what the next or the last name is.
const BRANCH_WORDS: &[&str] = &["branch", "branches", "分支", "ブランチ"];
const TAG_WORDS: &[&str] = &["tag", "tags", "tagged", "标签", "タグ"];
const COMMIT_WORDS: &[&str] = &["commit", "commits", "revision", "sha", "提交", "コミット"];

/// Words that say that the thing is gone: then its absence is no news.
const GONE_WORDS: &[&str] = &[
    "abandoned",
    "deleted",
    "deprecated",
    "does not exist",
    "doesn't exist",
    "dropped",
    "formerly",
    "former",
    "gone",
    "no longer",
    "obsolete",
    "old name",
    "previously",
    "removed",
    "renamed from",
    "replaced",
    "retired",
    "used to",
    "was called",
    "不再",
    "不存在",
    "以前叫",
    "删掉",
    "删除",
    "废弃",
    "弃用",
    "曾经",
    "移除",
    "已删",
    "改名",
];

/// Adds the claims of a text that begins at a line of the memory file. Returns whether there may be more.
pub(super) fn claims(text: &str, first_line: usize, out: &mut Vec<Claim>) -> bool {
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        if out.len() >= MAX_FOUND {
            return true;
        }
        let mut finder = Finder {
            line: first_line + number,
            out,
        };
        let trimmed = line.trim_start();
        if let Some(marker) = fence {
            if trimmed.starts_with(marker) {
                fence = None;
            } else {
                parts(trimmed).for_each(|part| finder.fenced(part));
            }
        } else if let Some(marker) = ["```", "~~~"].into_iter().find(|m| trimmed.starts_with(m)) {
            fence = Some(marker);
        } else {
            parts(line).for_each(|part| finder.prose(part));
        }
    }
    out.len() >= MAX_FOUND
}

/// Returns a line in pieces of bounded length, parted at the end of a sentence or between words.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = part_end(rest);
        let (part, behind) = rest.split_at(end);
        rest = behind;
        Some(part)
    })
}

fn part_end(text: &str) -> usize {
    if text.len() <= MAX_LINE_BYTES {
        return text.len();
    }
    let mut most = MAX_LINE_BYTES;
    while !text.is_char_boundary(most) {
        most -= 1;
    }
    let head = &text[..most];
    let behind = |(at, mark): (usize, &str)| at + mark.len();
    let sentence = [". ", "。"]
        .iter()
        .filter_map(|mark| head.rmatch_indices(mark).next().map(behind))
        .max();
    let end = sentence.or_else(|| head.rfind(' ').map(|at| at + 1));
    end.unwrap_or(most)
}

struct Finder<'a> {
    line: usize,
    out: &'a mut Vec<Claim>,
}

impl Finder<'_> {
    fn push(
        &mut self,
        text: &str,
        kind: ClaimKind,
        certainty: Certainty,
        negated: &dyn Fn() -> bool,
    ) {
        if self.out.len() >= MAX_FOUND {
            return;
        }
        self.out.push(Claim {
            text: text.to_owned(),
            kind,
            line: self.line,
            certainty,
            negated: negated(),
        });
    }

    /// A line of a code block: only what is a command of the project is taken.
    fn fenced(&mut self, line: &str) {
        let line = line.strip_prefix("$ ").unwrap_or(line).trim();
        if !line.starts_with(['#', '/', '"']) {
            self.command(line, &|| false);
        }
    }

    fn command(&mut self, line: &str, negated: &dyn Fn() -> bool) {
        for (text, kind, certainty) in command::claims(line) {
            self.push(&text, kind, certainty, negated);
        }
    }

    /// A line of prose: code spans first, then what stands outside of them.
    fn prose(&mut self, line: &str) {
        let mut rest = String::with_capacity(line.len());
        // What the last span was announced as, carried over `,` and `and` to the next one.
        let mut carried: Option<ClaimKind> = None;
        let mut at = 0;
        while let Some((begin, span, end)) = next_span(line, at) {
            let before = &line[at..begin];
            rest.push_str(before);
            rest.push('\u{0}');
            let joined = is_enumeration(before);
            let announced = announced_before(before)
                .or(carried.filter(|_| joined))
                .or_else(|| announced_after(&line[end..]));
            if self.out.len() < MAX_FOUND {
                self.span(span, announced, &|| is_negated(line, begin, end));
            }
            carried = announced;
            at = end;
        }
        rest.push_str(&line[at..]);
        self.words(&rest, line);
    }

    fn span(&mut self, span: &str, announced: Option<ClaimKind>, negated: &dyn Fn() -> bool) {
        let span = span.trim();
        if span.is_empty() || span.chars().count() > MAX_SPAN_CHARS {
            return;
        }
        match announced {
            Some(kind @ (ClaimKind::Branch | ClaimKind::Tag)) if names::is_ref_name(span) => {
                return self.push(span, kind, Certainty::Firm, negated);
            }
            Some(ClaimKind::Commit) if names::is_hex(span) => {
                return self.push(span, ClaimKind::Commit, Certainty::Firm, negated);
            }
            _ => {}
        }
        if let Some((_, _)) = names::path_and_line(span) {
            return self.push(span, ClaimKind::Line, Certainty::Firm, negated);
        }
        if names::flag(span).is_some() {
            let certainty = if command::is_common_flag(span) {
                Certainty::Soft
            } else {
                Certainty::Firm
            };
            return self.push(span, ClaimKind::Flag, certainty, negated);
        }
        if span.contains(char::is_whitespace) {
            let called = span.split('(').next().unwrap_or(span);
            if span.ends_with(')') && !called.contains(char::is_whitespace) {
                self.symbol(span, negated);
            } else {
                self.command(span, negated);
            }
            return;
        }
        if names::is_commit(span) {
            return self.push(span, ClaimKind::Commit, Certainty::Firm, negated);
        }
        if names::is_path(span) && !span.contains("::") {
            return self.push(span, ClaimKind::Path, path_certainty(span), negated);
        }
        if names::is_pattern(span) && span.contains('/') {
            return self.push(span, ClaimKind::Path, Certainty::Soft, negated);
        }
        if names::is_file_name(span) {
            return self.push(span, ClaimKind::Path, Certainty::Firm, negated);
        }
        self.symbol(span, negated);
    }

    fn symbol(&mut self, span: &str, negated: &dyn Fn() -> bool) {
        if let Some(symbol) = names::symbol(span) {
            let certainty = if symbol.firm {
                Certainty::Firm
            } else {
                Certainty::Soft
            };
            self.push(span, ClaimKind::Symbol, certainty, negated);
        }
    }

    /// Paths, branches, tags and commits that are written without a code span.
    fn words(&mut self, text: &str, line: &str) {
        let mut announced: Option<ClaimKind> = None;
        for word in
            text.split(|c: char| c.is_whitespace() || "（）“”「」，。；：、,;\"'".contains(c))
        {
            let word = word
                .trim_matches(|c: char| "()[]<>*!?`\u{0}".contains(c))
                .trim_end_matches(['.', ':']);
            if word.is_empty() {
                continue;
            }
            let negated = || {
                line.find(word)
                    .is_some_and(|begin| is_negated(line, begin, begin + word.len()))
            };
            match announced.take() {
                Some(ClaimKind::Commit) if names::is_hex(word) => {
                    self.push(word, ClaimKind::Commit, Certainty::Firm, &negated);
                    continue;
                }
                Some(ClaimKind::Branch) if names::is_ref_name(word) && word.contains('/') => {
                    self.push(word, ClaimKind::Branch, Certainty::Firm, &negated);
                    continue;
                }
                Some(ClaimKind::Tag) if is_version(word) => {
                    self.push(word, ClaimKind::Tag, Certainty::Firm, &negated);
                    continue;
                }
                _ => {}
            }
            announced = kind_of_word(word);
            if names::path_and_line(word).is_some_and(|(path, _)| names::is_path(path)) {
                self.push(word, ClaimKind::Line, Certainty::Firm, &negated);
            } else if names::is_path(word) && !word.contains(['=', '(', '[']) {
                let name = word
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or(word);
                let sure =
                    names::extension(name).is_some() && path_certainty(word) == Certainty::Firm;
                let certainty = if sure {
                    Certainty::Firm
                } else {
                    Certainty::Guess
                };
                self.push(word, ClaimKind::Path, certainty, &negated);
            }
        }
    }
}

/// A path with an ending, or a folder written as one, is surely a path; `a/b` may be a pair of words,
/// a branch or a package.
fn path_certainty(path: &str) -> Certainty {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    if path.ends_with('/') || names::extension(name).is_some() || path.matches('/').count() > 1 {
        Certainty::Firm
    } else {
        Certainty::Soft
    }
}

fn is_version(word: &str) -> bool {
    word.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-' || c == '@')
        .starts_with(|c: char| c.is_ascii_digit())
        && names::is_ref_name(word)
}

/// Returns the next code span at or after a byte: where it begins, its text, where it ends.
fn next_span(line: &str, from: usize) -> Option<(usize, &str, usize)> {
    let mut from = from;
    loop {
        let begin = from + line[from..].find('`')?;
        let ticks = line[begin..].bytes().take_while(|b| *b == b'`').count();
        let inside = begin + ticks;
        let marker = &line[begin..inside];
        let mut search = inside;
        while let Some(at) = line[search..].find(marker) {
            let close = search + at;
            let run = line[close..].bytes().take_while(|b| *b == b'`').count();
            if run == ticks {
                return Some((begin, &line[inside..close], close + ticks));
            }
            search = close + run;
        }
        // No closing run: these ticks are text.
        from = inside;
        if from >= line.len() {
            return None;
        }
    }
}

/// Returns whether a text between two spans only enumerates.
fn is_enumeration(between: &str) -> bool {
    let between = between.trim().trim_matches([',', '、', '/', '，']).trim();
    matches!(
        between,
        "" | "and" | "or" | "&" | "和" | "与" | "及" | "或" | "und" | "と"
    )
}

fn announced_before(before: &str) -> Option<ClaimKind> {
    let before = before
        .trim_end()
        .trim_end_matches([':', '：', '(', '（', '"', '“', '「'])
        .trim_end();
    let last = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or(before);
    kind_of_word(last).or_else(|| {
        let words = [
            (BRANCH_WORDS, ClaimKind::Branch),
            (TAG_WORDS, ClaimKind::Tag),
            (COMMIT_WORDS, ClaimKind::Commit),
        ];
        let cjk = |word: &str| !word.is_ascii() && before.ends_with(word);
        words
            .into_iter()
            .find(|(words, _)| words.iter().any(|word| cjk(word)))
            .map(|(_, kind)| kind)
    })
}

fn announced_after(after: &str) -> Option<ClaimKind> {
    let after = after.trim_start();
    let next = after
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or(after);
    let words = [
        (BRANCH_WORDS, ClaimKind::Branch),
        (TAG_WORDS, ClaimKind::Tag),
    ];
    let starts = |word: &&&str| next == **word || !word.is_ascii() && after.starts_with(**word);
    words
        .into_iter()
        .find(|(words, _)| words.iter().any(|word| starts(&word)))
        .map(|(_, kind)| kind)
}

fn kind_of_word(word: &str) -> Option<ClaimKind> {
    let word = word.to_lowercase();
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is = |words: &[&str]| words.contains(&word);
    if is(BRANCH_WORDS) {
        Some(ClaimKind::Branch)
    } else if is(TAG_WORDS) {
        Some(ClaimKind::Tag)
    } else if is(COMMIT_WORDS) {
        Some(ClaimKind::Commit)
    } else {
        None
    }
}

/// Returns whether the sentence around a name says that it is gone.
fn is_negated(line: &str, begin: usize, end: usize) -> bool {
    const ENDS: [&str; 6] = [". ", "; ", "。", "；", "! ", "? "];
    let start = ENDS
        .iter()
        .filter_map(|mark| line[..begin].rfind(mark).map(|at| at + mark.len()))
        .max();
    let stop = ENDS
        .iter()
        .filter_map(|mark| line[end..].find(mark).map(|at| end + at))
        .min();
    let (start, stop) = (start.unwrap_or(0), stop.unwrap_or(line.len()));
    // Names do not speak: `src/removed.rs` is no statement about itself.
    let mut said = String::new();
    for part in [&line[start..begin], &line[end..stop.max(end)]] {
        said.extend(part.split('`').step_by(2));
        said.push(' ');
    }
    let said = said.to_lowercase();
    GONE_WORDS.iter().any(|word| said.contains(word))
}

#[cfg(test)]
mod tests {
    use super::claims;

    fn shown(text: &str) -> String {
        let mut found = Vec::new();
        claims(text, 1, &mut found);
        let shown: Vec<String> = found
            .iter()
            .map(|claim| {
                format!(
                    "{}:{}{}",
                    claim.kind,
                    claim.text,
                    if claim.negated { "!" } else { "" }
                )
            })
            .collect();
        shown.join(" | ")
    }

    #[test]
    fn claims_are_found_where_people_write_them() {
        for (text, expected) in [
            (
                "Use `src/retry.rs` and `Retry::standard()`.",
                "path:src/retry.rs | symbol:Retry::standard()",
            ),
            (
                "See src/net/retry.rs:42 for the reason.",
                "line:src/net/retry.rs:42",
            ),
            (
                "Work happens on the branch `feature/x` and `main`.",
                "branch:feature/x | branch:main",
            ),
            ("The `release/2.0` branch is frozen.", "branch:release/2.0"),
            (
                "Fixed in commit 3f2a9c1, tag v1.2.0.",
                "commit:3f2a9c1 | tag:v1.2.0",
            ),
            ("在分支 `feature/pay` 上", "branch:feature/pay"),
            ("Pass `--dry-run` first.", "flag:--dry-run"),
            (
                "Run `npm run build` then `make deploy`.",
                "script:npm run build | target:make deploy",
            ),
            ("`old_name` was removed in May.", "symbol:old_name!"),
            ("Either and/or 24/7, `true`, `Redis`.", "path:and/or"),
            ("```\n$ make release\n# comment\n```", "target:make release"),
            ("An unclosed ` tick and `src/a.rs`", "path:src/a.rs"),
            ("Nothing here.", ""),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}

//! What in a message is not the person's own prose: code, logs, diffs, quotations, elements in tags, pasted
//! documents. It is blanked out byte for byte, so that places keep their numbers.

use std::collections::HashMap;

/// Stands for something inline that was taken out of a sentence, such as code or quoted words.
pub(super) const HOLE: u8 = 0x1A;

/// Elements that programs put into messages; without an end tag they reach to the end of the text.
const INJECTED: &[&str] = &[
    "system-reminder",
    "memory",
    "memories",
    "recalled-memories",
    "user-prompt-submit-hook",
    "environment_context",
    "user_instructions",
    "instructions",
    "hook_context",
    "ide_selection",
    "ide_opened_file",
    "ide_diagnostics",
    "session_context",
    "task-notification",
    "teammate-message",
    "pasted",
    "document",
    "context",
];

/// Words that end a line which introduces text of others.
const INTRODUCTIONS: &[&str] = &[
    "log",
    "logs",
    "output",
    "error",
    "trace",
    "traceback",
    "stacktrace",
    "docs",
    "readme",
    "wiki",
    "ticket",
    "issue",
    "email",
    "mail",
    "message",
    "says",
    "said",
    "wrote",
    "reads",
    "paste",
    "pasted",
    "claude.md",
    "agents.md",
    "gemini.md",
    "cursorrules",
    ".cursorrules",
    "guidelines",
    "spec",
    "prompt",
    "transcript",
    "comment",
    "comments",
    "file",
    "diff",
    "patch",
    "review",
    "thread",
    "response",
    "requirements",
    "requirement",
    "criteria",
    "checklist",
    "scenario",
    "scenarios",
    "features",
    "需求",
    "要求",
    "验收标准",
    "步骤",
    "日志",
    "报错",
    "输出",
    "错误",
    "文档",
    "原文",
    "邮件",
    "内容",
    "如下",
    "说",
    "写道",
    "写着",
    "评论",
    "提示词",
];

/// Returns the bytes of `text` with everything that is not the person's prose blanked. The result has the
/// length of the text and is valid UTF-8.
pub(super) fn prose(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    elements(text, &mut bytes);
    lines(text, &mut bytes);
    inline(&mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Blanks a range, keeping its line ends so that paragraphs stay where they are.
fn blank(bytes: &mut [u8], from: usize, to: usize) {
    for byte in &mut bytes[from..to] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Blanks elements: from an opening tag to its closing tag.
fn elements(text: &str, bytes: &mut [u8]) {
    let closings = closing_tags(text);
    let mut at = 0;
    while let Some(step) = text[at..].find('<') {
        let start = at + step;
        at = start + 1;
        let Some((name, after)) = opening_tag(text, start) else {
            continue;
        };
        match closings.get(&name) {
            Some(last) if *last > start => {
                at = closing_tag(text, after, *last, &name);
                blank(bytes, start, at);
            }
            _ if INJECTED.contains(&name.as_str()) => {
                blank(bytes, start, text.len());
                return;
            }
            _ => {}
        }
    }
}

/// For each name, the place of its last closing tag. Known beforehand, so that no opening tag is followed
/// in vain and no byte is looked at twice.
fn closing_tags(text: &str) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (start, _) in text.match_indices("</") {
        if let Some(name) = tag_name(&text.as_bytes()[start + 2..]) {
            places.insert(name, start);
        }
    }
    places
}

/// The name at the start of a tag, at most 64 bytes, in lower case.
fn tag_name(bytes: &[u8]) -> Option<String> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':');
    let length = bytes
        .iter()
        .take(65)
        .take_while(|byte| is_name(byte))
        .count();
    let sound = bytes.first()?.is_ascii_alphabetic() && length <= 64;
    sound.then(|| String::from_utf8_lossy(&bytes[..length]).to_ascii_lowercase())
}

/// The name of the tag that opens at `start` and the place behind it. Longest tag: 512 bytes.
fn opening_tag(text: &str, start: usize) -> Option<(String, usize)> {
    let rest = &text.as_bytes()[start + 1..];
    let name = tag_name(rest)?;
    let close = rest.iter().take(512).position(|byte| *byte == b'>')?;
    let empties = close > 0 && rest[close - 1] == b'/';
    let opens = matches!(rest.get(name.len()), Some(b'>' | b' ' | b'\n'));
    (opens && !empties).then_some((name, start + 1 + close + 1))
}

/// The place behind the closing tag that balances an opening one; behind the last closing tag when they do
/// not balance.
fn closing_tag(text: &str, from: usize, last: usize, name: &str) -> usize {
    let behind = |start: usize| {
        text[start..]
            .find('>')
            .map_or(text.len(), |step| start + step + 1)
    };
    let bytes = text.as_bytes();
    let mut depth = 1_usize;
    let mut at = from;
    while let Some(step) = text[at..].find('<') {
        let start = at + step;
        if start >= last {
            break;
        }
        at = start + 1;
        let closes = bytes.get(start + 1) == Some(&b'/');
        let word = start + 1 + usize::from(closes);
        let end = word + name.len();
        let same = bytes
            .get(word..end)
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        if !same || !matches!(bytes.get(end), Some(b'>' | b' ' | b'\n')) {
            continue;
        }
        depth = if closes { depth - 1 } else { depth + 1 };
        if depth == 0 {
            return behind(start);
        }
    }
    behind(last)
}

/// What the lines so far make of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Prose,
    /// Inside a fence of this character and at least this length.
    Fence(u8, usize),
    /// Inside a diff.
    Diff,
    /// Inside what a program printed, up to an empty line.
    Output,
    /// Behind a line that introduces words of others; `true` once the first of them was seen.
    Others(bool),
}

fn lines(text: &str, bytes: &mut [u8]) {
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#') && line.trim_start_matches('#').starts_with(' '))
        .take(3)
        .count();
    // Three headings are a document, and nobody types one into a chat.
    let is_document = headings >= 3;
    let mut state = State::Prose;
    let mut after_blank = true;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let (hide, next) = step(line.trim_end(), state, after_blank);
        after_blank = line.trim().is_empty();
        state = next;
        if hide || is_document {
            blank(bytes, start, end);
        }
        start = end;
    }
}

/// Whether a line is hidden, and what that means for the next one.
fn step(line: &str, state: State, after_blank: bool) -> (bool, State) {
    let trimmed = line.trim_start();
    if let State::Fence(mark, length) = state {
        let closes = fence(trimmed).is_some_and(|(found, count)| found == mark && count >= length)
            && trimmed.bytes().all(|byte| byte == mark);
        return (true, if closes { State::Prose } else { state });
    }
    if let Some((mark, count)) = fence(trimmed) {
        return (true, State::Fence(mark, count));
    }
    if is_diff_start(line) {
        return (true, State::Diff);
    }
    if state == State::Diff {
        let inside = line.starts_with(['+', '-', ' ', '@', '\\']) || line.starts_with("index ");
        if inside {
            return (true, state);
        }
    }
    if state == State::Output {
        let next = if trimmed.is_empty() {
            State::Prose
        } else {
            state
        };
        return (true, next);
    }
    if let State::Others(seen) = state {
        return match (trimmed.is_empty(), seen) {
            (true, true) => (false, State::Prose),
            (true, false) => (false, state),
            (false, _) => (true, State::Others(true)),
        };
    }
    if starts_output(trimmed) {
        return (true, State::Output);
    }
    if trimmed.starts_with('>')
        || is_table(trimmed)
        || is_log(trimmed)
        || is_code(line, after_blank)
    {
        return (true, State::Prose);
    }
    if introduces(trimmed) {
        return (false, State::Others(false));
    }
    (false, State::Prose)
}

fn fence(line: &str) -> Option<(u8, usize)> {
    let mark = *line.as_bytes().first()?;
    let count = line.bytes().take_while(|byte| *byte == mark).count();
    (matches!(mark, b'`' | b'~') && count >= 3).then_some((mark, count))
}

fn is_diff_start(line: &str) -> bool {
    let starts = [
        "diff --git ",
        "--- a/",
        "+++ b/",
        "--- /dev/null",
        "@@ -",
        "Index: ",
    ];
    starts.iter().any(|start| line.starts_with(start))
}

fn is_table(line: &str) -> bool {
    line.starts_with('|') && line.len() > 1
}

/// The first line of what a program printed over several lines without a mark on each.
fn starts_output(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Traceback",
        "$ ",
        "error[",
        "error: ",
        "warning: ",
        "npm ERR",
        "npm WARN",
        "Exception in",
        "thread '",
        "panicked at",
        "fatal: ",
        "Caused by",
        "remote: ",
        "! [",
        "FAIL ",
        "FAILED ",
        "test result",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Lines as programs print them: with a time, a level, a prompt, a place in a stack.
fn is_log(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "$ ",
        "% ",
        ">>> ",
        "# ",
        "C:\\>",
        "at ",
        "Traceback",
        "File \"",
        "Caused by",
        "Exception in",
        "error:",
        "error[",
        "warning:",
        "warning[",
        "note: ",
        "help: ",
        "npm ERR",
        "npm WARN",
        "FAIL ",
        "PASS ",
        "fatal:",
        "panicked at",
        "thread '",
        "ERROR",
        "WARN",
        "INFO",
        "DEBUG",
        "TRACE",
        "FATAL",
        "[ERROR",
        "[WARN",
        "[INFO",
        "[DEBUG",
        "[error",
        "[warn",
        "[info",
        "E   ",
        "✗ ",
        "✓ ",
        "✕ ",
        "✔ ",
        "--> ",
        "= note",
        "= help",
        "test result",
        "commit ",
        "Author: ",
        "Date: ",
        "Subject: ",
        "From: ",
        "To: ",
        "Re: ",
        "Fwd: ",
    ];
    let inner = line.trim_start_matches('[');
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let after = inner.as_bytes().get(digits);
    let clock = matches!(digits, 2 | 4)
        && matches!(after, Some(b':' | b'-' | b'/'))
        && inner.bytes().take(20).filter(|byte| *byte == b':').count() >= 2;
    let place = line.contains(".js:")
        || line.contains(".ts:")
        || line.contains(".rs:")
        || line.contains(".py:")
        || line.contains(".go:")
        || line.contains(".java:");
    let is_at = line.starts_with("at ");
    clock
        || STARTS
            .iter()
            .any(|start| line.starts_with(start) && (!is_at || place || line.contains('(')))
}

/// Lines of code outside a fence: by their ends, their beginnings, their indent.
fn is_code(line: &str, after_blank: bool) -> bool {
    const STARTS: &[&str] = &[
        "import ",
        "from ",
        "def ",
        "fn ",
        "func ",
        "function ",
        "class ",
        "const ",
        "let ",
        "var ",
        "pub ",
        "return ",
        "#include",
        "#define",
        "#!",
        "//",
        "/*",
        "*/",
        "<!--",
        "</",
        "@",
        "export ",
        "package ",
        "using ",
        "struct ",
        "enum ",
        "impl ",
        "SELECT ",
        "INSERT ",
        "UPDATE ",
        "CREATE ",
        "if (",
        "for (",
        "while (",
        "} ",
        "\"\"\"",
        "'''",
    ];
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return false;
    }
    let ends =
        trimmed.ends_with(['{', '}', ';']) || trimmed.ends_with("};") || trimmed.ends_with("),");
    let starts = STARTS.iter().any(|start| trimmed.starts_with(start));
    let has_signs = trimmed.contains(['(', '{', '=', ';', '<', '"', '/']) || trimmed.ends_with(':');
    let indented = (line.starts_with("    ") || line.starts_with('\t')) && after_blank;
    let is_item =
        trimmed.starts_with(['-', '*', '+', '•']) || trimmed.as_bytes()[0].is_ascii_digit();
    let object =
        trimmed.starts_with(['{', '}']) || trimmed.starts_with('"') && trimmed.contains("\":");
    ends || object || starts && has_signs && !trimmed.ends_with('.') || indented && !is_item
}

/// Whether a line ends by announcing what somebody or something else says.
fn introduces(line: &str) -> bool {
    let Some(words) = line.strip_suffix(':').or_else(|| line.strip_suffix('：')) else {
        return false;
    };
    let words = words.to_lowercase();
    let tail: Vec<&str> = words.split([' ', ',']).rev().take(8).collect();
    INTRODUCTIONS.iter().any(|word| {
        tail.iter().any(|found| found == word) || (!word.is_ascii() && words.ends_with(word))
    })
}

/// Replaces inline code and quoted words by a hole, line by line.
fn inline(bytes: &mut [u8]) {
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        if let Ok(line) = std::str::from_utf8(&bytes[start..end]) {
            for (from, to) in quoted(line) {
                bytes[start + from..start + to].fill(HOLE);
            }
        }
        start = end + 1;
    }
}

fn memchr(wanted: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == wanted)
}

/// Marks that open quoted words or inline code, and those that close them.
const QUOTES: &[(char, char)] = &[
    ('`', '`'),
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('‘', '’'),
    ('\'', '\''),
];

/// Ranges of inline code and quoted words of a line.
fn quoted(line: &str) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    // Where each closing mark comes last: a mark that nothing closes opens nothing.
    let lasts: Vec<Option<usize>> = QUOTES.iter().map(|(_, close)| line.rfind(*close)).collect();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, sign) in line.char_indices() {
        let behind = at + sign.len_utf8();
        if let Some((from, close)) = open {
            // An apostrophe inside a word closes nothing.
            let in_word = matches!(sign, '\'' | '’')
                && line[behind..]
                    .chars()
                    .next()
                    .is_some_and(char::is_alphanumeric);
            if sign == close && !in_word {
                ranges.push((from, behind));
                open = None;
            }
        } else if sign != '\'' || !before.is_alphanumeric() {
            let known = QUOTES
                .iter()
                .zip(&lasts)
                .find(|((opens, _), _)| *opens == sign);
            if let Some(((_, close), Some(last))) = known
                && *last > at
            {
                open = Some((at, *close));
            }
        }
        before = sign;
    }
    ranges
}

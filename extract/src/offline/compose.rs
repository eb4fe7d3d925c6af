//! Makes a memory of the words of a sentence: name, description, body.

use std::fmt::Write as _;
use std::ops::Range;

use memdir::{Date, MemoryType, find_relative_dates};

use super::cue::{Cue, find};
use super::judge::Kept;
use super::language::Language;
use super::sentence::Sentence;

/// Longest name, in characters; wide characters count twice.
const NAME_MAX_WIDTH: usize = 56;
/// Longest description, in bytes; `memdir`'s lint complains from 200 characters on.
const DESCRIPTION_MAX_BYTES: usize = 190;

/// Words with which no name ends.
const LEADING_ON: &[&str] = &[
    "a", "an", "the", "for", "to", "of", "in", "on", "at", "by", "with", "from", "and", "or",
    "but", "not", "that", "which", "because", "so", "when", "if", "before", "after", "is", "are",
    "be", "my", "our", "your", "we", "i", "you", "it", "they", "as", "than", "who", "und", "oder",
    "der", "die", "das", "für", "mit", "nur", "de", "la", "le", "el", "les", "los", "que", "en",
    "et", "y", "since", "until", "lives", "runs", "uses", "has", "have", "was", "were", "will",
    "must",
];

/// The parts of a memory, and the piece of the message they rest on.
#[derive(Debug, Clone)]
pub(super) struct Composed {
    pub(super) memory_type: MemoryType,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) body: String,
    pub(super) quote: Range<usize>,
}

/// Writes the memory that a sentence holds. `reason` is the sentence after it, when that gives the reason.
pub(super) fn compose(
    text: &str,
    sentence: &Sentence,
    kept: &Kept,
    reason: Option<&Sentence>,
    today: Date,
) -> Composed {
    let plain = &sentence.plain[kept.start..];
    let (end, split) = reason_in(plain);
    let split = split.filter(|range| range.start >= 8 && reason.is_none());
    let place = sentence.place(kept.start..kept.start + end);
    let rule_end = split.as_ref().map_or(place.end, |range| {
        sentence
            .place(kept.start + range.start..kept.start + range.start)
            .start
    });
    let rule = tidy(&text[place.start..rule_end]);
    let why = match (&split, reason) {
        (_, Some(next)) => Some(tidy(&text[next.range.clone()])),
        (Some(_), None) => Some(tidy(&text[rule_end..place.end])),
        (None, None) => None,
    };
    let scope = find(Cue::Scope, plain)
        .map(|hit| kept.start + hit.range.start..kept.start + hit.range.end)
        .map(|range| sentence.place(range))
        .filter(|range| range.end <= rule_end)
        .map(|range| tidy(&text[range]));

    let rule = absolute(&capital(&rule), today, kept.language);
    let why = why.map(|why| absolute(&capital(without_marks(&why)), today, kept.language));
    let scope = scope.map(|scope| absolute(&scope, today, kept.language));

    let mut body = ended(&rule);
    body.push('\n');
    let scope = scope.filter(|_| kept.memory_type == MemoryType::Feedback);
    if why.is_some() || scope.is_some() {
        body.push('\n');
    }
    if let Some(why) = &why {
        let _ = writeln!(body, "**Why:** {}", ended(why));
    }
    if let Some(scope) = scope {
        let _ = writeln!(body, "**How to apply:** {}", ended(&scope));
    }

    let name = name(&rule);
    let mut description = rule.trim_end_matches(['.', '。', '!', '！']).to_owned();
    if let Some(why) = &why {
        description.push_str(" — ");
        description.push_str(why.trim_end_matches(['.', '。']));
    }
    if description == name {
        let frame = kept.language.frames[frame_of(kept.memory_type)];
        description = format!("{frame}{description}");
    }
    Composed {
        memory_type: kept.memory_type,
        name,
        description: cut(&description, DESCRIPTION_MAX_BYTES),
        body,
        quote: sentence.range.start..reason.map_or(sentence.range.end, |next| next.range.end),
    }
}

/// Where what a sentence says ends, and the reason in it. "CI broke, because of it" gives the clause before
/// as the reason, for the pronoun alone says nothing.
fn reason_in(plain: &str) -> (usize, Option<Range<usize>>) {
    let is_mark = |sign: char| " ,;:—–-(".contains(sign);
    let split = find(Cue::Reason, plain).map(|hit| hit.range);
    let Some((head, _)) = plain
        .rsplit_once("because of ")
        .filter(|(head, _)| head.len() >= 8 && is_empty_reason(&plain[head.len()..]))
    else {
        return (plain.len(), split);
    };
    let end = head.trim_end_matches(is_mark).len();
    if let Some(split) = split.filter(|range| range.start < end) {
        return (end, Some(split));
    }
    let clause = plain[..end]
        .rfind([',', ';', '—', '('])
        .filter(|at| is_clause(plain[*at..end].trim_start_matches(is_mark)));
    (end, clause.map(|at| at..end))
}

/// Whether a reason only points at something: "because of it".
pub(super) fn is_empty_reason(plain: &str) -> bool {
    const POINTERS: [&str; 6] = ["it", "that", "this", "them", "those", "these"];
    plain
        .trim_start_matches(|sign: char| !sign.is_alphabetic())
        .trim_end_matches(|sign: char| !sign.is_alphabetic())
        .strip_prefix("because of ")
        .is_some_and(|rest| POINTERS.contains(&rest.trim()))
}

/// Whether words say that something happened: a subject and a verb behind it.
fn is_clause(words: &str) -> bool {
    const VERBS: [&str; 27] = [
        "is", "are", "was", "were", "has", "have", "had", "got", "broke", "breaks", "fails",
        "lost", "went", "took", "hit", "made", "fell", "kept", "bit", "cost", "costs", "came",
        "spent", "left", "ran", "hid", "burnt",
    ];
    let mut words = words.split_whitespace().skip(1);
    words.any(|word| VERBS.contains(&word) || word.len() > 4 && word.ends_with("ed"))
}

/// The place of a type in a language's list of frames.
fn frame_of(memory_type: MemoryType) -> usize {
    let place = MemoryType::ALL
        .iter()
        .position(|known| *known == memory_type);
    place.unwrap_or_default()
}

/// One line, single blanks, nothing loose at the ends.
fn tidy(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_matches(|sign: char| sign.is_whitespace() || ",;:—–-，；：、(（".contains(sign))
        .to_owned()
}

/// A reason without the sign that joined it.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches(|sign: char| sign.is_whitespace() || ",;:—–-，；：、(（".contains(sign))
        .trim_end_matches([')', '）'])
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    match signs.next() {
        // A name such as `iOS` or `pnpm` is left as it is only inside a sentence.
        Some(first) if first.is_lowercase() => first.to_uppercase().chain(signs).collect(),
        _ => text.to_owned(),
    }
}

fn ended(text: &str) -> String {
    let wide = text
        .chars()
        .next_back()
        .is_some_and(|sign| !sign.is_ascii() && sign.is_alphanumeric());
    if text.ends_with(['.', '!', '?', '。', '！', '？', '…']) {
        text.to_owned()
    } else {
        format!(
            "{text}{}",
            if wide && text.chars().any(|sign| sign > '\u{2E80}') {
                "。"
            } else {
                "."
            }
        )
    }
}

/// Replaces relative dates by absolute ones. One that can be read in two ways keeps its words and gets the
/// date beside it.
fn absolute(text: &str, today: Date, language: &Language) -> String {
    let mut places: Vec<(Range<usize>, String)> = find_relative_dates(text, today)
        .into_iter()
        .map(|found| {
            let words = &text[found.range.clone()];
            let written = if found.is_certain {
                found.replacement
            } else {
                format!("{words} ({})", found.date)
            };
            (found.range, written)
        })
        .collect();
    if let Some((range, day)) = weekday(text, today, language)
        && places
            .iter()
            .all(|(other, _)| other.end <= range.start || range.end <= other.start)
    {
        let written = format!("{} ({day})", &text[range.clone()]);
        places.push((range, written));
        places.sort_by_key(|(range, _)| range.start);
    }
    let mut out = String::new();
    let mut end = 0;
    for (range, written) in places {
        if range.start >= end {
            out.push_str(&text[end..range.start]);
            out.push_str(&written);
            end = range.end;
        }
    }
    out.push_str(&text[end..]);
    out
}

/// The first "on Thursday" of a text and the day it means: the coming one.
fn weekday(text: &str, today: Date, language: &Language) -> Option<(Range<usize>, Date)> {
    let (before, days) = language.weekdays?;
    let lower = text.to_ascii_lowercase();
    days.iter().zip(0..).find_map(|(day, number)| {
        let start = lower.find(&format!("{before}{day}"))? + before.len();
        let end = start + day.len();
        if lower[end..].starts_with(|sign: char| sign.is_alphanumeric()) {
            return None;
        }
        let ahead =
            (number + 7 - i32::from(today.weekday().days_after_monday()) - 1).rem_euclid(7) + 1;
        Some((start..end, today.plus_days(ahead)))
    })
}

/// Whether a text names a day, a month or a quarter, relative or absolute.
pub(super) fn has_date(words: &str) -> bool {
    let base = Date::new(2026, 1, 5).expect("because the day exists");
    let has_weekday = super::language::ALL
        .iter()
        .any(|language| weekday(words, base, language).is_some());
    has_weekday
        || has_absolute_date(&words.to_lowercase())
        || !find_relative_dates(words, base).is_empty()
}

fn has_absolute_date(plain: &str) -> bool {
    const MONTHS: [&str; 24] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
        "sept",
    ];
    let bytes = plain.as_bytes();
    let digits = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let iso = (0..bytes.len()).any(|at| {
        bytes[at] == b'-' && at >= 4 && (at - 4..at).all(digits) && digits(at + 1) && digits(at + 2)
    });
    let quarter = plain
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .any(|word| matches!(word.as_bytes(), [b'q', b'1'..=b'4']));
    let words: Vec<&str> = plain.split(|sign: char| !sign.is_alphanumeric()).collect();
    let numbered = |word: &str| {
        word.trim_end_matches(|sign: char| sign.is_ascii_alphabetic())
            .parse::<u16>()
            .is_ok_and(|day| (1..=31).contains(&day) || (2020..2100).contains(&day))
    };
    let named = words.windows(2).any(|pair| {
        MONTHS.contains(&pair[0]) && numbered(pair[1])
            || MONTHS.contains(&pair[1]) && numbered(pair[0])
    });
    let ordinal = words.windows(2).any(|pair| {
        let day = pair[1]
            .trim_end_matches("st")
            .trim_end_matches("nd")
            .trim_end_matches("rd")
            .trim_end_matches("th");
        pair[0] == "the"
            && day.len() < pair[1].len()
            && day.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
    });
    let chinese = plain.char_indices().any(|(at, sign)| {
        matches!(sign, '月' | '号' | '日')
            && plain[..at]
                .trim_end()
                .chars()
                .next_back()
                .is_some_and(|before| {
                    before.is_ascii_digit() || "一二三四五六七八九十".contains(before)
                })
    });
    iso || quarter || named || ordinal || chinese
}

/// A short name out of the rule: its first words, up to the first break behind a few of them.
fn name(rule: &str) -> String {
    let rule = rule.trim_end_matches(['.', '。', '!', '！', '?']);
    let mut width = 0;
    let mut end = rule.len();
    let mut last_break = 0;
    for (at, sign) in rule.char_indices() {
        if is_pause(rule, at, sign) && width >= 12 || starts_address(rule, at) && width >= 8 {
            end = at;
            break;
        }
        width += if sign > '\u{2E80}' { 2 } else { 1 };
        if width > NAME_MAX_WIDTH {
            end = if last_break > 0 && !sign.is_whitespace() {
                last_break
            } else {
                at
            };
            break;
        }
        if sign.is_whitespace() {
            last_break = at;
        } else if sign > '\u{2E80}' {
            last_break = at + sign.len_utf8();
        }
    }
    let name = rule[..end].trim().replace(['`', '*'], "");
    if end == rule.len() {
        return name;
    }
    let name = if rule[end..].starts_with(char::is_whitespace) {
        whole_phrases(&name, &rule[end..]).to_owned()
    } else {
        name
    };
    // A name that was cut does not end with a word that only leads on.
    let mut words: Vec<&str> = name.split(' ').collect();
    while words.len() > 2
        && words
            .last()
            .is_some_and(|word| LEADING_ON.contains(&word.to_lowercase().as_str()))
    {
        words.pop();
    }
    words.join(" ")
}

/// Whether a name may end here. The signs of `06:00`, `1,000` and `f(x)` stand inside a word and are no pause.
fn is_pause(rule: &str, at: usize, sign: char) -> bool {
    let behind = rule[at + sign.len_utf8()..].chars().next();
    let ends_word = behind.is_none_or(char::is_whitespace);
    match sign {
        ',' | ';' | ':' | '.' | '–' => ends_word,
        '(' => rule[..at].ends_with(char::is_whitespace),
        _ => matches!(sign, '，' | '；' | '—' | '（' | '：'),
    }
}

/// Whether a word begins here that is an address: nobody would call a thing by it.
fn starts_address(rule: &str, at: usize) -> bool {
    let rest = &rule[at..];
    (rest.starts_with("https://") || rest.starts_with("http://"))
        && rule[..at].ends_with(char::is_whitespace)
}

/// A name that was cut between two words, without the phrase that the cut went through.
fn whole_phrases<'a>(name: &'a str, left_out: &str) -> &'a str {
    const JOINTS: [&str; 29] = [
        "and", "or", "but", "und", "oder", "because", "so", "when", "if", "before", "after",
        "until", "while", "that", "which", "who", "for", "to", "of", "in", "on", "at", "by",
        "with", "from", "into", "under", "mit", "für",
    ];
    const FEWEST_WORDS: usize = 3;
    // "the week of 2026-02-23" is what "last week" became, and one date.
    if left_out.starts_with(" of 2")
        && let Some(before) = name.strip_suffix(" the week")
    {
        return before;
    }
    // What these begin may be half a phrase even where another joint follows.
    let coordinating = &JOINTS[..5];
    let joint = |text: &str| {
        let word = text.split_whitespace().next().unwrap_or_default();
        let word = word.to_lowercase();
        JOINTS.iter().find(|joint| **joint == word).copied()
    };
    let starts = name.match_indices(' ').map(|(at, _)| at);
    let joints = starts.skip(FEWEST_WORDS - 1);
    let last = joints
        .filter_map(|at| Some((at, joint(&name[at..])?)))
        .last();
    match last {
        Some((_, word)) if joint(left_out).is_some() && !coordinating.contains(&word) => name,
        Some((at, _)) => &name[..at],
        None => name,
    }
}

/// At most `max` bytes, whole characters, with an ellipsis when something is left out.
fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if let Some(at) = text[..end].rfind(' ').filter(|at| *at > end / 2) {
        end = at;
    }
    format!("{}…", text[..end].trim_end())
}

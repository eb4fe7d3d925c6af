//! Relative dates in Chinese, simplified and traditional.
//!
//! Chinese has no blanks between words, so most of the work is to tell 下周 (next week) from
//! 线下周边 (offline merchandise): the characters around a phrase decide.

mod table;

use super::RelativeDate;
use super::context::{date_follows, date_precedes, head, is_quoted, tail, year_in_parentheses};
use super::meaning::{DatePrecision, Meaning, Resolved, Unit, Which};
use crate::markdown::NOT_PROSE;
use crate::timestamp::Date;
use table::{
    AFTER_MONDAY, AFTER_ONE, AFTER_SUNDAY, AFTER_WEEKDAY, BEFORE_BEN, BEFORE_SHANG, BEFORE_XIA,
    NAMES, NO_DATE, PHRASES, RULE_VERBS, STARTS, WEEK_PREFIXES, WEEKDAYS, WEEKS,
};

/// A phrase that was recognised, before its surroundings are judged.
struct Found {
    length: usize,
    means: Meaning,
    part: &'static str,
    certain: bool,
}

/// Finds the phrases on one line of prose.
pub(super) fn find(line: &str, base: Date) -> Vec<RelativeDate> {
    let mut found = Vec::new();
    let mut skip_to = 0;
    for (at, character) in line.char_indices() {
        if at < skip_to || !STARTS.contains(character) {
            continue;
        }
        let Some(phrase) = phrase_at(line, at) else {
            continue;
        };
        let end = at + phrase.length;
        skip_to = end;
        if is_date(line, at, end, phrase.means) {
            let mut resolved = phrase.means.resolve(base);
            resolved.is_certain &= phrase.certain;
            found.push(RelativeDate {
                range: at..end,
                date: resolved.date,
                precision: resolved.precision,
                is_certain: resolved.is_certain,
                replacement: replacement(resolved, phrase.part),
            });
        }
    }
    found
}

/// The longest phrase that starts at this place, among the table, the weekdays and the counts.
fn phrase_at(line: &str, at: usize) -> Option<Found> {
    let rest = &line[at..];
    let before = line[..at].chars().next_back();
    let fixed = PHRASES
        .iter()
        .filter(|phrase| rest.starts_with(phrase.text))
        .filter(|phrase| {
            let after = rest[phrase.text.len()..].chars().next();
            !before.is_some_and(|before| phrase.not_after.contains(before))
                && !after.is_some_and(|after| phrase.not_before.contains(after))
        })
        .max_by_key(|phrase| phrase.text.len())
        .map(|phrase| Found {
            length: phrase.text.len(),
            means: phrase.means,
            part: phrase.part,
            certain: phrase.certain,
        });
    [fixed, weekday_at(rest, &line[..at]), count_at(rest, before)]
        .into_iter()
        .flatten()
        .max_by_key(|found| found.length)
}

/// 下周四, 上个星期一, 周五.
fn weekday_at(rest: &str, before: &str) -> Option<Found> {
    let prefix = WEEK_PREFIXES
        .iter()
        .find(|prefix| rest.starts_with(prefix.0) && week_after(rest, prefix.0).is_some());
    let start = prefix.map_or(0, |prefix| prefix.0.len());
    let week = week_after(rest, &rest[..start])?;
    let mut after = rest[start + week.len()..].chars();
    let named = after.next()?;
    let weekday = WEEKDAYS.iter().find(|day| day.0 == named)?.1;
    let next = after.next();
    let tail = &rest[start + week.len() + named.len_utf8()..];
    let is_other_word = match named {
        '一' => prefix.is_some() && !AFTER_MONDAY.iter().any(|word| tail.starts_with(word)),
        _ => false,
    };
    let counts = next.is_some_and(|next| {
        AFTER_WEEKDAY.contains(next)
            || (named == '日' && AFTER_SUNDAY.contains(next))
            || (is_other_word && AFTER_ONE.contains(next))
    });
    // 周天 is "the week's days" as often as Sunday.
    if counts || (named == '天' && week.chars().count() == 1) {
        return None;
    }
    let length = start + week.len() + named.len_utf8();
    let found = |means, certain| {
        Some(Found {
            length,
            means,
            part: "",
            certain,
        })
    };
    match prefix {
        Some((_, NO_DATE)) => None,
        Some((text, weeks)) => {
            let previous = before.chars().next_back();
            let glued = match *text {
                "本" => BEFORE_BEN,
                "下" => BEFORE_XIA,
                "上" => BEFORE_SHANG,
                _ => "",
            };
            if previous.is_some_and(|previous| glued.contains(previous)) {
                return None;
            }
            found(Meaning::WeekdayIn(*weeks, weekday), true)
        }
        None => {
            let previous = before.chars().next_back();
            let recurring = previous.is_some_and(|previous| {
                "每逢各双单隔上下本这這个個一二三四五六七八九十两兩几半0123456789至到"
                    .contains(previous)
            });
            // 周一例会, 周五例行检查: what the day belongs to recurs.
            let recurring = recurring || tail.starts_with('例');
            if recurring || in_weekday_list(before, &rest[length..]) {
                return None;
            }
            let cue = [
                "前", "之前", "以前", "截止", "开始", "起", "上线", "发布", "要", "将", "会",
            ];
            let certain = cue.iter().any(|cue| tail.starts_with(cue));
            found(Meaning::Weekday(Which::Coming, weekday), certain)
        }
    }
}

fn week_after<'a>(rest: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = rest.strip_prefix(prefix)?;
    let week = WEEKS.iter().find(|week| rest.starts_with(**week))?;
    Some(&rest[..week.len()])
}

/// 周一至周五, 周二、周四.
fn in_weekday_list(before: &str, after: &str) -> bool {
    const JOINS: [char; 16] = [
        '至', '到', '-', '~', '—', '–', '～', '、', '和', '与', '與', '及', '或', '/', ',', '，',
    ];
    let is_day = |text: &str| {
        WEEKS.iter().any(|week| {
            text.strip_prefix(week)
                .and_then(|rest| rest.chars().next())
                .is_some_and(|named| WEEKDAYS.iter().any(|day| day.0 == named))
        })
    };
    let right = after
        .trim_start_matches([' '])
        .strip_prefix(JOINS)
        .map(|rest| rest.trim_start_matches([' ', '—', '-']));
    let numbered = right
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| WEEKDAYS.iter().any(|day| day.0 == next));
    if right.is_some_and(is_day) || numbered {
        return true;
    }
    let left = before.trim_end_matches(' ');
    let Some(head) = left.strip_suffix(JOINS) else {
        return false;
    };
    let head = head.trim_end_matches([' ', '—', '-']);
    let mut tail = head.chars().rev();
    let named = tail
        .next()
        .is_some_and(|named| WEEKDAYS.iter().any(|day| day.0 == named));
    named && tail.next().is_some_and(|week| "周週期拜".contains(week))
}

/// 三天后, 两周前, 3个月后, 半年前.
fn count_at(rest: &str, before: Option<char>) -> Option<Found> {
    let (number, digits) = number_at(rest)?;
    let mut length = digits;
    let mut after = &rest[digits..];
    let measured = ["个", "個"].iter().find(|mark| after.starts_with(**mark));
    if let Some(mark) = measured {
        length += mark.len();
        after = &after[mark.len()..];
    }
    let units = [
        ("天", Unit::Day, 1, false),
        ("日", Unit::Day, 1, false),
        ("周", Unit::Week, 1, false),
        ("週", Unit::Week, 1, false),
        ("星期", Unit::Week, 1, false),
        ("礼拜", Unit::Week, 1, false),
        // 三月后 is "after March"; a count of months has 个.
        ("月", Unit::Month, 1, true),
        ("季度", Unit::Quarter, 1, true),
        ("年", Unit::Year, 1, false),
    ];
    let (name, unit, factor, _) = units
        .iter()
        .find(|unit| after.starts_with(unit.0) && (!unit.3 || measured.is_some()))?;
    let is_digit = rest.starts_with(|first: char| first.is_ascii_digit());
    // 3日前 is "before the third", 2026年前 "before 2026".
    let is_calendar = is_digit && (*name == "日" || (*name == "年" && number.tenths >= 1_000));
    let glued = before.is_some_and(|before| {
        before.is_ascii_digit()
            || "第每各前过過提早满滿超.点點十百千一二三四五六七八九零月年".contains(before)
    });
    if is_calendar || glued {
        return None;
    }
    length += name.len();
    after = &after[name.len()..];
    let ends = [
        ("之后", 1),
        ("之後", 1),
        ("以后", 1),
        ("以後", 1),
        ("之前", -1),
        ("以前", -1),
        ("后", 1),
        ("後", 1),
        ("前", -1),
    ];
    let (end, sign) = ends.iter().find(|end| after.starts_with(end.0))?;
    length += end.len();
    after = &after[end.len()..];
    // 后端, 后台, 前端, 前提, 前后: the character begins another word.
    let other_word = after.starts_with([
        '端', '台', '续', '續', '面', '缀', '綴', '来', '來', '果', '提', '景', '者', '后', '後',
    ]);
    if other_word || RULE_VERBS.iter().any(|verb| after.starts_with(verb)) {
        return None;
    }
    let means = match (number.tenths, unit) {
        // Half a month, half a year.
        (5, Unit::Month) => Meaning::Days(sign * 15),
        (5, Unit::Year) => Meaning::Count(sign * 6, Unit::Month),
        (tenths, _) if tenths % 10 != 0 => return None,
        (tenths, _) => Meaning::Count(sign * factor * (tenths / 10), *unit),
    };
    Some(Found {
        length,
        means,
        part: "",
        certain: !number.vague && number.tenths != 5,
    })
}

struct Number {
    tenths: i32,
    vague: bool,
}

/// A number up to 99 (with digits up to 999) and its length in bytes.
fn number_at(rest: &str) -> Option<(Number, usize)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let value: i32 = rest[..digits]
            .parse()
            .ok()
            .filter(|value| *value <= 9_999)?;
        let blank = usize::from(rest[digits..].starts_with(' '));
        return Some((
            Number {
                tenths: value * 10,
                vague: false,
            },
            digits + blank,
        ));
    }
    let exact = |value: i32, length| {
        Some((
            Number {
                tenths: value * 10,
                vague: false,
            },
            length,
        ))
    };
    let first = rest.chars().next()?;
    match first {
        '半' => {
            return Some((
                Number {
                    tenths: 5,
                    vague: true,
                },
                first.len_utf8(),
            ));
        }
        '几' | '幾' | '数' | '數' => {
            return Some((
                Number {
                    tenths: 30,
                    vague: true,
                },
                first.len_utf8(),
            ));
        }
        _ => {}
    }
    let value = |character: char| match character {
        '两' | '兩' => Some(2),
        _ => "一二三四五六七八九"
            .chars()
            .position(|known| known == character)
            .and_then(|at| i32::try_from(at + 1).ok()),
    };
    let mut chars = rest.chars();
    let (tens, mut length) = match chars.next()? {
        '十' => (1, '十'.len_utf8()),
        other => {
            let ones = value(other)?;
            let next = chars.next();
            // 两三天: two or three.
            if let Some(more) = next.filter(|next| value(*next) == Some(ones + 1)) {
                let number = Number {
                    tenths: ones * 10,
                    vague: true,
                };
                return Some((number, other.len_utf8() + more.len_utf8()));
            }
            if next != Some('十') {
                return exact(ones, other.len_utf8());
            }
            (ones, other.len_utf8() + '十'.len_utf8())
        }
    };
    let ones = rest[length..]
        .chars()
        .next()
        .and_then(|next| value(next).inspect(|_| length += next.len_utf8()));
    exact(tens * 10 + ones.unwrap_or(0), length)
}

/// Whether the phrase stands for itself.
fn is_date(line: &str, start: usize, end: usize, means: Meaning) -> bool {
    let (before, after) = (&line[..start], &line[end..]);
    let hidden = char::from(NOT_PROSE);
    let is_joined =
        |next: Option<char>| next.is_some_and(|next| next == hidden || "_/\\=#@$".contains(next));
    if is_joined(before.chars().next_back()) || is_joined(after.chars().next()) {
        return false;
    }
    // 去年12月 and 下个月5日 are relative in spite of the numbers after them.
    let is_absolute = match means {
        Meaning::Whole(_, Unit::Month | Unit::Quarter | Unit::Year) => year_in_parentheses(after),
        _ => date_follows(after),
    };
    if is_quoted(before, after) || is_absolute || date_precedes(before) {
        return false;
    }
    !in_title(before, after) && !is_name(line, start, end)
}

/// Inside 《…》, the marks of the title of a work.
fn in_title(before: &str, after: &str) -> bool {
    let before = tail(before);
    let open = before
        .rfind('《')
        .is_some_and(|open| !before[open..].contains('》'));
    open && head(after).contains('》')
}

fn is_name(line: &str, start: usize, end: usize) -> bool {
    let phrase = &line[start..end];
    NAMES.split_ascii_whitespace().any(|name| {
        name.match_indices(phrase).any(|(offset, _)| {
            start
                .checked_sub(offset)
                .and_then(|from| line.get(from..))
                .is_some_and(|rest| rest.starts_with(name))
        })
    })
}

fn replacement(resolved: Resolved, part: &str) -> String {
    let date = resolved.date;
    let text = match resolved.precision {
        DatePrecision::Day => date.to_string(),
        DatePrecision::Week => format!("{date}当周"),
        DatePrecision::Month => format!("{}年{}月", date.year(), date.month()),
        DatePrecision::Quarter => format!("{}年Q{}", date.year(), (date.month() - 1) / 3 + 1),
        DatePrecision::Year => format!("{}年", date.year()),
    };
    format!("{text}{part}")
}

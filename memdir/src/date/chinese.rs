//! Relative dates in Chinese, simplified and traditional: the phrases as a table, and the words
//! that only contain one.
//!
//! Chinese has no blanks between words, so most of the work is to tell 下周 (next week) from
//! 线下周边 (offline merchandise): the characters around a phrase decide.

use super::RelativeDate;
use super::context::{date_follows, date_precedes, head, is_quoted, tail, year_in_parentheses};
use super::meaning::{DatePrecision, Edge, Meaning, Resolved, Unit, Which};
use crate::markdown::NOT_PROSE;
use crate::timestamp::{Date, Weekday};

/// A phrase that means the same wherever it stands.
struct Phrase {
    text: &'static str,
    means: Meaning,
    /// Put after the date: the part of the day that the phrase names.
    part: &'static str,
    certain: bool,
    /// Characters before it that make it a part of another word.
    not_after: &'static str,
    /// The same for characters after it.
    not_before: &'static str,
}

const fn phrase(text: &'static str, means: Meaning) -> Phrase {
    Phrase {
        text,
        means,
        part: "",
        certain: true,
        not_after: "",
        not_before: "",
    }
}

const fn day(text: &'static str, days: i32) -> Phrase {
    Phrase {
        text,
        means: Meaning::Days(days),
        part: "",
        certain: true,
        not_after: RECURRING,
        not_before: "系",
    }
}

const fn part(text: &'static str, days: i32, part: &'static str) -> Phrase {
    Phrase {
        text,
        means: Meaning::Days(days),
        part,
        certain: true,
        not_after: RECURRING,
        not_before: "报報",
    }
}

const fn whole(
    text: &'static str,
    count: i32,
    unit: Unit,
    not_after: &'static str,
    not_before: &'static str,
) -> Phrase {
    Phrase {
        text,
        means: Meaning::Whole(count, unit),
        part: "",
        certain: true,
        not_after,
        not_before,
    }
}

const fn edge(text: &'static str, edge: Edge, count: i32, unit: Unit, certain: bool) -> Phrase {
    Phrase {
        text,
        means: Meaning::EdgeOf(edge, count, unit),
        part: "",
        certain,
        not_after: BARE_EDGE,
        not_before: "",
    }
}

use Edge::{End, Middle, Start};
use Unit::{Month, Quarter, Week, Year};

/// Every, each, on every: what follows recurs.
const RECURRING: &str = "每各逢";
/// 天 + 后/前: "three days later", "before", and words such as 以后天天.
const BEFORE_HOU_TIAN: &str =
    "明每各逢以之今三两兩几幾数數天周週月年日然最随隨此战戰课課饭飯先提目个個";
/// 后天 as in "acquired", and 后|天气.
const AFTER_HOU_TIAN: &str = "气氣空线線使才然生赋賦下地数數性";
/// 日本|周边, 样本|周期, 成本|周转 …
const BEFORE_BEN: &str = "每日样樣成版文基资資脚腳副书書标標根剧劇课課账賬读讀范範蓝藍刻抄";
/// 周期, 周边, 周转, 周年, 周刊, 周围, 周密, 周全, 周折, 周旋, 周总 …
const AFTER_WEEK: &str = "期边邊转轉年刊围圍密全折旋遭详詳总總知游長长身济濟率杰傑瑜公";
/// 线下|周边, 天下|周知, 旗下|周刊, 如下|周报.
const BEFORE_XIA: &str = "线線天旗手如以殿之";
/// 线上|周边, 网上|周刊, 如上|周报, 晚上|周末.
const BEFORE_SHANG: &str = "线線网網以如海晚之台";
/// A month, year or quarter that is named: 三月底, 2026年底, 每月底.
const BARE_EDGE: &str = "每各逢历歷一二三四五六七八九十0123456789个個年月季";
const AFTER_MONTH: &str = "亮球台光饼餅历曆份";

static PHRASES: &[Phrase] = &[
    day("今天", 0),
    day("今日", 0),
    day("明天", 1),
    day("明日", 1),
    day("昨天", -1),
    day("昨日", -1),
    Phrase {
        not_after: BEFORE_HOU_TIAN,
        not_before: AFTER_HOU_TIAN,
        ..day("后天", 2)
    },
    Phrase {
        not_after: BEFORE_HOU_TIAN,
        not_before: AFTER_HOU_TIAN,
        ..day("後天", 2)
    },
    Phrase {
        not_after: BEFORE_HOU_TIAN,
        ..day("前天", -2)
    },
    day("大后天", 3),
    day("大後天", 3),
    day("大前天", -3),
    part("今早", 0, "早上"),
    part("今晨", 0, "早上"),
    part("今晚", 0, "晚上"),
    part("明早", 1, "早上"),
    part("明晚", 1, "晚上"),
    part("昨晚", -1, "晚上"),
    part("昨夜", -1, "晚上"),
    whole("本周", 0, Week, BEFORE_BEN, AFTER_WEEK),
    whole("本週", 0, Week, BEFORE_BEN, AFTER_WEEK),
    whole("这周", 0, Week, "", AFTER_WEEK),
    whole("這週", 0, Week, "", AFTER_WEEK),
    whole("这个星期", 0, Week, "", ""),
    whole("這個星期", 0, Week, "", ""),
    whole("这星期", 0, Week, "", ""),
    whole("本星期", 0, Week, BEFORE_BEN, ""),
    whole("这个礼拜", 0, Week, "", ""),
    whole("下周", 1, Week, BEFORE_XIA, AFTER_WEEK),
    whole("下週", 1, Week, BEFORE_XIA, AFTER_WEEK),
    whole("下个星期", 1, Week, "", ""),
    whole("下個星期", 1, Week, "", ""),
    whole("下星期", 1, Week, BEFORE_XIA, ""),
    whole("下个礼拜", 1, Week, "", ""),
    whole("下礼拜", 1, Week, BEFORE_XIA, ""),
    whole("下下周", 2, Week, "", AFTER_WEEK),
    whole("下下週", 2, Week, "", AFTER_WEEK),
    whole("上周", -1, Week, BEFORE_SHANG, AFTER_WEEK),
    whole("上週", -1, Week, BEFORE_SHANG, AFTER_WEEK),
    whole("上个星期", -1, Week, "", ""),
    whole("上個星期", -1, Week, "", ""),
    whole("上星期", -1, Week, BEFORE_SHANG, ""),
    whole("上个礼拜", -1, Week, "", ""),
    whole("上礼拜", -1, Week, BEFORE_SHANG, ""),
    whole("上上周", -2, Week, "", AFTER_WEEK),
    whole("上上週", -2, Week, "", AFTER_WEEK),
    phrase("本周末", Meaning::Weekend(0)),
    phrase("这周末", Meaning::Weekend(0)),
    phrase("这个周末", Meaning::Weekend(0)),
    phrase("這個週末", Meaning::Weekend(0)),
    phrase("下周末", Meaning::Weekend(1)),
    phrase("下週末", Meaning::Weekend(1)),
    phrase("下个周末", Meaning::Weekend(1)),
    phrase("上周末", Meaning::Weekend(-1)),
    phrase("上週末", Meaning::Weekend(-1)),
    phrase("上个周末", Meaning::Weekend(-1)),
    whole("本月", 0, Month, BEFORE_BEN, AFTER_MONTH),
    whole("这个月", 0, Month, "", ""),
    whole("這個月", 0, Month, "", ""),
    whole("下月", 1, Month, BEFORE_XIA, AFTER_MONTH),
    whole("下个月", 1, Month, "", ""),
    whole("下個月", 1, Month, "", ""),
    whole("上月", -1, Month, BEFORE_SHANG, AFTER_MONTH),
    whole("上个月", -1, Month, "", ""),
    whole("上個月", -1, Month, "", ""),
    edge("月底", End, 0, Month, true),
    edge("月末", End, 0, Month, true),
    edge("月初", Start, 0, Month, false),
    edge("本月底", End, 0, Month, true),
    edge("这个月底", End, 0, Month, true),
    edge("本月末", End, 0, Month, true),
    edge("本月初", Start, 0, Month, true),
    edge("本月中", Middle, 0, Month, true),
    edge("下月底", End, 1, Month, true),
    edge("下个月底", End, 1, Month, true),
    edge("下月初", Start, 1, Month, true),
    edge("下个月初", Start, 1, Month, true),
    edge("下月中", Middle, 1, Month, true),
    edge("下个月中", Middle, 1, Month, true),
    edge("上月底", End, -1, Month, true),
    edge("上个月底", End, -1, Month, true),
    edge("上月初", Start, -1, Month, true),
    edge("上个月初", Start, -1, Month, true),
    whole("本季度", 0, Quarter, BEFORE_BEN, ""),
    whole("这个季度", 0, Quarter, "", ""),
    whole("下季度", 1, Quarter, BEFORE_XIA, ""),
    whole("下个季度", 1, Quarter, "", ""),
    whole("上季度", -1, Quarter, BEFORE_SHANG, ""),
    whole("上个季度", -1, Quarter, "", ""),
    edge("季末", End, 0, Quarter, true),
    edge("季度末", End, 0, Quarter, true),
    edge("本季度末", End, 0, Quarter, true),
    edge("下季度末", End, 1, Quarter, true),
    whole("今年", 0, Year, "如", ""),
    whole("明年", 1, Year, "清", ""),
    whole("去年", -1, Year, "过過", ""),
    whole("后年", 2, Year, BEFORE_HOU_TIAN, "度代轮"),
    whole("後年", 2, Year, BEFORE_HOU_TIAN, "度代"),
    whole("前年", -2, Year, BEFORE_HOU_TIAN, "度代"),
    edge("年底", End, 0, Year, true),
    edge("年末", End, 0, Year, true),
    edge("年初", Start, 0, Year, false),
    edge("今年底", End, 0, Year, true),
    edge("今年年底", End, 0, Year, true),
    edge("今年初", Start, 0, Year, true),
    edge("今年年初", Start, 0, Year, true),
    edge("明年底", End, 1, Year, true),
    edge("明年年底", End, 1, Year, true),
    edge("明年初", Start, 1, Year, true),
    edge("明年年初", Start, 1, Year, true),
    edge("去年底", End, -1, Year, true),
    edge("去年年底", End, -1, Year, true),
    edge("去年初", Start, -1, Year, true),
];

/// Names and turns of phrase that contain a phrase.
static NAMES: &[&str] = &[
    "今日头条",
    "今日頭條",
    "今日说法",
    "今日說法",
    "今日美术馆",
    "今日水印",
    "今日推荐",
    "今日热榜",
    "今日事今日毕",
    "今天头条",
    "明日方舟",
    "明日之后",
    "明日之後",
    "明日香",
    "明日花",
    "明日之星",
    "明日边缘",
    "昨日重现",
    "昨日重現",
    "昨日青空",
    "昨日世界",
    "昨日的世界",
    "昨日之歌",
    "明天系",
    "明天集团",
    "明天控股",
    "美好的明天",
    "更好的明天",
    "美好明天",
    "更好明天",
    "创造明天",
    "走向明天",
    "为了明天",
    "明天会更好",
    "明天過後",
    "明天过后",
    "昨天今天明天",
    "今天明天后天",
    "先天后天",
    "先天或后天",
    "后天失明",
    "后天培养",
    "后天形成",
    "后天获得",
    "后天环境",
    "后天努力",
    "后天学习",
    "周一围",
    "周六福",
    "星期五餐厅",
    "黑色星期五",
    "周末画报",
    "今晚报",
    "今年会",
    "今年的会",
];

/// The names of weekdays after 周, 星期 and 礼拜.
const WEEKDAYS: [(char, Weekday); 8] = [
    ('一', Weekday::Monday),
    ('二', Weekday::Tuesday),
    ('三', Weekday::Wednesday),
    ('四', Weekday::Thursday),
    ('五', Weekday::Friday),
    ('六', Weekday::Saturday),
    ('日', Weekday::Sunday),
    ('天', Weekday::Sunday),
];

/// After 周 with a number these make it a count: 本周|一次, 下周|三个.
const AFTER_WEEKDAY: &str = "次个個场場期倍";
/// After 一 these begin another word: 下周|一起, 本周|一直.
const AFTER_ONE: &str = "起直些样樣般共定切旦点點";
/// … unless the number belongs to the week after all: 下周一|直接.
static AFTER_MONDAY: &[&str] = &["直接", "定于", "定在", "定下"];
/// The same for 日 alone: 本周|日志, 下周|日程.
const AFTER_SUNDAY: &str = "志誌报報程期常均历曆记記刊活";

const WEEKS: [&str; 5] = ["周", "週", "星期", "礼拜", "禮拜"];

/// What stands before 周四 and says which week.
const WEEK_PREFIXES: [(&str, i32); 21] = [
    ("上上个", -2),
    ("下下个", 2),
    ("上上", -2),
    ("下下", 2),
    ("这个", 0),
    ("這個", 0),
    ("上个", -1),
    ("上個", -1),
    ("下个", 1),
    ("下個", 1),
    ("本", 0),
    ("这", 0),
    ("這", 0),
    ("上", -1),
    ("下", 1),
    // What makes it recur, or a part of another word.
    ("每", NO_DATE),
    ("逢", NO_DATE),
    ("各", NO_DATE),
    ("双", NO_DATE),
    ("单", NO_DATE),
    ("隔", NO_DATE),
];
const NO_DATE: i32 = i32::MIN;

/// After "N days later" these make it a rule: 30天后过期.
static RULE_VERBS: &[&str] = &[
    "过期", "過期", "失效", "删除", "刪除", "自动", "自動", "到期", "清理", "重试", "重試", "超时",
];

/// The characters a phrase can start with; keeps the tables away from all others.
const STARTS: &str = "今明昨后後大前本这這下上月季年周週星礼禮去每逢各双单隔半几幾数數一二两兩三四五六七八九十0123456789";

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
        Meaning::Whole(_, Month | Quarter | Year) => year_in_parentheses(after),
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
    NAMES.iter().any(|name| {
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

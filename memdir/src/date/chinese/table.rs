//! The Chinese phrases, and the words that only contain one.

use super::super::meaning::{Edge, Meaning, Unit};
use crate::timestamp::Weekday;

/// A phrase that means the same wherever it stands.
pub(super) struct Phrase {
    pub(super) text: &'static str,
    pub(super) means: Meaning,
    /// Put after the date: the part of the day that the phrase names.
    pub(super) part: &'static str,
    pub(super) certain: bool,
    /// Characters before it that make it a part of another word.
    pub(super) not_after: &'static str,
    /// The same for characters after it.
    pub(super) not_before: &'static str,
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
pub(super) const RECURRING: &str = "每各逢";
/// 天 + 后/前: "three days later", "before", and words such as 以后天天.
pub(super) const BEFORE_HOU_TIAN: &str =
    "明每各逢以之今三两兩几幾数數天周週月年日然最随隨此战戰课課饭飯先提目个個";
/// 后天 as in "acquired", and 后|天气.
pub(super) const AFTER_HOU_TIAN: &str = "气氣空线線使才然生赋賦下地数數性";
/// 日本|周边, 样本|周期, 成本|周转 …
pub(super) const BEFORE_BEN: &str =
    "每日样樣成版文基资資脚腳副书書标標根剧劇课課账賬读讀范範蓝藍刻抄";
/// 周期, 周边, 周转, 周年, 周刊, 周围, 周密, 周全, 周折, 周旋, 周总 …
pub(super) const AFTER_WEEK: &str = "期边邊转轉年刊围圍密全折旋遭详詳总總知游長长身济濟率杰傑瑜公";
/// 线下|周边, 天下|周知, 旗下|周刊, 如下|周报.
pub(super) const BEFORE_XIA: &str = "线線天旗手如以殿之";
/// 线上|周边, 网上|周刊, 如上|周报, 晚上|周末.
pub(super) const BEFORE_SHANG: &str = "线線网網以如海晚之台";
/// A month, year or quarter that is named: 三月底, 2026年底, 每月底.
pub(super) const BARE_EDGE: &str = "每各逢历歷一二三四五六七八九十0123456789个個年月季";
pub(super) const AFTER_MONTH: &str = "亮球台光饼餅历曆份";

pub(super) static PHRASES: &[Phrase] = &[
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

/// Names and turns of phrase that contain a phrase, with blanks between them.
pub(super) static NAMES: &str = "\
今日头条 今日頭條 今日说法 今日說法 今日美术馆 今日水印 今日推荐 今日热榜 今日事今日毕
今天头条 明日方舟 明日之后 明日之後 明日香 明日花 明日之星 明日边缘 昨日重现 昨日重現
昨日青空 昨日世界 昨日的世界 昨日之歌 明天系 明天集团 明天控股 美好的明天 更好的明天
美好明天 更好明天 创造明天 走向明天 为了明天 明天会更好 明天過後 明天过后 昨天今天明天
今天明天后天 先天后天 先天或后天 后天失明 后天培养 后天形成 后天获得 后天环境 后天努力
后天学习 周一围 周六福 星期五餐厅 黑色星期五 周末画报 今晚报 今年会 今年的会";

/// The names of weekdays after 周, 星期 and 礼拜.
pub(super) const WEEKDAYS: [(char, Weekday); 8] = [
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
pub(super) const AFTER_WEEKDAY: &str = "次个個场場期倍";
/// After 一 these begin another word: 下周|一起, 本周|一直.
pub(super) const AFTER_ONE: &str = "起直些样樣般共定切旦点點";
/// … unless the number belongs to the week after all: 下周一|直接.
pub(super) static AFTER_MONDAY: &[&str] = &["直接", "定于", "定在", "定下"];
/// The same for 日 alone: 本周|日志, 下周|日程.
pub(super) const AFTER_SUNDAY: &str = "志誌报報程期常均历曆记記刊活";

pub(super) const WEEKS: [&str; 5] = ["周", "週", "星期", "礼拜", "禮拜"];

/// What stands before 周四 and says which week.
pub(super) const WEEK_PREFIXES: [(&str, i32); 21] = [
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
pub(super) const NO_DATE: i32 = i32::MIN;

/// After "N days later" these make it a rule: 30天后过期.
pub(super) static RULE_VERBS: &[&str] = &[
    "过期", "過期", "失效", "删除", "刪除", "自动", "自動", "到期", "清理", "重试", "重試", "超时",
];

/// The characters a phrase can start with; keeps the tables away from all others.
pub(super) const STARTS: &str = "今明昨后後大前本这這下上月季年周週星礼禮去每逢各双单隔半几幾数數一二两兩三四五六七八九十0123456789";

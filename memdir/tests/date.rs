//! Relative dates: what is recognised, what is left alone, and what is proposed.

use memdir::{Date, DatePrecision, find_relative_dates};
use proptest::prelude::*;

/// A Monday.
fn base() -> Date {
    "2026-03-02".parse().unwrap()
}

/// Checks the dates of one text: each as the phrase, the date, and `?` when it is uncertain.
fn check(text: &str, expected: &[(&str, &str)]) {
    let found: Vec<(String, String)> = find_relative_dates(text, base())
        .into_iter()
        .map(|found| {
            let span = match found.precision {
                DatePrecision::Week => " week",
                DatePrecision::Month => " month",
                DatePrecision::Quarter => " quarter",
                DatePrecision::Year => " year",
                _ => "",
            };
            let doubt = if found.is_certain { "" } else { "?" };
            (
                text[found.range].to_owned(),
                format!("{}{span}{doubt}", found.date),
            )
        })
        .collect();
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(phrase, date)| ((*phrase).to_owned(), (*date).to_owned()))
        .collect();
    assert_eq!(found, expected, "in {text:?}");
}

#[test]
fn english_phrases_get_the_right_date() {
    for (text, phrase, date) in [
        ("The freeze begins Thursday.", "Thursday", "2026-03-05"),
        ("Ship it today", "today", "2026-03-02"),
        ("The demo is tomorrow.", "tomorrow", "2026-03-03"),
        ("Yesterday the build broke.", "Yesterday", "2026-03-01"),
        (
            "Release the day after tomorrow",
            "the day after tomorrow",
            "2026-03-04",
        ),
        (
            "It failed the day before yesterday.",
            "the day before yesterday",
            "2026-02-28",
        ),
        ("We deploy tonight.", "tonight", "2026-03-02"),
        (
            "Broke last night after the deploy",
            "last night",
            "2026-03-01",
        ),
        (
            "Found this morning in the logs",
            "this morning",
            "2026-03-02",
        ),
        ("The audit is in two weeks.", "in two weeks", "2026-03-16"),
        ("The contract ends in 10 days", "in 10 days", "2026-03-12"),
        (
            "Launch is three weeks from now.",
            "three weeks from now",
            "2026-03-23",
        ),
        ("We moved to pnpm 3 days ago.", "3 days ago", "2026-02-27"),
        ("Alice left two weeks ago", "two weeks ago", "2026-02-16"),
        ("Decided a week ago", "a week ago", "2026-02-23?"),
        (
            "Chosen two months ago by the team",
            "two months ago",
            "2026-01-01 month",
        ),
        (
            "They rewrote it 2 years ago",
            "2 years ago",
            "2024-01-01 year",
        ),
        ("Migration starts next week", "next week", "2026-03-09 week"),
        ("Not this week, please", "this week", "2026-03-02 week"),
        (
            "The outage last week was DNS",
            "last week",
            "2026-02-23 week",
        ),
        (
            "The budget is frozen until next month",
            "next month",
            "2026-04-01 month",
        ),
        (
            "last month's invoice was wrong",
            "last month",
            "2026-02-01 month",
        ),
        (
            "Planned for next quarter",
            "next quarter",
            "2026-04-01 quarter",
        ),
        ("We drop Node 18 this year", "this year", "2026-01-01 year"),
        ("Last year we used Jenkins", "Last year", "2025-01-01 year"),
        (
            "early next month we cut over",
            "early next month",
            "2026-04-01 month",
        ),
        ("later this week", "later this week", "2026-03-02 week"),
        (
            "the week after next is off",
            "the week after next",
            "2026-03-16 week",
        ),
        ("Due by Friday", "Friday", "2026-03-06"),
        (
            "by Friday the migration has to be done",
            "Friday",
            "2026-03-06",
        ),
        ("It was fixed only yesterday", "yesterday", "2026-03-01"),
        ("due Wed at noon", "Wed", "2026-03-04"),
        ("blocked until Tuesday", "Tuesday", "2026-03-03"),
        ("broken since Friday", "Friday", "2026-02-27"),
        ("The review is on Wednesday", "Wednesday", "2026-03-04?"),
        ("this Thursday we demo", "this Thursday", "2026-03-05"),
        ("next Thursday we demo", "next Thursday", "2026-03-12?"),
        ("last Friday it worked", "last Friday", "2026-02-27"),
        ("the coming Friday", "coming Friday", "2026-03-06"),
        ("Monday of next week", "Monday of next week", "2026-03-09"),
        ("Friday this week", "Friday this week", "2026-03-06"),
        (
            "moved to next week Tuesday",
            "next week Tuesday",
            "2026-03-10",
        ),
        ("We are off this weekend", "this weekend", "2026-03-07"),
        (
            "done by the end of the month",
            "the end of the month",
            "2026-03-31",
        ),
        (
            "by end of next quarter",
            "end of next quarter",
            "2026-06-30",
        ),
        (
            "the start of next month",
            "the start of next month",
            "2026-04-01",
        ),
        ("needed by EOM", "EOM", "2026-03-31"),
        ("by end of week", "end of week", "2026-03-06"),
        ("Deadline: Thursday", "Thursday", "2026-03-05"),
        ("**Deadline:** Thursday 5pm", "Thursday", "2026-03-05"),
        (
            "a couple of days ago",
            "a couple of days ago",
            "2026-02-28?",
        ),
        ("a few weeks ago", "a few weeks ago", "2026-02-09?"),
        ("in two weeks' time", "in two weeks' time", "2026-03-16"),
        (
            "next March the lease ends",
            "next March",
            "2027-03-01 month?",
        ),
        ("tomorrow's release", "tomorrow", "2026-03-03"),
        (
            "It was fixed yesterday, finally.",
            "yesterday",
            "2026-03-01",
        ),
        ("As of today the API is v2", "today", "2026-03-02"),
        ("*today*", "today", "2026-03-02"),
        (
            "The user said \"ship it tomorrow\"",
            "tomorrow",
            "2026-03-03",
        ),
    ] {
        check(text, &[(phrase, date)]);
    }
}

#[test]
fn chinese_phrases_get_the_right_date() {
    for (text, phrase, date) in [
        ("今天上线", "今天", "2026-03-02"),
        ("明天发布新版本", "明天", "2026-03-03"),
        ("昨天的事故是 DNS", "昨天", "2026-03-01"),
        ("后天开会", "后天", "2026-03-04"),
        ("前天修好了", "前天", "2026-02-28"),
        ("大后天出差", "大后天", "2026-03-05"),
        ("今晚部署", "今晚", "2026-03-02"),
        ("昨晚构建失败", "昨晚", "2026-03-01"),
        ("周四前完成", "周四", "2026-03-05"),
        ("周四开会", "周四", "2026-03-05?"),
        ("下周四评审", "下周四", "2026-03-12"),
        ("本周五截止", "本周五", "2026-03-06"),
        ("这周五截止", "这周五", "2026-03-06"),
        ("上周三出的问题", "上周三", "2026-02-25"),
        ("下个星期一开始", "下个星期一", "2026-03-09"),
        ("上个礼拜五定的", "上个礼拜五", "2026-02-27"),
        ("星期二之前", "星期二", "2026-03-03"),
        ("下周开始迁移", "下周", "2026-03-09 week"),
        ("上周已经决定", "上周", "2026-02-23 week"),
        ("本周不要合并", "本周", "2026-03-02 week"),
        ("下下周放假", "下下周", "2026-03-16 week"),
        ("這週要完成", "這週", "2026-03-02 week"),
        ("下個月上線", "下個月", "2026-04-01 month"),
        ("下个月上线", "下个月", "2026-04-01 month"),
        ("上个月的账单", "上个月", "2026-02-01 month"),
        ("本月完成", "本月", "2026-03-01 month"),
        ("月底前交付", "月底", "2026-03-31"),
        ("下月底交付", "下月底", "2026-04-30"),
        ("下个月初", "下个月初", "2026-04-01"),
        ("年底之前", "年底", "2026-12-31"),
        ("今年年底", "今年年底", "2026-12-31"),
        ("明年初启动", "明年初", "2027-01-01"),
        ("去年用的是 Jenkins", "去年", "2025-01-01 year"),
        ("明年换框架", "明年", "2027-01-01 year"),
        ("三天后上线", "三天后", "2026-03-05"),
        ("两周后评审", "两周后", "2026-03-16"),
        ("10天前改的", "10天前", "2026-02-20"),
        ("3个月前的决定", "3个月前", "2025-12-01 month"),
        ("两年前", "两年前", "2024-01-01 year"),
        ("几天前", "几天前", "2026-02-27?"),
        ("十二天后", "十二天后", "2026-03-14"),
        ("下周末团建", "下周末", "2026-03-14"),
        ("季度末复盘", "季度末", "2026-03-31"),
        ("下季度", "下季度", "2026-04-01 quarter"),
        ("本周一次会议", "本周", "2026-03-02 week"),
        ("用户说“明天发布”", "明天", "2026-03-03"),
        ("去年12月定的", "去年", "2025-01-01 year"),
        ("下个月5日评审", "下个月", "2026-04-01 month"),
        ("两三天后", "两三天后", "2026-03-04?"),
        ("下周一直接上线", "下周一", "2026-03-09"),
        ("下周一起讨论", "下周", "2026-03-09 week"),
        ("下周日程已定", "下周", "2026-03-09 week"),
    ] {
        check(text, &[(phrase, date)]);
    }
}

#[test]
fn what_only_looks_like_a_date_is_left_alone() {
    for text in [
        "Watch the Today Show",
        "Reported by USA Today",
        "Read Psychology Today for that",
        "We meet every Thursday",
        "each Monday the cron runs",
        "Mondays are for planning",
        "Open Monday to Friday",
        "Mon-Fri only",
        "on Tuesday and Thursday we deploy",
        "The Thursday standup moved to Zoom",
        "Black Friday traffic doubles",
        "Patch Tuesday breaks things",
        "Boards live on Monday.com",
        "It may break, and May is busy",
        "you may next look at the logs",
        "call `today()` or `tomorrow`",
        "set `next week` as the label",
        "the function today() returns a date",
        "use date.today for that",
        "the variable yesterday_total",
        "see docs/today.md and /tomorrow/",
        "the label \"Today\" in the sidebar",
        "the 'next week' button",
        "Thursday (2026-03-05) is the freeze",
        "On Thursday, March 5 we ship",
        "2026-03-05 (Thursday)",
        "tomorrow (2026-03-03)",
        "March 5th, Thursday",
        "5 March (Thursday)",
        "done in two weeks",
        "Tokens expire in 30 days",
        "logs older than 30 days ago",
        "it cannot be done in a day",
        "over the last week of March",
        "the last Thursday of the month",
        "the next week was calm",
        "in the last 30 days",
        "every two weeks",
        "for two weeks",
        "Next.js and next steps",
        "the day-to-day work",
        "a today-based filter",
        "insert today's date",
        "first Monday of the month",
        "Friday the 13th",
        "<!-- remove tomorrow -->",
        "[the log](tomorrow.md#yesterday)",
        "https://example.com/next-week?from=today",
        "    code is indented: today()",
        "ask @today or #tomorrow",
        "$yesterday and {{today}}",
        "on Monday mornings",
        "We deploy on Wednesdays",
        "On Fridays nobody merges",
        "Standup every Friday at ten",
        "The report is due each Monday.",
        "Every other Thursday we plan",
        "Backups run Sundays",
        "Retro is on alternate Wednesdays",
        "Reviews happen weekly on Monday.",
        "The sprint ends every two weeks on Friday.",
        "We always deploy on Tuesday.",
        "Never merge on Friday.",
        "周一例会",
        "The week starts on Monday",
        "The cron runs on Sunday",
        "by Sun Microsystems",
        "Today: 2026-03-02",
        "next quarter (Q2 2026)",
        "in the next two weeks",
        "last name first",
        "the next day",
        "within 3 days",
        "in 5 minutes",
        "今日头条的接口",
        "玩明日方舟",
        "《昨天》这本书",
        "每周四例会",
        "周一至周五上班",
        "周二、周四值班",
        "线下周边商店",
        "样本周期太短",
        "日本周边",
        "成本周转率",
        "每月底对账",
        "2026年底",
        "三月底",
        "一周一次",
        "后天失明的用户",
        "三天后端改完",
        "30天后过期",
        "2026年前",
        "3日前回复",
        "版本周期是两周",
        "点击「今天」按钮",
        "周四（2026-03-05）发布",
        "3月5日（周四）",
        "3月5日周四",
        "`今天`",
        "周期性任务",
        "周一围主演",
        "黑色星期五促销",
        "为了明天会更好",
        "第三天后",
        "台上周杰伦在唱",
        "天下周知",
        "海上月亮",
        "过去年份",
        "单周四双周五",
        "每个月底",
        "明后天",
    ] {
        check(text, &[]);
    }
}

#[test]
fn front_matter_and_fenced_code_are_no_prose() {
    check(
        "---\ndescription: tomorrow\n---\n\n```\ntoday\n```\n\nIt ends tomorrow.\n",
        &[("tomorrow", "2026-03-03")],
    );
}

#[test]
fn a_weekday_said_on_that_day_is_uncertain() {
    let thursday: Date = "2026-03-05".parse().unwrap();
    let found = find_relative_dates("Due by Thursday", thursday);
    assert_eq!(found[0].date.to_string(), "2026-03-12");
    assert!(!found[0].is_certain);
}

#[test]
fn next_and_last_weekdays_are_certain_where_both_readings_agree() {
    let saturday: Date = "2026-03-07".parse().unwrap();
    let next = &find_relative_dates("next Thursday", saturday)[0];
    assert_eq!(
        (next.date.to_string().as_str(), next.is_certain),
        ("2026-03-12", true)
    );
    let last = &find_relative_dates("last Thursday", saturday)[0];
    assert_eq!(
        (last.date.to_string().as_str(), last.is_certain),
        ("2026-03-05", false)
    );
}

/// Replaces all phrases, from the right.
fn mended(text: &str) -> String {
    let mut out = text.to_owned();
    for found in find_relative_dates(text, base()).into_iter().rev() {
        out.replace_range(found.range, &found.replacement);
    }
    out
}

#[test]
fn replacements_read_well() {
    for (text, expected) in [
        (
            "The freeze begins Thursday.",
            "The freeze begins 2026-03-05.",
        ),
        ("We ship tomorrow.", "We ship on 2026-03-03."),
        ("Due by tomorrow", "Due by 2026-03-03"),
        ("Yesterday the build broke", "2026-03-01 the build broke"),
        ("The audit is in two weeks", "The audit is 2026-03-16"),
        (
            "We migrate next week",
            "We migrate in the week of 2026-03-09",
        ),
        ("Frozen until next month", "Frozen until 2026-04"),
        ("Chosen last year", "Chosen in 2025"),
        ("It broke last night", "It broke on 2026-03-01 (night)"),
        ("by the end of the month", "by 2026-03-31"),
        ("by end of quarter", "by 2026-03-31"),
        ("for the coming week", "for the week of 2026-03-09"),
        ("Next week we migrate", "The week of 2026-03-09 we migrate"),
        ("Planned for next quarter", "Planned for 2026-Q2"),
        ("下周四评审", "2026-03-12评审"),
        ("昨晚构建失败", "2026-03-01晚上构建失败"),
        ("下周开始迁移", "2026-03-09当周开始迁移"),
        ("下个月上线", "2026年4月上线"),
    ] {
        assert_eq!(mended(text), expected);
    }
}

/// Texts made of the words and marks that the rules look at.
fn prose() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("today"),
        Just("tomorrow"),
        Just("Yesterday"),
        Just("next"),
        Just("last"),
        Just("this"),
        Just("the"),
        Just("week"),
        Just("month"),
        Just("Thursday"),
        Just("Fri"),
        Just("in"),
        Just("two"),
        Just("3"),
        Just("days"),
        Just("ago"),
        Just("by"),
        Just("end"),
        Just("of"),
        Just("on"),
        Just("every"),
        Just("'s"),
        Just("("),
        Just(")"),
        Just("2026-03-05"),
        Just("`"),
        Just("\""),
        Just("<"),
        Just(">"),
        Just("://"),
        Just("]("),
        Just("["),
        Just("明天"),
        Just("下"),
        Just("周"),
        Just("四"),
        Just("月底"),
        Just("三天后"),
        Just("本"),
        Just("个"),
        Just("《"),
        Just("é"),
        Just("\n"),
        Just("```"),
        Just("---"),
    ];
    prop::collection::vec((piece, prop::bool::ANY), 0..24).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, blank)| format!("{piece}{}", if blank { " " } else { "" }))
            .collect()
    })
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic_and_in_order(text in prop_oneof![prose(), any::<String>()]) {
        let found = find_relative_dates(&text, base());
        let mut end = 0;
        for date in &found {
            prop_assert!(date.range.start >= end && date.range.end > date.range.start);
            prop_assert!(text.get(date.range.clone()).is_some());
            end = date.range.end;
        }
    }

    #[test]
    fn mending_leaves_no_relative_date_that_was_there(text in prose()) {
        let once = mended(&text);
        // What is mended stays mended: a second pass never finds more than the first.
        prop_assert!(find_relative_dates(&once, base()).len() <= find_relative_dates(&text, base()).len());
    }
}

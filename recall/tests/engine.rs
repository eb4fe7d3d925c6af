//! Queries see the folder as it is, whatever the index knew before.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use memdir_recall::{DropReason, MatchKind, Query, Recollection, Surfaced};
use proptest::prelude::*;

use crate::support::{memory, now, open, write};

fn paths(answer: &Recollection) -> Vec<&str> {
    answer
        .memories
        .iter()
        .map(|memory| memory.path.as_str())
        .collect()
}

fn fill(folder: &Path) {
    for (path, kind, name, description) in [
        (
            "feedback_retries.md",
            "feedback",
            "Retries need jitter",
            "exponential backoff, five attempts",
        ),
        (
            "feedback_tests.md",
            "feedback",
            "Tests are sentences",
            "test names tell the story",
        ),
        (
            "project_freeze.md",
            "project",
            "Peak season freeze",
            "no schema changes in autumn",
        ),
        (
            "reference_board.md",
            "reference",
            "Latency board",
            "the Grafana board for bookings",
        ),
        (
            "team/project_train.md",
            "project",
            "Release train",
            "every second Wednesday",
        ),
        ("user_role.md", "user", "Role", "staff engineer for pricing"),
    ] {
        write(folder, path, memory(kind, name, description, "Some text."));
    }
}

/// Does something to a folder between two queries and says what the second one must find.
fn check(change: impl Fn(&Path), query: &str, before: &[&str], after: &[&str]) {
    for with_cache in [false, true] {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, cache) = (scratch.path().join("memory"), scratch.path().join("state"));
        fs::create_dir_all(&cache).unwrap();
        fill(&folder);
        let cache = with_cache.then_some(cache.as_path());
        let query = Query::new(query, now());
        let mut kept = open(&folder, cache);
        assert_eq!(
            paths(&kept.query(&query).unwrap()),
            before,
            "before, cache {with_cache}"
        );
        change(&folder);
        assert_eq!(
            paths(&kept.query(&query).unwrap()),
            after,
            "kept open, cache {with_cache}"
        );
        let mut anew = open(&folder, cache);
        assert_eq!(
            paths(&anew.query(&query).unwrap()),
            after,
            "opened anew, cache {with_cache}"
        );
    }
}

#[test]
fn an_edit_in_place_is_seen() {
    let edit = |folder: &Path| {
        let text = memory(
            "feedback",
            "Uploads need zebras",
            "striped animals",
            "Some text.",
        );
        fs::write(folder.join("feedback_tests.md"), text).unwrap();
    };
    check(edit, "striped zebras", &[], &["feedback_tests.md"]);
}

#[test]
fn an_edit_of_the_same_length_with_its_time_set_back_is_seen() {
    let edit = |folder: &Path| {
        let path = folder.join("feedback_tests.md");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        let text = fs::read_to_string(&path)
            .unwrap()
            .replace("sentences", "zebra-ish")
            .replace("story", "zebra");
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
    };
    // Without a change time (Windows) such an edit cannot be told from none.
    if cfg!(unix) {
        check(
            edit,
            "names of tests",
            &["feedback_tests.md"],
            &["feedback_tests.md"],
        );
        check(edit, "zebra", &[], &["feedback_tests.md"]);
    }
}

#[test]
fn a_touched_file_stays_and_becomes_young() {
    let touch = |folder: &Path| {
        let file = fs::File::options()
            .write(true)
            .open(folder.join("project_freeze.md"))
            .unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_784_500_000))
            .unwrap();
    };
    check(
        touch,
        "peak season freeze",
        &["project_freeze.md"],
        &["project_freeze.md"],
    );
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path());
    let mut recall = open(scratch.path(), None);
    recall.refresh().unwrap();
    touch(scratch.path());
    let answer = recall
        .query(&Query::new("peak season freeze", now()))
        .unwrap();
    assert_eq!(answer.memories[0].file_time.seconds(), 1_784_500_000);
}

#[test]
fn a_restored_older_file_is_seen() {
    let restore = |folder: &Path| {
        let path = folder.join("feedback_retries.md");
        fs::write(
            &path,
            memory("feedback", "Retries are forbidden", "zebra", "Older text."),
        )
        .unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
            .unwrap();
    };
    check(
        restore,
        "retries",
        &["feedback_retries.md"],
        &["feedback_retries.md"],
    );
    check(
        restore,
        "exponential backoff",
        &["feedback_retries.md"],
        &[],
    );
}

#[test]
fn a_rename_is_seen() {
    let rename = |folder: &Path| {
        fs::rename(
            folder.join("reference_board.md"),
            folder.join("reference_golden.md"),
        )
        .unwrap();
    };
    check(
        rename,
        "latency board",
        &["reference_board.md"],
        &["reference_golden.md"],
    );
}

#[test]
fn a_delete_is_seen() {
    let delete = |folder: &Path| fs::remove_file(folder.join("reference_board.md")).unwrap();
    check(delete, "latency board", &["reference_board.md"], &[]);
}

#[test]
fn what_was_surfaced_never_comes_again_until_it_changes() {
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path());
    let mut recall = open(scratch.path(), None);
    let query = Query::new("retries need jitter", now());
    let first = recall.query(&query).unwrap();
    let seen = &first.memories[0];
    let by_path = query
        .clone()
        .with_surfaced([Surfaced::path("./feedback_retries.md")]);
    let answer = recall.query(&by_path).unwrap();
    assert!(answer.memories.is_empty());
    assert_eq!(answer.dropped[0].reason, DropReason::Surfaced);
    let by_hash = query
        .clone()
        .with_surfaced([Surfaced::with_hash(seen.path.as_str(), seen.hash)]);
    fs::rename(
        scratch.path().join("feedback_retries.md"),
        scratch.path().join("other.md"),
    )
    .unwrap();
    assert!(recall.query(&by_hash).unwrap().memories.is_empty());
    write(
        scratch.path(),
        "other.md",
        memory("feedback", "Retries need jitter", "and a cap now", ""),
    );
    assert_eq!(paths(&recall.query(&by_hash).unwrap()), ["other.md"]);
}

#[test]
fn without_the_team_its_memories_are_left_out_and_no_others() {
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path());
    let retries = |title: &str| memory("feedback", title, "retries need jitter", "");
    for path in [
        "team/retries.md",
        "team/deep/retries.md",
        "teams/retries.md",
    ] {
        write(scratch.path(), path, retries(path));
    }
    let mut recall = open(scratch.path(), None);
    let query = Query::new("retries need jitter", now());
    let with_team = recall.query(&query).unwrap();
    let is_team = |path: &&str| path.starts_with("team/");
    assert!(paths(&with_team).iter().any(is_team));

    let alone = query.clone().with_team(false);
    let answer = recall.query(&alone).unwrap();
    let found = paths(&answer);
    assert!(found.contains(&"teams/retries.md"), "{found:?}");
    assert!(!found.iter().any(is_team));
    let dropped: Vec<_> = answer
        .dropped
        .iter()
        .map(|one| (one.path.as_str(), one.reason))
        .collect();
    let expected = ["team/deep/retries.md", "team/retries.md"];
    assert_eq!(dropped, expected.map(|path| (path, DropReason::TeamOff)));
    // The same memories as when the session is said to have seen the team's.
    let seen = query.with_surfaced(expected.map(Surfaced::path));
    assert_eq!(paths(&recall.query(&seen).unwrap()), found);
    // In a menu for a model neither.
    let menu = recall.query(&alone.prefilter(50)).unwrap();
    assert!(!paths(&menu).iter().any(is_team));
}

#[test]
fn an_answer_explains_itself() {
    let scratch = tempfile::tempdir().unwrap();
    fill(scratch.path());
    let mut recall = open(scratch.path(), None);
    let answer = recall
        .query(&Query::new("exponentail backoff for 重试", now()))
        .unwrap();
    let why = &answer.memories[0].why;
    let met: Vec<(&str, &str, MatchKind)> = why
        .matches
        .iter()
        .map(|m| (m.word.as_str(), m.found.as_str(), m.kind))
        .collect();
    assert_eq!(
        met,
        [
            ("exponentail", "exponential", MatchKind::Spelling),
            ("backoff", "backoff", MatchKind::Exact),
            ("重试", "retry", MatchKind::Translation),
        ]
    );
    assert!(
        why.to_string()
            .starts_with("exponentail → exponential, backoff, 重试 → retry (")
    );
    let asked: Vec<&str> = answer.words.iter().map(|word| word.word.as_str()).collect();
    assert!(asked.contains(&"backoff"));
    let rejected = recall
        .query(&Query::new("which text about a purple elephant", now()))
        .unwrap();
    assert!(rejected.memories.is_empty());
    assert!(!rejected.near_misses.is_empty());
}

#[test]
fn the_ranking_is_the_same_on_every_run_and_thread() {
    let folder = crate::support::testdata().join("memories");
    let rank = |text: &str| {
        let mut recall = open(&folder, None);
        let answer = recall
            .query(&Query::new(text, now()).prefilter(50))
            .unwrap();
        let scored = answer
            .memories
            .iter()
            .map(|m| (m.path.to_string(), m.score.to_bits()));
        scored.collect::<Vec<_>>()
    };
    let text = "rules for retries and timeouts of the carrier API, 重试";
    let first = rank(text);
    assert!(first.len() > 20);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| rank(text))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), first);
        }
    });
}

/// Something that happens to a folder.
#[derive(Debug, Clone)]
enum Step {
    Write(u8, u8),
    Remove(u8),
    Rename(u8, u8),
    Query,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0_u8..60;
    prop_oneof![
        4 => (file.clone(), any::<u8>()).prop_map(|(file, word)| Step::Write(file, word)),
        1 => file.clone().prop_map(Step::Remove),
        1 => (file.clone(), file).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => Just(Step::Query),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// However the index came about, the answer is that of a fresh look at the folder.
    #[test]
    fn an_index_that_grew_answers_like_a_fresh_one(steps in prop::collection::vec(step(), 1..60)) {
        const WORDS: [&str; 8] = ["retry", "deploy", "freeze", "ledger", "cache", "kafka", "审批", "rollback"];
        let scratch = tempfile::tempdir().unwrap();
        let (folder, cache) = (scratch.path().join("m"), scratch.path().join("c"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&cache).unwrap();
        let mut recall = open(&folder, Some(&cache));
        let name = |file: u8| format!("note_{file}.md");
        for step in steps.into_iter().chain([Step::Query]) {
            match step {
                Step::Write(file, word) => {
                    let first = WORDS[usize::from(word) % WORDS.len()];
                    let second = WORDS[usize::from(word / 8) % WORDS.len()];
                    let text = memory("project", first, second, &format!("{first} {first} n{file}"));
                    write(&folder, &name(file), text);
                }
                Step::Remove(file) => drop(fs::remove_file(folder.join(name(file)))),
                Step::Rename(from, to) => drop(fs::rename(folder.join(name(from)), folder.join(name(to)))),
                Step::Reopen => recall = open(&folder, Some(&cache)),
                Step::Query => {
                    let query = Query::new("retry deploy freeze 审批 casche", now()).prefilter(200);
                    let grown = recall.query(&query).unwrap();
                    let fresh = open(&folder, None).query(&query).unwrap();
                    prop_assert_eq!(grown.memories, fresh.memories);
                }
            }
        }
    }
}

#[test]
fn a_folder_of_a_few_memories_is_answered_like_a_large_one() {
    for count in [1, 2, 5] {
        let scratch = tempfile::tempdir().unwrap();
        for number in 0..count {
            let text = memory(
                "project",
                &format!("Deploy window {number}"),
                "deploys go out on Tuesdays",
                &format!("Region {number} first."),
            );
            write(scratch.path(), &format!("project_deploy_{number}.md"), text);
        }
        let mut recall = open(scratch.path(), None);
        for (query, expected) in [
            ("when is the deploy window?", count),
            ("deploy on tuesdays", count),
            ("ok, thanks", 0),
            ("run it again", 0),
            ("write a haiku about autumn leaves", 0),
            ("which region of the brain handles memory", 0),
        ] {
            let answer = recall.query(&Query::new(query, now())).unwrap();
            assert_eq!(answer.memories.len(), expected, "{query}, {count} memories");
        }
    }
}

//! Memories that say the same become one, and nothing that only one of them says is lost.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use memdir::lint::near_duplicates;
use memdir::{Memory, Timestamp};
use pathguard::{PathKey, fold_key};

use super::plan::{Draft, Step, StepKind, StepSource};
use super::snapshot::is_protected;
use crate::text::{even, words};

/// Words that say nothing by themselves. A memory that differs from another in these alone says the same;
/// words that turn a sentence round, such as `not` and `only`, are not among them.
const FILLERS: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "of", "to", "in", "on", "at", "is", "are",
    "be", "it", "its", "and", "as", "also", "please", "的", "了", "也", "请",
];

/// Most differing words that a note names.
const MAX_SHOWN_WORDS: usize = 8;

/// One memory that may be merged with another.
struct Candidate {
    path: PathKey,
    memory: Memory,
    modified: Timestamp,
    is_protected: bool,
}

/// What becomes of the older of two near duplicates.
#[derive(Debug, PartialEq, Eq)]
enum Older {
    /// Everything it says stands in the newer one.
    Contained,
    /// These lines of it do not, and contradict nothing.
    Adds(Vec<String>),
    /// They differ in these words, or in the order of all of them, which somebody has to understand.
    Differs(Vec<String>),
}

/// Merges exact and near duplicates of the copy.
///
/// Of a pair the newer text stays, and lines that only the older one has follow it under the date they are
/// from. Memories of which each says something else in the same place are left alone and noted: whether they
/// contradict each other, and which is right, is nothing that rules can tell.
pub(super) fn merge(draft: &mut Draft<'_>) {
    let candidates = candidates(draft);
    let linked = linked_names(&candidates);
    let mut gone = BTreeSet::new();
    let mut survivors: BTreeMap<usize, (Vec<usize>, usize)> = BTreeMap::new();
    for group in exact_groups(&candidates) {
        let best = group.iter().copied().max_by(|a, b| {
            let rank = |at: usize| {
                let one = &candidates[at];
                let is_linked = linked.contains(&fold_key(one.path.as_ref().file_name()));
                (one.is_protected, is_linked, one.modified)
            };
            // Of equal rank the first path stays.
            rank(*a).cmp(&rank(*b)).then(b.cmp(a))
        });
        let Some(best) = best else { continue };
        for at in group {
            if at != best && may_leave(draft, &candidates[at], &linked) && gone.insert(at) {
                survivors.entry(best).or_default().0.push(at);
            }
        }
    }
    for (best, (leaving, _)) in survivors {
        let reason = format!(
            "{} says exactly the same",
            named(leaving.iter().map(|at| &candidates[*at].path))
        );
        take_in(draft, &candidates, best, &leaving, None, reason);
    }
    merge_near(draft, &candidates, &linked, &mut gone);
}

fn merge_near(
    draft: &mut Draft<'_>,
    candidates: &[Candidate],
    linked: &HashSet<String>,
    gone: &mut BTreeSet<usize>,
) {
    let left: Vec<usize> = (0..candidates.len())
        .filter(|at| !gone.contains(at))
        .collect();
    let memories: Vec<&Memory> = left.iter().map(|at| &candidates[*at].memory).collect();
    for pair in near_duplicates(&memories) {
        let (a, b) = (left[pair.at], left[pair.of]);
        if gone.contains(&a) || gone.contains(&b) {
            // Merged already; the next distillation looks at what is left.
            continue;
        }
        let rank = |at: usize| (candidates[at].is_protected, candidates[at].modified);
        let (newer, older) = if rank(a) > rank(b) { (a, b) } else { (b, a) };
        let (stays, leaves) = (&candidates[newer], &candidates[older]);
        let both = named([&stays.path, &leaves.path].into_iter());
        if stays.memory.type_text() != leaves.memory.type_text() {
            draft.note(format!(
                "{both} say nearly the same and have different types"
            ));
            continue;
        }
        if !may_leave(draft, leaves, linked) {
            draft.note(format!(
                "{both} say nearly the same; {} is linked to or protected",
                leaves.path.as_str()
            ));
            continue;
        }
        let percent = pair.percent;
        match compare(&stays.memory, &leaves.memory) {
            Older::Contained => {
                let reason = format!(
                    "everything in {} stands in the newer memory ({percent} % of the words are shared)",
                    leaves.path.as_str()
                );
                take_in(draft, candidates, newer, &[older], None, reason);
                gone.insert(older);
            }
            Older::Adds(_) if stays.is_protected => {
                draft.note(format!(
                    "{both} say nearly the same; {} is protected",
                    stays.path.as_str()
                ));
            }
            Older::Adds(lines) => {
                let reason = format!(
                    "{} says nearly the same ({percent} % of the words are shared); {} of its lines follow \
                     under their date",
                    leaves.path.as_str(),
                    lines.len()
                );
                take_in(draft, candidates, newer, &[older], Some(&lines), reason);
                gone.insert(older);
            }
            Older::Differs(words) => draft.note(format!(
                "{both} say nearly the same and differ in {}: which is right has to be decided",
                words.join(", ")
            )),
        }
    }
}

/// Lets memories leave whose content is in another one, or follows there.
fn take_in(
    draft: &mut Draft<'_>,
    candidates: &[Candidate],
    into: usize,
    leaving: &[usize],
    lines: Option<&[String]>,
    reason: String,
) {
    let path = candidates[into].path.clone();
    if let Some(lines) = lines
        && let Some(bytes) = draft.read(&path)
    {
        let mut memory = Memory::parse(bytes);
        let day = candidates[leaving[0]]
            .modified
            .date(draft.snapshot.offset_seconds);
        let body = format!(
            "{}\n\n**Earlier ({day}):**\n\n{}\n",
            memory.body().trim_end(),
            lines.join("\n")
        );
        memory.set_body(&body);
        draft.write(&path, memory.print());
    }
    let from: Vec<PathKey> = leaving
        .iter()
        .map(|at| candidates[*at].path.clone())
        .collect();
    for path in &from {
        draft.remove(path);
    }
    let sources = from.iter().chain([&path]);
    draft.steps.push(Step {
        kind: StepKind::Merge,
        sources: sources
            .map(|path| StepSource::whole(path.as_str()))
            .collect(),
        path,
        from,
        reason,
    });
}

fn candidates(draft: &Draft<'_>) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for path in draft.memories() {
        let (Some(bytes), Some(file)) = (draft.read(&path), draft.snapshot.memories.get(&path))
        else {
            continue;
        };
        let is_protected = is_protected(bytes);
        let memory = Memory::parse(bytes);
        // What has no front matter is a note of another kind; what is not editable can at most stay.
        let is_known =
            memory.has_front_matter() && (is_protected || draft.snapshot.is_editable(&path));
        if is_known {
            candidates.push(Candidate {
                modified: file.modified,
                path,
                memory,
                is_protected,
            });
        }
    }
    candidates
}

/// The groups of memories with the same type, description and body, in the order of their first path.
fn exact_groups(candidates: &[Candidate]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(String, String, String), Vec<usize>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let memory = &candidate.memory;
        let body = memory.body().replace("\r\n", "\n").trim().to_owned();
        if body.is_empty() {
            continue;
        }
        let key = (
            memory.type_text().to_lowercase(),
            even(memory.description()),
            body,
        );
        groups.entry(key).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups
        .into_values()
        .filter(|group| group.len() > 1)
        .collect();
    groups.sort();
    groups
}

/// A memory that others link to by its file name must not leave them with a dead link.
fn may_leave(draft: &Draft<'_>, candidate: &Candidate, linked: &HashSet<String>) -> bool {
    let name = fold_key(candidate.path.as_ref().file_name());
    draft.snapshot.is_editable(&candidate.path)
        && !candidate.is_protected
        && !linked.contains(&name)
}

/// The file names that memories link to, folded: `](name.md)` and `[[name]]`.
fn linked_names(candidates: &[Candidate]) -> HashSet<String> {
    let mut names = HashSet::new();
    for candidate in candidates {
        let body = candidate.memory.body();
        for (start, open, close) in [("](", 2, ')'), ("[[", 2, ']')] {
            for (at, _) in body.match_indices(start) {
                let rest = &body[at + open..];
                let end = rest.find([close, '\n', '#', '|']).unwrap_or(0);
                let name = rest[..end].trim().trim_matches(['<', '>']);
                let name = name.rsplit('/').next().unwrap_or(name);
                let folded = fold_key(name);
                // A wiki link leaves the extension out.
                let stem = folded.strip_suffix(".md").unwrap_or(&folded);
                names.insert(format!("{stem}.md"));
            }
        }
    }
    names
}

/// What the older of two memories says that the newer one does not.
fn compare(newer: &Memory, older: &Memory) -> Older {
    let known: HashSet<String> = [newer.name(), newer.description()]
        .into_iter()
        .chain(newer.body().lines())
        .map(even)
        .collect();
    let all = even(newer.body());
    let is_known = |line: &str| {
        let line = even(line);
        line.is_empty() || known.contains(&line)
    };
    let mut lines: Vec<String> = Vec::new();
    if !is_known(older.description()) && !contains(&all, &even(older.description())) {
        lines.push(older.description().to_owned());
    }
    let body = older.body().lines().filter(|line| !is_known(line));
    lines.extend(body.map(|line| line.trim_end().to_owned()));
    if lines.is_empty() {
        return Older::Contained;
    }
    let known: HashSet<String> = older.body().lines().map(even).collect();
    let is_older_longer = newer.body().lines().all(|line| known.contains(&even(line)));
    let (new, old) = (content_words(newer), content_words(older));
    if is_older_longer || new == old {
        return Older::Adds(lines);
    }
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for word in &new {
        *counts.entry(word).or_default() += 1;
    }
    for word in &old {
        *counts.entry(word).or_default() -= 1;
    }
    let mut differing: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count != 0)
        .map(|(word, _)| word.to_owned())
        .collect();
    if differing.is_empty() {
        differing.push("the order of their words".to_owned());
    }
    differing.truncate(MAX_SHOWN_WORDS);
    Older::Differs(differing)
}

/// Whether a text of words has another one in it, at word boundaries.
fn contains(text: &str, part: &str) -> bool {
    format!(" {text} ").contains(&format!(" {part} "))
}

/// The words of a memory's description and body in their order, without fillers.
fn content_words(memory: &Memory) -> Vec<String> {
    let texts = [memory.description(), memory.body()];
    let all = texts.into_iter().flat_map(words).map(str::to_lowercase);
    all.filter(|word| !FILLERS.contains(&word.as_str()))
        .collect()
}

fn named<'a>(paths: impl Iterator<Item = &'a PathKey>) -> String {
    let names: Vec<&str> = paths.map(PathKey::as_str).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use memdir::MemoryType;

    use super::*;

    fn check(newer: &str, older: &str, expected: &Older) {
        let memory = |body: &str| Memory::new(MemoryType::Project, "n", "d", body);
        assert_eq!(
            &compare(&memory(newer), &memory(older)),
            expected,
            "{newer:?} {older:?}"
        );
    }

    #[test]
    fn what_only_the_older_one_says_is_kept_or_left_to_a_person() {
        let adds = |line: &str| Older::Adds(vec![line.to_owned()]);
        let differs =
            |words: &[&str]| Older::Differs(words.iter().map(|word| (*word).to_owned()).collect());
        check("Run all tests.", "- run **all** tests", &Older::Contained);
        check(
            "Run all tests.\nFirst lint.",
            "Run all tests",
            &Older::Contained,
        );
        check(
            "Run all tests.",
            "Run all of the tests.",
            &adds("Run all of the tests."),
        );
        check(
            "The port is 5432.",
            "The port is 5433.",
            &differs(&["5432", "5433"]),
        );
        check(
            "Do push on Fridays.",
            "Do not push on Fridays.",
            &differs(&["not"]),
        );
        check(
            "Ask Ann first.",
            "Ask Bob first.",
            &differs(&["ann", "bob"]),
        );
        check(
            "use `make` here",
            "use `just` here",
            &differs(&["just", "make"]),
        );
        check("用 pnpm 装", "不用 pnpm 装", &differs(&["不"]));
        check(
            "the glossary goes first",
            "the newsletter goes first",
            &differs(&["glossary", "newsletter"]),
        );
        check("he is the owner", "he was the owner", &differs(&["was"]));
        check(
            "lint before tests",
            "tests before lint",
            &differs(&["the order of their words"]),
        );
        check(
            "Lint.",
            "Lint.\nIt takes 3 days.",
            &adds("It takes 3 days."),
        );
        check(
            "see eu.example.org/a",
            "see us.example.org/a",
            &differs(&["eu", "us"]),
        );
    }

    #[test]
    fn links_are_found_by_file_name() {
        let memory = Memory::new(
            MemoryType::Project,
            "n",
            "d",
            "See [x](feedback_a.md#part), [[user_role|who]] and [far](sub/Project_B.md).",
        );
        let candidate = Candidate {
            path: PathKey::parse("a.md").expect("a key"),
            memory,
            modified: Timestamp::from_seconds(0),
            is_protected: false,
        };
        let mut names: Vec<String> = linked_names(&[candidate]).into_iter().collect();
        names.sort();
        assert_eq!(names, ["feedback_a.md", "project_b.md", "user_role.md"]);
    }
}

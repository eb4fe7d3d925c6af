//! From a query to memories: filters, ranking, gate, and the reasons for each choice.

use std::cmp::Ordering;

use memdir::{MemoryType, Timestamp};
use pathguard::PathKey;

use crate::filter;
use crate::folder::file_stem;
use crate::outcome::{
    DropReason, Dropped, Gate, MAX_NEAR_MISSES, Match, MatchKind, NearMiss, QueryWord, Recalled,
    Recollection, Why,
};
use crate::query::{Mode, Query};
use crate::rank::{self, Corpus, Floor, How, Question, Ranking, Replaced, Scored, Slot};
use crate::{Age, ContentHash};

/// Of a large folder so many of the best are put in order; more are never shown.
const MAX_SORTED: usize = 1_024;

/// What the newest file gains over the oldest.
const RECENCY: f64 = 0.03;

/// The same when the query asks for the newest state.
const RECENCY_WANTED: f64 = 0.15;

/// A file loses half of its recency in so many days.
const RECENCY_HALF_DAYS: f64 = 30.0;

/// Answers a query from an index.
pub(crate) fn select(corpus: &Corpus<'_>, query: &Query) -> Recollection {
    let question = Question::new(&query.text, corpus);
    let mut answer = Recollection {
        files: corpus.live() as usize,
        ..Recollection::default()
    };
    let mut ranking = rank::score(corpus, &question.slots);
    answer.words = words(&question.slots, &ranking.files);
    take_out(corpus, query, &mut ranking.scored, &mut answer);
    keep_best(corpus, &mut ranking.scored);
    for one in &mut ranking.scored {
        one.score *= recency(corpus, one.file, query.now, question.wants_newest);
    }
    ranking
        .scored
        .sort_unstable_by(|a, b| best_first(corpus, a, b));
    let replaced = rank::newer_first(corpus, &mut ranking);
    let floor = Floor::new(&question, corpus.live());
    let passed = match query.mode {
        Mode::Final => pass(corpus, &floor, ranking, &replaced, &mut answer),
        Mode::Prefilter => ranking
            .scored
            .into_iter()
            .map(|one| (one, Gate::Open))
            .collect(),
    };
    answer.cut = passed.len() > query.limit;
    let chosen = passed.into_iter().take(query.limit);
    answer.memories = chosen
        .filter_map(|(one, gate)| {
            recalled(corpus, &question.slots, &one, (gate, &floor), query.now)
        })
        .collect();
    answer
}

/// Takes out what a filter rules out; filters come before the gate, so that what is taken out cannot
/// raise the bar for the rest.
fn take_out(
    corpus: &Corpus<'_>,
    query: &Query,
    scored: &mut Vec<Scored>,
    answer: &mut Recollection,
) {
    let help = filter::tool_help(corpus, &query.recent_tools);
    if query.team && help.is_empty() && query.surfaced.is_empty() {
        return;
    }
    scored.retain(|one| {
        let (index, number) = corpus.place(one.file);
        let path = index.path(number);
        let reason = if !query.team && filter::is_of_team(path) {
            DropReason::TeamOff
        } else if filter::is_surfaced(&query.surfaced, path, &index.hash(number)) {
            DropReason::Surfaced
        } else if help.binary_search(&one.file).is_ok() {
            DropReason::ToolInUse
        } else {
            return true;
        };
        answer.dropped.push(Dropped {
            path: path.to_owned(),
            reason,
        });
        false
    });
    answer.dropped.sort_by(|a, b| a.path.cmp(&b.path));
}

/// Best first; equals by time, newest first, then by path, so that the order never depends on how
/// the index came about.
fn best_first(corpus: &Corpus<'_>, a: &Scored, b: &Scored) -> Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| corpus.time_s(b.file).cmp(&corpus.time_s(a.file)))
        .then_with(|| corpus.path(a.file).cmp(corpus.path(b.file)))
}

fn keep_best(corpus: &Corpus<'_>, scored: &mut Vec<Scored>) {
    if scored.len() > MAX_SORTED {
        scored.select_nth_unstable_by(MAX_SORTED, |a, b| best_first(corpus, a, b));
        scored.truncate(MAX_SORTED);
    }
}

fn recency(corpus: &Corpus<'_>, file: u32, now: Timestamp, wanted: bool) -> f64 {
    let days = Age::between(Timestamp::from_seconds(corpus.time_s(file)), now).days() as f64;
    let weight = if wanted { RECENCY_WANTED } else { RECENCY };
    1.0 + weight * (-days / RECENCY_HALF_DAYS).exp2()
}

/// Returns what the gate lets through. A note that a newer one replaces makes room for it: the newer
/// one passes where the older would have.
fn pass(
    corpus: &Corpus<'_>,
    floor: &Floor,
    ranking: Ranking,
    replaced: &[Replaced],
    answer: &mut Recollection,
) -> Vec<(Scored, Gate)> {
    let scored = ranking.scored;
    let Some(best) = scored
        .iter()
        .max_by(|a, b| a.score.total_cmp(&b.score))
        .cloned()
    else {
        return Vec::new();
    };
    let gate = |one: &Scored| floor.accept(one, &best);
    let older_of = |newer: u32| replaced.iter().filter(move |pair| pair.newer == newer);
    let inherited = |newer: u32| {
        older_of(newer).find_map(|pair| {
            scored
                .iter()
                .find(|one| one.file == pair.older)
                .and_then(gate)
        })
    };
    let beside = |one: &Scored, said| floor.accept_beside(one, &best, said, &ranking.worths);
    let mut passed = Vec::new();
    let mut said = 0;
    for one in &scored {
        let verdict = gate(one)
            .or_else(|| inherited(one.file))
            .or_else(|| beside(one, said));
        match verdict {
            Some(_) if replaced.iter().any(|pair| pair.older == one.file) => {
                answer.dropped.push(Dropped {
                    path: corpus.path(one.file).to_owned(),
                    reason: DropReason::Superseded,
                });
            }
            Some(gate) => {
                said |= one.met;
                passed.push((one.clone(), gate));
            }
            None if answer.near_misses.len() < MAX_NEAR_MISSES => {
                answer.near_misses.push(near_miss(corpus, one));
            }
            None => {}
        }
    }
    passed
}

fn recalled(
    corpus: &Corpus<'_>,
    slots: &[Slot],
    one: &Scored,
    passed: (Gate, &Floor),
    now: Timestamp,
) -> Option<Recalled> {
    let (index, number) = corpus.place(one.file);
    let info = index.info(number)?;
    // A crafted index may hold any text as a path; only a legal key leads anywhere.
    let path = PathKey::parse(&info.path).ok()?;
    let name = if info.name.is_empty() {
        file_stem(&info.path).to_owned()
    } else {
        info.name
    };
    Some(Recalled {
        name,
        description: info.description,
        memory_type: MemoryType::parse(&info.type_text),
        type_text: info.type_text,
        file_time: Timestamp::from_nanoseconds(i128::from(info.stat.modified_ns)),
        modified: info.declared_s.map(Timestamp::from_seconds),
        age: Age::between(Timestamp::from_seconds(corpus.time_s(one.file)), now),
        score: one.score,
        why: why(corpus, slots, one, passed),
        hash: ContentHash::from_bytes(info.hash),
        verified: None,
        path,
    })
}

fn why(corpus: &Corpus<'_>, slots: &[Slot], one: &Scored, (gate, floor): (Gate, &Floor)) -> Why {
    let met = rank::met(corpus, slots, one.file);
    let matches = slots.iter().zip(met).filter_map(|(slot, met)| {
        let alternative = &slot.alternatives[met?];
        Some(Match {
            word: slot.shown.clone(),
            found: alternative.shown.clone(),
            kind: match alternative.how {
                How::Exact => MatchKind::Exact,
                How::Joined => MatchKind::Joined,
                How::Repaired => MatchKind::Spelling,
                How::Same => MatchKind::Translation,
                How::Near => MatchKind::Synonym,
            },
        })
    });
    Why {
        matches: matches.collect(),
        gate,
        evidence: one.evidence,
        enough_evidence: floor.enough_evidence(),
        coverage: one.coverage,
        head_coverage: one.head_coverage,
    }
}

fn near_miss(corpus: &Corpus<'_>, one: &Scored) -> NearMiss {
    NearMiss {
        path: corpus.path(one.file).to_owned(),
        score: one.score,
        evidence: one.evidence,
        coverage: one.coverage,
    }
}

fn words(slots: &[Slot], files: &[usize]) -> Vec<QueryWord> {
    let word = |(slot, files): (&Slot, &usize)| QueryWord {
        word: slot.shown.clone(),
        files: *files,
        widened: slot
            .alternatives
            .iter()
            .skip(1)
            .map(|a| a.shown.clone())
            .collect(),
    };
    slots.iter().zip(files).map(word).collect()
}

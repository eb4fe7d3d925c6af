//! From a query to memories: filters, ranking, gate, and the reasons for each choice.

use memdir::{MemoryType, Timestamp};
use pathguard::PathKey;

use crate::filter;
use crate::folder::file_stem;
use crate::outcome::{
    DropReason, Dropped, Gate, MAX_NEAR_MISSES, Match, MatchKind, NearMiss, QueryWord, Recalled,
    Recollection, Why,
};
use crate::query::{Mode, Query};
use crate::rank::{self, Corpus, Dated, How, Placed, Question, Scored, Slot};
use crate::{Age, ContentHash};

/// Notes compared with each other for which is newer.
const MAX_COMPARED: usize = 20;

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
        words: words(corpus, &question.slots),
        ..Recollection::default()
    };
    let mut scored = rank::score(corpus, &question.slots);
    take_out(corpus, query, &mut scored, &mut answer);
    for one in &mut scored {
        one.score *= recency(corpus, one.file, query.now, question.wants_newest);
    }
    sort(corpus, &mut scored);
    let (scored, placed) = newer_first(corpus, &question.slots, scored);
    let passed = match query.mode {
        Mode::Final => pass(corpus, scored, &placed, &mut answer),
        Mode::Prefilter => scored.into_iter().map(|one| (one, Gate::Open)).collect(),
    };
    answer.cut = passed.len() > query.limit;
    let chosen = passed.into_iter().take(query.limit);
    answer.memories = chosen
        .filter_map(|(one, gate)| recalled(corpus, &question.slots, &one, gate, query.now))
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
    if help.is_empty() && query.surfaced.is_empty() {
        return;
    }
    scored.retain(|one| {
        let (index, number) = corpus.place(one.file);
        let path = index.path(number);
        let reason = if filter::is_surfaced(&query.surfaced, path, &index.hash(number)) {
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

fn time_s(corpus: &Corpus<'_>, file: u32) -> i64 {
    let (index, number) = corpus.place(file);
    let written = index.stat(number).modified_ns.div_euclid(1_000_000_000);
    index.declared_s(number).unwrap_or(written)
}

fn recency(corpus: &Corpus<'_>, file: u32, now: Timestamp, wanted: bool) -> f64 {
    let days = Age::between(Timestamp::from_seconds(time_s(corpus, file)), now).days() as f64;
    let weight = if wanted { RECENCY_WANTED } else { RECENCY };
    1.0 + weight * (-days / RECENCY_HALF_DAYS).exp2()
}

/// Best first; equals by time, newest first, then by path, so that the order never depends on how
/// the index came about.
fn sort(corpus: &Corpus<'_>, scored: &mut [Scored]) {
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| time_s(corpus, b.file).cmp(&time_s(corpus, a.file)))
            .then_with(|| path(corpus, a.file).cmp(path(corpus, b.file)))
    });
}

/// Puts newer notes before older ones about the same thing, among the best.
fn newer_first(
    corpus: &Corpus<'_>,
    slots: &[Slot],
    mut scored: Vec<Scored>,
) -> (Vec<Scored>, Vec<Placed>) {
    let rest = scored.split_off(scored.len().min(MAX_COMPARED));
    let dated = scored.iter().map(|one| Dated {
        file: one.file,
        score: one.score,
        time_s: time_s(corpus, one.file),
        ages: ages(corpus, one.file),
    });
    let placed = rank::newer_first(corpus, slots, dated.collect());
    scored.sort_by_key(|one| placed.iter().position(|placed| placed.file == one.file));
    scored.extend(rest);
    (scored, placed)
}

/// Returns what the gate lets through. A note that a newer one replaces makes room for it: the newer
/// one passes where the older would have.
fn pass(
    corpus: &Corpus<'_>,
    scored: Vec<Scored>,
    placed: &[Placed],
    answer: &mut Recollection,
) -> Vec<(Scored, Gate)> {
    let Some(best) = scored
        .iter()
        .max_by(|a, b| a.score.total_cmp(&b.score))
        .cloned()
    else {
        return Vec::new();
    };
    let replaced_by = |file: u32| placed.iter().find(|p| p.file == file)?.replaced_by;
    let gates: Vec<Option<Gate>> = scored
        .iter()
        .map(|one| rank::accept(one, &best, corpus.live()))
        .collect();
    let inherited = |file: u32| {
        let older = scored
            .iter()
            .zip(&gates)
            .filter(|(one, _)| replaced_by(one.file) == Some(file));
        older.filter_map(|(_, gate)| *gate).next()
    };
    let gates: Vec<Option<Gate>> = scored
        .iter()
        .zip(&gates)
        .map(|(one, gate)| gate.or_else(|| inherited(one.file)))
        .collect();
    let mut passed = Vec::new();
    for (one, gate) in scored.into_iter().zip(gates) {
        match gate {
            Some(_) if replaced_by(one.file).is_some() => answer.dropped.push(Dropped {
                path: path(corpus, one.file).to_owned(),
                reason: DropReason::Superseded,
            }),
            Some(gate) => passed.push((one, gate)),
            None if answer.near_misses.len() < MAX_NEAR_MISSES => {
                answer.near_misses.push(near_miss(corpus, &one));
            }
            None => {}
        }
    }
    passed
}

fn path<'a>(corpus: &Corpus<'a>, file: u32) -> &'a str {
    let (index, number) = corpus.place(file);
    index.path(number)
}

fn ages(corpus: &Corpus<'_>, file: u32) -> bool {
    let (index, number) = corpus.place(file);
    let kind = index
        .info(number)
        .and_then(|info| MemoryType::parse(&info.type_text));
    matches!(kind, Some(MemoryType::Project | MemoryType::Reference))
}

fn recalled(
    corpus: &Corpus<'_>,
    slots: &[Slot],
    one: &Scored,
    gate: Gate,
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
        age: Age::between(Timestamp::from_seconds(time_s(corpus, one.file)), now),
        score: one.score,
        why: why(corpus, slots, one, gate),
        hash: ContentHash::from_bytes(info.hash),
        verified: None,
        path,
    })
}

fn why(corpus: &Corpus<'_>, slots: &[Slot], one: &Scored, gate: Gate) -> Why {
    let met = rank::met(corpus, slots, one.file);
    let matches = slots.iter().zip(met).filter_map(|(slot, met)| {
        let (at, _) = met?;
        let alternative = &slot.alternatives[at];
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
        enough_evidence: rank::enough_evidence(corpus.live()),
        coverage: one.coverage,
        head_coverage: one.head_coverage,
    }
}

fn near_miss(corpus: &Corpus<'_>, one: &Scored) -> NearMiss {
    NearMiss {
        path: path(corpus, one.file).to_owned(),
        score: one.score,
        evidence: one.evidence,
        coverage: one.coverage,
    }
}

fn words(corpus: &Corpus<'_>, slots: &[Slot]) -> Vec<QueryWord> {
    let word = |slot: &Slot| {
        let mut files: Vec<u32> = Vec::new();
        for alternative in &slot.alternatives {
            files.extend(
                corpus
                    .hits_of_all(&alternative.terms)
                    .iter()
                    .map(|hit| hit.file),
            );
        }
        files.sort_unstable();
        files.dedup();
        QueryWord {
            word: slot.shown.clone(),
            files: files.len(),
            widened: slot
                .alternatives
                .iter()
                .skip(1)
                .map(|a| a.shown.clone())
                .collect(),
        }
    };
    slots.iter().map(word).collect()
}

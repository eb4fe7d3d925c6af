//! The extractor that asks no model: rules over what a person said.
//!
//! Without a model, the honest minimum is still kept: what a person asks to remember, rules that are said
//! to last, corrections with their reason, who the person is, where things are found, decisions and
//! deadlines. Precision comes before recall: questions, hypotheticals, instructions for the task at hand,
//! words of others, code, logs and whatever the exclusion list names give nothing, and so does anything
//! that could be read in two ways.
//!
//! ```
//! use memdir::{Date, MemoryType, Timestamp};
//! use memdir_extract::Statement;
//!
//! let said: Timestamp = "2026-03-02T09:30:00Z".parse()?;
//! let statements = [
//!     Statement::new("Fix the login test. From now on, ask before you add a dependency, we got burned by one.")
//!         .with_time(said),
//!     Statement::new("Should we always rebase?").with_time(said),
//! ];
//! let proposals = memdir_extract::offline::propose(&statements, said.date(0));
//! assert_eq!(proposals.len(), 1);
//! assert_eq!(proposals[0].memory_type, MemoryType::Feedback);
//! assert!(proposals[0].body.contains("**Why:** We got burned by one."));
//! assert!(statements[0].text.contains(&proposals[0].evidence.quote));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rules are tables of phrases, one file a language; how they are weighed against each other is the
//! same for all. Nothing panics on any text, and time is linear in its length.

mod compose;
mod cue;
mod judge;
mod language;
mod mask;
mod sentence;
mod settle;

use std::sync::LazyLock;

use memdir::Date;
use secret_scan::{Ruleset, Scanner};

use self::cue::{Cue, has};
use self::judge::{Kept, MemoryTypeHint, Surroundings, Verdict};
use self::sentence::Sentence;
use crate::proposal::{Evidence, Proposal, Statement};

/// The widest rules there are: what is proposed may be shared later.
static SECRETS: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(&Ruleset::extended()));

/// Returns what a person said in one session that is worth keeping, in the order in which it was said.
///
/// Statements come in the order in which they were made; a later one that corrects or withdraws an earlier
/// one wins. Relative dates are resolved against the statement's time (in UTC), or against `today` when it
/// has none. Of one statement at most 1,000 sentences are looked at, the first and the last half of them. At most
/// 64 proposals are returned; the oldest give way. No proposal holds a credential that
/// `secret-scan` knows, and the quote of its evidence is a piece of the statement.
pub fn propose(statements: &[Statement], today: Date) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for statement in statements {
        read(statement, today, &mut proposals);
    }
    proposals
}

/// Adds what one statement holds.
fn read(statement: &Statement, today: Date, proposals: &mut Vec<Proposal>) {
    let text = statement.text.as_str();
    let today = statement.time.map_or(today, |time| time.date(0));
    let prose = mask::prose(text);
    let sentences = sentence::sentences(&prose);
    let in_task = sentences
        .iter()
        .any(|sentence| has(Cue::Task, &sentence.plain));
    let mut found: Vec<(Proposal, bool)> = Vec::new();
    let mut earlier_withdrawn = false;
    let mut asked: Option<(MemoryTypeHint, usize)> = None;
    let mut told_as_reason = usize::MAX;
    for (at, sentence) in sentences.iter().enumerate() {
        if !sentence.is_item
            || asked.is_some_and(|(_, paragraph)| sentence.paragraph > paragraph + 1)
        {
            asked = None;
        }
        let reason = sentences
            .get(at + 1)
            .filter(|next| gives_reason(sentence, next));
        let around = Surroundings {
            in_task,
            asked: asked.map(|(hint, _)| hint),
            after_blame: at > 0 && has(Cue::Blame, &sentences[at - 1].plain),
            reason_follows: reason.is_some(),
        };
        match judge::judge(sentence, text, around) {
            Verdict::Nothing => {}
            Verdict::Forbid => return,
            Verdict::List(hint) => asked = Some((hint, sentence.paragraph)),
            Verdict::Withdraw => {
                if found.pop().is_none() && !earlier_withdrawn {
                    earlier_withdrawn = true;
                    drop(proposals.pop());
                }
            }
            Verdict::KeepPrevious => {
                let previous = at.checked_sub(1).and_then(|before| sentences.get(before));
                if let Some(previous) = previous
                    && let Some(kept) = asked_for(previous, text)
                {
                    found.extend(proposal(statement, previous, &kept, None, today));
                }
            }
            // What is the reason of a memory is none of its own.
            Verdict::Keep(_) if at == told_as_reason => {}
            Verdict::Keep(kept) => {
                if reason.is_some() {
                    told_as_reason = at + 1;
                }
                found.extend(proposal(statement, sentence, &kept, reason, today));
            }
        }
    }
    for (proposal, amends) in found {
        settle::add(proposals, proposal, amends);
    }
}

/// Judges a sentence of which the next one says "remember that".
fn asked_for(sentence: &Sentence, text: &str) -> Option<Kept> {
    let around = Surroundings {
        asked: Some(MemoryTypeHint::Any),
        ..Surroundings::default()
    };
    match judge::judge(sentence, text, around) {
        Verdict::Keep(kept) => Some(kept),
        _ => None,
    }
}

/// Whether the next sentence says why.
fn gives_reason(sentence: &Sentence, next: &Sentence) -> bool {
    next.paragraph == sentence.paragraph
        && next.is_item == sentence.is_item
        && !next.is_asked()
        && has(Cue::ReasonSentence, &next.plain)
        && !compose::is_empty_reason(&next.plain)
}

/// The memory that a sentence makes, and whether it amends an earlier one; nothing when it would hold a
/// secret.
fn proposal(
    statement: &Statement,
    sentence: &Sentence,
    kept: &Kept,
    reason: Option<&Sentence>,
    today: Date,
) -> Option<(Proposal, bool)> {
    let text = statement.text.as_str();
    let composed = compose::compose(text, sentence, kept, reason, today);
    let quote = &text[composed.quote];
    let holds_secret = [quote, composed.body.as_str(), composed.description.as_str()]
        .iter()
        .any(|part| SECRETS.contains_secret(part.as_bytes()));
    if holds_secret || composed.name.is_empty() {
        return None;
    }
    let evidence = Evidence::person(quote, statement.message_id.clone());
    let proposal = Proposal::new(
        composed.memory_type,
        composed.name,
        composed.description,
        composed.body,
        evidence,
    );
    Some((proposal, kept.amends))
}

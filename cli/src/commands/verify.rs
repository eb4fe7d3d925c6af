//! `memstrata verify`: whether what memories claim about the repository still holds.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use memstrata::memdir::{ListOptions, Store, StoredMemory};
use memstrata::recall::{
    Budget, CheckedClaim, Outcome, Repository, VERIFY_MILLISECONDS, Verification, verify,
};
use serde_json::json;

use super::memory::say_problems;
use super::recall::exists;
use super::recall::show::outcome_style;
use crate::cli::Global;
use crate::cli::recall::Verify;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean, counted};

/// Checks the named memories, or all of them.
pub(crate) fn run(
    arguments: &Verify,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    if arguments.names.is_empty() && !exists(context.location.memory_dir()) {
        speech.say("there are no memories yet");
        return Ok(Exit::Done);
    }
    let store = context.open(speech)?;
    let memories = memories(&store, &arguments.names, speech)?;
    let repository = Repository::open(&context.project)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut sums = Sums::default();
    for memory in &memories {
        let verification = check(memory, &repository, arguments.thorough);
        for claim in &verification.claims {
            if speech.json {
                let object = json!({
                    "path": memory.path.as_str(),
                    "claim": claim.text,
                    "kind": claim.kind.as_str(),
                    "outcome": claim.outcome.as_str(),
                    "detail": claim.detail,
                });
                writeln!(out, "{object}")?;
            } else if claim.outcome != Outcome::Holds || global.verbose > 0 {
                write_claim(&mut out, memory, claim, speech)?;
            }
        }
        sums.add(&verification);
    }
    out.flush()?;
    speech.say(&sums.shown(memories.len()));
    Ok(if sums.gone > 0 {
        Exit::Found
    } else {
        Exit::Done
    })
}

/// The memories that are meant, in the order of the names, else newest first.
fn memories(store: &Store, names: &[String], speech: Speech) -> Result<Vec<StoredMemory>, Failure> {
    if !names.is_empty() {
        let found: Result<Vec<_>, _> = names.iter().map(|name| store.read(name)).collect();
        return Ok(found?);
    }
    let list = store.list(&ListOptions::default())?;
    say_problems(&list, speech);
    let read = |summary: &memstrata::memdir::MemorySummary| match store.read_path(&summary.path) {
        Ok(memory) => Some(memory),
        Err(error) => {
            speech.say(&format!("left out {}", clean(&error.to_string())));
            None
        }
    };
    let own = list.memories.iter().filter(|one| !one.is_conflict_copy);
    Ok(own.filter_map(read).collect())
}

/// Checks one memory, within its time unless it is to be thorough.
pub(super) fn check(
    memory: &StoredMemory,
    repository: &Repository,
    thorough: bool,
) -> Verification {
    if thorough {
        return verify(&memory.memory, repository, Budget::unlimited());
    }
    let begin = Instant::now();
    let is_over = move || begin.elapsed() > Duration::from_millis(VERIFY_MILLISECONDS);
    verify(&memory.memory, repository, Budget::new(&is_over))
}

fn write_claim(
    out: &mut impl Write,
    memory: &StoredMemory,
    claim: &CheckedClaim,
    speech: Speech,
) -> io::Result<()> {
    let detail = match claim.detail.as_str() {
        "" => String::new(),
        detail => format!(": {}", clean(detail)),
    };
    writeln!(
        out,
        "{}:{}  {}  {} `{}`{detail}",
        speech.paint(Style::Bold, &clean(memory.path.as_str())),
        claim.line,
        speech.paint(outcome_style(&claim.outcome), claim.outcome.as_str()),
        claim.kind,
        clean(&claim.text),
    )
}

/// What became of all claims together.
#[derive(Default)]
struct Sums {
    claims: usize,
    holds: usize,
    gone: usize,
    unknown: usize,
    out_of_time: bool,
    cut: bool,
}

impl Sums {
    fn add(&mut self, verification: &Verification) {
        self.claims += verification.claims.len();
        self.holds += verification.holds();
        self.gone += verification.gone();
        self.unknown += verification.unknown();
        self.out_of_time |= verification.out_of_time;
        self.cut |= verification.cut;
    }

    fn shown(&self, memories: usize) -> String {
        let Sums {
            claims,
            holds,
            gone,
            unknown,
            ..
        } = self;
        let memories = counted(memories, "memory", "memories");
        if *claims == 0 && !self.out_of_time {
            return format!("nothing to check: {memories}, with no claim about the repository");
        }
        let mut text = format!(
            "{} in {memories}: {holds} hold, {gone} gone, {unknown} cannot be told",
            counted(*claims, "claim", "claims"),
        );
        if self.out_of_time {
            text.push_str("; time was up, --thorough takes the time it needs");
        }
        if self.cut {
            text.push_str("; a memory makes more claims than are looked at");
        }
        text
    }
}

//! Checks what a memory claims against a repository, without a model.

mod check;
mod claim;
mod command;
mod extract;
mod git;
mod names;
mod repository;
mod search;
mod targets;

use memdir::Memory;

pub use claim::{CheckedClaim, ClaimKind, Outcome};
pub use repository::Repository;

/// Time for the claims of one answer, in milliseconds, where nobody waits for more than a blink.
pub const VERIFY_MILLISECONDS: u64 = 150;

/// The same inside a hook, whose host waits for it before every message.
pub const VERIFY_HOOK_MILLISECONDS: u64 = 25;

/// Claims looked at in one memory.
pub const MAX_CLAIMS: usize = 64;

/// Claims that are gone and named one by one in a verdict's line; of more only the number is said.
const MAX_NAMED: usize = 3;

/// Of a larger memory only the beginning is checked.
const MAX_MEMORY_BYTES: u64 = 256 * 1024;

/// How long checking may go on, as the caller measures it: this crate reads no clock.
///
/// ```
/// use std::time::{Duration, Instant};
/// use memdir_recall::{Budget, VERIFY_MILLISECONDS};
///
/// let begin = Instant::now();
/// let limit = Duration::from_millis(VERIFY_MILLISECONDS);
/// let is_over = move || begin.elapsed() > limit;
/// let budget = Budget::new(&is_over);
/// assert!(!budget.is_over());
/// assert!(!Budget::unlimited().is_over());
/// ```
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    is_over: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Budget<'a> {
    /// Takes a function that says whether time is up; it is asked before every file that is opened.
    pub fn new(is_over: &'a dyn Fn() -> bool) -> Self {
        Self {
            is_over: Some(is_over),
        }
    }

    /// Returns a budget that is never over.
    pub fn unlimited() -> Self {
        Self { is_over: None }
    }

    /// Returns whether time is up.
    pub fn is_over(&self) -> bool {
        self.is_over.is_some_and(|is_over| is_over())
    }
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("limited", &self.is_over.is_some())
            .finish()
    }
}

/// What became of the claims of one memory. Prints as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The claims in the order of the memory, each once.
    pub claims: Vec<CheckedClaim>,
    /// The memory makes more than [`MAX_CLAIMS`] claims; the rest was not looked at.
    pub cut: bool,
    /// Time was up before every claim was decided.
    pub out_of_time: bool,
}

impl Verification {
    fn count(&self, outcome: &Outcome) -> usize {
        let same = |claim: &&CheckedClaim| {
            std::mem::discriminant(&claim.outcome) == std::mem::discriminant(outcome)
        };
        self.claims.iter().filter(same).count()
    }

    /// Returns the number of claims that hold.
    pub fn holds(&self) -> usize {
        self.count(&Outcome::Holds)
    }

    /// Returns the number of claims about something that is not there any more.
    pub fn gone(&self) -> usize {
        self.count(&Outcome::Gone { moved_to: None })
    }

    /// Returns the number of claims that could not be decided.
    pub fn unknown(&self) -> usize {
        self.count(&Outcome::CannotTell)
    }

    /// Returns whether more of the decided claims fail than hold: such a memory goes behind others.
    pub fn is_mostly_gone(&self) -> bool {
        self.gone() > self.holds()
    }
}

impl std::fmt::Display for Verification {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let decided = self.holds() + self.gone();
        if self.claims.is_empty() {
            return f.write_str("no claims about the repository");
        }
        if decided == 0 {
            return write!(f, "none of {} claims could be checked", self.claims.len());
        }
        write!(f, "{} of {decided} claims hold", self.holds())?;
        let gone = self.claims.iter().filter_map(|claim| match &claim.outcome {
            Outcome::Gone { moved_to } => Some((&claim.text, moved_to)),
            _ => None,
        });
        for (claim, moved_to) in gone.take(MAX_NAMED) {
            write!(f, "; `{claim}` is gone")?;
            if let Some(place) = moved_to {
                write!(f, ", now `{place}`")?;
            }
        }
        if let Some(more @ 1..) = self.gone().checked_sub(MAX_NAMED) {
            write!(f, "; {more} more are gone")?;
        }
        if self.unknown() > 0 {
            write!(f, "; {} could not be checked", self.unknown())?;
        }
        Ok(())
    }
}

/// Checks the claims of a memory: paths, `path:line`, symbols, flags, scripts, targets, commands,
/// branches, tags and commits.
///
/// Reads below the repository only, through a held handle, and starts no program: what git knows is
/// read from its files. When the budget is over, what is left is [`Outcome::CannotTell`].
///
/// ```
/// use memdir::{Memory, MemoryType};
/// use memdir_recall::{Budget, Outcome, Repository, verify};
/// # let scratch = tempfile::tempdir()?;
/// # let folder = scratch.path();
/// std::fs::create_dir_all(folder.join("src/net"))?;
/// std::fs::write(folder.join("src/net/retry.rs"), "pub fn standard() {}\n")?;
///
/// let memory = Memory::new(
///     MemoryType::Feedback,
///     "Retries",
///     "",
///     "Use `standard()` of `src/retry.rs`; never `/etc/retry.conf`.",
/// );
/// let verdict = verify(&memory, &Repository::open(folder)?, Budget::unlimited());
/// assert_eq!(
///     verdict.to_string(),
///     "1 of 2 claims hold; `src/retry.rs` is gone, now `src/net/retry.rs`; 1 could not be checked",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(memory: &Memory, repository: &Repository, budget: Budget<'_>) -> Verification {
    let _span = tracing::debug_span!("recall.verify").entered();
    let mut claims = Vec::new();
    let body = beginning(memory.body(), MAX_MEMORY_BYTES as usize);
    let mut cut = extract::claims(memory.description(), 1, &mut claims);
    cut |= extract::claims(body, memory.body_line(), &mut claims);
    cut |= body.len() < memory.body().len();
    let mut seen = std::collections::HashSet::new();
    claims.retain(|claim| seen.insert((claim.kind, claim.text.clone())));
    cut |= claims.len() > MAX_CLAIMS;
    claims.truncate(MAX_CLAIMS);
    let claims = check::check(claims, repository, budget);
    let is_open = |claim: &CheckedClaim| claim.outcome == Outcome::CannotTell;
    Verification {
        out_of_time: claims.iter().any(is_open) && budget.is_over(),
        claims,
        cut,
    }
}

/// Returns the first bytes of a text, as far as they are whole characters.
fn beginning(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the claims of a text: line and name.
pub(crate) fn claims_of(text: &str) -> Vec<(usize, String)> {
    let mut claims = Vec::new();
    extract::claims(text, 1, &mut claims);
    claims
        .into_iter()
        .map(|claim| (claim.line, claim.text))
        .collect()
}

impl crate::Recollection {
    /// Checks the claims of each memory of this answer and puts those that mostly no longer hold
    /// behind the others.
    ///
    /// A memory that cannot be read any more stays without a verdict.
    pub fn verify(
        &mut self,
        root: &pathguard::MemoryRoot,
        repository: &Repository,
        budget: Budget<'_>,
    ) {
        for recalled in &mut self.memories {
            if let Ok(read) = root.read_prefix(recalled.path.as_ref(), MAX_MEMORY_BYTES) {
                let memory = Memory::parse_prefix(&read.bytes, read.metadata.len);
                recalled.verified = Some(verify(&memory, repository, budget));
            }
        }
        let is_mostly_gone = |verified: &Option<Verification>| {
            verified.as_ref().is_some_and(Verification::is_mostly_gone)
        };
        // Stable: within both halves the order of relevance stays.
        self.memories
            .sort_by_key(|memory| is_mostly_gone(&memory.verified));
    }
}

//! Decides each claim.

use super::claim::{Certainty, CheckedClaim, Claim, ClaimKind, Outcome};
use super::git::RefKind;
use super::repository::{Repository, There};
use super::search::{Found, search};
use super::targets::{self, Verdict};
use super::{Budget, names};

/// A longer file is not counted for a line claim.
const MAX_COUNTED_BYTES: u64 = 8 * 1024 * 1024;

/// Checks claims in their order; those that turn out to be none are left out.
pub(super) fn check(
    mut claims: Vec<Claim>,
    repository: &Repository,
    budget: Budget<'_>,
) -> Vec<CheckedClaim> {
    let mut verdicts: Vec<Option<Verdict>> = Vec::with_capacity(claims.len());
    let mut named_files = Vec::new();
    for claim in &mut claims {
        let verdict = if budget.is_over() {
            Some(unknown("time was up"))
        } else {
            of_one(claim, repository, budget, &mut named_files)
        };
        verdicts.push(verdict);
    }
    of_names(&claims, &mut verdicts, &named_files, repository, budget);
    let mut checked = Vec::with_capacity(claims.len());
    for (claim, verdict) in claims.into_iter().zip(verdicts) {
        let (mut outcome, mut detail) = verdict.unwrap_or_else(|| unknown("time was up"));
        if matches!(outcome, Outcome::Gone { .. }) {
            match claim.certainty {
                Certainty::Guess => continue,
                Certainty::Soft => {
                    (outcome, detail) = unknown("not found, perhaps something outside");
                }
                Certainty::Firm if claim.negated => {
                    (outcome, detail) = unknown("the memory itself says that it is gone");
                }
                Certainty::Firm => {}
            }
        } else if outcome == Outcome::CannotTell && claim.certainty == Certainty::Guess {
            continue;
        }
        checked.push(CheckedClaim {
            text: claim.text,
            kind: claim.kind,
            line: claim.line,
            outcome,
            detail,
        });
    }
    checked
}

fn unknown(detail: &str) -> Verdict {
    (Outcome::CannotTell, detail.to_owned())
}

fn gone(detail: String) -> Verdict {
    (Outcome::Gone { moved_to: None }, detail)
}

/// Decides a claim by itself; names are left for one common search.
fn of_one(
    claim: &mut Claim,
    repository: &Repository,
    budget: Budget<'_>,
    named_files: &mut Vec<String>,
) -> Option<Verdict> {
    let text = claim.text.as_str();
    Some(match claim.kind {
        ClaimKind::Symbol | ClaimKind::Flag => return None,
        ClaimKind::Path => {
            let place = locate(repository, text);
            if !matches!(place, Place::Found(_) | Place::FoundOften(_)) && is_expression(text) {
                claim.kind = ClaimKind::Symbol;
                claim.certainty = Certainty::Soft;
                return None;
            }
            if let Place::Found(path) = &place {
                named_files.push(path.clone());
            } else if claim.certainty == Certainty::Soft && place_is_ref(repository, text) {
                return Some((Outcome::Holds, "a branch or tag".to_owned()));
            }
            // `a/b` is a path for certain when `a` is a folder here.
            if claim.certainty != Certainty::Firm && is_below_a_folder(repository, text) {
                claim.certainty = Certainty::Firm;
            }
            of_place(&claim.text, place)
        }
        ClaimKind::Line => of_line(repository, text, named_files),
        ClaimKind::Script => targets::script(repository, text),
        ClaimKind::Target => targets::target(repository, text),
        ClaimKind::Command => targets::command(repository, text),
        ClaimKind::Branch => of_ref(repository, RefKind::Branch, text),
        ClaimKind::Tag => of_ref(repository, RefKind::Tag, text),
        ClaimKind::Commit => match repository.git().map(|git| git.has_object(text, budget)) {
            None => unknown("there is no git repository"),
            Some(None) => unknown("the repository may not hold every commit"),
            Some(Some(true)) => (Outcome::Holds, String::new()),
            Some(Some(false)) => gone("no such object".to_owned()),
        },
    })
}

/// Where a path leads.
enum Place {
    /// Here, perhaps below a folder that the memory left out.
    Found(String),
    /// There are several that end so.
    FoundOften(usize),
    /// Gone, and the one place where something of that name is now.
    Moved(String),
    /// Gone, and so many things have that name.
    Gone(usize),
    Unknown(&'static str),
}

fn of_place(text: &str, place: Place) -> Verdict {
    match place {
        Place::Found(path) if path == text.trim_start_matches("./").trim_end_matches('/') => {
            (Outcome::Holds, String::new())
        }
        Place::Found(path) => (Outcome::Holds, format!("at {path}")),
        Place::FoundOften(places) => (Outcome::Holds, format!("in {places} places")),
        Place::Moved(path) => (
            Outcome::Gone {
                moved_to: Some(path.clone()),
            },
            format!("now {path}"),
        ),
        Place::Gone(0) => gone(String::new()),
        Place::Gone(places) => gone(format!("{places} others have that name")),
        Place::Unknown(detail) => unknown(detail),
    }
}

/// Finds what a path of a memory means in the repository.
fn locate(repository: &Repository, text: &str) -> Place {
    if names::is_pattern(text) {
        return Place::Unknown("a pattern");
    }
    let Some(path) = inside(repository, text) else {
        return Place::Unknown("outside of the repository");
    };
    if path.is_empty() {
        return Place::Found(".".to_owned());
    }
    match repository.look(&path) {
        There::File | There::Folder => return Place::Found(path),
        There::Unknown => return Place::Unknown("cannot be looked at"),
        There::Nothing => {}
    }
    let files = repository.files();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let mut places = files.named(name);
    if !text.contains('.') || text.ends_with('/') {
        places.extend(files.folders_named(name));
    }
    places.retain(|place| *place != path && repository.look(place) != There::Nothing);
    let ending = format!("/{path}");
    let suffixes: Vec<&str> = places
        .iter()
        .copied()
        .filter(|place| place.ends_with(&ending))
        .collect();
    // `utils/date.ts` in a repository without a top folder `utils` is written from another folder;
    // `src/date.ts` in one that has `src` says where the file was.
    let top = path.split('/').next().unwrap_or(&path);
    let from_elsewhere = !path.contains('/') || !matches!(repository.look(top), There::Folder);
    match (from_elsewhere, suffixes.as_slice(), places.as_slice()) {
        (true, [one], _) => Place::Found((*one).to_owned()),
        (true, [_, ..], _) => Place::FoundOften(suffixes.len()),
        (_, [one], _) | (_, [], [one]) => Place::Moved((*one).to_owned()),
        _ if !files.complete => Place::Unknown("not all files are known"),
        _ => Place::Gone(places.len()),
    }
}

/// Returns a path from the top of the repository, or none when it leads outside.
fn inside(repository: &Repository, text: &str) -> Option<String> {
    let text = text.replace('\\', "/");
    let is_drive = text.len() > 1 && text.as_bytes()[1] == b':';
    if text.starts_with('~') || is_drive {
        return None;
    }
    let below = if text.starts_with('/') {
        let top = repository.top().to_string_lossy().replace('\\', "/");
        text.strip_prefix(top.as_str())
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))?
            .to_owned()
    } else {
        text
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `console.log` has the ending of a file; where no such file is, it is taken for code.
fn is_expression(text: &str) -> bool {
    !text.contains('/')
        && names::extension(text).is_some_and(|ending| names::is_ambiguous(&ending))
        && names::symbol(text).is_some()
}

fn is_below_a_folder(repository: &Repository, text: &str) -> bool {
    let Some(path) = inside(repository, text) else {
        return false;
    };
    let top = path.split('/').next().unwrap_or_default().to_owned();
    top.len() < path.len()
        && (repository.files().has_folder(&top) || repository.look(&top) == There::Folder)
}

/// `feature/x` without a word of what it is may be a branch.
fn place_is_ref(repository: &Repository, text: &str) -> bool {
    let Some(git) = repository.git().filter(|_| names::is_ref_name(text)) else {
        return false;
    };
    git.has_ref(RefKind::Branch, text) == Some(true)
        || git.has_ref(RefKind::Tag, text) == Some(true)
}

fn of_ref(repository: &Repository, kind: RefKind, name: &str) -> Verdict {
    match repository.git().map(|git| git.has_ref(kind, name)) {
        None => unknown("there is no git repository"),
        Some(None) => unknown("the repository may not know every name"),
        Some(Some(true)) => (Outcome::Holds, String::new()),
        Some(Some(false)) => gone("no reference of that name".to_owned()),
    }
}

fn of_line(repository: &Repository, text: &str, named_files: &mut Vec<String>) -> Verdict {
    let Some((path, line)) = names::path_and_line(text) else {
        return unknown("not a line");
    };
    let place = locate(repository, path);
    let Place::Found(found) = &place else {
        return match place {
            Place::FoundOften(places) => unknown(&format!("{places} files have that name")),
            other => of_place(path, other),
        };
    };
    named_files.push(found.clone());
    match repository.text(found, MAX_COUNTED_BYTES) {
        None => unknown("cannot be read"),
        Some(contents) => {
            let lines = contents.lines().count();
            if lines >= line as usize {
                of_place(path, place)
            } else {
                gone(format!("{found} has {lines} lines"))
            }
        }
    }
}

/// Decides symbols and flags by one search for all of them.
fn of_names(
    claims: &[Claim],
    verdicts: &mut [Option<Verdict>],
    first: &[String],
    repository: &Repository,
    budget: Budget<'_>,
) {
    let mut wanted: Vec<String> = Vec::new();
    for (claim, _) in claims
        .iter()
        .zip(verdicts.iter())
        .filter(|(_, verdict)| verdict.is_none())
    {
        wanted.extend(spellings(claim).into_iter().flatten());
    }
    wanted.sort();
    wanted.dedup();
    if wanted.is_empty() || budget.is_over() {
        return;
    }
    let found = search(repository, &wanted, first, budget);
    for (claim, verdict) in claims
        .iter()
        .zip(verdicts)
        .filter(|(_, verdict)| verdict.is_none())
    {
        // Every part must be found, each in one of its spellings.
        let parts = spellings(claim);
        let best = |spellings: &Vec<String>| spellings.iter().map(|name| found[name]).max();
        let places: Vec<Found> = parts.iter().filter_map(best).collect();
        let least = places.iter().min().copied().unwrap_or(Found::NotYet);
        *verdict = Some(match least {
            Found::InCode => (Outcome::Holds, String::new()),
            Found::InProse => unknown("only spoken of in documents"),
            Found::NotYet => unknown("not every file was searched"),
            Found::Nowhere if is_foreign(claim, &places) => unknown("perhaps of a library"),
            Found::Nowhere => gone("in no tracked file".to_owned()),
        });
    }
}

/// `serde_json::to_string` where nothing of either name is found belongs to somebody else.
fn is_foreign(claim: &Claim, places: &[Found]) -> bool {
    claim.kind == ClaimKind::Symbol
        && places.len() > 1
        && places.iter().all(|place| *place == Found::Nowhere)
        && claim.text.starts_with(|c: char| c.is_lowercase())
}

/// Returns the parts that must be found, each with the ways in which code writes it.
fn spellings(claim: &Claim) -> Vec<Vec<String>> {
    match claim.kind {
        ClaimKind::Symbol => {
            let parts = names::symbol(&claim.text).map(|symbol| (symbol.parts, symbol.firm));
            match parts {
                // A dotted or dashed key stands in settings as a whole.
                Some((_, false)) => {
                    vec![vec![claim.text.trim_start_matches(['$', '@']).to_owned()]]
                }
                Some((parts, true)) => parts
                    .into_iter()
                    .map(|part| vec![part.to_owned()])
                    .collect(),
                None => Vec::new(),
            }
        }
        ClaimKind::Flag => {
            let name = names::flag(&claim.text).unwrap_or_default();
            let mut camel = String::new();
            let mut upper = false;
            for c in name.chars() {
                if matches!(c, '-' | '_') {
                    upper = true;
                } else if std::mem::take(&mut upper) {
                    camel.extend(c.to_uppercase());
                } else {
                    camel.push(c);
                }
            }
            let mut ways = vec![name.to_owned(), name.replace('-', "_"), camel];
            // A flag of one word is a common word: only with its dashes it is the flag.
            if !name.contains(['-', '_']) {
                ways = vec![
                    format!("--{name}"),
                    format!("\"{name}\""),
                    format!("'{name}'"),
                ];
            }
            vec![ways]
        }
        _ => Vec::new(),
    }
}

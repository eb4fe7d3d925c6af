//! The tools `recall` and `verify`.

use std::fmt::Write as _;

use memstrata::memdir::StoredMemory;
use memstrata::recall::{Outcome as Verdict, RenderOptions, Repository, Verification};
use memstrata::token_count::Estimator;
use serde_json::{Map, Value, json};

use super::job::Job;
use super::memories::{find, string};
use super::project::{Project, hides_team, silent, visible};
use super::reply::{Listing, Outcome, Refusal, Reply, brief};
use crate::cli::recall::Choice;
use crate::commands::recall::Memories;
use crate::commands::verify::check;
use crate::terminal::{clean, counted};

/// The list of strings in a parameter.
fn strings(arguments: &Map<String, Value>, name: &str) -> Vec<String> {
    let list = arguments.get(name).and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Finds the memories that matter for a message.
pub(super) fn recall(project: &Project, arguments: &Map<String, Value>, job: &Job) -> Outcome {
    const STEPS: usize = 3;
    let context = project.active()?;
    let mut memories = Memories::open(&context, silent())?;
    job.step(1, STEPS, "ranking")?;
    let choice = Choice {
        limit: arguments
            .get("limit")
            .and_then(Value::as_u64)
            .and_then(|limit| usize::try_from(limit).ok()),
        surfaced: strings(arguments, "surfaced"),
        recent_tools: Vec::new(),
    };
    let query = string(arguments, "query").unwrap_or_default();
    let query = memories.query(query, &choice, None);
    let mut answer = memories.answer(&query.with_team(!hides_team(&context)))?;
    job.step(2, STEPS, "checking what they claim")?;
    memories.verify(&mut answer, &context.project);
    let counter = Estimator::new();
    let rendered = memories
        .folder()
        .map(|folder| answer.render(folder.memory(), &RenderOptions::new(&counter)))
        .unwrap_or_default();
    job.step(3, STEPS, "done")?;
    let mut text = match (answer.memories.len(), answer.files) {
        (0, 0) => "There are no memories yet.".to_owned(),
        (0, 1) => "The one memory that is there does not fit.".to_owned(),
        (0, files) => format!("None of {files} memories fits."),
        _ => rendered.text.clone(),
    };
    if !rendered.left_out.is_empty() {
        let _ = write!(
            text,
            "\nLeft out, to stay short: {}. `show` gives them.",
            rendered.left_out.join(", ")
        );
    }
    if answer.cut {
        text += "\nMore memories fit than are shown.";
    }
    let list: Vec<Value> = answer
        .memories
        .iter()
        .map(|memory| {
            let verified = memory.verified.as_ref();
            let count = |of: fn(&Verification) -> usize| verified.map_or(0, of);
            json!({
                "path": memory.path.as_str(),
                "name": brief(&memory.name),
                "type": brief(&memory.type_text),
                "age": memory.age.to_string(),
                "note": memory.age.note(),
                "why": memory.why.to_string(),
                "holds": count(Verification::holds),
                "gone": count(Verification::gone),
                "unknown": count(Verification::unknown),
            })
        })
        .collect();
    let data = json!({
        "memories": list,
        "files": answer.files,
        "left_out": rendered.left_out,
        "more_fit": answer.cut,
    });
    Ok(Reply::new(text, data))
}

/// Checks what memories claim against the repository.
pub(super) fn verify(project: &Project, arguments: &Map<String, Value>, job: &Job) -> Outcome {
    let context = project.active()?;
    let names = strings(arguments, "names");
    let is_thorough = arguments.get("thorough").and_then(Value::as_bool) == Some(true);
    let Some(store) = project.existing(&context)? else {
        return Err(Refusal::new("There are no memories yet."));
    };
    let paths = if names.is_empty() {
        let list = store.list(&visible(&context))?;
        let own = list
            .memories
            .into_iter()
            .filter(|one| !one.is_conflict_copy);
        own.map(|memory| memory.path).collect::<Vec<_>>()
    } else {
        let found = names.iter().map(|name| find(&store, name, &context));
        found.collect::<Result<Vec<_>, _>>()?
    };
    let repository = Repository::open(&context.project)
        .map_err(|error| Refusal::new(format!("The repository cannot be read: {error}.")))?;
    let mut found = Found::default();
    for (number, path) in paths.iter().enumerate() {
        job.step(number + 1, paths.len(), path.as_str())?;
        // One that is gone or unreadable by now is for `check` to report.
        let Ok(memory) = store.read_path(path) else {
            found.incomplete = true;
            continue;
        };
        let verification = check(&memory, &repository, is_thorough);
        found.add(&memory, &verification);
    }
    Ok(found.reply(paths.len()))
}

/// What checking has found so far.
#[derive(Default)]
struct Found {
    listing: Listing,
    claims: usize,
    holds: usize,
    gone: usize,
    unknown: usize,
    not_shown: usize,
    incomplete: bool,
}

impl Found {
    fn add(&mut self, memory: &StoredMemory, verification: &Verification) {
        self.claims += verification.claims.len();
        self.holds += verification.holds();
        self.gone += verification.gone();
        self.unknown += verification.unknown();
        self.incomplete |= verification.out_of_time || verification.cut;
        let path = memory.path.as_str();
        for claim in &verification.claims {
            if claim.outcome == Verdict::Holds {
                continue;
            }
            let (text, detail) = (brief(&claim.text), brief(&claim.detail));
            let colon = if detail.is_empty() { "" } else { ": " };
            let line = format!(
                "- {path}:{} {} {} `{text}`{colon}{detail}",
                claim.line,
                claim.outcome.as_str(),
                claim.kind,
            );
            let data = json!({
                "path": path,
                "line": claim.line,
                "claim": text,
                "kind": claim.kind.as_str(),
                "outcome": claim.outcome.as_str(),
                "detail": detail,
            });
            if !self.listing.push(&clean(&line), data) {
                self.not_shown += 1;
            }
        }
    }

    fn reply(self, memories: usize) -> Reply {
        let mut text = format!(
            "{} in {}: {} hold, {} gone, {} cannot be told.\n{}",
            counted(self.claims as u64, "claim", "claims"),
            counted(memories as u64, "memory", "memories"),
            self.holds,
            self.gone,
            self.unknown,
            self.listing.text()
        );
        if self.not_shown > 0 {
            let _ = writeln!(
                text,
                "{} more are not shown; verify fewer names.",
                self.not_shown
            );
        }
        if self.incomplete {
            text += "Not everything was looked at; `thorough` takes the time it needs.\n";
        }
        let data = json!({
            "memories": memories,
            "claims": self.claims,
            "holds": self.holds,
            "gone": self.gone,
            "unknown": self.unknown,
            "findings": self.listing.into_data(),
            "not_shown": self.not_shown,
            "complete": !self.incomplete,
        });
        Reply::new(text, data)
    }
}

//! `memstrata recall`: the memories that matter for a message.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memstrata::memdir::{Clock, Mode, Store};
use memstrata::pathguard::{MemoryRoot, RootCheck, RootOptions};
use memstrata::recall::{
    Budget, FINAL_LIMIT, MAX_PREFILTER_LIMIT, Query, Recall as Folder, Recollection, Refresh,
    RenderOptions, Repository, Surfaced, VERIFY_MILLISECONDS,
};
use memstrata::recall_folder;
use memstrata::token_count::{Estimator, TokenCounter};
use serde_json::json;

use super::memory::read_standard_input;
use crate::cli::Global;
use crate::cli::recall::{Choice, Recall};
use crate::clock::SystemClock;
use crate::config;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

mod batch;
pub(crate) mod explain;
pub(crate) mod show;

/// Recalls for one message, or for each line of a batch.
pub(crate) fn run(
    arguments: &Recall,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    let mut memories = Memories::open(&context, speech)?;
    if arguments.batch {
        return batch::run(arguments, &mut memories);
    }
    let text = query_text(&arguments.query, speech)?;
    say_limit(arguments, speech);
    let query = memories.query(&text, &arguments.choice, arguments.prefilter);
    let mut answer = if arguments.model {
        memories.chosen(&query, &context, environment, speech)?
    } else {
        memories.answer(&query)?
    };
    if arguments.prefilter.is_none() && !arguments.no_verify {
        memories.verify(&mut answer, &context.project);
    }
    if arguments.render {
        return render(&memories, &answer, speech);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for memory in &answer.memories {
        if speech.json {
            writeln!(out, "{}", show::memory_json(memory))?;
        } else {
            show::memory_text(&mut out, memory, speech)?;
        }
    }
    out.flush()?;
    memories.say_problems(speech);
    // Where memory is switched off, that is said already, and nothing was looked at.
    let is_off = context.decisions.modes.persistent == Mode::Off;
    if answer.memories.is_empty() && !is_off {
        speech.say(&match answer.files {
            0 => "there are no memories yet".to_owned(),
            1 => "the one memory does not fit; `memstrata explain --query` says why".to_owned(),
            files => format!("none of {files} memories fits; `memstrata explain --query` says why"),
        });
    } else if answer.cut {
        speech.say("more fit than are shown");
    }
    Ok(Exit::Done)
}

/// Says what a limit comes to that is over what is allowed.
fn say_limit(arguments: &Recall, speech: Speech) {
    let (most, beyond) = match arguments.prefilter {
        None => (FINAL_LIMIT, "; --prefilter K makes a longer menu"),
        Some(_) => (MAX_PREFILTER_LIMIT, ""),
    };
    let asked = arguments.choice.limit.max(arguments.prefilter);
    if asked.is_some_and(|asked| asked > most) {
        speech.say(&format!("at most {most} memories are allowed{beyond}"));
    }
}

/// The message: words as the shell parted them, or standard input.
fn query_text(words: &[String], speech: Speech) -> Result<String, Failure> {
    match words {
        [dash] if dash == "-" => read_standard_input(speech),
        words => Ok(words.join(" ")),
    }
}

fn render(memories: &Memories, answer: &Recollection, speech: Speech) -> Result<Exit, Failure> {
    let counter = Estimator::new();
    let rendered = match &memories.folder {
        Some(folder) => answer.render(folder.memory(), &RenderOptions::new(&counter)),
        None => memstrata::recall::Rendered::default(),
    };
    let mut out = io::stdout().lock();
    if speech.json {
        let paths: Vec<&str> = rendered.shown.iter().map(|(path, _)| &**path).collect();
        let object = json!({
            "block": rendered.text,
            "tokens": counter.count(&rendered.text),
            "paths": paths,
            "left_out": rendered.left_out,
            "cut": rendered.cut,
        });
        writeln!(out, "{object}")?;
    } else {
        out.write_all(rendered.text.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// The memory folder as recall sees it; nothing where there is none yet.
pub(super) struct Memories {
    folder: Option<Folder>,
    store: Option<Store>,
    refresh: Refresh,
}

impl Memories {
    /// Opens the folder with its index, and makes none where there is none.
    pub(super) fn open(context: &Context, speech: Speech) -> Result<Self, Failure> {
        let mut memories = Memories {
            folder: None,
            store: None,
            refresh: Refresh::default(),
        };
        if context.decisions.modes.persistent == Mode::Off {
            speech.say("memory is switched off, by MEMSTRATA_DISABLE or another setting: nothing is recalled");
            return Ok(memories);
        }
        if !exists(context.location.memory_dir()) {
            return Ok(memories);
        }
        let store = context.open(speech)?;
        let options = RootOptions::new().with_check_root(RootCheck::OnRequest);
        let root = MemoryRoot::open(store.dir(), &options)?;
        memories.folder = Some(Folder::open(Arc::new(root), recall_folder(&store)));
        memories.store = Some(store);
        Ok(memories)
    }

    /// Returns the folder with its index, where there is one.
    pub(super) fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref()
    }

    /// Returns a query as the command line asks for it.
    pub(super) fn query(&self, text: &str, choice: &Choice, prefilter: Option<usize>) -> Query {
        let mut query = Query::new(text, SystemClock.now());
        if let Some(most) = prefilter {
            query = query.prefilter(most);
        }
        if let Some(limit) = choice.limit {
            query = query.with_limit(limit);
        }
        query
            .with_surfaced(self.surfaced(&choice.surfaced))
            .with_recent_tools(choice.recent_tools.iter().map(String::as_str))
    }

    /// A host may know a memory by its whole path; what counts is the path below the folder.
    fn surfaced(&self, paths: &[String]) -> Vec<Surfaced> {
        let folder = self.folder.as_ref().map(|folder| folder.memory().path());
        let below = |path: &String| {
            let inside = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok());
            match inside.and_then(Path::to_str) {
                Some(inside) => Surfaced::path(inside),
                None => Surfaced::path(path),
            }
        };
        paths.iter().map(below).collect()
    }

    /// Looks at every file, then answers.
    pub(super) fn answer(&mut self, query: &Query) -> Result<Recollection, Failure> {
        let Some(folder) = &mut self.folder else {
            return Ok(Recollection::default());
        };
        self.refresh = folder.refresh()?;
        Ok(folder.rank(query))
    }

    /// As [`Memories::answer`], chosen by the model.
    fn chosen(
        &mut self,
        query: &Query,
        context: &Context,
        environment: &Environment,
        speech: Speech,
    ) -> Result<Recollection, Failure> {
        let by_rules = self.answer(query)?;
        let (Some(folder), Some(store)) = (&self.folder, &self.store) else {
            return Ok(by_rules);
        };
        let models = config::models(context, store, environment)?;
        match models.choose(folder, query) {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => {
                config::say_trouble(&error.to_string(), speech);
                Ok(by_rules)
            }
            None => Ok(by_rules),
        }
    }

    pub(super) fn verify(&self, answer: &mut Recollection, project: &Path) {
        let Some(folder) = &self.folder else { return };
        // Without the repository the memories are shown all the same, unchecked.
        let Ok(repository) = Repository::open(project) else {
            return;
        };
        let begin = Instant::now();
        let is_over = move || begin.elapsed() > Duration::from_millis(VERIFY_MILLISECONDS);
        answer.verify(folder.memory(), &repository, Budget::new(&is_over));
    }

    fn say_problems(&self, speech: Speech) {
        show::say_problems(&self.refresh, speech);
    }
}

/// Returns whether something is at a path, also when it is nothing that can be opened: that is for
/// the store to say.
pub(super) fn exists(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

//! Puts the sections together.

use token_count::{Estimator, TokenCounter as _};

use super::context::{Context, Folder, Saving};
use super::quote::{clean, code, fence, line, shell};
use super::template::fill;
use crate::memory_type::MemoryType;
use crate::store::log_pattern;

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/", $name, ".md"))
    };
}

/// Builds the prompt of a context.
///
/// The result depends on the context alone: no clock, no file. It ends with a line feed and has
/// these headings, in this order: `# auto memory`, `## Memory scope` (with a team folder), `## Types of
/// memory`, `## What NOT to save in memory`, `## How to save memories`, `## When to access
/// memories`, `## Before recommending from memory`, `## Memory and other forms of persistence`,
/// `## Searching past context`, `## MEMORY.md`.
///
/// # Hostile input
///
/// An index stands between fences that are longer than any run of backticks in it, with a sentence
/// in front that calls it data; paths stand in code spans, with line ends shown as U+FFFD. Control
/// characters and characters that hide or turn text are taken out. `{{…}}` in any of them is text. So
/// nothing from a folder can end its quotation or look like a section to a Markdown parser. What a
/// model makes of quoted words is beyond any quoting.
pub fn build(context: &Context) -> String {
    let mut sections = vec![intro(context)];
    if let Some(team) = &context.team {
        sections.push(scope(&context.private, team));
    }
    sections.extend([
        types(context.team.is_some()),
        plain(template!("exclusions")),
        saving(context),
        plain(template!("access")),
        plain(template!("verify")),
        plain(template!("persistence")),
        search(context),
        fill(template!("index_intro"), &[("indexes", &indexes(context))]),
    ]);
    sections.join("\n\n") + "\n"
}

/// What a prompt costs, in o200k tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenCost {
    /// The words of the prompt itself.
    pub instructions: usize,
    /// The indexes loaded into it.
    pub index: usize,
}

impl TokenCost {
    /// Returns the cost of the whole prompt.
    pub fn total(self) -> usize {
        self.instructions + self.index
    }
}

/// Estimates what the prompt of a context costs, in o200k tokens; for another model family count
/// the built text with a [`token_count::Factor`].
///
/// ```
/// use memdir::prompt::{self, Context, Folder};
///
/// let cost = prompt::token_cost(&Context::new(Folder::new("/home/ada/memory")));
/// assert_eq!(cost.index, 0);
/// assert!((1_500..3_500).contains(&cost.total()));
/// ```
pub fn token_cost(context: &Context) -> TokenCost {
    let counter = Estimator::new();
    let folders = std::iter::once(&context.private).chain(&context.team);
    let index = folders
        .map(|folder| counter.count(&clean(&folder.index.text)))
        .sum();
    TokenCost {
        instructions: counter.count(&build(context)).saturating_sub(index),
        index,
    }
}

fn plain(template: &str) -> String {
    fill(template, &[])
}

fn intro(context: &Context) -> String {
    let private = code(&context.private.path);
    let text = match &context.team {
        None => fill(template!("intro_private"), &[("private_path", &private)]),
        Some(team) => fill(
            template!("intro_team"),
            &[("private_path", &private), ("team_path", &code(&team.path))],
        ),
    };
    match context.saving {
        Saving::Files => text,
        Saving::Log => text + "\n\n" + &plain(template!("intro_log")),
    }
}

fn scope(private: &Folder, team: &Folder) -> String {
    let values = [
        ("private_path", &*code(&private.path)),
        ("team_path", &*code(&team.path)),
    ];
    fill(template!("scope"), &values)
}

/// The four types, below headings of their own; with a team in blocks that name the scope.
fn types(with_team: bool) -> String {
    let mut text = plain(template!("types_intro"));
    for memory_type in MemoryType::ALL {
        let (about, scope) = match memory_type {
            MemoryType::User => (template!("types/user"), "always private"),
            MemoryType::Feedback => (
                template!("types/feedback"),
                "private, unless it is a convention of the whole project, such as how tests are run",
            ),
            MemoryType::Project => (template!("types/project"), "team, with few exceptions"),
            MemoryType::Reference => (template!("types/reference"), "usually team"),
        };
        let about = plain(about);
        let block = if with_team {
            format!(
                "\n\n<type>\n<name>{memory_type}</name>\n<scope>{scope}</scope>\n\n{about}\n</type>"
            )
        } else {
            format!("\n\n### {memory_type}\n\n{about}")
        };
        text.push_str(&block);
    }
    text
}

fn saving(context: &Context) -> String {
    match context.saving {
        Saving::Files => saving_files(context),
        Saving::Log => saving_log(context),
    }
}

fn saving_files(context: &Context) -> String {
    let (in_its_folder, limits_hold) = match context.team {
        None => ("", ""),
        Some(_) => (" in the folder of its scope", " for each folder by itself"),
    };
    let values = [
        ("in_its_folder", in_its_folder),
        ("limits_hold", limits_hold),
    ];
    let (steps, forgetting) = if context.index_step {
        (
            template!("saving_files_indexed"),
            template!("forgetting_indexed"),
        )
    } else {
        (
            template!("saving_files_plain"),
            template!("forgetting_plain"),
        )
    };
    let steps = fill(steps, &values);
    let rules = plain(template!("saving_rules"));
    format!("{steps}\n\n{rules}\n{}", plain(forgetting))
}

fn saving_log(context: &Context) -> String {
    let path = format!(
        "{}/{}",
        context.private.path.trim_end_matches('/'),
        log_pattern()
    );
    let mut distillation = plain(if context.index_step {
        template!("distillation_indexed")
    } else {
        template!("distillation_plain")
    });
    if context.team.is_some() {
        distillation = plain(template!("scope_of_entries")) + "\n" + &distillation;
    }
    let values = [
        ("log_path", &*code(&path)),
        ("distillation", &*distillation),
    ];
    fill(template!("saving_log"), &values)
}

fn search(context: &Context) -> String {
    let (memories, transcripts) = match &context.search {
        Some(search) => (search.memories.clone(), search.transcripts.clone()),
        None => (memory_search(context), transcript_search(context)),
    };
    let transcripts = match &context.transcripts {
        None => String::new(),
        Some(folder) => {
            let values = [
                ("transcripts_path", &*code(folder)),
                ("transcript_command", &*command(&transcripts)),
            ];
            // The blank line that the template begins with parts the two lists.
            fill(template!("search_transcripts"), &values) + "\n"
        }
    };
    let values = [
        ("memory_search", &*command(&memories)),
        ("transcript_search", &*transcripts),
    ];
    fill(template!("search"), &values)
}

/// `grep` over the memory files. The team folder is usually inside the private one and is named
/// only where it is not.
fn memory_search(context: &Context) -> String {
    let private = &context.private.path;
    let mut command = format!("grep -rniF --include='*.md' -e '<term>' {}", shell(private));
    if let Some(team) = &context.team
        && !is_inside(&team.path, private)
    {
        command = command + " " + &shell(&team.path);
    }
    command
}

fn transcript_search(context: &Context) -> String {
    let folder = context.transcripts.as_deref().unwrap_or_default();
    format!(
        "grep -rnoE --include='*.jsonl' -e '.{{0,200}}<term>.{{0,200}}' {}",
        shell(folder)
    )
}

fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches(['/', '\\']))
        .is_some_and(|rest| rest.starts_with(['/', '\\']))
}

fn command(text: &str) -> String {
    let text = line(text);
    let fence = fence(&text);
    format!("{fence}sh\n{text}\n{fence}")
}

fn indexes(context: &Context) -> String {
    match &context.team {
        None => index(&context.private, ""),
        Some(team) => index(&context.private, "private ") + "\n\n" + &index(team, "team "),
    }
}

/// The index of one folder: its text between fences, then the warning, which is ours.
fn index(folder: &Folder, scope: &str) -> String {
    let path = code(&folder.path);
    let text = clean(&folder.index.text);
    let text = text.trim_end();
    if text.is_empty() {
        return fill(
            template!("index_empty"),
            &[("scope", scope), ("path", &path)],
        );
    }
    let values = [
        ("scope", scope),
        ("path", &*path),
        ("fence", &*fence(text)),
        ("index", text),
    ];
    let mut block = fill(template!("index_loaded"), &values);
    if let Some(warning) = &folder.index.warning {
        block = block + "\n\n" + &line(warning);
    }
    block
}

//! Whether a memory may be written: evidence, origin, exclusions, duplicates.
//!
//! Both ways of extracting come through here, the rules and the model. Reasons are written so that a
//! model can act on them and a person can understand them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use memdir::lint::{self, Code, SourceFile};
use memdir::{
    ContentHash, Date, ListOptions, Memory, MemoryType, Mode, Scope, Store,
    limits::MEMORY_MAX_BYTES,
};
use pathguard::PathKey;

use crate::error::Error;
use crate::evidence::Material;
use crate::likeness::says_more;
use crate::proposal::{Evidence, Source};
use crate::text::{letters, weight};

/// How many existing memories are compared word by word; the newest.
pub const MAX_COMPARED: usize = 500;

/// Shorter lines are shared by chance.
const MIN_LINE_WEIGHT: usize = 30;

/// A memory that somebody wants to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    /// Its file, when it is known already.
    pub(crate) path: Option<&'a PathKey>,
    pub(crate) memory_type: Option<MemoryType>,
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) body: &'a str,
    pub(crate) quote: &'a str,
    /// Who said it, as the writer claims.
    pub(crate) source: Source,
    /// Whether a missing reason is a reason to refuse: a model can be told to add it.
    pub(crate) needs_reason: bool,
}

/// A memory that may be written, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Approved {
    pub(crate) memory_type: MemoryType,
    pub(crate) evidence: Evidence,
}

/// Why a memory is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// No quote was given.
    NoEvidence,
    /// The quote stands in no message of the person's.
    NotSaid,
    /// It has no name, description, type or reason.
    Incomplete,
    /// Its words come from a tool, and it claims to be about the person.
    ToolText,
    /// Its words were put into the conversation by the program: instructions or recalled memories.
    Injected,
    /// It repeats an instruction file of the project.
    Restated,
    /// What it says can be read from the project itself.
    Derivable,
    /// There is such a memory already.
    Known,
    /// It is about a person and would be shared with the team.
    Private,
    /// It holds characters that nobody can see, or that turn text around.
    Unreadable,
    /// It holds a credential.
    Secret,
}

impl Refusal {
    /// A short stable name, such as `not-said`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoEvidence => "no-evidence",
            Self::NotSaid => "not-said",
            Self::Incomplete => "incomplete",
            Self::ToolText => "tool-text",
            Self::Injected => "injected",
            Self::Restated => "restated",
            Self::Derivable => "derivable",
            Self::Known => "known",
            Self::Private => "private",
            Self::Unreadable => "unreadable",
            Self::Secret => "secret",
        }
    }
}

/// A refusal with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    pub(crate) reason: String,
}

fn refuse<T>(refusal: Refusal, reason: impl Into<String>) -> Result<T, Refused> {
    Err(Refused {
        refusal,
        reason: reason.into(),
    })
}

/// A memory that exists.
#[derive(Clone, Debug)]
pub(crate) struct Existing {
    pub(crate) path: PathKey,
    pub(crate) name: String,
    #[cfg_attr(
        not(feature = "agent"),
        allow(dead_code, reason = "only a model gets a manifest")
    )]
    pub(crate) description: String,
    pub(crate) hash: Option<ContentHash>,
    /// Whether extraction wrote it: it carries its evidence.
    pub(crate) is_extracted: bool,
    letters: String,
    bytes: Vec<u8>,
}

impl Existing {
    fn new(path: PathKey, memory: &Memory, hash: Option<ContentHash>) -> Self {
        Self {
            path,
            name: memory.name().to_owned(),
            description: memory.description().to_owned(),
            hash,
            is_extracted: memory.value("evidence").is_some(),
            letters: letters(memory.body()),
            bytes: memory.print(),
        }
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether a text says the same, letter by letter.
    pub(crate) fn says(&self, body: &str) -> bool {
        self.letters == letters(body)
    }
}

/// Loads the memories that new ones are compared with.
fn existing(store: &Store) -> Result<Vec<Existing>, Error> {
    let list = store.list(&ListOptions::default().with_limit(MAX_COMPARED))?;
    let mut existing = Vec::with_capacity(list.memories.len());
    for summary in list.memories {
        // One that vanishes meanwhile, or cannot be read, is no duplicate of anything.
        let Ok(stored) = store.read_path(&summary.path) else {
            continue;
        };
        existing.push(Existing::new(stored.path, &stored.memory, stored.hash));
    }
    Ok(existing)
}

/// Everything that candidates of one run are held against.
#[derive(Debug)]
pub(crate) struct Review {
    material: Material,
    existing: Mutex<Vec<Existing>>,
    /// The texts of memories that wait in the inbox.
    waiting: Vec<String>,
    instructions: Vec<(String, Vec<u8>)>,
    today: Date,
    said: String,
    tools: String,
    injected: String,
}

impl Review {
    pub(crate) fn new(
        store: &Store,
        material: Material,
        instructions: Vec<(String, Vec<u8>)>,
        today: Date,
    ) -> Result<Self, Error> {
        let waiting = match store.options().modes().persistent {
            Mode::Ask => store.inbox()?.items,
            _ => Vec::new(),
        };
        // A mark that is no letter keeps lines of two texts from joining.
        let join = |texts: &mut dyn Iterator<Item = &String>| {
            texts
                .map(|text| letters(text))
                .collect::<Vec<_>>()
                .join("\n")
        };
        Ok(Self {
            said: join(&mut material.statements.iter().map(|statement| &statement.text)),
            tools: join(&mut material.tool_texts.iter()),
            injected: join(&mut material.injected.iter()),
            material,
            existing: Mutex::new(existing(store)?),
            waiting: waiting
                .iter()
                .map(|item| letters(item.memory().body()))
                .collect(),
            instructions,
            today,
        })
    }

    pub(crate) fn material(&self) -> &Material {
        &self.material
    }

    pub(crate) fn today(&self) -> Date {
        self.today
    }

    /// Takes note of a memory that was just written, so that the next one is held against it too.
    pub(crate) fn note(&self, path: &PathKey, bytes: &[u8]) {
        let mut existing = self.existing();
        existing.retain(|known| known.path != *path);
        existing.push(Existing::new(
            path.clone(),
            &Memory::parse(bytes),
            Some(ContentHash::of(bytes)),
        ));
    }

    /// Nothing is left half done in the list when a thread panics.
    pub(crate) fn existing(&self) -> MutexGuard<'_, Vec<Existing>> {
        self.existing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory with this title, if there is one.
    pub(crate) fn titled(&self, name: &str) -> Option<Existing> {
        let wanted = pathguard::fold_key(name.trim());
        self.existing()
            .iter()
            .find(|known| pathguard::fold_key(known.name.trim()) == wanted)
            .cloned()
    }

    /// Decides.
    pub(crate) fn judge(&self, candidate: &Candidate<'_>) -> Result<Approved, Refused> {
        let memory_type = shape(candidate)?;
        let mut evidence = self.evidence(candidate)?;
        if self.origin(candidate)? == Source::Tool {
            evidence.source = Source::Tool;
        }
        let about_person = matches!(memory_type, MemoryType::User | MemoryType::Feedback);
        if evidence.source == Source::Tool && about_person {
            return refuse(
                Refusal::ToolText,
                format!(
                    "text from a tool or a page may become project or reference, never {memory_type}, unless \
                     the user said it too"
                ),
            );
        }
        if candidate
            .path
            .is_some_and(|path| Scope::of(path.as_ref()) == Scope::Team)
            && memory_type == MemoryType::User
        {
            return refuse(
                Refusal::Private,
                "what is about the user is never shared with the team",
            );
        }
        self.known(candidate)?;
        self.lint(candidate, memory_type)?;
        Ok(Approved {
            memory_type,
            evidence,
        })
    }

    fn evidence(&self, candidate: &Candidate<'_>) -> Result<Evidence, Refused> {
        let quote = candidate.quote.trim();
        if quote.is_empty() {
            return refuse(
                Refusal::NoEvidence,
                "every memory needs an `evidence:` line in its front matter: the user's own words, copied \
                 exactly from one of their messages",
            );
        }
        match self.material.find(quote) {
            Some(statement) => {
                let mut evidence = Evidence::person(quote, statement.message_id.clone());
                evidence.source = candidate.source;
                Ok(evidence)
            }
            None => refuse(
                Refusal::NotSaid,
                "the evidence stands in no message that the user has written since the last extraction; \
                 quote their words exactly, or write nothing",
            ),
        }
    }

    /// Where the words of the body come from.
    fn origin(&self, candidate: &Candidate<'_>) -> Result<Source, Refused> {
        let mut source = Source::Person;
        for line in candidate.body.lines().chain([candidate.description]) {
            let line = letters(line);
            if weight(&line) < MIN_LINE_WEIGHT || self.said.contains(&line) {
                continue;
            }
            if self.injected.contains(&line) {
                return refuse(
                    Refusal::Injected,
                    "these words stand in instructions or memories that were put into the conversation; they \
                     are known already",
                );
            }
            if self.tools.contains(&line) {
                source = Source::Tool;
            }
        }
        Ok(source)
    }

    /// The same text under another name is the same memory.
    fn known(&self, candidate: &Candidate<'_>) -> Result<(), Refused> {
        let body = letters(candidate.body);
        let existing = self.existing();
        let same = existing.iter().find(|known| {
            let is_own = candidate.path == Some(&known.path);
            !is_own && !body.is_empty() && known.letters == body
        });
        match same {
            Some(known) => refuse(
                Refusal::Known,
                format!("{} says exactly this already", known.path.as_str()),
            ),
            None if self.waiting.contains(&body) => {
                refuse(Refusal::Known, "it waits in the inbox already")
            }
            None => Ok(()),
        }
    }

    fn lint(&self, candidate: &Candidate<'_>, memory_type: MemoryType) -> Result<(), Refused> {
        // The last path of all, so that of two alike memories this one is reported.
        const PATH: &str = "\u{10FFFD}.md";
        let memory = Memory::new(
            memory_type,
            candidate.name,
            candidate.description,
            candidate.body,
        );
        let bytes = memory.print();
        if bytes.len() as u64 > MEMORY_MAX_BYTES {
            return refuse(
                Refusal::Incomplete,
                "it is longer than a memory may be; shorten it",
            );
        }
        let existing = self.existing();
        let others = existing
            .iter()
            .filter(|known| candidate.path != Some(&known.path))
            .map(|known| SourceFile::new(known.path.as_str(), &known.bytes));
        let files = others.chain([SourceFile::new(PATH, &bytes)]).collect();
        let instructions = self.instructions.iter();
        let input = lint::Input::new(files, self.today).with_instructions(
            instructions
                .map(|(name, bytes)| SourceFile::new(name, bytes))
                .collect(),
        );
        let report = lint::check(&input);
        let found = report
            .findings
            .iter()
            .filter(|finding| finding.path == PATH);
        let mut is_near = false;
        for finding in found {
            let refusal = match finding.code {
                Code::RepeatsInstructions => Refusal::Restated,
                Code::Derivable => Refusal::Derivable,
                Code::InvisibleUnicode | Code::DirectionUnicode => Refusal::Unreadable,
                Code::Secret => Refusal::Secret,
                Code::NearDuplicate => {
                    is_near = true;
                    continue;
                }
                _ => continue,
            };
            return refuse(refusal, finding.message.clone());
        }
        drop(existing);
        // Hardly ever: the memories are read and compared once more only where the lint found one alike.
        if is_near {
            self.nearly_known(candidate, memory)
        } else {
            Ok(())
        }
    }

    /// A memory in nearly the same words is the same one, unless they differ in what they are about.
    fn nearly_known(&self, candidate: &Candidate<'_>, memory: Memory) -> Result<(), Refused> {
        let existing = self.existing();
        let others: Vec<&Existing> = existing
            .iter()
            .filter(|known| candidate.path != Some(&known.path))
            .collect();
        let mut memories: Vec<Memory> = others
            .iter()
            .map(|known| Memory::parse(&known.bytes))
            .collect();
        // The last of all, so that of two alike memories this one is reported.
        memories.push(memory);
        let memories: Vec<&Memory> = memories.iter().collect();
        let last = memories.len() - 1;
        let near = lint::near_duplicates(&memories);
        match near.iter().find(|pair| pair.at == last) {
            Some(pair) if !says_more(memories[last], memories[pair.of]) => refuse(
                Refusal::Known,
                format!(
                    "{} says nearly the same ({} % of the words)",
                    others[pair.of].path.as_str(),
                    pair.percent
                ),
            ),
            _ => Ok(()),
        }
    }
}

fn shape(candidate: &Candidate<'_>) -> Result<MemoryType, Refused> {
    if candidate.name.trim().is_empty() || candidate.description.trim().is_empty() {
        return refuse(
            Refusal::Incomplete,
            "a memory begins with front matter: name, description, type (user, feedback, project or \
             reference) and evidence, between lines of `---`",
        );
    }
    if candidate.body.trim().is_empty() {
        return refuse(Refusal::Incomplete, "the memory has no text");
    }
    let Some(memory_type) = candidate.memory_type else {
        return refuse(
            Refusal::Incomplete,
            "`type:` is user, feedback, project or reference",
        );
    };
    let wants_reason = matches!(memory_type, MemoryType::Feedback | MemoryType::Project);
    if candidate.needs_reason && wants_reason {
        let memory = Memory::new(memory_type, "n", "d", candidate.body);
        if memory.why().is_none() || memory.how_to_apply().is_none() {
            return refuse(
                Refusal::Incomplete,
                format!(
                    "a {memory_type} memory ends with a `**Why:**` line and a `**How to apply:**` line"
                ),
            );
        }
    }
    Ok(memory_type)
}

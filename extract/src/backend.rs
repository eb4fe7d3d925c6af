//! What a run does: a back end looks at the work and saves through it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_model::Request;
use agent_transcript::Entry;
use memdir::{
    Date, Expect, MemoryType, Mode, Origin, SaveFile, SaveRequest, Scope, Store, Submitted, Writer,
    file_name,
};
use pathguard::PathKey;

use crate::cancel::Cancel;
use crate::decision_log::Decided;
use crate::error::{Error, ErrorKind};
use crate::lease::Lease;
use crate::notice::Action;
use crate::proposal::{Evidence, Proposal, Source, Statement};
use crate::review::{Approved, Candidate, Existing, Refusal, Refused, Review};
use crate::text::one_line;

/// Who we are, in the journal.
const ACTOR: &str = "extract";

/// A longer quote is shortened in the front matter; the log of decisions keeps more of it.
const MAX_EVIDENCE_CHARS: usize = 240;

/// Finds memories in the new part of a conversation.
///
/// It runs on a thread of its own. Whatever it does to the memory folder goes through [`Work`], where
/// evidence, exclusions, the mode, the lease and cancellation are looked at.
pub trait Backend: Send + Sync {
    /// Looks at the work and saves what is worth keeping, which is usually nothing.
    ///
    /// # Errors
    ///
    /// When it could not look at everything. What was saved stays saved, and the same messages are
    /// looked at again.
    fn run(&self, work: &Arc<Work>) -> Result<(), Error>;
}

/// The rules instead of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfflineBackend;

impl Backend for OfflineBackend {
    fn run(&self, work: &Arc<Work>) -> Result<(), Error> {
        for proposal in crate::offline::propose(work.statements(), work.today()) {
            work.may_go_on()?;
            if work.save(&proposal) == Action::Failed {
                return Err(Error::new(
                    ErrorKind::Memory,
                    "a memory could not be written",
                ));
            }
        }
        Ok(())
    }
}

/// The work of one run: what was said, and the way to save.
#[derive(Debug)]
pub struct Work {
    pub(crate) store: Arc<Store>,
    pub(crate) session: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) request: Option<Request>,
    pub(crate) review: Review,
    pub(crate) cancel: Cancel,
    pub(crate) lease: Option<Arc<Lease>>,
    pub(crate) is_dry: bool,
    pub(crate) decided: Mutex<Vec<Decided>>,
}

impl Work {
    /// What the person said that nobody has looked at yet; never empty.
    pub fn statements(&self) -> &[Statement] {
        &self.review.material().statements
    }

    /// The new messages, everything in them included.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The request of the main conversation with its last reply, when the host gave it.
    pub fn request(&self) -> Option<&Request> {
        self.request.as_ref()
    }

    /// The day it is, in the user's time zone.
    pub fn today(&self) -> Date {
        self.review.today()
    }

    /// The session that the conversation belongs to.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Ends the run from outside; a back end that waits for something hangs itself in.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether writing is still allowed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cancelled`] and [`ErrorKind::LeaseLost`].
    pub fn may_go_on(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        self.lease.as_ref().map_or(Ok(()), |lease| lease.check())
    }

    /// Saves a memory, if it stands the review; a copy of one that exists changes nothing.
    ///
    /// A memory of the same title that extraction wrote is updated; one that a person wrote stays.
    pub fn save(&self, proposal: &Proposal) -> Action {
        let known = self.review.titled(&proposal.name);
        let mut decided = match self.try_save(proposal, known.as_ref()) {
            Ok(decided) => decided,
            Err(refused) => not_written(&refused),
        };
        decided.name = Some(proposal.name.clone());
        decided.memory_type = Some(proposal.memory_type);
        decided.quote = Some(proposal.evidence.quote.clone());
        decided.message_id.clone_from(&proposal.evidence.message_id);
        let action = decided.action;
        self.record(decided);
        action
    }

    fn try_save(&self, proposal: &Proposal, known: Option<&Existing>) -> Result<Decided, Refused> {
        if let Some(known) = known
            && (known.says(&proposal.body) || !known.is_extracted)
        {
            let why = if known.is_extracted || known.says(&proposal.body) {
                "it is known already"
            } else {
                "a memory of this title exists that a person wrote; it stays as it is"
            };
            let mut decided = Decided::new(Action::Skipped, Refusal::Known.as_str(), why);
            decided.path = Some(known.path.as_str().to_owned());
            return Ok(decided);
        }
        if known.is_some_and(|known| crate::dream::is_protected(known.bytes())) {
            return Ok(Decided::new(
                Action::Skipped,
                "protected",
                "this memory is protected; a person changes it",
            ));
        }
        let approved = self.review.judge(&Candidate {
            path: known.map(|known| &known.path),
            memory_type: Some(proposal.memory_type),
            name: &proposal.name,
            description: &proposal.description,
            body: &proposal.body,
            quote: &proposal.evidence.quote,
            source: proposal.evidence.source,
            needs_reason: false,
        })?;
        let mut request = SaveRequest::new(
            approved.memory_type,
            &proposal.name,
            &proposal.description,
            &proposal.body,
        );
        if let Some(known) = known {
            let expect = known.hash.map_or(Expect::Absent, Expect::Hash);
            request = request.replacing(known.path.as_str(), expect);
        }
        for (key, value) in self.labels(&approved.evidence) {
            request = request.with_field(key, &value);
        }
        if self.is_dry {
            let path = known.map_or_else(
                || file_name(approved.memory_type, &proposal.name, &|_| false),
                |known| known.path.as_str().to_owned(),
            );
            return Ok(written(path, known.is_some(), self.asks(Scope::Private)));
        }
        match self
            .store
            .submit(&request, &self.origin(&approved.evidence))
        {
            Ok(Submitted::Saved(saved)) => {
                if let Ok(stored) = self.store.read_path(&saved.path) {
                    self.review.note(&saved.path, stored.memory.as_bytes());
                }
                Ok(written(
                    saved.path.as_str().to_owned(),
                    saved.replaced,
                    false,
                ))
            }
            Ok(Submitted::Proposed(item)) => {
                let path = item.candidate.path.as_str().to_owned();
                Ok(written(path, item.candidate.base.is_some(), true))
            }
            Err(error) => Ok(failed(&error)),
        }
    }

    /// Saves a whole file that a model wrote, as it stands but for the labels. The reason for a refusal
    /// is for the model.
    #[cfg_attr(
        not(feature = "agent"),
        allow(dead_code, reason = "only a model writes files")
    )]
    pub(crate) fn save_file(
        &self,
        path: &PathKey,
        before: Option<&str>,
        text: &str,
        approved: &Approved,
    ) -> Result<(), String> {
        self.may_go_on().map_err(|error| error.to_string())?;
        let bytes = self.labelled(path, text, approved);
        let mut decided = if self.is_dry {
            written(
                path.as_str().to_owned(),
                before.is_some(),
                self.asks(Scope::of(path.as_ref())),
            )
        } else {
            self.store_file(path, before, &bytes, &approved.evidence)
        };
        let memory = memdir::Memory::parse(&bytes);
        decided.name = Some(memory.name().to_owned());
        decided.memory_type = Some(approved.memory_type);
        decided.quote = Some(approved.evidence.quote.clone());
        decided.message_id.clone_from(&approved.evidence.message_id);
        let (action, why) = (decided.action, decided.why.clone());
        self.record(decided);
        if action.is_write() { Ok(()) } else { Err(why) }
    }

    fn store_file(
        &self,
        path: &PathKey,
        before: Option<&str>,
        bytes: &[u8],
        evidence: &Evidence,
    ) -> Decided {
        let origin = self.origin(evidence);
        let base = before.map(|before| memdir::ContentHash::of(before.as_bytes()));
        if self.asks(Scope::of(path.as_ref())) {
            let candidate = memdir::Candidate {
                path: path.clone(),
                bytes: bytes.to_vec(),
                base,
            };
            return match self.store.propose_file(candidate, &origin) {
                Ok(_) => written(path.as_str().to_owned(), before.is_some(), true),
                Err(error) => failed(&error),
            };
        }
        let expect = base.map_or(Expect::Absent, Expect::Hash);
        let file = SaveFile::new(path.clone(), bytes).with_expect(expect);
        match self.store.save_file(&file, &origin) {
            Ok(saved) => {
                self.review.note(path, bytes);
                written(saved.path.as_str().to_owned(), saved.replaced, false)
            }
            Err(error) => failed(&error),
        }
    }

    /// The text with its labels, absolute dates and the time of the change.
    fn labelled(&self, path: &PathKey, text: &str, approved: &Approved) -> Vec<u8> {
        let mut memory = memdir::Memory::parse(text.as_bytes());
        for (key, value) in self.labels(&approved.evidence) {
            memory.set_value(key, &value);
        }
        memory.set_modified(self.store.options().clock().now().to_whole_second());
        let bytes = memory.print();
        // "Thursday" counts from the day it was said.
        let said = self.review.material().find(&approved.evidence.quote);
        let day = said
            .and_then(|statement| statement.time)
            .map_or(self.today(), |time| {
                time.date(self.store.options().clock().offset_seconds())
            });
        let file = memdir::lint::SourceFile::new(path.as_str(), &bytes).with_date(day);
        let input = memdir::lint::Input::new(vec![file], day);
        let report = memdir::lint::check(&input);
        let dates: Vec<_> = report
            .findings
            .into_iter()
            .filter(|finding| finding.code == memdir::lint::Code::RelativeDate)
            .collect();
        let fixed = memdir::lint::fix(&input, &dates).files;
        let own = fixed.into_iter().find(|file| file.path == path.as_str());
        own.map_or(bytes, |file| file.bytes)
    }

    /// Where a memory comes from, for its front matter.
    fn labels(&self, evidence: &Evidence) -> [(&'static str, String); 3] {
        let origin = match evidence.source {
            Source::Person => "person",
            Source::Tool => "tool",
        };
        [
            ("origin", origin.to_owned()),
            ("evidence", one_line(&evidence.quote, MAX_EVIDENCE_CHARS)),
            ("originSessionId", self.session.clone()),
        ]
    }

    fn origin(&self, evidence: &Evidence) -> Origin {
        let origin = Origin::new(Writer::Background, ACTOR).with_session(&self.session);
        match &evidence.message_id {
            Some(id) => origin.with_note(&format!("said in message {}", one_line(id, 80))),
            None => origin,
        }
    }

    fn asks(&self, scope: Scope) -> bool {
        let modes = self.store.options().modes();
        let mode = match scope {
            Scope::Private => modes.persistent,
            Scope::Team => modes.team,
        };
        mode == Mode::Ask
    }

    /// Puts a decision into the log of the session.
    pub(crate) fn record(&self, decided: Decided) {
        tracing::info!(
            action = decided.action.as_str(),
            code = decided.code,
            path = decided.path,
            "extract.decided"
        );
        self.decided().push(decided);
    }

    /// Records that something was refused.
    #[cfg_attr(
        not(feature = "agent"),
        allow(dead_code, reason = "only a model is refused tools")
    )]
    pub(crate) fn record_refusal(
        &self,
        refused: &Refused,
        path: Option<&PathKey>,
        name: &str,
        memory_type: Option<MemoryType>,
        quote: &str,
    ) {
        let mut decided = not_written(refused);
        decided.path = path.map(|path| path.as_str().to_owned());
        decided.name = (!name.is_empty()).then(|| name.to_owned());
        decided.memory_type = memory_type;
        decided.quote = (!quote.is_empty()).then(|| quote.to_owned());
        self.record(decided);
    }

    pub(crate) fn decided(&self) -> MutexGuard<'_, Vec<Decided>> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn written(path: String, replaced: bool, proposed: bool) -> Decided {
    let (action, why) = match (proposed, replaced) {
        (true, _) => (Action::Proposed, "it waits in the inbox for a person"),
        (false, true) => (Action::Updated, "the memory was brought up to date"),
        (false, false) => (Action::Created, "a person said it, and nothing knew it yet"),
    };
    let mut decided = Decided::new(action, "saved", why);
    decided.path = Some(path);
    decided
}

fn not_written(refused: &Refused) -> Decided {
    let action = match refused.refusal {
        Refusal::Known => Action::Skipped,
        _ => Action::Refused,
    };
    Decided::new(action, refused.refusal.as_str(), refused.reason.clone())
}

/// Refusals of the store are answers; only what might work next time is a failure.
fn failed(error: &memdir::Error) -> Decided {
    use memdir::ErrorKind as Kind;
    let (action, code) = match error.kind() {
        Kind::Secret => (Action::Refused, "secret"),
        Kind::Refused => (Action::Refused, "refused"),
        Kind::TooLarge => (Action::Refused, "too-large"),
        Kind::StaleHash => (Action::Skipped, "changed-meanwhile"),
        _ => (Action::Failed, "failed"),
    };
    let mut why = error.to_string();
    if let Some(remedy) = error.remedy() {
        why.push_str("; ");
        why.push_str(remedy);
    }
    Decided::new(action, code, why)
}

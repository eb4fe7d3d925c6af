//! The summary of last resort: nine sections, written by a side agent that may do nothing at all.

use agent_model::{ErrorKind as ModelErrorKind, Request, Role};
use forked_agent::{
    Call, Ended, Gate, Limits, Outcome, SideAgent, Toolbox, Verdict, Workspace, fork,
};
use memdir::pathguard::{MemoryRoot, RootOptions};
use token_count::TokenCounter;

use super::{Turn, Updater};
use crate::compact::{CompactLimits, Compacted, Session, replace, summary_text};
use crate::error::{Error, ErrorKind};
use crate::notes::{Notes, NotesLimits, Structure};

/// What the side agent is told; the template with the nine headings follows.
const PROMPT: &str = include_str!("../../templates/summary-prompt.md");
const TEMPLATE: &str = include_str!("../../templates/summary.md");

/// A conversation that is too long even for its own summary loses its older half, so often.
const MOST_HALVINGS: usize = 4;

/// One reply with the summary, and one more for a model that calls a tool first.
const MOST_TURNS: u32 = 2;

/// About 12,000 tokens of summary, and thinking before it.
const MOST_OUTPUT_TOKENS: u32 = 20_000;

/// Denies every call.
struct Nothing;

impl Gate for Nothing {
    fn decide(&self, _: &Call<'_>) -> Verdict {
        Verdict::deny("no tool is available for this: reply with the summary")
    }
}

impl Updater {
    pub(super) async fn fall_back(
        &self,
        turn: &Turn<'_>,
        session: &Session<'_>,
        limits: &CompactLimits,
        counter: &dyn TokenCounter,
    ) -> Result<Compacted, Error> {
        if let Some(reason) = self.shared.state().summaries.tripped() {
            return Err(Error::new(ErrorKind::Tripped, reason));
        }
        let result = self.summarise(turn, session, limits, counter).await;
        let mut state = self.shared.state();
        match &result {
            Ok(_) => state.summaries.succeeded(),
            Err(error) => state.summaries.failed(error.to_string()),
        }
        result
    }

    async fn summarise(
        &self,
        turn: &Turn<'_>,
        session: &Session<'_>,
        limits: &CompactLimits,
        counter: &dyn TokenCounter,
    ) -> Result<Compacted, Error> {
        let mut request = turn.request.clone();
        let mut halvings = 0;
        let outcome = loop {
            let outcome = self.ask_for_summary(request.clone()).await?;
            if !is_too_long(&outcome) || halvings == MOST_HALVINGS || !halve(&mut request) {
                break outcome;
            }
            halvings += 1;
        };
        let summary = read_summary(&outcome)?;
        // The side agent has seen everything: all of it is covered, and the newest messages stay beside.
        let whole = Session {
            covered: session.entries.len().checked_sub(1),
            ..*session
        };
        replace(&whole, limits, counter, |ledger| {
            summary_text(&summary, &whole, ledger, limits, counter)
        })
        .map_err(|why| Error::new(ErrorKind::Update, why.to_string()))
    }

    async fn ask_for_summary(&self, request: Request) -> Result<Outcome, Error> {
        // A side agent has a folder, though this one may not even look into it.
        let folder = MemoryRoot::open(self.shared.file.folder(), &RootOptions::default());
        let toolbox = Toolbox::new(Workspace::new(folder.map_err(Error::file)?));
        let mut agent_limits = Limits::default()
            .with_max_turns(MOST_TURNS)
            .with_time(self.shared.options.stuck_after.saturating_mul(2));
        agent_limits.max_output_tokens = MOST_OUTPUT_TOKENS;
        let agent = SideAgent::new(&*self.shared.model, &toolbox, &Nothing)
            .with_limits(agent_limits)
            .with_clock(&*self.shared.clock);
        Ok(fork(&agent, request, format!("{PROMPT}{TEMPLATE}")).await)
    }
}

fn is_too_long(outcome: &Outcome) -> bool {
    let refused = outcome
        .error
        .as_ref()
        .is_some_and(|error| error.kind() == ModelErrorKind::TooLarge);
    refused || (outcome.ended == Ended::Cut && outcome.text.trim().is_empty())
}

/// Drops the older half of a conversation, up to a message of the user's that answers no call.
fn halve(request: &mut Request) -> bool {
    let messages = &request.messages;
    let half = messages.len() / 2;
    let begins = |index: &usize| {
        let message = &messages[*index];
        message.role == Role::User && message.tool_results().next().is_none()
    };
    match (half.max(1)..messages.len()).find(begins) {
        Some(start) => {
            request.messages.drain(..start);
            // The marks are indices into what was dropped; the cache is lost either way.
            request.cache.after_messages.clear();
            true
        }
        None => false,
    }
}

/// Takes the nine sections out of the reply. At least half of them must be there.
fn read_summary(outcome: &Outcome) -> Result<Notes, Error> {
    let failed = |reason: String| Error::new(ErrorKind::Update, reason);
    if outcome.ended != Ended::Finished {
        let reason = match &outcome.error {
            Some(error) => error.to_string(),
            None => format!("the summary was not finished ({})", outcome.ended.as_str()),
        };
        return Err(failed(reason));
    }
    let structure = Structure::from_template(TEMPLATE)
        .expect("a structure because our own template has sections");
    let repair = Notes::repair(outcome.text.as_bytes(), &structure, &NotesLimits::default());
    let notes = repair
        .map_err(|violations| Error::invalid("the summary is not usable", violations))?
        .notes;
    if notes.is_untouched() {
        return Err(failed("the summary is empty".to_owned()));
    }
    Ok(notes)
}

//! What a store needs to know, and who is asking.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pathguard::{RootCheck, RootOptions};

use crate::IndexLimits;
use crate::clock::Clock;
use crate::journal::JournalLimits;
use crate::limits::ORIGIN_MAX_BYTES;
use crate::settings::{Decisions, Layer, Mode, Modes, SecretAction};
use crate::text::floor_boundary;

/// How a store is opened. Everything but the clock has a safe default.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    clock: Arc<dyn Clock>,
    pub(super) state_dir: Option<PathBuf>,
    pub(super) modes: Modes,
    pub(super) private_secrets: SecretAction,
    pub(super) lock_wait: Duration,
    pub(super) index_limits: IndexLimits,
    pub(super) journal_limits: JournalLimits,
    pub(super) volatile: bool,
}

impl StoreOptions {
    /// Modes auto, credentials in private files warn, five seconds of wait for the lock.
    pub fn new(clock: impl Clock + 'static) -> Self {
        Self::with_shared_clock(Arc::new(clock))
    }

    /// As [`StoreOptions::new`], with a clock that others hold too.
    pub fn with_shared_clock(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            state_dir: None,
            modes: Modes::all(Mode::Auto),
            private_secrets: SecretAction::Warn,
            lock_wait: Duration::from_secs(5),
            index_limits: IndexLimits::default(),
            journal_limits: JournalLimits::default(),
            volatile: false,
        }
    }

    /// Keeps the journal and the inbox here instead of beside the memory folder, in a folder of
    /// its name and `-state`.
    #[must_use]
    pub fn with_state_dir(mut self, state_dir: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(state_dir.into());
        self
    }

    /// Takes modes and the treatment of credentials from the settings.
    #[must_use]
    pub fn with_decisions(mut self, decisions: &Decisions) -> Self {
        self.modes = decisions.modes;
        self.private_secrets = decisions.private_secrets;
        self
    }

    /// Sets how far hosts and background agents may go.
    #[must_use]
    pub fn with_modes(mut self, modes: Modes) -> Self {
        self.modes = modes;
        self
    }

    /// Sets what happens to credentials in private memories.
    #[must_use]
    pub fn with_private_secrets(mut self, action: SecretAction) -> Self {
        self.private_secrets = action;
        self
    }

    /// Sets how long an operation waits for another process to finish its own.
    #[must_use]
    pub fn with_lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// Sets the limits of the index, each of the two folders by itself.
    #[must_use]
    pub fn with_index_limits(mut self, limits: IndexLimits) -> Self {
        self.index_limits = limits;
        self
    }

    /// Sets how much history is kept.
    #[must_use]
    pub fn with_journal_limits(mut self, limits: JournalLimits) -> Self {
        self.journal_limits = limits;
        self
    }

    /// Leaves out every wait for the disk: for a store that nobody needs after a crash of the machine, such as
    /// that of a replay or a test. A process that dies is recovered from all the same.
    #[must_use]
    pub fn with_volatile(mut self, volatile: bool) -> Self {
        self.volatile = volatile;
        self
    }

    /// How the memory folder is opened. Every operation that writes looks under the lock whether the folder is
    /// still linked.
    pub(crate) fn root_options(&self) -> RootOptions {
        RootOptions::new()
            .with_check_root(RootCheck::OnRequest)
            .with_volatile(self.volatile)
    }

    /// The modes that bind hosts and background agents.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// What happens to credentials in private memories.
    pub fn private_secrets(&self) -> SecretAction {
        self.private_secrets
    }

    /// The clock.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Where the state of a memory folder lies unless an option says otherwise.
    pub(super) fn state_dir_for(&self, memory_dir: &Path) -> PathBuf {
        if let Some(state_dir) = &self.state_dir {
            return state_dir.clone();
        }
        let mut name = memory_dir.file_name().unwrap_or_default().to_os_string();
        name.push("-state");
        memory_dir.with_file_name(name)
    }
}

/// Who writes. It decides how far the modes and the treatment of credentials bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    /// A person by an explicit command. Modes say what is done unasked, so they do not bind.
    Person,
    /// An agent in the course of a conversation that a person follows.
    Host,
    /// Extraction, distillation and whatever else works unseen. Credentials always block.
    Background,
    /// Brings in what the team server has; allowed in every mode but off. Credentials always block,
    /// and `undo` passes over it: taking a teammate's change back is an edit of its own.
    Sync,
}

/// Who changed something, for the journal.
///
/// # Example
///
/// ```
/// use memdir::{Origin, Writer};
///
/// let origin = Origin::new(Writer::Background, "extract").with_session("5c0375b4");
/// assert_eq!(origin.actor(), "extract");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    writer: Writer,
    actor: String,
    session: Option<String>,
    note: Option<String>,
}

impl Origin {
    /// `actor` names the program or agent; texts longer than
    /// [`ORIGIN_MAX_BYTES`](crate::limits::ORIGIN_MAX_BYTES) are cut.
    pub fn new(writer: Writer, actor: &str) -> Self {
        Self {
            writer,
            actor: cut(actor),
            session: None,
            note: None,
        }
    }

    /// A person who uses a program of this name.
    pub fn person(actor: &str) -> Self {
        Self::new(Writer::Person, actor)
    }

    /// Names the session in which it happened.
    #[must_use]
    pub fn with_session(mut self, session: &str) -> Self {
        self.session = Some(cut(session));
        self
    }

    /// Adds a word on why, for people who read the history.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.note = Some(cut(note));
        self
    }

    /// Who writes.
    pub fn writer(&self) -> Writer {
        self.writer
    }

    /// The program or agent.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The session, when there was one.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The word on why.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

fn cut(text: &str) -> String {
    text[..floor_boundary(text, ORIGIN_MAX_BYTES)].to_owned()
}

/// What the mode of a layer lets a writer do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Write,
    Propose,
    Nothing,
}

pub(crate) fn permission(modes: Modes, layer: Layer, writer: Writer) -> Permission {
    match (writer, modes.get(layer)) {
        (Writer::Person, _) | (_, Mode::Auto) | (Writer::Sync, Mode::Ask | Mode::Read) => {
            Permission::Write
        }
        (_, Mode::Ask) => Permission::Propose,
        (_, Mode::Read | Mode::Off) => Permission::Nothing,
    }
}

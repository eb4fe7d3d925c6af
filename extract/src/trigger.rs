//! When an extraction runs: a state machine without clock, files or threads.
//!
//! Whoever holds it does what it says and reports back. It never asks for a second run while one is
//! going on, remembers any number of turns that end meanwhile as one, and stops after failures in a
//! row; which messages a run covers is the cursor's business.

use memdir::Mode;

/// How many failures in a row end extraction for a session, unless options say otherwise.
pub const MAX_FAILURES: u32 = 3;

/// How often and how stubbornly extraction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriggerOptions {
    /// Every so many eligible turns there is a run; 0 counts as 1, the default.
    pub every: u32,
    /// So many failures in a row end extraction for the session; 0 counts as 1. Default
    /// [`MAX_FAILURES`].
    pub max_failures: u32,
}

impl Default for TriggerOptions {
    fn default() -> Self {
        Self {
            every: 1,
            max_failures: MAX_FAILURES,
        }
    }
}

impl TriggerOptions {
    /// Sets [`TriggerOptions::every`].
    #[must_use]
    pub fn with_every(mut self, turns: u32) -> Self {
        self.every = turns;
        self
    }

    /// Sets [`TriggerOptions::max_failures`].
    #[must_use]
    pub fn with_max_failures(mut self, failures: u32) -> Self {
        self.max_failures = failures;
        self
    }
}

/// What a host knows about itself and its session when a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conditions {
    /// The run-time switch.
    pub is_on: bool,
    /// The mode of persistent memory.
    pub mode: Mode,
    /// This is the conversation of a sub-agent: its user is another agent.
    pub is_sub_agent: bool,
    /// The session was started without the user's settings and memory.
    pub is_bare: bool,
}

impl Conditions {
    /// The main conversation of an ordinary session, switched on.
    pub fn new(mode: Mode) -> Self {
        Self {
            is_on: true,
            mode,
            is_sub_agent: false,
            is_bare: false,
        }
    }

    /// Sets [`Conditions::is_on`].
    #[must_use]
    pub fn with_switch(mut self, is_on: bool) -> Self {
        self.is_on = is_on;
        self
    }

    /// Sets [`Conditions::is_sub_agent`].
    #[must_use]
    pub fn with_sub_agent(mut self, is_sub_agent: bool) -> Self {
        self.is_sub_agent = is_sub_agent;
        self
    }

    /// Sets [`Conditions::is_bare`].
    #[must_use]
    pub fn with_bare(mut self, is_bare: bool) -> Self {
        self.is_bare = is_bare;
        self
    }

    fn obstacle(self) -> Option<SkipReason> {
        if !self.is_on {
            return Some(SkipReason::SwitchedOff);
        }
        match self.mode {
            Mode::Off => return Some(SkipReason::ModeOff),
            Mode::Read => return Some(SkipReason::ModeRead),
            Mode::Ask | Mode::Auto => {}
        }
        if self.is_sub_agent {
            return Some(SkipReason::SubAgent);
        }
        self.is_bare.then_some(SkipReason::BareSession)
    }
}

/// What has happened in the conversation since the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// How many messages have come that the model sees.
    pub messages: usize,
    /// Whether the main agent itself wrote a memory in them.
    pub own_write: bool,
}

/// Why a turn leads to no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The run-time switch is off.
    SwitchedOff,
    /// The mode of persistent memory is `off`.
    ModeOff,
    /// The mode of persistent memory is `read`.
    ModeRead,
    /// The conversation is that of a sub-agent.
    SubAgent,
    /// The session is a bare one.
    BareSession,
    /// The model has seen nothing new since the cursor.
    NothingNew,
    /// The main agent wrote a memory itself: what it wrote counts, and the cursor moves on.
    OwnWrite,
    /// It is not yet this turn's turn.
    Throttled,
    /// There were too many failures in a row.
    Stopped,
    /// The session is ending.
    Ending,
}

impl SkipReason {
    /// A short stable name, such as `own-write`, for logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SwitchedOff => "switched-off",
            Self::ModeOff => "mode-off",
            Self::ModeRead => "mode-read",
            Self::SubAgent => "sub-agent",
            Self::BareSession => "bare-session",
            Self::NothingNew => "nothing-new",
            Self::OwnWrite => "own-write",
            Self::Throttled => "throttled",
            Self::Stopped => "stopped",
            Self::Ending => "ending",
        }
    }

    /// The reason in words, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::SwitchedOff => "extraction is switched off",
            Self::ModeOff => "memory is off",
            Self::ModeRead => "memory is in mode read: nothing is written",
            Self::SubAgent => "a sub-agent's conversation is with another agent, not with a person",
            Self::BareSession => "a bare session keeps no memory",
            Self::NothingNew => "the model has seen nothing new",
            Self::OwnWrite => "the agent saved a memory itself, and that counts",
            Self::Throttled => "extraction does not run after every turn",
            Self::Stopped => "extraction failed too often in a row and waits for the next session",
            Self::Ending => "the session is ending",
        }
    }
}

/// What to do about a turn that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Start a run over everything since the cursor, and report its end to
    /// [`Trigger::run_ended`].
    Start,
    /// A run is going on; one more follows it, however many turns end until then.
    Remembered,
    /// No run. For [`SkipReason::OwnWrite`] the cursor moves to the end of the conversation.
    Skip(SkipReason),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunEnd {
    /// It looked at everything; what it wrote is durable.
    Done,
    /// It failed, wholly or in part.
    Failed,
    /// It was cancelled from outside. That is nobody's failure.
    Cancelled,
    /// Another process is at work on the same memory folder. That is no failure either.
    Busy,
}

/// What follows the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterRun {
    /// Whether the cursor moves to the end of what the run covered.
    pub advance: bool,
    /// Whether turns were remembered. Look at what has come since the cursor and ask
    /// [`Trigger::trailing`], before anything else.
    pub trailing: bool,
    /// Whether this failure was one too many: say so, once.
    pub stopped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Running { again: bool },
}

/// Decides when an extraction runs.
///
/// ```
/// use memdir::Mode;
/// use memdir_extract::{Conditions, Decision, RunEnd, Since, SkipReason, Trigger, TriggerOptions};
///
/// let mut trigger = Trigger::new(TriggerOptions::default());
/// let session = Conditions::new(Mode::Auto);
/// let since = Since { messages: 2, own_write: false };
///
/// assert_eq!(trigger.turn_ended(session, since), Decision::Start);
/// // Two turns end while it runs: one run follows, not two.
/// assert_eq!(trigger.turn_ended(session, since), Decision::Remembered);
/// assert_eq!(trigger.turn_ended(session, since), Decision::Remembered);
/// let after = trigger.run_ended(RunEnd::Done);
/// assert!(after.advance && after.trailing);
/// assert_eq!(trigger.trailing(session, since), Decision::Start);
/// assert!(!trigger.run_ended(RunEnd::Done).trailing);
///
/// // What the agent wrote by itself is not written again.
/// let own = Since { messages: 2, own_write: true };
/// assert_eq!(trigger.turn_ended(session, own), Decision::Skip(SkipReason::OwnWrite));
/// ```
#[derive(Clone, Debug)]
pub struct Trigger {
    options: TriggerOptions,
    state: State,
    /// Eligible turns since the last run.
    turns: u32,
    /// Failures in a row.
    failures: u32,
    is_ending: bool,
}

impl Trigger {
    /// A trigger at the beginning of a session.
    pub fn new(options: TriggerOptions) -> Self {
        Self::resumed(options, 0, 0)
    }

    /// A trigger that goes on where an earlier process of the same session stopped.
    pub fn resumed(options: TriggerOptions, turns: u32, failures: u32) -> Self {
        Self {
            options,
            state: State::Idle,
            turns,
            failures,
            is_ending: false,
        }
    }

    /// Whether a run is going on.
    pub fn is_running(&self) -> bool {
        self.state != State::Idle
    }

    /// Whether failures have ended extraction for this session.
    pub fn is_stopped(&self) -> bool {
        self.failures >= self.options.max_failures.max(1)
    }

    /// Failures in a row, for the next process of the session.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Eligible turns since the last run, for the next process of the session.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// A turn ended: the model answered without calling a tool.
    pub fn turn_ended(&mut self, conditions: Conditions, since: Since) -> Decision {
        if self.is_ending {
            return Decision::Skip(SkipReason::Ending);
        }
        if let Some(reason) = self.obstacle(conditions, since) {
            return Decision::Skip(reason);
        }
        if !since.own_write && !self.counts() {
            return Decision::Skip(SkipReason::Throttled);
        }
        match self.state {
            // What has come since the cursor is the run's as well, so whether the agent wrote a memory in
            // it is asked again when the run has ended.
            State::Running { .. } => {
                self.state = State::Running { again: true };
                Decision::Remembered
            }
            State::Idle if since.own_write => self.own_write(),
            State::Idle => self.start(),
        }
    }

    /// The run that [`Decision::Start`] asked for has ended.
    ///
    /// Without a run going on this changes nothing.
    pub fn run_ended(&mut self, end: RunEnd) -> AfterRun {
        let State::Running { again } = self.state else {
            return AfterRun {
                advance: false,
                trailing: false,
                stopped: false,
            };
        };
        self.state = State::Idle;
        match end {
            RunEnd::Done => self.failures = 0,
            RunEnd::Failed => self.failures = self.failures.saturating_add(1),
            RunEnd::Cancelled => {}
            // The folder is asked for again at the next turn, not in a circle.
            RunEnd::Busy => self.turns = self.options.every,
        }
        let goes_on = matches!(end, RunEnd::Done | RunEnd::Failed);
        AfterRun {
            advance: end == RunEnd::Done,
            trailing: again && goes_on && !self.is_stopped(),
            stopped: end == RunEnd::Failed && self.failures == self.options.max_failures.max(1),
        }
    }

    /// Decides about the run that follows a run, over what has come since the cursor by now.
    ///
    /// The throttle has had its say when the turns were remembered, and so has the end of the session:
    /// what was promised is kept.
    pub fn trailing(&mut self, conditions: Conditions, since: Since) -> Decision {
        match self.obstacle(conditions, since) {
            Some(reason) => Decision::Skip(reason),
            None if self.is_running() => Decision::Remembered,
            None if since.own_write => self.own_write(),
            None => self.start(),
        }
    }

    /// The session is ending: no new run after the one that is going on and the one that was promised
    /// to follow it.
    pub fn end(&mut self) {
        self.is_ending = true;
    }

    /// What stands in the way whatever has been said; nobody needs to look at the conversation then.
    pub(crate) fn standing_obstacle(&self, conditions: Conditions) -> Option<SkipReason> {
        if self.is_ending {
            return Some(SkipReason::Ending);
        }
        let stopped = self.is_stopped().then_some(SkipReason::Stopped);
        conditions.obstacle().or(stopped)
    }

    fn obstacle(&self, conditions: Conditions, since: Since) -> Option<SkipReason> {
        if let Some(reason) = conditions.obstacle() {
            return Some(reason);
        }
        if self.is_stopped() {
            return Some(SkipReason::Stopped);
        }
        (since.messages == 0).then_some(SkipReason::NothingNew)
    }

    /// Counts an eligible turn; tells whether it is one that leads to a run.
    fn counts(&mut self) -> bool {
        self.turns = self.turns.saturating_add(1);
        self.turns >= self.options.every
    }

    fn start(&mut self) -> Decision {
        self.turns = 0;
        self.state = State::Running { again: false };
        Decision::Start
    }

    fn own_write(&mut self) -> Decision {
        self.turns = 0;
        Decision::Skip(SkipReason::OwnWrite)
    }
}

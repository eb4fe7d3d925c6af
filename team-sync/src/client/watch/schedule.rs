//! When to look at the folder and when at the server: a state machine without a clock.

use std::time::Duration;

/// How long the watcher waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// After the last change, until it is sent; 2 seconds.
    pub quiet: Duration,
    /// After the first change, until it is sent although more keep coming; 30 seconds.
    pub latest: Duration,
    /// From one walk of the folder to the next when nothing was noticed; 60 seconds.
    pub walk: Duration,
    /// From one question to the server to the next; 60 seconds, give or take a quarter.
    pub poll: Duration,
    /// The same while the server tells by itself (extension `wait`); 10 minutes.
    pub poll_while_told: Duration,
    /// After a failure, until the next try; 5 seconds, doubled each time, less a part by chance.
    pub retry: Duration,
    /// The longest of these waits; 5 minutes. A server that asks for more is heard, up to 15 minutes.
    pub retry_most: Duration,
    /// For the last push at the end; 10 seconds.
    pub end: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            latest: Duration::from_secs(30),
            walk: Duration::from_secs(60),
            poll: Duration::from_secs(60),
            poll_while_told: Duration::from_secs(600),
            retry: Duration::from_secs(5),
            retry_most: Duration::from_secs(300),
            end: Duration::from_secs(10),
        }
    }
}

/// The longest wait that a server may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(15 * 60);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Task {
    /// Walk the folder, and send what has changed.
    Look,
    /// Ask the server, and take what has changed.
    Poll,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is done.
    Done,
    /// It is done, and the folder has to be looked at after it.
    LookAgain,
    /// Another process syncs this folder.
    Busy,
    /// It failed, and a later try may not; the server may have said when.
    Later(Option<Duration>),
    /// It was refused, and a repetition will not help. What is new here goes on being noticed.
    Refused,
}

/// Changes that were noticed and not looked at yet.
#[derive(Clone, Copy, Debug)]
struct Dirty {
    first: Duration,
    last: Duration,
}

/// When to do what. Times are durations since any fixed instant; one that goes back counts as the last one seen.
///
/// ```
/// use std::time::Duration;
/// use team_sync::client::watch::{Outcome, Schedule, Task, Timing};
///
/// let second = Duration::from_secs;
/// let mut schedule = Schedule::new(Timing::default(), second(0));
/// schedule.changed(second(10));
/// schedule.changed(second(11));
/// assert_eq!(schedule.due(second(12)), Err(second(13)));
/// assert_eq!(schedule.due(second(13)), Ok(Task::Look));
/// schedule.begin(second(13), Task::Look);
/// schedule.end(second(13), Task::Look, Outcome::Done, 0);
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    timing: Timing,
    now: Duration,
    dirty: Option<Dirty>,
    next_walk: Duration,
    next_poll: Duration,
    /// Nothing is tried before.
    not_before: Duration,
    failures: u32,
    told: bool,
}

impl Schedule {
    /// Begins at `now`, right after a whole sync.
    pub fn new(timing: Timing, now: Duration) -> Self {
        Self {
            timing,
            now,
            dirty: None,
            next_walk: now + timing.walk,
            next_poll: now + timing.poll,
            not_before: Duration::ZERO,
            failures: 0,
            told: false,
        }
    }

    /// Something in the folder may have changed.
    pub fn changed(&mut self, now: Duration) {
        let now = self.advance(now);
        let first = self.dirty.map_or(now, |dirty| dirty.first);
        self.dirty = Some(Dirty { first, last: now });
    }

    /// The server says that something has changed there.
    pub fn news(&mut self, now: Duration) {
        self.next_poll = self.advance(now);
    }

    /// Whether the server tells by itself what has changed.
    pub fn told(&mut self, told: bool) {
        if self.told && !told {
            self.next_poll = self.next_poll.min(self.now + self.timing.poll);
        }
        self.told = told;
    }

    /// What is to be done now, or until when nothing is.
    ///
    /// # Errors
    ///
    /// Not a failure: the time of the next task, which is later than now.
    pub fn due(&self, now: Duration) -> Result<Task, Duration> {
        let now = now.max(self.now);
        let look = self.look_at().max(self.not_before);
        let poll = self.next_poll.max(self.not_before);
        // Sending first: what was written here is nowhere else yet.
        let (task, at) = if look <= poll {
            (Task::Look, look)
        } else {
            (Task::Poll, poll)
        };
        if at <= now { Ok(task) } else { Err(at) }
    }

    /// A task begins. Changes that are noticed from now on are looked at after it.
    pub fn begin(&mut self, now: Duration, task: Task) {
        self.advance(now);
        if task == Task::Look {
            self.dirty = None;
        }
    }

    /// A task has ended. `chance` is any number; it keeps many clients from marching in step.
    pub fn end(&mut self, now: Duration, task: Task, outcome: Outcome, chance: u64) {
        let now = self.advance(now);
        match outcome {
            Outcome::Done | Outcome::LookAgain => {
                self.failures = 0;
                self.not_before = Duration::ZERO;
            }
            Outcome::Busy => {
                self.not_before = now + part(self.timing.quiet, chance);
                self.changed(now);
            }
            Outcome::Later(asked) => {
                let doubled = 1 << self.failures.min(16);
                self.failures += 1;
                let wait = (self.timing.retry * doubled).min(self.timing.retry_most);
                let wait = part(wait, chance).max(asked.unwrap_or_default().min(LONGEST_ASKED));
                self.not_before = now + wait;
                self.changed(now);
            }
            Outcome::Refused => {}
        }
        if outcome == Outcome::LookAgain {
            self.changed(now);
        }
        match task {
            Task::Look => self.next_walk = now + self.timing.walk,
            Task::Poll => {
                let poll = match outcome {
                    Outcome::Refused => self.timing.retry_most,
                    _ if self.told => self.timing.poll_while_told,
                    _ => self.timing.poll,
                };
                // Three quarters to five quarters.
                self.next_poll =
                    now + poll / 2 + part(poll / 2, chance) + part(poll / 2, chance) / 2;
            }
        }
    }

    /// Whether changes wait to be looked at.
    pub fn is_dirty(&self) -> bool {
        self.dirty.is_some()
    }

    fn look_at(&self) -> Duration {
        let Some(dirty) = self.dirty else {
            return self.next_walk;
        };
        let quiet = dirty.last + self.timing.quiet;
        let latest = dirty.first + self.timing.latest;
        quiet.min(latest).min(self.next_walk)
    }

    fn advance(&mut self, now: Duration) -> Duration {
        self.now = self.now.max(now);
        self.now
    }
}

/// Between half of a wait and all of it.
fn part(wait: Duration, chance: u64) -> Duration {
    let half = wait / 2;
    let nanoseconds = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX);
    half + Duration::from_nanos(chance % nanoseconds.saturating_add(1).max(1))
}

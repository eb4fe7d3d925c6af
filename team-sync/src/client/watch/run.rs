//! The loop.

use std::future::Future;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::event::WatchEvent;
use super::look::News;
use super::notifier::Notifier;
use super::schedule::{Outcome, Schedule, Task, Timing};
use super::signals::{Seen, Signals};
use crate::checksum::Checksum;
use crate::client::engine::{Client, SyncOptions};
use crate::client::report::SyncReport;
use crate::error::{Error, ErrorKind};

/// How long a server is asked to hold an answer back; a little under the minute of many proxies.
const WAIT: Duration = Duration::from_secs(50);

/// An answer that comes sooner than this although nothing has changed was not held back.
const HELD: Duration = Duration::from_secs(5);

/// How a folder is watched.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct WatchOptions {
    /// When what is done.
    pub timing: Timing,
    /// Only take; send nothing.
    pub pull_only: bool,
}

impl WatchOptions {
    /// Sets when what is done.
    #[must_use]
    pub fn with_timing(mut self, timing: Timing) -> Self {
        self.timing = timing;
        self
    }

    /// Only take; send nothing.
    #[must_use]
    pub fn with_pull_only(mut self, only: bool) -> Self {
        self.pull_only = only;
        self
    }
}

/// Keeps folder and server in step until `stop` is ready; then sends what is still unsent, for at most
/// [`Timing::end`].
///
/// `connect` makes another client from the token, the settings and the folder as they are at that time, or says
/// why it cannot. It is called when the folder was replaced, and after a refusal, as another token may be there.
/// Files are read and written on the caller's thread, a few milliseconds at a time.
///
/// Dropping the future is safe at any time: what was begun is finished by the next run, as after a crash.
pub async fn watch(
    client: Client,
    connect: &mut (dyn FnMut() -> Result<Client, String> + Send),
    options: &WatchOptions,
    notifier: &mut (dyn Notifier + Send),
    tell: &mut (dyn FnMut(WatchEvent) + Send),
    stop: impl Future<Output = ()> + Send,
) {
    let client = Arc::new(client);
    let start = Instant::now();
    let mut stop = pin!(stop);
    let mut watcher = Watcher {
        schedule: Schedule::new(options.timing, Duration::ZERO),
        folder: client.folder.path().to_owned(),
        client,
        connect,
        options: *options,
        notifier,
        tell,
        signals: Signals::new(),
        open: None,
        start,
        known: None,
        told: String::new(),
        deadline: None,
        pause: Duration::ZERO,
        is_gone: false,
        is_refused: false,
        was_told: false,
    };
    let ended = watcher.begin(stop.as_mut()).await;
    if !ended {
        watcher.turn(stop.as_mut()).await;
    }
    watcher.end().await;
}

type Told = Pin<Box<dyn Future<Output = (Result<News, Error>, Duration)> + Send>>;

struct Watcher<'a> {
    client: Arc<Client>,
    connect: &'a mut (dyn FnMut() -> Result<Client, String> + Send),
    options: WatchOptions,
    notifier: &'a mut (dyn Notifier + Send),
    tell: &'a mut (dyn FnMut(WatchEvent) + Send),
    schedule: Schedule,
    signals: Signals,
    /// Events come as long as this is held.
    open: Option<Box<dyn Send>>,
    folder: PathBuf,
    start: Instant,
    /// The folder as it was when a run last found nothing to send in it.
    known: Option<Checksum>,
    /// The last failure that was told, so that the same one is not told each minute.
    told: String,
    /// Until when everything has to be at its end, once it was stopped.
    deadline: Option<Instant>,
    /// Before the server is asked again to tell by itself; a server that cries wolf is asked less often.
    pause: Duration,
    is_gone: bool,
    is_refused: bool,
    /// The server has said that something is new, and nobody has looked yet.
    was_told: bool,
}

impl Watcher<'_> {
    /// Takes first, so that nothing old is sent over something new; then watches. `true` when it was stopped.
    async fn begin(&mut self, stop: Pin<&mut (impl Future<Output = ()> + Send)>) -> bool {
        let options = SyncOptions::default()
            .with_fresh(true)
            .with_pull_only(self.options.pull_only);
        let Some(result) = self.unless_stopped(stop, &options).await else {
            return true;
        };
        let outcome = self.told(result);
        self.schedule
            .end(self.now(), Task::Poll, outcome, self.client.chance());
        self.reopen();
        (self.tell)(WatchEvent::Watching);
        // What was written between the sync and the first event.
        self.schedule.changed(self.now());
        false
    }

    /// Until it is stopped.
    async fn turn(&mut self, mut stop: Pin<&mut (impl Future<Output = ()> + Send)>) {
        let mut listening = self.listen(Duration::ZERO);
        loop {
            let signals = self.signals.clone();
            let until = match self.schedule.due(self.now()) {
                Err(at) => at,
                Ok(task) => {
                    let Some(()) = self.do_task(task, stop.as_mut()).await else {
                        return;
                    };
                    listening = self.listen(self.pause);
                    continue;
                }
            };
            tokio::select! {
                biased;
                () = &mut stop => return,
                seen = signals.next() => self.seen(&seen),
                (news, pause) = listening.as_mut() => listening = self.heard(&news, pause),
                () = tokio::time::sleep_until(self.start + until) => {}
            }
        }
    }

    /// Does a task; `None` when it was stopped meanwhile.
    async fn do_task(
        &mut self,
        task: Task,
        stop: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Option<()> {
        self.schedule.begin(self.now(), task);
        let outcome = if self.is_there() {
            match task {
                Task::Look => self.look(stop).await?,
                Task::Poll => self.poll(stop).await?,
            }
        } else {
            Outcome::Done
        };
        let chance = self.client.chance();
        self.schedule.end(self.now(), task, outcome, chance);
        Some(())
    }

    /// Walks the folder and sends what has changed in it; `None` when it was stopped meanwhile.
    async fn look(&mut self, stop: Pin<&mut (impl Future<Output = ()> + Send)>) -> Option<Outcome> {
        if self.options.pull_only {
            return Some(Outcome::Done);
        }
        let before = match self.client.fingerprint() {
            Ok(before) => before,
            Err(error) => return Some(self.told(Err(error))),
        };
        if self.known == Some(before) {
            return Some(Outcome::Done);
        }
        let options = SyncOptions::default().with_push_only(true);
        let result = self.unless_stopped(stop, &options).await?;
        let (did, pending) = summary(&result);
        // As it was before the run: whoever writes during it is noticed.
        self.known = (!did && !pending).then_some(before);
        let outcome = self.told(result);
        if self.known.is_some() {
            (self.tell)(WatchEvent::InStep);
        }
        Some(match outcome {
            // What the run has written itself is looked at once more, and then known.
            Outcome::Done if did => Outcome::LookAgain,
            Outcome::Done if pending && !self.is_refused => Outcome::Later(None),
            other => other,
        })
    }

    /// Takes what has changed on the server; `None` when it was stopped meanwhile.
    async fn poll(&mut self, stop: Pin<&mut (impl Future<Output = ()> + Send)>) -> Option<Outcome> {
        if self.is_refused {
            self.connect_anew();
        }
        let options = SyncOptions::default().with_pull_only(true);
        let result = self.unless_stopped(stop, &options).await?;
        let (did, pending) = summary(&result);
        if did {
            self.known = None;
        } else if self.pause.is_zero() && self.was_told {
            self.pause = self.options.timing.poll;
        }
        self.was_told = false;
        Some(match self.told(result) {
            // What was merged has to be sent.
            Outcome::Done if did || pending => Outcome::LookAgain,
            other => other,
        })
    }

    /// One run; when it is stopped meanwhile, it has [`Timing::end`] to come to its end.
    async fn unless_stopped(
        &mut self,
        stop: Pin<&mut (impl Future<Output = ()> + Send)>,
        options: &SyncOptions,
    ) -> Option<Result<SyncReport, Error>> {
        let client = Arc::clone(&self.client);
        let mut run = pin!(client.sync(options));
        tokio::select! {
            result = &mut run => Some(result),
            () = stop => {
                let deadline = Instant::now() + self.options.timing.end;
                self.deadline = Some(deadline);
                if let Ok(result) = tokio::time::timeout_at(deadline, run).await {
                    self.told(result);
                }
                None
            }
        }
    }

    /// Sends what is unsent. What does not get through stays in the outbox.
    async fn end(&mut self) {
        if self.options.pull_only || self.is_gone || !self.client.is_linked() {
            return;
        }
        let before = self.client.fingerprint().ok();
        if before.is_some() && before == self.known {
            return;
        }
        let options = SyncOptions::default().with_push_only(true);
        let client = Arc::clone(&self.client);
        let deadline = self
            .deadline
            .unwrap_or_else(|| Instant::now() + self.options.timing.end);
        let last = tokio::time::timeout_at(deadline, client.sync(&options)).await;
        let result = last.unwrap_or_else(|_| {
            let why = "the last push took too long; what it began goes on with the next sync";
            Err(Error::new(ErrorKind::Unavailable, why))
        });
        self.told(result);
    }

    /// Tells how a run went, and says what follows from it.
    fn told(&mut self, result: Result<SyncReport, Error>) -> Outcome {
        match result {
            Ok(report) => {
                self.is_refused = report.suppressed.is_some();
                let left = format!("{:?}", report.notes);
                let is_new = left != self.told && !report.notes.is_empty();
                if !report.done.is_empty() || is_new {
                    (self.tell)(WatchEvent::Synced(report));
                }
                self.told = left;
                Outcome::Done
            }
            Err(error) => {
                let outcome = match error.kind() {
                    ErrorKind::Busy => Outcome::Busy,
                    ErrorKind::Refused | ErrorKind::Token | ErrorKind::Address => Outcome::Refused,
                    _ => Outcome::Later(error.retry_after()),
                };
                self.is_refused = outcome == Outcome::Refused;
                let text = error.to_string();
                // Another process at work is no failure, and one failure is told once.
                if outcome != Outcome::Busy && text != self.told {
                    (self.tell)(WatchEvent::Failed(error));
                    self.told = text;
                }
                outcome
            }
        }
    }

    fn seen(&mut self, seen: &Seen) {
        if let Some(why) = &seen.blind {
            (self.tell)(WatchEvent::Blind(why.clone()));
        }
        if seen.replaced {
            self.is_there();
        }
        if seen.changed {
            self.schedule.changed(self.now());
        }
    }

    /// Whether the folder is there; takes the one that is in its place now.
    fn is_there(&mut self) -> bool {
        if self.client.is_linked() {
            return true;
        }
        if !self.folder.is_dir() {
            // Never made anew here: whoever moved it away may be about to put another in its place.
            if !self.is_gone {
                self.is_gone = true;
                (self.tell)(WatchEvent::Gone);
            }
            return false;
        }
        if !self.connect_anew() {
            return false;
        }
        self.is_gone = false;
        self.reopen();
        (self.tell)(WatchEvent::Replaced);
        self.schedule.changed(self.now());
        true
    }

    fn connect_anew(&mut self) -> bool {
        match (self.connect)() {
            Ok(client) => {
                self.client = Arc::new(client);
                self.known = None;
                true
            }
            Err(why) => {
                self.told(Err(Error::new(ErrorKind::Refused, why)));
                false
            }
        }
    }

    /// Watches the folder that is there now.
    fn reopen(&mut self) {
        self.open = None;
        match self.notifier.open(&self.folder, self.signals.clone()) {
            Ok(open) => self.open = Some(open),
            Err(why) => (self.tell)(WatchEvent::Blind(why)),
        }
    }

    /// Lets the server say by itself when something changes, after a pause.
    fn listen(&self, pause: Duration) -> Told {
        let client = Arc::clone(&self.client);
        Box::pin(async move {
            tokio::time::sleep(pause).await;
            let asked = Instant::now();
            let news = client.news(WAIT).await;
            (news, asked.elapsed())
        })
    }

    fn heard(&mut self, news: &Result<News, Error>, held: Duration) -> Told {
        let poll = self.options.timing.poll;
        let is_told = match news {
            Ok(News::Some) => true,
            Ok(News::None) => held >= HELD,
            _ => false,
        };
        self.schedule.told(is_told && self.pause.is_zero());
        self.pause = Duration::ZERO;
        match news {
            Ok(News::Some) => {
                self.was_told = true;
                self.schedule.news(self.now());
                // The task that follows listens again.
                self.listen(poll)
            }
            Ok(News::None) if held >= HELD => self.listen(Duration::ZERO),
            // It was not held back, or it cannot be: the question a minute does.
            _ => self.listen(poll),
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// Whether a run did something, and whether something still waits.
fn summary(result: &Result<SyncReport, Error>) -> (bool, bool) {
    match result {
        Ok(report) => (!report.done.is_empty(), report.pending),
        Err(_) => (false, true),
    }
}

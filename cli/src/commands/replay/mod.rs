//! `memstrata replay`: recorded sessions through the whole life of a session.
//!
//! What a memory would have done is told by sessions that took place: what would have been learned in which
//! turn, what would have come back when, what a compaction would have kept, what would have been stopped.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use memstrata::memdir::Timestamp;

use crate::cli::Global;
use crate::cli::replay::Replay;
use crate::commands::extract::unreadable;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};
use crate::terminal::{Speech, clean};

mod event;
mod ground;
mod play;
mod recording;
mod timeline;

use event::{Event, Header, Summary, What};
use ground::Ground;
use play::Player;
use recording::Recording;
use timeline::Timeline;

/// Replays the files in the order of their first message.
pub(crate) fn run(
    arguments: &Replay,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let zone = TimeZone::system();
    let ground = Ground::prepare(arguments, global, environment, zone.clone(), speech)?;
    let progress = Progress::new(speech);
    let mut output = Output {
        out: BufWriter::new(io::stdout()),
        timeline: Timeline::new(speech, zone, arguments.all),
        summary: Summary::default(),
        is_json: speech.json,
        progress: &progress,
    };
    let mut exit = Exit::Done;
    let (mut recordings, failed) = read(arguments, environment, &progress);
    for (path, failure) in failed {
        exit = worse(exit, failure.exit);
        output.tell_file(What::Unreadable {
            file: path,
            reason: chain(failure.error.as_ref()),
        })?;
    }
    // Files without times keep their places before the others.
    recordings.sort_by_key(Recording::started);
    progress.begin(recordings.iter().map(|one| one.entries().len()).sum());
    for mut recording in recordings {
        if let Err(failure) = replay(&mut recording, &ground, &mut output, &progress) {
            if is_closed(&failure) {
                return Err(failure);
            }
            exit = worse(exit, failure.exit);
            output.tell_file(What::Unreadable {
                file: recording.path.to_string_lossy().into_owned(),
                reason: chain(failure.error.as_ref()),
            })?;
        }
    }
    progress.end();
    output.end()?;
    ground.say_where(speech);
    Ok(exit)
}

/// Reads all files; they are needed at once to be put into order.
fn read(
    arguments: &Replay,
    environment: &Environment,
    progress: &Progress,
) -> (Vec<Recording>, Vec<(String, Failure)>) {
    let mut recordings = Vec::new();
    let mut failed = Vec::new();
    for file in &arguments.files {
        progress.reading(file);
        match Recording::open(&environment.current_dir.join(file)) {
            Ok(recording) => recordings.push(recording),
            Err(error) => failed.push((file.to_string_lossy().into_owned(), unreadable(&error))),
        }
    }
    (recordings, failed)
}

fn replay(
    recording: &mut Recording,
    ground: &Ground,
    output: &mut Output<'_>,
    progress: &Progress,
) -> Result<(), Failure> {
    let file = recording.path.to_string_lossy().into_owned();
    if !recording.is_session() {
        let reason = "the conversation of a sub-agent, which no person takes part in".to_owned();
        return output.tell_file(What::PassedOver { file, reason });
    }
    if recording.entries().is_empty() {
        let reason = "it holds no message".to_owned();
        output.summary.skipped_lines += recording.transcript.report().skipped_total();
        return output.tell_file(What::PassedOver { file, reason });
    }
    let started = recording.started().unwrap_or(Timestamp::from_seconds(0));
    let (session, clock) = ground.session(recording, started)?;
    recording.translate(session.store().dir());
    output.memory_dir(session.store().dir());
    output.tell(&Event {
        turn: 0,
        time: started,
        session: session.id().to_owned(),
        what: What::Session(header(recording, file)),
    })?;
    let player = Player::new(session, clock, recording, ground.is_real());
    let mut tell = |event: Event| output.tell(&event);
    player.play(&mut tell, &|| progress.step())
}

fn header(recording: &Recording, file: String) -> Header {
    let transcript = &recording.transcript;
    let (session, report) = (transcript.session(), transcript.report());
    let skipped = report.skipped_total();
    Header {
        file,
        format: session.format.map(|format| format.to_string()),
        folder: session.cwd.clone(),
        title: session.title.clone(),
        ended: session.ended.map(recording::time),
        messages: transcript.entries().len(),
        turns: recording.turns(),
        skipped: (skipped > 0).then(|| report.to_string()),
        skipped_lines: skipped,
    }
}

/// Of several failures the first decides.
fn worse(first: Exit, next: Exit) -> Exit {
    if first == Exit::Done { next } else { first }
}

/// Whether nobody reads any more, which ends everything.
fn is_closed(failure: &Failure) -> bool {
    let causes = failure.error.chain();
    causes
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Standard output: a line of JSON per event, or the timeline.
struct Output<'p> {
    out: BufWriter<io::Stdout>,
    timeline: Timeline,
    summary: Summary,
    is_json: bool,
    progress: &'p Progress,
}

impl Output<'_> {
    fn tell(&mut self, event: &Event) -> Result<(), Failure> {
        self.summary.count(&event.what);
        let (out, timeline, is_json) = (&mut self.out, &mut self.timeline, self.is_json);
        let is_end = matches!(event.what, What::Ended);
        self.progress.aside(|| -> io::Result<()> {
            if is_json {
                writeln!(out, "{}", event.json())?;
            } else {
                timeline.event(out, event)?;
            }
            // Whoever waits for a long replay sees each session when it is over.
            if is_end { out.flush() } else { Ok(()) }
        })?;
        Ok(())
    }

    /// Tells something about a file that no session came of.
    fn tell_file(&mut self, what: What) -> Result<(), Failure> {
        self.tell(&Event {
            turn: 0,
            time: Timestamp::from_seconds(0),
            session: String::new(),
            what,
        })
    }

    fn memory_dir(&mut self, folder: &Path) {
        let folder = folder.to_string_lossy().into_owned();
        if !self.summary.memory_dirs.contains(&folder) {
            self.summary.memory_dirs.push(folder);
        }
    }

    fn end(mut self) -> Result<(), Failure> {
        let summary = self.summary.clone();
        self.tell_file(What::Summary(summary))?;
        self.out.flush()?;
        Ok(())
    }
}

/// A bar on standard error, when a person sees it.
struct Progress(ProgressBar);

impl Progress {
    fn new(speech: Speech) -> Self {
        if !speech.shows_progress() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Self(bar)
    }

    fn reading(&self, file: &Path) {
        self.0
            .set_message(format!("reading {}", clean(&file.to_string_lossy())));
        self.0.tick();
    }

    fn begin(&self, messages: usize) {
        self.0.set_message("");
        self.0.set_length(messages as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} messages") {
            self.0.set_style(style);
        }
    }

    fn step(&self) {
        self.0.inc(1);
    }

    /// Writes something while the bar is not in the way.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        if self.0.is_hidden() {
            write()
        } else {
            self.0.suspend(write)
        }
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

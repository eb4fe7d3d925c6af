//! A transcript, read.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use agent_model::Provider;

use crate::cursor::{self, Cursor, Since};
use crate::entry::Entry;
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::options::Options;
use crate::reader;
use crate::report::Report;
use crate::role::FileRole;
use crate::threads::{Boundary, SubAgent};
use crate::time::Timestamp;

/// Transcripts are long, and lines of a hundred kilobytes are common.
const BUFFER_BYTES: usize = 256 * 1024;

/// A transcript, read: the conversation in order, and a report of what was skipped.
#[derive(Debug, Clone)]
pub struct Transcript {
    session: Session,
    main: Vec<Entry>,
    sub_agents: Vec<SubAgent>,
    boundaries: Vec<Boundary>,
    report: Report,
    name: Option<String>,
    end: u64,
}

/// What is known of a session as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The format of the file; `None` for a file without lines.
    pub format: Option<Format>,
    /// What the file is. A file that turns out to hold a sub-agent only is one, whatever its name.
    pub role: FileRole,
    /// The session's id.
    pub id: Option<String>,
    /// Who ran the model, as far as the format or the file tells.
    pub provider: Option<Provider>,
    /// The title that the person or the agent gave it.
    pub title: Option<String>,
    /// The first working folder it names; it is what projects are keyed by.
    pub cwd: Option<String>,
    /// The last git branch it names.
    pub branch: Option<String>,
    /// The last version of the agent it names.
    pub version: Option<String>,
    /// When its first message was written.
    pub started: Option<Timestamp>,
    /// When its last message was written.
    pub ended: Option<Timestamp>,
}

impl Transcript {
    /// Reads a stream to its end, one line at a time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] when the stream fails, [`ErrorKind::UnknownFormat`] when no line in the first
    /// 256 KiB looks like a known format, [`ErrorKind::Compressed`], and [`ErrorKind::TooLong`] for one
    /// JSON document beyond the limit of a line. Bad lines are no error; they are in the report.
    ///
    /// ```
    /// use agent_transcript::{Format, Options, Origin, Transcript};
    ///
    /// let file = concat!(
    ///     r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"use pnpm"}}"#,
    ///     "\nnot a line\n",
    ///     r#"{"type":"assistant","uuid":"b","parentUuid":"a","message":{"role":"assistant","content":[{"type":"text","text":"Will do."}]}}"#,
    ///     "\n",
    /// );
    /// let transcript = Transcript::read(file.as_bytes(), &Options::default())?;
    /// assert_eq!(transcript.session().format, Some(Format::ClaudeCode));
    /// let [question, answer] = transcript.entries() else { panic!("two messages") };
    /// assert_eq!((question.origin, question.person_text().as_str()), (Origin::Person, "use pnpm"));
    /// assert_eq!(answer.message.text(), "Will do.");
    /// assert_eq!(answer.message.parent.as_deref(), Some("a"));
    /// assert_eq!(transcript.report().skipped()[0].line, 2);
    /// # Ok::<(), agent_transcript::Error>(())
    /// ```
    pub fn read(input: impl BufRead, options: &Options) -> Result<Self, Error> {
        let read = reader::read(input, options)?;
        let threads = read.threads;
        let role = match (&options.role, threads.facts.is_sub_agent) {
            (FileRole::Session, true) => FileRole::SubAgent {
                id: threads.sub_agents.iter().find_map(|agent| agent.id.clone()),
            },
            (role, _) => role.clone(),
        };
        let nested = threads.sub_agents.iter().flat_map(|agent| &agent.entries);
        let times = || {
            threads
                .main
                .iter()
                .chain(nested.clone())
                .filter_map(|entry| entry.time)
        };
        let session = Session {
            format: read.format,
            role,
            id: threads.facts.id,
            provider: threads.facts.provider,
            title: threads.facts.title,
            cwd: threads.facts.first_cwd,
            branch: threads.facts.last_place.branch.clone(),
            version: threads.facts.last_place.version.clone(),
            started: times().min(),
            ended: times().max(),
        };
        Ok(Self {
            session,
            main: threads.main,
            sub_agents: threads.sub_agents,
            boundaries: threads.boundaries,
            report: read.report,
            name: options.name.clone(),
            end: read.end,
        })
    }

    /// Reads a file; its role and its name for the cursor come from the path.
    ///
    /// # Errors
    ///
    /// As for [`Transcript::read`], with the path; also [`ErrorKind::NotAFile`] for a folder, device or
    /// pipe, which are not opened for reading.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        open(path.as_ref(), options).map_err(|error| error.with_path(path.as_ref()))
    }

    /// Returns what is known of the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the main thread, oldest first: the way that the conversation took, without branches it
    /// left, and through all compactions.
    pub fn entries(&self) -> &[Entry] {
        &self.main
    }

    /// Returns what the model still sees of the main thread: everything after the last compaction, its
    /// summary included.
    pub fn live(&self) -> &[Entry] {
        let from = self.boundaries.last().map_or(0, |boundary| boundary.at);
        &self.main[from.min(self.main.len())..]
    }

    /// Returns the compactions of the main thread, oldest first.
    pub fn boundaries(&self) -> &[Boundary] {
        &self.boundaries
    }

    /// Returns the threads of sub-agents that stand in the same file.
    pub fn sub_agents(&self) -> &[SubAgent] {
        &self.sub_agents
    }

    /// Returns what became of the lines.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the place up to which the file was read, to go on from later.
    pub fn cursor(&self) -> Cursor {
        let last = self.main.last().and_then(Entry::last_id);
        let name = self.name.clone().unwrap_or_default();
        Cursor::new(name, self.end, last.map(str::to_owned))
    }

    /// Returns what has come since a cursor.
    ///
    /// ```
    /// use agent_transcript::{Found, Options, Transcript};
    ///
    /// let line = |id: &str, parent: &str, text: &str| {
    ///     let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
    ///     format!("{{\"type\":\"user\",\"uuid\":\"{id}\",\"parentUuid\":{parent},\"message\":{message}}}\n")
    /// };
    /// let options = Options::default().with_name("s.jsonl");
    /// let before = line("a", "null", "one");
    /// let cursor = Transcript::read(before.as_bytes(), &options)?.cursor();
    ///
    /// let after = before + &line("b", "\"a\"", "two");
    /// let transcript = Transcript::read(after.as_bytes(), &options)?;
    /// let since = transcript.since(&cursor);
    /// assert_eq!(since.found, Found::Message);
    /// assert_eq!(since.entries[0].person_text(), "two");
    /// # Ok::<(), agent_transcript::Error>(())
    /// ```
    pub fn since(&self, cursor: &Cursor) -> Since<'_> {
        cursor::since(
            &self.main,
            self.live(),
            self.name.as_deref(),
            self.end,
            cursor,
        )
    }
}

fn open(path: &Path, options: &Options) -> Result<Transcript, Error> {
    // Opening a pipe would wait for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(ErrorKind::NotAFile));
    }
    let file = File::open(path)?;
    let mut options = options.clone();
    if options.role == FileRole::Session {
        options.role = FileRole::of(path);
    }
    if options.name.is_none() {
        let name = path.file_name().unwrap_or_default();
        options.name = Some(name.to_string_lossy().into_owned());
    }
    Transcript::read(BufReader::with_capacity(BUFFER_BYTES, file), &options)
}

//! Reads the transcripts that existing agents write, into conversation types. Finding the files, and
//! what is learnt from them, is left to others: a path or a stream goes in, a conversation comes out.
//!
//! # Main types
//!
//! - [`Transcript`] is a transcript, read: the main thread in order, what of it is still live after
//!   compactions, the threads of sub-agents, and facts about the [`Session`].
//! - [`Entry`] is one message with its [`Origin`], time, [`Place`], usage, and where it stands in the file.
//!   [`Entry::person_text`] is what the person typed, without all that agents put around it.
//! - [`Report`] counts every line once and lists what was [`Skipped`], with the reason.
//! - [`Cursor`] remembers how far a file was read; [`Transcript::since`] finds what has come since, also
//!   after the conversation was rewound, compacted or resumed in another file.
//!
//! # Formats
//!
//! | agent | file | how the conversation is found |
//! |---|---|---|
//! | Claude Code 1.0 to 2.1 | JSON lines | by parent links, answers joined by their id, results by call |
//! | Codex CLI | rollout JSON lines | in file order, without what was rolled back |
//! | Gemini CLI | JSON lines, or one JSON object | in order, later records in place of earlier ones |
//!
//! The format is found out from the first lines. Makers call these formats internal and change them
//! without notice, so reading is lenient: unknown line types are counted, unknown keys passed over, keys of
//! an unexpected type count as absent, unknown blocks are kept whole.
//!
//! # Example
//!
//! ```
//! use agent_transcript::{Options, Origin, Transcript};
//!
//! let file = r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"Never use npm here."}}
//! {"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Understood:"}]}}
//! {"type":"assistant","uuid":"c","parentUuid":"b","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"pnpm."}]}}
//! {"type":"user","uuid":"d","parentUuid":"c","message":{"role":"user","content":"<command-name>/cost</command-name>"}}
//! "#;
//! // A file is opened with `Transcript::open(path, &options)`.
//! let transcript = Transcript::read(file.as_bytes(), &Options::default())?;
//! let told: Vec<_> = transcript.entries().iter().map(|entry| (entry.origin, entry.message.text())).collect();
//! assert_eq!(told[0], (Origin::Person, "Never use npm here.".into()));
//! assert_eq!(told[1], (Origin::Assistant, "Understood:\npnpm.".into()));
//! assert_eq!(told[2].0, Origin::Command);
//! assert_eq!(transcript.report().to_string(), "4 lines: 4 with messages, 0 notes, 0 of unknown type, 0 skipped");
//! # Ok::<(), agent_transcript::Error>(())
//! ```
//!
//! # Guarantees on hostile input
//!
//! - A bad line costs one line. Half-written, binary, endless, deeply nested or contradictory lines are
//!   skipped or taken leniently; no bytes cause a panic, and the readers of all formats are fuzzed.
//! - Parent links may form circles, point to themselves, to nothing or into a sub-agent: each line is
//!   visited once, and behind a broken link the thread goes on with the line before it in the file.
//! - Memory is bounded: one line at a time and at most [`Options::max_line_bytes`] of it, at most
//!   [`Options::max_messages`] messages and [`Options::max_kept_bytes`] of them (the oldest go first), at
//!   most [`Options::max_result_bytes`] of a tool result. The report counts whatever was cut.
//! - Nothing is recursive over the input but `serde_json`, which stops at 128 levels.
//! - Only [`Origin::Person`] marks words of a person. Tool results, injected context, other agents,
//!   summaries and errors shown in the model's name never get it, whatever they say.
//! - No `Debug` output and no error holds contents.
//!
//! # Limits
//!
//! - Files are read from the start each time; the cursor says what is new, not where to seek.
//! - Nothing is written back, and parts that nobody asks for (such as the second copy of a tool result in
//!   Claude Code's files) are passed over unchecked.
//! - Compressed rollouts are refused with [`ErrorKind::Compressed`].
//! - Results that Claude Code moved into files of their own (`tool-results/`) are not fetched.
//! - After a Codex compaction the history that replaces the old one is not taken again: it repeats
//!   messages that stand in the file already.
//!
//! There are no features. Of [`agent_model`] only the conversation types are used: neither a runtime nor a
//! network is needed.

pub use self::{
    cursor::{Cursor, Found, Since},
    entry::{Entry, Place},
    error::{Error, ErrorKind},
    format::Format,
    options::{Options, Pictures},
    origin::Origin,
    report::{MAX_LISTED_SKIPS, MAX_LISTED_TYPES, Report, SkipReason, Skipped},
    role::{FileRole, SubAgentInfo},
    threads::{Boundary, SubAgent},
    time::Timestamp,
    transcript::{Session, Transcript},
};

// What a caller sees.
mod cursor;
mod entry;
mod error;
mod format;
mod options;
mod origin;
mod report;
mod role;
mod time;
mod transcript;

// From bytes to lines to pieces.
mod lines;
mod reader;
mod scan;

// From pieces to conversations.
mod blocks;
mod claude;
mod codex;
mod gemini;
mod threads;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

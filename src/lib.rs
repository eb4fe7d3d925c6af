//! Gives coding agents a memory that people can read, edit and trust.
//!
//! This is the facade: it re-exports every crate of the workspace under its bare name, each behind a
//! feature of the same name. Whoever needs one part only depends on that crate directly.
//!
//! | module | what it does |
//! |---|---|
//! | `pathguard` | decides which paths may be touched, and touches them through a held directory handle |
//! | `secret_scan` | finds credentials in text and names the rule, never the value |
//! | `token_count` | counts or estimates model tokens without a network |
//! | `memdir` | reads, writes, indexes, journals and describes a folder of Markdown memories |
//! | `recall` | picks the few memories that matter for a query, says how fresh they are, and checks what they claim |
//! | `model` | conversation types, the `Model` trait and its back ends |
//! | `transcript` | reads the session files that existing agents write, into conversation types |
//! | `forked_agent` | runs a bounded side agent with its own tools behind a permission gate |
//! | `extract` | writes persistent memories from a finished turn, in the background; distils daily logs |
//! | `session_memory` | keeps the ten-section session file and turns it into a compaction summary |
//! | `memory_tool` | answers the commands of the Anthropic memory tool on a folder |
//! | `team_sync` | keeps `memory/team/` and a server in step without losing an edit |
//!
//! ```
//! # #[cfg(feature = "secret-scan")] {
//! let note = ["the token is ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
//! let findings = memstrata::secret_scan::scan(note.as_bytes());
//! assert_eq!(findings[0].rule(), "github-pat");
//! # }
//! ```
//!
//! # Features
//!
//! Default: everything that needs no network and no runtime. `forked-agent` needs tokio and is off.

#[cfg(feature = "session")]
pub use self::{
    clock::{ManualClock, SystemClock},
    error::{Error, ErrorKind},
    instructions::instruction_files,
    place::{Place, PlaceOptions},
    purge::{RECALL_FOLDER, purge, recall_folder},
    recall_log::{LoggedRecall, LoggedVerification, MAX_RECALL_LOGS, MAX_RECALLS, RecallLog},
    session::{Session, SessionBuilder},
};

#[cfg(feature = "session-model")]
pub use self::models::{ModelBackend, Models, ledger_folder};
#[cfg(feature = "model-settings")]
pub use self::models::{ModelSettings, RECURSION_VARIABLE};

#[cfg(feature = "session")]
pub mod session;

#[cfg(feature = "session")]
mod clock;
#[cfg(feature = "session")]
mod error;
#[cfg(feature = "session")]
mod instructions;
#[cfg(feature = "session-model")]
mod models;
#[cfg(feature = "session")]
mod place;
#[cfg(feature = "session")]
mod purge;
#[cfg(feature = "session")]
mod recall_log;

#[cfg(feature = "model")]
pub use agent_model as model;
#[cfg(feature = "transcript")]
pub use agent_transcript as transcript;
#[cfg(feature = "forked-agent")]
pub use forked_agent;
#[cfg(feature = "memdir")]
pub use memdir;
#[cfg(feature = "extract")]
pub use memdir_extract as extract;
#[cfg(feature = "pathguard")]
pub use pathguard;
#[cfg(feature = "recall")]
pub use recall;
#[cfg(feature = "secret-scan")]
pub use secret_scan;
#[cfg(feature = "session-memory")]
pub use session_memory;
#[cfg(feature = "team-sync")]
pub use team_sync;
#[cfg(feature = "token-count")]
pub use token_count;

#[cfg(feature = "memory-tool")]
pub mod memory_tool;

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
//! Default: everything that needs no network, which is all there is today.

#[cfg(feature = "memdir")]
pub use memdir;
#[cfg(feature = "pathguard")]
pub use pathguard;
#[cfg(feature = "secret-scan")]
pub use secret_scan;
#[cfg(feature = "token-count")]
pub use token_count;

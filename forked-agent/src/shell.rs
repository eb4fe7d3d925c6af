//! Read-only shell commands: vetted, decoded, and run without a shell.
//!
//! A model that wants to look around asks for `grep -rn TODO src | head`. Handing that text to a shell
//! means that the vetter and the shell must agree on what it says, which they never fully do. Here the
//! text is decoded once, by a small lexer that refuses whatever it does not know; the decoded words are
//! checked against lists of what each program may get; and the same words are run, without any shell.
//!
//! The steps, each its own call so that a host can stop after the first:
//!
//! 1. [`vet`]: characters, syntax, programs, options, paths by their text. No I/O, about 1 µs.
//! 2. [`Script::prepare`]: file-name patterns expanded, links followed, everything checked again.
//! 3. [`Runnable::run`]: absolute program paths, empty environment, no input, limits on time and output,
//!    a process group of its own for each program.
//!
//! ```
//! use forked_agent::shell::{RunOptions, Scope, vet};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("notes.md"), "one\ntwo\n")?;
//!
//! let scope = Scope::new(folder.path());
//! let ready = vet("cat notes.md | wc -l", &scope)?.prepare(&scope)?;
//! # if cfg!(unix) {
//! let output = ready.run(&RunOptions::default()).await?;
//! assert_eq!(output.stdout, b"2\n");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is read
//!
//! Words, `'…'`, `"…"`, `\`, `|`, `&&`, `||`, `;`, `2>/dev/null`, `2>&1`, and the unquoted patterns `*`,
//! `?` and simple `[…]`. Programs: [`Program::ALL`], by their bare names. Options by exact name out of a
//! list for each program. Paths inside the [`Scope`], never below `/dev`, `/proc` or `/sys`, and only
//! regular files and folders.
//!
//! # Limits
//!
//! The programs open paths by name, so a process of the same user that swaps a folder for a link after
//! [`Script::prepare`] can lead a command outside its scope; what it then does is still only reading.
//! Running needs a Unix system with the usual programs.

pub use self::characters::MAX_COMMAND_BYTES;
pub use self::glob::{MAX_ENTRIES, MAX_MATCHES};
pub use self::lexer::{ErrorOutput, Word};
pub use self::prepare::{Command, MAX_ARGUMENT_BYTES, Runnable};
pub use self::programs::Program;
pub use self::refusal::{Refusal, RefusalKind};
pub use self::run::{Ended, RunOptions, RunOutput};
pub use self::scope::Scope;
pub use self::script::{Connector, MAX_PROGRAMS, Pipeline, Script, Stage, vet};

mod refusal;

mod characters;
mod lexer;
mod script;

mod find;
mod options;
mod programs;
mod scope;

mod glob;
mod prepare;
mod run;

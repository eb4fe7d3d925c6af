//! The text that tells a model what its memory is and how to use it.
//!
//! [`build`] turns a [`Context`] into the prompt. It reads nothing else, neither files nor a clock, so
//! that equal contexts give equal bytes and a prompt cache stays warm over midnight: where a date is
//! needed the prompt holds a pattern.
//!
//! The words are Markdown files beside this module, one for each section and variant. Text that comes
//! from memory folders goes into them once, quoted, and is never read as a template.
//!
//! ```
//! use memdir::prompt::{self, Context, Folder};
//! use memdir::{Index, IndexLimits};
//!
//! let index = Index::parse(b"- [Release](project_release.md) \xe2\x80\x94 what is frozen, until when\n");
//! let memory = Folder::new("/home/ada/.claude/projects/-src-app/memory")
//!     .with_index(index.load(&IndexLimits::default()));
//! let context = Context::new(memory).with_transcripts("/home/ada/.claude/projects/-src-app");
//! let text = prompt::build(&context);
//! assert!(text.starts_with("# auto memory\n"));
//! assert!(text.contains("- [Release](project_release.md)"));
//! assert_eq!(text, prompt::build(&context));
//! ```

pub use build::{TokenCost, build, token_cost};
pub use context::{Context, Folder, Saving, Search};

mod build;
mod context;
mod quote;
mod template;

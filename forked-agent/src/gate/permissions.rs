//! The two gates that the memory layers need.

use std::path::PathBuf;

use super::{Action, Call, Change, Gate, Verdict, secrets};
use crate::workspace::Place;

/// The permission table of an agent that writes memories.
///
/// | call | decision |
/// |---|---|
/// | read, search, list | allowed inside the workspace |
/// | shell | allowed when proved to read only |
/// | edit, write | only in a writable folder, only files with an allowed extension, no credentials in the new text |
/// | everything else | denied |
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Permissions {
    /// The extensions that files to be written must have, without the full stop and in lower case.
    /// Default `md`.
    pub extensions: Vec<String>,
    /// Whether shell commands may run. Default true.
    pub shell: bool,
    /// Whether files may be written at all. Default true.
    pub writes: bool,
    /// Whether text that holds a credential may be written. Default false.
    pub allow_secrets: bool,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            extensions: vec!["md".to_owned()],
            shell: true,
            writes: true,
            allow_secrets: false,
        }
    }
}

impl Permissions {
    /// Returns the table for an agent that only looks.
    pub fn read_only() -> Self {
        Self {
            writes: false,
            ..Self::default()
        }
    }

    fn decide_write(&self, place: &Place) -> Verdict {
        if !self.writes {
            return Verdict::deny("this agent may not write files");
        }
        if !place.is_writable() {
            return Verdict::deny("this folder may only be read");
        }
        let extension = place.key().and_then(pathguard::PathKeyRef::extension);
        let known = extension.is_some_and(|extension| {
            let mut allowed = self.extensions.iter();
            allowed.any(|allowed| allowed.eq_ignore_ascii_case(extension))
        });
        if known {
            return Verdict::Allow;
        }
        let allowed = self.extensions.join(", .");
        Verdict::deny(format!("only .{allowed} files may be written"))
    }
}

impl Gate for Permissions {
    fn decide(&self, call: &Call<'_>) -> Verdict {
        match call.action {
            Action::Read(_) | Action::Grep(_) | Action::Glob(_) => Verdict::Allow,
            Action::Shell(_) if self.shell => Verdict::Allow,
            Action::Shell(_) => Verdict::deny("this agent may not run commands"),
            Action::Edit(place) | Action::Write(place) => self.decide_write(place),
            Action::Other => Verdict::deny(
                "this agent may only read, search and list files, run read-only commands and write memory files",
            ),
        }
    }

    fn decide_change(&self, change: &Change<'_>) -> Verdict {
        if self.allow_secrets {
            return Verdict::Allow;
        }
        secrets::decide(change)
    }
}

/// Allows edits of exactly one file, and nothing else.
#[derive(Clone, Debug)]
pub struct OnlyFile {
    path: PathBuf,
    allow_secrets: bool,
}

impl OnlyFile {
    /// Makes a gate for the file at a place.
    pub fn new(place: &Place) -> Self {
        Self {
            path: place.path(),
            allow_secrets: false,
        }
    }

    /// Lets text with credentials through: for a file that never leaves this machine.
    #[must_use]
    pub fn with_secrets_allowed(mut self) -> Self {
        self.allow_secrets = true;
        self
    }
}

impl Gate for OnlyFile {
    fn decide(&self, call: &Call<'_>) -> Verdict {
        match call.action {
            Action::Edit(place) if place.path() == self.path && place.is_writable() => {
                Verdict::Allow
            }
            _ => Verdict::deny(format!(
                "this agent may only edit {}",
                crate::text::shown(&self.path.to_string_lossy())
            )),
        }
    }

    fn decide_change(&self, change: &Change<'_>) -> Verdict {
        if self.allow_secrets {
            return Verdict::Allow;
        }
        secrets::decide(change)
    }
}

//! `memstrata team conflicts`: copies that wait for a person.

use std::io::{self, Write};

use memstrata::pathguard::{self, MemoryRoot, RootOptions};
use memstrata::team_sync::client::{Conflict, Conflicts, conflicts};

use super::lines::Line;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean, counted};

/// Lists the copies. Asks no server and makes no folder.
pub(super) fn run(context: &Context, speech: Speech) -> Result<Exit, Failure> {
    let folder = context.location.memory_dir().join("team");
    let found = match MemoryRoot::open(&folder, &RootOptions::new()) {
        Ok(folder) => conflicts(&folder)?,
        Err(error) if error.kind() == pathguard::ErrorKind::NotFound => Conflicts::default(),
        Err(error) => return Err(error.into()),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    for conflict in &found.conflicts {
        Line::new(conflict.copy.as_str(), "conflict", &detail(conflict)).print(&mut out, speech)?;
    }
    out.flush()?;
    if found.cut {
        speech.say("a part of the folder could not be read; there may be more");
    }
    if found.conflicts.is_empty() {
        speech.say("no conflict copies");
        return Ok(Exit::Done);
    }
    speech.say(&format!(
        "{} in {}: bring what is right into the memory, delete the copy, and sync",
        counted(found.conflicts.len() as u64, "copy", "copies"),
        clean(&folder.display().to_string()),
    ));
    Ok(Exit::Found)
}

fn detail(conflict: &Conflict) -> String {
    let gone = if conflict.original_exists {
        ""
    } else {
        ", which is gone"
    };
    format!(
        "another text of {}{gone}, met by {}",
        conflict.original, conflict.client
    )
}

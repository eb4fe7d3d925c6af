//! Before and after a tool: is this write to a memory allowed, and what did it change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use memstrata::memdir::plain_name;
use memstrata::memdir::{
    Candidate, ContentHash, ErrorKind, Mode, Store, Watch, WriteCheck, WriteDecision, Writer,
};
use memstrata::pathguard::PathKey;

use super::answer::Answer;
use super::host::{Areas, Host, Owner};
use super::log;
use super::payload::ToolCall;
use super::shell::{self, How, Surroundings, Target, is_pattern};
use super::tools::{Change, FileChange, Intent, MAX_FILES};
use crate::exit::{Failure, chain};
use crate::terminal::clean;

/// Most bytes of a memory that are read to see what an edit makes of it.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Decides about a tool call. Fails closed: when a memory would be written and the check cannot be done,
/// the write is refused.
pub(crate) fn before(host: &Host<'_>, tool: &ToolCall) -> Answer {
    let decided = match Intent::of(&tool.tool, &tool.input, host.cwd(), home(host)) {
        Intent::Nothing => return Answer::nothing(),
        Intent::Files(files) => before_files(host, tool, &files),
        Intent::Shell(command, cwd) => before_shell(host, tool, &command, &cwd),
    };
    decided.unwrap_or_else(|failure| {
        let why = chain(failure.error.as_ref());
        log::note(
            &host.global,
            host.environment,
            &format!("refused a write: {why}"),
        );
        Answer::deny(format!(
            "memstrata could not check this write to the memory, so it is refused: {}",
            clean(&why)
        ))
    })
}

fn before_files(host: &Host<'_>, tool: &ToolCall, files: &[FileChange]) -> Result<Answer, Failure> {
    let areas = Areas::of(host);
    if areas.is_off() {
        return Ok(Answer::nothing());
    }
    let touched = by_owner(&areas, files);
    if touched.is_empty() {
        return Ok(Answer::nothing());
    }
    if files.len() > MAX_FILES {
        return Ok(Answer::deny(
            "one patch changes too many files, memories among them; part it",
        ));
    }
    let mut warnings = String::new();
    let mut pictures: Vec<(Store, Vec<PathKey>)> = Vec::new();
    for (owner, files) in touched {
        let store = areas.open(&owner)?;
        let mut keys = Vec::new();
        for file in files {
            let text = file.change.apply(text_before(&store, file).as_deref());
            let bytes = text.as_deref().unwrap_or_default().as_bytes();
            let check = store.check_write(&file.path, bytes, Writer::Host);
            match check.decision {
                WriteDecision::Outside => continue,
                WriteDecision::Allow => {}
                WriteDecision::Warn => {
                    let _ = write!(warnings, "{}: {}. ", shown(file, &check), check.reason);
                }
                WriteDecision::Propose => return Ok(propose(host, &store, file, &check, bytes)),
                _ => {
                    return Ok(Answer::deny(format!(
                        "{}: {}",
                        shown(file, &check),
                        check.reason
                    )));
                }
            }
            keys.extend(check.path);
        }
        pictures.push((store, keys));
    }
    // Only when everything is allowed: a picture without an edit would wait for nothing.
    for (store, keys) in pictures {
        store.watch(&edit_id(host, tool), &Watch::Files(keys))?;
    }
    Ok(match warnings.as_str() {
        "" => Answer::nothing(),
        warnings => {
            let words = format!("{warnings}Leave it out unless the person wants it kept.");
            Answer::context(words.clone()).with_notice(Some(words))
        }
    })
}

/// In mode `ask` nothing is written; a person finds the text in the inbox.
fn propose(
    host: &Host<'_>,
    store: &Store,
    file: &FileChange,
    check: &WriteCheck,
    bytes: &[u8],
) -> Answer {
    let shown = shown(file, check);
    let proposed = match (&check.path, &file.change) {
        (Some(path), Change::Whole(_) | Change::Replace(_)) => {
            let base = store.root().read(path.as_ref(), MAX_FILE_BYTES).ok();
            let candidate = Candidate {
                path: path.clone(),
                bytes: bytes.to_vec(),
                base: base.map(|read| ContentHash::of(&read.bytes)),
            };
            store.propose_file(candidate, &host.origin()).ok()
        }
        _ => None,
    };
    Answer::deny(match proposed {
        Some(item) => format!(
            "{shown}: {}. The text is in the inbox as {}; `memstrata inbox` shows it. Do not write it again.",
            check.reason, item.id
        ),
        None => format!("{shown}: {}.", check.reason),
    })
}

fn before_shell(
    host: &Host<'_>,
    tool: &ToolCall,
    command: &str,
    cwd: &Path,
) -> Result<Answer, Failure> {
    let areas = Areas::of(host);
    if areas.is_off() {
        return Ok(Answer::nothing());
    }
    for (owner, touched) in &touched_by(host, &areas, command, cwd) {
        if touched.takes_away_all {
            return Ok(Answer::deny(
                "this command would take away the memory together with its history; the person can do that by hand, \
                 or `memstrata purge` removes single memories for good",
            ));
        }
        if let Some(state) = touched
            .targets
            .iter()
            .find(|it| it.how != How::Inside && areas.is_state(&it.path))
        {
            return Ok(Answer::deny(format!(
                "this command could write {}: the state folder holds the history and is written by the store only",
                clean(&state.path.to_string_lossy()),
            )));
        }
        let store = areas.open(owner)?;
        let mode = store.options().modes().persistent;
        if mode != Mode::Auto && !touched.targets.is_empty() {
            return Ok(Answer::deny(format!(
                "this command could change memories, and the memory is in mode {mode}; to propose one, write \
                 it with the file tool"
            )));
        }
        let written = touched.targets.iter().filter(|it| it.how == How::Write);
        for Target { path, .. } in written.filter(|it| !is_pattern(&it.path) && !it.path.is_dir()) {
            // What the command would write is not known; a credential would stand in the command.
            let check = store.check_write(path, command.as_bytes(), Writer::Host);
            if !matches!(check.decision, WriteDecision::Block) {
                continue;
            }
            return Ok(Answer::deny(format!(
                "this command could write {}: {}",
                clean(&path.to_string_lossy()),
                check.reason
            )));
        }
        store.watch(&edit_id(host, tool), &Watch::Everything)?;
    }
    Ok(Answer::nothing())
}

/// Records what a tool has changed in memories.
pub(crate) fn after(host: &Host<'_>, tool: &ToolCall) -> Result<Answer, Failure> {
    let intent = Intent::of(&tool.tool, &tool.input, host.cwd(), home(host));
    if intent == Intent::Nothing {
        return Ok(Answer::nothing());
    }
    let areas = Areas::of(host);
    if areas.is_off() {
        return Ok(Answer::nothing());
    }
    let owners: Vec<Owner> = match &intent {
        Intent::Nothing => Vec::new(),
        Intent::Files(files) => by_owner(&areas, files).into_keys().collect(),
        Intent::Shell(command, cwd) => {
            let touched = touched_by(host, &areas, command, cwd);
            touched.into_keys().collect()
        }
    };
    let mut secrets = String::new();
    for owner in owners {
        let store = areas.open(&owner)?;
        let reconciled = match store.reconcile(&edit_id(host, tool), &host.origin()) {
            // No picture was taken: the hook was installed in the middle, or the write was refused.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            result => result?,
        };
        for (path, secret) in &reconciled.secrets {
            let path = clean(path.as_str()).into_owned();
            let _ = write!(
                secrets,
                "{} in {path}, line {}; ",
                secret.label, secret.line
            );
        }
    }
    Ok(match secrets.as_str() {
        "" => Answer::nothing(),
        secrets => Answer::context(format!(
            "memstrata: the memory now holds a credential: {secrets}take it out unless the person wants it kept."
        )),
    })
}

fn home<'a>(host: &'a Host<'_>) -> Option<&'a Path> {
    host.environment.user_home.as_deref()
}

/// The changes of files that belong to a memory.
fn by_owner<'a>(areas: &Areas, files: &'a [FileChange]) -> BTreeMap<Owner, Vec<&'a FileChange>> {
    let mut touched: BTreeMap<Owner, Vec<&FileChange>> = BTreeMap::new();
    for file in files {
        if let Some(owner) = areas.owner(&file.path) {
            touched.entry(owner).or_default().push(file);
        }
    }
    touched
}

/// What a shell command could do to the memory of one owner.
#[derive(Debug, Default)]
struct Touched {
    /// What it could change in there; nothing when it only works on a folder above.
    targets: Vec<Target>,
    /// Whether it takes away a folder that holds all of it.
    takes_away_all: bool,
}

/// The memories that a shell command could write.
fn touched_by(
    host: &Host<'_>,
    areas: &Areas,
    command: &str,
    cwd: &Path,
) -> BTreeMap<Owner, Touched> {
    let home = host.environment.user_home.as_deref();
    let set = |name: &str| {
        let mut known = host.environment.variables.iter();
        known
            .find(|(known, _)| known == name)
            .map(|(_, value)| Path::new(value))
    };
    let variables = [
        ("HOME", home),
        ("USERPROFILE", home),
        ("PWD", Some(cwd)),
        (
            "CLAUDE_PROJECT_DIR",
            host.environment.agent_project.as_deref(),
        ),
        ("MEMSTRATA_HOME", set("MEMSTRATA_HOME")),
        ("CLAUDE_CONFIG_DIR", set("CLAUDE_CONFIG_DIR")),
        ("MEMSTRATA_MEMORY_DIR", set("MEMSTRATA_MEMORY_DIR")),
    ];
    let variables: Vec<(&str, &Path)> = variables
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let mut touched: BTreeMap<Owner, Touched> = BTreeMap::new();
    let surroundings = Surroundings {
        cwd,
        variables: &variables,
    };
    let Some(targets) = shell::targets(command, surroundings) else {
        // Too much to be looked through: the picture tells what it did.
        touched.insert(Owner::Own, Touched::default());
        return touched;
    };
    // Whether there is a memory that could go.
    let has_own = areas
        .own()
        .is_some_and(|own| own.location.memory_dir().is_dir() || own.location.state_dir().is_dir());
    for target in targets {
        let is_above =
            matches!(target.how, How::Remove | How::Tree) && areas.is_above(&target.path);
        if is_above && has_own {
            let own = touched.entry(Owner::Own).or_default();
            own.takes_away_all |= target.how == How::Remove;
        }
        for owner in areas.owners(&target.path) {
            let targets = &mut touched.entry(owner).or_default().targets;
            targets.push(target.clone());
        }
    }
    touched
}

/// What is in the file now, when it is a memory that can be read.
fn text_before(store: &Store, file: &FileChange) -> Option<String> {
    if !matches!(file.change, Change::Replace(_)) {
        return None;
    }
    let real = memstrata::pathguard::realpath_deepest_existing(&file.path).ok()?;
    let folder = std::fs::canonicalize(store.dir()).ok()?;
    let below: Vec<&str> = real
        .strip_prefix(folder)
        .ok()?
        .iter()
        .map(std::ffi::OsStr::to_str)
        .collect::<Option<_>>()?;
    let key = PathKey::parse(&below.join("/")).ok()?;
    let found = store.root().read(key.as_ref(), MAX_FILE_BYTES).ok()?;
    String::from_utf8(found.bytes).ok()
}

fn shown(file: &FileChange, check: &WriteCheck) -> String {
    let path = file.path.to_string_lossy();
    let path = check
        .path
        .as_ref()
        .map_or(path, |key| key.as_str().to_owned().into());
    format!("memstrata: {} was not written as it stands", clean(&path))
}

/// The name of an edit, the same before and after the tool.
fn edit_id(host: &Host<'_>, tool: &ToolCall) -> String {
    if tool.id.is_empty() {
        let call = format!("{} {} {}", host.call.session, tool.tool, tool.input);
        return plain_name(&format!("edit {call}"));
    }
    plain_name(&format!("edit-{}", tool.id))
}

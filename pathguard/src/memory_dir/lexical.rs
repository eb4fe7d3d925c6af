//! What a path alone says about a memory folder.

use std::path::{Component, Path, PathBuf};

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{DirWarning, Env, MemoryDirSpec, TrustedSource};
use crate::key::{MAX_KEY_BYTES, fold_key};
use crate::reason::TraversalReason;

/// The shortest setting, in characters. Two are `/a`: nobody's memory folder.
const MIN_CHARS: usize = 3;

/// Folders of the operating system, as first component on Unix.
pub(super) const SYSTEM_FOLDERS: [&str; 3] = ["proc", "sys", "dev"];

pub(super) fn resolve(
    raw: &str,
    source: TrustedSource,
    env: &Env,
) -> Result<MemoryDirSpec, TraversalReason> {
    check_text(raw)?;
    let spelled = without_dots(&expand(raw, env.home.as_deref())?)?;
    check_place(&spelled, env.home.as_deref())?;
    let (path, other_spelling) = match spelled.to_str() {
        Some(text) if !is_nfc(text) => {
            (PathBuf::from(text.nfc().collect::<String>()), Some(spelled))
        }
        _ => (spelled, None),
    };
    let warnings = other_spelling
        .iter()
        .map(|_| DirWarning::Normalized)
        .collect();
    Ok(MemoryDirSpec {
        path,
        other_spelling,
        home: env.home.clone(),
        source,
        warnings,
    })
}

/// Checks the text of the setting, before anything in it means something.
fn check_text(raw: &str) -> Result<(), TraversalReason> {
    let bytes = raw.as_bytes();
    if raw.is_empty() {
        return Err(TraversalReason::Empty);
    }
    if bytes.len() > MAX_KEY_BYTES {
        return Err(TraversalReason::KeyTooLong);
    }
    if bytes.contains(&0) {
        return Err(TraversalReason::Nul);
    }
    // Opening `\\server\share` sends the user's credentials to that server. Windows takes either
    // slash for either place, and `\\?\` and `\\.\` begin alike.
    if let [b'/' | b'\\', b'/' | b'\\', ..] = bytes {
        return Err(TraversalReason::NetworkPath);
    }
    if bytes[0] == b'~' {
        check_tilde(raw)?;
    }
    if raw.chars().count() < MIN_CHARS {
        let is_root = raw.bytes().all(|b| matches!(b, b'/' | b'\\'));
        return Err(if is_root {
            TraversalReason::FileSystemRoot
        } else {
            TraversalReason::TooShort
        });
    }
    if raw.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(TraversalReason::Glob);
    }
    Ok(())
}

/// `~/name…` and nothing else: `~`, `~/`, `~/.` and `~/..` are the whole home or more, and `~name`
/// is somebody else's.
fn check_tilde(raw: &str) -> Result<(), TraversalReason> {
    let rest = match raw.as_bytes() {
        [b'~', b'/', ..] => &raw[2..],
        [b'~', b'\\', ..] if cfg!(windows) => &raw[2..],
        _ => return Err(TraversalReason::TildeForm),
    };
    let is_separator = |c: char| c == '/' || (cfg!(windows) && c == '\\');
    match rest.split(is_separator).find(|part| !part.is_empty()) {
        None | Some("." | "..") => Err(TraversalReason::TildeForm),
        Some(_) => Ok(()),
    }
}

fn expand(raw: &str, home: Option<&Path>) -> Result<PathBuf, TraversalReason> {
    if let Some(rest) = raw.strip_prefix('~') {
        let home = home
            .filter(|home| home.is_absolute())
            .ok_or(TraversalReason::NoHome)?;
        return Ok(home.join(rest.trim_start_matches(['/', '\\'])));
    }
    let path = PathBuf::from(raw);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(TraversalReason::Relative)
    }
}

/// Drops `.` and repeated slashes, which change nothing, and refuses `..`, which means one thing by
/// name and another through a link.
fn without_dots(path: &Path) -> Result<PathBuf, TraversalReason> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => return Err(TraversalReason::DotComponent),
            Component::Normal(name) if name == "~" => return Err(TraversalReason::TildeForm),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                clean.push(component);
            }
        }
    }
    Ok(clean)
}

fn check_place(path: &Path, home: Option<&Path>) -> Result<(), TraversalReason> {
    if !path
        .components()
        .any(|component| matches!(component, Component::Normal(_)))
    {
        return Err(TraversalReason::FileSystemRoot);
    }
    if home.is_some_and(|home| is_above(path, home)) {
        return Err(TraversalReason::HomeFolder);
    }
    if is_system_folder(path) {
        return Err(TraversalReason::SystemFolder);
    }
    Ok(())
}

/// Reports whether `path` is `home` or lies above it, by name.
fn is_above(path: &Path, home: &Path) -> bool {
    // Names that differ in case or normal form are one folder on macOS and Windows, and nobody
    // keeps two homes apart by case elsewhere.
    let parts = |path: &Path| -> Vec<String> {
        path.components()
            .filter(|component| *component != Component::CurDir)
            .map(|component| fold_key(&component.as_os_str().to_string_lossy()))
            .collect()
    };
    parts(home).starts_with(&parts(path))
}

/// Reports whether `path` lies in a folder of the operating system, by name.
pub(super) fn is_system_folder(path: &Path) -> bool {
    let mut components = path.components();
    cfg!(unix)
        && components.next() == Some(Component::RootDir)
        && components
            .next()
            .is_some_and(|first| SYSTEM_FOLDERS.iter().any(|&name| first.as_os_str() == name))
}

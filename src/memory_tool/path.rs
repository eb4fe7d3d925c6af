//! From a path that a model wrote to a checked key below the folder.

use pathguard::PathKey;

/// What every path begins with.
const PREFIX: &str = "/memories";

/// The folder of the team's memories in a memory folder.
const TEAM_FOLDER: &str = "team";

/// Longest path that is read, in bytes. Keys are shorter; the rest can only be slashes, and every answer repeats
/// the path.
const MAX_BYTES: usize = 4_096;

/// The lock of a plain folder; nobody's to read or write.
pub(super) const LOCK_NAME: &str = ".memory-tool.lock";

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The folder itself.
    Root,
    /// A file or folder in it.
    Below(PathKey),
}

impl Place {
    /// Checks a path. Repeated and final slashes are no difference, as for the helpers of the SDKs.
    pub(super) fn parse(path: &str) -> Result<Self, String> {
        if path.len() > MAX_BYTES {
            return Err(format!(
                "Error: Path {} is not allowed: it is longer than {MAX_BYTES} bytes",
                brief(path)
            ));
        }
        let below = match path.strip_prefix(PREFIX) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
            _ => {
                return Err(format!(
                    "Path must start with {PREFIX}, got: {}",
                    brief(path)
                ));
            }
        };
        let components: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        if components.is_empty() {
            return Ok(Place::Root);
        }
        if climbs_out(&components) {
            return Err(format!(
                "Path {} would escape {PREFIX} directory",
                brief(path)
            ));
        }
        let refuse = |why: &str| Err(format!("Error: Path {} is not allowed: {why}", brief(path)));
        if pathguard::fold_key(components[0]) == LOCK_NAME {
            return refuse("it is the lock of this tool");
        }
        match PathKey::parse(&components.join("/")) {
            Ok(key) => Ok(Place::Below(key)),
            Err(error) => refuse(
                error
                    .reason()
                    .map_or("it could lead to another place", |reason| reason.text()),
            ),
        }
    }
}

/// Whether `inner` is `outer` or lies in it. Compared as any file system might: case and normal form of
/// names do not count.
pub(super) fn is_below(inner: &PathKey, outer: &PathKey) -> bool {
    let (inner, outer) = (
        pathguard::fold_key(inner.as_str()),
        pathguard::fold_key(outer.as_str()),
    );
    inner
        .strip_prefix(&outer)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path of a memory folder is the folder of the team, or lies in it.
pub(super) fn is_team(key: &PathKey) -> bool {
    let first = key.as_ref().components().next();
    first.is_some_and(|first| pathguard::fold_key(first) == TEAM_FOLDER)
}

/// A path for an answer: never longer than a reader needs to recognise it.
pub(super) fn brief(path: &str) -> String {
    const MOST: usize = 300;
    if path.chars().count() <= MOST {
        return path.to_owned();
    }
    let begin: String = path.chars().take(MOST).collect();
    format!("{begin}…")
}

/// Whether the dots alone lead above the folder. Other dots are refused too, in other words.
fn climbs_out(components: &[&str]) -> bool {
    let mut depth = 0_usize;
    for component in components {
        match *component {
            "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn only_paths_below_the_folder_become_keys() {
        let long = format!("/memories/{}", "n".repeat(300));
        let slashes = format!("/memories{}a", "/".repeat(5_000));
        let table: &[(&str, Result<&str, &str>)] = &[
            ("/memories", Ok("")),
            ("/memories/", Ok("")),
            ("/memories//", Ok("")),
            ("/memories/a.md", Ok("a.md")),
            ("/memories//d///a.md/", Ok("d/a.md")),
            ("/memories/日本/メモ.md", Ok("日本/メモ.md")),
            ("", Err("must start")),
            ("/", Err("must start")),
            ("memories/a", Err("must start")),
            ("/memoriesX/a", Err("must start")),
            ("/memories_backup", Err("must start")),
            ("/Memories/a", Err("must start")),
            ("/memories/..", Err("would escape")),
            ("/memories/sub/../..", Err("would escape")),
            ("/memories/a/../b", Err("not allowed")),
            ("/memories/./b", Err("not allowed")),
            ("/memories/%2e%2e/x", Err("not allowed")),
            ("/memories/..\\..\\x", Err("not allowed")),
            ("/memories/a\0b", Err("not allowed")),
            ("/memories/CON", Err("not allowed")),
            ("/memories/a.md:stream", Err("not allowed")),
            ("/memories/a.", Err("not allowed")),
            ("/memories/.git/config", Err("not allowed")),
            ("/memories/.Memory-Tool.lock", Err("the lock")),
            (&long, Err("not allowed")),
            (&slashes, Err("longer than 4096 bytes")),
        ];
        for (path, expected) in table {
            match (Place::parse(path), expected) {
                (Ok(Place::Root), Ok("")) => {}
                (Ok(Place::Below(key)), Ok(wanted)) => assert_eq!(key.as_str(), *wanted),
                (Err(text), Err(part)) => assert!(text.contains(part), "{path}: {text}"),
                (got, _) => panic!("{path:?} gave {got:?}"),
            }
        }
    }
}

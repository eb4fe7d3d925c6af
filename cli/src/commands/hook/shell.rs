//! Which paths a shell command names, well enough to tell whether it could write a memory.
//!
//! This is no shell: a command that hides a path behind variables, substitutions or another program is not
//! seen through. What such a command does to the memory folder is found and recorded when the turn is over.

use std::path::{Component, Path, PathBuf};

use memstrata::forked_agent::shell::{Scope, vet};

/// Words of a command that are looked at.
const MAX_WORDS: usize = 512;

/// Programs that take a folder away or change what is below it: for them a folder above the memory counts.
const SWEEPING: [&str; 8] = ["rm", "mv", "rmdir", "find", "rsync", "shred", "git", "tar"];

/// Returns the paths that a command names, absolute, by their text: `~`, `$HOME` and the variables given
/// are replaced, anything else is taken from `cwd`.
pub(crate) fn named_paths(command: &str, cwd: &Path, variables: &[(&str, &Path)]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for word in words(command).take(MAX_WORDS) {
        // `--output=PATH`, `if=PATH`, `KEY=PATH`: both sides may be one.
        let value = word.split_once('=').map(|(_, value)| value.to_owned());
        for word in std::iter::once(word).chain(value) {
            let path = normal(&cwd.join(expanded(&word, variables)));
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// Whether a command could take away a folder as a whole.
pub(crate) fn is_sweeping(command: &str) -> bool {
    words(command)
        .take(MAX_WORDS)
        .any(|word| SWEEPING.contains(&word.rsplit('/').next().unwrap_or(&word)))
}

/// Whether a command is proved to read only.
pub(crate) fn only_reads(command: &str, cwd: &Path) -> bool {
    vet(command, &Scope::new(cwd).everywhere()).is_ok()
}

/// The words of a command without quotes and operators.
fn words(command: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = command.chars().peekable();
    std::iter::from_fn(move || {
        let is_operator = |character: char| "<>|&;()`\n\t\r ".contains(character);
        while rest.next_if(|character| is_operator(*character)).is_some() {}
        rest.peek()?;
        let mut word = String::new();
        let mut quote: Option<char> = None;
        while let Some(&character) = rest.peek() {
            match quote {
                None if is_operator(character) => break,
                None if character == '\'' || character == '"' => quote = Some(character),
                Some(open) if open == character => quote = None,
                // On Windows it parts folders.
                _ if character == '\\' && !cfg!(windows) => {
                    rest.next();
                    word.extend(rest.next());
                    continue;
                }
                _ => word.push(character),
            }
            rest.next();
        }
        Some(word)
    })
}

fn expanded(word: &str, variables: &[(&str, &Path)]) -> PathBuf {
    for (name, value) in variables {
        let braced = format!("${{{name}}}");
        let plain = format!("${name}");
        let tilde = if *name == "HOME" { "~" } else { "" };
        for form in [braced.as_str(), plain.as_str(), tilde] {
            let rest = word.strip_prefix(form).filter(|_| !form.is_empty());
            match rest {
                Some("") => return value.to_path_buf(),
                Some(rest) if rest.starts_with(['/', '\\']) => {
                    return value.join(rest.trim_start_matches(['/', '\\']));
                }
                _ => {}
            }
        }
    }
    PathBuf::from(word)
}

/// The path without `.` and, by its text, without `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{is_sweeping, named_paths, only_reads};

    #[test]
    fn paths_are_found_behind_quotes_operators_and_variables() {
        let home = Path::new("/home/ana");
        let paths = |command: &str| named_paths(command, Path::new("/work"), &[("HOME", home)]);
        for (command, expected) in [
            ("echo x >>~/m/a.md", "/home/ana/m/a.md"),
            ("echo x > \"$HOME/m/a b.md\"", "/home/ana/m/a b.md"),
            ("tee '${HOME}/m/a.md'", "/home/ana/m/a.md"),
            ("cp b.md ../m/a.md", "/m/a.md"),
            ("dd if=b of=/m/a.md", "/m/a.md"),
            ("sed -i s/a/b/ m/./a.md", "/work/m/a.md"),
            ("(cd /m&&rm a.md)", "/m"),
            (r"rm /m/a\ b.md", "/m/a b.md"),
            ("cat <<E >/m/a.md\nx\nE\n", "/m/a.md"),
        ] {
            assert!(
                paths(command).contains(&PathBuf::from(expected)),
                "{command}: {:?}",
                paths(command)
            );
        }
    }

    #[test]
    fn reading_is_told_from_sweeping() {
        assert!(only_reads("grep -rn retry /m | head", Path::new("/work")));
        assert!(!only_reads("rm -r /m", Path::new("/work")));
        assert!(is_sweeping("cd / && /bin/rm -r m"));
        assert!(!is_sweeping("echo arm"));
    }
}

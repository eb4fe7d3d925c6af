//! What a shell command could change, well enough to tell whether it could write a memory.
//!
//! The command is read word by word: quotes, variables it sets itself, `cd`, substitutions, scripts in quotes
//! and texts for interpreters are followed; each program is judged by its name and options, and one that is
//! not known could change whatever it is given. This is no shell all the same: what a script does that lies
//! in a file, or what is put together while it runs, is not seen here. It is found and recorded when the turn
//! is over.

use std::path::{Path, PathBuf};

use self::reader::Reader;

pub(crate) use self::pattern::{is_pattern, matches};

mod lexer;
mod pattern;
mod programs;
mod reader;

/// Bytes of a command that are looked at.
const MAX_BYTES: usize = 1 << 20;

/// How a path is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// It is written, as a file, or what lies in it, as a folder.
    Write,
    /// It goes, with everything below it.
    Remove,
    /// A folder is made.
    MakeFolder,
    /// Some of what lies below it is written or goes.
    Tree,
    /// A program works in it that is not known.
    Inside,
}

/// A path as a command names it.
type Named = (String, How);

/// Something that a command could change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// Absolute, by its text; may hold the patterns of a shell.
    pub(crate) path: PathBuf,
    pub(crate) how: How,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) cwd: &'a Path,
    /// Variables whose values are known; `HOME` is what `~` stands for.
    pub(crate) variables: &'a [(&'a str, &'a Path)],
}

/// Returns what a command could change; `None` when it is too much to tell.
pub(crate) fn targets(command: &str, surroundings: Surroundings<'_>) -> Option<Vec<Target>> {
    if command.len() > MAX_BYTES {
        return None;
    }
    let mut reader = Reader::new(surroundings.variables);
    reader.script(command, &mut vec![surroundings.cwd.to_owned()], 0);
    reader.targets()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{How, Surroundings, matches, targets};

    fn found(command: &str) -> Vec<(String, How)> {
        let surroundings = Surroundings {
            cwd: Path::new("/work"),
            variables: &[("HOME", Path::new("/home/ana"))],
        };
        let all = targets(command, surroundings).unwrap_or_default();
        let all = all.into_iter();
        all.map(|it| (it.path.to_string_lossy().into_owned(), it.how))
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_changes_is_found_behind_quotes_operators_and_variables() {
        for (command, expected) in [
            ("echo x >>~/m/a.md", &[("/home/ana/m/a.md", How::Write)][..]),
            (
                "tee \"$HOME/m/a b.md\"",
                &[("/home/ana/m/a b.md", How::Write)],
            ),
            ("cp b.md ../m/a.md", &[("/m/a.md", How::Write)]),
            (
                "rm ~ana/x ~eva/x",
                &[("/home/ana/x", How::Remove), ("/work/~eva/x", How::Remove)],
            ),
            (r"rm /m/a\ b.md", &[("/m/a b.md", How::Remove)]),
            ("cat a 2>&1 | grep b", &[]),
            ("cd /m && rm a", &[("/m/a", How::Remove)]),
            (
                "cd /m; rm a",
                &[("/m/a", How::Remove), ("/work/a", How::Remove)],
            ),
            ("(cd /m); rm a", &[("/work/a", How::Remove)]),
            ("X=/m Y=a; rm $X/$Y", &[("/m/a", How::Remove)]),
            ("git reset --hard", &[("/work", How::Tree)]),
            ("tool", &[("/work", How::Inside)]),
        ] {
            let expected: Vec<(String, How)> = expected
                .iter()
                .map(|(path, how)| ((*path).to_owned(), *how))
                .collect();
            assert_eq!(found(command), expected, "{command}");
        }
    }

    #[test]
    fn a_pattern_matches_at_least_what_it_says() {
        for (pattern, name) in [
            ("*", "x"),
            ("m*y", "memory"),
            ("?emory", "memory"),
            ("{memory,x}", "memory"),
            ("memor[xy]", "memory"),
            ("*e*o*", "memory"),
        ] {
            assert!(matches(pattern, name), "{pattern}");
        }
        for (pattern, name) in [
            ("m*x", "memory"),
            ("", "x"),
            ("??", "x"),
            ("memory", "Memory"),
        ] {
            assert!(!matches(pattern, name), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(command in any::<String>(), pieces in prop::collection::vec(
            prop::sample::select(&[
                "echo ", "rm ", "cd ", "> ", ">> ", "<<E\n", "\nE\n", "| ", "&& ", "; ", "$(", ")", "`", "'", "\"", "\\",
                "${", "}", "$A", "A=", "for x in ", "xargs ", "sudo ", "sh -c ", "eval ", "/m/a ", "~/b ", "~", "#", "\u{1}A\u{2}",
                "$'\\x", "{a,b}", "*", "é", "find . -exec ", "tar ", "git -C ", "-", "=",
            ][..]), 0..60)) {
            found(&command);
            found(&pieces.concat());
        }

        #[test]
        fn a_redirection_is_found_behind_anything_that_is_closed(before in "[a-z $~/=*.-]{0,40}") {
            let all = found(&format!("{before} ; echo x > /m/a.md"));
            prop_assert!(all.contains(&("/m/a.md".to_owned(), How::Write)), "{all:?}");
        }
    }
}

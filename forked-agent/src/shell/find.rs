//! The third check for `find`: start points, then predicates out of a list.
//!
//! Every predicate takes a fixed number of arguments, so the walk knows which argument is a predicate
//! and which is a value. Left out: what runs programs (`-exec`, `-execdir`, `-ok`, `-okdir`), deletes
//! (`-delete`), writes files (`-fprint`, `-fprint0`, `-fprintf`, `-fls`), follows links (`-L`, `-H`,
//! `-follow`) or reads names from a file (`-files0-from`).

use super::options::{Argument, Findings, PathUse};
use super::refusal::{Refusal, RefusalKind};
use crate::text::shown;

/// What a predicate takes.
#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    /// A text that names no file.
    Text,
    /// A file whose times or identity are compared.
    File,
}

/// The predicates of GNU findutils 4.9 that only look.
const PREDICATES: &[(&str, Takes)] = &[
    ("-name", Takes::Text),
    ("-type", Takes::Text),
    ("-path", Takes::Text),
    ("-not", Takes::Nothing),
    ("-o", Takes::Nothing),
    ("-maxdepth", Takes::Text),
    ("-iname", Takes::Text),
    ("-mtime", Takes::Text),
    ("-size", Takes::Text),
    ("-print", Takes::Nothing),
    ("-printf", Takes::Text),
    ("-a", Takes::Nothing),
    ("-amin", Takes::Text),
    ("-and", Takes::Nothing),
    ("-anewer", Takes::File),
    ("-atime", Takes::Text),
    ("-cmin", Takes::Text),
    ("-cnewer", Takes::File),
    ("-ctime", Takes::Text),
    ("-daystart", Takes::Nothing),
    ("-depth", Takes::Nothing),
    ("-empty", Takes::Nothing),
    ("-executable", Takes::Nothing),
    ("-false", Takes::Nothing),
    ("-fstype", Takes::Text),
    ("-gid", Takes::Text),
    ("-group", Takes::Text),
    ("-help", Takes::Nothing),
    ("--help", Takes::Nothing),
    ("-ignore_readdir_race", Takes::Nothing),
    ("-ilname", Takes::Text),
    ("-inum", Takes::Text),
    ("-ipath", Takes::Text),
    ("-iregex", Takes::Text),
    ("-iwholename", Takes::Text),
    ("-links", Takes::Text),
    ("-lname", Takes::Text),
    ("-ls", Takes::Nothing),
    ("-mindepth", Takes::Text),
    ("-mmin", Takes::Text),
    ("-mount", Takes::Nothing),
    ("-newer", Takes::File),
    ("-nogroup", Takes::Nothing),
    ("-noignore_readdir_race", Takes::Nothing),
    ("-noleaf", Takes::Nothing),
    ("-nouser", Takes::Nothing),
    ("-nowarn", Takes::Nothing),
    ("-or", Takes::Nothing),
    ("-perm", Takes::Text),
    ("-print0", Takes::Nothing),
    ("-prune", Takes::Nothing),
    ("-quit", Takes::Nothing),
    ("-readable", Takes::Nothing),
    ("-regex", Takes::Text),
    ("-regextype", Takes::Text),
    ("-samefile", Takes::File),
    ("-true", Takes::Nothing),
    ("-uid", Takes::Text),
    ("-used", Takes::Text),
    ("-user", Takes::Text),
    ("-version", Takes::Nothing),
    ("--version", Takes::Nothing),
    ("-warn", Takes::Nothing),
    ("-wholename", Takes::Text),
    ("-writable", Takes::Nothing),
    ("-xdev", Takes::Nothing),
    ("-xtype", Takes::Text),
    ("(", Takes::Nothing),
    (")", Takes::Nothing),
    ("!", Takes::Nothing),
    (",", Takes::Nothing),
];

/// Checks the arguments of `find` and returns what they make it read.
pub(super) fn check(arguments: &[Argument<'_>]) -> Result<Findings, Refusal> {
    let mut findings = Findings {
        walks: true,
        ..Findings::default()
    };
    // `-P`, never to follow links, is the default and the only option before the start points.
    let mut next = arguments
        .iter()
        .take_while(|argument| argument.text == "-P")
        .count();
    while let Some(argument) = arguments.get(next) {
        if argument.text.starts_with(['-', '(', ')', '!', ',']) {
            break;
        }
        if argument.text.is_empty() {
            return Err(wrong(argument, "an empty name names no folder"));
        }
        findings.paths.push(PathUse {
            argument: next,
            offset: 0,
        });
        next += 1;
    }
    findings.reads_folder = findings.paths.is_empty();
    while let Some(argument) = arguments.get(next) {
        next += 1;
        let takes = takes(argument)?;
        if matches!(takes, Takes::Nothing) {
            continue;
        }
        if next == arguments.len() {
            let what = format!("{} needs a value", shown(&argument.text));
            return Err(wrong(argument, &what));
        }
        if matches!(takes, Takes::File) {
            findings.paths.push(PathUse {
                argument: next,
                offset: 0,
            });
        }
        next += 1;
    }
    Ok(findings)
}

fn takes(argument: &Argument<'_>) -> Result<Takes, Refusal> {
    let text: &str = &argument.text;
    if let Some((_, takes)) = PREDICATES.iter().find(|(name, _)| *name == text) {
        return Ok(*takes);
    }
    // `-newerXY` compares time X with time Y of a file, or with a date when Y is `t`.
    if let Some([b'a' | b'B' | b'c' | b'm', against]) =
        text.strip_prefix("-newer").map(str::as_bytes)
    {
        match against {
            b't' => return Ok(Takes::Text),
            b'a' | b'B' | b'c' | b'm' => return Ok(Takes::File),
            _ => {}
        }
    }
    Err(Refusal::new(
        RefusalKind::Option,
        argument.position,
        format!("`find` may not get {} here", shown(text)),
    ))
}

fn wrong(argument: &Argument<'_>, what: &str) -> Refusal {
    Refusal::new(
        RefusalKind::Value,
        argument.position,
        format!("`find`: {what}"),
    )
}

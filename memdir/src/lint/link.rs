//! Links in the bodies of memories.

use std::collections::HashSet;

use pathguard::fold_key;

use super::{Code, Findings, MemoryFile, Severity, Snapshot, stem};
use crate::index::{Target, resolve_path};
use crate::markdown::{self, LineKind, SpanKind};

/// A link of a memory, resolved against the folder.
pub(super) struct Link {
    pub(super) line: usize,
    pub(super) goal: Goal,
}

pub(super) enum Goal {
    /// A path below the folder, folded.
    File { folded: String, shown: String },
    /// The name of a memory.
    Name(String),
}

pub(super) fn check(file: &MemoryFile<'_>, snapshot: &Snapshot<'_>, findings: &mut Findings) {
    let links = links(file);
    if links.is_empty() {
        return;
    }
    for link in links {
        match link.goal {
            Goal::File { folded, shown } if !has_file(snapshot, &folded) => {
                let message = format!("the link leads to {shown}, which is not in the folder");
                findings.add(Code::DeadLink, file.file.path, link.line, message);
            }
            Goal::Name(name) if !has_name(snapshot, &name) => {
                let message = format!("no memory is called {name}");
                findings
                    .add(Code::DeadLink, file.file.path, link.line, message)
                    .severity(Severity::Info);
            }
            _ => {}
        }
    }
}

/// The links of a memory that lead to something in the folder.
pub(super) fn links(file: &MemoryFile<'_>) -> Vec<Link> {
    let body = file.memory.body();
    if !body.contains('[') {
        return Vec::new();
    }
    let mut out = Vec::new();
    let first = file.memory.body_line();
    for line in markdown::lines(body.as_bytes()) {
        if line.kind != LineKind::Text {
            continue;
        }
        let text = &body[line.visible.clone()];
        for span in markdown::spans(text) {
            let target = &text[span.target];
            let goal = match span.kind {
                SpanKind::Code => continue,
                SpanKind::Wiki => {
                    Goal::Name(target.split('#').next().unwrap_or(target).trim().to_owned())
                }
                SpanKind::Link => match resolve(file.file.path, target) {
                    Some(path) => Goal::File {
                        folded: fold_key(&path),
                        shown: path,
                    },
                    None => continue,
                },
            };
            out.push(Link {
                line: first + line.number - 1,
                goal,
            });
        }
    }
    out
}

/// A relative target, from the folder of the file on; `None` for what leads elsewhere.
fn resolve(path: &str, target: &str) -> Option<String> {
    let is_rooted = target.starts_with(['/', '~', '\\']) || target.as_bytes().get(1) == Some(&b':');
    if is_rooted || matches!(resolve_path(target), Target::NoFile) {
        return None;
    }
    let folder = path.rfind('/').map_or("", |at| &path[..=at]);
    match resolve_path(&format!("{folder}{target}")) {
        Target::Inside(path) => Some(path),
        Target::Outside | Target::NoFile => None,
    }
}

fn has_file(snapshot: &Snapshot<'_>, folded: &str) -> bool {
    snapshot.folded.contains(folded)
        || snapshot.folded.contains(&format!("{folded}.md"))
        || snapshot.folders.contains(folded)
}

fn has_name(snapshot: &Snapshot<'_>, name: &str) -> bool {
    snapshot.names.contains(&even(name)) || has_file(snapshot, &fold_key(name))
}

/// All names under which the memories of a folder may be linked to: file stem, stem without the
/// type, and title; also the files that are no memories.
pub(super) fn names<'a>(
    memories: &[MemoryFile<'_>],
    files: impl Iterator<Item = &'a str>,
) -> HashSet<String> {
    let mut names: HashSet<String> = files.map(|path| even(stem(path))).collect();
    for file in memories {
        let stem = even(file.stem());
        let kinds = ["user_", "feedback_", "project_", "reference_"];
        if let Some(bare) = kinds.iter().find_map(|kind| stem.strip_prefix(kind)) {
            names.insert(bare.to_owned());
        }
        names.insert(stem);
        names.insert(even(file.memory.name()));
    }
    names
}

/// Names without regard to case, normal form, and what stands between words.
pub(super) fn even(name: &str) -> String {
    let name = name.trim();
    let name = name.strip_suffix(".md").unwrap_or(name);
    fold_key(name).replace(['-', ' '], "_")
}

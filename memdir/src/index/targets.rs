//! What an index points to, for many questions at once.

use std::collections::HashSet;

use pathguard::fold_key;

use super::Index;
use super::entry::{base_name, even};
use crate::markdown::SpanKind;

/// The files that the entries of an index point to. A look-up costs the same however long the index
/// is; [`Index::find`] goes through all of it.
pub(crate) struct Targets {
    files: HashSet<String>,
    /// Wiki links with a folder, and without one, which mean a file in any folder.
    wiki_paths: HashSet<String>,
    wiki_names: HashSet<String>,
}

impl Index {
    pub(crate) fn targets(&self) -> Targets {
        let mut targets = Targets {
            files: HashSet::new(),
            wiki_paths: HashSet::new(),
            wiki_names: HashSet::new(),
        };
        for entry in self.entries.iter().filter(|entry| entry.file.is_some()) {
            match entry.kind {
                SpanKind::Wiki if entry.folded.contains('/') => {
                    targets.wiki_paths.insert(even(&entry.folded));
                }
                SpanKind::Wiki => {
                    targets.wiki_names.insert(even(&entry.folded));
                }
                _ => {
                    targets.files.insert(entry.folded.clone());
                }
            }
        }
        targets
    }
}

impl Targets {
    /// Whether an entry points to `file`; the same rules as [`Index::find`].
    pub(crate) fn contains(&self, file: &str) -> bool {
        let file = fold_key(file);
        self.files.contains(&file)
            || self.wiki_names.contains(&even(base_name(&file)))
            || self.wiki_paths.contains(&even(&file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_up_and_a_search_agree() {
        let index = Index::parse(
            "- [A](a.md)\n- [[B-c d]]\n- [[sub/e]]\n- `f.md`\n- [out](../g.md)\n| [H](h.md) | x |\n\
             see [I](I.md) and [J](Größe.md)\n"
                .as_bytes(),
        );
        let targets = index.targets();
        for file in [
            "a.md",
            "A.MD",
            "b_c_d.md",
            "sub/b_c_d.md",
            "e.md",
            "sub/e.md",
            "f.md",
            "g.md",
            "h.md",
            "i.md",
            "GRÖSSE.md",
            "größe.md",
            "none.md",
        ] {
            assert_eq!(targets.contains(file), index.find(file).is_some(), "{file}");
        }
    }
}

//! Whatever path a model makes up, a write ends in the memory folder or nowhere.

use forked_agent::{Limits, Permissions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Tree, calls, run_with, snapshot, text};

/// Pieces out of which interesting paths are made.
const PIECES: &[&str] = &[
    "/",
    "//",
    ".",
    "..",
    "../",
    "./",
    "memory",
    "project",
    "outside",
    "a",
    "x.md",
    "b.MD",
    ".md",
    "~",
    "\\",
    ":",
    "%2e",
    "%2f",
    "\u{ff0e}",
    "记忆",
    " ",
    "link",
    "dir",
    "secret.md",
    "\u{202e}",
    "CON",
    "*",
    "$HOME",
    "C:",
    "\u{0}",
    "é",
    "e\u{301}",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn a_write_to_any_path_stays_inside(
        paths in proptest::collection::vec(
            (0..4_usize, proptest::collection::vec(0..PIECES.len(), 0..8), any::<bool>()), 20
        )
    ) {
        let tree = Tree::new();
        tree.file("project/a", "text\n");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(tree.outside(), tree.memory().join("dir")).unwrap();
            std::os::unix::fs::symlink(tree.outside().join("secret.md"), tree.memory().join("link")).unwrap();
        }
        let before = [tree.outside(), tree.project()].map(|folder| snapshot(&folder));
        let bases = [String::new(), format!("{}/", tree.memory().display()), format!("{}", tree.memory().display()), "/".to_owned()];
        let list: Vec<(&str, Value)> = paths
            .iter()
            .map(|(base, pieces, edit)| {
                let pieces: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
                let path = format!("{}{pieces}", bases[*base]);
                if *edit {
                    ("Edit", json!({ "file_path": path, "old_string": "", "new_string": "new" }))
                } else {
                    ("Write", json!({ "file_path": path, "content": "new" }))
                }
            })
            .collect();
        let limits = Limits::default().with_max_calls(100);
        let replies = vec![calls(&list), text("done")];
        let outcome = run_with(&tree.toolbox(), &Permissions::default(), limits, replies);

        prop_assert_eq!(before, [tree.outside(), tree.project()].map(|folder| snapshot(&folder)));
        prop_assert_eq!(outcome.writes.len() + outcome.failed.len(), list.len());
        for write in &outcome.writes {
            let path = write.path();
            prop_assert!(path.starts_with(tree.memory()), "{:?}", path);
            let extension = path.extension().unwrap().to_ascii_lowercase();
            prop_assert_eq!(extension, "md");
            prop_assert!(path.canonicalize().unwrap().starts_with(tree.memory()));
        }
        // What is there is what the outcome says, and nothing else.
        let files = snapshot(&tree.memory()).into_iter().filter(|(path, _)| !path.is_symlink());
        let mut found: Vec<_> = files.map(|(path, _)| path).collect();
        let mut said: Vec<_> = outcome.writes.iter().map(forked_agent::FileWritten::path).collect();
        said.sort();
        said.dedup();
        found.sort();
        prop_assert_eq!(found, said);
    }
}

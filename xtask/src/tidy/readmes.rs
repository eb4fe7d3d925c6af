//! Examples in README files read the same on a code host as in rustdoc.

use std::path::Path;

use anyhow::Result;

use crate::process::root;

/// Returns a sentence for each line that rustdoc would hide and a code host shows.
pub(super) fn check() -> Result<Vec<String>> {
    let root = root();
    let mut violations = Vec::new();
    let mut folders = vec![root.clone()];
    for entry in std::fs::read_dir(&root)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() && !name.to_string_lossy().starts_with('.') {
            folders.push(entry.path());
        }
    }
    folders.sort();
    for folder in folders {
        let readme = folder.join("README.md");
        if let Ok(text) = std::fs::read_to_string(&readme) {
            check_file(
                readme.strip_prefix(&root).unwrap_or(&readme),
                &text,
                &mut violations,
            );
        }
    }
    Ok(violations)
}

fn check_file(shown: &Path, text: &str, violations: &mut Vec<String>) {
    let mut is_rust = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            is_rust = language.starts_with("rust");
        } else if is_rust && (line == "#" || line.starts_with("# ")) {
            violations.push(format!(
                "{}:{}: rustdoc hides this line, and a code host shows it: write a whole `fn main`",
                shown.display(),
                number + 1
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::check_file;

    #[test]
    fn hidden_lines_of_examples_are_found_and_headings_are_not() {
        let text = "# title\n```rust\n# hidden()\nshown();\n#[derive(Debug)]\n#\n```\n# heading\n```sh\n# note\n```\n";
        let mut violations = Vec::new();
        check_file(Path::new("README.md"), text, &mut violations);
        assert_eq!(violations.len(), 2, "{violations:?}");
        assert!(violations[0].starts_with("README.md:3:"));
    }
}

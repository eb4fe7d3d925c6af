//! Links of the Markdown pages lead somewhere: to a file that is there, and to a heading that it has.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process::root;

/// Folders of which no page is ours.
const FOREIGN: [&str; 2] = ["target", "node_modules"];

/// Returns a sentence for each link that leads nowhere.
pub(super) fn check() -> Result<Vec<String>> {
    let root = root();
    let mut pages = Vec::new();
    collect(&root, &mut pages)?;
    pages.sort();
    let mut violations = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page)?;
        let shown = page.strip_prefix(&root).unwrap_or(&page).to_owned();
        for (line, target) in links(&text) {
            if let Some(why) = why_dead(&page, &text, target) {
                violations.push(format!(
                    "{}:{line}: the link {target} {why}",
                    shown.display()
                ));
            }
        }
    }
    Ok(violations)
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let is_ours = !name.starts_with('.') && !name.starts_with("target-");
            // Memories and notes in test data are texts to work on, and no pages.
            let is_data = folder.ends_with("testdata") || name == "testdata";
            if is_ours && !is_data && !FOREIGN.contains(&&*name) {
                collect(&entry.path(), pages)?;
            }
        } else if kind.is_file() && name.ends_with(".md") {
            pages.push(entry.path());
        }
    }
    Ok(())
}

/// The links of a page with their lines, those of examples left out.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_example = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_example = !in_example;
            continue;
        }
        // Four spaces are an example as well, unless a list goes on.
        if in_example || line.starts_with("    ") {
            continue;
        }
        for (at, sign) in line.match_indices("](") {
            let Some((target, _)) = line[at + sign.len()..].split_once(')') else {
                break;
            };
            // Inside of code it is an example of a link.
            if line[..at].matches('`').count().is_multiple_of(2) {
                found.push((number + 1, target));
            }
        }
    }
    found
}

fn why_dead(page: &Path, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = match target.split_once('#') {
        Some((file, heading)) => (file, Some(heading)),
        None => (target, None),
    };
    let folder = page.parent().unwrap_or(page);
    let place = folder.join(file);
    if !file.is_empty() && !place.exists() {
        return Some("leads to nothing".to_owned());
    }
    let heading = heading?;
    let there = if file.is_empty() {
        text.to_owned()
    } else if place.extension().is_some_and(|extension| extension == "md") {
        std::fs::read_to_string(&place).unwrap_or_default()
    } else {
        // Lines of source files are not looked at.
        return None;
    };
    let has_it = there
        .lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| slug(line) == heading);
    (!has_it).then(|| "names a heading that is not there".to_owned())
}

/// A heading as code hosts name it in an address.
fn slug(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|char| char.is_alphanumeric() || " -_".contains(*char))
        .map(|char| if char == ' ' { '-' } else { char })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{links, slug, why_dead};
    use crate::process::root;

    #[test]
    fn links_outside_of_examples_are_found_with_their_lines() {
        let text =
            "[a](b.md) and [c](d#e)\n```md\n[x](y)\n```\n    [x](y)\nwrite `[x](y)`, see [f](g)\n";
        assert_eq!(links(text), [(1, "b.md"), (1, "d#e"), (6, "g")]);
    }

    #[test]
    fn a_dead_file_or_heading_is_told() {
        let page = root().join("README.md");
        let text = "# One\n## Two words, `code`\n";
        assert_eq!(slug("## Two words, `code`"), "two-words-code");
        let table = [
            ("docs/SETTINGS.md", None),
            ("docs", None),
            ("https://example.com/x", None),
            ("#one", None),
            ("#two-words-code", None),
            ("docs/SETTINGS.md#a-model", None),
            ("docs/NOTHING.md", Some("leads to nothing")),
            ("#three", Some("names a heading that is not there")),
            (
                "docs/SETTINGS.md#three",
                Some("names a heading that is not there"),
            ),
        ];
        for (target, why) in table {
            assert_eq!(why_dead(&page, text, target).as_deref(), why, "{target}");
        }
    }
}

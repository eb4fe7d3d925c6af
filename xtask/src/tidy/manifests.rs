//! What each member's manifest and folder must hold.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::process::root;

/// Returns a sentence for each thing that is missing.
pub(super) fn check(metadata: &Value) -> Result<Vec<String>> {
    let mut violations = Vec::new();
    let root = root();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        if !manifest.starts_with(&root) || !package["source"].is_null() {
            continue;
        }
        let name = package["name"].as_str().unwrap_or_default();
        let folder = manifest.parent().unwrap_or(manifest);
        let text = std::fs::read_to_string(manifest)?;
        let mut say = |what: &str| violations.push(format!("{name}: {what}"));
        if !text.contains("[lints]\nworkspace = true") {
            say("the manifest takes no lints from the workspace");
        }
        let published = package["publish"]
            .as_array()
            .is_none_or(|list| !list.is_empty());
        if !published {
            continue;
        }
        for key in ["description", "license", "repository", "rust_version"] {
            if package[key].as_str().unwrap_or_default().is_empty() {
                say(&format!("the manifest has no {key}"));
            }
        }
        if !text.contains("include = [") {
            say("the manifest does not say what goes into the package");
        }
        for (feature, line) in features(&text) {
            if !line {
                say(&format!("feature `{feature}` has no `##` comment"));
            }
        }
        check_front_page(name, folder, package, &mut say)?;
        let has_library = package["targets"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|t| t["kind"][0] == "lib");
        if has_library && name != "memstrata" && !folder.join("tests/all.rs").is_file() {
            say("there is no tests/all.rs");
        }
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "README.md"] {
        if !root.join(file).is_file() {
            violations.push(format!("the root has no {file}"));
        }
    }
    Ok(violations)
}

/// README and rustdoc open with the manifest's sentence, so that a person meets the same one everywhere.
fn check_front_page(
    name: &str,
    folder: &Path,
    package: &Value,
    say: &mut dyn FnMut(&str),
) -> Result<()> {
    let sentence = package["description"].as_str().unwrap_or_default();
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap_or_default();
    let first = readme
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if !first.is_some_and(|line| line.starts_with(sentence)) {
        say(&format!("README.md does not open with `{sentence}`"));
    }
    let library = folder.join("src/lib.rs");
    if library.is_file() {
        let text = std::fs::read_to_string(library)?;
        let first = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("//! "));
        if !first.is_some_and(|line| line.starts_with(sentence)) {
            say(&format!(
                "src/lib.rs of {name} does not open with `{sentence}`"
            ));
        }
    }
    Ok(())
}

/// Returns each feature of a manifest and whether a `##` comment stands above it.
fn features(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut above = "";
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line == "[features]";
        } else if inside
            && let Some((name, _)) = line.split_once(" = ")
            && name != "default"
            && !name.starts_with([' ', '#'])
        {
            found.push((name.to_owned(), above.starts_with("##")));
        }
        above = line;
    }
    found
}

//! The reference is what the program says about itself.

use std::path::Path;

use crate::harness::Home;

#[test]
fn the_reference_fits_the_program() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let schemas = docs.join("schemas");
    let run = Home::new()
        .run(&["reference", schemas.to_str().expect("UTF-8")])
        .expect(0);
    let written = std::fs::read_to_string(docs.join("REFERENCE.md")).expect("the reference");
    let mut lines = written.lines().zip(run.out.lines());
    let differing = lines.position(|(old, new)| old != new);
    assert!(
        written == run.out,
        "docs/REFERENCE.md does not fit the program any more, from line {:?} on.\nRun: cargo xtask reference",
        differing.map(|line| line + 1)
    );
}

#[test]
fn every_variable_of_the_program_is_in_the_table_of_settings_and_no_other() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let settings = std::fs::read_to_string(docs.join("SETTINGS.md")).expect("the settings");
    let reference = std::fs::read_to_string(docs.join("REFERENCE.md")).expect("the reference");
    let section = |text: &str, title: &str| {
        let begin = text.find(title).expect("the section") + title.len();
        let end = text[begin..]
            .find("\n## ")
            .map_or(text.len(), |end| begin + end);
        text[begin..end].to_owned()
    };
    let names = |text: &str| -> Vec<String> {
        let mut names: Vec<String> = text
            .lines()
            .filter(|line| line.starts_with("| `") && !line.contains("`memstrata-server`"))
            .flat_map(|line| {
                line.split('|')
                    .nth(1)
                    .unwrap_or_default()
                    .split('`')
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .filter(|name| {
                !name.is_empty()
                    && name
                        .chars()
                        .all(|one| one.is_ascii_uppercase() || one == '_')
            })
            // Of another system.
            .filter(|name| !name.starts_with("USERPROFILE") && name != "USERNAME")
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let in_settings = names(&section(&settings, "## Environment variables"));
    let in_program = names(&section(&reference, "## Environment variables"));
    assert!(in_program.len() > 8, "{in_program:?}");
    assert_eq!(
        in_settings, in_program,
        "docs/SETTINGS.md and cli/src/environment.rs list different variables"
    );
}

#[test]
fn every_schema_is_used_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    let mut folders = vec![root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                tests += &std::fs::read_to_string(path).expect("a test");
            }
        }
    }
    for entry in std::fs::read_dir(root.join("../docs/schemas")).expect("the schemas") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        let is_used = tests.contains(&format!("schemas/{name}.json"))
            || tests.contains(&format!("schema!(\"{name}\")"));
        assert!(
            is_used,
            "no test holds real output against docs/schemas/{name}.json"
        );
    }
}

/// The page of settings for people.
fn settings_page() -> String {
    include_str!("../../docs/SETTINGS.md").replace("\r\n", "\n")
}

#[test]
fn every_key_of_the_persons_file_stands_in_the_table_of_settings() {
    let home = Home::new();
    let file = home.path().join(".claude/memstrata.toml");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let warned = |text: &str, behind: &str| -> Vec<String> {
        std::fs::write(&file, text).expect("settings");
        let said = home.run(&["where"]).expect(0).err;
        let (_, keys) = said
            .split_once(behind)
            .unwrap_or_else(|| panic!("no keys: {said}"));
        let keys = keys
            .lines()
            .next()
            .unwrap_or_default()
            .replace(" and ", ", ");
        keys.split(", ").map(str::to_owned).collect()
    };
    let sections = warned("[nothing]\n", "the sections are ");
    assert!(sections.len() >= 5, "{sections:?}");
    let page = settings_page();
    for section in sections.iter().filter(|section| *section != "model") {
        let behind = format!("[{section}] may hold ");
        for key in warned(&format!("[{section}]\nnothing = 1\n"), &behind) {
            assert!(
                page.contains(&format!("`{section}.{key}`")),
                "{section}.{key}"
            );
        }
    }
}

//! Real memory folders, which live beside the workspace and are read in place: every file loads,
//! and the findings on each folder are the ones a person made when reading it.

use std::collections::BTreeMap;
use std::fs;

use memdir::lint::{Input, SourceFile, check, fix};
use memdir::{Date, Header, Index, IndexLimits, Memory, MemoryType};
use test_support::{bytes_below, samples};

fn today() -> Date {
    "2026-11-30".parse().unwrap()
}

fn input(files: &BTreeMap<String, Vec<u8>>) -> Input<'_> {
    let sources = files
        .iter()
        .map(|(path, bytes)| SourceFile::new(path, bytes).with_date(today()));
    Input::new(sources.collect(), today())
}

/// Compares the findings on one folder with the expected ones: `path:line code`, `+` when fixable.
fn check_folder(name: &str, expected: &str) {
    let Some(samples) = samples(env!("CARGO_MANIFEST_DIR"), "memory-folders") else {
        return;
    };
    let files = bytes_below(&samples.join(name));
    let report = check(&input(&files));
    let found: Vec<String> = report
        .findings
        .iter()
        .map(|finding| {
            let mark = if finding.is_fixable { " +" } else { "" };
            format!("{}:{} {}{mark}", finding.path, finding.line, finding.code)
        })
        .collect();
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(found, expected, "{:#?}", report.findings);
}

#[test]
fn every_file_of_every_folder_loads() {
    let Some(samples) = samples(env!("CARGO_MANIFEST_DIR"), "memory-folders") else {
        return;
    };
    let mut count = 0;
    for folder in fs::read_dir(samples).unwrap() {
        for (path, bytes) in bytes_below(&folder.unwrap().path()) {
            let memory = Memory::parse(&bytes);
            assert_eq!(memory.print(), bytes, "{path}");
            assert_eq!(Index::parse(&bytes).print(), bytes, "{path}");
            assert_eq!(Header::parse(&bytes).name, memory.name(), "{path}");
            assert!(
                Index::parse(&bytes)
                    .load(&IndexLimits::default())
                    .warning
                    .is_none(),
                "{path}"
            );
            count += 1;
        }
    }
    assert!(count >= 78, "only {count} files");
}

#[test]
fn an_edit_of_any_file_changes_one_line_only() {
    let Some(samples) = samples(env!("CARGO_MANIFEST_DIR"), "memory-folders") else {
        return;
    };
    for folder in fs::read_dir(samples).unwrap() {
        for (path, bytes) in bytes_below(&folder.unwrap().path()) {
            let mut memory = Memory::parse(&bytes);
            if memory.memory_type().is_none() || memory.problems().len() > 2 {
                continue;
            }
            memory.set_type(MemoryType::Reference);
            memory.set_type(MemoryType::User);
            let printed = memory.print();
            let (before, after): (Vec<_>, Vec<_>) = (
                bytes.split(|byte| *byte == b'\n').collect(),
                printed.split(|byte| *byte == b'\n').collect(),
            );
            // An unclosed front matter is closed by the first edit.
            let grown = after.len() - before.len();
            assert!(grown <= 1, "{path}");
            let changed = before.iter().filter(|line| !after.contains(line)).count();
            assert!(changed <= 1, "{path}: {changed} lines");
        }
    }
}

#[test]
fn flat_front_matter_is_read() {
    check_folder(
        "01-recommendarr",
        "
        project_metadata_route_followups.md:3 unquoted-value +
        project_metadata_route_followups.md:7 why-missing
        ",
    );
}

#[test]
fn korean_text_and_nested_metadata_are_read() {
    check_folder(
        "02-koenvue-korean",
        "
        MEMORY.md:3 index-long-line
        negative-result-verify-instrument.md:3 unquoted-value +
        ",
    );
}

#[test]
fn names_outside_the_four_kinds_are_read() {
    check_folder(
        "04-markovlens",
        "
        workflow_token_optimization.md:8 why-missing
        workflow_token_optimization.md:11 dead-link
        ",
    );
}

#[test]
fn sub_folders_and_other_files_are_read() {
    check_folder(
        "06-nested-department",
        "
        annotations.md:3 description-long
        archive/sessions/2026-04-27_12-08_session.md:1 front-matter-missing
        archive/sessions/2026-04-27_12-14_session.md:1 front-matter-missing
        archive/sessions/2026-04-27_12-14_session.md:1 near-duplicate
        archive/sessions/2026-04-27_22-32_session.md:1 front-matter-missing
        consensus/merged-decisions.md:8 why-missing
        feedback_rules.md:7 how-to-apply-missing
        gitnexus-registry.md:3 description-long
        project_tech_decisions.md:7 why-missing
        specialists/backend-developer.md:8 why-missing
        specialists/data-engineer.md:8 why-missing
        specialists/frontend-developer.md:8 why-missing
        specialists/fullstack-developer.md:8 why-missing
        specialists/technical-director.md:8 why-missing
        structure.md:7 why-missing
        ",
    );
}

#[test]
fn every_kind_of_damage_is_named() {
    check_folder(
        "20-synthetic-variations",
        "
        MEMORY.md:1 byte-order-mark +
        MEMORY.md:17 index-dead-line +
        MEMORY.md:18 index-outside
        MEMORY.md:19 index-outside
        empty.md:1 empty
        feedback_bold.md:2 front-matter-invalid +
        feedback_bold.md:4 type-case +
        feedback_bold.md:6 why-missing
        feedback_testing.md:3 unquoted-value +
        not-utf8.md:1 not-in-index
        not-utf8.md:2 not-utf8
        orphan_not_in_index.md:1 not-in-index +
        orphan_not_in_index.md:6 why-missing
        project_backtick.md:1 front-matter-late +
        project_backtick.md:8 why-missing
        project_colon.md:3 unquoted-value +
        project_colon.md:10 why-missing
        project_nohook.md:1 front-matter-unclosed +
        project_nohook.md:6 why-missing
        project_star.md:1 front-matter-missing
        project_table.md:3 duplicate-key
        project_table.md:4 unquoted-value +
        project_table.md:5 type-unknown
        user_role.md:1 byte-order-mark +
        wiki-link-memory.md:1 name-missing +
        wiki-link-memory.md:1 description-missing
        wiki-link-memory.md:1 type-missing
        with space.md:6 why-missing
        état-größe-日本.md:1 not-in-index +
        ",
    );
}

#[test]
fn mending_a_folder_leaves_nothing_fixable_and_nothing_new() {
    let Some(samples) = samples(env!("CARGO_MANIFEST_DIR"), "memory-folders") else {
        return;
    };
    for folder in fs::read_dir(samples).unwrap() {
        let mut files = bytes_below(&folder.unwrap().path());
        let before = check(&input(&files));
        let fixes = fix(&input(&files), &before.findings);
        for file in fixes.files {
            files.insert(file.path, file.bytes);
        }
        let after = check(&input(&files));
        assert!(
            after.findings.iter().all(|finding| !finding.is_fixable),
            "{:#?}",
            after.findings
        );
        let known = |finding: &memdir::lint::Finding| {
            before
                .findings
                .iter()
                .any(|old| old.code == finding.code && old.path == finding.path)
        };
        assert!(after.findings.iter().all(known), "{:#?}", after.findings);
    }
}

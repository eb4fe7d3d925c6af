//! Bodies of the fuzz targets of memdir.
#![allow(
    clippy::missing_panics_doc,
    unreachable_pub,
    reason = "a panic is what a target reports; the stable replay includes this file as a module"
)]

use memdir::lint::{self, SourceFile};
use memdir::{
    Date, Environment, Header, Index, IndexItem, IndexLimits, Memory, MemoryType, Modes,
    ProjectSettings, Settings, TrustedSettings, find_relative_dates,
};
use pathguard::TrustedSource;

/// A memory is its bytes, its header says what the whole file says, and what is set is read back.
pub fn memory(data: &[u8]) {
    let mut memory = Memory::parse(data);
    assert_eq!(memory.print(), data);
    assert_eq!(Memory::parse(&memory.print()), memory);
    let header = Header::parse(data);
    let lines = data.split(|byte| *byte == b'\n').count();
    if lines <= memdir::limits::HEADER_MAX_LINES {
        assert_eq!(header.name, memory.name());
        assert_eq!(header.description, memory.description());
        assert_eq!(header.type_text, memory.type_text());
        assert_eq!(header.modified, memory.modified());
    }
    for key in memory.keys() {
        assert!(memory.value(&key).is_some(), "{key}");
    }
    let _ = (memory.why(), memory.how_to_apply());
    let value = String::from_utf8_lossy(&data[..data.len().min(40)]).into_owned();
    memory.set_description(&value);
    assert_eq!(memory.description(), value);
    memory.set_type(MemoryType::Project);
    assert_eq!(memory.memory_type(), Some(MemoryType::Project));
    assert_eq!(memory.description(), value);
    memory.set_body("The end.");
    assert_eq!(memory.body().trim_end(), "The end.");
}

/// An index is its bytes, a load is within its limits, a rebuild is done once.
pub fn index(data: &[u8]) {
    let mut index = Index::parse(data);
    assert_eq!(index.print(), data);
    let limits = IndexLimits::new(5, 200);
    let loaded = index.load(&limits);
    assert!(
        loaded.text.len() <= limits.max_bytes && loaded.text.lines().count() <= limits.max_lines
    );
    let plan = index.compaction_plan(&limits, &|_| memdir::Usage::default());
    let _ = index.compacted(&plan);
    let items: Vec<IndexItem> = index
        .entries()
        .iter()
        .filter_map(|entry| entry.file())
        .step_by(2)
        .chain(["user_role.md", "sub/with space.md"])
        .map(|file| IndexItem::new(file, "Title", "hook", None))
        .collect();
    index.rebuild(&items);
    for item in &items {
        assert!(index.find(&item.file).is_some(), "{}", item.file);
    }
    let once = index.print();
    index.rebuild(&items);
    assert_eq!(index.print(), once);
    index.remove("user_role.md");
    assert!(index.find("user_role.md").is_none());
}

/// Dates stand in order on whole characters, and writing them out leaves a text.
pub fn dates(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let day = data.first().map_or(0, |byte| i32::from(*byte));
    let base = Date::new(2026, 3, 2).map_or(Date::EPOCH, |base| base.plus_days(day));
    let mut end = 0;
    for found in find_relative_dates(&text, base) {
        assert!(found.range.start >= end && found.range.end > found.range.start);
        assert!(!text[found.range.clone()].is_empty() && !found.replacement.is_empty());
        end = found.range.end;
    }
}

/// A folder of any files is checked, and mending it comes to an end. Files are separated by NUL.
pub fn lint(data: &[u8]) {
    let names = ["MEMORY.md", "user_a.md", "b.md", "sub/c.md"];
    let mut folder: Vec<(String, Vec<u8>)> = names
        .iter()
        .zip(data.split(|byte| *byte == 0))
        .map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()))
        .collect();
    for _ in 0..8 {
        let sources = folder
            .iter()
            .map(|(path, bytes)| SourceFile::new(path, bytes).with_date(Date::EPOCH));
        let input = lint::Input::new(sources.collect(), Date::EPOCH).shared();
        let report = lint::check(&input);
        let fixes = lint::fix(&input, &report.findings);
        if fixes.files.is_empty() {
            return;
        }
        for file in fixes.files {
            folder.retain(|(path, _)| *path != file.path);
            folder.push((file.path, file.bytes));
        }
    }
    panic!("mending never ends");
}

/// Settings of any text say the same with comments around them, those of a project never widen anything, and no
/// text is too deep.
pub fn settings(data: &[u8]) {
    const MARK: &str = "\u{feff}";
    let text = String::from_utf8_lossy(data);
    // A mark stands in front of a file, and no comment before it; a second one is read over by one reader only.
    let text = text.trim_start_matches(MARK);
    let source = TrustedSource::UserSettings;
    if let Ok(plain) = TrustedSettings::parse_json(source, "plain", text) {
        let around = format!("// one\n/* two */{text}\n// three");
        let commented = TrustedSettings::parse_json(source, "plain", &around)
            .expect("comments change nothing because they stand outside of the value");
        assert_eq!(
            decided(|settings| settings.push_trusted(plain)),
            decided(|settings| settings.push_trusted(commented))
        );
    }
    let _ = TrustedSettings::parse_toml(source, "toml", text);
    let nothing = decided(|_| ()).expect("without a file nothing can be refused");
    let of_project = [
        ProjectSettings::parse_json("json", text),
        ProjectSettings::parse_toml("toml", text),
    ];
    for settings in of_project.into_iter().flatten() {
        let (directory, modes) = decided(|all| all.push_project(settings))
            .expect("a project's file cannot stop anything");
        assert_eq!(directory, None);
        assert!(modes.session <= nothing.1.session && modes.persistent <= nothing.1.persistent);
    }
}

fn decided(push: impl FnOnce(&mut Settings)) -> Result<(Option<String>, Modes), String> {
    let mut settings = Settings::new(Environment::new("/work/app").with_user_home("/home/ana"));
    push(&mut settings);
    let decisions = settings.resolve().map_err(|error| error.to_string())?;
    let directory = decisions
        .directory
        .map(|choice| choice.spec.path().display().to_string());
    Ok((directory, decisions.modes))
}

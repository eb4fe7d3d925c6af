//! Where a memory may lie when its settings cannot be read.
//!
//! A setting may have moved it anywhere, and a write to it must be refused as long as it cannot be checked. So
//! the settings are searched as text: in a file with a mistake everything else still says what it says.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memstrata::memdir::managed_settings_path;

use super::host::Host;

/// The key that moves it.
const KEY: &str = "\"autoMemoryDirectory\"";

/// Bytes of a file that are searched.
const MAX_BYTES: u64 = 1 << 20;

/// Values of the key that are taken; a file has one.
const MAX_VALUES: usize = 16;

/// Returns the folders, without a look at whether they are there.
pub(super) fn folders(host: &Host<'_>, home: &Path) -> Vec<PathBuf> {
    let environment = host.environment;
    let mut named: Vec<String> = Vec::new();
    let argument = host.global.memory_dir.as_ref();
    named.extend(argument.map(|folder| folder.to_string_lossy().into_owned()));
    let mut variables = environment.variables.iter();
    let variable = variables.find(|(name, _)| name == "MEMSTRATA_MEMORY_DIR");
    named.extend(variable.map(|(_, value)| value.clone()));
    for file in [managed_settings_path(), home.join("settings.json")] {
        named.extend(values(&text(&file).unwrap_or_default()));
    }
    // The history of every folder that was moved.
    let mut folders = vec![home.join("memstrata")];
    folders.extend(named.iter().map(|folder| {
        let below = folder.strip_prefix("~/");
        match (below, &environment.user_home) {
            (Some(below), Some(home)) => home.join(below),
            _ => environment.current_dir.join(folder),
        }
    }));
    let real: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| std::fs::canonicalize(folder).ok())
        .collect();
    folders.extend(real);
    // The root of everything is no memory, whoever says so.
    folders.retain(|folder| folder.parent().is_some());
    folders
}

fn text(file: &Path) -> Option<String> {
    // Opening a pipe would wait for a writer.
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let mut file = File::open(file).ok()?.take(MAX_BYTES);
    file.read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The texts that stand behind the key.
fn values(text: &str) -> Vec<String> {
    let behind = text
        .match_indices(KEY)
        .map(|(at, key)| &text[at + key.len()..]);
    let values = behind.filter_map(|behind| {
        let value = behind.trim_start().strip_prefix(':')?.trim_start();
        let mut strings = serde_json::Deserializer::from_str(value).into_iter::<String>();
        strings.next()?.ok().filter(|folder| !folder.is_empty())
    });
    values.take(MAX_VALUES).collect()
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn the_folder_is_found_in_whatever_is_left_of_the_settings() {
        for (text, expected) in [
            (r#"{"autoMemoryDirectory": "~/notes"}"#, &["~/notes"][..]),
            (
                "{broken, \"autoMemoryDirectory\"\n:\t\"/a \\\"b\\\"\" garbage",
                &["/a \"b\""],
            ),
            (
                r#""autoMemoryDirectory":"/a","autoMemoryDirectory":"/b"#,
                &["/a"],
            ),
            (r#""autoMemoryDirectory": 7, "autoMemoryDirectory""#, &[]),
            ("", &[]),
        ] {
            assert_eq!(values(text), expected, "{text}");
        }
    }
}

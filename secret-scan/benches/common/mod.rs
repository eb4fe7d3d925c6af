//! Texts to measure on.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources of the crates this workspace is locked to, in a stable order; this crate's own
/// where there is no registry folder.
pub(crate) fn source_files() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = fs::read_to_string(lock).unwrap_or_default();
    let value = |line: &str| line.split('"').nth(1).unwrap_or_default().to_owned();
    let names: Vec<String> = lock
        .lines()
        .filter(|l| l.starts_with("name = "))
        .map(value)
        .collect();
    let versions = lock
        .lines()
        .filter(|l| l.starts_with("version = \""))
        .map(value);
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let registries: Vec<PathBuf> = registries
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    let mut files = Vec::new();
    for (name, version) in names.iter().zip(versions) {
        for registry in &registries {
            collect(&registry.join(format!("{name}-{version}")), &mut files);
        }
    }
    if files.is_empty() {
        #[expect(clippy::print_stderr, reason = "a bench says what it measures")]
        let () = eprintln!("no registry folder: measuring on this crate's own sources");
        collect(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut files,
        );
    }
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// `bytes` bytes of source text, repeated if there is less.
pub(crate) fn source_text(bytes: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes);
    for file in source_files() {
        if text.len() >= bytes {
            break;
        }
        text.extend(fs::read(file).unwrap_or_default());
    }
    let once = text.len();
    while text.len() < bytes {
        text.extend_from_within(..once.min(bytes - text.len()));
    }
    text.truncate(bytes);
    text
}

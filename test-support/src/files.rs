//! Folders of files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file below a folder with its bytes, by its path relative to the folder, with `/` between names.
pub fn bytes_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(at) = pending.pop() {
        for entry in std::fs::read_dir(&at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("a path below");
                let name = name.to_str().expect("a name in UTF-8").replace('\\', "/");
                files.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

/// The names in a folder, hidden ones among them, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A folder of samples, which lie beside the workspace: recorded sessions, real memory folders. They are not part
/// of the repository; where they are missing, that is said, and a test that needs them passes.
///
/// `package` is the folder of a member, `env!("CARGO_MANIFEST_DIR")`.
pub fn samples(package: &str, name: &str) -> Option<PathBuf> {
    let workspace = Path::new(package)
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file())
        .unwrap_or(Path::new(package));
    let folder = workspace.join("../shared/samples").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!(
        "NOT TESTED: the samples are missing at {}",
        folder.display()
    );
    None
}

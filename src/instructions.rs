//! The instruction files of a project, which say what need not be learned.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Where agents look for instructions, relative to the project's root.
const FILES: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
];

/// A longer file is compared as far as this.
const MOST_BYTES: u64 = 1 << 20;

/// Reads the instruction files of a project that exist, names and bytes, each at most 1 MiB.
///
/// A file that cannot be read compares with nothing; links, pipes and devices are passed over.
pub fn instruction_files(project: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: &&str| {
        let path = project.join(name);
        // Only regular files: a pipe of this name would wait for a writer.
        path.symlink_metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        File::open(path)
            .ok()?
            .take(MOST_BYTES)
            .read_to_end(&mut bytes)
            .ok()?;
        Some(((*name).to_owned(), bytes))
    };
    FILES.iter().filter_map(read).collect()
}
